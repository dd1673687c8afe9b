//! An explanation under construction.

use std::collections::VecDeque;

use magister_core::{Halt, Stop};
use rustc_hash::FxHashMap;

use super::rank::{Distance, constants};
use super::tree::{Claim, Explanation, ProofId, Reason};
use super::{Extent, Moment};
use crate::program::{Atom, Goal, Literal, Names, Pattern};
use crate::reference::bind::{UNBOUND, resolve};
use crate::reference::{Bindings, Reference};
use crate::term::TermId;

/// A node to be explained by earlier positions.
pub(super) struct Before {
    pub(super) node: ProofId,
    pub(super) fluent: TermId,
    /// The step that caused it; zero for the initial position.
    pub(super) step: u32,
    pub(super) depth: u32,
    pub(super) history: u32,
}

pub(super) struct Build<'a> {
    pub(super) reference: &'a mut Reference,
    moments: &'a [Moment],
    pub(super) extent: Extent,
    pub(super) stop: &'a Stop,
    pub(super) out: Explanation,
    /// The current position of the interpreter.
    pub(super) at: u32,
    /// Atoms whose proofs are complete, by position.
    pub(super) proved: FxHashMap<(u32, TermId), ProofId>,
    /// Conditions whose failures are complete, by position.
    pub(super) failed: FxHashMap<(u32, String), ProofId>,
    pub(super) before: VecDeque<Before>,
    /// How far conditions are from holding, by position.
    pub(super) distances: FxHashMap<(u32, String), Distance>,
    /// The constants in the move that the question is about, in order.
    pub(super) named: Vec<TermId>,
}

impl<'a> Build<'a> {
    pub(super) fn new(
        reference: &'a mut Reference,
        moments: &'a [Moment],
        extent: Extent,
        stop: &'a Stop,
    ) -> Self {
        Build {
            reference,
            moments,
            extent,
            stop,
            out: Explanation::default(),
            at: u32::MAX,
            proved: FxHashMap::default(),
            failed: FxHashMap::default(),
            before: VecDeque::new(),
            distances: FxHashMap::default(),
            named: Vec::new(),
        }
    }

    /// Goes to a position.
    fn enter(&mut self, step: u32) {
        if self.at == step {
            return;
        }
        let moment = &self.moments[step as usize];
        self.reference.set_state(&moment.state);
        if let Some(joint) = &moment.joint {
            self.reference.set_moves(joint);
        }
        self.at = step;
    }

    /// Explains a claim in the last position.
    pub(super) fn answer(mut self, question: &Claim) -> Result<Explanation, Halt> {
        self.enter(self.moments.len() as u32 - 1);
        let Extent { depth, history, .. } = self.extent;
        match question {
            Claim::Next(fluent) => {
                let root = self.next(*fluent, depth, history)?;
                self.out.holds = self.out.node(root).holds;
                self.out.answers = usize::from(self.out.holds);
                self.out.roots.push(root);
            }
            Claim::Literal(literal, names) => {
                let atom = literal.goal.atom().filter(|atom| self.is_legal(atom));
                if let Some(Pattern::Ground(choice)) = atom.and_then(|atom| atom.args.last()) {
                    self.named = constants(*choice, self.reference.terms());
                }
                self.literal(literal, names)?;
            }
            _ => {}
        }
        while let Some(before) = self.before.pop_front() {
            self.past(&before)?;
        }
        Ok(self.out)
    }

    fn is_legal(&self, atom: &Atom) -> bool {
        let program = self.reference.program();
        let functor = program.relations[atom.relation.index()].functor;
        program.terms.name(functor.symbol) == "legal"
    }

    fn literal(&mut self, literal: &Literal, names: &Names) -> Result<(), Halt> {
        let Extent { depth, width, history } = self.extent;
        let unbound: Bindings = vec![UNBOUND; names.len()].into();
        let mut solutions = self.reference.solutions(literal, &unbound, self.stop)?;
        self.out.holds = !solutions.is_empty();
        self.out.answers = solutions.len();
        if solutions.is_empty() {
            let root = self.fails(literal, names, &unbound, depth, history)?;
            self.out.roots.push(root);
            return Ok(());
        }
        let terms = self.reference.terms();
        solutions.sort_by(|a, b| {
            let pairs = a.iter().zip(b.iter()).filter(|(x, y)| x != y && **x != UNBOUND);
            pairs.map(|(&x, &y)| terms.compare(x, y)).next().unwrap_or(std::cmp::Ordering::Equal)
        });
        for bindings in solutions.into_iter().take(width.max(1) as usize) {
            let root = self.holds(literal, names, &bindings, depth, history)?;
            if literal.negated {
                // The answer to this question is the reason why nothing makes it true.
                let inner = Literal { negated: false, ..literal.clone() };
                let child = self.fails(&inner, names, &unbound, depth, history)?;
                self.out.node_mut(root).children.push(child);
            }
            self.out.roots.push(root);
        }
        Ok(())
    }

    /// Explains by earlier positions why a fluent is in the state, or why it is not.
    fn past(&mut self, before: &Before) -> Result<(), Halt> {
        let Before { node, fluent, step, depth, history } = *before;
        let holds = self.out.node(node).holds;
        let operations = self.reference.program().dialect == magister_gdl::Dialect::Operations;
        let child = if step > 0 && operations {
            self.enter(step - 1);
            self.next(fluent, depth, history)?
        } else {
            self.enter(step.saturating_sub(1));
            let name = if step == 0 { "init" } else { "next" };
            let goal = self.reference.program().goal(name, vec![Pattern::Variable(0)]);
            let Some(Goal::Relation(Atom { relation, .. })) = goal else { return Ok(()) };
            let goal = Goal::Relation(Atom { relation, args: [Pattern::Ground(fluent)].into() });
            let literal = Literal { negated: false, goal, stratum: 0 };
            if holds {
                self.holds(&literal, &Names::default(), &[], depth, history)?
            } else {
                self.fails(&literal, &Names::default(), &[], depth, history)?
            }
        };
        self.out.node_mut(node).children.push(child);
        Ok(())
    }

    /// The step since which a fluent has been in the state continuously, if the earlier positions
    /// are known.
    pub(super) fn since(&self, fluent: TermId) -> Option<u32> {
        if self.moments.len() < 2 {
            return None;
        }
        let there = |step: u32| self.moments[step as usize].state.contains(&fluent);
        let mut since = self.at;
        while since > 0 && there(since - 1) {
            since -= 1;
        }
        Some(since)
    }

    /// The last step whose position has a fluent that is not in the state.
    pub(super) fn until(&self, fluent: TermId) -> Option<u32> {
        let there = |step: &u32| self.moments[*step as usize].state.contains(&fluent);
        (0..self.at).rev().find(there)
    }

    /// A condition with its bindings substituted.
    pub(super) fn under(&mut self, literal: &Literal, bindings: &[TermId]) -> Literal {
        let terms = self.reference.terms_mut();
        let mut put = |pattern: &Pattern| resolve(pattern, bindings, terms);
        let goal = match &literal.goal {
            Goal::Relation(atom) => {
                let args = atom.args.iter().map(&mut put).collect();
                Goal::Relation(Atom { relation: atom.relation, args })
            }
            Goal::Fluent(fluent) => Goal::Fluent(put(fluent)),
            Goal::Does(role, choice) => Goal::Does(put(role), put(choice)),
            Goal::Distinct(a, b) => Goal::Distinct(put(a), put(b)),
            Goal::Builtin(builtin, args) => {
                Goal::Builtin(builtin, args.iter().map(&mut put).collect())
            }
            Goal::Aggregate(collect, atom, result) => {
                let args = atom.args.iter().map(&mut put).collect();
                Goal::Aggregate(*collect, Atom { relation: atom.relation, args }, put(result))
            }
        };
        Literal { negated: literal.negated, goal, stratum: literal.stratum }
    }

    /// Adds a node for a condition under bindings.
    pub(super) fn add(
        &mut self,
        literal: &Literal,
        names: &Names,
        bindings: &[TermId],
        holds: bool,
        reason: Reason,
    ) -> ProofId {
        let literal = self.under(literal, bindings);
        self.out.add(Claim::Literal(literal, names.clone()), holds, self.at, reason)
    }
}
