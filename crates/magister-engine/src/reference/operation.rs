//! Actions of the operations dialect: what they add and what they delete.

use magister_core::{Halt, Stop};
use rustc_hash::FxHashSet;

use super::bind::{UNBOUND, match_all, matches, renumber, resolve, value};
use super::position::Reference;
use crate::program::{Atom, Effect, Goal, Operation, Pattern};
use crate::term::TermId;

/// How deeply operations may perform each other.
const NESTING: u32 = 100;

/// What happens to the state.
#[derive(Default)]
struct Changes {
    additions: FxHashSet<TermId>,
    deletions: FxHashSet<TermId>,
    /// Atoms to perform, with how deeply they are nested.
    pending: Vec<(TermId, u32)>,
    performed: FxHashSet<TermId>,
}

impl Reference {
    /// The state after the actions that were set as moves. All conditions are asked in the old
    /// state; where an atom is both added and deleted, it is there.
    pub(super) fn perform(&mut self, stop: &Stop) -> Result<Vec<TermId>, Halt> {
        let program = std::sync::Arc::clone(&self.machine.program);
        let mut changes = Changes::default();
        changes.pending.extend(self.machine.moves().iter().map(|&(_, action)| (action, 0)));
        while let Some((action, nesting)) = changes.pending.pop() {
            if !changes.performed.insert(action) {
                continue;
            }
            if nesting > NESTING {
                let action = self.terms().export(action);
                let what = format!("operations nested {NESTING} deep, at `{action}`");
                return Err(Halt::Limit(what));
            }
            let mut found = false;
            for operation in &program.operations {
                let mut bindings = vec![UNBOUND; operation.variables as usize];
                if matches(&operation.action, action, &mut bindings, self.terms()) {
                    found = true;
                    let effects = &operation.effects;
                    self.effects(operation, effects, &bindings, nesting, &mut changes, stop)?;
                }
            }
            // What no operation performs is a fact.
            if !found {
                changes.additions.insert(action);
            }
        }
        let kept = |fluent: &TermId| !changes.deletions.contains(fluent);
        let mut state: Vec<TermId> = self.state().iter().copied().filter(kept).collect();
        state.extend(&changes.additions);
        self.terms().sort(&mut state);
        Ok(state)
    }

    fn effects(
        &mut self,
        operation: &Operation,
        effects: &[Effect],
        bindings: &[TermId],
        nesting: u32,
        changes: &mut Changes,
        stop: &Stop,
    ) -> Result<(), Halt> {
        for effect in effects {
            match effect {
                Effect::Add(atom) => {
                    let atom = self.instance(operation, atom, bindings)?;
                    changes.pending.push((atom, nesting + 1));
                }
                Effect::Delete(atom) => {
                    let atom = self.instance(operation, atom, bindings)?;
                    changes.deletions.insert(atom);
                }
                Effect::When(condition, inner) => {
                    let terms = self.terms_mut();
                    let mut seen = Vec::new();
                    let args = condition.args.iter().map(|arg| {
                        let mut arg = resolve(arg, bindings, terms);
                        renumber(&mut arg, &mut seen);
                        arg
                    });
                    let args = args.collect();
                    let goal = Goal::Relation(Atom { relation: condition.relation, args });
                    for answer in self.ask_goal(&goal, stop)? {
                        let mut bindings = bindings.to_vec();
                        let terms = self.terms();
                        if match_all(&condition.args, terms.args(answer), &mut bindings, terms) {
                            self.effects(operation, inner, &bindings, nesting, changes, stop)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn instance(
        &mut self,
        operation: &Operation,
        atom: &Pattern,
        bindings: &[TermId],
    ) -> Result<TermId, Halt> {
        let line = self.program().line(operation.span);
        let Some(atom) = value(atom, bindings, self.terms_mut()) else {
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
