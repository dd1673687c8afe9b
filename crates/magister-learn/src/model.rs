//! Value functions that learn.

use crate::environment::{Choice, Environment};

/// A value function that several actors may use and change at the same time.
///
/// A code is what the function needs to know of an afterstate. The driver keeps codes of past
/// afterstates, so learning never looks at a state again.
pub trait Model<E: Environment>: Sync {
    /// What the function needs to know of an afterstate.
    type Code: Clone + Send + Default;
    /// Memory of one actor.
    type Scratch: Send;

    /// Memory for one actor.
    fn scratch(&self) -> Self::Scratch;

    /// Writes the raw value of each choice for head `head`; choices after which the game is over
    /// may be given any number.
    fn rate(
        &self,
        env: &E,
        state: &E::State,
        choices: &[Choice<E::State>],
        head: usize,
        scratch: &mut Self::Scratch,
        out: &mut Vec<f32>,
    );

    /// The code of the afterstate of a choice that is made. `rate` was called just before for the
    /// choices among which it is.
    fn encode(
        &self,
        env: &E,
        choice: &Choice<E::State>,
        scratch: &mut Self::Scratch,
        out: &mut Self::Code,
    );

    /// The value of a code for a head.
    fn value(&self, code: &Self::Code, head: usize) -> f32;

    /// Moves the value of a code for a head by about `step`, which is the error times the step
    /// size.
    fn learn(&self, code: &Self::Code, head: usize, step: f32);
}
