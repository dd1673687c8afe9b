//! A network as tapes: what one sweep of a batch runs.

use magister_lanes::{BITS, Commit, Form, Operation, Tape, Width, planes_for};

use super::choice::Counted;
use super::ending::Ending;
use super::goals::{Goals, Pay, rewards};
use crate::circuit::{Circuit, Laid, Layout, Wire};
use crate::network::{Edge, Network, Turns};

/// The row of the constant.
pub(super) const YES: u32 = 0;

/// Where the fluents begin.
pub(super) const STATE: u32 = 1;

/// What one sweep runs, in this order: `legal`; `goals` if a playout has ended; the random planes
/// of every draw; `mix`; the choices; `next`; the ending.
#[derive(Debug)]
pub(super) struct BatchProgram {
    /// The number of rows.
    pub(super) rows: usize,
    /// Legal moves, their number, the end.
    pub(super) legal: Tape,
    /// The goals, where the state is terminal.
    pub(super) goals: Tape,
    /// The upper planes that choices look at, from this one on, if those are enough.
    pub(super) from: usize,
    /// Which draw each role uses, where that differs from lane to lane: the upper planes, and the
    /// others.
    pub(super) mix: Tape,
    pub(super) mix_rest: Tape,
    /// The chosen moves and the next state.
    pub(super) next: Tape,
    pub(super) ending: Ending,
    /// Whether the state is terminal.
    pub(super) terminal: u32,
    /// Whether a role can not move that should.
    pub(super) stuck: u32,
    /// Where playouts end: written from outside.
    pub(super) restart: u32,
    /// Where the planes of each draw begin.
    pub(super) draws: Vec<u32>,
    pub(super) choices: Vec<Choice>,
    /// If the choices from the upper planes are part of `mix`, the lanes in which they are not
    /// enough.
    pub(super) unsure: Option<u32>,
    /// Rewards: the role, the value, and the row of the lanes in which it is paid. Of those of a
    /// role at most one is. Where goals are computed apart, the rows are theirs.
    pub(super) rewards: Vec<(usize, f64, u32)>,
    /// The rows of the rewards, and that of the constant: what is counted at the end.
    pub(super) paid: Vec<u32>,
}

/// A random choice.
#[derive(Debug)]
pub(super) struct Choice {
    /// The rows of the number of legal moves, the lowest digit first.
    pub(super) count: Vec<u32>,
    /// Where the random number begins.
    pub(super) random: u32,
    /// Where the chosen number begins.
    pub(super) number: u32,
}

/// A choice under construction: for every place of its list, the moves that may be there.
struct Chooser {
    places: Vec<Vec<u32>>,
}

impl BatchProgram {
    /// The tapes of a network that pays so, in whose states turns are taken like that, and whose
    /// goals may be computed apart. With `moves`, the rows of the moves that are made are there
    /// after each sweep, at the places of the network's inputs.
    pub(super) fn new(
        network: &Network,
        turns: Option<Turns>,
        pay: &Pay<'_>,
        apart: Option<&Goals>,
        moves: bool,
        form: Form,
    ) -> Self {
        Builder::new(network, turns).build(pay, apart, moves, form)
    }

    /// Whether it runs as code, if there is code at all.
    pub(super) fn has_code(&self) -> bool {
        let tapes = [&self.legal, &self.goals, &self.mix, &self.mix_rest, &self.next];
        tapes.iter().all(|tape| tape.is_empty() || tape.has_code(Width::best()))
    }
}

pub(super) struct Builder<'a> {
    pub(super) network: &'a Network,
    turns: Option<Turns>,
    pub(super) circuit: Circuit<'a>,
    /// Wires that have rows of their own because they are written from outside.
    fixed: Vec<Wire>,
}

impl<'a> Builder<'a> {
    fn new(network: &'a Network, turns: Option<Turns>) -> Self {
        Self { network, turns, circuit: Circuit::new(&network.graph), fixed: Vec::new() }
    }

    fn role_of(&self, at: u32) -> usize {
        self.network.moves[at as usize].0 as usize
    }

    /// Wires that have rows of their own, one after the other.
    pub(super) fn fixed(&mut self, count: usize) -> Wire {
        let first = self.circuit.wires;
        for _ in 0..count {
            let wire = self.circuit.fresh();
            self.fixed.push(wire);
        }
        first
    }

    /// The choices to make: one for all roles where they take turns, otherwise one for each.
    fn choosers(&self) -> Vec<Chooser> {
        let roles = self.network.idle.len();
        let lists: Vec<Vec<u32>> = match &self.turns {
            Some(turns) => turns.active.clone(),
            None => (0..roles)
                .map(|role| {
                    let all = 0..self.network.moves.len() as u32;
                    all.filter(|&at| self.role_of(at) == role).collect()
                })
                .collect(),
        };
        if self.turns.is_none() {
            let single = |list: Vec<u32>| list.into_iter().map(|at| vec![at]).collect();
            return lists.into_iter().map(|list| Chooser { places: single(list) }).collect();
        }
        let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
        let place = |at: usize| lists.iter().filter_map(|list| list.get(at).copied()).collect();
        let places: Vec<Vec<u32>> = (0..longest).map(place).collect();
        if places.is_empty() { Vec::new() } else { vec![Chooser { places }] }
    }

    fn build(
        mut self,
        pay: &Pay<'_>,
        apart: Option<&Goals>,
        moves: bool,
        form: Form,
    ) -> BatchProgram {
        let network = self.network;
        let yes = YES;
        let restart = self.fixed(1);
        // Before all that differs from side to side, so that they have the same rows in all.
        let starts = (form != Form::Runs).then(|| self.fixed(network.next.len()));
        // Section 1: legal moves and the end. What goals share with the next state must be there
        // by then, because goals are computed in between.
        let mut first: Vec<Edge> = network.legal.clone();
        first.push(network.terminal);
        let mut goal_edges: Vec<Edge> = network.goals.iter().map(|&(.., e)| e).collect();
        if apart.is_some() {
            goal_edges.clear();
        }
        let of_next = network.graph.reachable(network.next.iter().copied());
        let of_goals = network.graph.reachable(goal_edges.iter().copied());
        first.extend(
            of_goals.into_iter().filter(|n| of_next.binary_search(n).is_ok()).map(Edge::of),
        );
        self.circuit.nodes(first);
        let terminal = self.circuit.edge(network.terminal);
        let legal: Vec<Wire> =
            network.legal.clone().into_iter().map(|e| self.circuit.edge(e)).collect();
        let choosers = self.choosers();
        let counted: Vec<Counted> = choosers
            .iter()
            .map(|chooser| {
                let merged: Vec<Wire> = chooser
                    .places
                    .iter()
                    .map(|place| {
                        let wires: Vec<Wire> = place.iter().map(|&at| legal[at as usize]).collect();
                        self.circuit.any(&wires).unwrap_or(yes)
                    })
                    .collect();
                Counted::new(&mut self.circuit, &merged)
            })
            .collect();
        let some: Vec<Option<Wire>> =
            counted.iter().map(|c| self.circuit.any(c.digits())).collect();
        let turn: Vec<Wire> = match self.turns.clone() {
            Some(turns) => turns.turn.iter().map(|&e| self.circuit.edge(e)).collect(),
            None => Vec::new(),
        };
        let moving = self.moving(&legal, &some, &turn);
        let stuck = self.stuck(&moving);
        let (draws, random, masks) = self.draws(&counted);
        let section_legal = self.circuit.section();

        // Section 2: goals.
        self.circuit.nodes(goal_edges.iter().copied());
        let rewards = match apart {
            Some(_) => Vec::new(),
            None => rewards(network, &mut self.circuit, pay),
        };
        let section_goals = self.circuit.section();

        // Section 3: which random numbers each choice takes.
        let most = counted.iter().map(|c| planes_for(c.digits().len())).max();
        let from = BITS - most.unwrap_or(BITS);
        self.mix(&draws, &random, &masks, from..BITS);
        let numbers: Vec<Wire> = counted.iter().map(|c| self.fixed(c.digits().len())).collect();
        let unsure = (form != Form::Runs).then(|| self.scale(&counted, &random, &numbers, from));
        let section_mix = self.circuit.section();
        self.mix(&draws, &random, &masks, 0..from);
        let section_rest = self.circuit.section();

        // Section 4: the moves that are made, and the next state.
        for (index, (chooser, counted)) in choosers.iter().zip(&counted).enumerate() {
            let digits = counted.digits().len() as u32;
            let number: Vec<Wire> = (numbers[index]..numbers[index] + digits).collect();
            let chosen = counted.choose(&mut self.circuit, &number);
            for (place, wire) in chooser.places.iter().zip(chosen) {
                for &at in place {
                    let some = some[index].unwrap_or(yes);
                    self.does(at, wire, &turn, &moving, some);
                }
            }
        }
        self.rest(&legal, &moving);
        self.circuit.nodes(network.next.iter().copied());
        let next: Vec<(Wire, bool)> = network.next.iter().map(|&e| self.next(e)).collect();
        let mut kept = vec![terminal, stuck];
        kept.extend(unsure);
        let after: Vec<Wire> = match starts {
            None => next.iter().map(|&(wire, _)| wire).collect(),
            Some(starts) => (starts..)
                .zip(&next)
                .map(|(start, next)| self.commit(*next, restart, start))
                .collect(),
        };
        let section_next = self.circuit.section();

        // Rows.
        kept.extend(&self.fixed);
        kept.extend(rewards.iter().map(|&(.., wire)| wire));
        kept.extend(counted.iter().flat_map(Counted::digits));
        if moves {
            kept.extend(network.inputs.iter().map(|input| input + 1));
        }
        if starts.is_none() {
            kept.extend(&after);
        }
        let layout = Layout {
            form,
            widths: Width::useful(),
            wires: self.circuit.wires as usize,
            inputs: network.graph.inputs() as u32 + 1,
            fixed: &self.fixed,
            kept,
            after: starts.map(|_| after.as_slice()),
        };
        let sections = [section_legal, section_goals, section_mix, section_rest, section_next];
        let Laid { tapes, row, rows: count, .. } = layout.lay(sections.into());
        let at = |wire: Wire| row[wire as usize];
        let mut tapes = tapes.into_iter();
        let [legal, goals, mix, mix_rest, next_tape] =
            std::array::from_fn(|_| tapes.next().unwrap_or_else(|| Tape::new(&[], 0)));
        let rewards: Vec<(usize, f64, u32)> = match apart {
            Some(apart) => apart.rewards.clone(),
            None => rewards.iter().map(|&(role, value, wire)| (role, value, at(wire))).collect(),
        };
        let paid = rewards.iter().map(|&(.., row)| row).chain([yes]).collect();
        BatchProgram {
            rows: count,
            legal,
            goals,
            from,
            mix,
            mix_rest,
            next: next_tape,
            ending: match starts {
                Some(starts) => Ending::Tape { starts: at(starts) },
                None => Ending::Commit(Commit::new(
                    next.iter()
                        .enumerate()
                        .map(|(fluent, &(wire, negated))| (fluent as u32 + 1, at(wire), negated)),
                )),
            },
            terminal: at(terminal),
            stuck: at(stuck),
            restart: at(restart),
            draws: draws.iter().map(|&wire| at(wire)).collect(),
            choices: (0..counted.len())
                .map(|index| Choice {
                    count: counted[index].digits().iter().map(|&wire| at(wire)).collect(),
                    random: at(random[index]),
                    number: at(numbers[index]),
                })
                .collect(),
            unsure: unsure.map(at),
            rewards,
            paid,
        }
    }

    /// For every role whether it has a legal move.
    fn moving(&mut self, legal: &[Wire], some: &[Option<Wire>], turn: &[Wire]) -> Vec<Wire> {
        let no = |circuit: &mut Circuit<'_>| circuit.two(Operation::Nor, 0, 0);
        match self.turns.clone() {
            None => some.iter().map(|any| any.unwrap_or_else(|| no(&mut self.circuit))).collect(),
            Some(turns) => (0..turn.len())
                .map(|role| {
                    let mut any: Vec<Wire> =
                        turns.resting[role].iter().map(|&at| legal[at as usize]).collect();
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

    /// Whether somebody should move and can not: any role, or where roles may idle all of them.
    fn stuck(&mut self, moving: &[Wire]) -> Wire {
        let idling = self.network.idle.iter().any(Option::is_some);
        let all = if idling {
            self.circuit.any(moving).unwrap_or(0)
        } else {
            moving.iter().fold(0, |all, &one| self.circuit.two(Operation::And, all, one))
        };
        self.circuit.two(Operation::Nor, all, all)
    }

    /// Writes the input of a move that a choice may have taken.
    fn does(&mut self, at: u32, chosen: Wire, turn: &[Wire], moving: &[Wire], some: Wire) {
        let input = self.network.inputs[at as usize] + 1;
        let role = self.role_of(at);
        let idling = self.network.idle[role].is_some();
        let passing = self.turns.as_ref().is_some_and(|turns| turns.passing[role]);
        // In a turn of another the move that was chosen is the other's; and where a role may idle
        // or have to pass, nothing may have been chosen at all.
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

    /// Writes the inputs of moves that roles make out of their turn, and of roles that idle.
    fn rest(&mut self, legal: &[Wire], moving: &[Wire]) {
        for at in self.turns.iter().flat_map(|turns| turns.resting.clone()).flatten() {
            let wire = legal[at as usize];
            let input = self.network.inputs[at as usize] + 1;
            self.circuit.write(Operation::And, [wire, wire, wire], input);
        }
        for (role, idle) in self.network.idle.iter().enumerate() {
            if let Some(input) = idle {
                let any = moving[role];
                self.circuit.write(Operation::Nor, [any, any, any], input + 1);
            }
        }
    }
}
