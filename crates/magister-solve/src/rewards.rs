//! What positions are worth by the rules.

use magister_core::{Info, Payment, Role, Worker};

/// The range of the rewards, finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The lowest.
    pub low: f64,
    /// The highest; infinite if there is none.
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

    /// What stands for a value that nobody knows.
    pub fn middle(self) -> f64 {
        if self.high.is_finite() { f64::midpoint(self.low, self.high) } else { self.low }
    }
}

/// The rewards of all roles in a terminal position, apart from what was paid on the way. A player
/// to whom the rules give no value, or several, can count on nothing: it is given the lowest.
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

/// What the rules say of a position in which the game goes on: the first goal value of each role,
/// as Gamemaster's players take it, or the middle of the scale where there is none.
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
