//! Names: arities, spelling, and relations that are undefined or unused.

use rustc_hash::{FxHashMap, FxHashSet};

use super::form::{arguments, is_older, near_keyword};
use super::model::{Model, Relation, for_each_atom};
use super::{Report, arithmetic};
use crate::ast::{Dialect, Syntax, Term, TermKind};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::name::Name;
use crate::suggest;
use crate::vocabulary::{self, is_connective};
use magister_diagnostic::Span;

pub(super) fn check(model: &Model<'_>, report: &mut Report) {
    let functions = functions(model);
    arities(model, &functions, report);
    relation_and_function(model, &functions, report);
    undefined(model, &functions, report);
    computed(model, &functions, report);
    unused(model, report);
    spelling(model, report);
}

/// A function with its name, its arity and its first occurrence.
struct Function<'a> {
    name: &'a Name,
    arity: usize,
    span: Span,
}

/// Every function with arguments, in order of occurrence.
fn functions<'a>(model: &Model<'a>) -> Vec<Function<'a>> {
    let mut seen = FxHashSet::default();
    let mut all = Vec::new();
    for_each_atom(model.rules, &mut |atom| {
        // In Gamemaster's dialect fluents are relations, and `init` and `base` list them.
        let fluent = model.dialect == Dialect::Operations
            && ["init", "base", "next", "true"].iter().any(|k| atom.is(k, 1));
        // An aggregate's first two arguments are a pattern and a formula, not terms of the game.
        let skipped = if model.inner_formula(atom).is_some() { 2 } else { 0 };
        for argument in atom.children().skip(skipped) {
            argument.walk(&mut |t| {
                let TermKind::Compound(name, args) = &t.kind else {
                    return;
                };
                if (fluent && std::ptr::eq(t, argument)) || is_connective(name) || args.is_empty() {
                    return;
                }
                if seen.insert((name.as_str(), args.len())) {
                    all.push(Function { name, arity: args.len(), span: t.span });
                }
            });
        }
    });
    all
}

/// Relations of the rulesheet, without keywords and builtins.
fn own_relations<'m, 'a>(
    model: &'m Model<'a>,
) -> impl Iterator<Item = &'m Relation<'a>> + use<'m, 'a> {
    model.relations.iter().filter(|r| {
        vocabulary::keyword(model.dialect, r.name).is_none()
            && !is_connective(r.name)
            && !(model.dialect == Dialect::Operations
                && crate::builtins::Builtin::find(r.name).is_some())
    })
}

fn first_span(relation: &super::model::Relation<'_>) -> Span {
    let spans = relation.defined.iter().chain(&relation.used).chain(&relation.changed);
    spans.copied().min().unwrap_or_default()
}

fn arities(model: &Model<'_>, functions: &[Function<'_>], report: &mut Report) {
    let relations = own_relations(model).map(|r| ("relation", r.name, r.arity, first_span(r)));
    let functions = functions.iter().map(|f| ("function", f.name, f.arity, f.span));
    let mut all: Vec<_> = relations.chain(functions).collect();
    all.sort_by_key(|&(.., span)| span);
    let mut first: FxHashMap<(&str, &str), (usize, Span)> = FxHashMap::default();
    for (kind, name, arity, span) in all {
        let &mut (before, at) = first.entry((kind, name.as_str())).or_insert((arity, span));
        if before != arity {
            report.push(
                Diagnostic::new(
                    Code::TwoArities,
                    span,
                    format!(
                        "the {kind} `{name}` has {} here and {} elsewhere",
                        arguments(arity),
                        arguments(before),
                    ),
                )
                .related(at, format!("with {}", arguments(before)))
                .help("is an argument missing? If both are meant, give them different names"),
            );
        }
    }
}

fn relation_and_function(model: &Model<'_>, functions: &[Function<'_>], report: &mut Report) {
    let by_name: FxHashMap<&str, &Function<'_>> =
        functions.iter().rev().map(|f| (f.name.as_str(), f)).collect();
    let mut reported: FxHashSet<&str> = FxHashSet::default();
    for relation in own_relations(model) {
        let Some(function) = by_name.get(relation.name.as_str()) else {
            continue;
        };
        if relation.arity == 0 || !reported.insert(relation.name) {
            continue;
        }
        let name = relation.name;
        let help = if model.dialect == Dialect::Operations {
            "give the two things different names"
        } else {
            "use different names, or write `true` around it if you mean the fluent"
        };
        report.push(
            Diagnostic::new(
                Code::RelationAndFunction,
                first_span(relation),
                format!("`{name}` is a relation here and a function elsewhere"),
            )
            .related(function.span, format!("`{name}` inside a term"))
            .help(help),
        );
    }
}

fn undefined(model: &Model<'_>, functions: &[Function<'_>], report: &mut Report) {
    let operations = model.dialect == Dialect::Operations;
    let fluents = if operations { listed_fluents(model) } else { FxHashSet::default() };
    let has_open_effect = operations && open_effects(model);
    for relation in own_relations(model) {
        if !relation.defined.is_empty() || relation.used.is_empty() {
            continue;
        }
        let (name, arity) = (relation.name.as_str(), relation.arity);
        if operations {
            let fluent = !relation.changed.is_empty() || fluents.contains(&(name, arity));
            if fluent || has_open_effect || is_older(name, arity) {
                continue;
            }
        }
        let span = relation.used[0];
        let mut diagnostic = Diagnostic::new(
            Code::Undefined,
            span,
            format!("nothing defines `{name}` with {}; it is never true", arguments(arity)),
        );
        if relation.used.len() > 1 {
            let more = match relation.used.len() - 1 {
                1 => "and once more".to_owned(),
                more => format!("and {more} more times"),
            };
            diagnostic = diagnostic.label(more);
        }
        if !report.found.is_full() {
            diagnostic = diagnostic.maybe_help(advice(model, functions, name, arity));
        }
        report.push(diagnostic);
    }
}

/// Terms such as `(- ?n 1)`, which GDL does not compute.
fn computed(model: &Model<'_>, functions: &[Function<'_>], report: &mut Report) {
    if model.dialect == Dialect::Operations {
        return;
    }
    for Function { name, arity, span } in functions {
        if arithmetic::is_computed(name, *arity) {
            let message = format!("`{name}` computes nothing; this is only a term");
            let help = arithmetic::advice(name, *arity, model.rules.syntax);
            report.push(Diagnostic::new(Code::Undefined, *span, message).maybe_help(help));
        }
    }
}

/// The probable intention behind an undefined relation.
fn advice(
    model: &Model<'_>,
    functions: &[Function<'_>],
    name: &str,
    arity: usize,
) -> Option<String> {
    let operations = model.dialect == Dialect::Operations;
    if !operations && let Some(advice) = arithmetic::advice(name, arity, model.rules.syntax) {
        return Some(advice);
    }
    let fluent = || {
        let heads = model.heads("init", 1).chain(model.heads("next", 1));
        let mut fluents = heads.map(|h| &h.args()[0]);
        fluents.any(|f| f.is(name, arity))
    };
    if !operations && arity == 0 && fluent() {
        return Some(match model.rules.syntax {
            Syntax::Kif => format!("for the fluent write `(true {name})`"),
            Syntax::Infix => format!("for the fluent write `true({name})`"),
        });
    }
    if !operations && functions.iter().any(|f| f.name == name && f.arity == arity) {
        return Some(match model.rules.syntax {
            Syntax::Kif => format!("for the fluent write `(true ({name} ...))`"),
            Syntax::Infix => format!("for the fluent write `true({name}(...))`"),
        });
    }
    if let Some(other) = own_relations(model).find(|r| r.name == name && !r.defined.is_empty()) {
        return Some(format!("`{name}` is defined with {}", arguments(other.arity)));
    }
    // A name split by a blank: `opposite score` for `opposite_score`.
    if let Some((left, right)) = name.split_once('_') {
        let stated =
            |part: &str| own_relations(model).any(|r| r.name == part && !r.defined.is_empty());
        if stated(left) && stated(right) {
            return Some(format!(
                "`{left}` and `{right}` are defined separately: is a `_` missing between them?"
            ));
        }
    }
    let known = own_relations(model).filter(|r| !r.defined.is_empty() || !r.changed.is_empty());
    suggest::nearest(name, known.map(|r| r.name.as_str()))
        .or_else(|| near_keyword(model.dialect, name))
        .map(|near| format!("did you mean `{near}`?"))
}

/// The fluents in `init` and `base`, in Gamemaster's dialect.
fn listed_fluents<'a>(model: &Model<'a>) -> FxHashSet<(&'a str, usize)> {
    model
        .clauses
        .iter()
        .filter(|c| c.head.is("init", 1) || c.head.is("base", 1))
        .filter_map(|c| {
            let fluent = &c.head.args()[0];
            Some((fluent.name()?.as_str(), fluent.args().len()))
        })
        .collect()
}

/// Whether some effect or `init` is a variable, so that any fluent may become true.
fn open_effects(model: &Model<'_>) -> bool {
    let mut open = model.heads("init", 1).any(|h| h.args()[0].is_variable());
    for (operation, _) in model.rules.operations() {
        operation.changes(&mut |t, _| open |= t.is_variable());
    }
    open
}

fn unused(model: &Model<'_>, report: &mut Report) {
    for relation in own_relations(model) {
        if relation.defined.is_empty()
            || !relation.used.is_empty()
            || vocabulary::is_asked_from_outside(model.dialect, relation.name)
        {
            continue;
        }
        let name = relation.name;
        if model.dialect == Dialect::Operations && is_older(name, relation.arity) {
            continue; // This is reported as a word of another dialect.
        }
        let mut diagnostic = Diagnostic::new(
            Code::Unused,
            relation.defined[0],
            format!("`{name}` is defined but never used"),
        )
        .help("remove it, or use it");
        if !report.found.is_full()
            && let Some(meant) = used_name(model, relation)
        {
            diagnostic = diagnostic.help(format!("did you mean `{meant}`?"));
        }
        report.push(diagnostic);
    }
}

/// The name that was probably intended for an unused relation: that of a relation that is used with
/// the same number of arguments, or a keyword. A relation that is used but not defined is reported
/// separately.
fn used_name<'a>(model: &Model<'a>, relation: &Relation<'a>) -> Option<&'a str> {
    let name = relation.name.as_str();
    let used = own_relations(model)
        .filter(|r| !r.used.is_empty() && !r.defined.is_empty() && r.arity == relation.arity);
    let used = suggest::nearest(name, used.map(|r| r.name.as_str()));
    let all = used.into_iter().chain(near_keyword(model.dialect, name));
    all.min_by_key(|meant| suggest::distance(name, meant))
}

/// Capitals and unusual characters, once for every name.
fn spelling(model: &Model<'_>, report: &mut Report) {
    let mut by_folded: FxHashMap<String, (&Name, Span)> = FxHashMap::default();
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    let prefix = model.rules.syntax == Syntax::Kif;
    // These are reported as undefined.
    let computed = |name: &Name, term: &Term| {
        let defined = || model.relations.iter().any(|r| r.name == name && !r.defined.is_empty());
        model.dialect != Dialect::Operations
            && arithmetic::advice(name, term.args().len(), model.rules.syntax).is_some()
            && !defined()
    };
    for_each_atom(model.rules, &mut |atom| {
        atom.walk(&mut |term| {
            let (TermKind::Constant(name) | TermKind::Compound(name, _)) = &term.kind else {
                return;
            };
            if !seen.insert(name.as_str()) {
                return;
            }
            let span = Span {
                start: term.span.start,
                end: term.span.end.min(term.span.start + 1 + name.len() as u32),
            };
            let odd: String =
                if name.starts_with('"') || is_connective(name) || computed(name, term) {
                    String::new()
                } else {
                    let usual = |c: char| {
                        c.is_ascii_alphanumeric()
                            || matches!(c, '_' | '-')
                            || (!prefix && matches!(c, '.' | '/' | '*' | '+'))
                    };
                    name.chars().filter(|&c| !usual(c)).take(8).collect()
                };
            if !odd.is_empty() {
                report.push(
                    Diagnostic::new(
                        Code::UnusualCharacters,
                        span,
                        format!(
                            "the name `{}` has characters that other programs may not accept: {}",
                            name.escape_debug(),
                            odd.escape_debug(),
                        ),
                    )
                    .help("use letters, digits, `_` and `-`"),
                );
            }
            let folded = name.to_lowercase();
            let &mut (first, at) = by_folded.entry(folded).or_insert((name, span));
            if first != name {
                report.push(
                    Diagnostic::new(
                        Code::Capitals,
                        span,
                        format!("`{name}` is written `{first}` elsewhere"),
                    )
                    .related(at, "written this way here")
                    .help("use the same capitals everywhere"),
                );
            }
        });
    });
}
