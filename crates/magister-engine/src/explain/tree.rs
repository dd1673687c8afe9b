//! The parts of an explanation.

use crate::program::{Literal, Names, Pattern};
use crate::reference::Bindings;
use crate::term::TermId;

/// A node: an index into [`Explanation::nodes`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProofId(pub u32);

/// A claim.
#[derive(Clone, PartialEq, Debug)]
pub enum Claim {
    /// A condition, with the values of its bound variables and the names of the others.
    Literal(Literal, Names),
    /// In the operations dialect: the fluent holds after the joint move.
    Next(TermId),
    /// In the operations dialect: an atom is performed because of actions.
    Performed(TermId),
    /// An instance of a rule: all conditions hold. Unbound values are missing.
    Instance(u32, Bindings),
    /// An effect of an operation that is performed as this atom.
    Effect(u32, Pattern),
}

/// Why something holds, or why it does not.
#[derive(Clone, PartialEq, Debug)]
pub enum Reason {
    /// It is a fact of the rules, on this line.
    Fact(u32),
    /// The rule derives it under these bindings. There is a child for every condition, in order.
    Rule(u32, Bindings),
    /// It is in the state, since this step if that is known. A child explains how it became true.
    State(Option<u32>),
    /// The role does it in this step.
    Done,
    /// Two terms differ, or a builtin holds.
    Computed,
    /// An aggregate over this many answers.
    Counted(u32),
    /// Nothing makes the negated atom true. A child, if any, explains why.
    Absent,
    /// An operation, performed as this atom, adds it, or deletes it if it does not hold. The
    /// children are the cause of the operation and the conditions of the effect.
    Operation(u32, TermId),
    /// It was in the state before, and no operation deletes it.
    Kept,
    /// An action without an operation becomes true itself.
    Bare,

    /// It is not in the state. The state has similar fluents, or had this one in an earlier step.
    NotInState {
        /// The most similar fluents.
        near: Vec<TermId>,
        /// The last step whose position contained it.
        until: Option<u32>,
        /// The probable intention, if the rules have no such fluent.
        hint: Option<Hint>,
    },
    /// The role does something else, or nothing.
    NotDone(Option<TermId>),
    /// A builtin is false; it would be true for this value.
    Refuted(Option<TermId>),
    /// The negated atom holds; the child explains why.
    Present,
    /// It is undefined.
    Undefined(Hint),
    /// There are facts but no rules, and it is not among them; these are similar.
    NoFact(Vec<TermId>),
    /// There are rules, but no head matches it; these are some of them.
    NoHead(Vec<u32>),
    /// This many rules could derive it. The children are their nearest misses.
    Misses(u32),
    /// A nearest miss. Some conditions of the instance are known to hold; the children are those
    /// that fail. Others are unknown, because they need a variable that a failing condition would
    /// bind.
    Miss {
        /// Conditions that hold.
        hold: u32,
        /// Conditions that cannot be evaluated.
        open: u32,
        /// Similar instances.
        more: u32,
        /// Whether there may be more of them, because the search was cut short.
        at_least: bool,
    },
    /// The conditions of the instance hold, but it derives this atom instead of the requested one.
    Gives(TermId),
    /// An operation would add it, but the action is not performed.
    NotPerformed,
    /// No operation of the rules adds it.
    NoOperation(Hint),
    /// It is explained elsewhere.
    Elsewhere(ProofId),
    /// It is below the requested depth.
    Deeper,
    /// A limit was reached before it could be evaluated.
    Limit(String),
}

/// The probable intention behind an unknown name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Hint {
    /// A similar name.
    pub name: Option<String>,
    /// The arities of the name itself.
    pub arities: Vec<u32>,
    /// Whether it is the name of a fluent.
    pub fluent: bool,
}

/// A claim with its reason.
#[derive(Clone, PartialEq, Debug)]
pub struct ProofStep {
    /// The claim.
    pub claim: Claim,
    /// Whether it holds.
    pub holds: bool,
    /// Its position: the number of steps before it.
    pub step: u32,
    /// The reason.
    pub reason: Reason,
    /// The parts of the reason.
    pub children: Vec<ProofId>,
    /// The number of omitted children.
    pub more: u32,
}

/// Why something holds in a position, or why it does not.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Explanation {
    /// Whether it holds.
    pub holds: bool,
    /// The number of answers to a question with variables; one or zero for other questions.
    pub answers: usize,
    /// One root for each explained answer, or one that says why there is none.
    pub roots: Vec<ProofId>,
    /// All nodes.
    pub nodes: Vec<ProofStep>,
    /// Whether parts below the requested depth were omitted.
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
