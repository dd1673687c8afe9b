//! Infix expressions to statements, formulas and terms.

use super::Reader;
use super::infix::{Expr, ExprKind, connective};
use crate::ast::{
    Effect, EffectKind, Formula, FormulaKind, Operation, Rule, StatementKind, Term, TermKind,
};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use magister_diagnostic::Span;

/// The statement of a whole expression.
pub(super) fn statement(expr: Expr, reader: &mut Reader) -> Option<StatementKind> {
    let span = expr.span;
    match expr.kind {
        ExprKind::If(head, body) => {
            let head = term(*head, reader)?;
            let head = reader.atom(head);
            let body = match body {
                Some(body) => conjunction(*body, reader)?,
                None => Vec::new(),
            };
            Some(StatementKind::Rule(Rule { head, body, arrow: true }))
        }
        ExprKind::Operation(action, right) => {
            let action = term(*action, reader)?;
            let effects = effects(*right, reader)?;
            Some(StatementKind::Operation(Operation { action, effects }))
        }
        ExprKind::Define(head, value) => {
            Some(StatementKind::Definition(term(*head, reader)?, term(*value, reader)?))
        }
        ExprKind::Arrow(..) => misplaced(span, "==>", reader),
        kind => {
            let formula = formula(Expr { kind, span }, reader)?;
            Some(match formula.kind {
                FormulaKind::Atom(head) => {
                    StatementKind::Rule(Rule { head, body: Vec::new(), arrow: false })
                }
                _ => StatementKind::Stray(formula),
            })
        }
    }
}

fn misplaced<T>(span: Span, what: &str, reader: &mut Reader) -> Option<T> {
    let help = match what {
        "==>" => "write `action :: conditions ==> effects`",
        "::" => "an operation, `action :: effects`, must be a separate statement",
        _ => "a rule, `head :- conditions`, must be a separate statement",
    };
    let message = format!("`{what}` is not allowed here");
    reader.push(Diagnostic::new(Code::Unexpected, span, message).help(help));
    None
}

/// The members of a conjunction, or the single formula.
fn conjunction(expr: Expr, reader: &mut Reader) -> Option<Vec<Formula>> {
    match expr.kind {
        ExprKind::And(all) => all.into_iter().map(|e| formula(e, reader)).collect(),
        _ => Some(vec![formula(expr, reader)?]),
    }
}

fn formula(expr: Expr, reader: &mut Reader) -> Option<Formula> {
    let span = expr.span;
    let kind = match expr.kind {
        ExprKind::Term(term) => return Some(as_formula(term, reader)),
        ExprKind::Not(inner) => FormulaKind::Not(Box::new(formula(*inner, reader)?)),
        ExprKind::And(all) => {
            FormulaKind::And(all.into_iter().map(|e| formula(e, reader)).collect::<Option<_>>()?)
        }
        ExprKind::Or(all) => {
            FormulaKind::Or(all.into_iter().map(|e| formula(e, reader)).collect::<Option<_>>()?)
        }
        ExprKind::Arrow(..) => return misplaced(span, "==>", reader),
        ExprKind::Operation(..) => return misplaced(span, "::", reader),
        ExprKind::If(..) => return misplaced(span, ":-", reader),
        ExprKind::Define(..) => return misplaced(span, ":=", reader),
    };
    Some(Formula::new(kind, span))
}

/// A term in place of a formula: `not(p)` is the negation of `p`.
fn as_formula(term: Term, reader: &mut Reader) -> Formula {
    let span = term.span;
    let kind = match term.kind {
        TermKind::Compound(name, mut args) if name == "not" && args.len() == 1 => {
            FormulaKind::Not(Box::new(as_formula(args.remove(0), reader)))
        }
        TermKind::Compound(name, args) if name == "and" => {
            FormulaKind::And(args.into_iter().map(|a| as_formula(a, reader)).collect())
        }
        TermKind::Compound(name, args) if name == "or" => {
            FormulaKind::Or(args.into_iter().map(|a| as_formula(a, reader)).collect())
        }
        kind => FormulaKind::Atom(reader.atom(Term::new(kind, span))),
    };
    Formula::new(kind, span)
}

/// A term; connectives inside one, as in `countofall(X,p(X) & ~q(X),N)`, become compounds.
pub(super) fn term(expr: Expr, reader: &mut Reader) -> Option<Term> {
    let span = expr.span;
    let name = connective(&expr.kind, reader);
    let parts = match expr.kind {
        ExprKind::Term(term) => return Some(term),
        ExprKind::Not(inner) => vec![term(*inner, reader)?],
        ExprKind::And(all) | ExprKind::Or(all) => {
            all.into_iter().map(|e| term(e, reader)).collect::<Option<Vec<_>>>()?
        }
        ExprKind::Arrow(..) => return misplaced(span, "==>", reader),
        ExprKind::Operation(..) => return misplaced(span, "::", reader),
        ExprKind::If(..) => return misplaced(span, ":-", reader),
        ExprKind::Define(..) => return misplaced(span, ":=", reader),
    };
    Some(Term::compound(name?, parts, span))
}

fn effects(expr: Expr, reader: &mut Reader) -> Option<Vec<Effect>> {
    let span = expr.span;
    match expr.kind {
        ExprKind::And(all) => {
            let lists: Option<Vec<_>> = all.into_iter().map(|e| effects(e, reader)).collect();
            Some(lists?.into_iter().flatten().collect())
        }
        ExprKind::Arrow(conditions, inner) => {
            let conditions = conjunction(*conditions, reader)?;
            let inner = effects(*inner, reader)?;
            Some(vec![Effect { kind: EffectKind::When(conditions, inner), span }])
        }
        ExprKind::Not(inner) => {
            Some(vec![Effect { kind: EffectKind::Delete(term(*inner, reader)?), span }])
        }
        ExprKind::Term(term) => Some(vec![Effect { kind: effect(term), span }]),
        ExprKind::Or(_) => {
            reader.push(
                Diagnostic::new(Code::Unexpected, span, "an effect cannot be a disjunction")
                    .help("write one operation for each case"),
            );
            None
        }
        ExprKind::Operation(..) => misplaced(span, "::", reader),
        ExprKind::If(..) => misplaced(span, ":-", reader),
        ExprKind::Define(..) => misplaced(span, ":=", reader),
    }
}

/// `not(p)` and `delete(p)` delete, `insert(p)` and everything else adds.
fn effect(term: Term) -> EffectKind {
    match term.kind {
        TermKind::Compound(name, mut args)
            if args.len() == 1 && (name == "not" || name == "delete" || name == "insert") =>
        {
            let inner = args.remove(0);
            if name == "insert" { effect(inner) } else { EffectKind::Delete(inner) }
        }
        kind => EffectKind::Add(Term::new(kind, term.span)),
    }
}
