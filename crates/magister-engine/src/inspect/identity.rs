//! The properties of a game that must be the same in every process and on every evaluator.

use std::fmt::Write as _;
use std::sync::Arc;

use magister_core::{Game, Move, Percept, Seed, StateObserver, Step, Stop, draw, rules_hash};

/// How much of a game to examine.
#[derive(Clone, Copy, Debug)]
pub struct Walks {
    /// The number of random matches.
    pub matches: u64,
    /// The maximum length of each.
    pub steps: u32,
}

/// The results, as hashes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// The number of moves, if the rules fix them.
    pub moves: Option<u32>,
    /// The hashes of the rules and of their text.
    pub rules_hash: String,
    /// See `rules_hash`.
    pub text_hash: String,
    /// The texts of all moves in the order of their numbers; the shape of the board; and for every
    /// state on the walks its text, the legal moves and percepts by number and in order, the goal
    /// values, the cells of the board and the observation. This hash is the same for all
    /// evaluators.
    pub play: String,
    /// The words of the states on the walks, which may depend on the evaluator.
    pub words: String,
}

/// Examines a game on random walks that depend only on the game.
pub fn identity(game: &Arc<dyn Game>, walks: Walks, stop: &Stop) -> Identity {
    let info = game.info();
    let text = game.text();
    let (mut play, mut all_words) = (String::new(), String::new());
    // If numbers are only valid in this process, texts are compared instead.
    let fixed = info.moves.is_some();
    for number in 0..info.moves.unwrap_or(0) {
        let _ = writeln!(play, "{}", text.move_text(Move(number)));
    }
    let named = |choice: &Move| if fixed { format!("{choice:?}") } else { text.move_text(*choice) };
    let seen = |percept: &Percept| {
        if fixed {
            format!("{percept:?} {}", text.percept_text(*percept))
        } else {
            text.percept_text(*percept)
        }
    };
    let board = game.board();
    let _ = writeln!(play, "{:?}", board.map(magister_core::Board::shape));
    let observer = StateObserver::new(game);
    let _ = writeln!(play, "{:?}", observer.tensors());
    let mut row = vec![0.0; observer.tensors().len()];
    let mut cells = vec![0; board.map_or(0, |board| board.shape().cells.len())];
    let mut worker = game.worker();
    let (mut out, mut state, mut goals) = (Step::new(), Vec::new(), Vec::new());
    for number in 0..walks.matches {
        let mut rng = Seed::from(11).derive_index(number).rng();
        worker.reset();
        for _ in 0..walks.steps {
            worker.save(&mut state);
            let _ = writeln!(all_words, "{state:?}");
            let _ = writeln!(play, "{}", text.state_text(&state));
            if let Some(board) = board {
                board.cells(&state, &mut cells);
                let _ = writeln!(play, "{cells:?}");
            }
            observer.write(&state, &mut row);
            let _ = writeln!(play, "{row:?}");
            let mut joint = Vec::new();
            for role in info.all_roles() {
                worker.goals(role, &mut goals);
                let legal: Vec<String> = worker.legal(role).iter().map(named).collect();
                let _ = writeln!(play, "{legal:?} {goals:?}");
                joint.extend(draw(worker.legal(role), &[], &mut rng));
            }
            if worker.terminal() || worker.step(&joint, &mut out, stop).is_err() {
                break;
            }
            for role in info.all_roles() {
                let mut percepts: Vec<String> = out.percepts.of(role).iter().map(seen).collect();
                if !fixed {
                    percepts.sort();
                }
                let _ = writeln!(play, "{percepts:?}");
            }
        }
    }
    Identity {
        moves: info.moves,
        rules_hash: info.rules_hash.clone(),
        text_hash: info.text_hash.clone(),
        play: rules_hash(&play),
        words: rules_hash(&all_words),
    }
}
