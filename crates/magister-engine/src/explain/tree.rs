//! What an explanation is made of.

use crate::program::{Literal, Names, Pattern};
use crate::reference::Bindings;
use crate::term::TermId;

/// A node: an index into [`Explanation::nodes`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProofId(pub u32);

/// What is explained.
#[derive(Clone, PartialEq, Debug)]
pub enum Claim {
    /// A condition, with the values of its variables where they have one, and the names of the
    /// others.
    Literal(Literal, Names),
    /// In the operations dialect: the fluent is there after the joint move.
    Next(TermId),
    /// In the operations dialect: an atom that actions lead to is performed.
    Performed(TermId),
    /// An instance of a rule: all conditions hold. Values that nothing gives are missing.
    Instance(u32, Bindings),
    /// An effect of an operation, performed as such an atom, happens.
    Effect(u32, Pattern),
}

/// Why something holds, or why it does not.
#[derive(Clone, PartialEq, Debug)]
pub enum Reason {
    /// It is a fact of the rules, in this line.
    Fact(u32),
    /// The rule gives it under these values. There is a child for every condition, in order.
    Rule(u32, Bindings),
    /// It is in the state, since this step if that is known. A child says how it came to be.
    State(Option<u32>),
    /// It is done in this step.
    Done,
    /// Two terms differ, or a builtin says so.
    Computed,
    /// An aggregate over so many answers.
    Counted(u32),
    /// Nothing makes true what is negated. If there is a child, it says why.
    Absent,
    /// An operation, performed as this atom, adds it, or deletes it if it does not hold.
    /// Children: what led to the operation, and the conditions of the effect.
    Operation(u32, TermId),
    /// It was in the state before and no operation deletes it.
    Kept,
    /// An action that no operation describes becomes true itself.
    Bare,

    /// It is not in the state, which has fluents that resemble it; it was there last in a step.
    NotInState {
        /// The fluents that resemble it most.
        near: Vec<TermId>,
        /// The last step in whose position it was.
        until: Option<u32>,
        /// What may have been meant, if the rules speak of no such fluent.
        hint: Option<Hint>,
    },
    /// The role does something else, or nothing.
    NotDone(Option<TermId>),
    /// A builtin says no; it would say yes of this value.
    Refuted(Option<TermId>),
    /// What is negated holds; the child says why.
    Present,
    /// Nothing defines such a thing.
    Undefined(Hint),
    /// There are facts but no rules, and it is not among them; these resemble it.
    NoFact(Vec<TermId>),
    /// There are rules, and none has a head that meets it; these are some of them.
    NoHead(Vec<u32>),
    /// So many rules could give it. The children are their instances that come nearest.
    Misses(u32),
    /// So many conditions of the instance are known to hold; the children do not. Others, which
    /// need a value that these would give, are not known. So many instances are like it.
    Miss {
        /// Conditions that hold.
        hold: u32,
        /// Conditions that can not be told.
        open: u32,
        /// Instances of which the same can be said.
        more: u32,
        /// Whether there may be more of them, because the search was cut short.
        at_least: bool,
    },
    /// The conditions of the instance hold, but it gives this and not what is asked for.
    Gives(TermId),
    /// An operation would add it, but the action is not performed.
    NotPerformed,
    /// No operation of the rules adds such a thing.
    NoOperation(Hint),
    /// It is explained elsewhere.
    Elsewhere(ProofId),
    /// It lies deeper than was asked for.
    Deeper,
    /// A limit was met before it could be told.
    Limit(String),
}

/// What somebody may have meant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Hint {
    /// A name that resembles it.
    pub name: Option<String>,
    /// The numbers of arguments with which the name itself is known.
    pub arities: Vec<u32>,
    /// Whether it is the name of a fluent.
    pub fluent: bool,
}

/// A claim with its reason.
#[derive(Clone, PartialEq, Debug)]
pub struct ProofStep {
    /// What is claimed.
    pub claim: Claim,
    /// Whether it holds.
    pub holds: bool,
    /// The position in which: the number of steps before it.
    pub step: u32,
    /// Why.
    pub reason: Reason,
    /// What the reason rests on.
    pub children: Vec<ProofId>,
    /// Children that are left out because there are many.
    pub more: u32,
}

/// Why something holds in a position, or why it does not.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Explanation {
    /// Whether it holds.
    pub holds: bool,
    /// In how many ways it holds, for a question with variables; one or none for the others.
    pub answers: usize,
    /// One for each answer that is explained, or the one that says why there is none.
    pub roots: Vec<ProofId>,
    /// All nodes.
    pub nodes: Vec<ProofStep>,
    /// Whether something lies deeper than was asked for.
    pub cut: bool,
}

impl Explanation {
    /// A node.
    pub fn node(&self, id: ProofId) -> &ProofStep {
        &self.nodes[id.0 as usize]
    }

    pub(super) fn node_mut(&mut self, id: ProofId) -> &mut ProofStep {
        &mut self.nodes[id.0 as usize]
    }

    pub(super) fn add(&mut self, claim: Claim, holds: bool, step: u32, reason: Reason) -> ProofId {
        self.cut |= reason == Reason::Deeper;
        let node = ProofStep { claim, holds, step, reason, children: Vec::new(), more: 0 };
        self.nodes.push(node);
        ProofId(self.nodes.len() as u32 - 1)
    }
}
