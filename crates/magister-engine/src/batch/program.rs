//! One step of a game as gates over lanes; the parent module describes how to run it.

use std::ops::Range;

use magister_core::{Move, Percept, Role};
use magister_lanes::{Gate, Operation};

use super::choice::{Counted, Leaf, weightless};
use super::goals::{Pay, rewards};
use super::phases::Phase;
use crate::circuit::{Circuit, Wire};
use crate::network::{Edge, FluentId, MoveId, Network, Turns};

/// The batch program of a game; see the [module](super).
#[derive(Clone, PartialEq, Debug)]
pub struct BatchProgram {
    /// The number of fluents. Their wires begin at 1.
    pub fluents: usize,
    /// The number of roles.
    pub roles: usize,
    /// Whether each fluent is true at the start.
    pub initial: Vec<bool>,
    /// The moves in the lists of the steps, role by role.
    pub moves: Vec<(Role, Move)>,
    /// The steps: one, or two that alternate.
    pub steps: Vec<StepProgram>,
    /// If two steps alternate, the fluent that selects each, and whether it does so by being false.
    pub turns: Vec<(FluentId, bool)>,
}

/// One step of all lanes; see the [module](super).
#[derive(Clone, PartialEq, Debug)]
pub struct StepProgram {
    /// The number of wires.
    pub wires: u32,
    /// The wires before this one are the constant, the fluents and the moves.
    pub inputs: u32,
    /// Gates for legal moves, their number or total weight, and terminal states.
    pub legal_gates: Vec<Gate>,
    /// Gates for goals, on top of `legal_gates`.
    pub goal_gates: Vec<Gate>,
    /// Gates for the moves that are made, the next state, and the gains.
    pub next_gates: Vec<Gate>,
    /// Gates for percepts, on top of all except the goals.
    pub percept_gates: Vec<Gate>,
    /// The lanes with a terminal state.
    pub terminal: Wire,
    /// The lanes in which the rules fail, if the state is not terminal: a role has no legal move,
    /// or a legal move of chance has no weight.
    pub stuck: Wire,
    /// The lanes with a silent step.
    pub silent: Signal,
    /// The lanes in which each move is legal.
    pub legal: Vec<Wire>,
    /// The parts of the weights of chance moves: the move, the weight, and the lanes in which it
    /// counts. The counts of the choices already contain the sums.
    pub weights: Vec<(MoveId, u32, Signal)>,
    /// The random choices.
    pub choices: Vec<Choice>,
    /// For every move the wire that marks, after `next_gates`, the lanes in which it is made;
    /// `None` for a move that is never made in this step.
    pub made: Vec<Option<Wire>>,
    /// The next value of each fluent.
    pub next: Vec<Signal>,
    /// Rewards at the end of the game: role, value, lanes. At most one reward of a role is paid in
    /// a lane.
    pub rewards: Vec<(Role, f64, Wire)>,
    /// Rewards on the way (intermediate rewards): role, value, lanes.
    pub gains: Vec<(Role, f64, Wire)>,
    /// Percepts: role, percept, lanes.
    pub percepts: Vec<(Role, Percept, Wire)>,
}

/// A wire, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signal {
    /// The wire.
    pub wire: Wire,
    /// Whether it is negated.
    pub negated: bool,
}

impl From<Edge> for Signal {
    fn from(edge: Edge) -> Self {
        Self { wire: edge.node().0, negated: edge.negated() }
    }
}

/// A random choice of a move.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// The digits of the number of legal moves, or of their total weight, lowest first.
    pub count: Vec<Wire>,
    /// For each draw, the lanes in which the choice uses it. Draws are numbered in the order of the
    /// roles, and only roles with two or more legal moves use one.
    pub draws: Vec<Wire>,
    /// The wires for the digits of the chosen number, lowest first.
    pub number: Range<Wire>,
}

/// What a program contains besides playouts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Contents {
    pub(super) goals: bool,
    pub(super) percepts: bool,
}

impl BatchProgram {
    /// The program of a network for a kind of rewards.
    pub(crate) fn new(network: &Network, pay: Pay) -> Self {
        let contents = Contents { goals: true, percepts: true };
        let phases = Phase::of(network);
        let step = |network: &Network, turns: Option<Turns>| {
            StepProgram::new(network, turns, pay, contents)
        };
        let steps = if phases.is_empty() {
            vec![step(network, network.turns.clone())]
        } else {
            phases.iter().map(|(_, side, turns)| step(side, Some(turns.clone()))).collect()
        };
        Self {
            fluents: network.fluents(),
            roles: network.roles(),
            initial: network.initial.clone(),
            moves: network.moves.clone(),
            steps,
            turns: phases.iter().map(|(phase, ..)| phase.fluent()).collect(),
        }
    }
}

/// A choice under construction: for every entry of its list, the possible moves.
struct Chooser {
    places: Vec<Vec<MoveId>>,
}

impl StepProgram {
    /// The step of a network for a kind of rewards and these turns.
    pub(super) fn new(
        network: &Network,
        turns: Option<Turns>,
        pay: Pay,
        contents: Contents,
    ) -> Self {
        Builder { network, turns, circuit: Circuit::new(&network.graph) }.build(pay, contents)
    }
}

struct Builder<'a> {
    network: &'a Network,
    turns: Option<Turns>,
    circuit: Circuit<'a>,
}

impl Builder<'_> {
    fn role_of(&self, at: MoveId) -> usize {
        self.network.moves[at.index()].0.index()
    }

    /// The choices to make: one for all roles if they take turns, otherwise one for each.
    fn choosers(&self) -> Vec<Chooser> {
        let roles = self.network.roles();
        let lists: Vec<Vec<MoveId>> = match &self.turns {
            Some(turns) => turns.active.clone(),
            None => (0..roles)
                .map(|role| {
                    let own = self.network.places(Role(role as u8));
                    own.map(MoveId::new).collect()
                })
                .collect(),
        };
        if self.turns.is_none() {
            let single = |list: Vec<MoveId>| list.into_iter().map(|at| vec![at]).collect();
            return lists.into_iter().map(|list| Chooser { places: single(list) }).collect();
        }
        let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
        let place = |at: usize| lists.iter().filter_map(|list| list.get(at).copied()).collect();
        let places: Vec<Vec<MoveId>> = (0..longest).map(place).collect();
        if places.is_empty() { Vec::new() } else { vec![Chooser { places }] }
    }

    /// The sum of a chooser's legal moves.
    fn count(&mut self, chooser: &Chooser, legal: &[Wire]) -> Counted {
        let network = self.network;
        let leaves: Vec<Leaf> = chooser
            .places
            .iter()
            .map(|place| {
                let own: Vec<Leaf> = place
                    .iter()
                    .map(|&at| Leaf::of(&mut self.circuit, network, at, legal[at.index()]))
                    .collect();
                Leaf::any(&mut self.circuit, &own).unwrap_or_else(|| Leaf::one(0))
            })
            .collect();
        Counted::new(&mut self.circuit, &leaves)
    }

    fn build(mut self, pay: Pay, contents: Contents) -> StepProgram {
        let network = self.network;
        let yes = 0;
        // Section 1: legal moves and terminal states. Gates that goals and the next state share
        // must be here, because the goals are computed in between.
        let mut first: Vec<Edge> = network.legal.clone();
        first.push(network.terminal);
        first.extend(network.weights.iter().map(|weight| weight.when));
        first.push(network.silent);
        let goal_edges: Vec<Edge> = if contents.goals && !pay.on_the_way {
            network.goals.iter().map(|goal| goal.when).collect()
        } else {
            Vec::new()
        };
        let gain_edges: Vec<Edge> = if pay.on_the_way {
            network.gains.iter().map(|gain| gain.when).collect()
        } else {
            Vec::new()
        };
        let mut later: Vec<Edge> = network.next.iter().chain(&gain_edges).copied().collect();
        let next_count = later.len();
        if contents.percepts {
            later.extend(network.percepts.iter().map(|sight| sight.when));
        }
        let of_next = network.graph.reachable(later.iter().copied());
        let of_goals = network.graph.reachable(goal_edges.iter().copied());
        first.extend(
            of_goals.into_iter().filter(|n| of_next.binary_search(n).is_ok()).map(Edge::of),
        );
        self.circuit.nodes(first);
        let terminal = self.circuit.edge(network.terminal);
        let legal: Vec<Wire> =
            network.legal.clone().into_iter().map(|e| self.circuit.edge(e)).collect();
        let choosers = self.choosers();
        let counted: Vec<Counted> =
            choosers.iter().map(|chooser| self.count(chooser, &legal)).collect();
        let some: Vec<Option<Wire>> =
            counted.iter().map(|c| self.circuit.any(c.digits())).collect();
        let turn: Vec<Wire> = match self.turns.clone() {
            Some(turns) => turns.turn.iter().map(|&e| self.circuit.edge(e)).collect(),
            None => Vec::new(),
        };
        let moving = self.moving(&legal, &some, &turn);
        let stuck = self.stuck(&moving, &legal);
        let draws = self.draws(&choosers, &counted, &legal);
        let legal_gates = self.circuit.section();

        // Section 2: goals.
        self.circuit.nodes(goal_edges.iter().copied());
        let rewards = if pay.on_the_way || !contents.goals {
            Vec::new()
        } else {
            rewards(network, &mut self.circuit, pay)
        };
        let goal_gates = self.circuit.section();

        // Section 3: the moves that are made, the next state, the gains.
        let mut choices = Vec::new();
        for ((counted, draws), (chooser, some)) in
            counted.iter().zip(draws).zip(choosers.iter().zip(&some))
        {
            let first = self.circuit.wires;
            let number: Vec<Wire> = counted.digits().iter().map(|_| self.circuit.fresh()).collect();
            let chosen = counted.choose(&mut self.circuit, &number);
            for (place, wire) in chooser.places.iter().zip(chosen) {
                for &at in place {
                    self.does(at, wire, &turn, &moving, some.unwrap_or(yes));
                }
            }
            let number = first..first + number.len() as u32;
            choices.push(Choice { count: counted.digits().to_vec(), draws, number });
        }
        self.rest(&legal, &moving);
        self.circuit.nodes(later[..next_count].iter().copied());
        let mut gains = Vec::new();
        if pay.on_the_way {
            for gain in &network.gains {
                gains.push((gain.role, gain.value, self.circuit.edge(gain.when)));
            }
        }
        let next_gates = self.circuit.section();
        let mut written = vec![false; network.graph.inputs() + 1];
        for gate in &next_gates {
            if let Some(input) = written.get_mut(gate.out as usize) {
                *input = true;
            }
        }

        // Section 4: percepts.
        self.circuit.nodes(later[next_count..].iter().copied());
        let mut percepts = Vec::new();
        if contents.percepts {
            for sight in &network.percepts {
                percepts.push((sight.role, sight.percept, self.circuit.edge(sight.when)));
            }
        }
        let percept_gates = self.circuit.section();
        let weights = network.weights.iter();
        StepProgram {
            wires: self.circuit.wires,
            inputs: network.graph.inputs() as u32 + 1,
            legal_gates,
            goal_gates,
            next_gates,
            percept_gates,
            terminal,
            stuck,
            silent: network.silent.into(),
            legal,
            weights: weights.map(|part| (part.place, part.weight, part.when.into())).collect(),
            choices,
            made: network
                .inputs
                .iter()
                .map(|input| written[input.node().index()].then_some(input.node().0))
                .collect(),
            next: network.next.iter().map(|&edge| edge.into()).collect(),
            rewards: rewards
                .into_iter()
                .map(|(role, value, wire)| (Role(role as u8), value, wire))
                .collect(),
            gains,
            percepts,
        }
    }

    /// For every choice and draw, the lanes in which it uses the draw.
    fn draws(
        &mut self,
        choosers: &[Chooser],
        counted: &[Counted],
        legal: &[Wire],
    ) -> Vec<Vec<Wire>> {
        let mut masks: Vec<Vec<Wire>> = Vec::new();
        for index in 0..counted.len() {
            let Some(before) = masks.last().cloned() else {
                masks.push(vec![0]);
                continue;
            };
            let Some(two) = self.two(&choosers[index - 1], &counted[index - 1], legal) else {
                masks.push(before);
                continue;
            };
            let mut now = Vec::new();
            for draw in 0..=before.len() {
                let same = before.get(draw).map(|&m| self.circuit.two(Operation::AndNot, m, two));
                let after =
                    draw.checked_sub(1).map(|d| self.circuit.two(Operation::And, before[d], two));
                now.extend(match (same, after) {
                    (Some(a), Some(b)) => Some(self.circuit.two(Operation::Or, a, b)),
                    (one, other) => one.or(other),
                });
            }
            masks.push(now);
        }
        masks
    }

    /// The lanes in which a chooser has two or more legal moves; `None` if there are none.
    fn two(&mut self, chooser: &Chooser, counted: &Counted, legal: &[Wire]) -> Option<Wire> {
        let own = chooser.places.iter().flatten();
        let weighted = |&at: &MoveId| self.network.weights.iter().any(|weight| weight.place == at);
        if !own.clone().any(weighted) {
            // The number of legal moves has already been computed.
            return self.circuit.any(counted.digits().get(1..)?);
        }
        let (mut one, mut two): (Option<Wire>, Option<Wire>) = (None, None);
        for &at in own {
            let wire = legal[at.index()];
            let Some(before) = one else {
                one = Some(wire);
                continue;
            };
            let both = self.circuit.two(Operation::And, before, wire);
            two = Some(two.map_or(both, |two| self.circuit.two(Operation::Or, two, both)));
            one = Some(self.circuit.two(Operation::Or, before, wire));
        }
        two
    }

    /// For every role, whether it has a legal move.
    fn moving(&mut self, legal: &[Wire], some: &[Option<Wire>], turn: &[Wire]) -> Vec<Wire> {
        let no = |circuit: &mut Circuit<'_>| circuit.two(Operation::Nor, 0, 0);
        match self.turns.clone() {
            None => some.iter().map(|any| any.unwrap_or_else(|| no(&mut self.circuit))).collect(),
            Some(turns) => (0..turn.len())
                .map(|role| {
                    let mut any: Vec<Wire> =
                        turns.resting[role].iter().map(|&at| legal[at.index()]).collect();
                    if let Some(&Some(some)) = some.first()
                        && !turns.active[role].is_empty()
                    {
                        any.push(match turn[role] {
                            0 => some,
                            turn => self.circuit.two(Operation::And, turn, some),
                        });
                    }
                    let any = self.circuit.any(&any);
                    any.unwrap_or_else(|| no(&mut self.circuit))
                })
                .collect(),
        }
    }

    /// Whether a role has no legal move (any role, or all of them if roles may be idle), or a legal
    /// move of chance has no weight.
    fn stuck(&mut self, moving: &[Wire], legal: &[Wire]) -> Wire {
        let idling = self.network.idle.iter().any(Option::is_some);
        let all = if idling {
            self.circuit.any(moving).unwrap_or(0)
        } else {
            moving.iter().fold(0, |all, &one| self.circuit.two(Operation::And, all, one))
        };
        let all = match weightless(&mut self.circuit, self.network, legal) {
            Some(wrong) => self.circuit.two(Operation::AndNot, all, wrong),
            None => all,
        };
        self.circuit.two(Operation::Nor, all, all)
    }

    /// Writes the input of a move that a choice may have taken.
    fn does(&mut self, at: MoveId, chosen: Wire, turn: &[Wire], moving: &[Wire], some: Wire) {
        let input = self.network.inputs[at.index()].node().0;
        let role = self.role_of(at);
        let idling = self.network.idle[role].is_some();
        let passing = self.turns.as_ref().is_some_and(|turns| turns.passing[role]);
        // On another role's turn the chosen move belongs to that role; and if a role may be idle or
        // pass, it may have chosen nothing.
        let mut conditions = Vec::new();
        if let Some(&turn) = turn.get(role).filter(|&&turn| turn != 0) {
            conditions.push(turn);
        }
        if passing {
            conditions.push(some);
        } else if idling {
            conditions.push(moving[role]);
        }
        let [a, b] = match conditions[..] {
            [] => [chosen, chosen],
            [one] => [one, chosen],
            [one, two, ..] => [one, two],
        };
        let operation = if conditions.len() > 1 { Operation::And3 } else { Operation::And };
        self.circuit.write(operation, [a, b, chosen], input);
    }

    /// Writes the inputs of moves that roles make out of turn, and of idle roles.
    fn rest(&mut self, legal: &[Wire], moving: &[Wire]) {
        for at in self.turns.iter().flat_map(|turns| turns.resting.clone()).flatten() {
            let wire = legal[at.index()];
            let input = self.network.inputs[at.index()].node().0;
            self.circuit.write(Operation::And, [wire, wire, wire], input);
        }
        for (role, idle) in self.network.idle.iter().enumerate() {
            if let Some(input) = idle {
                let any = moving[role];
                self.circuit.write(Operation::Nor, [any, any, any], input.node().0);
            }
        }
    }
}
