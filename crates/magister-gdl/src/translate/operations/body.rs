//! Conditions: fluents get their `true`, negations become safe, builtins are rewritten or refused.

use rustc_hash::FxHashSet;

use super::terms::{bound_by, first_unbound, fresh_name, key, relation};
use super::{Bound, Translator};
use crate::ast::{Formula, FormulaKind, Term};
use crate::builtins::{Builtin, Use};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::name::Name;
use magister_diagnostic::Severity;
use magister_diagnostic::Span;

impl<'a> Translator<'a> {
    /// Translates conditions. `None` if one of them can never hold, so that the rule is omitted.
    pub(super) fn body(&mut self, body: &'a [Formula], outer: &[Formula]) -> Option<Vec<Formula>> {
        let mut bound: Bound = bound_by(body);
        bound.extend(bound_by(outer));
        let mut out = Vec::new();
        for formula in body {
            self.condition(formula, &mut bound, &mut out)?;
        }
        Some(out)
    }

    fn condition(
        &mut self,
        formula: &'a Formula,
        bound: &mut Bound,
        out: &mut Vec<Formula>,
    ) -> Option<()> {
        match &formula.kind {
            FormulaKind::Atom(atom) => self.atom(atom, out)?,
            FormulaKind::And(all) => {
                for f in all {
                    self.condition(f, bound, out)?;
                }
            }
            FormulaKind::Or(all) => {
                let mut members = Vec::new();
                for f in all {
                    let mut inner = Vec::new();
                    if self.inside(f, bound, &mut inner).is_some() {
                        if inner.is_empty() {
                            return Some(()); // One member always holds, so the disjunction does.
                        }
                        members.push(self.one(inner, f, bound));
                    }
                }
                match members.len() {
                    0 => return None,
                    1 => out.extend(members),
                    _ => out.push(Formula::new(FormulaKind::Or(members), formula.span)),
                }
            }
            FormulaKind::Not(inside) => {
                let mut inner = Vec::new();
                if self.inside(inside, bound, &mut inner).is_none() {
                    return Some(()); // The negation of a condition that never holds is always true.
                }
                if inner.is_empty() {
                    return None; // The negation of a condition that always holds is false.
                }
                let simple = match inner.as_slice() {
                    [Formula { kind: FormulaKind::Atom(t), .. }] => {
                        !t.is("distinct", 2) && first_unbound(t, bound).is_none()
                    }
                    _ => false,
                };
                let positive =
                    if simple { inner.remove(0) } else { self.helper(inner, inside, bound) };
                out.push(Formula::new(FormulaKind::Not(Box::new(positive)), formula.span));
            }
        }
        Some(())
    }

    /// Translates a part of a formula, with the bindings of that part added.
    fn inside(
        &mut self,
        part: &'a Formula,
        bound: &mut Bound,
        out: &mut Vec<Formula>,
    ) -> Option<()> {
        let mut own = bound_by(std::slice::from_ref(part));
        own.retain(|name| bound.insert(name.clone()));
        let done = self.condition(part, bound, out);
        own.iter().for_each(|name| _ = bound.remove(name));
        done
    }

    /// A conjunction as one formula: GDL has no conjunctions inside disjunctions, so it becomes a
    /// named relation.
    fn one(&mut self, mut all: Vec<Formula>, at: &Formula, bound: &Bound) -> Formula {
        if all.len() == 1 { all.remove(0) } else { self.helper(all, at, bound) }
    }

    /// A new relation that holds if the conditions do, over the variables bound outside.
    fn helper(&mut self, body: Vec<Formula>, at: &Formula, bound: &Bound) -> Formula {
        self.helpers += 1;
        let wish = format!("condition{}", self.helpers);
        let name = fresh_name(&mut self.taken, &[&wish]);
        let mut arguments: Vec<Term> = Vec::new();
        let mut seen = FxHashSet::default();
        for formula in &body {
            formula.atoms(&mut |t, _| {
                t.variables(&mut |v, span| {
                    if bound.contains(v) && seen.insert(v.clone()) {
                        arguments.push(Term::variable(v.clone(), span));
                    }
                });
            });
        }
        let head = relation(name, arguments, at.span);
        // Variables that only the outer rule binds must be bound here too.
        let inside = bound_by(&body);
        if let Some((variable, span)) = first_unbound(&head, &inside) {
            self.problem(
                Diagnostic::new(
                    Code::NotExpressible,
                    span,
                    format!("`{variable}` is bound outside this negated condition only"),
                )
                .help("write a separate rule for the condition"),
            );
        }
        self.emit(head.clone(), body, Span::default());
        Formula::atom(head)
    }

    fn atom(&mut self, atom: &'a Term, out: &mut Vec<Formula>) -> Option<()> {
        let Some(name) = atom.name() else {
            self.left_out(atom.span, "this condition never holds; its rule is left out");
            return None;
        };
        if let Some(builtin) = Builtin::find(name) {
            return self.builtin(builtin, atom, out);
        }
        let args = self.terms(atom.args());
        let renamed = match (name.as_str(), args.len()) {
            ("legal", 1) => Term::compound(self.names.legal.clone(), args, atom.span),
            ("base", 1) => Term::compound(self.names.possible.clone(), args, atom.span),
            ("init", 1) => Term::compound(self.names.initial.clone(), args, atom.span),
            ("goal", 2) | ("role" | "action", 1) | ("terminal", 0) => self.term(atom),
            _ if self.views.contains(name.as_str()) => self.term(atom),
            // No fluent holds before the first move, and a fluent that never becomes true never
            // holds.
            _ if self.fixed || !self.may_come_true(atom) => {
                if self.taken.insert(Name::new(&format!("{name} is never true"))) {
                    self.never(name, atom.span);
                }
                return None;
            }
            _ => Term::compound("true", vec![self.term(atom)], atom.span),
        };
        out.push(Formula::atom(renamed));
        Some(())
    }

    fn never(&mut self, name: &Name, span: Span) {
        self.problem(
            Diagnostic::new(
                Code::NeverTrue,
                span,
                format!("nothing ever makes `{name}` true; rules that need it are left out"),
            )
            .severity(Severity::Warning),
        );
    }

    fn may_come_true(&self, atom: &Term) -> bool {
        match (&self.fluents, key(atom)) {
            (Some(fluents), Some(key)) => fluents.contains(&key),
            _ => true,
        }
    }

    fn builtin(&mut self, builtin: &Builtin, atom: &'a Term, out: &mut Vec<Formula>) -> Option<()> {
        match (builtin.name, atom.args()) {
            ("true", []) => return Some(()),
            ("false", []) => return None,
            ("distinct", [_, _]) => out.push(Formula::atom(self.term(atom))),
            ("mutex", args) => {
                for (i, a) in args.iter().enumerate() {
                    for b in &args[i + 1..] {
                        let pair = vec![self.term(a), self.term(b)];
                        out.push(Formula::atom(Term::compound("distinct", pair, atom.span)));
                    }
                }
            }
            _ => {
                let help = match builtin.usage {
                    Use::Aggregate => {
                        "count with fluents instead, or keep the game in Gamemaster's dialect"
                    }
                    Use::Impure => "a game must not depend on chance or on the clock",
                    _ => "tabulate it with facts, such as `succ(1,2)`",
                };
                self.problem(
                    Diagnostic::new(
                        Code::NoCounterpart,
                        atom.span,
                        format!("the builtin `{}` has no counterpart in GDL", builtin.name),
                    )
                    .help(help),
                );
            }
        }
        Some(())
    }
}
