//! What playouts have shown about moves: a playout policy that is learned during a match.
//!
//! A card that is played in every playout has the same average as all others, so the average of a
//! move alone says little in a trick game. What matters is when it is played: after which move, and
//! at which of the role's turns. So a move is valued in these two contexts, and by itself as long as
//! they are rare. The roles share what they learn: a card that is good for one player after some
//! card is good for the others too.

use magister_core::{Move, Role};

/// The number of entries of a table, a power of two. Two pairs may share an entry; that only
/// blurs their values.
const ENTRIES: usize = 1 << 14;
/// The number of playouts for which a prior counts: that of a move alone for a pair, and that of no
/// difference for a move alone.
const PRIOR: f32 = 8.0;

/// The sum of advantages and their number.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    sum: f32,
    count: f32,
}

impl Entry {
    /// The mean advantage, with a prior.
    fn mean(self, prior: f32) -> f32 {
        (self.sum + PRIOR * prior) / (self.count + PRIOR)
    }

    fn add(&mut self, advantage: f32) {
        self.sum += advantage;
        self.count += 1.0;
    }
}

/// A decision in a playout: whose it was, the move before it, the number of the role's turn, and the
/// choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Habit {
    pub(crate) role: Role,
    pub(crate) before: Move,
    pub(crate) turn: u32,
    pub(crate) choice: Move,
}

/// Mean advantages of moves alone, after another move, and at a turn.
#[derive(Debug)]
pub(crate) struct Habits {
    alone: Vec<Entry>,
    after: Vec<Entry>,
    at: Vec<Entry>,
}

impl Default for Habits {
    fn default() -> Self {
        let empty = vec![Entry::default(); ENTRIES];
        Habits { alone: empty.clone(), after: empty.clone(), at: empty }
    }
}

fn slot(context: u32, choice: Move) -> usize {
    let both = u64::from(context) << 32 | u64::from(choice.0);
    (both.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % ENTRIES
}

impl Habits {
    /// The expected advantage of a move after another one at a turn.
    pub(crate) fn worth(&self, before: Move, turn: u32, choice: Move) -> f32 {
        let alone = self.alone[slot(0, choice)].mean(0.0);
        let after = self.after[slot(before.0, choice)].mean(alone);
        let at = self.at[slot(turn, choice)].mean(alone);
        after + at - alone
    }

    /// Adds the advantage that the role had at the end of a playout.
    pub(crate) fn add(&mut self, habit: Habit, advantage: f32) {
        let Habit { before, turn, choice, .. } = habit;
        self.alone[slot(0, choice)].add(advantage);
        self.after[slot(before.0, choice)].add(advantage);
        self.at[slot(turn, choice)].add(advantage);
    }

    /// Gives the past less weight, because the hands and the table have changed.
    pub(crate) fn fade(&mut self, share: f32) {
        for entry in self.alone.iter_mut().chain(&mut self.after).chain(&mut self.at) {
            entry.sum *= share;
            entry.count *= share;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KING: Move = Move(12);
    const QUEEN: Move = Move(11);
    const ACE: Move = Move(13);

    fn habit(before: Move, turn: u32, choice: Move) -> Habit {
        Habit { role: Role(0), before, turn, choice }
    }

    /// The queen is good after the king and bad after the ace; on average it is neither.
    #[test]
    fn a_move_is_valued_after_another_one() {
        let mut habits = Habits::default();
        for _ in 0..100 {
            habits.add(habit(KING, 3, QUEEN), 0.3);
            habits.add(habit(ACE, 3, QUEEN), -0.3);
        }
        assert!(habits.worth(KING, 3, QUEEN) > 0.2);
        assert!(habits.worth(ACE, 3, QUEEN) < -0.2);
        assert!(habits.worth(Move(1), 3, QUEEN).abs() < 0.1);
        assert!(habits.worth(KING, 3, Move(2)).abs() < 1e-6);
    }

    /// A card that is better kept for later.
    #[test]
    fn a_move_is_valued_at_a_turn() {
        let mut habits = Habits::default();
        for turn in 0..6 {
            for _ in 0..50 {
                habits.add(habit(Move(turn), turn, ACE), if turn == 5 { 0.4 } else { -0.1 });
            }
        }
        assert!(habits.worth(Move(40), 5, ACE) > habits.worth(Move(40), 0, ACE) + 0.3);
    }

    /// New playouts outweigh more old ones that contradict them.
    #[test]
    fn earlier_decisions_count_less() {
        let worth = |fade: f32| {
            let mut habits = Habits::default();
            (0..40).for_each(|_| habits.add(habit(KING, 0, ACE), 0.5));
            habits.fade(fade);
            (0..10).for_each(|_| habits.add(habit(KING, 0, ACE), -0.5));
            habits.worth(KING, 0, ACE)
        };
        assert!(worth(1.0) > 0.0 && worth(0.1) < 0.0, "{} {}", worth(1.0), worth(0.1));
    }
}
