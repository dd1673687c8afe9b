//! Propagates only changes. This suits large networks in which a move changes little.
//!
//! A gate is true when none of its inputs is false, so each keeps the number of false inputs. Gates
//! whose value changes are processed in the order of their numbers, children before parents, so
//! each is visited once. The next state and the legal moves are bit sets that the gates update
//! directly.

use std::sync::Arc;

use magister_core::Move;

use super::machine::{Lists, Machine};
use super::places::Places;
use crate::network::{Edge, FluentId, InputId, Network, NodeId};

/// The dependents of each node.
#[derive(Clone, Debug, Default)]
struct Plan {
    /// The start of the users of each node in `users`.
    user_starts: Vec<u32>,
    /// Gates that use a node: twice the gate's number, plus one if it uses the negation.
    users: Vec<u32>,
    /// The start of the outputs of each node in `outputs`.
    output_starts: Vec<u32>,
    /// Outputs that are a node: the next values of fluents, then legal moves.
    outputs: Vec<u32>,
    /// Gates that only goals need, children before parents. They are computed on demand.
    goal_gates: Vec<NodeId>,
}

/// The wires of one state, and their values.
#[derive(Clone, Debug)]
pub(super) struct Incremental {
    network: Arc<Network>,
    places: Arc<Places>,
    plan: Arc<Plan>,
    values: Vec<bool>,
    /// For each gate, the number of false inputs.
    missing: Vec<u32>,
    /// Gates to be processed, one bit each.
    pending: Vec<u64>,
    first_pending: usize,
    /// The next state under the moves that are set.
    next: Vec<u64>,
    /// The state.
    state: Vec<u64>,
    /// Legal moves, one bit each.
    legal: Vec<u64>,
    before: Vec<u64>,
    goals_known: bool,
}

impl Incremental {
    pub(super) fn new(network: Arc<Network>, places: Arc<Places>) -> Self {
        let plan = Arc::new(plan(&network));
        let nodes = network.graph.len();
        let words = network.fluents().div_ceil(64);
        let mut machine = Self {
            values: vec![false; nodes],
            missing: vec![0; nodes],
            pending: vec![0; nodes.div_ceil(64)],
            first_pending: usize::MAX,
            next: vec![0; words],
            state: vec![0; words],
            before: vec![0; words],
            legal: vec![0; network.legal.len().div_ceil(64)],
            goals_known: false,
            plan,
            network,
            places,
        };
        machine.start();
        machine
    }

    /// Computes everything once, with no fluent true and no move made.
    fn start(&mut self) {
        let network = Arc::clone(&self.network);
        self.values[0] = true;
        for node in network.graph.gate_nodes() {
            let children = network.graph.children(node);
            let missing = children.iter().filter(|&&e| !self.wire(e)).count();
            self.missing[node.index()] = missing as u32;
            self.values[node.index()] = missing == 0;
        }
        for (fluent, &edge) in network.next.iter().enumerate() {
            if self.wire(edge) {
                self.next[fluent / 64] |= 1 << (fluent % 64);
            }
        }
        for (number, &edge) in network.legal.iter().enumerate() {
            if self.wire(edge) {
                self.legal[number / 64] |= 1 << (number % 64);
            }
        }
    }

    fn wire(&self, edge: Edge) -> bool {
        self.values[edge.node().index()] != edge.negated()
    }

    /// Switches a node and notifies its dependents.
    fn flip(&mut self, plan: &Plan, node: NodeId) {
        let at = node.index();
        let now = !self.values[at];
        self.values[at] = now;
        let users = &plan.users[plan.user_starts[at] as usize..plan.user_starts[at + 1] as usize];
        for &user in users {
            let gate = (user >> 1) as usize;
            let negated = user & 1 == 1;
            // An input that becomes true is no longer missing.
            if now == negated {
                self.missing[gate] += 1;
            } else {
                self.missing[gate] -= 1;
            }
            if (self.missing[gate] == 0) != self.values[gate] {
                self.pending[gate / 64] |= 1 << (gate % 64);
                self.first_pending = self.first_pending.min(gate / 64);
            }
        }
        let outputs =
            &plan.outputs[plan.output_starts[at] as usize..plan.output_starts[at + 1] as usize];
        let fluents = self.network.fluents();
        for &output in outputs {
            let output = output as usize;
            if output < fluents {
                self.next[output / 64] ^= 1 << (output % 64);
            } else {
                let number = output - fluents;
                self.legal[number / 64] ^= 1 << (number % 64);
            }
        }
    }

    /// Processes the pending gates.
    fn settle(&mut self, plan: &Plan) {
        let mut word = self.first_pending;
        while word < self.pending.len() {
            let bits = self.pending[word];
            if bits == 0 {
                word += 1;
                continue;
            }
            let bit = bits.trailing_zeros() as usize;
            self.pending[word] &= bits - 1;
            let gate = word * 64 + bit;
            if (self.missing[gate] == 0) != self.values[gate] {
                self.flip(plan, NodeId::new(gate));
            }
        }
        self.first_pending = usize::MAX;
    }

    /// Sets the state and propagates.
    fn enter(&mut self, plan: &Plan, state: &[u64]) {
        self.goals_known = false;
        for (word, &new) in state.iter().enumerate() {
            let mut changed = self.state[word] ^ new;
            self.state[word] = new;
            while changed != 0 {
                let fluent = word * 64 + changed.trailing_zeros() as usize;
                changed &= changed - 1;
                self.flip(plan, FluentId::new(fluent).node());
            }
        }
        self.settle(plan);
    }
}

fn plan(network: &Network) -> Plan {
    let nodes = network.graph.len();
    let weights = network.weights.iter().map(|weight| weight.when);
    let outputs = network.legal.iter().chain(&network.next).copied().chain(network.of_steps());
    let outputs = outputs.chain(weights).chain([network.terminal, network.silent]);
    let propagated = network.graph.reachable(outputs);
    let goal_gates = network
        .graph
        .reachable(network.goals.iter().map(|goal| goal.when))
        .into_iter()
        .filter(|n| propagated.binary_search(n).is_err() && !network.graph.children(*n).is_empty())
        .collect();
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    for node in propagated {
        for edge in network.graph.children(node) {
            users[edge.node().index()].push(node.0 << 1 | u32::from(edge.negated()));
        }
    }
    let mut outputs: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    for (number, edge) in network.next.iter().chain(&network.legal).enumerate() {
        outputs[edge.node().index()].push(number as u32);
    }
    let flat = |lists: Vec<Vec<u32>>| {
        let mut starts = vec![0];
        let mut all = Vec::new();
        for list in lists {
            all.extend(list);
            starts.push(all.len() as u32);
        }
        (starts, all)
    };
    let (user_starts, users) = flat(users);
    let (output_starts, outputs) = flat(outputs);
    Plan { user_starts, users, output_starts, outputs, goal_gates }
}

impl Machine for Incremental {
    fn load(&mut self, state: &[u64]) {
        let plan = Arc::clone(&self.plan);
        self.enter(&plan, state);
    }

    fn save(&self, state: &mut [u64]) {
        state.copy_from_slice(&self.state);
    }

    fn terminal(&self) -> bool {
        self.wire(self.network.terminal)
    }

    fn legal(&self, lists: &mut Lists) {
        lists.rooms(|role, room| {
            let (from, to) = self.places.ranges[role];
            let mut end = 0;
            for word in from / 64..to.div_ceil(64) {
                let mut bits = self.legal[word];
                if word == from / 64 {
                    bits &= u64::MAX << (from % 64);
                }
                if word == to / 64 {
                    bits &= (1 << (to % 64)) - 1;
                }
                while bits != 0 {
                    let at = word * 64 + bits.trailing_zeros() as usize;
                    room[end] = Move(self.places.numbers[at]);
                    end += 1;
                    bits &= bits - 1;
                }
            }
            end
        });
    }

    fn is_legal(&self, number: usize) -> bool {
        self.legal[number / 64] >> (number % 64) & 1 == 1
    }

    fn moves(&mut self, inputs: &[InputId]) {
        let plan = Arc::clone(&self.plan);
        for &input in inputs {
            self.flip(&plan, input.node());
        }
        self.settle(&plan);
    }

    fn weight(&self, number: usize) -> bool {
        self.wire(self.network.weights[number].when)
    }

    fn silent(&self) -> bool {
        self.wire(self.network.silent)
    }

    fn percept(&self, number: usize) -> bool {
        self.wire(self.network.percepts[number].when)
    }

    fn gain(&self, number: usize) -> bool {
        self.wire(self.network.gains[number].when)
    }

    fn advance(&mut self, inputs: &[InputId]) {
        let plan = Arc::clone(&self.plan);
        let mut before = std::mem::take(&mut self.before);
        before.copy_from_slice(&self.next);
        for &input in inputs {
            self.flip(&plan, input.node());
        }
        // The moves are undone together with the change of state, in one propagation.
        self.enter(&plan, &before);
        self.before = before;
    }

    fn retreat(&mut self, inputs: &[InputId]) {
        self.moves(inputs); // Switching twice restores the state before.
    }

    fn coming(&mut self, state: &mut [u64]) {
        state.copy_from_slice(&self.next);
    }

    fn know_goals(&mut self) {
        if self.goals_known {
            return;
        }
        self.goals_known = true;
        for &gate in &self.plan.goal_gates {
            let children = self.network.graph.children(gate);
            let holds = children.iter().all(|e| self.values[e.node().index()] != e.negated());
            self.values[gate.index()] = holds;
        }
    }

    fn goal(&self, number: usize) -> bool {
        self.wire(self.network.goals[number].when)
    }
}
