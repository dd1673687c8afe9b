//! Domains: the names that can occur in each argument.
//!
//! Every argument of every relation and function has a domain: the names that rules and facts can
//! put there. Domains are computed from heads, with variables bound by the positive conditions of
//! their rule. They are over-approximations, so a condition with a name outside the domain never
//! holds and can be reported.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Report;
use super::model::Model;
use crate::ast::{Effect, EffectKind, Formula, FormulaKind, StatementKind, Term, TermKind};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::suggest;
use magister_diagnostic::Span;

/// The amount of work after which the computation stops: a check must not cost more than the
/// reader.
const WORK: usize = 3_000_000;

/// An argument of a relation or function: the name, the arity, the index.
pub(super) type Position<'a> = (&'a str, usize, usize);

/// A symbol that can occur in an argument: a constant, or a function with its arity.
pub(super) type Symbol<'a> = (&'a str, usize);

/// The positions of each variable in positive conditions.
type Bound<'a> = BTreeMap<&'a str, Vec<Position<'a>>>;

/// The parts of a rule or of an operation's effect that concern domains.
struct Flow<'a> {
    head: &'a Term,
    /// The positions of each variable in positive conditions.
    bound: Bound<'a>,
}

/// The domains of all arguments.
#[derive(Default)]
pub(super) struct Domains<'a> {
    known: FxHashMap<Position<'a>, FxHashSet<Symbol<'a>>>,
    /// Arguments that may have any value.
    open: FxHashSet<Position<'a>>,
}

pub(super) fn check<'a>(model: &Model<'a>, domains: &Domains<'a>, report: &mut Report) {
    let mut said = FxHashSet::default();
    let mut ask = |formula: &'a Formula| {
        formula.atoms(&mut |atom, _| constants(model, domains, atom, &mut said, report));
    };
    for statement in &model.rules.statements {
        match &statement.kind {
            StatementKind::Rule(rule) => rule.body.iter().for_each(&mut ask),
            StatementKind::Operation(operation) => operation.conditions(&mut ask),
            StatementKind::Definition(..) | StatementKind::Stray(_) => {}
        }
    }
    for clause in &model.clauses {
        disjoint(domains, clause.body, report);
    }
    undeclared(model, domains, report);
}

/// Reports names in `init`, `next` or `legal` that `base` or `input` does not allow.
fn undeclared<'a>(model: &Model<'a>, domains: &Domains<'a>, report: &mut Report) {
    let mut declared = Domains::default();
    // The fluents of `base` and the moves of `input`; `None` if they may be anything.
    let mut listed: FxHashMap<&str, Option<FxHashSet<Symbol<'a>>>> = FxHashMap::default();
    let is_declaration = |head: &Term| head.is("base", 1) || head.is("input", 2);
    for clause in model.clauses.iter().filter(|clause| is_declaration(clause.head)) {
        let bound = bound(model, clause.body);
        let Some(inner) = clause.head.args().last() else { continue };
        let by = if clause.head.is("base", 1) { "base" } else { "input" };
        let here = listed.entry(by).or_insert_with(|| Some(FxHashSet::default()));
        let values = match (symbol(inner), &inner.kind) {
            (Some(symbol), _) => Some(vec![symbol]),
            (None, TermKind::Variable(name)) => domains.values(bound.get(name.as_str()), &mut 0),
            _ => None,
        };
        match (here.as_mut(), values) {
            (Some(here), Some(values)) => here.extend(values),
            _ => *here = None,
        }
        places(inner, &mut |position, term| {
            let values = match (symbol(term), &term.kind) {
                (Some(symbol), _) => Some(vec![symbol]),
                (None, TermKind::Variable(name)) => {
                    domains.values(bound.get(name.as_str()), &mut 0)
                }
                _ => None,
            };
            match values {
                Some(values) => declared.known.entry(position).or_default().extend(values),
                None => _ = declared.open.insert(position),
            }
        });
    }
    let (mut said, mut reported) = (FxHashSet::default(), FxHashSet::default());
    for clause in &model.clauses {
        // Other relations may have these names with other numbers of arguments.
        let by = if clause.head.is("init", 1) || clause.head.is("next", 1) {
            "base"
        } else if clause.head.is("legal", 2) {
            "input"
        } else {
            continue;
        };
        let Some(inner) = clause.head.args().last() else { continue };
        if let (Some(Some(listed)), Some(symbol)) = (listed.get(by), symbol(inner))
            && !listed.contains(&symbol)
            && reported.insert(symbol)
        {
            let what = if by == "base" { "fluent" } else { "move" };
            let message = format!("`{by}` does not list the {what} `{}`", symbol.0);
            let diagnostic = Diagnostic::new(Code::OutsideDomain, inner.span, message);
            report.push(diagnostic.help(allowed(symbol.0, listed, by)));
        }
        let mut found: Vec<(Position<'a>, &'a Term)> = Vec::new();
        places(inner, &mut |position, term| found.push((position, term)));
        for (position, term) in found {
            let (Some(symbol), Some(domain)) = (symbol(term), declared.of(&position)) else {
                continue;
            };
            if domain.is_empty() || domain.contains(&symbol) || !said.insert((position, symbol)) {
                continue;
            }
            let message = format!(
                "`{}` is not a value that `{by}` allows as the {} argument of `{}`",
                symbol.0,
                ordinal(position.2),
                position.0
            );
            let diagnostic = Diagnostic::new(Code::OutsideDomain, term.span, message);
            report.push(diagnostic.help(allowed(symbol.0, domain, by)));
        }
    }
}

/// The name that was probably intended, or the allowed names.
fn allowed(wrong: &str, domain: &FxHashSet<Symbol<'_>>, by: &str) -> String {
    let mut known: Vec<&str> = domain.iter().map(|&(name, _)| name).collect();
    known.sort_unstable();
    let shown: Vec<&str> = known.iter().copied().take(SHOWN).collect();
    let more = if known.len() > SHOWN { ", ..." } else { "" };
    match suggest::nearest(wrong, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("allowed by {by}: {}{more}", shown.join(", ")),
    }
}

/// Reports the names in a condition that are outside of the domain of their argument.
fn constants<'a>(
    model: &Model<'a>,
    domains: &Domains<'a>,
    atom: &'a Term,
    said: &mut FxHashSet<(Position<'a>, Symbol<'a>)>,
    report: &mut Report,
) {
    if model.builtin(atom).is_some() || atom.name().is_some_and(|name| name == "distinct") {
        return;
    }
    let mut found: Vec<(Position<'a>, &'a Term)> = Vec::new();
    places(atom, &mut |position, term| found.push((position, term)));
    for (position, term) in found {
        let Some(symbol) = symbol(term) else { continue };
        let Some(domain) = domains.of(&position) else { continue };
        // A fluent that is never true, or a move that is never legal, is reported by another check.
        if matches!(position.0, "true" | "does" | "legal" | "init" | "next" | "base" | "input")
            || domain.is_empty()
            || domain.contains(&symbol)
            || !said.insert((position, symbol))
        {
            continue;
        }
        // A difference in case, or in the number of arguments, is reported by another check.
        let folded = symbol.0.to_lowercase();
        if domain.iter().any(|(name, _)| name.to_lowercase() == folded) {
            continue;
        }
        // Goal values and roles are checked elsewhere.
        if matches!((position.0, position.2), ("goal", _) | ("role" | "does" | "legal", 0)) {
            continue;
        }
        let mut diagnostic = Diagnostic::new(
            Code::OutsideDomain,
            term.span,
            format!(
                "`{}` is never the {} argument of `{}`, so this never holds",
                symbol.0,
                ordinal(position.2),
                position.0
            ),
        );
        if !report.found.is_full() {
            diagnostic = diagnostic.help(allowed(symbol.0, domain, "the rules"));
        }
        report.push(diagnostic);
    }
}

/// The number of names of a domain in a help text.
const SHOWN: usize = 6;

/// Reports variables of a rule whose positive conditions have no common value.
fn disjoint<'a>(domains: &Domains<'a>, body: &'a [Formula], report: &mut Report) {
    let mut seen: BTreeMap<&str, Vec<(Position<'a>, Span)>> = BTreeMap::new();
    positive(body, &mut |atom| {
        places(atom, &mut |position, term| {
            if let TermKind::Variable(name) = &term.kind {
                seen.entry(name.as_str()).or_default().push((position, term.span));
            }
        });
    });
    let mut found: Vec<(Span, String, Span, String)> = Vec::new();
    for (name, places) in &seen {
        let known = places.iter().filter_map(|(position, span)| {
            domains.of(position).filter(|domain| !domain.is_empty()).map(|d| (position, *span, d))
        });
        let known: Vec<_> = known.collect();
        let pair = known.iter().enumerate().find_map(|(at, later)| {
            let clash = |earlier: &&(&Position<'a>, Span, &FxHashSet<Symbol<'a>>)| {
                earlier.2.is_disjoint(later.2)
            };
            known[..at].iter().find(clash).map(|earlier| (earlier, later))
        });
        if let Some((earlier, later)) = pair {
            let message = format!(
                "no value fits `{name}` both as the {} argument of `{}` and as the {} of `{}`, so \
                 this rule never applies",
                ordinal(earlier.0.2),
                earlier.0.0,
                ordinal(later.0.2),
                later.0.0,
            );
            let related = format!("the {} argument of `{}`", ordinal(earlier.0.2), earlier.0.0);
            found.push((later.1, message, earlier.1, related));
        }
    }
    found.sort();
    for (span, message, at, related) in found {
        report.push(
            Diagnostic::new(Code::DisjointDomains, span, message)
                .related(at, related)
                .help("is a value misspelt, or are two arguments swapped?"),
        );
    }
}

impl<'a> Domains<'a> {
    /// The domains of a rulesheet; `None` if computing them would take too long.
    pub(super) fn new(model: &Model<'a>) -> Option<Self> {
        let flows = flows(model);
        let mut domains = Domains::default();
        let mut work = 0;
        loop {
            let mut grown = false;
            for flow in &flows {
                grown |= domains.head(flow, &mut work);
                if work > WORK {
                    return None;
                }
            }
            // Legal moves may be made.
            for role_or_move in 0..2 {
                grown |= domains.copy(("legal", 2, role_or_move), ("does", 2, role_or_move));
            }
            for source in ["init", "next"] {
                grown |= domains.copy((source, 1, 0), ("true", 1, 0));
            }
            if !grown {
                return Some(domains);
            }
        }
    }

    /// The domain of an argument; `None` if it may be anything.
    pub(super) fn of(&self, position: &Position<'a>) -> Option<&FxHashSet<Symbol<'a>>> {
        if self.open.contains(position) { None } else { self.known.get(position) }
    }

    fn copy(&mut self, from: Position<'a>, to: Position<'a>) -> bool {
        if self.open.contains(&from) {
            return self.open.insert(to);
        }
        let Some(from) = self.known.get(&from).cloned() else { return false };
        let to = self.known.entry(to).or_default();
        let before = to.len();
        to.extend(from);
        to.len() > before
    }

    /// Adds the values of a head to its arguments' domains; returns whether anything was new.
    fn head(&mut self, flow: &Flow<'a>, work: &mut usize) -> bool {
        let mut grown = false;
        let mut found: Vec<(Position<'a>, &'a Term)> = Vec::new();
        places(flow.head, &mut |position, term| found.push((position, term)));
        for (position, term) in found {
            *work += 1;
            if let Some(symbol) = symbol(term) {
                grown |= self.known.entry(position).or_default().insert(symbol);
                continue;
            }
            let TermKind::Variable(name) = &term.kind else {
                grown |= self.open.insert(position);
                continue;
            };
            match self.values(flow.bound.get(name.as_str()), work) {
                // A view in Gamemaster's dialect may leave a variable to the query.
                None => grown |= self.open.insert(position),
                Some(values) => {
                    let domain = self.known.entry(position).or_default();
                    let before = domain.len();
                    domain.extend(values);
                    grown |= domain.len() > before;
                }
            }
        }
        grown
    }

    /// The possible values of a variable with these positive conditions; `None` if it may be
    /// anything.
    fn values(
        &self,
        places: Option<&Vec<Position<'a>>>,
        work: &mut usize,
    ) -> Option<Vec<Symbol<'a>>> {
        let closed: Vec<_> = places?.iter().filter(|place| !self.open.contains(place)).collect();
        let first = closed.first()?;
        let mut values: Vec<Symbol<'a>> =
            self.known.get(*first).map(|d| d.iter().copied().collect()).unwrap_or_default();
        for place in &closed[1..] {
            match self.known.get(*place) {
                Some(domain) => values.retain(|symbol| domain.contains(symbol)),
                None => values.clear(),
            }
        }
        *work += values.len() + 1;
        Some(values)
    }
}

/// Every rule, and every effect of every operation with its conditions.
fn flows<'a>(model: &Model<'a>) -> Vec<Flow<'a>> {
    let mut flows: Vec<Flow<'a>> = Vec::new();
    // `base` and `input` declare what is possible, not what is true.
    let states = |head: &Term| !head.is("base", 1) && !head.is("input", 2);
    for clause in model.clauses.iter().filter(|clause| states(clause.head)) {
        flows.push(Flow { head: clause.head, bound: bound(model, clause.body) });
    }
    for (operation, _) in model.rules.operations() {
        let mut stack: Vec<(&'a [Effect], Bound<'a>)> = vec![(&operation.effects, Bound::new())];
        while let Some((effects, outer)) = stack.pop() {
            for effect in effects {
                match &effect.kind {
                    // The action's own variables may have any legal value; they stay open.
                    EffectKind::Add(term) => {
                        flows.push(Flow { head: term, bound: outer.clone() });
                    }
                    EffectKind::Delete(_) => {}
                    EffectKind::When(conditions, inner) => {
                        let mut all = outer.clone();
                        for (name, more) in bound(model, conditions) {
                            all.entry(name).or_default().extend(more);
                        }
                        stack.push((inner, all));
                    }
                }
            }
        }
    }
    flows
}

/// The positions of each variable in the positive conditions of a body.
fn bound<'a>(model: &Model<'a>, body: &'a [Formula]) -> Bound<'a> {
    let mut bound = Bound::new();
    positive(body, &mut |atom| {
        if model.builtin(atom).is_some() {
            return;
        }
        places(atom, &mut |position, term| {
            if let TermKind::Variable(name) = &term.kind {
                bound.entry(name.as_str()).or_default().push(position);
            }
        });
    });
    bound
}

/// The atoms of a body that must hold, which excludes members of disjunctions.
pub(super) fn positive<'a>(body: &'a [Formula], visit: &mut impl FnMut(&'a Term)) {
    for formula in body {
        match &formula.kind {
            FormulaKind::Atom(atom) => {
                if atom.name().is_some_and(|name| name != "distinct") {
                    visit(atom);
                }
            }
            FormulaKind::And(all) => positive(all, visit),
            FormulaKind::Not(_) | FormulaKind::Or(_) => {}
        }
    }
}

/// All arguments of an atom, including nested ones, with their positions.
pub(super) fn places<'a>(atom: &'a Term, visit: &mut impl FnMut(Position<'a>, &'a Term)) {
    let (Some(name), args) = (atom.name(), atom.args()) else { return };
    for (index, argument) in args.iter().enumerate() {
        visit((name.as_str(), args.len(), index), argument);
        if matches!(argument.kind, TermKind::Compound(..)) {
            places(argument, visit);
        }
    }
}

/// The top-level name of a term; `None` for variables and lists.
fn symbol(term: &Term) -> Option<Symbol<'_>> {
    match &term.kind {
        TermKind::Constant(name) => Some((name.as_str(), 0)),
        TermKind::Compound(name, args) => Some((name.as_str(), args.len())),
        _ => None,
    }
}

fn ordinal(index: usize) -> String {
    match index {
        0 => "first".to_owned(),
        1 => "second".to_owned(),
        2 => "third".to_owned(),
        _ => format!("{}th", index + 1),
    }
}
