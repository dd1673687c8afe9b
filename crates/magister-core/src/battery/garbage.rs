//! Words that are not a state, and text that means nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::snapshot::Snapshot;
use super::{Options, Report};
use crate::{Game, Move, Rng, Role, Step, Stop, Worker};

/// Well-formed terms in either syntax that no game uses, and text that is not a term.
const NONSENSE: [&str; 8] = [
    "nonsense-7b3f",
    "(nonsense-7b3f 1 2)",
    "nonsense_7b3f(1,2)",
    "(nonsense-7b3f (nonsense-7b3f nonsense-7b3f))",
    "nonsense-7b3f nonsense-7b3f",
    "(((",
    "\u{0}",
    "",
];

/// Loads corrupted states and reads corrupted text. They may be refused or accepted, but must not
/// panic, and an accepted state must be a state like any other. Nonsense is neither a move nor a
/// percept nor a state.
pub(super) fn check(game: &dyn Game, options: &Options, states: &[Vec<u64>], report: &mut Report) {
    nonsense(game, report);
    let mut rng = options.seed.derive("garbage").rng();
    let mut worker = game.worker();
    for _ in 0..options.garbage {
        let words = spoilt_words(states, &mut rng);
        match catch_unwind(AssertUnwindSafe(|| sound(&mut *worker, &words, &mut rng))) {
            Ok(true) => {}
            Ok(false) => {
                let what = format!("{words:x?} was accepted, but is not treated as a state");
                report.fail("garbage", "", what);
            }
            Err(_) => {
                report.fail("garbage", "", format!("the words {words:x?} make the worker panic"));
                worker = game.worker();
            }
        }
        let text = spoilt_text(game, states, &mut rng);
        match catch_unwind(AssertUnwindSafe(|| readable(game, &mut *worker, &text))) {
            Ok(true) => {}
            Ok(false) => {
                let what = format!("`{text}` reads as a state that cannot be loaded or read again");
                report.fail("garbage", "", what);
            }
            Err(_) => report.fail("garbage", "", format!("reading `{text}` panics")),
        }
    }
}

/// Checks that meaningless text is refused, however often it is read: reading must not add to a
/// game's vocabulary.
fn nonsense(game: &dyn Game, report: &mut Report) {
    let text = game.text();
    // If the rules do not fix the fluents, any terms may be a state.
    let fixed = game.info().moves.is_some() || game.info().state_words.is_some();
    for words in NONSENSE.into_iter().chain(NONSENSE) {
        let read = || {
            let mut roles = game.info().all_roles();
            [
                (roles.any(|role| text.parse_move(role, words).is_some()), "move"),
                (text.parse_percept(words).is_some(), "percept"),
                (fixed && text.parse_state(words).is_some(), "state"),
            ]
        };
        match catch_unwind(AssertUnwindSafe(read)) {
            Ok(found) => {
                for (_, what) in found.into_iter().filter(|&(taken, _)| taken) {
                    report.fail("nonsense", "", format!("`{words}` reads as a {what}"));
                }
            }
            Err(_) => report.fail("nonsense", "", format!("reading `{words}` panics")),
        }
    }
}

/// Whether words are refused, or behave like a state: they are saved unchanged, have legal moves
/// unless they are terminal, and a step can be made from them.
fn sound(worker: &mut dyn Worker, words: &[u64], rng: &mut Rng) -> bool {
    if worker.load(words, &Stop::never()).is_err() {
        return true;
    }
    let here = Snapshot::take(worker);
    if here.words != words || here.legal.iter().any(|list| list.is_empty() != here.terminal) {
        return false;
    }
    if !here.terminal {
        let any = |list: &Vec<Move>| list[rng.below(list.len() as u64) as usize];
        let joint: Vec<Move> = here.legal.iter().map(any).collect();
        let _ = worker.step(&joint, &mut Step::new(), &Stop::never());
        Snapshot::take(worker);
    }
    true
}

/// Whether text is refused as a state, or gives a state that can be loaded. As a move or a percept,
/// it may mean any that can be written and read.
fn readable(game: &dyn Game, worker: &mut dyn Worker, text: &str) -> bool {
    let reader = game.text();
    if let Some(choice) = reader.parse_move(Role(0), text)
        && reader.parse_move(Role(0), &reader.move_text(choice)) != Some(choice)
    {
        return false;
    }
    if let Some(percept) = reader.parse_percept(text)
        && reader.parse_percept(&reader.percept_text(percept)) != Some(percept)
    {
        return false;
    }
    match reader.parse_state(text) {
        Some(words) => worker.load(&words, &Stop::never()).is_ok(),
        None => true,
    }
}

fn any_state(states: &[Vec<u64>], rng: &mut Rng) -> Vec<u64> {
    match states.len() {
        0 => Vec::new(),
        count => states[rng.below(count as u64) as usize].clone(),
    }
}

/// A state with flipped bits, replaced words, or missing or additional words.
fn spoilt_words(states: &[Vec<u64>], rng: &mut Rng) -> Vec<u64> {
    let mut words = any_state(states, rng);
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

/// The text of a state with deleted, doubled or replaced characters.
fn spoilt_text(game: &dyn Game, states: &[Vec<u64>], rng: &mut Rng) -> String {
    const STRANGE: [char; 8] = ['(', ')', ' ', '0', '9', '-', 'é', '\0'];
    let state = any_state(states, rng);
    let mut text: Vec<char> = game.text().state_text(&state).chars().collect();
    for _ in 0..=rng.below(3) {
        let Some(last) = text.len().checked_sub(1) else {
            break;
        };
        let place = rng.below(last as u64 + 1) as usize;
        match rng.below(4) {
            0 => drop(text.remove(place)),
            1 => text.insert(place, text[place]),
            2 => text.truncate(place),
            _ => text[place] = STRANGE[rng.below(STRANGE.len() as u64) as usize],
        }
    }
    text.into_iter().collect()
}
