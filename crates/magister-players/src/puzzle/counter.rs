//! Detects the bits of a state that only count steps.

use magister_core::{Budget, Halt, Rng};

use super::Ground;

/// The number of random playouts, and their maximum length.
const PLAYOUTS: usize = 24;
const STEPS: usize = 64;

/// A mask of the bits that do more than count steps; empty if all bits do.
///
/// Many puzzles must be solved within a step limit and count their steps, so no position ever
/// repeats. A bit that is the same in all random playouts after the same number of steps, but
/// changes between numbers of steps, is assumed to belong to the counter. That may be wrong, so no
/// result that relies on it counts as proven.
pub(super) fn mask(
    ground: &mut Ground<'_>,
    root: &[u64],
    budget: &Budget,
    rng: &mut Rng,
) -> Result<Vec<u64>, Halt> {
    // For each number of steps, the state of the first playout that got so far, and the bits in
    // which others differed from it.
    let mut seen: Vec<(Vec<u64>, Vec<u64>, usize)> = Vec::new();
    let mut state = Vec::new();
    for _ in 0..PLAYOUTS {
        ground.load(root)?;
        for step in 0..STEPS {
            if budget.remaining().is_some_and(|left| left.is_zero()) {
                return Ok(Vec::new());
            }
            ground.worker.save(&mut state);
            if state.len() != root.len() {
                return Ok(Vec::new());
            }
            match seen.get_mut(step) {
                None => seen.push((state.clone(), vec![0; state.len()], 1)),
                Some((first, differ, count)) => {
                    *count += 1;
                    for ((differ, first), word) in differ.iter_mut().zip(&*first).zip(&state) {
                        *differ |= first ^ word;
                    }
                }
            }
            if ground.worker.terminal() {
                break;
            }
            let legal = ground.worker.legal(ground.role);
            let choice = legal[rng.below(legal.len().max(1) as u64) as usize];
            ground.make(choice)?;
        }
    }
    // Step numbers that few playouts reached are not evidence.
    seen.retain(|(_, _, count)| *count >= PLAYOUTS / 2);
    let Some((start, _, _)) = seen.first().cloned() else { return Ok(Vec::new()) };
    let mut counts = vec![0_u64; root.len()];
    let mut differ = vec![0_u64; root.len()];
    for (first, differs, _) in &seen {
        for word in 0..root.len() {
            counts[word] |= first[word] ^ start[word];
            differ[word] |= differs[word];
        }
    }
    let mask: Vec<u64> = counts.iter().zip(&differ).map(|(c, d)| !(c & !d)).collect();
    let all = mask.iter().all(|&word| word == !0);
    Ok(if all { Vec::new() } else { mask })
}
