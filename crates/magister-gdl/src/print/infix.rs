//! Infix form.

use super::names::{Variables, infix_constant};
use super::{Block, Piece, Printer, WIDTH};
use crate::ast::{
    Effect, EffectKind, Formula, FormulaKind, Statement, StatementKind, Style, Syntax, Term,
    TermKind,
};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::name::Name;
use magister_diagnostic::Span;

/// The maximum width of a rule with several conditions on one line.
const SHORT: usize = 60;

impl Printer<'_> {
    fn style(&self) -> Style {
        if self.from == Syntax::Infix { self.rules.style } else { Style::default() }
    }

    pub(super) fn infix_statement(&mut self, statement: &Statement) -> Block {
        let vars = self.variables(statement, Syntax::Infix);
        let and = if self.style().commas { "," } else { " &" };
        let piece = |text, after, indent, span| Piece { text, after, indent, span };
        let mut block = match &statement.kind {
            StatementKind::Rule(rule) => {
                let head = self.infix_term(&rule.head, &vars);
                let body = members(&rule.body, true);
                let arrow = if body.is_empty() { "" } else { " :-" };
                let mut pieces = vec![piece(head, arrow, 0, rule.head.span)];
                for formula in &body {
                    let text = self.infix_formula(formula, 1, &vars);
                    pieces.push(piece(text, and, 2, formula.span));
                }
                if let Some(last) = pieces.last_mut().filter(|_| !body.is_empty()) {
                    last.after = "";
                }
                Block { pieces, one_line: if body.len() > 1 { SHORT } else { WIDTH } }
            }
            StatementKind::Operation(operation) => {
                let action = self.infix_term(&operation.action, &vars);
                let mut pieces = vec![piece(action, " ::", 0, operation.action.span)];
                match operation.effects.as_slice() {
                    [Effect { kind: EffectKind::When(conditions, effects), .. }] => {
                        let conditions = members(conditions, true);
                        for formula in &conditions {
                            let text = self.infix_formula(formula, 1, &vars);
                            pieces.push(piece(text, and, 2, formula.span));
                        }
                        if let Some(last) = pieces.last_mut().filter(|_| !conditions.is_empty()) {
                            last.after = "";
                        }
                        for (i, effect) in effects.iter().enumerate() {
                            let text = self.infix_effect(effect, &vars);
                            let (text, indent) =
                                if i == 0 { (format!("==> {text}"), 2) } else { (text, 6) };
                            pieces.push(piece(text, and, indent, effect.span));
                        }
                    }
                    effects => {
                        for effect in effects {
                            let text = self.infix_effect(effect, &vars);
                            pieces.push(piece(text, and, 2, effect.span));
                        }
                    }
                }
                if let Some(last) = pieces.last_mut() {
                    last.after = "";
                }
                Block { pieces, one_line: WIDTH }
            }
            StatementKind::Definition(head, value) => {
                let head_text = self.infix_term(head, &vars);
                let value_text = self.infix_term(value, &vars);
                let pieces = vec![
                    piece(head_text, " :=", 0, head.span),
                    piece(value_text, "", 2, value.span),
                ];
                Block { pieces, one_line: WIDTH }
            }
            StatementKind::Stray(formula) => {
                let text = self.infix_formula(formula, 0, &vars);
                Block { pieces: vec![piece(text, "", 0, formula.span)], one_line: WIDTH }
            }
        };
        if self.style().stops
            && let Some(last) = block.pieces.last_mut()
        {
            last.text.push_str(last.after);
            last.text.push('.');
            last.after = "";
        }
        block
    }

    /// `tight` is 0 for any formula, 1 inside a conjunction, 2 under a negation.
    fn infix_formula(&mut self, formula: &Formula, tight: u8, vars: &Variables) -> String {
        let commas = self.style().commas;
        match &formula.kind {
            FormulaKind::Atom(term) => self.infix_term(term, vars),
            FormulaKind::Not(inner) => {
                let not = if commas { "not " } else { "~" };
                format!("{not}{}", self.infix_formula(inner, 2, vars))
            }
            FormulaKind::And(all) if all.is_empty() => "and()".to_owned(),
            FormulaKind::Or(all) if all.is_empty() => "or()".to_owned(),
            FormulaKind::And(all) | FormulaKind::Or(all) => {
                let or = matches!(formula.kind, FormulaKind::Or(_));
                let all = members(all, !or);
                if let [one] = all.as_slice() {
                    return self.infix_formula(one, tight, vars);
                }
                let parts: Vec<String> =
                    all.iter().map(|f| self.infix_formula(f, 1, vars)).collect();
                let joined = parts.join(if or { " | " } else { self.and() });
                if tight == 0 { joined } else { format!("({joined})") }
            }
        }
    }

    /// The separator of conditions.
    fn and(&self) -> &'static str {
        if self.style().commas { ", " } else { " & " }
    }

    fn infix_effect(&mut self, effect: &Effect, vars: &Variables) -> String {
        match &effect.kind {
            EffectKind::Add(term) => self.infix_term(term, vars),
            EffectKind::Delete(term) => {
                let not = if self.style().commas { "not " } else { "~" };
                format!("{not}{}", self.infix_term(term, vars))
            }
            EffectKind::When(conditions, effects) => {
                let and = self.and();
                let conditions: Vec<String> = members(conditions, true)
                    .iter()
                    .map(|f| self.infix_formula(f, 1, vars))
                    .collect();
                let inner: Vec<String> =
                    effects.iter().map(|e| self.infix_effect(e, vars)).collect();
                let text = format!("{} ==> {}", conditions.join(and), inner.join(and));
                format!("({text})")
            }
        }
    }

    fn infix_term(&mut self, term: &Term, vars: &Variables) -> String {
        let mut out = String::new();
        self.write_infix(term, vars, &mut out);
        out
    }

    fn write_infix(&mut self, term: &Term, vars: &Variables, out: &mut String) {
        match &term.kind {
            TermKind::Variable(name) => out.push_str(vars.text(name)),
            TermKind::Wildcard => out.push('_'),
            TermKind::Constant(name) => self.write_infix_name(name, term.span, out),
            TermKind::Compound(name, args) => {
                self.write_infix_name(name, term.span, out);
                out.push('(');
                self.write_infix_list(args, vars, out);
                out.push(')');
            }
            TermKind::List(items, None) => {
                out.push('[');
                self.write_infix_list(items, vars, out);
                out.push(']');
            }
            TermKind::List(items, Some(tail)) => {
                for (at, item) in items.iter().chain([tail.as_ref()]).enumerate() {
                    if at > 0 {
                        out.push('!');
                    }
                    // `(a!b)!c` is not `a!b!c`.
                    let open = matches!(item.kind, TermKind::List(_, Some(_)));
                    out.push_str(if open { "(" } else { "" });
                    self.write_infix(item, vars, out);
                    out.push_str(if open { ")" } else { "" });
                }
            }
        }
    }

    fn write_infix_list(&mut self, terms: &[Term], vars: &Variables, out: &mut String) {
        for (i, term) in terms.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            self.write_infix(term, vars, out);
        }
    }

    fn write_infix_name(&mut self, name: &Name, span: Span, out: &mut String) {
        match infix_constant(name) {
            Some(text) => out.push_str(&text),
            None => self.problem(
                Diagnostic::new(
                    Code::CannotWrite,
                    span,
                    format!("the name `{}` cannot be written in infix rules", name.escape_debug()),
                )
                .help("rename it: a name must be on one line"),
            ),
        }
    }
}

/// The members of a conjunction (or disjunction), including those of nested ones: infix cannot
/// express the nesting, and it has no meaning.
fn members(all: &[Formula], and: bool) -> Vec<&Formula> {
    fn go<'a>(all: &'a [Formula], and: bool, out: &mut Vec<&'a Formula>) {
        for formula in all {
            match &formula.kind {
                FormulaKind::And(inner) if and && !inner.is_empty() => go(inner, and, out),
                FormulaKind::Or(inner) if !and && !inner.is_empty() => go(inner, and, out),
                FormulaKind::And(inner) | FormulaKind::Or(inner) if inner.len() == 1 => {
                    go(inner, and, out);
                }
                _ => out.push(formula),
            }
        }
    }
    let mut out = Vec::new();
    go(all, and, &mut out);
    out
}
