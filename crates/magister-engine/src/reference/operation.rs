//! Actions of the operations dialect: additions and deletions.

use magister_core::{Halt, Stop};
use rustc_hash::{FxHashMap, FxHashSet};

use super::bind::{UNBOUND, match_all, matches, renumber, resolve, value};
use super::position::Reference;
use crate::program::{Atom, Effect, Goal, Pattern};
use crate::term::TermId;

/// The maximum nesting of operations.
const NESTING: u32 = 100;

/// An effect that happens.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// The operation, and the atom as which it is performed.
    pub(crate) operation: u32,
    pub(crate) action: TermId,
    /// The instances of the effect's conditions.
    pub(crate) conditions: Box<[TermId]>,
}

/// The changes of the state.
#[derive(Default)]
pub(crate) struct Changes {
    pub(crate) additions: FxHashSet<TermId>,
    /// The deletions, with the number of the change that caused them.
    pub(crate) deletions: FxHashMap<TermId, u32>,
    /// The performed atoms, with the number of the change that caused them; `None` for a move.
    pub(crate) performed: FxHashMap<TermId, Option<u32>>,
    pub(crate) list: Vec<Change>,
    /// Atoms to perform, with their causes and their nesting.
    pending: Vec<(TermId, Option<u32>, u32)>,
}

/// The context of an effect.
struct Place<'a> {
    operation: u32,
    action: TermId,
    nesting: u32,
    bindings: &'a [TermId],
    conditions: &'a [TermId],
}

impl Reference {
    /// The state after performing the actions that were set as moves. All conditions refer to the
    /// old state; an atom that is both added and deleted is present.
    pub(super) fn perform(&mut self, stop: &Stop) -> Result<Vec<TermId>, Halt> {
        let changes = self.changes(stop)?;
        if let Some(used) = &mut self.machine.used {
            changes.list.iter().for_each(|c| used.operations[c.operation as usize] = true);
        }
        let kept = |fluent: &TermId| !changes.deletions.contains_key(fluent);
        let mut state: Vec<TermId> = self.state().iter().copied().filter(kept).collect();
        state.extend(&changes.additions);
        self.terms().sort(&mut state);
        Ok(state)
    }

    /// The changes caused by the actions that were set as moves.
    pub(crate) fn changes(&mut self, stop: &Stop) -> Result<Changes, Halt> {
        let program = std::sync::Arc::clone(&self.machine.program);
        let mut changes = Changes::default();
        changes.pending.extend(self.machine.moves().iter().map(|&(_, action)| (action, None, 0)));
        while let Some((action, cause, nesting)) = changes.pending.pop() {
            stop.check()?;
            if changes.performed.contains_key(&action) {
                continue;
            }
            changes.performed.insert(action, cause);
            if nesting > NESTING {
                let action = self.terms().export(action);
                let what = format!("operations nested {NESTING} deep, at `{action}`");
                return Err(Halt::Limit(what));
            }
            let mut found = false;
            for (number, operation) in program.operations.iter().enumerate() {
                let mut bindings = vec![UNBOUND; operation.variables as usize];
                if matches(&operation.action, action, &mut bindings, self.terms()) {
                    found = true;
                    let (operation_number, bindings) = (number as u32, &bindings[..]);
                    let place = Place {
                        operation: operation_number,
                        action,
                        nesting,
                        bindings,
                        conditions: &[],
                    };
                    self.effects(&operation.effects, &place, &mut changes, stop)?;
                }
            }
            // An action without an operation is a fact.
            if !found {
                changes.additions.insert(action);
            }
        }
        Ok(changes)
    }

    fn effects(
        &mut self,
        effects: &[Effect],
        place: &Place<'_>,
        changes: &mut Changes,
        stop: &Stop,
    ) -> Result<(), Halt> {
        for effect in effects {
            match effect {
                Effect::Add(atom) => {
                    let atom = self.instance(place, atom)?;
                    let cause = Some(change(place, changes));
                    changes.pending.push((atom, cause, place.nesting + 1));
                }
                Effect::Delete(atom) => {
                    let atom = self.instance(place, atom)?;
                    let change = change(place, changes);
                    changes.deletions.entry(atom).or_insert(change);
                }
                Effect::When(condition, inner) => {
                    let terms = self.terms_mut();
                    let mut seen = Vec::new();
                    let args = condition.args.iter().map(|arg| {
                        let mut arg = resolve(arg, place.bindings, terms);
                        renumber(&mut arg, &mut seen);
                        arg
                    });
                    let args = args.collect();
                    let goal = Goal::Relation(Atom { relation: condition.relation, args });
                    for answer in self.ask_goal(&goal, stop)? {
                        let mut bindings = place.bindings.to_vec();
                        let terms = self.terms();
                        if match_all(&condition.args, terms.args(answer), &mut bindings, terms) {
                            let conditions = &[place.conditions, &[answer]].concat()[..];
                            let place = Place { bindings: &bindings, conditions, ..*place };
                            self.effects(inner, &place, changes, stop)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn instance(&mut self, place: &Place<'_>, atom: &Pattern) -> Result<TermId, Halt> {
        let span = self.program().operations[place.operation as usize].span;
        let line = self.program().line(span);
        let Some(atom) = value(atom, place.bindings, self.terms_mut()) else {
            return Err(Halt::Rules(format!(
                "an effect of the operation in line {line} has a variable without a value"
            )));
        };
        if self.terms().depth(atom) > self.machine.limits().depth {
            return Err(self.machine.too_deep(&format!("the operation in line {line}")));
        }
        Ok(atom)
    }
}

fn change(place: &Place<'_>, changes: &mut Changes) -> u32 {
    changes.list.push(Change {
        operation: place.operation,
        action: place.action,
        conditions: place.conditions.into(),
    });
    changes.list.len() as u32 - 1
}
