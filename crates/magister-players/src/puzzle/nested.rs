//! Nested playouts of two levels.

use magister_core::{Budget, Halt, Move, Rng};

use super::{Ground, Plan};

/// The maximum length of playouts.
const LONG: usize = 2_000;

/// A playout in which every move is the first move of the best plan seen so far. At every step,
/// each move is tried with a random playout.
pub(super) fn run(
    ground: &mut Ground<'_>,
    root: &[u64],
    plan: &mut Plan,
    share: u64,
    budget: &Budget,
    rng: &mut Rng,
) -> Result<(), Halt> {
    let mut state = root.to_vec();
    let mut made: Vec<Move> = Vec::new();
    let mut best: Option<(f64, Vec<Move>)> = None;
    let mut looked = 0;
    while made.len() < LONG {
        ground.load(&state)?;
        if ground.worker.terminal() {
            return Ok(());
        }
        let moves = ground.worker.legal(ground.role).to_vec();
        for &choice in &moves {
            if looked >= share {
                return Ok(());
            }
            ground.load(&state)?;
            ground.make(choice)?;
            let mut tail = vec![choice];
            looked += 1;
            while !ground.worker.terminal() && made.len() + tail.len() < LONG {
                if budget.remaining().is_some_and(|left| left.is_zero()) {
                    return Err(Halt::Stopped);
                }
                let legal = ground.worker.legal(ground.role);
                let choice = legal[rng.below(legal.len().max(1) as u64) as usize];
                ground.make(choice)?;
                tail.push(choice);
                looked += 1;
            }
            if !ground.worker.terminal() {
                continue;
            }
            let value = ground.reward();
            if best.as_ref().is_none_or(|(most, _)| value > *most) {
                let whole = [&made[..], &tail[..]].concat();
                plan.offer(value, || whole.clone());
                best = Some((value, whole));
                if value >= ground.scale.high {
                    return Ok(());
                }
            }
        }
        let next = best.as_ref().and_then(|(_, whole)| whole.get(made.len()).copied());
        let Some(choice) = next.or_else(|| moves.first().copied()) else { return Ok(()) };
        ground.load(&state)?;
        ground.make(choice)?;
        ground.worker.save(&mut state);
        made.push(choice);
    }
    Ok(())
}
