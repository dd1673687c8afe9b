//! What the others are taken to do.

use magister_core::{Move, Rng, Role, Worker, draw};

/// How likely a player of another role is to make each of its moves.
///
/// It is asked about states, so it can not depend on what the other role has seen; that is what
/// makes it sound to count courses of the game that end in the same state together.
pub trait Model: Send + Sync {
    /// Replaces `out` by the probabilities of the legal moves of a role, parallel to them, with a
    /// sum of one.
    fn shares(&self, worker: &dyn Worker, role: Role, out: &mut Vec<f64>);

    /// Whether all legal moves of every role are equally likely in every state.
    fn is_uniform(&self) -> bool {
        false
    }

    /// Draws a move of a role; none if it has none.
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
        // What rounding left over belongs to the last move that can be made at all.
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
