//! One question for every kind of game: what is it worth, and how is it played?

use std::sync::Arc;

use magister_core::{Budget, Game, Halt, Role};

use crate::limits::{Limits, Unsolved};
use crate::{Effort, Equilibrium, Form, Solution, puzzle};

/// What came of solving a game.
#[derive(Debug)]
pub enum Answer {
    /// For one player without chance: the best end and the shortest way to it.
    Course(puzzle::Course),
    /// Where everybody sees everything: the value of every position.
    Positions(Solution),
    /// Where information is hidden, or players with interests that are not opposite choose at the
    /// same time: how to play each information set.
    Equilibrium(Equilibrium),
}

/// Solves a game from its beginning, in the way that suits it.
pub fn solve(game: &dyn Game, limits: &Limits, effort: &Effort) -> Result<Answer, Unsolved> {
    let info = game.info();
    let equilibrium = || -> Result<Answer, Unsolved> {
        let form = Form::new(game, limits, &effort.stop)?;
        Ok(Answer::Equilibrium(Equilibrium::find(Arc::new(form), effort)))
    };
    let mut worker = game.worker();
    worker.reset();
    if puzzle::is_puzzle(&*worker) {
        return puzzle::shortest(&mut *worker, limits, &effort.stop).map(Answer::Course);
    }
    let me = info.players().next().unwrap_or(Role(0));
    let mut budget = Budget::until(effort.stop.clone());
    let solution = match Solution::new(&mut *worker, me, limits, &mut budget) {
        // What is hidden shows soon.
        Err(Unsolved::Halt(Halt::Hidden)) => return equilibrium(),
        // There are fewer positions than courses.
        other => other?,
    };
    if solution.exact() {
        return Ok(Answer::Positions(solution));
    }
    // As a tree it may be too large, but where it is not, what it says is proven.
    Ok(equilibrium().unwrap_or(Answer::Positions(solution)))
}

impl Answer {
    /// What each player gets, in the order of the roles without chance.
    pub fn values(&self, game: &dyn Game) -> Vec<f64> {
        match self {
            Answer::Course(course) => vec![course.value],
            Answer::Positions(solution) => {
                game.info().players().map(|role| solution.value()[role.index()]).collect()
            }
            Answer::Equilibrium(found) => found.values.clone(),
        }
    }

    /// Whether the values are proven up to so much on the scale of the rewards.
    pub fn proven(&self, within: f64) -> bool {
        match self {
            Answer::Course(_) => true,
            Answer::Positions(solution) => solution.exact(),
            Answer::Equilibrium(found) => found.bounds().is_some_and(|bounds| {
                bounds.iter().all(|(low, high)| (high - low).abs() <= within)
            }),
        }
    }
}
