//! Prefix rules: nested lists to statements.

use super::Reader;
use super::sexp::{self, Sexp, SexpKind};
use crate::ast::{Formula, FormulaKind, Rule, Statement, StatementKind, Term, TermKind};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::name::Name;
use crate::vocabulary;
use magister_diagnostic::Span;

pub(super) fn read(text: &str, reader: &mut Reader) {
    let mut forest = sexp::read(text, reader);
    // A start message contains the rules as one list of lists.
    if let [Sexp { kind: SexpKind::List(items), .. }] = forest.as_mut_slice()
        && matches!(items.first(), Some(Sexp { kind: SexpKind::List(_), .. }))
    {
        forest = std::mem::take(items);
    }
    for sexp in forest {
        let span = sexp.span;
        if let Some(kind) = reader.statement(sexp) {
            reader.statements.push(Statement { kind, span });
        }
    }
}

/// The connectives, which are case-insensitive.
fn connective(name: &str) -> Option<&'static str> {
    ["not", "or", "and"].into_iter().find(|c| name.eq_ignore_ascii_case(c))
}

impl Reader {
    fn statement(&mut self, sexp: Sexp) -> Option<StatementKind> {
        match sexp.kind {
            SexpKind::List(mut items) if head_is(&items, "<=") => {
                let mut rest = items.drain(1..);
                let Some(head) = rest.next() else {
                    drop(rest);
                    self.malformed(sexp.span, "this rule has no head", "write `(<= head body...)`");
                    return None;
                };
                let head = self.term(head).map(|head| self.atom(head))?;
                let body: Vec<Formula> = rest.filter_map(|s| self.formula(s)).collect();
                Some(StatementKind::Rule(Rule { head, body, arrow: true }))
            }
            _ => {
                let head = self.term(sexp).map(|head| self.atom(head))?;
                Some(StatementKind::Rule(Rule { head, body: Vec::new(), arrow: false }))
            }
        }
    }

    fn formula(&mut self, sexp: Sexp) -> Option<Formula> {
        let span = sexp.span;
        let SexpKind::List(mut items) = sexp.kind else {
            return self.term(sexp).map(Formula::atom);
        };
        let which = match items.first() {
            Some(Sexp { kind: SexpKind::Name(name), .. }) => connective(name),
            _ => None,
        };
        let Some(which) = which else {
            let term = self.term(Sexp { kind: SexpKind::List(items), span })?;
            return Some(Formula::atom(self.atom(term)));
        };
        let mut parts: Vec<Formula> = items.drain(1..).filter_map(|s| self.formula(s)).collect();
        let kind = match which {
            "or" => FormulaKind::Or(parts),
            "and" => FormulaKind::And(parts),
            _ => {
                if parts.len() != 1 {
                    self.malformed(
                        span,
                        &format!("`not` has {} arguments and must have one", parts.len()),
                        "negate each condition separately",
                    );
                }
                // Several negated conditions are treated one by one, so that the rest is checked.
                if parts.len() > 1 {
                    let negated = parts.drain(..).map(|f| {
                        let span = f.span;
                        Formula::new(FormulaKind::Not(Box::new(f)), span)
                    });
                    return Some(Formula::new(FormulaKind::And(negated.collect()), span));
                }
                FormulaKind::Not(Box::new(parts.pop()?))
            }
        };
        Some(Formula::new(kind, span))
    }

    fn term(&mut self, sexp: Sexp) -> Option<Term> {
        let span = sexp.span;
        let kind = match sexp.kind {
            SexpKind::Name(name) => match name.strip_prefix('?') {
                Some("") => {
                    self.malformed(span, "this variable has no name", "write `?x`, for instance");
                    return None;
                }
                Some(variable) => TermKind::Variable(self.names.get(variable)),
                None => TermKind::Constant(self.fold(name)),
            },
            SexpKind::List(items) => {
                let mut items = items.into_iter();
                let Some(first) = items.next() else {
                    self.malformed(span, "this list is empty", "remove it, or put a name inside");
                    return None;
                };
                let SexpKind::Name(name) = first.kind else {
                    self.malformed(
                        first.span,
                        "a list begins with the name of a relation or function",
                        "is a parenthesis in the wrong place?",
                    );
                    return None;
                };
                if name.starts_with('?') {
                    self.malformed(
                        first.span,
                        &format!("the variable `{name}` cannot be the name of a relation"),
                        "a list begins with the name of a relation or function",
                    );
                    return None;
                }
                let name = self.fold(name);
                TermKind::Compound(name, items.filter_map(|s| self.term(s)).collect())
            }
        };
        Some(Term::new(kind, span))
    }

    /// Keywords are case-insensitive; all other names are kept unchanged.
    fn fold(&mut self, name: Name) -> Name {
        match vocabulary::fold(&name) {
            Some(keyword) if name != keyword => self.names.get(keyword),
            _ => name,
        }
    }

    fn malformed(&mut self, span: Span, message: &str, help: &str) {
        self.push(Diagnostic::new(Code::Malformed, span, message).help(help));
    }
}

fn head_is(items: &[Sexp], name: &str) -> bool {
    matches!(items.first(), Some(Sexp { kind: SexpKind::Name(n), .. }) if n == name)
}
