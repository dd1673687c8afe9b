//! Value functions that can be trained.

use crate::environment::{Choice, Environment};
use crate::weights::Adaptive;

/// A value function that several actors may read and update at the same time.
///
/// A code is the function's input for an afterstate. The driver stores the codes of past
/// afterstates, so learning never needs the states again.
pub trait Model<E: Environment>: Sync {
    /// The function's input for an afterstate.
    type Code: Clone + Send + Default;
    /// The scratch memory of one actor.
    type Scratch: Send;

    /// Scratch memory for one actor.
    fn scratch(&self) -> Self::Scratch;

    /// Whether [`expect`](Model::expect) does anything. The choices of the next state are then
    /// listed before the last step is learned.
    const EXPECTS: bool = false;

    /// Prepares for the evaluation of these choices, which follows soon: a function with large
    /// tables begins to fetch them.
    fn expect(&self, choices: &[Choice<E::State>], scratch: &mut Self::Scratch) {
        let _ = (choices, scratch);
    }

    /// Writes the raw value of each choice for head `head`. Choices that end the game may get any
    /// number.
    fn rate(
        &self,
        env: &E,
        state: &E::State,
        choices: &[Choice<E::State>],
        head: usize,
        scratch: &mut Self::Scratch,
        out: &mut Vec<f32>,
    );

    /// The code of the afterstate of a chosen move. `rate` must have been called just before, for
    /// choices that include it.
    fn encode(
        &self,
        env: &E,
        choice: &Choice<E::State>,
        scratch: &mut Self::Scratch,
        out: &mut Self::Code,
    );

    /// The weights, if their mean over the last part of the training is a sensible function.
    fn weights(&self) -> Option<&Adaptive> {
        None
    }

    /// The value of a code for a head.
    fn value(&self, code: &Self::Code, head: usize) -> f32;

    /// Changes the value of a code for a head by about `step`, which is the error times the step
    /// size.
    fn learn(&self, code: &Self::Code, head: usize, step: f32);

    /// Changes the value of a code for a head by the step that `step` computes from the value.
    fn adapt(&self, code: &Self::Code, head: usize, step: impl FnOnce(f32) -> f32)
    where
        Self: Sized,
    {
        let step = step(self.value(code, head));
        self.learn(code, head, step);
    }
}
