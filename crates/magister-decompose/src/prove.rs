//! SAT queries about the wires of a game: whether a combination is possible.

use std::cell::Cell;

use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, lbool};
use magister_core::Stop;
use magister_engine::network::{Edge, Graph, Network};

/// The number of conflicts after which a query is abandoned.
const PATIENCE: u64 = 3_000;

/// Stops a search after a number of conflicts, so that results do not depend on the clock.
struct Effort {
    conflicts: u64,
    spent: Cell<bool>,
    stop: Stop,
}

impl Callbacks for Effort {
    fn on_start(&mut self) {
        self.conflicts = 0;
        self.spent.set(false);
    }

    fn on_new_clause(&mut self, _clause: &[Lit], kind: ClauseKind) {
        self.conflicts += u64::from(kind == ClauseKind::Learnt);
    }

    fn stop(&self) -> bool {
        let over = self.conflicts > PATIENCE || self.stop.is_set();
        self.spent.set(self.spent.get() || over);
        over
    }
}

/// A network as clauses: the state is not terminal, every role makes a legal move, and the proven
/// invariants hold. Gates become clauses when a query first needs them.
pub(crate) struct Prover<'a> {
    network: &'a Network,
    /// The gates of the network and others that were derived from them, with the same numbers.
    graph: &'a Graph,
    sat: Solver<Effort>,
    wires: Vec<Option<Lit>>,
    yes: Lit,
    /// The number of queries.
    pub(crate) asked: u64,
}

impl std::fmt::Debug for Prover<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prover").field("asked", &self.asked).finish_non_exhaustive()
    }
}

impl<'a> Prover<'a> {
    /// A prover for non-terminal positions and the legal moves that are made in them.
    pub(crate) fn new(network: &'a Network, graph: &'a Graph, stop: &Stop) -> Self {
        let mut prover = Self::of_states(network, graph, stop);
        let terminal = prover.lit(network.terminal);
        prover.clause(&[!terminal]);
        for (place, &legal) in network.legal.iter().enumerate() {
            let done = prover.done(place);
            let legal = prover.lit(legal);
            prover.clause(&[!done, legal]);
            // A role is idle only if it has no legal move.
            if let Some(idle) = network.idle[network.moves[place].0.index()] {
                let idle = prover.lit(Edge::of(idle.node()));
                prover.clause(&[!idle, !legal]);
            }
        }
        prover
    }

    /// A prover for all positions, including terminal ones; nothing is assumed about the moves that
    /// are made.
    pub(crate) fn anywhere(network: &'a Network, stop: &Stop) -> Self {
        Self::of_states(network, &network.graph, stop)
    }

    fn of_states(network: &'a Network, graph: &'a Graph, stop: &Stop) -> Self {
        let effort = Effort { conflicts: 0, spent: Cell::new(false), stop: stop.clone() };
        let options = SolverOpts { ccmin_mode: 1, ..SolverOpts::default() };
        let mut sat = Solver::new(options, effort);
        let yes = Lit::new(sat.new_var_default(), true);
        sat.add_clause_reuse(&mut vec![yes]);
        let mut wires = vec![None; graph.len()];
        wires[0] = Some(yes);
        let mut prover = Prover { network, graph, sat, wires, yes, asked: 0 };
        for node in 1..=graph.inputs() {
            prover.wires[node] = Some(prover.fresh());
        }
        // The groups contain the invariants, and that every role makes one move.
        for group in network.graph.groups() {
            let members: Vec<Lit> =
                group.members.iter().map(|&node| prover.lit(Edge::of(node))).collect();
            prover.at_most_one(&members);
            if group.exact {
                prover.clause(&members);
            }
        }
        for &(a, b) in &network.invariants.implied {
            let clause = [!prover.lit(Edge::of(a.node())), prover.lit(Edge::of(b.node()))];
            prover.clause(&clause);
        }
        prover
    }

    fn fresh(&mut self) -> Lit {
        Lit::new(self.sat.new_var_default(), true)
    }

    pub(crate) fn clause(&mut self, lits: &[Lit]) {
        self.sat.add_clause_reuse(&mut lits.to_vec());
    }

    /// The literal that is true when a move is made.
    pub(crate) fn done(&mut self, place: usize) -> Lit {
        self.lit(Edge::of(self.network.inputs[place].node()))
    }

    /// The literal of a wire.
    pub(crate) fn lit(&mut self, edge: Edge) -> Lit {
        if self.wires[edge.node().index()].is_none() {
            let open: Vec<_> = self
                .graph
                .reachable([edge])
                .into_iter()
                .filter(|node| self.wires[node.index()].is_none())
                .collect();
            for node in open {
                let whole = self.fresh();
                let mut last = vec![whole];
                for &child in self.graph.children(node) {
                    let part = self.known(child);
                    self.clause(&[!whole, part]);
                    last.push(!part);
                }
                self.clause(&last);
                self.wires[node.index()] = Some(whole);
            }
        }
        self.known(edge)
    }

    fn known(&self, edge: Edge) -> Lit {
        let wire = self.wires[edge.node().index()].unwrap_or(self.yes);
        if edge.negated() { !wire } else { wire }
    }

    fn at_most_one(&mut self, lits: &[Lit]) {
        if lits.len() <= 6 {
            for (place, &a) in lits.iter().enumerate() {
                for &b in &lits[..place] {
                    self.clause(&[!a, !b]);
                }
            }
            return;
        }
        // For each place, one literal that says whether an earlier one is true.
        let mut before: Option<Lit> = None;
        for &lit in lits {
            let so_far = self.fresh();
            self.clause(&[!lit, so_far]);
            if let Some(before) = before {
                self.clause(&[!before, so_far]);
                self.clause(&[!before, !lit]);
            }
            before = Some(so_far);
        }
    }

    /// A literal that implies that one of these is true.
    pub(crate) fn any(&mut self, lits: &[Lit]) -> Lit {
        let any = self.fresh();
        let mut clause = lits.to_vec();
        clause.push(!any);
        self.clause(&clause);
        any
    }

    /// A literal that implies that two wires differ.
    pub(crate) fn differ(&mut self, a: Edge, b: Edge) -> Lit {
        let (a, b) = (self.lit(a), self.lit(b));
        let differ = self.fresh();
        self.clause(&[!differ, a, b]);
        self.clause(&[!differ, !a, !b]);
        differ
    }

    /// Whether it is proven that these are never true together.
    pub(crate) fn never(&mut self, lits: &[Lit]) -> bool {
        self.asked += 1;
        let answer = self.sat.solve_limited(lits);
        answer == lbool::FALSE && !self.sat.cb().spent.get()
    }
}
