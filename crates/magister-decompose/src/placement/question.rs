//! Which moves of a puzzle of placements to make, as a SAT problem.

use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, lbool};
use magister_core::Stop;
use magister_engine::network::{Edge, Network};
use rustc_hash::FxHashMap;

use super::Placement;
use crate::fold::{UNKNOWN, fold, gates, is_false};

/// The number of conflicts after which a query is abandoned, so that results do not depend on the
/// clock.
const PATIENCE: u64 = 300_000;
/// The maximum number of steps of the context that are counted.
pub(super) const COUNTED: usize = 500;
/// The maximum number of gates of a counter of moves.
const COUNTER: usize = 2_000_000;
/// The maximum number of gates that are copied to test whether moves could be the last.
const COPIES: usize = 3_000_000;

/// Stops the solver by a flag, or after a number of conflicts.
pub(super) struct Effort {
    conflicts: u64,
    stop: Stop,
}

impl Callbacks for Effort {
    fn on_new_clause(&mut self, _clause: &[Lit], kind: ClauseKind) {
        self.conflicts += u64::from(kind == ClauseKind::Learnt);
    }

    fn stop(&self) -> bool {
        self.conflicts > PATIENCE || self.stop.is_set()
    }
}

/// The answer of the solver.
pub(super) enum Answer {
    /// A set of moves.
    Moves(Vec<usize>),
    /// There is no further set.
    None,
    /// The solver gave up.
    Unknown,
}

/// A set of moves and the state they lead to, as clauses.
pub(super) struct Question<'a> {
    pub(super) placement: &'a Placement,
    pub(super) network: &'a Network,
    pub(super) sat: Solver<Effort>,
    yes: Lit,
    /// Whether each move is made.
    pub(super) made: Vec<Lit>,
    /// The moves that change each fluent, and whether one of them is made, if that matters.
    pub(super) touching: Vec<Vec<usize>>,
    pub(super) changed: Vec<Option<Lit>>,
    /// The wires in the final state.
    pub(super) wires: Vec<Option<Lit>>,
    /// Fluents that have the same value in the final state as now.
    settled: Vec<Option<bool>>,
}

impl<'a> Question<'a> {
    pub(super) fn new(
        placement: &'a Placement,
        network: &'a Network,
        state: &[u64],
        stop: &Stop,
    ) -> Self {
        let holds =
            |fluent: usize| state.get(fluent / 64).is_some_and(|w| w >> (fluent % 64) & 1 == 1);
        let effort = Effort { conflicts: 0, stop: stop.clone() };
        let mut sat = Solver::new(SolverOpts::default(), effort);
        let moves = network.moves.len();
        let made: Vec<Lit> = (0..moves).map(|_| Lit::new(sat.new_var_default(), true)).collect();
        let yes = Lit::new(sat.new_var_default(), true);
        let mut wires: Vec<Option<Lit>> = vec![None; network.graph.len()];
        wires[0] = Some(yes);
        let settled = vec![None; network.fluents()];
        let touching = vec![Vec::new(); network.fluents()];
        let changed = vec![None; network.fluents()];
        let mut question =
            Question { placement, network, sat, yes, made, touching, changed, wires, settled };
        question.clause(&[yes]);
        let mut clearing = vec![false; network.fluents()];
        for place in 0..moves {
            for &fluent in placement.sets[place].iter().chain(&placement.clears[place]) {
                question.touching[fluent as usize].push(place);
            }
            placement.clears[place].iter().for_each(|&fluent| clearing[fluent as usize] = true);
        }
        for (fluent, &clears) in clearing.iter().enumerate() {
            let end = if placement.free[fluent] {
                question.fresh()
            } else if question.touching[fluent].is_empty() || holds(fluent) != clears {
                question.settled[fluent] = Some(holds(fluent));
                if holds(fluent) { yes } else { !yes }
            } else {
                // The fluent changes exactly if one of its moves is made.
                let changed = question.fresh();
                question.changed[fluent] = Some(changed);
                let mut some = vec![!changed];
                some.extend(question.touching[fluent].iter().map(|&place| question.made[place]));
                for &lit in &some[1..] {
                    question.clause(&[!lit, changed]);
                }
                question.clause(&some);
                if clears { !changed } else { changed }
            };
            question.wires[fluent + 1] = Some(end);
        }
        question.forbid_illegal();
        for &(a, b) in &placement.excluded {
            let clause = [!question.made[a as usize], !question.made[b as usize]];
            question.clause(&clause);
        }
        question.count_steps(&holds);
        question
    }

    fn fresh(&mut self) -> Lit {
        Lit::new(self.sat.new_var_default(), true)
    }

    pub(super) fn clause(&mut self, lits: &[Lit]) {
        self.sat.add_clause_reuse(&mut lits.to_vec());
    }

    /// The literal of a wire that has one.
    pub(super) fn known(&self, edge: Edge) -> Lit {
        let wire = self.wires[edge.node().index()].unwrap_or(self.yes);
        if edge.negated() { !wire } else { wire }
    }

    /// The literal that is true if all of these are.
    fn all(&mut self, lits: &[Lit]) -> Lit {
        let whole = self.fresh();
        let mut last = vec![whole];
        for &lit in lits {
            self.clause(&[!whole, lit]);
            last.push(!lit);
        }
        self.clause(&last);
        whole
    }

    /// The literal of a wire in the final state.
    fn lit(&mut self, edge: Edge) -> Lit {
        if self.wires[edge.node().index()].is_none() {
            for node in self.network.graph.reachable([edge]) {
                if self.wires[node.index()].is_none() {
                    let children = self.network.graph.children(node);
                    let lits: Vec<Lit> = children.iter().map(|&child| self.known(child)).collect();
                    self.wires[node.index()] = Some(self.all(&lits));
                }
            }
        }
        self.known(edge)
    }

    /// Excludes moves that are illegal now and in all later states.
    fn forbid_illegal(&mut self) {
        let mut values = vec![UNKNOWN; self.network.graph.len()];
        values[0] = 1;
        for (fluent, settled) in self.settled.iter().enumerate() {
            if let Some(value) = settled {
                values[fluent + 1] = u8::from(*value);
            }
        }
        let network = self.network;
        fold(&network.graph, &gates(&network.graph, network.legal.iter().copied()), &mut values);
        for place in 0..network.moves.len() {
            if is_false(&values, network.legal[place]) {
                let illegal = !self.made[place];
                self.clause(&[illegal]);
            }
        }
    }

    /// Gives fluents that change by themselves the values that they have after as many steps as
    /// moves are made.
    fn count_steps(&mut self, holds: &impl Fn(usize) -> bool) {
        let network = self.network;
        let free: Vec<usize> =
            (0..network.fluents()).filter(|&fluent| self.placement.free[fluent]).collect();
        if free.is_empty() {
            return;
        }
        let next = free.iter().map(|&fluent| network.next[fluent]);
        let gates = gates(&network.graph, next.chain([network.terminal]));
        let mut state: Vec<bool> = free.iter().map(|&fluent| holds(fluent)).collect();
        // The numbers of steps after which the game may be over, with the values of these fluents.
        let mut ends: Vec<(usize, Vec<bool>)> = Vec::new();
        for steps in 0..COUNTED.min(self.made.len() + 1) {
            let mut values = vec![UNKNOWN; network.graph.len()];
            values[0] = 1;
            for (&fluent, &value) in free.iter().zip(&state) {
                values[fluent + 1] = u8::from(value);
            }
            fold(&network.graph, &gates, &mut values);
            if !is_false(&values, network.terminal) {
                ends.push((steps, state.clone()));
            }
            if is_false(&values, !network.terminal) {
                break;
            }
            let after: Option<Vec<bool>> = free
                .iter()
                .map(|&fluent| {
                    let edge = network.next[fluent];
                    match values[edge.node().index()] {
                        UNKNOWN => None,
                        value => Some((value == 1) != edge.negated()),
                    }
                })
                .collect();
            let Some(after) = after else { return };
            state = after;
        }
        let most = ends.last().map_or(0, |end| end.0 + 1);
        if most.saturating_mul(self.made.len()) > COUNTER {
            return;
        }
        // Whether at least a number of moves are made, for every number up to the maximum.
        let mut counts = vec![!self.yes; most + 1];
        counts[0] = self.yes;
        for &made in &self.made.clone() {
            let before = counts.clone();
            for number in 1..=most {
                let (stays, one_less) = (before[number], before[number - 1]);
                if stays == !self.yes && one_less == !self.yes {
                    break;
                }
                let now = self.fresh();
                self.clause(&[!stays, now]);
                self.clause(&[!one_less, !made, now]);
                self.clause(&[!now, stays, one_less]);
                self.clause(&[!now, stays, made]);
                counts[number] = now;
            }
        }
        let mut some = Vec::new();
        for (steps, values) in ends {
            let exact = self.fresh();
            self.clause(&[!exact, counts[steps]]);
            self.clause(&[!exact, !counts[steps + 1]]);
            for (&fluent, value) in free.iter().zip(values) {
                let end = self.wires[fluent + 1].unwrap_or(self.yes);
                self.clause(&[!exact, if value { end } else { !end }]);
            }
            some.push(exact);
        }
        self.clause(&some);
    }

    /// Requires a terminal state with this goal value.
    pub(super) fn reach(&mut self, value: f64) {
        let goals = self.network.goals.iter().filter(|goal| goal.value == Some(value));
        let goals: Vec<Edge> = goals.map(|goal| goal.when).collect();
        let some: Vec<Lit> = goals.into_iter().map(|edge| self.lit(edge)).collect();
        self.clause(&some);
        let end = self.lit(self.network.terminal);
        self.clause(&[end]);
    }

    /// Requires that every move that is made is legal in the final state if it alone is undone.
    pub(super) fn could_be_last(&mut self) {
        let network = self.network;
        let mut left = COPIES;
        for place in 0..network.moves.len() {
            let nodes = network.graph.reachable([network.legal[place]]);
            if left < nodes.len() {
                return;
            }
            left -= nodes.len();
            let mut copies: FxHashMap<usize, Lit> = FxHashMap::default();
            for &fluent in &self.placement.sets[place] {
                copies.insert(fluent as usize + 1, !self.yes);
            }
            for &fluent in &self.placement.clears[place] {
                copies.insert(fluent as usize + 1, self.yes);
            }
            for node in nodes {
                if node.index() == 0 || copies.contains_key(&node.index()) {
                    continue;
                }
                if network.graph.is_input(node) {
                    // A fluent that changes by itself had another value when the move was made.
                    if self.placement.free.get(node.index() - 1) == Some(&true) {
                        let open = self.fresh();
                        copies.insert(node.index(), open);
                    }
                    continue;
                }
                let children = network.graph.children(node);
                if !children.iter().any(|child| copies.contains_key(&child.node().index())) {
                    continue;
                }
                let lits: Vec<Lit> = children
                    .iter()
                    .map(|&child| match copies.get(&child.node().index()) {
                        Some(&copy) if child.negated() => !copy,
                        Some(&copy) => copy,
                        None => self.lit(child),
                    })
                    .collect();
                let copy = self.all(&lits);
                copies.insert(node.index(), copy);
            }
            let legal = network.legal[place];
            let lit = match copies.get(&legal.node().index()) {
                Some(&copy) if legal.negated() => !copy,
                Some(&copy) => copy,
                None => self.lit(legal),
            };
            let made = self.made[place];
            self.clause(&[!made, lit]);
        }
    }

    /// A set of moves, if there is another one.
    pub(super) fn answer(&mut self) -> Answer {
        let found = self.sat.solve_limited(&[]);
        if found == lbool::FALSE {
            return Answer::None;
        }
        if found != lbool::TRUE {
            return Answer::Unknown;
        }
        let chosen = |&place: &usize| self.sat.value_lit(self.made[place]) == lbool::TRUE;
        Answer::Moves((0..self.made.len()).filter(chosen).collect())
    }

    /// Excludes this set of moves from further answers.
    pub(super) fn not_again(&mut self, chosen: &[usize]) {
        let other: Vec<Lit> = chosen.iter().map(|&place| !self.made[place]).collect();
        self.clause(&other);
    }
}
