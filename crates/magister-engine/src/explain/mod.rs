//! Why something holds in a position, or why it does not.
//!
//! A claim that holds has a proof: a well-founded tree of rule instances down to facts, the state
//! and the moves. The search looks for a small proof. A claim that does not hold has, for every
//! rule that could derive it, a nearest miss: an instance with the fewest failing conditions. These
//! conditions are explained in turn, to the requested depth.
//!
//! All queries go to the reference interpreter, so explanations cannot disagree with the oracle of
//! all evaluators.

mod build;
mod failure;
mod join;
mod json;
mod near;
mod operation;
mod proof;
mod question;
mod rank;
mod search;
mod text;
mod tree;
pub(crate) mod words;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use magister_core::{Halt, Stop};
use magister_gdl::Syntax;

use crate::ground::Ground;
use crate::program::{Depends, Goal, Program};
use crate::term::TermId;
use crate::{Error, QueryLimits, Reference};
use build::Build;
pub use tree::{Claim, Explanation, Hint, ProofId, ProofStep, Reason};
use words::Words;

/// The context of a question.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// The earlier positions, each with its joint move.
    pub past: Vec<(Vec<Ground>, Vec<Option<Ground>>)>,
    /// The fluents of the state.
    pub state: Vec<Ground>,
    /// The joint move, if known: one move per role, `None` for an idle role.
    pub joint: Option<Vec<Option<Ground>>>,
}

/// The amount of detail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The maximum depth of rules.
    pub depth: u32,
    /// The maximum number of answers, rules or instances of a rule in one list.
    pub width: u32,
    /// The maximum number of times that an explanation goes back to an earlier position to explain
    /// a fluent.
    pub history: u32,
}

impl Default for Extent {
    fn default() -> Self {
        Extent { depth: 8, width: 3, history: 0 }
    }
}

/// A position of the scene, in the terms of the interpreter.
#[derive(Clone, Debug)]
struct Moment {
    state: Vec<TermId>,
    joint: Option<Vec<Option<TermId>>>,
}

/// Answers one question in one scene.
#[derive(Debug)]
pub struct Explainer {
    reference: Reference,
    syntax: Syntax,
    question: Claim,
    moments: Vec<Moment>,
}

impl Explainer {
    /// Parses a question: an atom in either syntax, possibly negated, possibly with variables.
    /// `syntax` is the syntax of answers.
    pub fn new(
        mut program: Program,
        syntax: Syntax,
        question: &str,
        scene: &Scene,
    ) -> Result<Self, Error> {
        let question = question::read(&mut program, question, scene)?;
        let mut reference = Reference::new(Arc::new(program), QueryLimits::default());
        let question = match question {
            question::Question::Literal(literal, names) => Claim::Literal(literal, names),
            question::Question::Next(fluent) => Claim::Next(reference.terms_mut().import(&fluent)),
        };
        let mut import = |state: &[Ground], joint: Option<&[Option<Ground>]>| {
            let terms = reference.terms_mut();
            let state: Vec<TermId> = state.iter().map(|fluent| terms.import(fluent)).collect();
            let choice = |choice: &Option<Ground>| choice.as_ref().map(|c| terms.import(c));
            Moment { state, joint: joint.map(|joint| joint.iter().map(choice).collect()) }
        };
        let past = scene.past.iter().map(|(state, joint)| import(state, Some(joint)));
        let mut moments: Vec<Moment> = past.collect();
        moments.push(import(&scene.state, scene.joint.as_deref()));
        Ok(Explainer { reference, syntax, question, moments })
    }

    /// The question as it was understood.
    pub fn question(&self) -> String {
        text::claim(&self.words(), &self.question)
    }

    /// Whether the answer depends on the joint move, and the joint move is unknown.
    pub fn needs_moves(&self) -> bool {
        let last = self.moments.last();
        if last.is_some_and(|moment| moment.joint.is_some()) {
            return false;
        }
        match &self.question {
            Claim::Literal(literal, _) => match &literal.goal {
                Goal::Does(..) => true,
                goal => goal.atom().is_some_and(|atom| {
                    let info = &self.reference.program().relations[atom.relation.index()];
                    info.depends == Depends::Moves
                }),
            },
            Claim::Next(_) => true,
            _ => false,
        }
    }

    /// Answers the question.
    pub fn explain(&mut self, extent: Extent, stop: &Stop) -> Result<Explanation, Halt> {
        let question = self.question.clone();
        Build::new(&mut self.reference, &self.moments, extent, stop).answer(&question)
    }

    /// The explanation as text.
    pub fn text(&self, explanation: &Explanation) -> String {
        text::text(&self.words(), explanation)
    }

    /// The explanation as JSON.
    pub fn json(&self, explanation: &Explanation) -> serde_json::Value {
        json::json(&self.words(), explanation)
    }

    fn words(&self) -> Words<'_> {
        let (program, terms) = (self.reference.program(), self.reference.terms());
        Words { program, terms, syntax: self.syntax }
    }
}
