//! Code for single moves. If only one role has a choice, the next state after each of its moves is
//! a function of the state alone, and much smaller than the general function.

use magister_lanes::{Operation, Tape, TapeForm};

use super::super::places::Places;
use super::WIDTH;
use crate::circuit::{Circuit, Laid, Layout, Wire};
use crate::network::{Cofactors, Edge, FluentId, Graph, InputId, Network};

/// The maximum number of moves with their own code.
const MOST_MOVES: usize = 400;

/// The maximum total number of gate inputs in code for single moves, so that generating it takes
/// milliseconds.
const MOST_GATES: usize = 60_000;

/// Marks a move without its own code.
const NONE: u32 = u32::MAX;

/// Overwrites the state with the next state, move by move.
#[derive(Debug)]
pub(super) struct Singles {
    /// The role that has a choice.
    chooser: usize,
    /// For every input, the tape of its move.
    places: Box<[u32]>,
    tapes: Vec<Tape>,
}

impl Singles {
    /// The code and the number of its rows. `None` if several roles have a choice, or if the code
    /// would not pay off.
    pub(super) fn new(network: &Network, places: &Places) -> Option<(Self, usize)> {
        let (chooser, mut moves) = choice(network, places)?;
        let (from, to) = places.ranges[chooser];
        let open: Vec<usize> = (from..to).filter(|&at| network.legal[at] != Edge::FALSE).collect();
        if open.is_empty() || open.len() > MOST_MOVES {
            return None;
        }
        let mut cofactors = Cofactors::new(network);
        let mut places = vec![NONE; network.graph.inputs()];
        let mut gates = 0;
        let mut laid = Vec::new();
        for (tape, &at) in open.iter().enumerate() {
            moves[chooser] = network.inputs[at];
            let (graph, changes) = cofactors.after(&moves);
            gates += graph.edges() + changes.len();
            if gates > MOST_GATES {
                return None;
            }
            places[network.inputs[at].index()] = tape as u32;
            let wanted: Vec<u32> = changes.iter().map(|&(fluent, _)| fluent.node().0).collect();
            laid.push((lay(&graph, &changes, network.fluents()), wanted));
        }
        let rows = laid.iter().map(|(laid, _)| laid.rows).max().unwrap_or(0);
        let (mut tapes, wanted): (Vec<Tape>, Vec<Vec<u32>>) = laid
            .into_iter()
            .filter_map(|(mut laid, wanted)| Some((laid.tapes.pop()?, wanted)))
            .unzip();
        let mut all: Vec<(&mut Tape, &[u32])> =
            tapes.iter_mut().zip(&wanted).map(|(tape, wanted)| (tape, &wanted[..])).collect();
        let made = Tape::compile_all(&mut all, WIDTH);
        made.then_some((Self { chooser, places: places.into(), tapes }, rows))
    }

    /// The code for the moves of all roles, given by their inputs.
    #[inline]
    pub(super) fn of(&self, inputs: &[InputId]) -> Option<&Tape> {
        let place = *self.places.get(inputs.get(self.chooser)?.index())?;
        self.tapes.get(place as usize)
    }
}

/// The only role with a choice, and the inputs that are always true.
fn choice(network: &Network, places: &Places) -> Option<(usize, Vec<InputId>)> {
    let mut chooser = None;
    let mut moves = Vec::new();
    for (role, &(from, to)) in places.ranges.iter().enumerate() {
        let mut open = (from..to).filter(|&at| network.legal[at] != Edge::FALSE);
        moves.push(match (open.next(), open.next(), network.idle[role]) {
            (Some(only), None, None) => network.inputs[only],
            (None, None, Some(idle)) => idle,
            _ if chooser.is_some() => return None,
            _ => {
                chooser = Some(role);
                InputId(0)
            }
        });
    }
    Some((chooser?, moves))
}

/// One tape that writes the changes to the fluents.
fn lay(graph: &Graph, changes: &[(FluentId, Edge)], fluents: usize) -> Laid {
    let mut circuit = Circuit::new(graph);
    circuit.nodes(changes.iter().map(|&(_, edge)| edge));
    let mut after: Vec<Wire> = (1..=fluents as u32).collect();
    for &(fluent, edge) in changes {
        let operation = if edge.negated() { Operation::Nor } else { Operation::And };
        after[fluent.index()] = circuit.two(operation, edge.node().0, edge.node().0);
    }
    let gates = circuit.section();
    let layout = Layout {
        form: TapeForm::best(WIDTH),
        // Code is generated for all moves together.
        widths: &[],
        wires: circuit.wires as usize,
        inputs: graph.inputs() as u32 + 1,
        fixed: &[],
        kept: Vec::new(),
        after: Some(&after),
    };
    layout.lay(vec![gates])
}
