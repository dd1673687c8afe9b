//! Samplers of consistent histories, for games that have a better way than to guess chance step by
//! step.

use crate::{Halt, Move, Rng, Stop, Turn};

/// Draws histories that are consistent with what a role knows.
///
/// A card game that deals from a shuffled deck has more deals than any search could try one after
/// the other. Its own sampler knows which cards a role has seen and draws only deals that agree with
/// them. A sampler gets the role's moves and observations and nothing else, so it is honest.
pub trait Worlds: Send {
    /// Takes all turns of the role so far, in order. Turns that it has already taken are not
    /// examined again if they are a prefix of these.
    fn follow(&mut self, turns: &[Turn], rng: &mut Rng, stop: &Stop) -> Result<(), Halt>;

    /// Draws a consistent history and replaces the contents of `state` with the state at its end.
    /// Returns the logarithm of its importance weight: weighted samples have the distribution of
    /// histories if chance follows the rules and the other roles move uniformly at random. `None`
    /// says that the draw was inconsistent and counts as a sample without weight.
    fn draw(
        &mut self,
        rng: &mut Rng,
        state: &mut Vec<u64>,
        stop: &Stop,
    ) -> Result<Option<f64>, Halt>;

    /// Replaces the contents of `joints` with the joint moves of the history drawn last, one move
    /// per role for each step, silent steps included.
    fn history(&mut self, joints: &mut Vec<Move>);
}
