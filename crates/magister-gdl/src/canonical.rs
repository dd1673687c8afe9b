//! One canonical form for all equivalent texts.
//!
//! Engines number terms and rules in order, so the numbers depend on that order. Engines therefore
//! get the canonical form: rulesheets with the same form are the same game, with the same numbers.
//!
//! | significant | not significant |
//! |---|---|
//! | the dialect, names as read | comments, layout, prefix or infix |
//! | the order of the conditions of a rule | the order of rules and operations |
//! | the order of `role` facts: it is the order of the roles | duplicate rules and facts |
//! | the order of definitions (`:=`): the first that matches applies | the names of variables |
//! | `(p)` differs from `p` | whether a list is written as `[a]` or with `cons` and `nil` |
//! | | nested conjunctions, an arrow before an empty body |

use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{
    Effect, EffectKind, Formula, FormulaKind, Operation, Rule, Rulesheet, Statement, StatementKind,
    Term, TermKind,
};
use crate::name::{Name, Names};

/// A rulesheet in canonical form.
#[derive(Clone, Debug)]
pub struct Canonical {
    /// The statements in canonical order, with canonical names of variables. Positions still refer
    /// to the original text.
    pub rules: Rulesheet,
    /// The same as text, for a hash: equal if and only if the forms are equal. It cannot be parsed.
    pub text: String,
}

/// The canonical form of a rulesheet.
pub fn canonical(rules: &Rulesheet) -> Canonical {
    let mut names = Names::default();
    let mut roles = Vec::new();
    let mut definitions = Vec::new();
    let mut others = Vec::new();
    for statement in &rules.statements {
        let statement = Renaming::new(&mut names).statement(statement);
        let mut text = String::new();
        write_statement(&statement.kind, &mut text);
        let list = match &statement.kind {
            StatementKind::Rule(rule) if rule.head.is("role", 1) => &mut roles,
            StatementKind::Definition(..) => &mut definitions,
            _ => &mut others,
        };
        list.push((text, statement));
    }
    // A duplicate role keeps its first place.
    let mut seen = FxHashSet::default();
    roles.retain(|(text, _)| seen.insert(text.clone()));
    // The sort is stable, so the first of several duplicate rules remains.
    others.sort_by(|(a, _), (b, _)| a.cmp(b));
    others.dedup_by(|(a, _), (b, _)| a == b);
    let mut text = format!("{}\n", rules.dialect.name());
    let mut statements = Vec::new();
    for (line, statement) in roles.into_iter().chain(definitions).chain(others) {
        text.push_str(&line);
        text.push('\n');
        statements.push(statement);
    }
    let rules = Rulesheet {
        syntax: rules.syntax,
        dialect: rules.dialect,
        style: rules.style,
        statements,
        comments: Vec::new(),
    };
    Canonical { rules, text }
}

/// Copies a statement, with variables numbered by their first occurrence.
struct Renaming<'a> {
    names: &'a mut Names,
    numbers: FxHashMap<Name, Name>,
    next: usize,
}

impl<'a> Renaming<'a> {
    fn new(names: &'a mut Names) -> Self {
        Self { names, numbers: FxHashMap::default(), next: 0 }
    }

    fn fresh(&mut self) -> Name {
        self.next += 1;
        self.names.get(&format!("v{}", self.next))
    }

    fn statement(&mut self, statement: &Statement) -> Statement {
        let kind = match &statement.kind {
            StatementKind::Rule(rule) => {
                let head = self.term(&rule.head);
                let body = self.conjunction(&rule.body);
                StatementKind::Rule(Rule { arrow: !body.is_empty(), head, body })
            }
            StatementKind::Operation(operation) => StatementKind::Operation(Operation {
                action: self.term(&operation.action),
                effects: self.effects(&operation.effects),
            }),
            StatementKind::Definition(head, value) => {
                StatementKind::Definition(self.term(head), self.term(value))
            }
            StatementKind::Stray(formula) => StatementKind::Stray(self.formula(formula)),
        };
        Statement { kind, span: statement.span }
    }

    fn term(&mut self, term: &Term) -> Term {
        let kind = match &term.kind {
            TermKind::Variable(name) => {
                TermKind::Variable(if let Some(number) = self.numbers.get(name) {
                    number.clone()
                } else {
                    let number = self.fresh();
                    self.numbers.insert(name.clone(), number.clone());
                    number
                })
            }
            TermKind::Wildcard => TermKind::Variable(self.fresh()),
            TermKind::Constant(name) => TermKind::Constant(name.clone()),
            TermKind::Compound(name, args) => {
                TermKind::Compound(name.clone(), args.iter().map(|arg| self.term(arg)).collect())
            }
            TermKind::List(items, tail) => return self.list(term, items, tail.as_deref()),
        };
        Term::new(kind, term.span)
    }

    /// A list as the terms that it abbreviates.
    fn list(&mut self, list: &Term, items: &[Term], tail: Option<&Term>) -> Term {
        let items: Vec<Term> = items.iter().map(|item| self.term(item)).collect();
        let end = match tail {
            Some(tail) => self.term(tail),
            None => Term::constant(self.names.get("nil"), list.span),
        };
        let cons = self.names.get("cons");
        items
            .into_iter()
            .rev()
            .fold(end, |rest, item| Term::compound(cons.clone(), vec![item, rest], list.span))
    }

    fn formula(&mut self, formula: &Formula) -> Formula {
        let kind = match &formula.kind {
            FormulaKind::Atom(term) => FormulaKind::Atom(self.term(term)),
            FormulaKind::Not(inner) => FormulaKind::Not(Box::new(self.formula(inner))),
            FormulaKind::And(parts) => {
                let mut parts = self.conjunction(parts);
                if parts.len() == 1 {
                    return parts.remove(0);
                }
                FormulaKind::And(parts)
            }
            FormulaKind::Or(parts) => {
                let mut flat = Vec::new();
                for part in parts {
                    let part = self.formula(part);
                    match part.kind {
                        FormulaKind::Or(inner) => flat.extend(inner),
                        _ => flat.push(part),
                    }
                }
                if flat.len() == 1 {
                    return flat.remove(0);
                }
                FormulaKind::Or(flat)
            }
        };
        Formula::new(kind, formula.span)
    }

    /// Conditions, with nested conjunctions flattened.
    fn conjunction(&mut self, parts: &[Formula]) -> Vec<Formula> {
        let mut flat = Vec::new();
        for part in parts {
            let part = self.formula(part);
            match part.kind {
                FormulaKind::And(inner) => flat.extend(inner),
                _ => flat.push(part),
            }
        }
        flat
    }

    fn effects(&mut self, effects: &[Effect]) -> Vec<Effect> {
        let mut copies = Vec::new();
        for effect in effects {
            let kind = match &effect.kind {
                EffectKind::Add(term) => EffectKind::Add(self.term(term)),
                EffectKind::Delete(term) => EffectKind::Delete(self.term(term)),
                EffectKind::When(conditions, inner) => {
                    EffectKind::When(self.conjunction(conditions), self.effects(inner))
                }
            };
            copies.push(Effect { kind, span: effect.span });
        }
        copies
    }
}

fn write_statement(statement: &StatementKind, out: &mut String) {
    match statement {
        StatementKind::Rule(rule) => {
            write_term(&rule.head, out);
            if !rule.body.is_empty() {
                out.push_str(" <=");
                write_formulas(&rule.body, out);
            }
        }
        StatementKind::Operation(operation) => {
            write_term(&operation.action, out);
            out.push_str(" ::");
            write_effects(&operation.effects, out);
        }
        StatementKind::Definition(head, value) => {
            write_term(head, out);
            out.push_str(" := ");
            write_term(value, out);
        }
        StatementKind::Stray(formula) => {
            out.push_str("? ");
            write_formula(formula, out);
        }
    }
}

fn write_effects(effects: &[Effect], out: &mut String) {
    for effect in effects {
        match &effect.kind {
            EffectKind::Add(term) => {
                out.push_str(" +");
                write_term(term, out);
            }
            EffectKind::Delete(term) => {
                out.push_str(" -");
                write_term(term, out);
            }
            EffectKind::When(conditions, inner) => {
                out.push_str(" [");
                write_formulas(conditions, out);
                out.push_str(" ==>");
                write_effects(inner, out);
                out.push(']');
            }
        }
    }
}

fn write_formulas(formulas: &[Formula], out: &mut String) {
    for formula in formulas {
        out.push(' ');
        write_formula(formula, out);
    }
}

fn write_formula(formula: &Formula, out: &mut String) {
    match &formula.kind {
        FormulaKind::Atom(term) => write_term(term, out),
        FormulaKind::Not(inner) => {
            out.push('~');
            write_formula(inner, out);
        }
        FormulaKind::And(parts) | FormulaKind::Or(parts) => {
            let and = matches!(formula.kind, FormulaKind::And(_));
            out.push_str(if and { "{&" } else { "{|" });
            write_formulas(parts, out);
            out.push('}');
        }
    }
}

fn write_term(term: &Term, out: &mut String) {
    match &term.kind {
        TermKind::Variable(name) => {
            out.push('?');
            out.push_str(name);
        }
        TermKind::Wildcard => out.push('_'),
        TermKind::Constant(name) => write_name(name, out),
        TermKind::Compound(name, args) => {
            out.push('(');
            write_name(name, out);
            for arg in args {
                out.push(' ');
                write_term(arg, out);
            }
            out.push(')');
        }
        TermKind::List(items, tail) => {
            out.push_str("(list");
            for item in items.iter().chain(tail.as_deref()) {
                out.push(' ');
                write_term(item, out);
            }
            out.push(')');
        }
    }
}

/// Writes a name such that no part of it looks like punctuation: quoted names may contain any
/// character.
fn write_name(name: &str, out: &mut String) {
    for letter in name.chars() {
        if letter.is_alphanumeric() || matches!(letter, '_' | '.' | '"' | '/' | '*' | '+' | '-') {
            out.push(letter);
        } else {
            let _ = write!(out, "\\{:x};", letter as u32);
        }
    }
}
