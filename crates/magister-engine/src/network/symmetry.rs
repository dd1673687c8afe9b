//! Proofs that permutations of fluents and moves are symmetries of a game.
//!
//! A permutation of the fluents is given, such as the reflection of a board. The images of moves
//! are guessed: a move and its image are legal in the same sampled states and their images. Then
//! the outputs of the network are compared with those of its image, a copy with exchanged inputs.
//! Most of them are the same gates; for the others, a SAT solver proves that they are equal.
//!
//! The proof may assume the invariants of both states. By induction over the moves, the image of
//! a reachable state is reachable: the initial state is its own image, and the step from a state
//! and the step from its image lead to a state and its image.

use magister_core::{Move, Role, Stop};
use rustc_hash::FxHashMap;

use super::graph::{Edge, Group};
use super::sample::{Samples, evaluate, read};
use super::solver::{Answer, Solver};
use super::{FluentId, MoveId, Network, NodeId, through};

/// The maximum number of gate inputs of a network whose symmetries are examined.
const LARGEST: usize = 100_000;
/// The amount of random play: steps times gate inputs.
const SAMPLED: usize = 4_000_000;
/// Conjunctions with more inputs stay nested, and so do all once the network has this many gate
/// inputs.
const WIDEST: usize = 2_000;
const FLAT: usize = 1_000_000;
/// The maximum work of a proof, in propagated literals.
const EFFORT: u64 = 2_000_000;

/// A permutation of fluents and moves under which a game is unchanged.
#[derive(Clone, Debug)]
pub(crate) struct Automorphism {
    /// The image of each fluent.
    pub(crate) fluents: Vec<FluentId>,
    /// The image of each move of a role.
    pub(crate) moves: Vec<MoveId>,
}

impl Network {
    /// The symmetry that permutes the fluents like this, if it can be proven. `related` says whether
    /// the second move may be the image of the first, for moves that are legal at the same times.
    pub(crate) fn symmetry(
        &self,
        fluents: Vec<FluentId>,
        related: &dyn Fn(Move, Move) -> bool,
        stop: &Stop,
    ) -> Option<Automorphism> {
        // Percepts would have images, too.
        if self.graph.edges() > LARGEST || !self.percepts.is_empty() {
            return None;
        }
        let fixed = |at: usize| self.initial[at] == self.initial[fluents[at].index()];
        if !(0..self.fluents()).all(fixed) {
            return None;
        }
        let moves = self.images_of_moves(&fluents, related)?;
        let found = Automorphism { fluents, moves };
        self.is_symmetry(&found, stop).then_some(found)
    }

    /// The images of the moves, guessed from sampled states.
    fn images_of_moves(
        &self,
        fluents: &[FluentId],
        related: &dyn Fn(Move, Move) -> bool,
    ) -> Option<Vec<MoveId>> {
        let steps = (SAMPLED / self.graph.edges().max(1)).clamp(8, 64);
        let samples = Samples::new(self, steps);
        let mut legal: [Vec<Vec<u64>>; 2] = [(); 2].map(|()| vec![Vec::new(); self.moves.len()]);
        let mut wires = vec![0; self.graph.len()];
        for state in samples.states() {
            for (which, legal) in legal.iter_mut().enumerate() {
                wires[1..].fill(0);
                for (fluent, &word) in state.iter().enumerate() {
                    let to = if which == 0 { FluentId::new(fluent) } else { fluents[fluent] };
                    wires[to.node().index()] = word;
                }
                evaluate(&self.graph, &mut wires);
                // Moves of finished games do not matter.
                let over = read(&wires, self.terminal);
                for (words, &edge) in legal.iter_mut().zip(&self.legal) {
                    words.push(read(&wires, edge) & !over);
                }
            }
        }
        let [here, there] = legal;
        let mut alike: FxHashMap<(Role, &[u64]), Vec<usize>> = FxHashMap::default();
        for (at, words) in there.iter().enumerate() {
            alike.entry((self.moves[at].0, words)).or_default().push(at);
        }
        let mut images = Vec::with_capacity(self.moves.len());
        for (words, &(role, choice)) in here.iter().zip(&self.moves) {
            let candidates = alike.get_mut(&(role, words.as_slice()))?;
            let fits = |&at: &usize| related(choice, self.moves[at].1);
            let which = candidates.iter().position(fits)?;
            images.push(MoveId::new(candidates.remove(which)));
        }
        Some(images)
    }

    /// The same network without nested conjunctions. Shared pairs make the gates of an output and of
    /// its image different.
    fn flattened(&self) -> Network {
        let mut out = self.clone();
        let mut graph = self.graph.emptied();
        let mut new: Vec<Edge> =
            (0..=self.graph.inputs()).map(|at| Edge::of(NodeId::new(at))).collect();
        for node in self.graph.gate_nodes() {
            let mut children = Vec::new();
            for edge in self.graph.children(node).iter().map(|&edge| through(&new, edge)) {
                let inner = graph.children(edge.node());
                let wide = inner.len() > WIDEST || graph.edges() > FLAT;
                if edge.negated() || inner.is_empty() || wide {
                    children.push(edge);
                } else {
                    children.extend_from_slice(inner);
                }
            }
            new.push(graph.and(children));
        }
        out.outputs_mut().for_each(|edge| *edge = through(&new, *edge));
        out.graph = graph;
        out
    }

    /// Whether a permutation is a symmetry. Also false if the proof would take too much work.
    fn is_symmetry(&self, symmetry: &Automorphism, stop: &Stop) -> bool {
        let mut both = self.flattened();
        let flat = both.clone();
        let graph = &mut both.graph;
        let mut image = vec![Edge::TRUE; flat.graph.len()];
        for (fluent, to) in symmetry.fluents.iter().enumerate() {
            image[FluentId::new(fluent).node().index()] = graph.input(to.input());
        }
        for (&input, to) in self.inputs.iter().zip(&symmetry.moves) {
            image[input.node().index()] = graph.input(self.inputs[to.index()]);
        }
        for &idle in self.idle.iter().flatten() {
            image[idle.node().index()] = graph.input(idle);
        }
        for node in flat.graph.gate_nodes() {
            let children: Vec<Edge> =
                flat.graph.children(node).iter().map(|&edge| through(&image, edge)).collect();
            image[node.index()] = graph.and(children);
        }
        let of = |edge: Edge| through(&image, edge);
        let mut now: Vec<(Edge, Edge)> =
            vec![(of(flat.terminal), flat.terminal), (of(flat.silent), flat.silent)];
        now.extend(flat.goals.iter().map(|goal| (of(goal.when), goal.when)));
        let legal = flat.legal.iter().zip(&symmetry.moves);
        now.extend(legal.map(|(&edge, to)| (of(edge), flat.legal[to.index()])));
        let Some(weights) = flat.weights_of(symmetry) else { return false };
        now.extend(weights.into_iter().map(|(a, b)| (of(a), b)));
        let next = flat.next.iter().zip(&symmetry.fluents);
        let mut step: Vec<(Edge, Edge)> =
            next.map(|(&edge, to)| (of(edge), flat.next[to.index()])).collect();
        step.extend(flat.gains.iter().map(|gain| (of(gain.when), gain.when)));
        proven(&both, symmetry, now, false, stop) && proven(&both, symmetry, step, true, stop)
    }

    /// The conditions of the weights of moves, each with that of the image; `None` if the weights of
    /// a move and of its image differ.
    fn weights_of(&self, symmetry: &Automorphism) -> Option<Vec<(Edge, Edge)>> {
        let parts = |place: MoveId| {
            let own = self.weights.iter().filter(move |weight| weight.place == place);
            let mut parts: Vec<(u32, Edge)> =
                own.map(|weight| (weight.weight, weight.when)).collect();
            parts.sort_by_key(|part| part.0);
            parts
        };
        let mut out = Vec::new();
        if self.weights.is_empty() {
            return Some(out);
        }
        for (at, &to) in symmetry.moves.iter().enumerate() {
            let (here, there) = (parts(MoveId::new(at)), parts(to));
            if !here.iter().map(|part| part.0).eq(there.iter().map(|part| part.0)) {
                return None;
            }
            out.extend(here.into_iter().zip(there).map(|(a, b)| (a.1, b.1)));
        }
        Some(out)
    }
}

/// Whether two wires are equal in all pairs, in every state that satisfies the invariants together
/// with its image. In a step, moves are legal.
fn proven(
    network: &Network,
    symmetry: &Automorphism,
    mut pairs: Vec<(Edge, Edge)>,
    step: bool,
    stop: &Stop,
) -> bool {
    pairs.retain(|&(a, b)| a != b);
    pairs.sort_unstable();
    pairs.dedup();
    if pairs.iter().any(|&(a, b)| a == !b) {
        return false;
    }
    if pairs.is_empty() {
        return true;
    }
    let mut outputs: Vec<Edge> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
    outputs.push(network.terminal);
    outputs.extend(&network.legal);
    let mut solver = Solver::new(network, outputs, stop);
    solver.assume_implied(network);
    if step {
        solver.assume_legal(network);
    }
    let image = |fluent: FluentId| symmetry.fluents[fluent.index()].node();
    for group in &network.invariants.groups {
        let members = group.members.iter().map(|&node: &NodeId| image(node.fluent())).collect();
        solver.assume(&Group { members, exact: group.exact });
    }
    for &(a, b) in &network.invariants.implied {
        let (a, b) = (solver.lit(Edge::of(image(a))), solver.lit(Edge::of(image(b))));
        solver.clause(&[!a, b]);
    }
    pairs.into_iter().all(|(a, b)| {
        let (a, b) = (solver.lit(a), solver.lit(b));
        solver.work() < EFFORT
            && solver.ask(&[a, !b]) == Answer::Never
            && solver.ask(&[!a, b]) == Answer::Never
    })
}
