//! Explains the effects of operations on a fluent.

use magister_core::Halt;

use super::build::Build;
use super::near::hint;
use super::tree::{Claim, ProofId, Reason};
use crate::program::{Atom, Effect, Goal, Literal, Names, Pattern};
use crate::reference::Bindings;
use crate::reference::bind::{UNBOUND, matches, resolve};
use crate::reference::operation::{Change, Changes};
use crate::term::TermId;

impl Build<'_> {
    /// Explains why a fluent holds after the joint move, or why it does not.
    pub(super) fn next(
        &mut self,
        fluent: TermId,
        depth: u32,
        history: u32,
    ) -> Result<ProofId, Halt> {
        let changes = self.reference.changes(self.stop)?;
        let there = self.reference.state().contains(&fluent);
        let claim = Claim::Next(fluent);
        if changes.additions.contains(&fluent) {
            let node = self.performed(claim, fluent, &changes, depth, history)?;
            return Ok(node);
        }
        match (there, changes.deletions.get(&fluent)) {
            (true, None) => {
                let node = self.out.add(claim, true, self.at, Reason::Kept);
                let goal = Goal::Fluent(Pattern::Ground(fluent));
                let literal = Literal { negated: false, goal, stratum: 0 };
                let child = self.holds(&literal, &Names::default(), &[], depth, history)?;
                self.out.node_mut(node).children.push(child);
                Ok(node)
            }
            (true, Some(&change)) => {
                let node = self.out.add(claim, false, self.at, Reason::Kept);
                self.change(node, change, &changes, depth, history)?;
                Ok(node)
            }
            (false, _) => self.not_added(fluent, &changes, depth, history),
        }
    }

    /// Explains why an atom is performed, or added because it is performed.
    fn performed(
        &mut self,
        claim: Claim,
        atom: TermId,
        changes: &Changes,
        depth: u32,
        history: u32,
    ) -> Result<ProofId, Halt> {
        let root = self.out.add(claim, true, self.at, Reason::Bare);
        if let Some(Some(change)) = changes.performed.get(&atom) {
            self.change(root, *change, changes, depth, history)?;
        }
        Ok(root)
    }

    /// Makes the effect of an operation the reason of a node. Its children are what performs the
    /// operation and the conditions of the effect.
    fn change(
        &mut self,
        mut node: ProofId,
        mut change: u32,
        changes: &Changes,
        depth: u32,
        history: u32,
    ) -> Result<(), Halt> {
        // Operations that perform each other are nested at most a hundred deep.
        loop {
            let Change { operation, action, conditions } = &changes.list[change as usize];
            self.out.node_mut(node).reason = Reason::Operation(*operation, *action);
            let moves = self.reference.moves();
            let mover = moves.iter().find(|(_, made)| made == action).map(|&(role, _)| role);
            let by = match mover {
                Some(role) => {
                    let goal = Goal::Does(Pattern::Ground(role), Pattern::Ground(*action));
                    let literal = Literal { negated: false, goal, stratum: 0 };
                    self.add(&literal, &Names::default(), &[], true, Reason::Done)
                }
                None => self.out.add(Claim::Performed(*action), true, self.at, Reason::Done),
            };
            self.out.node_mut(node).children.push(by);
            for &condition in conditions {
                let child = self.grow(condition, depth, history)?;
                self.out.node_mut(node).children.push(child);
            }
            match changes.performed.get(action) {
                Some(Some(cause)) => (node, change) = (by, *cause),
                _ => return Ok(()),
            }
        }
    }

    /// Explains why nothing adds a fluent: for every effect that could, what is missing.
    fn not_added(
        &mut self,
        fluent: TermId,
        changes: &Changes,
        depth: u32,
        history: u32,
    ) -> Result<ProofId, Halt> {
        let functor = self.reference.terms().functor(fluent);
        let hint = hint(self.reference.program(), functor);
        let reason = Reason::NoOperation(hint);
        let root = self.out.add(Claim::Next(fluent), false, self.at, reason);
        let operations = self.reference.program().operations.clone();
        let mut found = 0;
        let mut idle = Vec::new();
        for (number, operation) in operations.iter().enumerate() {
            let mut ways = Vec::new();
            adding(&operation.effects, &mut Vec::new(), &mut ways);
            for (pattern, conditions) in ways {
                let mut bindings: Bindings = vec![UNBOUND; operation.variables as usize].into();
                if !matches(pattern, fluent, &mut bindings, self.reference.terms()) {
                    continue;
                }
                found += 1;
                let action = resolve(&operation.action, &bindings, self.reference.terms_mut());
                let performed = self.performing(&action, &bindings, changes);
                let Some(bindings) = performed else {
                    idle.push((number as u32, action));
                    continue;
                };
                let action = resolve(&operation.action, &bindings, self.reference.terms_mut());
                let claim = Claim::Effect(number as u32, action);
                let reason = Reason::Miss { hold: 0, open: 0, more: 0, at_least: false };
                let node = self.out.add(claim, false, self.at, reason);
                self.out.node_mut(root).children.push(node);
                for condition in conditions {
                    let goal = Goal::Relation(condition.clone());
                    let literal = Literal { negated: false, goal, stratum: 0 };
                    if self.reference.solutions(&literal, &bindings, self.stop)?.is_empty() {
                        let names = &operation.names;
                        let child = self.fails(&literal, names, &bindings, depth, history)?;
                        self.out.node_mut(node).children.push(child);
                        break;
                    }
                }
            }
        }
        let width = self.extent.width.max(1) as usize;
        self.out.node_mut(root).more = idle.len().saturating_sub(width) as u32;
        for (operation, action) in idle.into_iter().take(width) {
            let claim = Claim::Effect(operation, action);
            let node = self.out.add(claim, false, self.at, Reason::NotPerformed);
            self.out.node_mut(root).children.push(node);
        }
        if found > 0 {
            self.out.node_mut(root).reason = Reason::Misses(found);
        }
        Ok(root)
    }

    /// The bindings of an operation that is performed as an instance of this action.
    fn performing(
        &self,
        action: &Pattern,
        bindings: &[TermId],
        changes: &Changes,
    ) -> Option<Bindings> {
        let terms = self.reference.terms();
        let mut performed: Vec<TermId> = changes.performed.keys().copied().collect();
        terms.sort(&mut performed);
        performed.into_iter().find_map(|atom| {
            let mut bindings: Bindings = bindings.into();
            matches(action, atom, &mut bindings, terms).then_some(bindings)
        })
    }
}

/// All atoms that effects add, each with its conditions.
fn adding<'a>(
    effects: &'a [Effect],
    conditions: &mut Vec<&'a Atom>,
    found: &mut Vec<(&'a Pattern, Vec<&'a Atom>)>,
) {
    for effect in effects {
        match effect {
            Effect::Add(atom) => found.push((atom, conditions.clone())),
            Effect::Delete(_) => {}
            Effect::When(condition, inner) => {
                conditions.push(condition);
                adding(inner, conditions, found);
                conditions.pop();
            }
        }
    }
}
