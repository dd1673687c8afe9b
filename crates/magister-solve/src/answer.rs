//! One entry point for every kind of game: its value, and how to play it.

use std::sync::Arc;

use magister_core::{Budget, Game, Halt, Role};

use crate::limits::{SolveLimits, Unsolved};
use crate::{Effort, Equilibrium, ExtensiveForm, Solution, puzzle};

/// The solution of a game.
#[derive(Debug)]
pub enum Answer {
    /// One player without chance: the best reward, and a shortest path to it.
    Puzzle(puzzle::PuzzleSolution),
    /// Perfect information: the value of every position.
    Positions(Solution),
    /// Hidden information, or simultaneous moves in a game that is not two-player constant-sum: a
    /// strategy for each information set.
    Equilibrium(Equilibrium),
}

/// Solves a game from its initial state with the method that suits it.
pub fn solve(game: &dyn Game, limits: &SolveLimits, effort: &Effort) -> Result<Answer, Unsolved> {
    let info = game.info();
    let equilibrium = |limits: &SolveLimits| -> Result<Answer, Unsolved> {
        let form = ExtensiveForm::new(game, limits, &effort.stop)?;
        Ok(Answer::Equilibrium(Equilibrium::find(Arc::new(form), effort)))
    };
    let mut worker = game.worker();
    worker.reset();
    if puzzle::is_puzzle(&*worker) {
        return puzzle::shortest(&mut *worker, limits, &effort.stop).map(Answer::Puzzle);
    }
    let me = info.players().next().unwrap_or(Role(0));
    let mut budget = Budget::until(effort.stop.clone());
    let solution = match Solution::new(&mut *worker, me, limits, &mut budget) {
        // Hidden information is detected early.
        Err(Unsolved::Halt(Halt::Hidden)) => return equilibrium(limits),
        // There are fewer positions than histories.
        other => other?,
    };
    if solution.exact() {
        return Ok(Answer::Positions(solution));
    }
    // The tree may be too large, but if it fits into memory, its result is proven.
    let rest = SolveLimits { bytes: limits.bytes.saturating_sub(solution.bytes()), ..*limits };
    Ok(equilibrium(&rest).unwrap_or(Answer::Positions(solution)))
}

impl Answer {
    /// The value for each player, in the order of the roles without chance.
    pub fn values(&self, game: &dyn Game) -> Vec<f64> {
        match self {
            Answer::Puzzle(solution) => vec![solution.value],
            Answer::Positions(solution) => {
                game.info().players().map(|role| solution.value()[role.index()]).collect()
            }
            Answer::Equilibrium(found) => found.values.clone(),
        }
    }

    /// Whether the values are proven up to this error, on the scale of the rewards.
    pub fn proven(&self, within: f64) -> bool {
        match self {
            Answer::Puzzle(_) => true,
            Answer::Positions(solution) => solution.exact(),
            Answer::Equilibrium(found) => found.bounds().is_some_and(|bounds| {
                bounds.iter().all(|(low, high)| (high - low).abs() <= within)
            }),
        }
    }
}
