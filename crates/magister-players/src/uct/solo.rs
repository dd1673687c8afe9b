//! Games for one player: puzzles.

use std::sync::Arc;
use std::time::Duration;

use magister_core::{Budget, Clock, Decision, Halt, Move, Rng, Step, Thought, View};

use super::Uct;
use crate::puzzle::{self, Course};

impl Uct {
    /// Looks for a better course of a puzzle, with half of the budget. Gives what was learnt if
    /// it is all there is to know.
    pub(super) fn puzzle(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Option<Decision>, Halt> {
        let worker = self.follower.follow(view, budget.stop())?;
        if !puzzle::is_puzzle(worker) || worker.terminal() {
            return Ok(None);
        }
        let mut state = Vec::new();
        worker.save(&mut state);
        if self.begins != state {
            // The course is of use only if it was followed.
            self.course = Course::default();
            self.begins = state;
        }
        let mut iterations = 0;
        if !self.course.proven {
            let mut half = half(budget);
            let memory = self.config.memory / 2;
            iterations =
                puzzle::search(worker, view.role(), &mut self.course, memory, &mut half, rng)?;
            budget.spend(iterations);
        }
        Ok(self.planned(iterations).filter(|_| self.course.proven))
    }

    /// The next move of the course of a puzzle.
    pub(super) fn planned(&self, iterations: u64) -> Option<Decision> {
        let (&choice, value) = (self.course.moves.first()?, self.course.value?);
        let thought = Thought { proven: self.course.proven, ..Thought::new(choice, value) };
        let line = |&choice: &Move| vec![choice].into_boxed_slice();
        Some(Decision {
            thoughts: vec![thought],
            line: self.course.moves.iter().map(line).collect(),
            iterations,
            ..choice.into()
        })
    }

    /// Goes one move along the course of a puzzle, if that was the move.
    pub(super) fn advance(&mut self, view: &View, choice: Move) {
        if self.begins.is_empty() || self.course.moves.first() != Some(&choice) {
            return;
        }
        let stop = magister_core::Stop::never();
        let Ok(worker) = self.follower.follow(view, &stop) else { return };
        let only = |role| worker.legal(role).first().copied().unwrap_or(Move::IDLE);
        let mut joint: Vec<Move> = worker.info().all_roles().map(only).collect();
        joint[view.role().index()] = choice;
        if worker.step(&joint, &mut Step::new(), &stop).is_ok() {
            worker.save(&mut self.begins);
            self.course.moves.remove(0);
        }
    }
}

/// Half of a budget.
fn half(budget: &Budget) -> Budget {
    let half = match budget.left() {
        Some(left) => Budget::iterations(left.div_ceil(2)).with_stop(budget.stop().clone()),
        None => Budget::until(budget.stop().clone()),
    };
    match budget.remaining() {
        Some(left) => half.with_clock(Arc::new(Until { budget: budget.clone(), keep: left / 2 })),
        None => half,
    }
}

/// A clock that is over some time before that of a budget is.
struct Until {
    budget: Budget,
    keep: Duration,
}

impl Clock for Until {
    fn remaining(&self) -> Option<Duration> {
        Some(self.budget.remaining()?.saturating_sub(self.keep))
    }
}
