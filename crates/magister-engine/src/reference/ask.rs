//! Queries of single conditions and instances of rules, for explanations.

use magister_core::{Halt, Stop};

use super::bind::{UNBOUND, match_all, matches, open, renumber, resolve, value};
use super::builtin::{self, Outcome};
use super::literal::collect;
use super::plan;
use super::position::Reference;
use crate::coverage::Used;
use crate::program::{Atom, Goal, Literal, Pattern};
use crate::term::TermId;

/// The values of the variables of a rule; [`UNBOUND`] for variables without one.
pub(crate) type Bindings = Box<[TermId]>;

impl Reference {
    /// The bindings under which the head of a rule is an instance of an atom, as far as the head
    /// shows; `None` if it never is.
    pub(crate) fn open_head(&self, rule: u32, args: &[Pattern]) -> Option<Bindings> {
        let rule = &self.program().rules[rule as usize];
        let mut bindings = vec![UNBOUND; rule.variables as usize];
        let mut pairs = rule.head.args.iter().zip(args);
        let opens = pairs.all(|(head, arg)| open(head, arg, &mut bindings, self.terms()));
        opens.then(|| bindings.into())
    }

    /// Whether a ground atom is a fact of the rules.
    pub(crate) fn is_fact(&self, atom: TermId) -> bool {
        self.machine.facts.contains(atom)
    }

    /// Sets the step limit of queries, and returns the previous one.
    pub(crate) fn limit_steps(&mut self, steps: u64) -> u64 {
        self.machine.limit_steps(steps)
    }

    /// The moves: pairs of role and move.
    pub(crate) fn moves(&self) -> &[(TermId, TermId)] {
        self.machine.moves()
    }

    /// Starts to record which rules are used. From then on every rule is tried.
    pub(crate) fn note_use(&mut self) {
        self.machine.used = Some(Box::new(Used::nothing(&self.machine.program)));
    }

    /// The rules and relations that have been used since then.
    pub(crate) fn used(&self) -> Option<&Used> {
        self.machine.used.as_deref()
    }

    /// The evaluation order of a rule's conditions under bindings.
    pub(crate) fn order(&self, rule: u32, bindings: &[TermId]) -> Box<[u32]> {
        let bits = bindings.iter().take(64).enumerate();
        let bound = bits.filter(|(_, v)| **v != UNBOUND).fold(0, |m, (bit, _)| m | 1 << bit);
        plan::order(&self.program().rules[rule as usize], bound)
    }

    /// All solutions of a condition under bindings, as extended bindings. A condition that binds
    /// nothing returns its input.
    pub(crate) fn solutions(
        &mut self,
        literal: &Literal,
        bindings: &[TermId],
        stop: &Stop,
    ) -> Result<Vec<Bindings>, Halt> {
        let fits: Vec<Bindings> = match &literal.goal {
            Goal::Relation(atom) => {
                let goal = Goal::Relation(self.under(atom, bindings));
                let answers = self.ask_goal(&goal, stop)?;
                let terms = self.terms();
                spread(bindings, &answers, |answer, into| {
                    match_all(&atom.args, terms.args(answer), into, terms)
                })
            }
            Goal::Fluent(pattern) => {
                let known = value(pattern, bindings, self.terms_mut());
                let pattern = known.map_or_else(|| pattern.clone(), Pattern::Ground);
                let (state, terms) = (&self.machine.state, self.terms());
                let candidates = state.matching(&pattern, bindings);
                spread(bindings, candidates, |fluent, into| matches(&pattern, fluent, into, terms))
            }
            Goal::Does(role, choice) => {
                let (moves, terms) = (self.machine.moves(), self.terms());
                let fits = |&(mover, made): &(TermId, TermId)| {
                    let mut into: Bindings = bindings.into();
                    let fits = matches(role, mover, &mut into, terms)
                        && matches(choice, made, &mut into, terms);
                    fits.then_some(into)
                };
                moves.iter().filter_map(fits).collect()
            }
            Goal::Distinct(a, b) => {
                let a = resolve(a, bindings, self.terms_mut());
                let b = resolve(b, bindings, self.terms_mut());
                test(!a.may_meet(&b, self.terms()), bindings)
            }
            Goal::Builtin(..) => match self.compute(&literal.goal, bindings)? {
                Computed::Test(holds) => test(holds, bindings),
                Computed::Values(pattern, values) => {
                    let terms = self.terms();
                    spread(bindings, &values, |term, into| matches(pattern, term, into, terms))
                }
            },
            Goal::Aggregate(_, _, result) => {
                let value = self.aggregate(&literal.goal, bindings, stop)?;
                let terms = self.terms();
                spread(bindings, value.as_slice(), |term, into| matches(result, term, into, terms))
            }
        };
        Ok(if literal.negated { test(fits.is_empty(), bindings) } else { fits })
    }

    /// The value of a builtin, whatever value the rule expects.
    pub(crate) fn compute<'a>(
        &mut self,
        goal: &'a Goal,
        bindings: &[TermId],
    ) -> Result<Computed<'a>, Halt> {
        let Goal::Builtin(builtin, args) = goal else { return Ok(Computed::Test(false)) };
        let program = std::sync::Arc::clone(&self.machine.program);
        let depth = self.machine.limits().depth;
        let (terms, definitions) = (self.terms_mut(), &program.definitions);
        match builtin::solve(builtin.name, args, bindings, terms, definitions, depth) {
            Outcome::Test(holds) => Ok(Computed::Test(holds)),
            Outcome::Values(pattern, values) => Ok(Computed::Values(pattern, values)),
            Outcome::NoEnd => Err(self.machine.too_deep(&format!("`{}`", builtin.name))),
        }
    }

    /// The number or the list of an aggregate.
    pub(crate) fn aggregate(
        &mut self,
        goal: &Goal,
        bindings: &[TermId],
        stop: &Stop,
    ) -> Result<Option<TermId>, Halt> {
        let Goal::Aggregate(kind, atom, _) = goal else { return Ok(None) };
        let atom = self.under(atom, bindings);
        let name = self.program().relation_name(atom.relation);
        let answers = self.ask_goal(&Goal::Relation(atom), stop)?;
        let depth = self.machine.limits().depth;
        match collect(*kind, &answers, self.terms_mut(), depth) {
            Some(value) => Ok(Some(value)),
            None => Err(self.machine.too_deep(&name)),
        }
    }

    /// An atom with its bindings substituted; unbound variables are numbered from zero.
    fn under(&mut self, atom: &Atom, bindings: &[TermId]) -> Atom {
        let mut seen = Vec::new();
        let terms = self.terms_mut();
        let args = atom.args.iter().map(|arg| {
            let mut arg = resolve(arg, bindings, terms);
            renumber(&mut arg, &mut seen);
            arg
        });
        Atom { relation: atom.relation, args: args.collect() }
    }
}

/// The result of a builtin.
pub(crate) enum Computed<'a> {
    Test(bool),
    /// The possible values of this pattern.
    Values(&'a Pattern, Vec<TermId>),
}

fn test(holds: bool, bindings: &[TermId]) -> Vec<Bindings> {
    if holds { vec![bindings.into()] } else { Vec::new() }
}

fn spread(
    bindings: &[TermId],
    candidates: &[TermId],
    fits: impl Fn(TermId, &mut [TermId]) -> bool,
) -> Vec<Bindings> {
    let extended = |&candidate: &TermId| {
        let mut into: Bindings = bindings.into();
        fits(candidate, &mut into).then_some(into)
    };
    candidates.iter().filter_map(extended).collect()
}
