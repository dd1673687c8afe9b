//! Safety: every variable is bound by a positive condition.

use rustc_hash::FxHashSet;

use super::Report;
use super::model::Model;
use crate::ast::{
    Dialect, Effect, EffectKind, Formula, FormulaKind, StatementKind, Syntax, Term, TermKind,
};
use crate::builtins::{Builtin, Use};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::name::Name;
use magister_diagnostic::Span;

type Bound<'a> = FxHashSet<&'a Name>;

/// The maximum nesting of disjunctions. Each level examines everything below it once more.
const ALTERNATIONS: usize = 16;

pub(super) fn check(model: &Model<'_>, report: &mut Report) {
    let safety = Safety { model, operations: model.dialect == Dialect::Operations };
    for statement in &model.rules.statements {
        match &statement.kind {
            StatementKind::Rule(rule) if rule.body.is_empty() && !rule.arrow => {
                safety.fact(&rule.head, report);
            }
            StatementKind::Rule(rule) => {
                let mut bound = Bound::default();
                safety.bind_all(&rule.body, &mut bound);
                safety.head(&rule.head, &bound, report);
                rule.body.iter().for_each(|f| safety.formula(f, &mut bound, 0, report));
                // The query may bind the variables of the head.
                let mut known = Bound::default();
                rule.head.variables(&mut |name, _| _ = known.insert(name));
                safety.order(&rule.body, &bound, known, report);
            }
            StatementKind::Operation(operation) => {
                let mut bound = Bound::default();
                operation.action.variables(&mut |name, _| {
                    bound.insert(name);
                });
                safety.effects(&operation.effects, &mut bound, report);
            }
            StatementKind::Definition(..) | StatementKind::Stray(_) => {}
        }
    }
}

struct Safety<'a> {
    model: &'a Model<'a>,
    operations: bool,
}

impl<'a> Safety<'a> {
    fn fact(&self, head: &'a Term, report: &mut Report) {
        if head.name().is_none() {
            return; // This is reported because it is not an atom.
        }
        let Some((shown, span)) = unbound(head, &Bound::default(), self.model.rules.syntax) else {
            return;
        };
        // Gamemaster queries the goal of a given role, so the role may stay open.
        if self.operations && head.is("goal", 2) && head.args()[1].is_ground() {
            return;
        }
        let mut diagnostic = Diagnostic::new(
            Code::VariableInFact,
            span,
            format!("the fact contains the variable {shown}"),
        )
        .label("a fact must be ground");
        if self.model.rules.syntax == Syntax::Infix {
            let lower = shown.trim_matches('`').to_lowercase();
            diagnostic = diagnostic.help(format!(
                "a name that begins with a capital is a variable; for a constant write `{lower}`"
            ));
        } else {
            diagnostic = diagnostic.help("make it a rule whose conditions bind the variable");
        }
        report.push(diagnostic);
    }

    fn head(&self, head: &'a Term, bound: &Bound<'a>, report: &mut Report) {
        // Gamemaster queries the goal of a given role, so the role may stay open.
        let from = usize::from(self.operations && head.is("goal", 2));
        let mut free: Vec<(String, Span)> = Vec::new();
        for term in head.children().skip(from) {
            all_unbound(term, bound, self.model.rules.syntax, &mut free);
        }
        let Some(&(_, span)) = free.first() else {
            return;
        };
        let names: Vec<&str> = free.iter().map(|(n, _)| n.as_str()).collect();
        let (plural, names) = (names.len() > 1, names.join(", "));
        report.push(
            Diagnostic::new(
                Code::UnsafeHead,
                span,
                if plural {
                    format!(
                        "the head has the variables {names}, but no condition gives them values"
                    )
                } else {
                    format!("the head has the variable {names}, but no condition gives it a value")
                },
            )
            .help(format!("add conditions that say which values {names} may take")),
        );
    }

    /// Adds the variables that these formulas bind if all of them hold.
    fn bind_all(&self, formulas: &'a [Formula], bound: &mut Bound<'a>) {
        for formula in formulas {
            match &formula.kind {
                FormulaKind::Atom(term) => self.bind_atom(term, bound),
                FormulaKind::And(all) => self.bind_all(all, bound),
                FormulaKind::Or(all) => {
                    // A disjunction binds the variables that every member binds.
                    let mut common: Option<Bound<'a>> = None;
                    for member in all {
                        let mut own = Bound::default();
                        self.bind_all(std::slice::from_ref(member), &mut own);
                        common = Some(match common {
                            None => own,
                            Some(sofar) => sofar.intersection(&own).copied().collect(),
                        });
                    }
                    bound.extend(common.unwrap_or_default());
                }
                FormulaKind::Not(_) => {}
            }
        }
    }

    fn bind_atom(&self, atom: &'a Term, bound: &mut Bound<'a>) {
        let usage = match self.model.builtin(atom) {
            // `true(p(X))` is reported as a keyword of another language. It is treated as `p(X)`,
            // so that the mistake is not reported again for each variable.
            Some(builtin) if builtin.name == "true" => Use::Binding,
            Some(builtin) => builtin.usage,
            None if atom.name().is_some_and(|n| n == "distinct") => Use::Test,
            None => Use::Binding,
        };
        let binding: &[Term] = match usage {
            Use::Test => &[],
            Use::Binding => std::slice::from_ref(atom),
            Use::Value | Use::Aggregate | Use::Impure => {
                atom.args().last().map_or(&[], std::slice::from_ref)
            }
        };
        for term in binding {
            term.variables(&mut |name, _| {
                bound.insert(name);
            });
        }
    }

    fn formula(
        &self,
        formula: &'a Formula,
        bound: &mut Bound<'a>,
        depth: usize,
        report: &mut Report,
    ) {
        if depth > ALTERNATIONS {
            report.push(
                Diagnostic::new(
                    Code::TooDeep,
                    formula.span,
                    format!("disjunctions are nested more than {ALTERNATIONS} deep"),
                )
                .help("define parts of the formula as relations by separate rules"),
            );
            return;
        }
        match &formula.kind {
            FormulaKind::Atom(term) => self.condition(term, bound, report),
            FormulaKind::Not(inner) => {
                // In Gamemaster's dialect such a negation means "there is none".
                if self.operations {
                    return;
                }
                let mut free = None;
                inner.atoms(&mut |t, _| {
                    free = free.take().or_else(|| unbound(t, bound, self.model.rules.syntax));
                });
                if let Some((shown, span)) = free {
                    report.push(
                        Diagnostic::new(
                            Code::UnsafeNegation,
                            span,
                            format!(
                                "this negation has the variable {shown}, but no condition outside \
                                 of it gives it a value"
                            ),
                        )
                        .help(format!(
                            "add a condition that gives {shown} a value; if you mean that there is \
                             no such {shown}, define a relation without {shown} by another rule, and \
                             negate that relation"
                        )),
                    );
                }
            }
            FormulaKind::And(all) => {
                all.iter().for_each(|f| self.formula(f, bound, depth, report));
            }
            FormulaKind::Or(all) => {
                for member in all {
                    self.inside(std::slice::from_ref(member), bound, |bound| {
                        self.formula(member, bound, depth + 1, report);
                    });
                }
            }
        }
    }

    /// Gamemaster evaluates from left to right, so a builtin must follow the conditions that bind
    /// its inputs.
    fn order(
        &self,
        body: &'a [Formula],
        bound: &Bound<'a>,
        mut known: Bound<'a>,
        report: &mut Report,
    ) {
        if !self.operations {
            return;
        }
        for formula in body {
            if let FormulaKind::Atom(atom) = &formula.kind
                && let Some(builtin) = self.model.builtin(atom)
            {
                let early = inputs(builtin, atom).iter().find_map(|term| {
                    let (shown, span) = unbound(term, &known, self.model.rules.syntax)?;
                    unbound(term, bound, self.model.rules.syntax).is_none().then_some((shown, span))
                });
                if let Some((shown, span)) = early {
                    report.push(
                        Diagnostic::new(
                            Code::UnboundInput,
                            span,
                            format!("{shown} gets its value only after this condition"),
                        )
                        .help(format!(
                            "move `{}` after the condition that binds {shown}",
                            builtin.name
                        )),
                    );
                }
            }
            self.bind_all(std::slice::from_ref(formula), &mut known);
        }
    }

    /// Runs `check` with the bindings of `formulas` added to `bound`, and removes them again.
    fn inside(
        &self,
        formulas: &'a [Formula],
        bound: &mut Bound<'a>,
        check: impl FnOnce(&mut Bound<'a>),
    ) {
        let mut own = Bound::default();
        self.bind_all(formulas, &mut own);
        own.retain(|name| bound.insert(name));
        check(bound);
        // Removing one by one keeps the cost proportional to the formulas.
        #[expect(clippy::iter_over_hash_type, reason = "removal does not depend on the order")]
        for name in &own {
            bound.remove(name);
        }
    }

    fn condition(&self, atom: &'a Term, bound: &Bound<'a>, report: &mut Report) {
        if atom.name().is_some_and(|n| n == "distinct") {
            if let Some((shown, span)) = unbound(atom, bound, self.model.rules.syntax) {
                report.push(
                    Diagnostic::new(
                        Code::UnsafeDistinct,
                        span,
                        format!("this `distinct` has {shown}, but no condition gives it a value"),
                    )
                    .help(format!("add a condition that says which values {shown} may take")),
                );
            }
            return;
        }
        let Some(builtin) = self.model.builtin(atom) else {
            return;
        };
        for term in inputs(builtin, atom) {
            if let Some((shown, span)) = unbound(term, bound, self.model.rules.syntax) {
                report.push(
                    Diagnostic::new(
                        Code::UnboundInput,
                        span,
                        format!("nothing binds {shown}, an input of `{}`", builtin.name),
                    )
                    .help("add a condition before it that gives the variable a value"),
                );
                return;
            }
        }
    }

    fn effects(&self, effects: &'a [Effect], bound: &mut Bound<'a>, report: &mut Report) {
        for effect in effects {
            match &effect.kind {
                EffectKind::Add(term) | EffectKind::Delete(term) => {
                    if let Some((shown, span)) = unbound(term, bound, self.model.rules.syntax) {
                        report.push(
                            Diagnostic::new(
                                Code::UnsafeEffect,
                                span,
                                format!("nothing binds the variable {shown} of this effect"),
                            )
                            .help("bind it in the action, or in a condition before `==>`"),
                        );
                    }
                }
                EffectKind::When(conditions, inner) => {
                    let known = bound.clone();
                    self.inside(conditions, bound, |bound| {
                        self.order(conditions, bound, known, report);
                        conditions.iter().for_each(|f| self.formula(f, bound, 0, report));
                        self.effects(inner, bound, report);
                    });
                }
            }
        }
    }
}

/// The input arguments of a builtin.
fn inputs<'t>(builtin: &Builtin, atom: &'t Term) -> &'t [Term] {
    match builtin.usage {
        _ if builtin.name == "true" => &[],
        Use::Value => &atom.args()[..atom.args().len().saturating_sub(1)],
        Use::Test if builtin.name != "exists" => atom.args(),
        _ => &[],
    }
}

/// The first unbound variable in `term`, as written, with its position.
fn unbound(term: &Term, bound: &Bound<'_>, syntax: Syntax) -> Option<(String, Span)> {
    let mut all = Vec::new();
    all_unbound(term, bound, syntax, &mut all);
    all.into_iter().next()
}

fn all_unbound(term: &Term, bound: &Bound<'_>, syntax: Syntax, all: &mut Vec<(String, Span)>) {
    /// The maximum number of variables in a message.
    const ENOUGH: usize = 5;
    term.walk(&mut |t| {
        let shown = match &t.kind {
            TermKind::Variable(name) if !bound.contains(name) => match syntax {
                Syntax::Kif => format!("`?{name}`"),
                Syntax::Infix => format!("`{name}`"),
            },
            TermKind::Wildcard => "`_`".to_owned(),
            _ => return,
        };
        if all.len() < ENOUGH && all.iter().all(|(other, _)| *other != shown) {
            all.push((shown, t.span));
        }
    });
}
