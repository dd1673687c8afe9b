//! The order in which the conditions of a rule are evaluated.
//!
//! Tests are evaluated as soon as their variables are bound. Among conditions that enumerate, the
//! one with the fewest expected matches comes next. A relation that may be infinite is never
//! queried with fewer known arguments than in the written order.

use magister_gdl::Use;

use super::estimate::Known;
use super::plan::Planner;
use crate::program::{Atom, Goal, Literal, Pattern};
use crate::term::Functor;

impl Planner<'_, '_> {
    /// For each condition, the variables that are bound before it in the written order.
    pub(super) fn written(&self) -> Vec<Vec<u32>> {
        let mut bound = self.bound.clone();
        let mut needs = Vec::new();
        for literal in &self.rule.body {
            let mut here = Vec::new();
            literal.goal.variables(&mut |v| here.extend(bound[v as usize].then_some(v)));
            needs.push(here);
            outputs(literal, &mut |v| bound[v as usize] = true);
        }
        needs
    }

    /// The next condition.
    pub(super) fn choose(&mut self, left: &[usize]) -> usize {
        let rule = self.rule;
        let mut best: Option<(f64, usize)> = None;
        for &place in left {
            let literal = &rule.body[place];
            if !self.is_ready(literal, place) {
                continue;
            }
            let cost = self.cost(literal);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, place));
            }
        }
        best.map_or(left[0], |(_, place)| place)
    }

    /// Whether a condition may be evaluated now.
    fn is_ready(&self, literal: &Literal, place: usize) -> bool {
        let derived = |atom: &Atom| self.compiler.table_of(atom.relation).is_none();
        if literal.binds() {
            return match &literal.goal {
                Goal::Relation(atom) if derived(atom) => {
                    let compiler = &self.compiler;
                    compiler.estimates.free && compiler.statics.finite[atom.relation.index()]
                        || self.needs[place].iter().all(|&v| self.bound[v as usize])
                }
                _ => true,
            };
        }
        // No other condition would bind more of its variables.
        let mut own = Vec::new();
        outputs(literal, &mut |v| own.push(v));
        let obtainable = |variable: u32| {
            let own = own.iter().filter(|&&v| v == variable).count() as u32;
            self.givers[variable as usize] > own
        };
        let known = |pattern: &Pattern| {
            let mut known = true;
            pattern.variables(&mut |v| known &= self.bound[v as usize] || !obtainable(v));
            known
        };
        match &literal.goal {
            Goal::Builtin(builtin, args) if !literal.negated => {
                match (builtin.name, builtin.usage) {
                    ("same", _) => args.iter().any(|arg| self.is_bound(arg)),
                    ("member", _) => known(&args[1]),
                    (_, Use::Value) => args[..args.len() - 1].iter().all(known),
                    _ => args.iter().all(known),
                }
            }
            Goal::Aggregate(_, atom, _) if !literal.negated => atom.args.iter().all(known),
            goal => {
                let mut all = true;
                goal.patterns(&mut |pattern| all &= known(pattern));
                all
            }
        }
    }

    /// The estimated number of matches; less than one for tests.
    fn cost(&mut self, literal: &Literal) -> f64 {
        let matches = match &literal.goal {
            Goal::Distinct(..) => return 0.0,
            Goal::Builtin(builtin, _) => match builtin.usage {
                Use::Test => return 0.1,
                _ if builtin.name == "member" => 3.0,
                _ => return 0.2,
            },
            Goal::Aggregate(..) => return 2.0,
            Goal::Does(..) => 1.0,
            Goal::Fluent(Pattern::Compound(symbol, args)) => {
                let functor = Functor { symbol: *symbol, arity: Some(args.len() as u32) };
                let known = args.iter().map(|arg| match arg {
                    Pattern::Ground(term) => Known::Value(*term),
                    arg if self.is_bound(arg) => Known::Something,
                    _ => Known::Nothing,
                });
                let known: Vec<Known> = known.collect();
                self.compiler.estimates.fluents(functor, &known)
            }
            Goal::Fluent(pattern) => {
                if self.is_bound(pattern) {
                    0.3
                } else {
                    100.0
                }
            }
            Goal::Relation(atom) => self.matches(atom),
        };
        let mut known = true;
        literal.goal.variables(&mut |v| known &= self.bound[v as usize]);
        let tests = known || literal.negated;
        match &literal.goal {
            Goal::Relation(atom) if self.compiler.table_of(atom.relation).is_none() => {
                if tests {
                    1.5
                } else {
                    matches
                }
            }
            _ if tests => 0.5,
            _ => matches.max(0.6),
        }
    }

    /// The estimated number of answers of a relation.
    fn matches(&mut self, atom: &Atom) -> f64 {
        if let Some(table) = self.compiler.table_of(atom.relation) {
            let columns: Vec<u32> = (0..atom.args.len() as u32)
                .filter(|&at| self.is_bound(&atom.args[at as usize]))
                .collect();
            let all = f64::from(self.compiler.tables[table as usize].len());
            return all / f64::from(self.compiler.distinct(table, columns).max(1));
        }
        let answers = self.compiler.estimates.answers(atom.relation, &self.modes_of(atom));
        // Checking an answer is cheap, and an answer that does not match costs nothing more.
        let fitting = answers / 4_f64.powi(self.known_parts(atom));
        fitting.max(1.0) + 0.02 * answers + 0.5
    }

    /// The number of known parts of arguments that are not completely known.
    fn known_parts(&self, atom: &Atom) -> i32 {
        let mut parts = 0;
        for arg in atom.args.iter().filter(|arg| !self.is_bound(arg)) {
            arg.variables(&mut |v| parts += i32::from(self.bound[v as usize]));
        }
        parts.min(8)
    }
}

/// Calls `visit` on the variables that are bound after the condition.
pub(super) fn outputs(literal: &Literal, visit: &mut impl FnMut(u32)) {
    match &literal.goal {
        _ if literal.negated => {}
        Goal::Relation(_) | Goal::Fluent(_) | Goal::Does(..) => literal.goal.variables(visit),
        Goal::Builtin(builtin, args) => match (builtin.name, builtin.usage) {
            ("same", _) => args.iter().for_each(|arg| arg.variables(visit)),
            ("member", _) => args[0].variables(visit),
            (_, Use::Value) => args.iter().rev().take(1).for_each(|arg| arg.variables(visit)),
            _ => {}
        },
        Goal::Aggregate(_, _, result) => result.variables(visit),
        Goal::Distinct(..) => {}
    }
}
