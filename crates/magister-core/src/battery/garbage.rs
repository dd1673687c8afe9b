//! Words that are no state.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::snapshot::Snapshot;
use super::{Options, Report};
use crate::{Game, Move, Rng, Step, Stop};

/// Loads spoilt states. They may be refused or accepted, but must not panic, and what was
/// accepted must be a state like any other.
pub(super) fn check(game: &dyn Game, options: &Options, states: &[Vec<u64>], report: &mut Report) {
    let mut rng = options.seed.derive("garbage").rng();
    let mut worker = game.worker();
    for _ in 0..options.garbage {
        let words = spoil(states, &mut rng);
        let tried = catch_unwind(AssertUnwindSafe(|| {
            if worker.load(&words, &Stop::never()).is_err() {
                return true;
            }
            let here = Snapshot::take(&*worker);
            let sound =
                here.words == words && here.legal.iter().all(|l| l.is_empty() == here.terminal);
            if sound && !here.terminal {
                let joint: Vec<Move> = here
                    .legal
                    .iter()
                    .map(|legal| legal[rng.below(legal.len() as u64) as usize])
                    .collect();
                let _ = worker.step(&joint, &mut Step::new(), &Stop::never());
                Snapshot::take(&*worker);
            }
            sound
        }));
        match tried {
            Ok(true) => {}
            Ok(false) => report.fail(
                "garbage",
                "",
                format!("the words {words:x?} were accepted, but are not treated as a state"),
            ),
            Err(_) => {
                report.fail(
                    "garbage",
                    "",
                    format!("the words {words:x?} make the worker panic"),
                );
                worker = game.worker();
            }
        }
    }
}

/// A state with some bits flipped, some words replaced, or words missing or added.
fn spoil(states: &[Vec<u64>], rng: &mut Rng) -> Vec<u64> {
    let mut words = match states.len() {
        0 => Vec::new(),
        count => states[rng.below(count as u64) as usize].clone(),
    };
    match rng.below(8) {
        0 => {
            words.pop();
        }
        1 => words.push(rng.next_u64()),
        2 => words.iter_mut().for_each(|word| *word = rng.next_u64()),
        3 => words.iter_mut().for_each(|word| *word = u64::MAX),
        _ => {
            for _ in 0..=rng.below(3) {
                let count = words.len() as u64;
                if count > 0 {
                    words[rng.below(count) as usize] ^= 1 << rng.below(64);
                }
            }
        }
    }
    words
}
