//! The common part of all players that decide by a belief.

use magister_core::{Agent, Budget, Decision, Halt, Move, Rng, Stop, View};
use magister_infoset::Keep;

use super::{Mind, Question};
use crate::registry::{Arguments, Made};

/// A method that chooses a move by a belief.
pub(crate) trait Method: Send {
    /// Chooses one of several legal moves.
    fn choose(
        &mut self,
        mind: &mut Mind,
        legal: &[Move],
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt>;

    /// See [`Agent::nested`].
    fn nested(&self) -> bool {
        false
    }

    /// How many iterations share a state at least.
    fn tries(&self) -> u64 {
        1
    }
}

/// A player that maintains a belief, and applies a method if there is a choice.
pub(crate) struct Believer<M> {
    name: String,
    mind: Mind,
    method: M,
}

impl<M: Method + 'static> Believer<M> {
    /// The player with these settings, which include the sizes of the belief.
    pub(crate) fn make(settings: &Arguments, keep: Keep, method: M) -> Made {
        let (particles, states) = (settings.whole("particles")?, settings.whole("states")?);
        let mind = Mind::new(keep, particles as usize, states as usize).sharing(method.tries());
        Ok(Box::new(Believer { name: settings.text().to_owned(), mind, method }))
    }
}

impl<M: Method> Agent for Believer<M> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn nested(&self) -> bool {
        self.method.nested()
    }

    fn prepare(&mut self, view: &View, stop: &Stop) -> Result<(), Halt> {
        self.mind.prepare(view, stop)
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        match self.mind.ask(view, budget, rng)? {
            Question::Settled(decision) => Ok(decision),
            Question::Choice(legal) => {
                self.method.choose(&mut self.mind, &legal, view, budget, rng)
            }
        }
    }
}
