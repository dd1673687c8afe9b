//! What moves were worth wherever they were made.

use magister_core::{Move, Role};
use rustc_hash::FxHashMap;

/// The mean of what moves led to, over all positions (the move-average sampling technique), as a
/// hint for moves that were not tried yet in a position.
#[derive(Debug, Default)]
pub(super) struct Priors {
    moves: FxHashMap<(u8, Move), (f32, f32)>,
    all: Vec<(f32, f32)>,
}

/// How many visits a move needs before its mean is half believed.
const DOUBT: f32 = 8.0;

impl Priors {
    /// How much better a move was than all moves of the role, from -1 to 1.
    pub(super) fn of(&self, role: Role, choice: Move) -> f32 {
        let Some(&(sum, count)) = self.moves.get(&(role.0, choice)) else { return 0.0 };
        let Some(&(all, total)) = self.all.get(role.index()) else { return 0.0 };
        (sum / count - all / total) * count / (count + DOUBT)
    }

    /// Notes what a move led to, from 0 to 1.
    pub(super) fn note(&mut self, role: Role, choice: Move, value: f32) {
        if self.all.len() <= role.index() {
            self.all.resize(role.index() + 1, (0.0, 0.0));
        }
        let of_move = self.moves.entry((role.0, choice)).or_default();
        for mean in [of_move, &mut self.all[role.index()]] {
            mean.0 += value;
            mean.1 += 1.0;
        }
    }

    /// What was learnt counts half from now on: the next position is another one.
    pub(super) fn fade(&mut self) {
        let means = self.moves.values_mut().chain(&mut self.all);
        means.for_each(|mean| *mean = (mean.0 / 2.0, mean.1 / 2.0));
        self.moves.retain(|_, mean| mean.1 >= 0.5);
    }
}
