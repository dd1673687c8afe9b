//! Invariants of reachable states: fluents that exclude each other, such as the contents of a cell,
//! and implications between fluents. They are guessed from the terms of fluents and from random
//! play, and proven by induction: they are true initially, and every step of legal moves from a
//! state that satisfies all of them preserves them.

use batsat::Lit;
use magister_core::{Halt, Stop};
use rustc_hash::FxHashMap;

use super::graph::{Edge, Group};
use super::guess::{Claim, Hints};
use super::sample::Samples;
use super::solver::{Answer, Solver};
use super::{Invariants, Network, NodeId};

/// The maximum number of gate inputs of a network for which proofs are attempted.
const LARGEST: usize = 600_000;

/// The maximum work of a proof attempt.
pub(super) const EFFORT: u64 = 500_000;

/// The amount of random play: steps times gate inputs.
const SAMPLED: usize = 24_000_000;

/// The provable invariants of a plain network.
pub(super) fn prove(network: &Network, hints: &Hints<'_>, stop: &Stop) -> Result<Invariants, Halt> {
    prove_within(network, hints, EFFORT, stop)
}

/// The invariants of a plain network that are provable with an amount of work.
pub(super) fn prove_within(
    network: &Network,
    hints: &Hints<'_>,
    effort: u64,
    stop: &Stop,
) -> Result<Invariants, Halt> {
    let edges = network.graph.edges();
    if edges > LARGEST {
        return Ok(Invariants::default());
    }
    let samples = Samples::new(network, (SAMPLED / edges.max(1)).clamp(12, 160));
    let guesses = hints.guesses(&samples);
    let mut proof = Proof::new(network, Vec::new(), stop);
    let mut failed = proof.try_all(guesses, effort)?;
    if !failed.is_empty() && proof.proven.iter().any(|&proven| proven) {
        // The claims proven so far may make more claims provable.
        failed = proof.try_all(failed, effort)?;
    }
    if !failed.is_empty() {
        // The proof of a claim may need an implication.
        let implied = hints.implications(&samples);
        if !implied.is_empty() {
            let wanted: Vec<Claim> = failed.into_iter().flatten().collect();
            proof.try_with(wanted, implied, effort)?;
        }
    }
    Ok(proof.invariants())
}

/// The claims that hold in every reachable state. Those of a set are tried together, within the
/// given work.
pub(super) fn constants(
    network: &Network,
    sets: Vec<(Vec<Claim>, u64)>,
    stop: &Stop,
) -> Result<Vec<Claim>, Halt> {
    let about = sets.iter().flat_map(|(set, _)| set).filter_map(|claim| match *claim {
        Claim::When(_, edge) => Some(edge),
        _ => None,
    });
    let mut proof = Proof::new(network, about.collect(), stop);
    for (set, effort) in sets {
        set.into_iter().for_each(|claim| proof.add(claim));
        proof.run(effort)?;
        proof.settle();
    }
    let proven = (0..proof.claims.len()).filter(|&at| proof.proven[at]);
    Ok(proven.map(|at| proof.claims[at].clone()).collect())
}

/// Claims and their clauses.
struct Proof<'a> {
    network: &'a Network,
    stop: &'a Stop,
    solver: Solver,
    /// The literals of wires in the next state.
    wires: Vec<Option<Lit>>,
    claims: Vec<Claim>,
    /// The current claims, which are assumed of the state and tested on the next state.
    alive: Vec<bool>,
    proven: Vec<bool>,
    /// For every claim, the literal under which it is assumed of the state.
    assumed: Vec<Lit>,
    /// For every claim, the literal that is true if the next state violates it.
    broken: Vec<Lit>,
    /// The amount of work at which the current attempt ends.
    end: u64,
}

impl<'a> Proof<'a> {
    /// A proof without claims. Claims may be about the wires `about`.
    fn new(network: &'a Network, about: Vec<Edge>, stop: &'a Stop) -> Self {
        let mut outputs = about;
        outputs.extend(&network.legal);
        outputs.push(network.terminal);
        outputs.extend(&network.next);
        let mut solver = Solver::new(network, outputs, stop);
        solver.assume_legal(network);
        solver.assume_implied(network);
        let (claims, alive, proven) = (Vec::new(), Vec::new(), Vec::new());
        let (assumed, broken) = (Vec::new(), Vec::new());
        let wires = Vec::new();
        Self { network, stop, solver, wires, claims, alive, proven, assumed, broken, end: 0 }
    }

    /// Adds a claim to be tried.
    fn add(&mut self, claim: Claim) {
        let (network, solver) = (self.network, &mut self.solver);
        let now = |solver: &Solver, node: NodeId| solver.lit(Edge::of(node));
        let next = |solver: &Solver, node: NodeId| solver.lit(network.next[node.fluent().index()]);
        let it = solver.fresh();
        let broken = match &claim {
            Claim::AtMostOne(nodes) => {
                let lits: Vec<Lit> = nodes.iter().map(|&n| now(solver, n)).collect();
                let two = solver.two(&lits);
                solver.clause(&[!it, !two]);
                let lits: Vec<Lit> = nodes.iter().map(|&n| next(solver, n)).collect();
                solver.two(&lits)
            }
            Claim::AtLeastOne(nodes) => {
                let mut lits: Vec<Lit> = nodes.iter().map(|&n| now(solver, n)).collect();
                lits.push(!it);
                solver.clause(&lits);
                let (first, rest) = (next(solver, nodes[0]), &nodes[1..]);
                rest.iter().fold(!first, |none, &n| {
                    let lit = next(solver, n);
                    solver.and(none, !lit)
                })
            }
            &Claim::Implies(a, b) => {
                let (now_a, now_b) = (now(solver, a), now(solver, b));
                solver.clause(&[!it, !now_a, now_b]);
                let (next_a, next_b) = (next(solver, a), next(solver, b));
                solver.and(next_a, !next_b)
            }
            &Claim::When(when, edge) => {
                let (now_when, now_edge) = (solver.lit(when), solver.lit(edge));
                solver.clause(&[!it, !now_when, now_edge]);
                let wires = &mut self.wires;
                let next_when = solver.next(network, wires, when);
                let next_edge = solver.next(network, wires, edge);
                solver.and(next_when, !next_edge)
            }
        };
        self.claims.push(claim);
        self.alive.push(true);
        self.proven.push(false);
        self.assumed.push(it);
        self.broken.push(broken);
    }

    /// Tries sets of claims separately. Returns those that were not completely proven.
    fn try_all(&mut self, sets: Vec<Vec<Claim>>, effort: u64) -> Result<Vec<Vec<Claim>>, Halt> {
        let mut failed = Vec::new();
        for set in sets {
            let first = self.claims.len();
            set.into_iter().for_each(|claim| self.add(claim));
            self.run(effort)?;
            self.settle();
            let left: Vec<Claim> = (first..self.claims.len())
                .filter(|&at| !self.proven[at])
                .map(|at| self.claims[at].clone())
                .collect();
            if !left.is_empty() {
                failed.push(left);
            }
        }
        Ok(failed)
    }

    /// Tries claims together with implications, and keeps the implications that the claims need.
    fn try_with(
        &mut self,
        wanted: Vec<Claim>,
        implied: Vec<(NodeId, NodeId)>,
        effort: u64,
    ) -> Result<(), Halt> {
        let first = self.claims.len();
        wanted.into_iter().for_each(|claim| self.add(claim));
        let end = self.claims.len();
        implied.into_iter().for_each(|(a, b)| self.add(Claim::Implies(a, b)));
        self.run(effort)?;
        let mut needed: Vec<bool> =
            (0..self.claims.len()).map(|at| (first..end).contains(&at)).collect();
        loop {
            let asked: Vec<usize> = self.living().filter(|&at| needed[at]).collect();
            if asked.is_empty() || self.ask(&asked) != Answer::Never {
                needed.fill(!asked.is_empty()); // All of them were proven together.
                break;
            }
            let mut more = false;
            for (at, needed) in needed.iter_mut().enumerate() {
                if self.alive[at] && !*needed && self.solver.needed(self.assumed[at]) {
                    *needed = true;
                    more = true;
                }
            }
            if !more {
                break;
            }
        }
        for (alive, needed) in self.alive.iter_mut().zip(needed) {
            *alive &= needed;
        }
        self.settle();
        Ok(())
    }

    /// Marks the current claims as proven.
    fn settle(&mut self) {
        for (alive, proven) in self.alive.iter_mut().zip(&mut self.proven) {
            *proven |= std::mem::take(alive);
        }
    }

    fn living(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.claims.len()).filter(|&at| self.alive[at])
    }

    /// Asks whether one of these claims can be violated if the current and the proven ones are
    /// assumed.
    fn ask(&mut self, claims: &[usize]) -> Answer {
        let one = self.solver.fresh();
        let mut clause: Vec<Lit> = claims.iter().map(|&at| self.broken[at]).collect();
        clause.push(!one);
        self.solver.clause(&clause);
        let assumed = (0..self.claims.len()).filter(|&at| self.alive[at] || self.proven[at]);
        let mut question: Vec<Lit> = assumed.map(|at| self.assumed[at]).collect();
        question.push(one);
        self.solver.ask(&question)
    }

    /// Drops claims until the rest is inductive, or all if that takes too much work.
    fn run(&mut self, effort: u64) -> Result<(), Halt> {
        self.end = self.solver.work() + effort;
        loop {
            self.stop.check()?;
            let living: Vec<usize> = self.living().collect();
            if living.is_empty() {
                return Ok(());
            }
            match self.question(&living) {
                Answer::Never => return Ok(()),
                Answer::Maybe => self.drop_broken(),
                Answer::Unknown => {
                    // All at once is too hard; claims that are too hard on their own are dropped.
                    let mut changed = false;
                    for at in living {
                        self.stop.check()?;
                        if !self.alive[at] {
                            continue;
                        }
                        match self.question(&[at]) {
                            Answer::Never => continue,
                            Answer::Maybe => self.drop_broken(),
                            Answer::Unknown => self.alive[at] = false,
                        }
                        changed = true;
                    }
                    if !changed {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// A query with the remaining work.
    fn question(&mut self, claims: &[usize]) -> Answer {
        if self.solver.work() > self.end {
            self.alive.fill(false);
            return Answer::Never;
        }
        self.ask(claims)
    }

    /// Drops the claims that the last counterexample violates.
    fn drop_broken(&mut self) {
        for at in 0..self.claims.len() {
            if self.alive[at] && self.solver.was(self.broken[at]) {
                self.alive[at] = false;
            }
        }
    }

    fn invariants(self) -> Invariants {
        let mut groups: Vec<Group> = Vec::new();
        let mut at_least: Vec<&Vec<NodeId>> = Vec::new();
        let mut implied = Vec::new();
        for at in (0..self.claims.len()).filter(|&at| self.proven[at]) {
            match &self.claims[at] {
                Claim::AtMostOne(members) => {
                    groups.push(Group { members: members.clone(), exact: false });
                }
                Claim::AtLeastOne(members) => at_least.push(members),
                &Claim::Implies(a, b) => implied.push((a.fluent(), b.fluent())),
                Claim::When(..) => {}
            }
        }
        at_least.sort_unstable();
        for group in &mut groups {
            group.exact = at_least.binary_search(&&group.members).is_ok();
        }
        for &members in &at_least {
            if members.len() == 1 {
                groups.push(Group { members: members.clone(), exact: true });
            }
        }
        Invariants { groups: largest(groups), implied }
    }
}

/// Removes groups that are contained in larger ones.
fn largest(mut groups: Vec<Group>) -> Vec<Group> {
    groups.sort_by_key(|g| (std::cmp::Reverse(g.members.len()), !g.exact, g.members[0]));
    let mut kept: Vec<Group> = Vec::new();
    let mut of: FxHashMap<NodeId, Vec<usize>> = FxHashMap::default();
    for group in groups {
        let covers = |k: &Group| {
            (k.exact || !group.exact)
                && group.members.iter().all(|m| k.members.binary_search(m).is_ok())
        };
        let near = of.get(&group.members[0]);
        if near.is_some_and(|list| list.iter().any(|&at| covers(&kept[at]))) {
            continue;
        }
        for &member in &group.members {
            of.entry(member).or_default().push(kept.len());
        }
        kept.push(group);
    }
    kept.sort_by(|a, b| a.members.cmp(&b.members));
    kept
}

#[cfg(test)]
mod tests {
    use magister_gdl::{Options, read};

    use super::super::{NetworkLimits, build::Builder, gdl::Numbered};
    use super::*;
    use crate::Program;
    use crate::grounder::{GroundLimits, Grounded, ground};

    fn plain(text: &str) -> (Grounded, Network) {
        let rules = read(text, &Options::default()).rules;
        let program = Program::new(&rules, text).unwrap();
        let ground = ground(&program, &GroundLimits::default(), &Stop::never()).unwrap();
        let limits = NetworkLimits::default();
        let numbered = Numbered::new(&ground);
        let never = Stop::never();
        let builder = Builder::new(&ground, limits, Invariants::default(), &never);
        let network = builder.network(&numbered).unwrap();
        (ground, network)
    }

    fn proven(ground: &Grounded, network: &Network) -> Invariants {
        prove(network, &Hints::Terms(ground), &Stop::never()).unwrap()
    }

    /// The groups of the proven invariants, as sorted texts.
    fn groups(ground: &Grounded, invariants: &Invariants) -> Vec<(Vec<String>, bool)> {
        let text = |node: &NodeId| {
            let term = ground.terms.export(ground.fluent(node.fluent().0));
            term.text(magister_gdl::Syntax::Kif)
        };
        let mut groups: Vec<(Vec<String>, bool)> = invariants
            .groups
            .iter()
            .map(|group| {
                let mut members: Vec<String> = group.members.iter().map(text).collect();
                members.sort();
                (members, group.exact)
            })
            .collect();
        groups.sort();
        groups
    }

    const LAMP: &str = "(role you) (init (lamp off)) (legal you wait)
        (<= (legal you press) (true (lamp off)))
        (<= (next (lamp on)) (does you press))
        (<= (next (lamp ?x)) (true (lamp ?x)) (not (does you press)))
        (<= terminal (true (lamp on))) (goal you 100)";

    #[test]
    fn a_lamp_is_on_or_off() {
        let (ground, network) = plain(LAMP);
        let proven = proven(&ground, &network);
        let both = vec!["(lamp off)".to_owned(), "(lamp on)".to_owned()];
        assert_eq!(groups(&ground, &proven), [(both, true)]);
    }

    #[test]
    fn late_violations_are_found() {
        // Both lamps are on at once only after a sequence of presses that random play is unlikely
        // to make.
        let mut text = String::from(
            "(role you) (init (step 0)) (init (lamp a)) (legal you press) (legal you b)
             (legal you c) (legal you d) (goal you 0) (<= terminal (true (step 40)))
             (<= (next (lamp a)) (true (lamp a)))
             (<= (next (step 0)) (true (step ?n)) (not (does you press)))
             (<= (next (step ?m)) (true (step ?n)) (does you press) (succ ?n ?m))
             (<= (next (lamp b)) (true (step 39)) (does you press))",
        );
        text.extend((0..40).map(|n| format!("(succ {n} {})", n + 1)));
        let (ground, network) = plain(&text);
        let proven = proven(&ground, &network);
        let groups = groups(&ground, &proven);
        assert!(groups.iter().all(|(members, _)| !members.contains(&"(lamp b)".to_owned())));
        assert!(groups.iter().any(|(members, exact)| members.len() == 41 && *exact), "the step");
    }

    #[test]
    fn a_proof_may_need_an_implication() {
        // A stack: the cell above an empty one is empty. Without this invariant, a cell could have
        // two contents.
        let text = "(role you) (init (cell 1 b)) (init (cell 2 b)) (init (cell 3 b))
            (succ 1 2) (succ 2 3) (legal you drop) (goal you 0)
            (<= (legal you wait) (not (true (cell 1 x))))
            (<= terminal (true (cell 3 x)))
            (<= (next (cell 1 x)) (does you drop) (true (cell 1 b)))
            (<= (next (cell ?n x)) (does you drop) (true (cell ?n b)) (succ ?m ?n)
                (true (cell ?m x)))
            (<= (next (cell ?n x)) (true (cell ?n x)))
            (<= (next (cell 1 b)) (true (cell 1 b)) (not (does you drop)))
            (<= (next (cell ?n b)) (true (cell ?m b)) (succ ?m ?n))
            (<= (next (cell ?n b)) (true (cell ?n b)) (not (does you drop)))";
        let (ground, network) = plain(text);
        let proven = proven(&ground, &network);
        assert_eq!(proven.groups.len(), 3, "{:?}", groups(&ground, &proven));
        assert!(!proven.implied.is_empty());
        // The result is inductive.
        let never = Stop::never();
        let mut again = Proof::new(&network, Vec::new(), &never);
        for group in &proven.groups {
            again.add(Claim::AtMostOne(group.members.clone()));
            if group.exact {
                again.add(Claim::AtLeastOne(group.members.clone()));
            }
        }
        proven.implied.iter().for_each(|&(a, b)| again.add(Claim::Implies(a.node(), b.node())));
        let count = again.claims.len();
        again.run(EFFORT).unwrap();
        assert_eq!(again.living().count(), count);
    }
}
