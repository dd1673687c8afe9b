//! The network of a ground GDL program, with the terms that its numbers stand for.

use std::sync::Arc;

use magister_core::{Halt, Stop};

use super::build::Builder;
use super::guess::Hints;
use super::{Invariants, Network, NetworkLimits, concept, invariant};
use crate::Error;
use crate::grounder::Grounded;
use crate::term::{TermId, Terms};

/// The network of a GDL game, with the terms that its numbers stand for.
#[derive(Clone, Debug)]
pub struct GdlNetwork {
    /// The gates.
    pub network: Arc<Network>,
    /// All terms.
    pub terms: Terms,
    /// The fluents, by number.
    pub fluents: Vec<TermId>,
    /// The moves of all roles by number: distinct terms, sorted.
    pub moves: Vec<TermId>,
    /// The percepts by number: distinct terms, sorted.
    pub percepts: Vec<TermId>,
    /// The value of each goal of the network.
    pub goals: Vec<TermId>,
}

impl std::ops::Deref for GdlNetwork {
    type Target = Network;

    fn deref(&self) -> &Network {
        &self.network
    }
}

impl GdlNetwork {
    /// Builds the network of a ground program.
    pub fn new(ground: &Grounded, limits: &NetworkLimits, stop: &Stop) -> Result<Self, Error> {
        if ground.instances() > limits.instances {
            return Err(Error::Halt(Halt::Limit(format!(
                "{} instances are too many for a network",
                ground.instances()
            ))));
        }
        let numbered = Numbered::new(ground);
        let build = |invariants: Invariants| {
            Builder::new(ground, *limits, invariants, stop).network(&numbered)
        };
        let plain = build(Invariants::default())?;
        let invariants = invariant::prove(&plain, &Hints::Terms(ground), stop)?;
        let mut network =
            if invariants == Invariants::default() { plain } else { build(invariants)? };
        network.finish(stop)?;
        network.concepts = concept::concepts(ground);
        Ok(Self {
            network: Arc::new(network),
            terms: ground.terms.clone(),
            fluents: (0..ground.fluents as u32).map(|fluent| ground.fluent(fluent)).collect(),
            moves: numbered.moves,
            percepts: numbered.percepts,
            goals: ground.goals.iter().map(|&(_, value, _)| value).collect(),
        })
    }
}

/// The moves and percepts of a ground program by number: distinct terms, sorted.
pub(super) struct Numbered {
    pub(super) moves: Vec<TermId>,
    pub(super) percepts: Vec<TermId>,
}

impl Numbered {
    pub(super) fn new(ground: &Grounded) -> Self {
        let sorted = |mut terms: Vec<TermId>| {
            ground.terms.sort(&mut terms);
            terms.dedup();
            terms
        };
        Self {
            moves: sorted((0..ground.moves as u32).map(|at| ground.the_move(at).1).collect()),
            percepts: sorted(ground.percepts.iter().map(|&(_, term, _)| term).collect()),
        }
    }
}
