//! Counts in how many states each move is legal.

use magister_core::Move;

/// Counts the states in which each move is legal, by weight.
#[derive(Clone, Debug, Default)]
pub struct Votes {
    /// The moves in order of first appearance.
    moves: Vec<(Move, f64)>,
    total: f64,
}

/// A move counts as legal in most states if its weight is at least this share of the best one.
const MOST: f64 = 0.9;

impl Votes {
    /// Adds a state with its legal moves.
    pub fn add(&mut self, legal: &[Move], weight: f64) {
        self.total += weight;
        for (at, &choice) in legal.iter().enumerate() {
            // States of one information set mostly list the same moves in the same order.
            if let Some(entry) = self.moves.get_mut(at).filter(|entry| entry.0 == choice) {
                entry.1 += weight;
            } else if let Some(entry) = self.moves.iter_mut().find(|entry| entry.0 == choice) {
                entry.1 += weight;
            } else {
                self.moves.push((choice, weight));
            }
        }
    }

    /// The weight of all states.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// The moves that are legal in all states.
    pub fn all(&self) -> Vec<Move> {
        let all = self.total * (1.0 - 1e-9);
        self.moves.iter().filter(|entry| entry.1 >= all).map(|entry| entry.0).collect()
    }

    /// Whether all states have the same legal moves.
    pub fn agree(&self) -> bool {
        self.moves.iter().all(|entry| entry.1 >= self.total * (1.0 - 1e-9))
    }

    /// Whether a move is legal in some state.
    pub fn has(&self, choice: Move) -> bool {
        self.moves.iter().any(|entry| entry.0 == choice)
    }

    /// The moves that are legal in all states; if there are none, the moves that are legal in most.
    pub fn most(&self) -> Vec<Move> {
        let all = self.all();
        if !all.is_empty() {
            return all;
        }
        let best = self.moves.iter().map(|entry| entry.1).fold(0.0, f64::max);
        let legal = self.moves.iter().filter(|entry| entry.1 >= best * MOST);
        legal.map(|entry| entry.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_legal_in_all_states_come_first() {
        let mut votes = Votes::default();
        votes.add(&[Move(1), Move(2)], 0.5);
        votes.add(&[Move(2), Move(3)], 0.5);
        assert_eq!(votes.most(), [Move(2)]);
    }

    #[test]
    fn without_a_certain_move_most_states_decide() {
        let mut votes = Votes::default();
        votes.add(&[Move(1), Move(2)], 0.4);
        votes.add(&[Move(1), Move(3)], 0.4);
        votes.add(&[Move(3)], 0.2);
        votes.add(&[Move(4)], 0.1);
        assert_eq!(votes.most(), [Move(1)]);
        assert!(Votes::default().most().is_empty());
    }
}
