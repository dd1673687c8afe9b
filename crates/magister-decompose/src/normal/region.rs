//! The regions of a position: moves that share no fluent that can still change.

use std::collections::BTreeMap;

use magister_core::Role;
use magister_engine::network::{Edge, Graph, Network, NodeId};
use rustc_hash::FxHashMap;

use super::proof::in_turn;
use crate::effects::{Effects, Idle};
use crate::fold::{UNKNOWN, fold, gates, is_false};
use crate::support::{Support, Union};

/// The identity of a region: its moves with their residual circuits, and the values of its fluents.
pub(super) type Key = Box<[u32]>;

/// The moves of a region, and the fluents that they change or depend on.
#[derive(Clone, Debug)]
#[expect(clippy::struct_field_names, reason = "the moves of a region")]
pub(super) struct Moves {
    pub(super) fluents: Vec<usize>,
    pub(super) moves: Vec<usize>,
    /// The residual circuit of each move: its legality and its effects.
    left: Vec<Vec<Edge>>,
}

/// Splits positions into regions.
#[derive(Debug)]
pub(super) struct Regions {
    /// The gates of the game, and their residues in positions.
    graph: Graph,
    /// The gates of the game itself, which come first.
    gates: Vec<NodeId>,
    fluents: usize,
    /// The condition of each role's turn.
    turn: Vec<Edge>,
    /// The fluents that determine the turn, with their values in the turn of each role.
    in_turn: BTreeMap<NodeId, [bool; 2]>,
    /// The active moves: the index in the network, the role, the legality, and the fluents with the
    /// wires of their next values.
    moves: Vec<Active>,
    by_place: FxHashMap<usize, usize>,
    support: Support,
}

#[derive(Debug)]
struct Active {
    place: usize,
    role: usize,
    legal: Edge,
    acts: Vec<(u32, Edge)>,
}

impl Regions {
    /// `None` if some fluent other than the turn changes without moves.
    pub(super) fn new(network: &Network, effects: Effects) -> Option<Self> {
        let turns = network.turns.as_ref()?;
        let fluents = network.fluents();
        let second: FxHashMap<NodeId, bool> = in_turn(network, 1).into_iter().collect();
        let both = in_turn(network, 0).into_iter();
        let in_turn: BTreeMap<NodeId, [bool; 2]> =
            both.filter_map(|(node, first)| Some((node, [first, *second.get(&node)?]))).collect();
        let is_turn = |fluent: usize| in_turn.contains_key(&NodeId::new(fluent + 1));
        for fluent in (0..fluents).filter(|&fluent| !is_turn(fluent)) {
            if effects.idle[fluent] != Idle::Keeps && !constant(network, fluent) {
                return None;
            }
        }
        let mut moves = Vec::new();
        for (role, active) in turns.active.iter().enumerate() {
            for place in active.iter().map(|place| place.index()) {
                let acts: Vec<(u32, Edge)> = effects.acts[place]
                    .iter()
                    .filter(|act| !is_turn(act.0 as usize))
                    .copied()
                    .collect();
                moves.push(Active { place, role, legal: network.legal[place], acts });
            }
        }
        let wires: Vec<Edge> = moves
            .iter()
            .flat_map(|one| one.acts.iter().map(|act| act.1).chain([one.legal]))
            .collect();
        let mut support = Support::new();
        let mut inputs_fit = true;
        support.each(&effects.graph, wires.iter().copied(), |input| inputs_fit &= input < fluents);
        if !inputs_fit {
            return None;
        }
        let gates = gates(&effects.graph, wires);
        let by_place = moves.iter().enumerate().map(|(at, one)| (one.place, at)).collect();
        let turn = turns.turn.clone();
        let graph = effects.graph;
        Some(Regions { graph, gates, fluents, turn, in_turn, moves, by_place, support })
    }

    /// The role to move.
    pub(super) fn mover(&self, state: &[u64]) -> Role {
        let holds = |edge: &Edge| holds(state, edge.node().index() - 1) != edge.negated();
        Role(self.turn.iter().position(holds).unwrap_or(0) as u8)
    }

    /// The regions of a position: of all moves, or of some.
    pub(super) fn split(&mut self, state: &[u64], among: Option<&[usize]>) -> Vec<Moves> {
        let chosen: Vec<usize> = match among {
            Some(places) => places.iter().map(|place| self.by_place[place]).collect(),
            None => (0..self.moves.len()).collect(),
        };
        let mut known: Vec<u8> = (0..self.fluents).map(|f| u8::from(holds(state, f))).collect();
        // Either role may have the turn.
        for node in self.in_turn.keys() {
            known[node.index() - 1] = UNKNOWN;
        }
        let mut values = vec![UNKNOWN; self.graph.len()];
        let alive: Vec<usize> = loop {
            values.fill(UNKNOWN);
            values[0] = 1;
            values[1..=self.fluents].copy_from_slice(&known);
            fold(&self.graph, &self.gates, &mut values);
            let alive: Vec<usize> = chosen
                .iter()
                .copied()
                .filter(|&at| !is_false(&values, self.moves[at].legal))
                .collect();
            let mut changed = false;
            for &at in &alive {
                for &(fluent, edge) in &self.moves[at].acts {
                    let now = &mut known[fluent as usize];
                    let then = match values[edge.node().index()] {
                        UNKNOWN => UNKNOWN,
                        value => value ^ u8::from(edge.negated()),
                    };
                    if *now != UNKNOWN && then != *now {
                        *now = UNKNOWN;
                        changed = true;
                    }
                }
            }
            if !changed {
                break alive;
            }
        };
        let left = self.residues(&alive, &values);
        self.join(&alive, left, &known)
    }

    /// The residual circuits of moves after constants are substituted. The role that moves has the
    /// turn.
    fn residues(&mut self, alive: &[usize], values: &[u8]) -> Vec<Vec<Edge>> {
        let mut map: FxHashMap<(usize, NodeId), Edge> = FxHashMap::default();
        let mut all = Vec::with_capacity(alive.len());
        for &at in alive {
            let role = self.moves[at].role;
            let wires = self.moves[at].acts.iter().map(|act| act.1);
            let wires: Vec<Edge> = [self.moves[at].legal].into_iter().chain(wires).collect();
            all.push(
                wires.iter().map(|&edge| self.residue(edge, role, values, &mut map)).collect(),
            );
        }
        all
    }

    fn residue(
        &mut self,
        edge: Edge,
        role: usize,
        values: &[u8],
        map: &mut FxHashMap<(usize, NodeId), Edge>,
    ) -> Edge {
        let mut stack = vec![(edge.node(), false)];
        while let Some((node, ready)) = stack.pop() {
            if map.contains_key(&(role, node)) {
                continue;
            }
            let done = match (values[node.index()], self.in_turn.get(&node)) {
                (_, Some(in_turn)) => Some(if in_turn[role] { Edge::TRUE } else { Edge::FALSE }),
                (UNKNOWN, None) if self.graph.is_input(node) => Some(Edge::of(node)),
                (UNKNOWN, None) => None,
                (value, None) => Some(if value == 1 { Edge::TRUE } else { Edge::FALSE }),
            };
            if let Some(wire) = done {
                map.insert((role, node), wire);
                continue;
            }
            let children = self.graph.children(node).to_vec();
            if ready {
                let parts: Vec<Edge> = children
                    .iter()
                    .map(|child| {
                        let wire = map[&(role, child.node())];
                        if child.negated() { !wire } else { wire }
                    })
                    .collect();
                let wire = self.graph.and(parts);
                map.insert((role, node), wire);
            } else {
                stack.push((node, true));
                stack.extend(children.iter().map(|child| (child.node(), false)));
            }
        }
        let wire = map[&(role, edge.node())];
        if edge.negated() { !wire } else { wire }
    }

    /// Joins moves that share fluents.
    fn join(&mut self, alive: &[usize], left: Vec<Vec<Edge>>, known: &[u8]) -> Vec<Moves> {
        let mut union = Union::new(self.fluents + alive.len());
        let mut touched: Vec<Vec<usize>> = Vec::with_capacity(alive.len());
        for (number, (&at, wires)) in alive.iter().zip(&left).enumerate() {
            let acts = self.moves[at].acts.iter().map(|act| act.0 as usize);
            let mut fluents: Vec<usize> = acts.filter(|&f| known[f] == UNKNOWN).collect();
            self.support.each(&self.graph, wires.iter().copied(), |input| fluents.push(input));
            fluents.sort_unstable();
            fluents.dedup();
            for &fluent in &fluents {
                union.join(fluent, self.fluents + number);
            }
            touched.push(fluents);
        }
        let mut regions: Vec<Moves> = Vec::new();
        let mut places: FxHashMap<usize, usize> = FxHashMap::default();
        for (number, ((&at, wires), fluents)) in alive.iter().zip(left).zip(touched).enumerate() {
            let root = union.find(self.fluents + number);
            let place = *places.entry(root).or_insert_with(|| {
                regions.push(Moves { fluents: Vec::new(), moves: Vec::new(), left: Vec::new() });
                regions.len() - 1
            });
            regions[place].fluents.extend(fluents);
            regions[place].moves.push(self.moves[at].place);
            regions[place].left.push(wires);
        }
        for region in &mut regions {
            region.fluents.sort_unstable();
            region.fluents.dedup();
        }
        regions
    }

    /// The identity of a region.
    #[expect(clippy::unused_self, reason = "only this circuit's regions have keys")]
    pub(super) fn key(&self, state: &[u64], region: &Moves) -> Key {
        let mut key = Vec::new();
        for (&place, wires) in region.moves.iter().zip(&region.left) {
            key.push(place as u32);
            for wire in wires {
                key.push((wire.node().index() as u32) << 1 | u32::from(wire.negated()));
            }
        }
        key.extend(region.fluents.iter().map(|&fluent| u32::from(holds(state, fluent))));
        key.into()
    }

    /// The positions that each role can move to in a region.
    pub(super) fn options(&self, state: &[u64], region: &Moves) -> Vec<(usize, Vec<u64>)> {
        let mut values = vec![UNKNOWN; self.graph.len()];
        values[0] = 1;
        for &fluent in &region.fluents {
            values[fluent + 1] = u8::from(holds(state, fluent));
        }
        let wires = gates(&self.graph, region.left.iter().flatten().copied());
        fold(&self.graph, &wires, &mut values);
        let mut found = Vec::new();
        for (&place, wires) in region.moves.iter().zip(&region.left) {
            if is_false(&values, wires[0]) {
                continue;
            }
            let active = &self.moves[self.by_place[&place]];
            let mut next = state.to_vec();
            for (&(fluent, _), &wire) in active.acts.iter().zip(&wires[1..]) {
                let bit = 1u64 << (fluent % 64);
                if is_false(&values, wire) {
                    next[fluent as usize / 64] &= !bit;
                } else {
                    next[fluent as usize / 64] |= bit;
                }
            }
            found.push((active.role, next));
        }
        found
    }
}

fn holds(state: &[u64], fluent: usize) -> bool {
    state[fluent / 64] >> (fluent % 64) & 1 == 1
}

/// Whether a fluent keeps its initial value according to its circuit alone.
fn constant(network: &Network, fluent: usize) -> bool {
    let next = network.next[fluent];
    next == if network.initial[fluent] { Edge::TRUE } else { Edge::FALSE }
}
