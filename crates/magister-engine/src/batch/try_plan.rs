//! The tapes of one step of a network in all lanes, with a given move of one role and drawn moves
//! of the others.

use magister_core::{Move, Role};
use magister_lanes::{BITS, Operation, Tape, TapeForm, Width, planes_for};

use super::check::possible;
use super::choice::{Counted, Leaf, weightless};
use crate::circuit::{Circuit, Laid, Layout, Wire};
use crate::network::{Edge, MoveId, Network};

/// The tapes for a role, in execution order: `legal`; for every choice its random planes and its
/// number; `next`; and `after` on the resulting states.
#[derive(Debug)]
pub(crate) struct TryPlan {
    pub(super) role: usize,
    pub(super) rows: usize,
    /// Legal moves, their number, terminal states.
    pub(super) legal: Tape,
    /// The moves that are made, the next state, the percepts of the role.
    pub(super) next: Tape,
    /// The lanes whose states satisfy the invariants; then terminal lanes, and lanes in which a
    /// role has no legal move.
    pub(super) possible: u32,
    pub(super) terminal: u32,
    pub(super) stuck: u32,
    /// The role's own moves, their inputs, and the lanes in which they are legal.
    pub(super) own: Vec<Own>,
    /// The first random plane of a choice.
    pub(super) random: u32,
    pub(super) choices: Vec<TryChoice>,
    /// For each other role, its moves and the rows of the lanes in which they are made.
    pub(super) made: Vec<Vec<(Move, u32)>>,
    /// The percepts of the role in order of their numbers, with their lanes.
    pub(super) percepts: Vec<(u32, u32)>,
    /// The next value of each fluent.
    pub(super) fluents: Vec<u32>,
    pub(super) after: After,
}

/// A move of the role.
#[derive(Clone, Copy, Debug)]
pub(super) struct Own {
    pub(super) choice: Move,
    /// Its input row.
    pub(super) input: u32,
    /// The row of the lanes in which it is legal.
    pub(super) legal: u32,
}

/// The choice of another role that has more than one move.
#[derive(Debug)]
pub(super) struct TryChoice {
    pub(super) role: u8,
    /// The rows of the number of legal moves, the lowest digit first.
    pub(super) count: Vec<u32>,
    /// The start of the chosen number.
    pub(super) number: u32,
    /// The first of the upper planes, which are tried first.
    pub(super) from: usize,
}

/// The check of a resulting state. The fluents follow the constant.
#[derive(Debug)]
pub(super) struct After {
    pub(super) rows: usize,
    pub(super) tape: Tape,
    pub(super) terminal: u32,
    pub(super) stuck: u32,
}

impl TryPlan {
    /// The plan of a network for a role, in a game that may have hidden information.
    pub(crate) fn new(network: &Network, role: usize, hidden: bool) -> Option<Self> {
        let form = TapeForm::best(Width::best());
        // The gate order that suits machine code is slow without machine code.
        Self::in_form(network, role, hidden, form)
            .or_else(|| Self::in_form(network, role, hidden, TapeForm::Runs))
    }

    /// The plan in a given form; `None` if the form is machine code and cannot be generated.
    fn in_form(network: &Network, role: usize, hidden: bool, form: TapeForm) -> Option<Self> {
        let after = After::new(network, form)?;
        let mut builder = Builder::new(network);
        let random = builder.fixed(BITS);

        // Section 1: legal moves, their number, and the end.
        let start = Playable::new(&mut builder.circuit, network);
        let allowed = possible(&mut builder.circuit, network);
        let moves = |whose: usize| -> Vec<usize> { network.places(Role(whose as u8)).collect() };
        let others: Vec<(usize, Vec<usize>)> = (0..network.roles())
            .filter(|&whose| whose != role)
            .map(|whose| (whose, moves(whose)))
            .filter(|(_, moves)| !moves.is_empty())
            .collect();
        let counted: Vec<Counted> = others
            .iter()
            .map(|(_, moves)| {
                let circuit = &mut builder.circuit;
                let leaf =
                    |&at: &usize| Leaf::of(circuit, network, MoveId::new(at), start.legal[at]);
                let leaves: Vec<Leaf> = moves.iter().map(leaf).collect();
                Counted::new(&mut builder.circuit, &leaves)
            })
            .collect();
        let idle = network.idle[role].map(|input| {
            let any = start.moving[role];
            (input.node().0, builder.circuit.two(Operation::Nor, any, any))
        });
        let legal_section = builder.circuit.section();

        // Section 2: the moves that are made, and their results.
        let chosen: Vec<Wire> = counted.iter().map(|c| builder.fixed(c.digits().len())).collect();
        for (((whose, moves), counted), &first) in others.iter().zip(&counted).zip(&chosen) {
            let number: Vec<Wire> = (first..first + counted.digits().len() as u32).collect();
            let wires = counted.choose(&mut builder.circuit, &number);
            for (&at, wire) in moves.iter().zip(wires) {
                // If a role may be idle, it may have chosen nothing.
                let some = if network.idle[*whose].is_some() { start.moving[*whose] } else { wire };
                let input = network.inputs[at].node().0;
                builder.circuit.write(Operation::And, [wire, some, wire], input);
            }
        }
        for (whose, input) in network.idle.iter().enumerate().filter(|&(whose, _)| whose != role) {
            if let Some(input) = input {
                let any = start.moving[whose];
                builder.circuit.write(Operation::Nor, [any; 3], input.node().0);
            }
        }
        let circuit = &mut builder.circuit;
        let seen = if hidden { grouped(network, role) } else { Vec::new() };
        circuit.nodes(network.next.iter().chain(seen.iter().flat_map(|(_, e)| e)).copied());
        let fluents: Vec<Wire> = network.next.iter().map(|&e| circuit.edge(e)).collect();
        let percepts: Vec<(u32, Wire)> = seen
            .iter()
            .map(|(number, edges)| {
                let wires: Vec<Wire> = edges.iter().map(|&e| circuit.edge(e)).collect();
                (*number, circuit.any(&wires).unwrap_or(0))
            })
            .collect();
        let next_section = circuit.section();

        let mut kept = vec![start.terminal, start.stuck, allowed];
        kept.extend(moves(role).iter().map(|&at| start.legal[at]));
        kept.extend(idle.map(|(_, wire)| wire));
        kept.extend(counted.iter().flat_map(Counted::digits));
        kept.extend(network.inputs.iter().chain(network.idle.iter().flatten()).map(|n| n.node().0));
        kept.extend(&fluents);
        kept.extend(percepts.iter().map(|&(_, wire)| wire));
        kept.extend(&builder.fixed);
        let laid = builder.lay(form, kept, vec![legal_section, next_section])?;
        let at = |wire: Wire| laid.row[wire as usize];
        let named = |at: usize| network.moves[at].1;
        let mut own: Vec<Own> = moves(role)
            .into_iter()
            .map(|place| Own {
                choice: named(place),
                input: network.inputs[place].node().0,
                legal: at(start.legal[place]),
            })
            .collect();
        own.extend(idle.map(|(input, wire)| Own { choice: Move::IDLE, input, legal: at(wire) }));
        let mut made = vec![Vec::new(); network.roles()];
        for (whose, moves) in &others {
            made[*whose] =
                moves.iter().map(|&place| (named(place), network.inputs[place].node().0)).collect();
        }
        let choices = others
            .iter()
            .zip(&counted)
            .zip(&chosen)
            .filter(|((_, counted), _)| counted.digits().len() > 1)
            .map(|(((whose, _), counted), &number)| TryChoice {
                role: *whose as u8,
                count: counted.digits().iter().map(|&wire| at(wire)).collect(),
                number: at(number),
                from: BITS - planes_for(counted.digits().len()),
            })
            .collect();
        let (possible, terminal, stuck) = (at(allowed), at(start.terminal), at(start.stuck));
        let percepts = percepts.into_iter().map(|(number, wire)| (number, at(wire))).collect();
        let fluents = fluents.into_iter().map(at).collect();
        let random = at(random);
        let rows = laid.rows;
        let mut tapes = laid.tapes.into_iter();
        let (legal, next) = (tapes.next()?, tapes.next()?);
        Some(Self {
            role,
            rows,
            legal,
            next,
            possible,
            terminal,
            stuck,
            own,
            random,
            choices,
            made,
            percepts,
            fluents,
            after,
        })
    }
}

/// The percepts of a role by number, and their conditions.
fn grouped(network: &Network, role: usize) -> Vec<(u32, Vec<Edge>)> {
    let mut all: Vec<(u32, Edge)> = network
        .percepts
        .iter()
        .filter(|sight| sight.role.index() == role)
        .map(|sight| (sight.percept.0, sight.when))
        .collect();
    all.sort_by_key(|&(number, _)| number);
    let same = all.chunk_by(|(one, _), (other, _)| one == other);
    same.map(|same| (same[0].0, same.iter().map(|&(_, edge)| edge).collect())).collect()
}

struct Builder<'a> {
    network: &'a Network,
    circuit: Circuit<'a>,
    /// Wires that have their own rows because they are written from outside.
    fixed: Vec<Wire>,
}

impl<'a> Builder<'a> {
    fn new(network: &'a Network) -> Self {
        Self { network, circuit: Circuit::new(&network.graph), fixed: Vec::new() }
    }

    /// Consecutive wires with their own rows.
    fn fixed(&mut self, count: usize) -> Wire {
        let first = self.circuit.wires;
        for _ in 0..count {
            let wire = self.circuit.fresh();
            self.fixed.push(wire);
        }
        first
    }

    fn lay(
        &self,
        form: TapeForm,
        kept: Vec<Wire>,
        sections: Vec<Vec<magister_lanes::Gate>>,
    ) -> Option<Laid> {
        let layout = Layout {
            form,
            widths: &[Width::best()],
            wires: self.circuit.wires as usize,
            inputs: self.network.graph.inputs() as u32 + 1,
            fixed: &self.fixed,
            kept,
            after: None,
        };
        Some(layout.lay(sections)).filter(|laid| form == TapeForm::Runs || laid.compiled)
    }
}

/// Whether a state is terminal, and whether the roles can move in it.
struct Playable {
    legal: Vec<Wire>,
    terminal: Wire,
    /// For every role, whether it has a legal move.
    moving: Vec<Wire>,
    /// Whether a role has no legal move: any role, or all of them if roles may be idle.
    stuck: Wire,
}

impl Playable {
    fn new(circuit: &mut Circuit<'_>, network: &Network) -> Self {
        let weights = network.weights.iter().map(|weight| weight.when);
        circuit.nodes(network.legal.iter().copied().chain([network.terminal]).chain(weights));
        let terminal = circuit.edge(network.terminal);
        let legal: Vec<Wire> = network.legal.iter().map(|&e| circuit.edge(e)).collect();
        let moving: Vec<Wire> = (0..network.roles())
            .map(|role| {
                let own = &legal[network.places(Role(role as u8))];
                circuit.any(own).unwrap_or_else(|| circuit.two(Operation::Nor, 0, 0))
            })
            .collect();
        let all = if network.idle.iter().any(Option::is_some) {
            circuit.any(&moving).unwrap_or(0)
        } else {
            moving.iter().fold(0, |all, &one| circuit.two(Operation::And, all, one))
        };
        let all = match weightless(circuit, network, &legal) {
            Some(wrong) => circuit.two(Operation::AndNot, all, wrong),
            None => all,
        };
        let stuck = circuit.three(Operation::Nor3, all, terminal, all);
        Self { legal, terminal, moving, stuck }
    }
}

impl After {
    fn new(network: &Network, form: TapeForm) -> Option<Self> {
        let mut builder = Builder::new(network);
        let state = Playable::new(&mut builder.circuit, network);
        let gates = builder.circuit.section();
        let laid = builder.lay(form, vec![state.terminal, state.stuck], vec![gates])?;
        let at = |wire: Wire| laid.row[wire as usize];
        let (terminal, stuck, rows) = (at(state.terminal), at(state.stuck), laid.rows);
        Some(Self { rows, tape: laid.tapes.into_iter().next()?, terminal, stuck })
    }
}
