//! From operations to rules: additions, deletions and frame rules.

use magister_gdl::Dialect;

use super::lower::{Lower, Renaming, refuse};
use super::rules::{
    ADDED, Condition, DELETED, DOES, FLUENTS, NEXT, PERFORMED, Rule, TableId, table,
};
use crate::Error;
use crate::program::{Atom, Effect, Goal, Pattern};

impl Lower<'_> {
    pub(super) fn effects(
        &mut self,
        effects: &[Effect],
        conditions: &[Condition],
        variables: u32,
        line: u32,
    ) -> Result<(), Error> {
        for effect in effects {
            match effect {
                Effect::When(atom, inner) => {
                    let rules = self.program.relations[atom.relation.index()].rules.clone();
                    for rule in rules {
                        // The conditions, with their variables renamed for this rule.
                        let mut names = Renaming::into(variables);
                        let head = &self.program.rules[rule as usize].head;
                        for (given, taken) in atom.args.iter().zip(&head.args) {
                            if let (Pattern::Variable(given), Pattern::Variable(taken)) =
                                (given, taken)
                            {
                                names.known.insert(*taken, *given);
                            }
                        }
                        let mut more = conditions.to_vec();
                        more.extend(self.conditions(rule as usize, &mut names)?);
                        self.effects(inner, &more, names.count, line)?;
                    }
                }
                Effect::Add(term) => {
                    let head = if self.is_operation(term, line)? { PERFORMED } else { ADDED };
                    self.add(
                        head,
                        Box::from([term.clone()]),
                        conditions.to_vec(),
                        variables,
                        0,
                        line,
                    )?;
                }
                Effect::Delete(term) => {
                    let args = Box::from([term.clone()]);
                    self.add(DELETED, args, conditions.to_vec(), variables, 0, line)?;
                }
            }
        }
        Ok(())
    }

    /// Whether an effect calls an operation; an error if only some of its instances do.
    fn is_operation(&self, term: &Pattern, line: u32) -> Result<bool, Error> {
        let terms = &self.program.terms;
        let meets = self.program.operations.iter().filter(|o| o.action.may_meet(term, terms));
        let mut partly = false;
        for operation in meets {
            let mut seen = Vec::new();
            let general = match &operation.action {
                Pattern::Ground(_) | Pattern::Variable(_) => true,
                Pattern::Compound(_, args) => args.iter().all(|a| match a {
                    Pattern::Variable(v) => {
                        let new = !seen.contains(v);
                        seen.push(*v);
                        new
                    }
                    _ => false,
                }),
            };
            if general || operation.action == *term {
                return Ok(true);
            }
            partly = true;
        }
        if partly {
            return Err(refuse(line, "an effect that is an operation for some values only"));
        }
        Ok(false)
    }

    /// The frame rules of every game: the next state.
    pub(super) fn frame(&mut self) {
        let fluent = || Box::from([Pattern::Variable(0)]);
        let mut push = |head: TableId, args: Box<[Pattern]>, body: Vec<Condition>| {
            self.set.rules.push(Rule { head, args, body, variables: 2, stratum: 0, line: 0 });
        };
        if self.program.dialect == Dialect::Operations {
            let action: Box<[Pattern]> = Box::from([Pattern::Variable(1)]);
            let does = Box::from([Pattern::Variable(0), Pattern::Variable(1)]);
            push(PERFORMED, action, vec![Condition::In(DOES, does)]);
            push(NEXT, fluent(), vec![Condition::In(ADDED, fluent())]);
            push(
                NEXT,
                fluent(),
                vec![Condition::In(FLUENTS, fluent()), Condition::NotIn(DELETED, fluent())],
            );
        } else if let Some(Goal::Relation(Atom { relation, .. })) =
            self.program.goal("next", vec![Pattern::Variable(0)])
        {
            push(NEXT, fluent(), vec![Condition::In(table(relation), fluent())]);
        }
    }
}
