//! Compares several evaluators of one game on the same random walks.
//!
//! One of them leads: it draws the moves. The others follow. Every position is compared completely:
//! the state, whether it is terminal, the legal moves and the goals of each role, the percepts and
//! the gains of the last step. The evaluators number fluents, moves and percepts differently, so
//! answers are compared as text. Each text gets a shared number once, and positions are compared as
//! lists of these numbers.

mod lanes;
mod names;
mod side;
#[cfg(test)]
mod tests;

use std::hash::{Hash as _, Hasher as _};
use std::time::Duration;

use magister_core::{Game, Halt, Rng, Seed, Stop};
use rustc_hash::{FxHashSet, FxHasher};

pub use lanes::{Amount, Lanes, lanes, tries};
use names::Names;
use side::Side;

/// The extent of the walks.
#[derive(Clone, Debug)]
pub struct Extent {
    /// The number of positions, including repetitions.
    pub positions: u64,
    /// The maximum length of a walk in steps; then a new walk begins.
    pub steps: u32,
    /// The seed of the moves.
    pub seed: u64,
    /// The time limit of each evaluator. An evaluator that has used up its time stops, and the
    /// others continue.
    pub time: Duration,
}

/// The result of the walks.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    /// The number of positions in which at least two evaluators were compared.
    pub positions: u64,
    /// The number of distinct ones among them.
    pub distinct: usize,
    /// The number of walks.
    pub walks: u64,
    /// For each evaluator, the number of positions that were compared.
    pub compared: Vec<u64>,
    /// For each evaluator, the reason why it stopped early, unless its time was up.
    pub errors: Vec<Option<Halt>>,
    /// The disagreements as text. The walks end after a few of them.
    pub disagreements: Vec<String>,
}

/// The maximum number of disagreements.
const ENOUGH: usize = 3;

/// Compares evaluators of one game on random walks. The first one draws the moves.
///
/// The walks end when the number of positions is reached, when fewer than two evaluators are left,
/// or when `stop` is set.
pub fn agree(games: &[&dyn Game], extent: &Extent, stop: &Stop) -> Agreement {
    let mut names = Names::default();
    let mut walk = Walk {
        sides: games.iter().map(|&game| Side::new(game)).collect(),
        seen: FxHashSet::default(),
        out: Agreement::default(),
        extent,
        stop,
    };
    let seed = Seed::from(extent.seed);
    while walk.goes_on() {
        walk.out.walks += 1;
        let mut rng = seed.derive_index(walk.out.walks).rng();
        walk.once(&mut names, &mut rng);
    }
    let mut out = walk.out;
    out.distinct = walk.seen.len();
    out.compared = walk.sides.iter().map(|side| side.compared).collect();
    out.errors = walk.sides.into_iter().map(|side| side.error).collect();
    out
}

struct Walk<'a> {
    sides: Vec<Side<'a>>,
    /// Hashes of the leader's states.
    seen: FxHashSet<u64>,
    out: Agreement,
    extent: &'a Extent,
    stop: &'a Stop,
}

impl Walk<'_> {
    fn goes_on(&self) -> bool {
        self.out.positions < self.extent.positions
            && self.out.disagreements.len() < ENOUGH
            && !self.stop.is_set()
            && self.sides.first().is_some_and(|leader| leader.walks)
            && self.sides.iter().filter(|side| side.walks).count() > 1
    }

    /// Walks from the initial state to a terminal one, or as far as possible.
    fn once(&mut self, names: &mut Names, rng: &mut Rng) {
        self.sides.iter_mut().for_each(Side::reset);
        let mut made: Vec<String> = Vec::new();
        loop {
            for side in self.sides.iter_mut().filter(|side| side.walks) {
                side.look(names);
            }
            if !self.compare(names, &made) || !self.goes_on() {
                return;
            }
            let leader = &self.sides[0].view;
            if leader.terminal || made.len() >= self.extent.steps as usize {
                return;
            }
            let joint: Vec<u32> = leader
                .legal
                .iter()
                .filter(|legal| !legal.is_empty())
                .map(|legal| legal[rng.below(legal.len() as u64) as usize].0)
                .collect();
            let texts: Vec<&str> = joint.iter().map(|&name| names.text(name)).collect();
            made.push(texts.join(" "));
            if !self.step(&joint, &made) {
                return;
            }
        }
    }

    /// Compares the others with the leader; returns whether all agree.
    fn compare(&mut self, names: &mut Names, made: &[String]) -> bool {
        let (leader, others) = self.sides.split_at_mut(1);
        let leader = &mut leader[0];
        for other in others.iter_mut().filter(|side| side.walks) {
            if leader.view != other.view {
                // The fast decoding of a state may have been wrong.
                leader.look_carefully(names);
                other.look_carefully(names);
            }
            if let Some(difference) = leader.view.difference(&other.view, names) {
                self.out.disagreements.push(with_path(made, &difference));
                return false;
            }
            other.compared += 1;
        }
        leader.compared += 1;
        self.out.positions += 1;
        let mut hasher = FxHasher::default();
        leader.view.state.hash(&mut hasher);
        self.seen.insert(hasher.finish());
        for side in &mut self.sides {
            side.walks &= side.spent <= self.extent.time;
        }
        true
    }

    /// Makes a step in all evaluators; returns whether the walk continues.
    fn step(&mut self, joint: &[u32], made: &[String]) -> bool {
        let mut first: Option<Result<(), Halt>> = None;
        for side in self.sides.iter_mut().filter(|side| side.walks) {
            let result = side.step(joint, self.stop);
            match (&first, &result) {
                // A failure of the rules is an answer that is compared; all other errors are not.
                (_, Err(halt)) if !matches!(halt, Halt::Rules(_)) => {
                    side.walks = false;
                    if *halt != Halt::Stopped {
                        side.error = Some(halt.clone());
                    }
                }
                (None, _) => first = Some(result),
                (Some(Ok(())), Err(halt)) | (Some(Err(halt)), Ok(())) => {
                    let what = format!("only one evaluator can make the step: {halt}");
                    self.out.disagreements.push(with_path(made, &what));
                    return false;
                }
                (Some(_), _) => {}
            }
        }
        self.sides[0].walks && first.is_some_and(|result| result.is_ok())
    }
}

/// A difference with the path to it, in the form of `magister step --moves`.
fn with_path(made: &[String], difference: &str) -> String {
    format!("after {} steps (--moves '{}'): {difference}", made.len(), made.join("; "))
}
