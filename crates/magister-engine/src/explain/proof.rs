//! Why something holds.

use magister_core::Halt;

use super::build::{Before, Build};
use super::search::{Proof, ground_atom, prove};
use super::tree::{ProofId, Reason};
use crate::program::{Atom, Goal, Literal, Names, Pattern};
use crate::reference::bind::{UNBOUND, value};
use crate::term::TermId;

impl Build<'_> {
    /// Explains a condition that holds under bindings.
    pub(super) fn holds(
        &mut self,
        literal: &Literal,
        names: &Names,
        bindings: &[TermId],
        depth: u32,
        history: u32,
    ) -> Result<ProofId, Halt> {
        if literal.negated {
            return Ok(self.add(literal, names, bindings, true, Reason::Absent));
        }
        match &literal.goal {
            Goal::Relation(_) => match ground_atom(self.reference, &literal.goal, bindings) {
                Some(atom) => self.grow(atom, depth, history),
                None => Ok(self.add(literal, names, bindings, true, Reason::Computed)),
            },
            _ => self.leaf(literal, names, bindings, depth, history),
        }
    }

    /// Explains a ground atom that holds.
    pub(super) fn grow(&mut self, atom: TermId, depth: u32, history: u32) -> Result<ProofId, Halt> {
        let proof = prove(self.reference, atom, self.stop)?;
        let root = self.atom(atom);
        // Depth first, so that a repeated atom is explained at its first occurrence.
        let mut rest = vec![(root, atom, depth)];
        while let Some((node, atom, depth)) = rest.pop() {
            self.stop.check()?;
            self.expand(node, atom, depth, history, &proof, &mut rest)?;
        }
        Ok(root)
    }

    /// A node for a ground atom, without its reason.
    fn atom(&mut self, atom: TermId) -> ProofId {
        let functor = self.reference.terms().functor(atom);
        let args = self.reference.terms().args(atom).iter().map(|&arg| Pattern::Ground(arg));
        let args = args.collect();
        let goal = match self.reference.program().relation(functor) {
            Some(relation) => Goal::Relation(Atom { relation, args }),
            None => Goal::Fluent(Pattern::Ground(atom)),
        };
        let literal = Literal { negated: false, goal, stratum: 0 };
        self.add(&literal, &Names::default(), &[], true, Reason::Computed)
    }

    fn expand(
        &mut self,
        node: ProofId,
        atom: TermId,
        depth: u32,
        history: u32,
        proof: &Proof,
        rest: &mut Vec<(ProofId, TermId, u32)>,
    ) -> Result<(), Halt> {
        let Some(Some((rule, bindings))) = proof.get(&atom) else {
            self.out.node_mut(node).reason = Reason::Fact(self.fact_line(atom));
            return Ok(());
        };
        if let Some(&earlier) = self.proved.get(&(self.at, atom)) {
            self.out.node_mut(node).reason = Reason::Elsewhere(earlier);
            return Ok(());
        }
        if depth == 0 {
            self.out.node_mut(node).reason = Reason::Deeper;
            self.out.cut = true;
            return Ok(());
        }
        self.proved.insert((self.at, atom), node);
        self.out.node_mut(node).reason = Reason::Rule(*rule, bindings.clone());
        let info = &self.reference.program().rules[*rule as usize];
        let (body, names) = (info.body.clone(), info.names.clone());
        let first = rest.len();
        for literal in &body {
            let needed = if literal.negated {
                None
            } else {
                ground_atom(self.reference, &literal.goal, bindings)
            };
            let child = match needed {
                Some(atom) => {
                    let child = self.atom(atom);
                    rest.push((child, atom, depth - 1));
                    child
                }
                None if literal.negated => {
                    self.add(literal, &names, bindings, true, Reason::Absent)
                }
                None => self.leaf(literal, &names, bindings, depth, history)?,
            };
            self.out.node_mut(node).children.push(child);
        }
        rest[first..].reverse();
        Ok(())
    }

    /// Explains a condition that holds and does not depend on a rule.
    fn leaf(
        &mut self,
        literal: &Literal,
        names: &Names,
        bindings: &[TermId],
        depth: u32,
        history: u32,
    ) -> Result<ProofId, Halt> {
        match &literal.goal {
            Goal::Fluent(pattern) => {
                let fluent = value(pattern, bindings, self.reference.terms_mut());
                let since = fluent.and_then(|fluent| self.since(fluent));
                let node = self.add(literal, names, bindings, true, Reason::State(since));
                if let (Some(fluent), Some(step), true) = (fluent, since, history > 0) {
                    let (depth, history) = (depth.max(1), history - 1);
                    self.before.push_back(Before { node, fluent, step, depth, history });
                }
                Ok(node)
            }
            Goal::Does(..) => Ok(self.add(literal, names, bindings, true, Reason::Done)),
            Goal::Aggregate(_, atom, _) => {
                let call = Goal::Relation(atom.clone());
                let asked = Literal { negated: false, goal: call, stratum: 0 };
                let mut inner = bindings.to_vec();
                // The collected variable is local to the aggregate.
                if let Some(Pattern::Variable(item)) = atom.args.last() {
                    inner[*item as usize] = UNBOUND;
                }
                let found = self.reference.solutions(&asked, &inner, self.stop)?.len();
                Ok(self.add(literal, names, bindings, true, Reason::Counted(found as u32)))
            }
            _ => Ok(self.add(literal, names, bindings, true, Reason::Computed)),
        }
    }

    /// The line of a fact.
    fn fact_line(&self, fact: TermId) -> u32 {
        let program = self.reference.program();
        let info = program
            .relation(self.reference.terms().functor(fact))
            .map(|relation| &program.relations[relation.index()]);
        let span = info.and_then(|info| {
            info.facts.iter().position(|&f| f == fact).and_then(|place| info.spans.get(place))
        });
        span.map_or(0, |&span| program.line(span))
    }
}
