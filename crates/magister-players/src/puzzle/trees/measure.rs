//! Measures the number of simulations that a puzzle takes.

use std::sync::Arc;

use magister_core::{Budget, Game, Halt, Rng, Role, Step, Stop};
use magister_decompose::Targets;

use super::super::{Ground, Plan, is_puzzle};
use super::Trees;
use crate::rewards::Scale;

/// The number of simulations until a puzzle is solved, from its start and without any other method:
/// with one tree per subgame, or with one tree. `None` if the puzzle has no subgames or was not
/// solved in time.
pub(crate) fn simulations(
    game: &Arc<dyn Game>,
    by_subgames: bool,
    most: u64,
    rng: &mut Rng,
) -> Result<Option<u64>, Halt> {
    let mut worker = game.worker();
    worker.reset();
    if !is_puzzle(&*worker) {
        return Ok(None);
    }
    let role = worker.info().players().next().unwrap_or(Role(0));
    let scale = Scale::of(worker.info());
    let mut root = Vec::new();
    worker.save(&mut root);
    let stop = Stop::never();
    let mut trees = if by_subgames {
        let Some(targets) = Targets::new(&**game, &stop)? else { return Ok(None) };
        Trees::by_subgames(targets, scale.high)
    } else {
        Trees::whole(scale.high)
    };
    let mut ground = Ground {
        worker: &mut *worker,
        role,
        scale,
        stop,
        step: Step::new(),
        goals: Vec::new(),
        joint: Vec::new(),
        mask: Vec::new(),
    };
    let (mut plan, budget) = (Plan::default(), Budget::until(Stop::never()));
    while trees.simulations < most {
        match trees.run(&mut ground, &root, &mut plan, (1, 4 << 30), &budget, rng) {
            Ok(_) => {}
            Err(Halt::Stopped) => return Ok(None),
            Err(halt) => return Err(halt),
        }
        if plan.value.is_some_and(|value| value >= scale.high) {
            return Ok(Some(trees.simulations));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use magister_core::Seed;

    use super::*;

    /// Trees per subgame need far fewer simulations, with every seed.
    #[test]
    fn subgames_save_simulations() {
        let game = magister::open("nonogram").expect("a bundled game").game;
        for seed in 0..3 {
            let mut rng = Seed::from(seed).rng();
            let found = simulations(&game, true, 5_000, &mut rng).expect("no halt");
            assert!(found.is_some(), "seed {seed}");
            let whole = simulations(&game, false, 2_000, &mut rng).expect("no halt");
            assert_eq!(whole, None, "seed {seed}");
        }
    }

    /// Games without such subgames are recognised.
    #[test]
    fn other_puzzles_have_none() {
        let mut rng = Seed::from(1).rng();
        let game = magister::open("eightpuzzle").expect("a bundled game").game;
        assert_eq!(simulations(&game, true, 10, &mut rng), Ok(None));
        let game = magister::open("tictactoe").expect("a bundled game").game;
        assert_eq!(simulations(&game, true, 10, &mut rng), Ok(None));
    }
}
