//! A network as clauses for a SAT solver, which answers whether something is possible.

use std::cell::Cell;

use batsat::{Callbacks, ClauseKind, Lit, Solver as Sat, SolverInterface, lbool};
use magister_core::Stop;

use super::Network;
use super::graph::{Edge, Group};

/// The number of conflicts after which a query is abandoned; it is smaller if each costs more.
fn patience(edges: usize) -> u64 {
    (4_000_000 / edges.max(1)).clamp(20, 400) as u64
}

/// Stops a search that takes too long. The budget is counted, not timed, so that a game becomes the
/// same network everywhere.
struct Budget {
    conflicts: u64,
    patience: u64,
    stop: Stop,
    /// Whether a search was cut off.
    spent: Cell<bool>,
}

impl Callbacks for Budget {
    fn on_start(&mut self) {
        self.conflicts = 0;
        self.spent.set(false);
    }

    fn on_new_clause(&mut self, clause: &[Lit], kind: ClauseKind) {
        // Long clauses cost more than short ones.
        if kind == ClauseKind::Learnt {
            self.conflicts += 1 + clause.len() as u64 / 256;
        }
    }

    fn stop(&self) -> bool {
        let over = self.conflicts > self.patience || self.stop.is_set();
        if over {
            self.spent.set(true);
        }
        over
    }
}

/// Clauses over the wires of a network.
pub(super) struct Solver {
    sat: Sat<Budget>,
    /// The literal of each required node.
    wires: Vec<Option<Lit>>,
    yes: Lit,
}

/// The answer to a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// It is impossible.
    Never,
    /// It is possible according to the clauses.
    Maybe,
    /// The search was abandoned.
    Unknown,
}

impl Solver {
    /// The gates of a network that some outputs depend on.
    pub(super) fn new(network: &Network, outputs: Vec<Edge>, stop: &Stop) -> Self {
        let patience = patience(network.graph.edges());
        let budget = Budget { conflicts: 0, patience, stop: stop.clone(), spent: Cell::new(false) };
        // With long chains of counters, deep clause minimisation costs more than the search.
        let options = batsat::SolverOpts { ccmin_mode: 1, ..batsat::SolverOpts::default() };
        let mut sat = Sat::new(options, budget);
        let yes = Lit::new(sat.new_var_default(), true);
        sat.add_clause_reuse(&mut vec![yes]);
        let graph = &network.graph;
        let mut solver = Self { sat, wires: vec![None; graph.len()], yes };
        solver.wires[0] = Some(yes);
        for node in 1..=graph.inputs() {
            solver.wires[node] = Some(solver.fresh());
        }
        for node in graph.reachable(outputs) {
            if solver.wires[node.index()].is_none() {
                let parts: Vec<Lit> = graph.children(node).iter().map(|&e| solver.lit(e)).collect();
                solver.wires[node.index()] = Some(solver.all(&parts));
            }
        }
        for group in graph.groups() {
            solver.assume(group);
        }
        solver
    }

    /// The literal of a wire.
    pub(super) fn lit(&self, edge: Edge) -> Lit {
        found(&self.wires, edge, self.yes)
    }

    /// A new free literal.
    pub(super) fn fresh(&mut self) -> Lit {
        Lit::new(self.sat.new_var_default(), true)
    }

    /// The work so far, in propagated literals.
    pub(super) fn work(&self) -> u64 {
        self.sat.num_propagations()
    }

    /// Adds a clause.
    pub(super) fn clause(&mut self, lits: &[Lit]) {
        self.sat.add_clause_reuse(&mut lits.to_vec());
    }

    /// Assumes the properties of a group.
    pub(super) fn assume(&mut self, group: &Group) {
        let members: Vec<Lit> = group.members.iter().map(|&n| self.lit(Edge::of(n))).collect();
        let two = self.two(&members);
        self.clause(&[!two]);
        if group.exact {
            self.clause(&members);
        }
    }

    /// Assumes that moves are legal, and that the game is not over.
    pub(super) fn assume_legal(&mut self, network: &Network) {
        let terminal = self.lit(network.terminal);
        self.clause(&[!terminal]);
        for (at, &legal) in network.legal.iter().enumerate() {
            let done = self.lit(Edge::of(network.inputs[at].node()));
            let legal = self.lit(legal);
            self.clause(&[!done, legal]);
            // Only a role without a legal move is idle.
            if let Some(idle) = network.idle[network.moves[at].0.index()] {
                let idle = self.lit(Edge::of(idle.node()));
                self.clause(&[!idle, !legal]);
            }
        }
    }

    /// Assumes the implications between fluents.
    pub(super) fn assume_implied(&mut self, network: &Network) {
        for &(a, b) in &network.invariants.implied {
            let (a, b) = (self.lit(Edge::of(a.node())), self.lit(Edge::of(b.node())));
            self.clause(&[!a, b]);
        }
    }

    /// The literal of a wire in the next state. `wires` caches the literals so far; it is empty at
    /// first. The wire must not depend on moves.
    pub(super) fn next(
        &mut self,
        network: &Network,
        wires: &mut Vec<Option<Lit>>,
        edge: Edge,
    ) -> Lit {
        let graph = &network.graph;
        if wires.is_empty() {
            wires.resize(graph.len(), None);
            wires[0] = Some(self.yes);
            for (fluent, &next) in network.next.iter().enumerate() {
                wires[fluent + 1] = Some(self.lit(next));
            }
        }
        if wires[edge.node().index()].is_none() {
            for node in graph.reachable([edge]) {
                if wires[node.index()].is_none() {
                    let children = graph.children(node).iter();
                    let parts: Vec<Lit> = children.map(|&e| found(wires, e, self.yes)).collect();
                    wires[node.index()] = Some(self.all(&parts));
                }
            }
        }
        found(wires, edge, self.yes)
    }

    /// A literal that is true if and only if all of these are.
    fn all(&mut self, parts: &[Lit]) -> Lit {
        let whole = self.fresh();
        for &part in parts {
            self.clause(&[!whole, part]);
        }
        let mut last: Vec<Lit> = parts.iter().map(|&part| !part).collect();
        last.push(whole);
        self.clause(&last);
        whole
    }

    /// A literal that is true if and only if at least two of these are.
    pub(super) fn two(&mut self, lits: &[Lit]) -> Lit {
        let (mut one, mut two) = (!self.yes, !self.yes);
        for &lit in lits {
            let both = self.and(one, lit);
            two = !self.and(!two, !both);
            one = !self.and(!one, !lit);
        }
        two
    }

    /// A literal that is true if and only if both are.
    pub(super) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        if a == !self.yes || b == !self.yes {
            return !self.yes;
        }
        if a == self.yes {
            return b;
        }
        if b == self.yes {
            return a;
        }
        let whole = self.fresh();
        self.clause(&[!whole, a]);
        self.clause(&[!whole, b]);
        self.clause(&[whole, !a, !b]);
        whole
    }

    /// Whether all of these can be true together.
    pub(super) fn ask(&mut self, lits: &[Lit]) -> Answer {
        let answer = self.sat.solve_limited(lits);
        if answer == lbool::FALSE && !self.sat.cb().spent.get() {
            Answer::Never
        } else if answer == lbool::TRUE {
            Answer::Maybe
        } else {
            Answer::Unknown
        }
    }

    /// Whether the last negative answer used this assumed literal.
    pub(super) fn needed(&self, lit: Lit) -> bool {
        self.sat.unsat_core_contains_var(lit.var())
    }

    /// Whether a literal was true in the last counterexample.
    pub(super) fn was(&self, lit: Lit) -> bool {
        self.sat.value_lit(lit) == lbool::TRUE
    }
}

/// The literal of a wire among the existing ones.
fn found(wires: &[Option<Lit>], edge: Edge, yes: Lit) -> Lit {
    let wire = wires[edge.node().index()].unwrap_or(yes);
    if edge.negated() { !wire } else { wire }
}
