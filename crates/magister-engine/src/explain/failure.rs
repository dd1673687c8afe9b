//! Why something does not hold.

use std::cmp::Reverse;

use magister_core::Halt;
use rustc_hash::FxHashSet;

use super::build::{Before, Build};
use super::join::{Bounds, Instance, Instances, nearest_misses};
use super::near::{alike, hint, unknown};
use super::rank::{DEPTH, Distance};
use super::search::ground_atom;
use super::text;
use super::tree::{Claim, ProofId, Reason};
use super::words::Words;
use crate::program::{Atom, Goal, Literal, Names, Pattern, Rule};
use crate::reference::bind::UNBOUND;
use crate::reference::{Bindings, Computed};
use crate::term::{Functor, TermId};

/// The limits of the search for the nearest misses of one rule.
const BOUNDS: Bounds = Bounds { found: 1000, asked: 20_000 };
/// The maximum steps of one query: a query with fewer bindings than in the rules may be infinite.
const STEPS: u64 = 2_000_000;
/// The maximum number of nodes that explain a failure.
const NODES: usize = 20_000;

/// A condition whose node has no reason yet.
struct Job {
    node: ProofId,
    literal: Literal,
    names: Names,
    depth: u32,
}

impl Build<'_> {
    /// Explains a condition that holds for no values of its unbound variables.
    pub(super) fn fails(
        &mut self,
        literal: &Literal,
        names: &Names,
        bindings: &[TermId],
        depth: u32,
        history: u32,
    ) -> Result<ProofId, Halt> {
        let before = self.reference.limit_steps(STEPS);
        let result = self.fail(literal, names, bindings, depth, history);
        self.reference.limit_steps(before);
        result
    }

    fn fail(
        &mut self,
        literal: &Literal,
        names: &Names,
        bindings: &[TermId],
        depth: u32,
        history: u32,
    ) -> Result<ProofId, Halt> {
        let root = self.add(literal, names, bindings, false, Reason::Computed);
        let literal = self.under(literal, bindings);
        let mut rest = vec![Job { node: root, literal, names: names.clone(), depth }];
        while let Some(job) = rest.pop() {
            self.stop.check()?;
            let first = rest.len();
            let reason = self.reason(&job, history, &mut rest)?;
            self.out.cut |= reason == Reason::Deeper;
            self.out.node_mut(job.node).reason = reason;
            rest[first..].reverse();
        }
        Ok(root)
    }

    fn reason(&mut self, job: &Job, history: u32, rest: &mut Vec<Job>) -> Result<Reason, Halt> {
        if job.literal.negated {
            return self.present(job, history);
        }
        let unbound: Bindings = vec![UNBOUND; job.names.len()].into();
        Ok(match &job.literal.goal {
            Goal::Fluent(pattern) => {
                let near = alike(pattern, self.reference.state(), self.reference.terms());
                let fluent =
                    if let Pattern::Ground(fluent) = pattern { Some(*fluent) } else { None };
                let until = fluent.and_then(|fluent| self.until(fluent));
                if let (Some(fluent), true, true) = (fluent, history > 0, self.at > 0) {
                    let (node, step, depth) = (job.node, self.at, job.depth.max(1));
                    let history = history - 1;
                    self.before.push_back(Before { node, fluent, step, depth, history });
                }
                let hint = match (near.is_empty(), self.functor(pattern)) {
                    (true, Some(functor)) => unknown(self.reference.program(), functor),
                    _ => None,
                };
                Reason::NotInState { near, until, hint }
            }
            Goal::Does(role, _) => {
                let moves = self.reference.moves();
                let made = moves.iter().find(|(mover, _)| *role == Pattern::Ground(*mover));
                Reason::NotDone(made.map(|&(_, made)| made))
            }
            Goal::Distinct(..) => Reason::Refuted(None),
            goal @ Goal::Builtin(..) => match self.reference.compute(goal, &unbound)? {
                Computed::Values(_, values) => Reason::Refuted(values.first().copied()),
                Computed::Test(_) => Reason::Refuted(None),
            },
            goal @ Goal::Aggregate(..) => {
                Reason::Refuted(self.reference.aggregate(goal, &unbound, self.stop)?)
            }
            Goal::Relation(atom) => self.relation(job, atom, rest)?,
        })
    }

    fn functor(&self, pattern: &Pattern) -> Option<Functor> {
        match pattern {
            Pattern::Variable(_) => None,
            Pattern::Ground(term) => Some(self.reference.terms().functor(*term)),
            Pattern::Compound(symbol, args) => {
                Some(Functor { symbol: *symbol, arity: Some(args.len() as u32) })
            }
        }
    }

    /// Explains why a negated condition fails: its atom holds.
    fn present(&mut self, job: &Job, history: u32) -> Result<Reason, Halt> {
        let inner = Literal { negated: false, ..job.literal.clone() };
        let unbound: Bindings = vec![UNBOUND; job.names.len()].into();
        let solutions = self.reference.solutions(&inner, &unbound, self.stop)?;
        if let Some(bindings) = solutions.first() {
            let child = self.holds(&inner, &job.names, bindings, job.depth, history)?;
            self.out.node_mut(job.node).children.push(child);
            self.out.node_mut(job.node).more = solutions.len() as u32 - 1;
        }
        Ok(Reason::Present)
    }

    /// Explains why a relation fails: each of its rules does.
    fn relation(&mut self, job: &Job, atom: &Atom, rest: &mut Vec<Job>) -> Result<Reason, Halt> {
        let info = self.reference.program().relations[atom.relation.index()].clone();
        if info.rules.is_empty() && info.facts.is_empty() {
            return Ok(Reason::Undefined(hint(self.reference.program(), info.functor)));
        }
        let opened: Vec<(u32, Bindings)> = info
            .rules
            .iter()
            .filter_map(|&rule| Some((rule, self.reference.open_head(rule, &atom.args)?)))
            .collect();
        if opened.is_empty() {
            if info.rules.is_empty() {
                let pattern = match atom.args.len() {
                    0 => Pattern::Variable(0),
                    _ => Pattern::Compound(info.functor.symbol, atom.args.clone()),
                };
                let near = alike(&pattern, &info.facts, self.reference.terms());
                return Ok(Reason::NoFact(near));
            }
            let mut heads = info.rules;
            heads.dedup_by_key(|rule| self.reference.program().rules[*rule as usize].span);
            self.out.node_mut(job.node).more =
                (heads.len() as u32).saturating_sub(self.extent.width);
            heads.truncate(self.extent.width as usize);
            return Ok(Reason::NoHead(heads));
        }
        let key = (self.at, self.written(&job.literal, &job.names));
        if let Some(&shown) = self.failed.get(&key) {
            return Ok(Reason::Elsewhere(shown));
        }
        if job.depth == 0 || self.out.nodes.len() > NODES {
            return Ok(Reason::Deeper);
        }
        self.failed.insert(key, job.node);
        let count = opened.len() as u32;
        let mut misses: Vec<(u32, Instances)> = Vec::new();
        for (rule, bindings) in opened {
            match nearest_misses(self.reference, rule, &bindings, &atom.args, BOUNDS, self.stop) {
                Ok(found) => misses.push((rule, found)),
                Err(Halt::Limit(what) | Halt::Rules(what)) => {
                    let claim = Claim::Instance(rule, bindings);
                    let child = self.out.add(claim, false, self.at, Reason::Limit(what));
                    self.out.node_mut(job.node).children.push(child);
                }
                Err(halt) => return Err(halt),
            }
        }
        // The nearest misses come first; among equals, those in which most conditions hold.
        let width = self.width(job);
        let mut ranked = Vec::with_capacity(misses.len());
        // A miss without alternatives need not be measured.
        let choice = misses.len() > 1 || misses.iter().any(|(_, found)| found.found.len() > 1);
        for (rule, mut found) in misses {
            let distance =
                if choice { self.rank(rule, &mut found, DEPTH)? } else { Distance::default() };
            ranked.push((distance, Reverse(self.holding(rule, &found)), (rule, found)));
        }
        ranked.sort_by_key(|(distance, holding, _)| (*distance, *holding));
        let misses: Vec<(u32, Instances)> = ranked.into_iter().map(|(_, _, miss)| miss).collect();
        let shown = misses.len().min(width);
        self.out.node_mut(job.node).more += (misses.len() - shown) as u32;
        // One instance of each rule says more than several instances of one.
        let each = if shown > 1 { 1 } else { width };
        for (rule, found) in misses.into_iter().take(width) {
            self.misses(job, rule, &found, each, rest);
        }
        Ok(Reason::Misses(count))
    }

    /// The number of conditions that hold in the nearest miss of a rule.
    fn holding(&self, rule: u32, found: &Instances) -> usize {
        let length = self.reference.program().rules[rule as usize].body.len();
        let failing = |instance: &Instance| instance.failing.len() + instance.open.len();
        found.found.first().map_or(0, |instance| length - failing(instance))
    }

    /// Adds nodes for the first `each` of the nearest misses of a rule, and counts the others.
    fn misses(
        &mut self,
        job: &Job,
        rule: u32,
        found: &Instances,
        each: usize,
        rest: &mut Vec<Job>,
    ) {
        let info = self.reference.program().rules[rule as usize].clone();
        let mut shown: FxHashSet<Vec<String>> = FxHashSet::default();
        let mut last = None;
        let mut others = 0;
        for instance in &found.found {
            let literals = self.failing(&info, instance);
            let mut key: Vec<String> =
                literals.iter().map(|literal| self.written(literal, &info.names)).collect();
            let head = Goal::Relation(info.head.clone());
            let given = ground_atom(self.reference, &head, &instance.bindings);
            if literals.is_empty() {
                key.push(format!("{given:?}"));
            }
            let place = shown.len();
            if !shown.insert(key) {
                continue;
            }
            if let (true, Some(given), true) = (place < each, given, literals.is_empty()) {
                let claim = Claim::Instance(rule, instance.bindings.clone());
                let node = self.out.add(claim, true, self.at, Reason::Gives(given));
                self.out.node_mut(job.node).children.push(node);
            } else if place < each {
                last = Some(self.miss(job, rule, &info, instance, literals, rest));
            } else {
                others += 1;
            }
        }
        if let Some(last) = last
            && let Reason::Miss { more, at_least, .. } = &mut self.out.node_mut(last).reason
        {
            (*more, *at_least) = (others, found.cut);
        }
    }

    /// Adds a node for an instance of a rule, and jobs for its failing conditions.
    fn miss(
        &mut self,
        job: &Job,
        rule: u32,
        info: &Rule,
        instance: &Instance,
        failing: Vec<Literal>,
        rest: &mut Vec<Job>,
    ) -> ProofId {
        let open = instance.open.len();
        let hold = info.body.len() - failing.len() - open;
        let reason =
            Reason::Miss { hold: hold as u32, open: open as u32, more: 0, at_least: false };
        let claim = Claim::Instance(rule, instance.bindings.clone());
        let node = self.out.add(claim, false, self.at, reason);
        self.out.node_mut(job.node).children.push(node);
        for literal in failing {
            let claim = Claim::Literal(literal.clone(), info.names.clone());
            let child = self.out.add(claim, false, self.at, Reason::Computed);
            self.out.node_mut(node).children.push(child);
            let (names, depth) = (info.names.clone(), job.depth - 1);
            rest.push(Job { node: child, literal, names, depth });
        }
        node
    }

    /// The number of rules, and of instances of a rule, to show. The top level shows several; below
    /// it, the nearest is enough.
    fn width(&self, job: &Job) -> usize {
        let width = self.extent.width;
        let width = if job.depth == self.extent.depth { width } else { width / 3 };
        width.max(1) as usize
    }

    pub(super) fn written(&self, literal: &Literal, names: &Names) -> String {
        let (program, terms) = (self.reference.program(), self.reference.terms());
        let words = Words { program, terms, syntax: magister_gdl::Syntax::Kif };
        text::literal(&words, literal, names)
    }
}
