//! Dependencies between relations: stratification, recursion, and dependence on the state or on
//! moves.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Report;
use super::model::{Clause, Model};
use crate::ast::{Dialect, Formula, FormulaKind, Term, TermKind};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::name::Name;
use crate::scc;
use crate::vocabulary;
use magister_diagnostic::Span;

/// The maximum number of atom pairs to compare when rules are examined one by one.
const UNIFICATIONS: usize = 2_000_000;

/// A condition of a clause on a relation.
struct Edge {
    to: usize,
    negative: bool,
    span: Span,
}

struct Graph<'a> {
    model: &'a Model<'a>,
    /// The conditions, by head relation.
    edges: Vec<Vec<Edge>>,
    component: Vec<usize>,
}

pub(super) fn check(model: &Model<'_>, report: &mut Report) {
    let graph = Graph::new(model);
    graph.stratification(report);
    graph.recursion(report);
    if model.dialect != Dialect::Operations {
        graph.fixed_relations(report);
        graph.depends_on_moves(report);
    }
}

impl<'a> Graph<'a> {
    fn new(model: &'a Model<'a>) -> Self {
        let mut edges: Vec<Vec<Edge>> = Vec::new();
        edges.resize_with(model.relations.len(), Vec::new);
        for clause in &model.clauses {
            for formula in clause.body {
                for_each_dependency(model, formula, &mut |atom, negative| {
                    if let Some(to) = model.relation_of(atom) {
                        edges[clause.relation].push(Edge { to, negative, span: atom.span });
                    }
                });
            }
        }
        let component = scc::components(&edges, |edge| edge.to);
        Self { model, edges, component }
    }

    fn name(&self, relation: usize) -> String {
        self.model.relations[relation].name.to_string()
    }

    /// A relation may depend on its own negation as long as no atom does: `(goal ?r 0)` on the
    /// negation of `(goal ?r 100)` is fine. If a component contains a negation of its own
    /// relations, its rules are therefore examined one by one.
    fn stratification(&self, report: &mut Report) {
        let mut suspects: Vec<usize> = Vec::new();
        for (from, out) in self.edges.iter().enumerate() {
            let home = self.component[from];
            if out.iter().any(|e| e.negative && self.component[e.to] == home) {
                suspects.push(home);
            }
        }
        suspects.sort_unstable();
        suspects.dedup();
        if suspects.is_empty() {
            return;
        }
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); suspects.len()];
        for (id, clause) in self.model.clauses.iter().enumerate() {
            if let Ok(at) = suspects.binary_search(&self.component[clause.relation])
                && !clause.body.is_empty()
            {
                members[at].push(id);
            }
        }
        for clauses in members {
            self.stratified_rules(&clauses, report);
        }
    }

    /// Reports the first rule of a component that depends on its own negation.
    fn stratified_rules(&self, clauses: &[usize], report: &mut Report) {
        // Rules by head, and for each its dependencies on other rules.
        let mut by_relation: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (at, &clause) in clauses.iter().enumerate() {
            by_relation.entry(self.model.clauses[clause].relation).or_default().push(at);
        }
        let pairs: usize = clauses
            .iter()
            .flat_map(|&c| self.model.clauses[c].body)
            .map(|formula| {
                let mut count = 0;
                for_each_dependency(self.model, formula, &mut |atom, _| {
                    let rules = self.model.relation_of(atom).and_then(|r| by_relation.get(&r));
                    count += rules.map_or(0, Vec::len);
                });
                count
            })
            .sum();
        // Beyond the limit, every rule of a relation counts, which errs on the side of a report.
        let compare = pairs <= UNIFICATIONS;
        let mut asks: Vec<Vec<(usize, bool, &Term)>> = vec![Vec::new(); clauses.len()];
        for (at, &clause) in clauses.iter().enumerate() {
            for formula in self.model.clauses[clause].body {
                for_each_dependency(self.model, formula, &mut |atom, negative| {
                    let relation = self.model.relation_of(atom);
                    let Some(rules) = relation.and_then(|r| by_relation.get(&r)) else { return };
                    let head = |rule: usize| self.model.clauses[clauses[rule]].head;
                    if compare {
                        let possible = rules.iter().filter(|&&r| may_be_equal(atom, head(r)));
                        asks[at].extend(possible.map(|&r| (r, negative, atom)));
                    } else {
                        // One rule is enough, because all of them are in one cycle.
                        asks[at].push((rules[0], negative, atom));
                        asks[rules[0]].push((at, false, atom));
                    }
                });
            }
        }
        let component = scc::components(&asks, |&(rule, ..)| rule);
        for (at, all) in asks.iter().enumerate() {
            let culprit = all
                .iter()
                .find(|(rule, negative, _)| *negative && component[*rule] == component[at]);
            let Some(&(rule, _, atom)) = culprit else {
                continue;
            };
            let head = self.model.clauses[clauses[at]].head;
            let name = |t: &Term| t.name().map(ToString::to_string).unwrap_or_default();
            let mut diagnostic = Diagnostic::new(
                Code::Unstratified,
                atom.span,
                if rule == at {
                    format!("`{}` depends on its own negation", name(head))
                } else {
                    format!(
                        "`{}` depends on the negation of `{}`, which depends on it again",
                        name(head),
                        name(atom),
                    )
                },
            )
            .related(head.span, format!("the rule for `{}`", name(head)))
            .help("break the cycle: define one of them without the other");
            if rule != at {
                let other = self.model.clauses[clauses[rule]].head;
                diagnostic =
                    diagnostic.related(other.span, format!("a rule for `{}`", name(other)));
            }
            report.push(diagnostic);
            return;
        }
    }

    fn recursion(&self, report: &mut Report) {
        for clause in &self.model.clauses {
            let home = self.component[clause.relation];
            if !self.is_cyclic(home, clause.relation) {
                continue;
            }
            let mut parts = Recursion::default();
            self.split(clause.body, home, &mut parts);
            let mut head: FxHashSet<&Name> = FxHashSet::default();
            for argument in clause.head.args() {
                if let TermKind::Variable(name) = &argument.kind {
                    head.insert(name);
                }
            }
            for atom in &parts.cyclic {
                let unbounded = atom.args().iter().find(|argument| match &argument.kind {
                    TermKind::Variable(name) => {
                        !head.contains(name) && !parts.bounded.contains(name)
                    }
                    _ => !argument.is_ground() && !parts.has(argument, clause.head),
                });
                let Some(argument) = unbounded else { continue };
                let help = if matches!(argument.kind, TermKind::Compound(..)) {
                    "terms may grow without limit: add a condition that bounds them"
                } else {
                    "add a condition outside the recursion that says which values it may take"
                };
                report.push(
                    Diagnostic::new(
                        Code::UnboundedRecursion,
                        argument.span,
                        format!(
                            "this argument of the recursive condition `{}` is not bounded",
                            atom.name().map_or("", |n| n.as_str()),
                        ),
                    )
                    .related(clause.head.span, "the recursive head")
                    .help(help),
                );
            }
        }
    }

    /// Splits the positive conditions of a rule into those of its own cycle and those outside.
    fn split(&self, body: &'a [Formula], home: usize, parts: &mut Recursion<'a>) {
        for formula in body {
            match &formula.kind {
                FormulaKind::Atom(atom) => {
                    let test = atom.name().is_some_and(|n| n == "distinct")
                        || self.model.builtin(atom).is_some();
                    match self.model.relation_of(atom) {
                        Some(to) if self.component[to] == home => parts.cyclic.push(atom),
                        Some(_) if !test => {
                            parts.outside.push(atom);
                            atom.variables(&mut |name, _| _ = parts.bounded.insert(name));
                        }
                        _ => {}
                    }
                }
                FormulaKind::And(all) => self.split(all, home, parts),
                FormulaKind::Or(all) => {
                    // A disjunction bounds the variables that every member bounds.
                    let mut common: Option<FxHashSet<&Name>> = None;
                    for member in all {
                        let mut own = Recursion::default();
                        self.split(std::slice::from_ref(member), home, &mut own);
                        parts.cyclic.append(&mut own.cyclic);
                        common = Some(match common {
                            None => own.bounded,
                            Some(sofar) => sofar.intersection(&own.bounded).copied().collect(),
                        });
                    }
                    parts.bounded.extend(common.unwrap_or_default());
                }
                FormulaKind::Not(_) => {}
            }
        }
    }

    /// Whether a relation depends on itself, rather than being a trivial component.
    fn is_cyclic(&self, home: usize, relation: usize) -> bool {
        self.edges[relation].iter().any(|e| self.component[e.to] == home)
    }

    fn fixed_relations(&self, report: &mut Report) {
        let state = |r: usize| {
            matches!(
                self.model.relations[r].name.as_str(),
                "true" | "does" | "next" | "legal" | "goal" | "terminal" | "sees"
            )
        };
        let reaches = self.reaching(state);
        for clause in &self.model.clauses {
            let name = &self.model.relations[clause.relation].name;
            let fixed = vocabulary::keyword(self.model.dialect, name).is_some_and(|k| k.fixed)
                || *name == "action";
            if fixed && name.as_str() != "role" {
                self.forbid(clause, &reaches, state, Code::StaticDependsOnState, report);
            }
        }
    }

    fn depends_on_moves(&self, report: &mut Report) {
        let moves = |r: usize| self.model.relations[r].name.as_str() == "does";
        let reaches = self.reaching(moves);
        for clause in &self.model.clauses {
            let name = self.model.relations[clause.relation].name.as_str();
            if matches!(name, "legal" | "goal" | "terminal") {
                self.forbid(clause, &reaches, moves, Code::DependsOnMoves, report);
            }
        }
    }

    /// Reports the first condition of a clause from which a forbidden relation is reachable.
    fn forbid(
        &self,
        clause: &Clause<'_>,
        reaches: &[bool],
        forbidden: impl Fn(usize) -> bool,
        code: Code,
        report: &mut Report,
    ) {
        let mut culprit: Option<&Term> = None;
        for formula in clause.body {
            formula.atoms(&mut |atom, _| {
                if self.model.relation_of(atom).is_some_and(|r| reaches[r]) {
                    culprit.get_or_insert(atom);
                }
            });
        }
        let Some(atom) = culprit else { return };
        let Some(start) = self.model.relation_of(atom) else {
            return;
        };
        let head = self.name(clause.relation);
        let chain = if report.found.is_full() { Vec::new() } else { self.path(start, &forbidden) };
        let end = chain.last().map_or(start, |&(r, _)| r);
        let target = self.name(end);
        let message = if chain.is_empty() {
            format!("`{head}` must not depend on `{target}`")
        } else {
            format!(
                "`{head}` must not depend on `{target}`, but does through `{}`",
                self.name(start)
            )
        };
        let mut diagnostic = Diagnostic::new(code, atom.span, message);
        for (relation, at) in chain.iter().take(6) {
            diagnostic =
                diagnostic.related(*at, format!("`{}` is a condition here", self.name(*relation)));
        }
        diagnostic = diagnostic.help(match code {
            Code::DependsOnMoves => {
                "no move has been made yet in a state: store the move in a fluent with `next`"
            }
            _ => "it is fixed before the first move: use only facts and rules about facts",
        });
        report.push(diagnostic);
    }

    /// For every relation, whether a target is reachable from it (targets reach themselves).
    fn reaching(&self, target: impl Fn(usize) -> bool) -> Vec<bool> {
        let n = self.edges.len();
        let mut back = vec![Vec::new(); n];
        for (from, out) in self.edges.iter().enumerate() {
            for edge in out {
                back[edge.to].push(from);
            }
        }
        let mut seen = vec![false; n];
        let mut queue: Vec<usize> = (0..n).filter(|&r| target(r)).collect();
        while let Some(relation) = queue.pop() {
            if !std::mem::replace(&mut seen[relation], true) {
                queue.extend(&back[relation]);
            }
        }
        seen
    }

    /// A shortest chain of dependencies from `start` to a target: relations, and the position of
    /// each condition. Empty if `start` is a target.
    fn path(&self, start: usize, target: impl Fn(usize) -> bool) -> Vec<(usize, Span)> {
        let mut from: Vec<Option<(usize, Span)>> = vec![None; self.edges.len()];
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(relation) = queue.pop_front() {
            if target(relation) {
                let mut chain = Vec::new();
                let mut at = relation;
                while at != start {
                    let Some((before, span)) = from[at] else {
                        break;
                    };
                    chain.push((at, span));
                    at = before;
                }
                chain.reverse();
                return chain;
            }
            for edge in &self.edges[relation] {
                if edge.to != start && from[edge.to].is_none() {
                    from[edge.to] = Some((relation, edge.span));
                    queue.push_back(edge.to);
                }
            }
        }
        Vec::new()
    }
}

/// Calls `visit` on every atom in a formula; aggregates need all answers at once, so their contents
/// count as negated.
fn for_each_dependency<'a>(
    model: &Model<'a>,
    formula: &'a Formula,
    visit: &mut impl FnMut(&'a Term, bool),
) {
    fn inner<'a>(model: &Model<'a>, term: &'a Term, visit: &mut impl FnMut(&'a Term, bool)) {
        match &term.kind {
            TermKind::Compound(name, args) if matches!(name.as_str(), "and" | "or" | "not") => {
                args.iter().for_each(|a| inner(model, a, visit));
            }
            _ => {
                visit(term, true);
                if let Some(formula) = model.inner_formula(term) {
                    inner(model, formula, visit);
                }
            }
        }
    }
    let negative = matches!(formula.kind, FormulaKind::Not(_));
    match &formula.kind {
        FormulaKind::Atom(atom) => {
            visit(atom, false);
            if let Some(formula) = model.inner_formula(atom) {
                inner(model, formula, visit);
            }
        }
        FormulaKind::Not(inside) => {
            // An atom under any negation must be evaluated first, even under two.
            inside.atoms(&mut |atom, _| visit(atom, negative));
        }
        FormulaKind::And(all) | FormulaKind::Or(all) => {
            all.iter().for_each(|f| for_each_dependency(model, f, visit));
        }
    }
}

/// The positive conditions of a recursive rule.
#[derive(Default)]
struct Recursion<'a> {
    /// The conditions in a cycle with the head.
    cyclic: Vec<&'a Term>,
    /// The other conditions.
    outside: Vec<&'a Term>,
    /// The variables that the other conditions bound.
    bounded: FxHashSet<&'a Name>,
}

impl Recursion<'_> {
    /// Whether a compound term occurs in the head or in a condition outside the cycle.
    fn has(&self, term: &Term, head: &Term) -> bool {
        /// The maximum number of conditions to search.
        const MOST: usize = 1000;
        head.args().iter().take(MOST).any(|t| same_term(t, term))
            || self.outside.iter().take(MOST).any(|atom| occurs(term, atom))
    }
}

/// Whether `needle` occurs anywhere among the arguments of `atom`.
fn occurs(needle: &Term, atom: &Term) -> bool {
    let mut found = false;
    for argument in atom.args() {
        argument.walk(&mut |t| found |= same_term(t, needle));
    }
    found
}

/// Whether two atoms may have a common instance, by their names: variables match anything.
fn may_be_equal(a: &Term, b: &Term) -> bool {
    match (&a.kind, &b.kind) {
        (TermKind::Constant(x), TermKind::Constant(y)) => x == y,
        (TermKind::Compound(x, xs), TermKind::Compound(y, ys)) => {
            x == y && xs.len() == ys.len() && xs.iter().zip(ys).all(|(a, b)| may_be_equal(a, b))
        }
        (TermKind::Constant(_), TermKind::Compound(..))
        | (TermKind::Compound(..), TermKind::Constant(_)) => false,
        _ => true,
    }
}

fn same_term(a: &Term, b: &Term) -> bool {
    match (&a.kind, &b.kind) {
        (TermKind::Variable(x), TermKind::Variable(y))
        | (TermKind::Constant(x), TermKind::Constant(y)) => x == y,
        (TermKind::Compound(x, xs), TermKind::Compound(y, ys)) => {
            x == y && xs.len() == ys.len() && xs.iter().zip(ys).all(|(a, b)| same_term(a, b))
        }
        (TermKind::List(xs, x), TermKind::List(ys, y)) => {
            xs.len() == ys.len()
                && xs.iter().zip(ys).all(|(a, b)| same_term(a, b))
                && match (x, y) {
                    (None, None) => true,
                    (Some(x), Some(y)) => same_term(x, y),
                    _ => false,
                }
        }
        _ => false,
    }
}
