//! Games that need no tree search: small ones, which are solved, and puzzles.

use std::sync::Arc;
use std::time::Duration;

use magister_core::{Budget, Clock, Decision, Halt, Move, Rng, Step, Thought, View};
use magister_solve::{Solution, SolveLimits, Unsolved};

use super::Uct;
use crate::combine::draw;
use crate::puzzle::{self, Plan};

/// The maximum number of positions of a game that is solved.
const SMALL: usize = 200_000;

/// The parts of the budget for the attempt: of a move, and of the start clock.
const PART: u32 = 8;
pub(super) const START: u32 = 2;

impl Uct {
    /// Tries once to solve the game with one part of the budget.
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
        // The approximate memory per position in bytes.
        let limit = SMALL.min(self.config.memory / 1000);
        let limits = SolveLimits { nodes: limit, bytes: self.config.memory };
        match Solution::new(worker, view.role(), &limits, &mut part) {
            Ok(found) => self.solution = Some(found),
            Err(Unsolved::Halt(Halt::Hidden)) => return Err(Halt::Hidden),
            // If the rules fail somewhere, the search may still work elsewhere.
            Err(_) => {}
        }
        if let (Some(before), Some(after)) = (budget.left(), part.left()) {
            let share = before.div_ceil(u64::from(parts));
            budget.spend(share.saturating_sub(after).min(before));
        }
        Ok(())
    }

    /// The decision in a solved game.
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
        // With simultaneous moves, the value of a move is that of the position.
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

    /// Searches for a better plan of a puzzle with half of the budget. Returns a decision if the
    /// plan is proven.
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
            // The plan is useful only if it has been followed.
            self.plan = Plan::default();
            self.begins = state;
        }
        let mut iterations = 0;
        if !self.plan.proven {
            let mut half = part(budget, 2);
            let memory = (&mut self.puzzle, self.config.memory / 4, self.decompose);
            iterations = puzzle::search(worker, view, &mut self.plan, memory, &mut half, rng);
            budget.spend(iterations);
        }
        Ok(self.planned(iterations).filter(|_| self.plan.proven))
    }

    /// The next move of a puzzle's plan.
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

    /// Advances a puzzle's plan by one move, if that was the move.
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

/// One of several parts of a budget.
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

/// A clock that ends some time before a budget's clock.
struct Until {
    budget: Budget,
    keep: Duration,
}

impl Clock for Until {
    fn remaining(&self) -> Option<Duration> {
        Some(self.budget.remaining()?.saturating_sub(self.keep))
    }
}
