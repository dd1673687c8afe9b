//! Whether the rewards of two players have the same sum in every game.

use magister_core::{Info, Payment, Role, Worker};

/// The sums of rewards in the random games so far. A game may also declare that they are constant.
#[derive(Debug, Default)]
pub(crate) struct ConstantSum {
    first: Option<f64>,
    varies: bool,
    goals: Vec<f64>,
}

impl ConstantSum {
    /// Counts a game that has ended in this worker's state.
    pub(crate) fn note(&mut self, worker: &dyn Worker, players: &[Role]) {
        let mut total = 0.0;
        for &role in players {
            worker.goals(role, &mut self.goals);
            total += self.goals.first().copied().unwrap_or(0.0);
        }
        let first = *self.first.get_or_insert(total);
        self.varies |= (first - total).abs() >= 1e-9;
    }

    /// Whether the value of one player gives that of the other.
    pub(crate) fn is_opposed(&self, info: &Info) -> bool {
        let constant = info.constant_sum.is_some() || self.first.is_some() && !self.varies;
        info.players().count() == 2 && info.payment == Payment::AtEnd && constant
    }
}
