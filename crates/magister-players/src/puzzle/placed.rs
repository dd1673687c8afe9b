//! Puzzles whose moves are permanent placements, such as Sudoku: a SAT solver finds the plan.

use magister_core::{Budget, Halt, View};
use magister_decompose::Placement;

use super::{Ground, Plan};

/// Searches for a plan of placements with half of the time, and replays it to determine its reward.
pub(super) fn plan(
    ground: &mut Ground<'_>,
    view: &View,
    root: &[u64],
    plan: &mut Plan,
    budget: &Budget,
) -> Result<(), Halt> {
    let time = budget.remaining().map(|left| left / 2);
    let Some(found) = Placement::attempt(&**view.game(), root, time, budget.stop())? else {
        return Ok(());
    };
    ground.load(root)?;
    for &choice in &found.moves {
        if !ground.worker.legal(ground.role).contains(&choice) {
            return Ok(());
        }
        ground.make(choice)?;
    }
    if ground.worker.terminal() {
        let reward = ground.reward();
        plan.offer(reward, || found.moves);
        plan.proven |= found.proven;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use magister_core::{Budget, Role, Seed, View};

    use super::super::{Memory, Plan, search};

    /// The first search of a player solves these puzzles, even with few iterations.
    #[test]
    fn placements_are_solved_at_once() {
        for name in ["nonogram", "futoshiki"] {
            let game = magister::open(name).expect("a bundled game").game;
            let mut worker = game.worker();
            worker.reset();
            let view = View::new(Arc::clone(&game), Role(0));
            let (mut plan, mut budget) = (Plan::default(), Budget::iterations(1));
            let kept = (&mut Memory::default(), 1 << 20, true);
            let mut rng = Seed::from(1).rng();
            search(&mut *worker, &view, &mut plan, kept, &mut budget, &mut rng);
            assert_eq!(plan.value, Some(100.0), "{name}");
            assert!(plan.proven, "{name}");
        }
    }
}
