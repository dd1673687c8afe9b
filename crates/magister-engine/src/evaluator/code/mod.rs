//! Runs the network as machine code, one game at a time: everything is recomputed in every state.

mod singles;
mod walk;

use std::sync::Arc;

use magister_lanes::{Operation, Tape, TapeForm, Width, Wires};

use self::singles::Singles;
pub(super) use self::walk::walks_alike;
use super::machine::{Lists, Machine};
use super::places::Places;
use super::tape::Outputs;
use crate::circuit::{Circuit, Laid, Layout, Wire};
use crate::network::{Edge, FluentId, Graph, InputId, Network, NodeId};

/// All lanes of a row contain the same game.
const WIDTH: Width = Width::W128;
type Row = [u64; 2];
const TRUE: Row = [!0; 2];

/// The code of a network: for all states, and for those in which each role has its turn.
#[derive(Debug)]
pub(super) struct Codes {
    /// The first part is for all states.
    parts: Vec<Part>,
    per_player: Vec<Turn>,
    rows: usize,
}

/// The code for some states.
#[derive(Debug)]
struct Part {
    legal: Tape,
    goals: Tape,
    percepts: Tape,
    /// Overwrites the state with the next state.
    next: Tape,
    outputs: Outputs,
    /// The same as `next`, specialised for single moves.
    singles: Option<Singles>,
}

/// The states in which a role has its turn, and the assumptions about them.
#[derive(Debug)]
struct Turn {
    when: Edge,
    known: Tape,
    answer: Edge,
}

impl Codes {
    /// `None` if the machine or the system does not allow it.
    pub(super) fn new(network: &Network, places: &Places) -> Option<Self> {
        if TapeForm::best(WIDTH) == TapeForm::Runs {
            return None;
        }
        let mut all = 0;
        let mut parts = Vec::new();
        for network in std::iter::once(network).chain(network.per_player.iter().map(|s| &s.network))
        {
            let (part, rows) = Part::new(network, places)?;
            all = all.max(rows);
            parts.push(part);
        }
        let mut per_player = Vec::new();
        for side in &network.per_player {
            let (graph, known) = &side.known;
            let (known, answer, rows) = question(graph, *known)?;
            all = all.max(rows);
            per_player.push(Turn { when: side.turn, known, answer });
        }
        Some(Self { parts, per_player, rows: all })
    }

    /// The part for the state on the wires: that of a role if only this role has its turn.
    #[inline]
    fn side(&self, rows: &[Row]) -> usize {
        let mut found = 0;
        for (at, side) in self.per_player.iter().enumerate() {
            if read(rows, side.when) {
                if found > 0 {
                    return 0;
                }
                found = at + 1;
            }
        }
        found
    }
}

impl Part {
    /// The part, and the number of its rows.
    fn new(network: &Network, places: &Places) -> Option<(Self, usize)> {
        let mut circuit = Circuit::new(&network.graph);
        let outputs = Outputs::new(network, places);
        let mut sections: Vec<_> = network
            .sections()
            .into_iter()
            .map(|edges| {
                circuit.nodes(edges);
                circuit.section()
            })
            .collect();
        let own = network.graph.inputs() as u32;
        let after: Vec<Wire> = (0..)
            .zip(&network.next)
            .map(|(fluent, &edge)| {
                let node = FluentId(fluent).node();
                if edge == Edge::of(node) {
                    return node.0;
                }
                let operation = if edge.negated() { Operation::Nor } else { Operation::And };
                circuit.two(operation, edge.node().0, edge.node().0)
            })
            .collect();
        if let Some(next) = sections.last_mut() {
            next.extend(circuit.section());
        }
        let kept = outputs.edges().map(|edge| edge.node().0).filter(|&node| node > own).collect();
        let layout = Layout {
            form: TapeForm::best(WIDTH),
            widths: &[WIDTH],
            wires: circuit.wires as usize,
            inputs: own + 1,
            fixed: &[],
            kept,
            after: Some(&after),
        };
        let Laid { tapes, row, rows, compiled } = layout.lay(sections);
        let Ok([legal, goals, percepts, next]) = <[Tape; 4]>::try_from(tapes) else { return None };
        let outputs = outputs.renamed(|node| row[node as usize]);
        let singles = Singles::new(network, places);
        let most = singles.as_ref().map_or(rows, |(_, own)| rows.max(*own));
        let singles = singles.map(|(singles, _)| singles);
        compiled.then_some((Self { legal, goals, percepts, next, outputs, singles }, most))
    }

    /// The specialised code for these moves, if there is any.
    #[inline]
    fn single(&self, inputs: &[InputId]) -> Option<&Tape> {
        self.singles.as_ref()?.of(inputs)
    }
}

/// A question about a state: its code, its result, and the number of rows.
fn question(graph: &Graph, answer: Edge) -> Option<(Tape, Edge, usize)> {
    let mut circuit = Circuit::new(graph);
    circuit.nodes([answer]);
    let gates = circuit.section();
    let own = graph.inputs() as u32;
    let kept = if answer.node().0 > own { vec![answer.node().0] } else { Vec::new() };
    let wires = circuit.wires as usize;
    let layout = Layout {
        form: TapeForm::best(WIDTH),
        widths: &[WIDTH],
        wires,
        inputs: own + 1,
        fixed: &[],
        kept,
        after: None,
    };
    let Laid { mut tapes, row, rows, compiled } = layout.lay(vec![gates]);
    let place = Edge::of(NodeId(row[answer.node().index()]));
    let place = if answer.negated() { !place } else { place };
    Some((tapes.pop().filter(|_| compiled)?, place, rows))
}

#[inline]
fn read(rows: &[Row], edge: Edge) -> bool {
    // All bits of a row are the same. The exclusive or leaves no comparison in the lists of moves.
    (rows[edge.node().index()][0] ^ u64::from(edge.negated())) & 1 != 0
}

/// One game.
#[derive(Clone, Debug)]
pub(super) struct Emitted {
    codes: Arc<Codes>,
    wires: Wires,
    fluents: usize,
    /// The index of the part for the state.
    at: usize,
    /// Whether the state was reached from a state that violates the assumptions of the per-player
    /// networks.
    strange: bool,
    perceiving: bool,
    goals_known: bool,
}

impl Emitted {
    pub(super) fn new(network: &Network, codes: Arc<Codes>) -> Self {
        let mut wires = Wires::new(WIDTH, codes.rows);
        wires.rows_mut()[0] = TRUE;
        Self {
            codes,
            wires,
            fluents: network.fluents(),
            at: 0,
            strange: false,
            perceiving: network.of_steps().next().is_some(),
            goals_known: false,
        }
    }

    #[inline]
    fn enter(&mut self) {
        self.goals_known = false;
        self.at = if self.strange { 0 } else { self.codes.side(self.wires.rows()) };
        self.codes.parts[self.at].legal.run(&mut self.wires);
    }

    #[inline]
    fn outputs(&self) -> &Outputs {
        &self.codes.parts[self.at].outputs
    }

    fn switch(&mut self, inputs: &[InputId], to: Row) {
        let rows: &mut [Row] = self.wires.rows_mut();
        inputs.iter().for_each(|&input| rows[input.node().index()] = to);
    }
}

impl Machine for Emitted {
    fn load(&mut self, state: &[u64]) {
        let rows: &mut [Row] = self.wires.rows_mut();
        for (word, rows) in state.iter().zip(rows[1..=self.fluents].chunks_mut(64)) {
            let bit = |at: usize| (word >> at & 1).wrapping_neg();
            rows.iter_mut().enumerate().for_each(|(at, row)| *row = [bit(at); 2]);
        }
        self.strange = false;
        for side in &self.codes.per_player {
            if read(self.wires.rows(), side.when) {
                side.known.run(&mut self.wires);
                self.strange |= !read(self.wires.rows(), side.answer);
            }
        }
        self.enter();
    }

    fn save(&self, state: &mut [u64]) {
        let rows: &[Row] = self.wires.rows();
        for (word, rows) in state.iter_mut().zip(rows[1..=self.fluents].chunks(64)) {
            *word = rows.iter().enumerate().fold(0, |bits, (at, row)| bits | (row[0] & 1) << at);
        }
    }

    fn terminal(&self) -> bool {
        read(self.wires.rows(), self.outputs().terminal)
    }

    #[inline]
    fn legal(&self, lists: &mut Lists) {
        let rows = self.wires.rows();
        self.outputs().list(lists, |edge| read(rows, edge));
    }

    fn is_legal(&self, number: usize) -> bool {
        read(self.wires.rows(), self.outputs().legal[number])
    }

    fn moves(&mut self, inputs: &[InputId]) {
        self.switch(inputs, TRUE);
        if self.perceiving {
            self.codes.parts[self.at].percepts.run(&mut self.wires);
        }
    }

    fn weight(&self, number: usize) -> bool {
        read(self.wires.rows(), self.outputs().weights[number])
    }

    fn silent(&self) -> bool {
        read(self.wires.rows(), self.outputs().silent)
    }

    fn percept(&self, number: usize) -> bool {
        read(self.wires.rows(), self.outputs().percepts[number])
    }

    fn gain(&self, number: usize) -> bool {
        read(self.wires.rows(), self.outputs().gains[number])
    }

    fn advance(&mut self, inputs: &[InputId]) {
        let part = &self.codes.parts[self.at];
        part.single(inputs).unwrap_or(&part.next).run(&mut self.wires);
        self.switch(inputs, [0; 2]);
        self.enter();
    }

    #[inline]
    fn follow(&mut self, inputs: &[InputId]) {
        if let Some(next) = self.codes.parts[self.at].single(inputs) {
            next.run(&mut self.wires);
            self.enter();
        } else {
            // Gates shared by percepts and the next state are computed with the percepts.
            self.moves(inputs);
            self.advance(inputs);
        }
    }

    fn retreat(&mut self, inputs: &[InputId]) {
        self.switch(inputs, [0; 2]);
        if self.perceiving {
            // Percepts may overwrite some of their inputs.
            self.codes.parts[self.at].legal.run(&mut self.wires);
            self.goals_known = false;
        }
    }

    fn coming(&mut self, state: &mut [u64]) {
        let before: Vec<Row> = self.wires.rows()[1..=self.fluents].to_vec();
        self.codes.parts[self.at].next.run(&mut self.wires);
        self.save(state);
        self.wires.rows_mut()[1..=self.fluents].copy_from_slice(&before);
        // The next state may overwrite parts of this one, and the intermediate results of a section
        // may overwrite those of a later section.
        let part = &self.codes.parts[self.at];
        part.legal.run(&mut self.wires);
        if self.perceiving {
            part.percepts.run(&mut self.wires);
        }
        self.goals_known = false;
    }

    fn know_goals(&mut self) {
        if !self.goals_known {
            self.codes.parts[self.at].goals.run(&mut self.wires);
            self.goals_known = true;
        }
    }

    fn goal(&self, number: usize) -> bool {
        read(self.wires.rows(), self.outputs().goals[number])
    }
}
