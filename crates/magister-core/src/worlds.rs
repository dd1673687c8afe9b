//! Samplers of consistent histories, for games that have a better way than to guess the moves of
//! chance one by one.

use crate::{Halt, Move, Rng, Stop, Turn};

/// Draws histories from the information set of a role.
///
/// A card game with a shuffled deck has more deals than a search could ever try one by one. Its own
/// sampler knows which cards a role has seen and draws only deals that are consistent with them. A
/// sampler gets only the role's moves and observations, so it is honest.
pub trait Worlds: Send {
    /// Takes all turns of the role so far, in order. Turns that it has already taken are not
    /// examined again if they are a prefix of these.
    fn follow(&mut self, turns: &[Turn], rng: &mut Rng, stop: &Stop) -> Result<(), Halt>;

    /// Draws a consistent history and replaces the contents of `state` with the state at its end.
    /// Returns the logarithm of its importance weight: weighted samples have the distribution of
    /// histories if chance follows the rules and the other roles move uniformly at random. `None`
    /// means that the draw was inconsistent; it counts as a sample of weight zero.
    fn draw(
        &mut self,
        rng: &mut Rng,
        state: &mut Vec<u64>,
        stop: &Stop,
    ) -> Result<Option<f64>, Halt>;

    /// Replaces the contents of `joints` with the joint moves of the history drawn last, one move
    /// per role for each step, silent steps included. They are empty if no consistent history was
    /// found and the state only agrees with what the role sees now.
    fn history(&mut self, joints: &mut Vec<Move>);
}
