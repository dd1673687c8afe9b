//! One number for the behaviour of all evaluators, like the signature of a chess program's search.
//!
//! The signature covers path counts, random walks and playouts of a dozen games with fixed seeds,
//! on every evaluator that supports them. Evaluators must agree, and the result must equal
//! `signature.txt`. Speed, memory and the internals of the engine may change without changing the
//! number.
//!
//! ```no_run
//! let found = magister::signature::sign()?;
//! magister::signature::compare(&found)?;
//! # Ok::<(), magister::signature::Changed>(())
//! ```

use std::fmt::{self, Write as _};

use magister_core::{Batch, Detail, Game, Halt, Results, Seed, Step, Stop, Stream, draw};
use magister_engine::Evaluator;
use magister_engine::inspect::Counter;

use crate::{Options, Playable};

/// The signature recorded in the repository.
pub const RECORDED: &str = include_str!("../signature.txt");

/// A game, and how much of it is examined.
#[derive(Clone, Copy, Debug)]
struct Case {
    game: &'static str,
    /// The depth to which paths are counted.
    depth: usize,
    /// The number of random walks from the initial state.
    walks: u64,
    /// The number of random playouts.
    playouts: u32,
}

const fn case(game: &'static str, depth: usize, walks: u64, playouts: u32) -> Case {
    Case { game, depth, walks, playouts }
}

/// The games; each has a feature that the others lack.
const CASES: [Case; 13] = [
    // Turn-based games on small boards, in each of the languages.
    case("tictactoe", 3, 2, 96),
    case("connect-four", 2, 1, 48),
    case("connect-four/operations", 1, 1, 48),
    case("breakthrough", 1, 1, 33),
    case("hexapawn", 3, 2, 96),
    // Moves that depend on a large part of the board.
    case("othello-6x6", 1, 1, 33),
    // One player; arithmetic.
    case("buttonsandlights", 3, 2, 64),
    // Simultaneous moves, for two and for three players.
    case("bidding-tictactoe", 1, 1, 48),
    case("tictactoe-3-players", 1, 1, 64),
    // Chance and hidden information.
    case("monty-hall", 4, 6, 96),
    case("kuhn-poker", 4, 6, 96),
    case("krieg-tictactoe", 1, 1, 48),
    // Weighted chance and intermediate rewards, in Rust.
    case("rust:2048", 2, 2, 64),
];

/// The number of steps after which walks and playouts are truncated.
const MAX_STEPS: u32 = 200;
/// The maximum number of positions to count.
const POSITIONS: u32 = 1_000_000;

/// The signature of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The game.
    pub game: String,
    /// The evaluators that support it, which all agree.
    pub evaluators: Vec<&'static str>,
    /// Their common number.
    pub number: u64,
}

/// Why the signature differs from the recorded one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Changed {
    /// A game cannot be opened or played.
    Game {
        /// The game.
        game: String,
        /// The reason.
        why: String,
    },
    /// Evaluators have different numbers.
    Disagreement {
        /// The game.
        game: String,
        /// The number of each.
        numbers: Vec<(&'static str, u64)>,
    },
    /// All agree on a number that differs from the recorded one.
    Different {
        /// The games that changed.
        games: Vec<String>,
        /// The new contents of the file.
        found: String,
    },
}

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Changed::Game { game, why } => write!(f, "{game} has no signature: {why}"),
            Changed::Disagreement { game, numbers } => {
                write!(f, "evaluators disagree on {game}:")?;
                for (evaluator, number) in numbers {
                    write!(f, " {evaluator} {number:016x}")?;
                }
                write!(f, "; `cargo xtask agree {game}` finds the position")
            }
            Changed::Different { games, found } => write!(
                f,
                "the signature has changed in {}.\nThat is right only if the behaviour of games \
                 was intended to change: their rules, the texts or the order of moves, the random \
                 numbers of playouts, or the list of games. Then record it with `cargo xtask \
                 signature --update` and say why in the commit. Otherwise something is wrong: \
                 `cargo xtask agree` and `cargo xtask lanes` help to find it.\nFound:\n{found}",
                games.join(", ")
            ),
        }
    }
}

impl std::error::Error for Changed {}

/// Signs every game on every evaluator that supports it.
pub fn sign() -> Result<Vec<Part>, Changed> {
    CASES.iter().map(part).collect()
}

/// Compares with the recorded signature.
pub fn compare(found: &[Part]) -> Result<(), Changed> {
    let text = text(found);
    if text == RECORDED {
        return Ok(());
    }
    let known = |line: &&str| RECORDED.lines().any(|other| other == *line);
    let lines = text.lines().filter(|line| !line.starts_with("signature ") && !known(line));
    let mut games: Vec<String> =
        lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
    if games.is_empty() {
        games.push("the list of games".to_owned());
    }
    Err(Changed::Different { games, found: text })
}

/// The contents of `signature.txt`: the number, followed by the part of each game.
pub fn text(parts: &[Part]) -> String {
    let mut text = format!("signature {:016x}\n", total(parts));
    for part in parts {
        let _ = writeln!(text, "{} {:016x} {}", part.game, part.number, part.evaluators.join(","));
    }
    text
}

/// The total number.
pub fn total(parts: &[Part]) -> u64 {
    let mut hash = Hash::new();
    for part in parts {
        hash.text(&part.game);
        hash.word(part.number);
    }
    hash.value()
}

fn part(case: &Case) -> Result<Part, Changed> {
    let game = case.game.to_owned();
    let failed = |why: String| Changed::Game { game: game.clone(), why };
    let source = Options::default().find(case.game).map_err(|error| failed(error.to_string()))?;
    let all = source.prepare_each().map_err(|error| failed(error.to_string()))?.taken;
    let (mut walks, mut played) = (Vec::new(), Vec::new());
    for Playable { game, evaluator, .. } in &all {
        let halted = |halt: Halt| failed(format!("by {evaluator}: {halt}"));
        walks.push((*evaluator, looked_at(&**game, case).map_err(halted)?));
        // The reference interpreter would take minutes for playouts, which test nothing beyond
        // steps.
        if *evaluator != Evaluator::Reference.name() {
            played.push((*evaluator, playouts(&**game, case.playouts, MAX_STEPS).map_err(halted)?));
        }
    }
    for numbers in [&walks, &played] {
        if numbers.windows(2).any(|pair| pair[0].1 != pair[1].1) {
            return Err(Changed::Disagreement { game, numbers: numbers.clone() });
        }
    }
    let mut hash = Hash::new();
    let first = |numbers: &[(_, u64)]| numbers.first().map_or(0, |&(_, number)| number);
    hash.word(first(&walks));
    hash.word(first(&played));
    // Machine code is not available everywhere, and must make no difference.
    let named = walks.iter().map(|&(evaluator, _)| evaluator);
    let evaluators = named.filter(|&name| name != Evaluator::Code.name()).collect();
    Ok(Part { game, evaluators, number: hash.value() })
}

/// The hash of a game on one evaluator, step by step.
fn looked_at(game: &dyn Game, case: &Case) -> Result<u64, Halt> {
    let mut hash = Hash::new();
    game.info().roles.iter().for_each(|role| hash.text(role));
    let mut counter = Counter::new(game, POSITIONS, Stop::never());
    for _ in 0..case.depth {
        counter.advance().map_err(|error| Halt::Limit(format!("{error:?}")))?;
        let level = counter.level();
        hash.word(level.nodes as u64);
        hash.word(level.terminals as u64);
        hash.word(level.distinct as u64);
    }
    for walk in 0..case.walks {
        walked(game, Seed::from(walk), &mut hash)?;
    }
    Ok(hash.value())
}

/// A random walk: every legal move in its order, every percept, every goal value.
fn walked(game: &dyn Game, seed: Seed, hash: &mut Hash) -> Result<(), Halt> {
    let (info, text) = (game.info(), game.text());
    let (mut worker, mut rng) = (game.worker(), seed.rng());
    let (mut step, mut goals) = (Step::new(), Vec::new());
    worker.reset();
    for _ in 0..MAX_STEPS {
        let mut joint = Vec::new();
        for role in info.all_roles() {
            worker.goals(role, &mut goals);
            goals.sort_by(f64::total_cmp);
            goals.iter().for_each(|goal| hash.word(goal.to_bits()));
            let legal = worker.legal(role);
            hash.word(legal.len() as u64);
            legal.iter().for_each(|&choice| hash.text(&text.move_text(choice)));
            let weights = if info.chance == Some(role) { worker.weights() } else { &[] };
            weights.iter().for_each(|&weight| hash.word(u64::from(weight)));
            joint.extend(draw(legal, weights, &mut rng));
        }
        if worker.terminal() {
            break;
        }
        worker.step(&joint, &mut step, &Stop::never())?;
        for role in info.all_roles() {
            let percepts = step.percepts.of(role).iter();
            let mut seen: Vec<String> =
                percepts.map(|&percept| text.percept_text(percept)).collect();
            // Percepts are sets; their numbers may differ between evaluators.
            seen.sort();
            hash.word(seen.len() as u64);
            seen.iter().for_each(|percept| hash.text(percept));
        }
        step.gains.iter().for_each(|gain| hash.word(gain.to_bits()));
    }
    Ok(())
}

/// A hash of the lengths and the rewards of random playouts from the start, which must be the same
/// on every evaluator.
pub fn playouts(game: &dyn Game, quota: u32, max_steps: u32) -> Result<u64, Halt> {
    let (mut hash, mut worker) = (Hash::new(), game.worker());
    let mut start = Vec::new();
    worker.reset();
    worker.save(&mut start);
    let streams = [Stream { id: 0, start: &start, quota }];
    let batch = Batch { seed: 1, streams: &streams, max_steps, detail: Detail::PerPlayout };
    let mut results = Results::default();
    worker.playouts(&batch, &mut results, &Stop::never())?;
    for tally in &results.streams {
        for playout in &tally.playouts {
            hash.word(u64::from(playout.steps));
            hash.word(u64::from(playout.finished));
        }
        // A missing reward differs from every reward: only NaNs have these bits.
        tally.rewards.iter().for_each(|reward| hash.word(reward.map_or(u64::MAX, f64::to_bits)));
    }
    Ok(hash.value())
}

/// FNV-1a with 64 bits: short, and the same everywhere.
#[derive(Clone, Debug)]
pub struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self::new()
    }
}

impl Hash {
    /// The hash of an empty sequence.
    pub fn new() -> Self {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Adds a number.
    pub fn word(&mut self, word: u64) {
        self.bytes(&word.to_le_bytes());
    }

    /// Adds a text with its length, so that consecutive texts cannot be confused.
    pub fn text(&mut self, text: &str) {
        self.word(text.len() as u64);
        self.bytes(text.as_bytes());
    }

    /// The hash of everything that was added.
    pub fn value(&self) -> u64 {
        self.0
    }
}
