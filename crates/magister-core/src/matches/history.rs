//! The turns of a match, including those that were taken back.

use crate::Move;
use crate::record::{Fault, Thoughts};

/// A turn.
#[derive(Clone, Debug, Default)]
pub(super) struct MadeTurn {
    /// The moves of all roles; that of chance is ignored.
    pub(super) moves: Vec<Move>,
    /// The thinking time of each seat.
    pub(super) times: Vec<f64>,
    /// The faults.
    pub(super) faults: Vec<Fault>,
    /// The thoughts of the players.
    pub(super) thoughts: Vec<Thoughts>,
    /// The seats that had a choice.
    pub(super) choosers: Vec<usize>,
}

/// All turns, and how many of them are made.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    turns: Vec<MadeTurn>,
    at: usize,
}

impl History {
    /// The number of turns made.
    pub(super) fn len(&self) -> usize {
        self.at
    }

    /// The turns made.
    pub(super) fn made(&self) -> &[MadeTurn] {
        &self.turns[..self.at]
    }

    /// Adds a turn; turns that were taken back are removed.
    pub(super) fn push(&mut self, turn: MadeTurn) {
        self.turns.truncate(self.at);
        self.turns.push(turn);
        self.at += 1;
    }

    /// Goes to a given number of turns.
    pub(super) fn go(&mut self, at: usize) {
        self.at = at.min(self.turns.len());
    }

    /// How many choices of a seat can be taken back, and how many can be redone.
    pub(super) fn reach(&self, seat: usize) -> (usize, usize) {
        let back = self.choices(seat).filter(|&turn| turn < self.at).count();
        (back, self.choices(seat).count() - back)
    }

    /// The turn before the last `count` choices of a seat.
    pub(super) fn back(&self, seat: usize, count: usize) -> Option<usize> {
        let made: Vec<usize> = self.choices(seat).filter(|&turn| turn < self.at).collect();
        made.len().checked_sub(count).and_then(|at| made.get(at).copied())
    }

    /// The turn after redoing `count` choices of a seat: at its next one, or at the end.
    pub(super) fn forth(&self, seat: usize, count: usize) -> Option<usize> {
        let undone: Vec<usize> = self.choices(seat).filter(|&turn| turn >= self.at).collect();
        (1..=undone.len())
            .contains(&count)
            .then(|| undone.get(count).copied().unwrap_or(self.turns.len()))
    }

    fn choices(&self, seat: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.turns.len()).filter(move |&turn| self.turns[turn].choosers.contains(&seat))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_goes_from_choice_to_choice() {
        let mut history = History::default();
        for choosers in [vec![0], vec![], vec![0, 1], vec![], vec![0]] {
            history.push(MadeTurn { choosers, ..MadeTurn::default() });
        }
        assert_eq!(history.reach(0), (3, 0));
        assert_eq!((history.back(0, 1), history.back(0, 2)), (Some(4), Some(2)));
        assert_eq!((history.back(0, 4), history.back(0, 0)), (None, None));
        assert_eq!((history.back(1, 1), history.back(2, 1)), (Some(2), None));
        history.go(2);
        assert_eq!(history.reach(0), (1, 2));
        assert_eq!((history.forth(0, 1), history.forth(0, 2)), (Some(4), Some(5)));
        assert_eq!((history.forth(0, 3), history.forth(0, 0)), (None, None));
        history.push(MadeTurn { choosers: vec![0], ..MadeTurn::default() });
        assert_eq!((history.len(), history.turns.len(), history.reach(0)), (3, 3, (2, 0)));
    }
}
