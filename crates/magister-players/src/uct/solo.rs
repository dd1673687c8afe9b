//! Games that need no search of their own: small ones, which are solved, and puzzles.

use std::sync::Arc;
use std::time::Duration;

use magister_core::{Budget, Clock, Decision, Halt, Move, Rng, Step, Thought, View};
use magister_solve::{Limits, Solution, Unsolved};

use super::Uct;
use crate::combine::draw;
use crate::puzzle::{self, Plan};

/// A game is solved outright if it has no more positions than this.
const SMALL: usize = 200_000;

/// The part of the budget that goes into the attempt: of a move, and of the start clock.
const PART: u32 = 8;
pub(super) const START: u32 = 2;

impl Uct {
    /// Tries to solve the game, once, with one of so many parts of the budget.
    pub(super) fn attempt(
        &mut self,
        view: &View,
        budget: &mut Budget,
        parts: u32,
    ) -> Result<(), Halt> {
        if std::mem::replace(&mut self.attempted, true) {
            return Ok(());
        }
        let mut part = part(budget, parts);
        let worker = self.follower.follow(view, budget.stop())?;
        // A position takes about so many bytes.
        let limit = SMALL.min(self.config.memory / 1000);
        let limits = Limits { nodes: limit, bytes: self.config.memory };
        match Solution::new(worker, view.role(), &limits, &mut part) {
            Ok(found) => self.solution = Some(found),
            Err(Unsolved::Halt(Halt::Hidden)) => return Err(Halt::Hidden),
            // Rules that fail somewhere are no reason not to search elsewhere.
            Err(_) => {}
        }
        if let (Some(before), Some(after)) = (budget.left(), part.left()) {
            let share = before.div_ceil(u64::from(parts));
            budget.spend(share.saturating_sub(after).min(before));
        }
        Ok(())
    }

    /// The decision in a game that is solved.
    pub(super) fn solved(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Option<Decision>, Halt> {
        self.attempt(view, budget, PART)?;
        let Some(solution) = &self.solution else { return Ok(None) };
        let worker = self.follower.follow(view, budget.stop())?;
        let mut state = Vec::new();
        worker.save(&mut state);
        let Some(moves) = solution.moves(&state, view.role()) else { return Ok(None) };
        let names: Vec<Move> = moves.iter().map(|one| one.choice).collect();
        let mixture: Vec<f64> = moves.iter().map(|one| one.likely).collect();
        let choice = draw(&names, &mixture, rng);
        // Where others choose at the same time, a move is worth what the position is.
        let together = moves.iter().all(|one| one.value.is_none());
        let whole = solution.values(&state).map(|values| values[view.role().index()]);
        let whole = whole.filter(|_| together);
        let thoughts = moves
            .iter()
            .map(|one| Thought {
                choice: one.choice,
                value: one.value.or(whole),
                visits: 0,
                proven: together || one.value.is_some(),
                probability: Some(one.likely),
            })
            .collect();
        Ok(Some(Decision { thoughts, ..choice.into() }))
    }

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
            self.plan = Plan::default();
            self.begins = state;
        }
        let mut iterations = 0;
        if !self.plan.proven {
            let mut half = part(budget, 2);
            let memory = (&mut self.puzzle, self.config.memory / 4);
            iterations = puzzle::search(worker, view, &mut self.plan, memory, &mut half, rng);
            budget.spend(iterations);
        }
        Ok(self.planned(iterations).filter(|_| self.plan.proven))
    }

    /// The next move of the course of a puzzle.
    pub(super) fn planned(&self, iterations: u64) -> Option<Decision> {
        let (&choice, value) = (self.plan.moves.first()?, self.plan.value?);
        let thought = Thought { proven: self.plan.proven, ..Thought::new(choice, value) };
        let line = |&choice: &Move| vec![choice].into_boxed_slice();
        Some(Decision {
            thoughts: vec![thought],
            line: self.plan.moves.iter().map(line).collect(),
            iterations,
            ..choice.into()
        })
    }

    /// Goes one move along the course of a puzzle, if that was the move.
    pub(super) fn advance(&mut self, view: &View, choice: Move) {
        if self.begins.is_empty() || self.plan.moves.first() != Some(&choice) {
            return;
        }
        let stop = magister_core::Stop::never();
        let Ok(worker) = self.follower.follow(view, &stop) else { return };
        let only = |role| worker.legal(role).first().copied().unwrap_or(Move::IDLE);
        let mut joint: Vec<Move> = worker.info().all_roles().map(only).collect();
        joint[view.role().index()] = choice;
        if worker.step(&joint, &mut Step::new(), &stop).is_ok() {
            worker.save(&mut self.begins);
            self.plan.moves.remove(0);
        }
    }
}

/// One of so many parts of a budget.
fn part(budget: &Budget, parts: u32) -> Budget {
    let part = match budget.left() {
        Some(left) => {
            let share = left.div_ceil(u64::from(parts));
            Budget::iterations(share).with_stop(budget.stop().clone())
        }
        None => Budget::until(budget.stop().clone()),
    };
    match budget.remaining() {
        Some(left) => {
            let keep = left.saturating_sub(left / parts);
            part.with_clock(Arc::new(Until { budget: budget.clone(), keep }))
        }
        None => part,
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
