//! The order in which joint moves of a state are tried.

use magister_core::Halt;

use super::{Means, Question};
use crate::climb::Climb;
use crate::joints::{Joints, Order};

/// The order in which joint moves are tried.
pub(super) enum Tries {
    Random(Order),
    /// First the joint moves that resemble the observations, continuing from those that come close.
    Guided(Climb),
}

impl Iterator for Tries {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        match self {
            Tries::Random(order) => order.next(),
            Tries::Guided(climb) => climb.next(),
        }
    }
}

impl Tries {
    pub(super) fn is_climbing(&self) -> bool {
        matches!(self, Tries::Guided(climb) if climb.is_climbing())
    }

    pub(super) fn tell(&mut self, distance: usize) {
        if let Tries::Guided(climb) = self {
            climb.tell(distance);
        }
    }
}

/// An order of all joint moves of a state, either for a turn or for silent steps.
pub(super) fn tries(
    joints: &mut Joints,
    count: u64,
    at: Option<usize>,
    question: Question<'_>,
    means: &mut Means<'_>,
) -> Result<Tries, Halt> {
    let Some(at) = at.filter(|_| count >= 8) else {
        return Ok(Tries::Random(Order::new(count, means.rng)));
    };
    let (text, turns) = (question.game.text(), question.turns);
    joints.rank(means.rng, |moves, ranks| {
        means.hints.rank(text, turns, at, moves, ranks, means.stop)
    })?;
    Ok(Tries::Guided(Climb::new(joints.shells())))
}
