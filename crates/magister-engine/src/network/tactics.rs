//! Tactical networks: the same game, but a role that can win at once does so, and otherwise it
//! blocks a win that the other role threatens.
//!
//! Uniform playouts overlook wins and blocks in one move, so their results are noisy. Here both are
//! gates, for games in which two roles strictly take turns. The winning moves are those after which
//! the state is terminal with the highest goal value: the terminal and goal conditions are composed
//! with the next state. A threat of the other role is a move with which it would win if it had the
//! turn. A move with the same number blocks it, as in all games in which roles occupy cells.
//!
//! A win that depends on a large part of the state at once, such as the capture of the last piece,
//! is omitted: its gates would cost more than they gain.
//!
//! Only the legal moves differ, and they are a subset of the legal moves of the game. States
//! therefore mean the same in both networks, and a search can use this one for its playouts.

use magister_core::{Halt, Role, Stop};

use super::graph::{Edge, Graph};
use super::{Network, NodeId, PlayerNetwork, through};

/// The maximum work, in copied gate inputs.
const WORK: usize = 5_000_000;

/// The maximum size of a tactical network, as a multiple of the plain one plus a constant. Before
/// common gates are shared, it may be larger by another factor.
const GROWTH: usize = 3;
const SOME: usize = 2_000;
const UNSHARED: usize = 3;

/// The maximum number of conditions of one way to win.
const CONDITIONS: usize = 20;

/// The maximum number of gate inputs of one way to win.
const INPUTS: usize = 1_000;

impl Network {
    /// The tactical network; `None` if roles do not strictly take turns, if no move can win or
    /// block, or if it would be too large.
    pub(crate) fn tactical(&self, stop: &Stop) -> Result<Option<Network>, Halt> {
        let Some([first, second]) = self.alternating() else { return Ok(None) };
        let mut whole = self.clone();
        let mut useful = false;
        for (at, own, other) in [(0, first, second), (1, second, first)] {
            let Some((mut side, better)) = self.side_with_tactics(own, other, stop)? else {
                return Ok(None);
            };
            useful |= better;
            let most = GROWTH * own.network.size() + SOME;
            if side.size() > UNSHARED * most {
                return Ok(None);
            }
            side.simplify(stop)?;
            if side.size() > most {
                return Ok(None);
            }
            // The whole network has the same legal moves as the network of the role to move.
            let places: Vec<usize> = self.active(own.turn).collect();
            let legal: Vec<Edge> = places.iter().map(|&place| side.legal[place]).collect();
            let copied = copy(&mut whole.graph, &side.graph, &legal, Edge::of);
            for (place, edge) in places.into_iter().zip(copied) {
                whole.legal[place] = whole.graph.and([own.turn, edge]);
            }
            whole.per_player[at].network = side;
        }
        if !useful {
            return Ok(None);
        }
        // Single steps on this network are rare, so common gates are not shared again; unused gates
        // are removed.
        let outputs = whole.outputs();
        let (graph, outputs) = kept(&whole.graph, &outputs);
        whole.graph = graph;
        whole.outputs_mut().zip(outputs).for_each(|(old, new)| *old = new);
        Ok(Some(whole))
    }

    /// The moves that are legal only in the turn that this fluent marks.
    fn active(&self, turn: Edge) -> impl Iterator<Item = usize> {
        let turns = self.turns.iter();
        let roles = turns.flat_map(move |turns| {
            let mine = turns.turn.iter().zip(&turns.active).filter(move |(own, _)| **own == turn);
            mine.flat_map(|(_, places)| places)
        });
        roles.map(|place| place.index())
    }

    /// The number of two-input gates.
    fn size(&self) -> usize {
        let gates = self.gates();
        gates.legal + gates.next + gates.goals + gates.percepts
    }

    /// The network of the states in which a role has its turn, with tactics, and whether it differs
    /// from the plain one; `None` if it would take too long.
    fn side_with_tactics(
        &self,
        own: &PlayerNetwork,
        other: &PlayerNetwork,
        stop: &Stop,
    ) -> Result<Option<(Network, bool)>, Halt> {
        let mut side = own.network.clone();
        let places: Vec<usize> = self.active(own.turn).collect();
        let others: Vec<usize> = self.active(other.turn).collect();
        let known = self.known_true(own, &mut side.graph);
        let wins = Wins { whole: self, mover: own, waiter: other };
        let threats = Wins { whole: self, mover: other, waiter: own };
        if wins.work(places.len()) + threats.work(others.len()) > WORK {
            return Ok(None);
        }
        let Some(wins) = wins.of(&places, &mut side.graph, &known, stop)? else { return Ok(None) };
        let Some(threats) = threats.of(&others, &mut side.graph, &known, stop)? else {
            return Ok(None);
        };
        let graph = &mut side.graph;
        // The other role threatens only moves that would be legal.
        let possible: Vec<Edge> = others.iter().map(|&place| other.network.legal[place]).collect();
        let possible = copy(graph, &other.network.graph, &possible, Edge::of);
        let threats: Vec<Edge> =
            threats.into_iter().zip(possible).map(|(one, legal)| graph.and([one, legal])).collect();
        let legal: Vec<Edge> = places.iter().map(|&place| side.legal[place]).collect();
        let wins: Vec<Edge> =
            wins.into_iter().zip(&legal).map(|(win, &legal)| graph.and([win, legal])).collect();
        let blocks: Vec<Edge> = places
            .iter()
            .zip(&legal)
            .map(|(&place, &legal)| {
                let choice = self.moves[place].1;
                let same = others.iter().position(|&other| self.moves[other].1 == choice);
                same.map_or(Edge::FALSE, |at| graph.and([threats[at], legal]))
            })
            .collect();
        if wins.iter().chain(&blocks).all(|&edge| edge == Edge::FALSE) {
            return Ok(Some((side, false)));
        }
        let no_win = !graph.or(wins.iter().copied());
        let calm = !graph.or(blocks.iter().copied());
        let calm = graph.and([no_win, calm]);
        for (((place, legal), win), block) in places.into_iter().zip(legal).zip(wins).zip(blocks) {
            let block = graph.and([no_win, block]);
            let quiet = graph.and([calm, legal]);
            side.legal[place] = graph.or([win, block, quiet]);
        }
        Ok(Some((side, true)))
    }

    /// The wires that hold in all non-terminal states in which this role has its turn.
    fn known_true(&self, side: &PlayerNetwork, graph: &mut Graph) -> Vec<Edge> {
        let (known, all) = &side.known;
        let mut wires = copy(graph, known, &known.parts(*all), Edge::of);
        let going = self.graph.parts(!self.terminal);
        wires.extend(copy(graph, &self.graph, &going, Edge::of));
        wires.retain(|edge| !graph.is_input(edge.node()));
        wires.sort_unstable();
        wires.dedup();
        wires
    }
}

/// The moves with which a role wins at once.
struct Wins<'a> {
    whole: &'a Network,
    /// The network of the role that moves, and of the role that has its turn afterwards.
    mover: &'a PlayerNetwork,
    waiter: &'a PlayerNetwork,
}

impl Wins<'_> {
    /// The wires of a won state.
    fn won(&self) -> Option<[Edge; 2]> {
        let turns = self.whole.turns.as_ref()?;
        let role = turns.turn.iter().position(|&turn| turn == self.mover.turn)?;
        let own = |value: f64, role: Role| {
            let goals = self.whole.goals.iter().filter(move |goal| goal.role == role);
            goals.filter_map(|goal| goal.value).all(|other| other <= value)
        };
        let network = &self.waiter.network;
        let mut goals = network.goals.iter().filter(|goal| goal.role.index() == role);
        let best = goals.find(|goal| goal.value.is_some_and(|value| own(value, goal.role)))?;
        Some([network.terminal, best.when])
    }

    /// The work for a number of moves.
    fn work(&self, moves: usize) -> usize {
        moves * (self.mover.network.graph.edges() + self.waiter.network.graph.edges())
    }

    /// For each move, the states in which it wins, as wires of `graph`. `known` are wires that hold
    /// in all these states. `None` if the other role's move is not determined.
    fn of(
        &self,
        places: &[usize],
        graph: &mut Graph,
        known: &[Edge],
        stop: &Stop,
    ) -> Result<Option<Vec<Edge>>, Halt> {
        let Some(won) = self.won() else { return Ok(Some(vec![Edge::FALSE; places.len()])) };
        let mover = &self.mover.network;
        let fluents = self.whole.fluents();
        // Large ways to win are removed before anything is composed.
        let mut over = self.waiter.network.graph.emptied();
        let won: Vec<Edge> = copy(&mut over, &self.waiter.network.graph, &won, Edge::of)
            .into_iter()
            .map(|edge| narrow(&mut over, edge))
            .collect();
        let needed: Vec<usize> = over
            .reachable(won.iter().copied())
            .into_iter()
            .filter(|&node| node != NodeId::TRUE && over.is_input(node))
            .map(|node| node.index() - 1)
            .collect();
        if needed.iter().any(|&input| input >= fluents) {
            return Ok(None);
        }
        let nexts: Vec<Edge> = needed.iter().map(|&fluent| mover.next[fluent]).collect();
        let Some(resting) = self.resting() else { return Ok(None) };
        let mut wins = Vec::with_capacity(places.len());
        for &place in places {
            stop.check()?;
            let input = mover.inputs[place].node();
            let now = copy(graph, &mover.graph, &nexts, |node| {
                let a_move = node.index() > fluents;
                match a_move && node != input && !resting.contains(&node) {
                    true => Edge::FALSE,
                    false if a_move => Edge::TRUE,
                    false => Edge::of(node),
                }
            });
            let after = copy(graph, &over, &won, |node| {
                match needed.binary_search(&node.index().wrapping_sub(1)) {
                    Ok(at) => now[at],
                    Err(_) => Edge::of(node),
                }
            });
            let win = graph.and(after);
            // Conditions that hold in all states were not brought about by the move.
            wins.push(assume(graph, win, known));
        }
        Ok(Some(wins))
    }

    /// The inputs of the waiting role that are true: one, or none if it makes no move. `None` if
    /// they depend on the state.
    fn resting(&self) -> Option<Vec<NodeId>> {
        let turns = self.whole.turns.as_ref()?;
        let role = turns.turn.iter().position(|&turn| turn == self.waiter.turn)?;
        match (turns.resting[role].as_slice(), self.whole.idle[role]) {
            (_, Some(input)) => Some(vec![input.node()]),
            (moves, None) if moves.len() < 2 => {
                Some(moves.iter().map(|one| self.whole.inputs[one.index()].node()).collect())
            }
            _ => None,
        }
    }
}

/// Copies wires of one graph into another whose inputs mean the same, with some inputs replaced.
/// Conjunctions become flat, so that equal ones are recognised.
fn copy(to: &mut Graph, from: &Graph, wires: &[Edge], input: impl Fn(NodeId) -> Edge) -> Vec<Edge> {
    let mut new = vec![Edge::TRUE; from.len()];
    for node in from.reachable(wires.iter().copied()) {
        if node == NodeId::TRUE {
            continue;
        }
        new[node.index()] = if from.is_input(node) {
            input(node)
        } else {
            let parts = from.children(node).iter().map(|&edge| through(&new, edge));
            let parts = flat(to, parts);
            to.and(parts)
        };
    }
    wires.iter().map(|&edge| through(&new, edge)).collect()
}

/// The gates that some wires need, and the wires in the new graph.
fn kept(from: &Graph, wires: &[Edge]) -> (Graph, Vec<Edge>) {
    let mut graph = from.emptied();
    let mut new: Vec<Edge> = (0..from.len()).map(|node| Edge::of(NodeId::new(node))).collect();
    for node in from.reachable(wires.iter().copied()) {
        if !from.is_input(node) {
            let parts: Vec<Edge> =
                from.children(node).iter().map(|&edge| through(&new, edge)).collect();
            new[node.index()] = graph.and(parts);
        }
    }
    let wires = wires.iter().map(|&edge| through(&new, edge)).collect();
    (graph, wires)
}

/// A disjunction without its large parts.
fn narrow(graph: &mut Graph, edge: Edge) -> Edge {
    if !edge.negated() || graph.is_input(edge.node()) {
        return edge;
    }
    let parts: Vec<Edge> = graph.children(edge.node()).to_vec();
    let parts: Vec<Edge> = parts.into_iter().filter(|&part| is_small(graph, !part)).collect();
    !graph.and(parts)
}

/// Whether a wire has no large conjunction and not too many gates below it.
fn is_small(graph: &Graph, edge: Edge) -> bool {
    let (mut stack, mut count) = (vec![edge], 0);
    while let Some(edge) = stack.pop() {
        let children = graph.children(edge.node());
        count += children.len();
        if count > INPUTS || !edge.negated() && children.len() > CONDITIONS {
            return false;
        }
        stack.extend(children.iter().map(|&child| if edge.negated() { !child } else { child }));
    }
    true
}

/// The parts of a conjunction, with nested conjunctions replaced by their parts.
fn flat(graph: &Graph, parts: impl Iterator<Item = Edge>) -> Vec<Edge> {
    let mut all = Vec::new();
    for part in parts {
        let inner = graph.children(part.node());
        if part.negated() || inner.is_empty() {
            all.push(part);
        } else {
            all.extend_from_slice(inner);
        }
    }
    all
}

/// A wire, simplified for the states in which these sorted wires hold.
fn assume(graph: &mut Graph, edge: Edge, known: &[Edge]) -> Edge {
    let nodes = graph.reachable([edge]);
    let mut new: Vec<Edge> = (0..graph.len()).map(|node| Edge::of(NodeId::new(node))).collect();
    for node in nodes {
        if graph.is_input(node) {
            continue;
        }
        let wire = Edge::of(node);
        new[node.index()] = if known.binary_search(&wire).is_ok() {
            Edge::TRUE
        } else if known.binary_search(&!wire).is_ok() {
            Edge::FALSE
        } else {
            let parts: Vec<Edge> =
                graph.children(node).iter().map(|&part| through(&new, part)).collect();
            graph.and(parts)
        };
    }
    through(&new, edge)
}
