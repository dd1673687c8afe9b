//! Conditions: the atoms of a body.

use magister_gdl::{Builtin, Formula, FormulaKind, Span, Term, TermKind, Use};

use super::disjunction::Piece;
use super::lower::{Lowering, Occurrences, Variables, count, count_all, shared};
use super::{Atom, Collect, Goal, Literal, Pattern};
use crate::reference::builtin;
use crate::term::Functor;

impl Lowering<'_> {
    /// The literal of a piece of a body; `None` if it always holds.
    pub(super) fn literal(
        &mut self,
        piece: Piece<'_>,
        whole: &Occurrences<'_>,
        variables: &mut Variables,
        span: Span,
    ) -> Result<Option<Literal>, String> {
        let (goal, negated) = match piece {
            Piece::Atom(atom, negated) => (self.goal(atom, whole, variables, span)?, negated),
            Piece::NotAll(parts) => {
                let mut inside = Occurrences::default();
                count_all(parts, &mut inside);
                let head = shared(&inside, whole, span);
                let relation = self.hidden("the conjunction", &head, parts, span)?;
                let args = head.iter().map(|arg| self.pattern(arg, variables)).collect();
                (Some(Goal::Relation(Atom { relation, args })), true)
            }
        };
        Ok(match (goal, negated) {
            (None, false) => None,
            // `~true`: the negation of `true` becomes an undefined relation, which is always false.
            (None, true) => {
                let name = self.program.terms.symbol("false");
                let relation = self.relation_of(Functor { symbol: name, arity: None }, true);
                let goal = Goal::Relation(Atom { relation, args: Box::default() });
                Some(Literal { negated: false, goal, stratum: 0 })
            }
            (Some(goal), negated) => Some(Literal { negated, goal, stratum: 0 }),
        })
    }

    /// The goal of an atom; `None` if it always holds.
    fn goal(
        &mut self,
        atom: &Term,
        whole: &Occurrences<'_>,
        variables: &mut Variables,
        span: Span,
    ) -> Result<Option<Goal>, String> {
        let Some(name) = atom.name() else {
            if self.operations && atom.is_variable() {
                // The condition is a variable: its value is looked up in the state.
                return Ok(Some(Goal::Fluent(self.pattern(atom, variables))));
            }
            return Err("a condition is an atom, not a variable or a list".to_owned());
        };
        let args = atom.args();
        if name == "distinct" && args.len() == 2 {
            let left = self.pattern(&args[0], variables);
            return Ok(Some(Goal::Distinct(left, self.pattern(&args[1], variables))));
        }
        if self.operations {
            let fits = |b: &&Builtin| (b.least..=b.most).contains(&args.len());
            if let Some(builtin) = Builtin::find(name).filter(fits) {
                return self.builtin(builtin, args, whole, variables, span);
            }
            let symbol = self.program.terms.symbol(name);
            if !self.program.views.contains(&symbol) {
                return Ok(Some(Goal::Fluent(self.pattern(atom, variables))));
            }
        } else if name == "true" && args.len() == 1 {
            return Ok(Some(Goal::Fluent(self.pattern(&args[0], variables))));
        } else if name == "does" && args.len() == 2 {
            let role = self.pattern(&args[0], variables);
            return Ok(Some(Goal::Does(role, self.pattern(&args[1], variables))));
        }
        let relation = self.relation(atom);
        let args = args.iter().map(|arg| self.pattern(arg, variables)).collect();
        Ok(Some(Goal::Relation(Atom { relation, args })))
    }

    fn builtin(
        &mut self,
        builtin: &'static Builtin,
        args: &[Term],
        whole: &Occurrences<'_>,
        variables: &mut Variables,
        span: Span,
    ) -> Result<Option<Goal>, String> {
        let collect = match builtin.name {
            "true" if args.is_empty() => return Ok(None),
            "countofall" => Collect::Count,
            "setofall" => Collect::List,
            "exists" => {
                // Quantified variables are local; other variables that are bound outside are not.
                let formula = formula(&args[1]);
                let mut inside = Occurrences::default();
                count_all(std::slice::from_ref(&formula), &mut inside);
                args[0].variables(&mut |name, _| {
                    inside.remove(name);
                });
                let head = shared(&inside, whole, span);
                let relation =
                    self.hidden("the quantifier", &head, std::slice::from_ref(&formula), span)?;
                let args = head.iter().map(|arg| self.pattern(arg, variables)).collect();
                return Ok(Some(Goal::Relation(Atom { relation, args })));
            }
            name if builtin.usage == Use::Impure => {
                return Err(format!(
                    "`{name}` depends on chance or on the clock, so it cannot be used in a game"
                ));
            }
            name if !builtin::supported(name, args.len()) => {
                return Err(format!("the builtin `{name}` is not supported"));
            }
            _ => {
                let args = args.iter().map(|arg| self.pattern(arg, variables)).collect();
                return Ok(Some(Goal::Builtin(builtin, args)));
            }
        };
        let formula = formula(&args[1]);
        let mut inside = Occurrences::default();
        count(&args[0], &mut inside);
        count(&args[1], &mut inside);
        let mut head = shared(&inside, whole, span);
        let mut call: Vec<Pattern> = head.iter().map(|arg| self.pattern(arg, variables)).collect();
        head.push(args[0].clone());
        call.push(Pattern::Variable(variables.fresh()));
        let relation = self.hidden("the aggregate", &head, std::slice::from_ref(&formula), span)?;
        let result = self.pattern(&args[2], variables);
        Ok(Some(Goal::Aggregate(collect, Atom { relation, args: call.into() }, result)))
    }
}

/// The formula in an argument of an aggregate or quantifier.
fn formula(term: &Term) -> Formula {
    let kind = match &term.kind {
        TermKind::Compound(name, args) if name == "not" && args.len() == 1 => {
            FormulaKind::Not(Box::new(formula(&args[0])))
        }
        TermKind::Compound(name, args) if name == "and" => {
            FormulaKind::And(args.iter().map(formula).collect())
        }
        TermKind::Compound(name, args) if name == "or" => {
            FormulaKind::Or(args.iter().map(formula).collect())
        }
        _ => FormulaKind::Atom(term.clone()),
    };
    Formula::new(kind, term.span)
}
