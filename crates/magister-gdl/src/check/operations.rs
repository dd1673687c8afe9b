//! Checks that apply only to Gamemaster's dialect.

use rustc_hash::FxHashSet;

use super::Report;
use super::form::arguments;
use super::model::{Model, for_each_atom};
use crate::ast::{StatementKind, Term, TermKind};
use crate::builtins::{Builtin, Use};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::suggest;
use magister_diagnostic::Severity;
use magister_diagnostic::Span;

pub(super) fn check(model: &Model<'_>, report: &mut Report) {
    control(model, report);
    actions(model, report);
    undeclared(model, report);
    builtins(model, report);
    reserved(model, report);
}

fn control(model: &Model<'_>, report: &mut Report) {
    let stated = model.find("control", 1).is_some_and(|r| {
        let relation = &model.relations[r];
        !relation.defined.is_empty() || !relation.changed.is_empty()
    });
    let initial =
        model.heads("init", 1).any(|h| h.args()[0].is("control", 1) || h.args()[0].is_variable());
    let roles = model.roles();
    if stated || initial || roles.is_empty() {
        return;
    }
    let severity = if roles.len() > 1 { Severity::Error } else { Severity::Warning };
    report.push(
        Diagnostic::new(Code::NoControl, roles[0].1, "no fact or rule says whose turn it is")
            .help(format!("add `init(control({}))`, and change it in the operations", roles[0].0))
            .severity(severity),
    );
}

/// Reports actions of `legal` or `action` without an operation.
fn actions(model: &Model<'_>, report: &mut Report) {
    let mut performed: FxHashSet<(&str, usize)> = FxHashSet::default();
    for (operation, _) in model.rules.operations() {
        match operation.action.name() {
            Some(name) => {
                performed.insert((name.as_str(), operation.action.args().len()));
            }
            None => return, // There is an operation for every action.
        }
    }
    let mut reported = FxHashSet::default();
    for head in model.heads("legal", 1).chain(model.heads("action", 1)) {
        let action = &head.args()[0];
        let Some(name) = action.name() else { continue };
        let key = (name.as_str(), action.args().len());
        if performed.contains(&key) || !reported.insert(key) {
            continue;
        }
        report.push(
            Diagnostic::new(
                Code::NoOperation,
                action.span,
                format!("no operation says what `{name}` with {} does", arguments(key.1)),
            )
            .help("performing it would add it to the state as a fact; write `action :: effects`"),
        );
    }
}

/// Reports operations for actions that are never declared, legal or performed.
fn undeclared(model: &Model<'_>, report: &mut Report) {
    let mut known: FxHashSet<(&str, usize)> = FxHashSet::default();
    for head in model.heads("legal", 1).chain(model.heads("action", 1)) {
        match head.args()[0].name() {
            Some(name) => known.insert((name.as_str(), head.args()[0].args().len())),
            None => return, // Any action may be legal.
        };
    }
    if known.is_empty() {
        return; // This is reported separately.
    }
    for (operation, _) in model.rules.operations() {
        operation.changes(&mut |term, _| {
            if let Some(name) = term.name() {
                known.insert((name.as_str(), term.args().len()));
            }
        });
    }
    let mut reported = FxHashSet::default();
    for (operation, _) in model.rules.operations() {
        let Some(name) = operation.action.name() else { continue };
        let key = (name.as_str(), operation.action.args().len());
        if known.contains(&key) || !reported.insert(key) {
            continue;
        }
        let mut names: Vec<&str> = known.iter().map(|&(name, _)| name).collect();
        names.sort_unstable();
        let help = if names.contains(&name.as_str()) {
            format!("`{name}` is declared with a different number of arguments")
        } else {
            suggest::nearest(name, names).map_or_else(
                || {
                    "declare it with `action`, and define with `legal` when it is possible"
                        .to_owned()
                },
                |near| format!("did you mean `{near}`?"),
            )
        };
        report.push(
            Diagnostic::new(
                Code::UndeclaredAction,
                operation.action.span,
                format!("no rule declares the action `{name}` with {}", arguments(key.1)),
            )
            .help(help),
        );
    }
}

fn builtins(model: &Model<'_>, report: &mut Report) {
    let mut condition = |atom: &Term| {
        let Some(builtin) = model.builtin(atom) else {
            return;
        };
        let count = atom.args().len();
        if builtin.usage == Use::Impure {
            report.push(
                Diagnostic::new(
                    Code::ImpureBuiltin,
                    atom.span,
                    format!("the value of `{}` depends on chance or on the clock", builtin.name),
                )
                .help("a position must always have the same moves"),
            );
        } else if count < builtin.least || count > builtin.most {
            let wanted = match (builtin.least, builtin.most) {
                (a, b) if a == b => a.to_string(),
                (a, usize::MAX) => format!("at least {a}"),
                (a, b) => format!("{a} to {b}"),
            };
            report.push(
                Diagnostic::new(
                    Code::BuiltinArity,
                    atom.span,
                    format!(
                        "the builtin `{}` has {} and must have {wanted}",
                        builtin.name,
                        arguments(count),
                    ),
                )
                .help("a builtin with a value takes its result as the last argument"),
            );
        } else if builtin.name == "true" && count == 1 {
            // Unlike other keywords of GDL, this one makes the condition fail in play.
            report.found.push(
                Diagnostic::new(
                    Code::WrongDialect,
                    atom.span,
                    "Gamemaster's dialect writes fluents without `true`; this never holds",
                )
                .help("write the fluent alone: `p(X)` instead of `true(p(X))`"),
            );
        }
    };
    for statement in &model.rules.statements {
        match &statement.kind {
            StatementKind::Rule(rule) => {
                rule.body.iter().for_each(|f| f.atoms(&mut |t, _| condition(t)));
            }
            StatementKind::Operation(operation) => {
                operation.conditions(&mut |f| f.atoms(&mut |t, _| condition(t)));
            }
            StatementKind::Definition(..) | StatementKind::Stray(_) => {}
        }
    }
}

/// Reports heads and fluents with the name of a builtin.
fn reserved(model: &Model<'_>, report: &mut Report) {
    let mut reported = FxHashSet::default();
    let mut complain = |name: &str, span: Span| {
        // `true` is reported as a keyword of another dialect, `distinct` as a connective.
        let builtin = Builtin::find(name).filter(|b| !matches!(b.name, "true" | "distinct"));
        let Some(builtin) = builtin else { return };
        if reported.insert(builtin.name) {
            report.push(
                Diagnostic::new(
                    Code::ReservedName,
                    span,
                    format!("`{name}` is a builtin; this definition is never used"),
                )
                .help("choose another name"),
            );
        }
    };
    for clause in &model.clauses {
        if let Some(name) = clause.head.name() {
            complain(name, clause.head.span);
        }
        if (clause.head.is("init", 1) || clause.head.is("base", 1))
            && let Some(name) = clause.head.args()[0].name()
        {
            complain(name, clause.head.args()[0].span);
        }
    }
    for (operation, _) in model.rules.operations() {
        operation.changes(&mut |t, _| {
            if let Some(name) = t.name() {
                complain(name, t.span);
            }
        });
    }
    // An evaluated term may call a forbidden builtin.
    for_each_atom(model.rules, &mut |atom| {
        if atom.name().is_some_and(|n| n == "evaluate") {
            atom.walk(&mut |t| {
                if let TermKind::Compound(name, _) = &t.kind
                    && Builtin::find(name).is_some_and(|b| b.usage == Use::Impure)
                    && !std::ptr::eq(t, atom)
                {
                    report_impure(t, name, report);
                }
            });
        }
    });
}

fn report_impure(term: &Term, name: &str, report: &mut Report) {
    report.push(
        Diagnostic::new(
            Code::ImpureBuiltin,
            term.span,
            format!("the value of `{name}` depends on chance or on the clock"),
        )
        .help("a position must always have the same moves"),
    );
}
