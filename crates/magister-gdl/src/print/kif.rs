//! Prefix form.

use super::names::{Variables, kif_constant};
use super::{Block, Piece, Printer, WIDTH};
use crate::ast::{Formula, FormulaKind, Statement, StatementKind, Syntax, Term, TermKind};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::name::Name;
use magister_diagnostic::Span;

impl Printer<'_> {
    pub(super) fn kif_statement(&mut self, statement: &Statement) -> Option<Block> {
        let mut variables = self.variables(statement, Syntax::Kif);
        let piece = |text, after, indent, span| Piece { text, after, indent, span };
        match &statement.kind {
            StatementKind::Rule(rule) => {
                let head = self.kif_term(&rule.head, &mut variables);
                if rule.body.is_empty() && !rule.arrow {
                    let pieces = vec![piece(head, "", 0, rule.head.span)];
                    return Some(Block { pieces, one_line: usize::MAX });
                }
                let mut pieces = vec![piece(format!("(<= {head}"), "", 0, rule.head.span)];
                for formula in &rule.body {
                    let text = self.kif_formula(formula, 4, &mut variables);
                    pieces.push(piece(text, "", 4, formula.span));
                }
                if let Some(last) = pieces.last_mut() {
                    last.after = ")";
                }
                let one_line = if rule.body.len() > 1 { 0 } else { WIDTH };
                Some(Block { pieces, one_line })
            }
            StatementKind::Operation(_) | StatementKind::Definition(..) => {
                self.problem(
                    Diagnostic::new(
                        Code::NotExpressible,
                        statement.span,
                        "operations and definitions have no prefix form",
                    )
                    .help("translate the rulesheet to GDL first: `magister convert --to gdl`"),
                );
                None
            }
            StatementKind::Stray(_) => {
                self.problem(
                    Diagnostic::new(
                        Code::NotExpressible,
                        statement.span,
                        "a stray formula has no prefix form",
                    )
                    .help("remove it, or make it a rule"),
                );
                None
            }
        }
    }

    fn kif_formula(&mut self, formula: &Formula, indent: usize, vars: &mut Variables) -> String {
        let (word, parts): (&str, &[Formula]) = match &formula.kind {
            FormulaKind::Atom(term) => return self.kif_term(term, vars),
            FormulaKind::Not(inner) => ("not", std::slice::from_ref(inner.as_ref())),
            FormulaKind::And(all) => ("and", all),
            FormulaKind::Or(all) => ("or", all),
        };
        // Deeply nested formulas would run off the page, and every line would cost their depth.
        let deeper = (indent + word.len() + 2).min(WIDTH / 2);
        let parts: Vec<String> = parts.iter().map(|f| self.kif_formula(f, deeper, vars)).collect();
        let width: usize = parts.iter().map(|p| p.chars().count() + 1).sum();
        let broken =
            parts.len() > 1 && deeper + width > WIDTH || parts.iter().any(|p| p.contains('\n'));
        let separator = if broken { format!("\n{:deeper$}", "") } else { " ".to_owned() };
        if parts.is_empty() {
            return format!("({word})");
        }
        format!("({word} {})", parts.join(&separator))
    }

    fn kif_term(&mut self, term: &Term, vars: &mut Variables) -> String {
        let mut out = String::new();
        self.write_kif(term, vars, &mut out);
        out
    }

    fn write_kif(&mut self, term: &Term, vars: &mut Variables, out: &mut String) {
        match &term.kind {
            TermKind::Variable(name) => {
                out.push('?');
                out.push_str(vars.text(name));
            }
            TermKind::Wildcard => {
                out.push('?');
                out.push_str(&vars.wildcard());
            }
            TermKind::Constant(name) => self.write_kif_name(name, term.span, out),
            TermKind::Compound(name, args) => {
                out.push('(');
                self.write_kif_name(name, term.span, out);
                for arg in args {
                    out.push(' ');
                    self.write_kif(arg, vars, out);
                }
                out.push(')');
            }
            TermKind::List(items, tail) => {
                for item in items {
                    out.push_str("(cons ");
                    self.write_kif(item, vars, out);
                    out.push(' ');
                }
                match tail {
                    Some(tail) => self.write_kif(tail, vars, out),
                    None => out.push_str("nil"),
                }
                out.extend(std::iter::repeat_n(')', items.len()));
            }
        }
    }

    fn write_kif_name(&mut self, name: &Name, span: Span, out: &mut String) {
        if let Some(text) = kif_constant(name) {
            out.push_str(text);
        } else {
            self.problem(
                Diagnostic::new(
                    Code::CannotWrite,
                    span,
                    format!("the name `{name}` cannot be written in prefix rules"),
                )
                .help("rename it: a name has no blanks, parentheses or semicolons, and does not begin with `?`"),
            );
        }
    }
}
