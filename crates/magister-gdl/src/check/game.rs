//! The requirements of a game: roles, moves, goals, a terminal condition.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Report;
use super::model::{Model, for_each_atom};
use crate::ast::{Dialect, Syntax, Term, TermKind};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::suggest;
use crate::vocabulary;
use magister_diagnostic::Severity;
use magister_diagnostic::Span;

pub(super) fn check(model: &Model<'_>, report: &mut Report) {
    missing(model, report);
    roles(model, report);
    goal_values(model, report);
    if model.dialect != Dialect::Operations {
        never_true(model, report);
        never_legal(model, report);
    }
}

fn missing(model: &Model<'_>, report: &mut Report) {
    let prefix = model.rules.syntax == Syntax::Kif;
    let operations = model.dialect == Dialect::Operations;
    let legal: (&str, &str) = if operations {
        ("", "legal(a) :- ...")
    } else {
        ("(<= (legal x a) ...)", "legal(x,a) :- ...")
    };
    let wanted = [
        ("role", Code::NoRole, "role", ("(role x)", "role(x)")),
        (
            "terminal",
            Code::NoTerminal,
            "rule for terminal",
            ("(<= terminal ...)", "terminal :- ..."),
        ),
        ("goal", Code::NoGoal, "goal", ("(<= (goal x 100) ...)", "goal(x,100) :- ...")),
        ("legal", Code::NoLegal, "legal move", legal),
    ];
    for (name, code, what, (kif, infix)) in wanted {
        let defined = model.relations.iter().any(|r| *r.name == *name && !r.defined.is_empty());
        if !defined {
            report.push(
                Diagnostic::new(code, Span::default(), format!("the rulesheet has no {what}"))
                    .help(format!("add one: `{}`", if prefix { kif } else { infix })),
            );
        }
    }
}

fn roles(model: &Model<'_>, report: &mut Report) {
    let roles = model.roles();
    if roles.is_empty() {
        return;
    }
    let names: FxHashSet<&str> = roles.iter().map(|(n, _)| n.as_str()).collect();
    let open = model.heads("role", 1).any(|h| !h.is_ground());
    if !open {
        undeclared(model, &names, report);
    }
    let covered = |relation: &'static str| {
        let mut named: FxHashSet<&str> = FxHashSet::default();
        let mut everyone = false;
        for head in model.heads(relation, 2) {
            match &head.args()[0].kind {
                TermKind::Constant(name) => _ = named.insert(name.as_str()),
                _ => everyone = true,
            }
        }
        // Missing rules, and rules for undeclared roles, are reported by other checks.
        let stranger = named.iter().any(|name| !names.contains(name));
        let silent = stranger || (named.is_empty() && !everyone);
        move |role: &str| silent || everyone || named.contains(role)
    };
    let moves = covered("legal");
    let values = covered("goal");
    for (role, span) in &roles {
        if model.dialect != Dialect::Operations && !moves(role) {
            report.push(
                Diagnostic::new(
                    Code::RoleWithoutLegal,
                    *span,
                    format!("no rule gives `{role}` a legal move"),
                )
                .help("give it one, such as noop, in every state that is not terminal"),
            );
        }
        if *role != "random" && !values(role) {
            report.push(
                Diagnostic::new(
                    Code::RoleWithoutGoal,
                    *span,
                    format!("no rule gives `{role}` a goal value"),
                )
                .help("give its goal value in terminal states"),
            );
        }
    }
}

/// Words that are not names of roles but stand for any role.
const PRONOUNS: &[&str] = &["player", "role", "p", "r", "who", "me", "you", "opponent"];

/// A name as an infix variable.
fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn undeclared(model: &Model<'_>, names: &FxHashSet<&str>, report: &mut Report) {
    // The worst use determines the severity: a leftover head is harmless, but a condition about an
    // undeclared role never holds.
    let mut found: Vec<(&str, Severity, Span)> = Vec::new();
    let mut place: FxHashMap<&str, usize> = FxHashMap::default();
    for_each_atom(model.rules, &mut |atom| {
        let Some(relation) = atom.name() else { return };
        let about_role = match relation.as_str() {
            "goal" => true,
            "does" | "legal" | "input" | "sees" | "percept" => model.dialect != Dialect::Operations,
            _ => false,
        };
        if !about_role || atom.args().len() != 2 {
            return;
        }
        let TermKind::Constant(role) = &atom.args()[0].kind else { return };
        if names.contains(role.as_str()) {
            return;
        }
        let severity = if relation == "does" { Severity::Error } else { Severity::Warning };
        let at = *place.entry(role.as_str()).or_insert(found.len());
        match found.get_mut(at) {
            None => found.push((role.as_str(), severity, atom.args()[0].span)),
            Some(known) if severity < known.1 => {
                *known = (role.as_str(), severity, atom.args()[0].span);
            }
            Some(_) => {}
        }
    });
    let mut sorted: Vec<&str> = names.iter().copied().collect();
    sorted.sort_unstable();
    for (role, severity, span) in found {
        let mut diagnostic = Diagnostic::new(
            Code::UndeclaredRole,
            span,
            format!("`{role}` is not declared as a role"),
        )
        .severity(severity);
        if !report.found.is_full() {
            let declare = match model.rules.syntax {
                Syntax::Kif => format!("(role {role})"),
                Syntax::Infix => format!("role({role})"),
            };
            let variable = match model.rules.syntax {
                Syntax::Kif => format!("?{role}"),
                Syntax::Infix => capital(role),
            };
            diagnostic = diagnostic.help(match suggest::nearest(role, sorted.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if PRONOUNS.contains(&role) => {
                    format!("for any role write the variable `{variable}`")
                }
                None => format!(
                    "declare it with `{declare}`, use a declared role, or write the variable \
                     `{variable}` for any role"
                ),
            });
        }
        report.push(diagnostic);
    }
}

fn goal_values(model: &Model<'_>, report: &mut Report) {
    for head in model.heads("goal", 2) {
        let TermKind::Constant(value) = &head.args()[1].kind else {
            continue;
        };
        let fine = value.parse::<i64>().is_ok_and(|v| (0..=100).contains(&v));
        if !fine {
            report.push(
                Diagnostic::new(
                    Code::GoalValue,
                    head.args()[1].span,
                    format!("the goal value `{value}` is not a whole number from 0 to 100"),
                )
                .help("other programs may reject it"),
            );
        }
    }
}

/// The name and arity of a term; `None` for a variable.
fn key(term: &Term) -> Option<(&str, usize)> {
    Some((term.name()?.as_str(), term.args().len()))
}

/// The last argument of an atom by name and arity, and whether it is a variable.
fn last(atom: &Term) -> Option<(Option<(&str, usize)>, bool)> {
    atom.args().last().map(|t| (key(t), t.is_variable()))
}

/// Reports arguments of conditions `relation(.., x)` that no head in `sources` provides.
fn never(
    model: &Model<'_>,
    relation: (&'static str, usize),
    sources: &[(&'static str, usize)],
    describe: impl Fn(&str) -> Diagnostic,
    report: &mut Report,
) {
    let mut given = FxHashSet::default();
    for &(name, arity) in sources {
        for head in model.heads(name, arity) {
            match last(head) {
                Some((_, true)) => return, // Anything may become true.
                Some((Some((n, a)), _)) => {
                    given.insert((n.to_owned(), a));
                }
                _ => {}
            }
        }
    }
    let folded: FxHashMap<String, String> =
        given.iter().map(|(n, _)| (n.to_lowercase(), n.clone())).collect();
    let mut reported = FxHashSet::default();
    for clause in &model.clauses {
        for formula in clause.body {
            formula.atoms(&mut |atom, _| {
                if !atom.is(relation.0, relation.1) {
                    return;
                }
                let Some((Some((name, arity)), _)) = last(atom) else {
                    return;
                };
                if given.contains(&(name.to_owned(), arity)) || !reported.insert((name, arity)) {
                    return;
                }
                // A misplaced keyword, or a difference in case, is reported by another check.
                let otherwise = vocabulary::keyword(model.dialect, name).is_some()
                    || vocabulary::is_connective(name)
                    || folded.get(&name.to_lowercase()).is_some_and(|given| given != name);
                if otherwise {
                    return;
                }
                let mut diagnostic = describe(name);
                diagnostic.span = atom.args().last().map_or(atom.span, |t| t.span);
                if !report.found.is_full() {
                    let mut known: Vec<&str> = given.iter().map(|(n, _)| n.as_str()).collect();
                    known.sort_unstable();
                    let help = if known.contains(&name) {
                        Some(format!("`{name}` occurs there with another number of arguments"))
                    } else {
                        suggest::nearest(name, known).map(|n| format!("did you mean `{n}`?"))
                    };
                    diagnostic = diagnostic.maybe_help(help);
                }
                report.push(diagnostic);
            });
        }
    }
}

fn never_true(model: &Model<'_>, report: &mut Report) {
    never(
        model,
        ("true", 1),
        &[("init", 1), ("next", 1)],
        |name| {
            Diagnostic::new(
                Code::NeverTrue,
                Span::default(),
                format!("neither `init` nor `next` ever makes the fluent `{name}` true"),
            )
        },
        report,
    );
}

fn never_legal(model: &Model<'_>, report: &mut Report) {
    never(
        model,
        ("does", 2),
        &[("legal", 2)],
        |name| {
            Diagnostic::new(
                Code::NeverLegal,
                Span::default(),
                format!("no rule ever makes the move `{name}` legal"),
            )
        },
        report,
    );
}
