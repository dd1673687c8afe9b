//! The values that the rules assign to positions.

use magister_core::{Info, Payment, Role, Worker};

/// The finite range of the rewards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The lowest reward.
    pub low: f64,
    /// The highest reward; infinite if there is no bound.
    pub high: f64,
}

impl Scale {
    /// The range of the rewards of a game.
    pub fn of(info: &Info) -> Self {
        let (low, high) = info.rewards;
        let low = if low.is_finite() { low } else { 0.0 };
        let high = if high.is_finite() && high > low { high } else { f64::INFINITY };
        Scale { low, high }
    }

    /// The substitute for an unknown value.
    pub fn middle(self) -> f64 {
        if self.high.is_finite() { f64::midpoint(self.low, self.high) } else { self.low }
    }
}

/// The rewards of all roles in a terminal position, without intermediate rewards. A player with no
/// goal value, or with several, gets the lowest reward.
pub fn terminal(worker: &dyn Worker, scale: Scale, goals: &mut Vec<f64>) -> Vec<f64> {
    let info = worker.info();
    let value = |role: Role| match info.payment {
        _ if info.chance == Some(role) => 0.0,
        Payment::OnTheWay => 0.0,
        Payment::AtEnd => {
            worker.goals(role, goals);
            if let [goal] = goals[..] { goal } else { scale.low }
        }
    };
    info.all_roles().map(value).collect()
}

/// The heuristic value of a non-terminal position according to the rules: the first goal value of
/// each role, as in Gamemaster's players, or the middle of the scale if there is none.
pub fn guess(worker: &dyn Worker, scale: Scale, goals: &mut Vec<f64>) -> Vec<f64> {
    let info = worker.info();
    let value = |role: Role| match info.payment {
        _ if info.chance == Some(role) => 0.0,
        Payment::OnTheWay => 0.0,
        Payment::AtEnd => {
            worker.goals(role, goals);
            goals.first().copied().unwrap_or(scale.middle())
        }
    };
    info.all_roles().map(value).collect()
}
