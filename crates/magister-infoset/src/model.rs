//! The assumed behaviour of the other roles.

use magister_core::{Move, Rng, Role, Worker, draw};

/// The probability that a player of another role makes each of its moves.
///
/// A model sees only states, so it cannot depend on the other role's observations. Therefore
/// histories that end in the same state can be merged.
pub trait Model: Send + Sync {
    /// Replaces `out` with the probabilities of the legal moves of a role, in the same order. They
    /// sum to one.
    fn shares(&self, worker: &dyn Worker, role: Role, out: &mut Vec<f64>);

    /// Whether all legal moves of every role are equally likely in every state.
    fn is_uniform(&self) -> bool {
        false
    }

    /// Draws a move of a role; `None` if it has no legal move.
    fn draw(&self, worker: &dyn Worker, role: Role, rng: &mut Rng) -> Option<Move> {
        let mut shares = Vec::new();
        self.shares(worker, role, &mut shares);
        let legal = worker.legal(role);
        let mut rest = rng.f64();
        for (&choice, share) in legal.iter().zip(&shares) {
            rest -= share;
            if rest < 0.0 {
                return Some(choice);
            }
        }
        // The rounding error belongs to the last move with positive probability.
        legal.iter().zip(&shares).rev().find(|(_, share)| **share > 0.0).map(|(&choice, _)| choice)
    }
}

/// All legal moves are equally likely.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl Model for Uniform {
    fn shares(&self, worker: &dyn Worker, role: Role, out: &mut Vec<f64>) {
        let count = worker.legal(role).len();
        out.clear();
        out.resize(count, 1.0 / count as f64);
    }

    fn is_uniform(&self) -> bool {
        true
    }

    fn draw(&self, worker: &dyn Worker, role: Role, rng: &mut Rng) -> Option<Move> {
        draw(worker.legal(role), &[], rng)
    }
}
