//! Verifies the facts of the card.

use magister_core::{Batch, Detail, Game, Halt, Results, Stop, Stream};
use magister_engine::inspect::{Counter, Failure, Level};
use magister_engine::within;
use magister_solve::{Effort as Solving, SolveLimits, Unsolved, solve};

use super::{ENDLESS, Effort, Proof, Version};
use crate::catalogue::{Entry, Facts};

/// The depth to which twins are compared.
const DEPTH: usize = 6;
/// Values that differ by less are equal.
const CLOSE: f64 = 0.05;
/// The relative tolerance of a mean length, and the number of standard errors.
const SHARE: f64 = 0.02;
const SIGMAS: f64 = 4.0;

/// Checks a game against the facts of its card.
pub(super) fn hold(entry: &Entry, main: &Version, effort: &Effort, stop: &Stop, proof: &mut Proof) {
    let facts = &entry.card.facts;
    let game = &*main.games[0];
    within(effort.patience, stop, |stop| perft(facts, game, effort, stop, entry.name, proof));
    if let Some(length) = facts.length {
        match within(effort.patience, stop, |stop| mean(&*main.batch, effort.playouts, stop)) {
            Some((mean, error)) => {
                if (mean - length).abs() > SHARE * length + SIGMAS * error {
                    proof.findings.push(format!(
                        "{}: random matches take {mean:.2} steps, not {length}",
                        entry.name
                    ));
                }
            }
            None => proof.skipped.push(format!("{}: mean length", entry.name)),
        }
    }
    if let Some(value) = &facts.value {
        let limits = SolveLimits { nodes: effort.positions as usize, ..SolveLimits::default() };
        let found = within(effort.patience, stop, |stop| {
            let solving = Solving { stop: stop.clone(), ..Solving::default() };
            solve(game, &limits, &solving)
        });
        let mut skip = |why: &str| proof.skipped.push(format!("{}: its value, {why}", entry.name));
        match found {
            Ok(answer) if !answer.proven(CLOSE) => skip("which was not proven"),
            Ok(answer) => {
                let found = answer.values(game);
                let close = |(a, b): (&f64, &f64)| (a - b).abs() < CLOSE;
                if found.len() != value.len() || !found.iter().zip(value).all(close) {
                    proof.findings.push(format!(
                        "{}: optimal play gives {found:?}, not {value:?}",
                        entry.name
                    ));
                }
            }
            Err(Unsolved::TooLarge(_)) => skip("for its size"),
            Err(why) => skip(&format!("because {why}")),
        }
    }
}

/// Counts paths and positions.
fn perft(
    facts: &Facts,
    game: &dyn Game,
    effort: &Effort,
    stop: &Stop,
    name: &str,
    proof: &mut Proof,
) {
    if facts.perft.is_empty() && facts.positions.is_none() {
        return;
    }
    let mut counter = Counter::new(game, effort.positions, stop.clone());
    for (depth, &expected) in facts.perft.iter().enumerate() {
        if let Err(failure) = counter.advance() {
            return left_out(&failure, &format!("{name}: depth {}", depth + 1), proof);
        }
        let nodes = counter.level().nodes;
        if nodes != u128::from(expected) {
            let depth = depth + 1;
            proof.findings.push(format!("{name}: {nodes} paths of {depth} steps, not {expected}"));
            return;
        }
    }
    let Some(expected) = facts.positions else { return };
    if expected > u64::from(effort.positions) {
        proof.skipped.push(format!("{name}: its {expected} positions"));
        return;
    }
    while !counter.closed() {
        if let Err(failure) = counter.advance() {
            return left_out(&failure, &format!("{name}: its positions"), proof);
        }
    }
    if counter.positions() as u64 != expected {
        let found = counter.positions();
        proof.findings.push(format!("{name}: {found} positions, not {expected}"));
    }
}

fn left_out(failure: &Failure, what: &str, proof: &mut Proof) {
    match failure {
        Failure::Limit | Failure::Halt { halt: Halt::Stopped, .. } => {
            proof.skipped.push(what.to_owned());
        }
        Failure::Count => proof.findings.push(format!("{what} has too many paths to count")),
        Failure::Halt { halt, .. } => proof.findings.push(format!("{what}: {halt}")),
    }
}

/// The mean length of random matches and its standard error; `None` if some do not end.
fn mean(game: &dyn Game, playouts: u32, stop: &Stop) -> Option<(f64, f64)> {
    let mut worker = game.worker();
    let mut start = Vec::new();
    worker.reset();
    worker.save(&mut start);
    let mut lengths: Vec<f64> = Vec::new();
    for id in 0..playouts.div_ceil(SLICE) {
        let streams = [Stream { id: u64::from(id), start: &start, quota: SLICE }];
        let detail = Detail::PerPlayout;
        let batch = Batch { seed: 3, streams: &streams, max_steps: ENDLESS, detail };
        let mut results = Results::default();
        if worker.playouts(&batch, &mut results, stop).is_err() {
            break;
        }
        let tally = results.streams.first()?;
        if tally.truncated > 0 {
            return None;
        }
        lengths.extend(tally.playouts.iter().map(|playout| f64::from(playout.steps)));
    }
    let count = lengths.len() as f64;
    let mean = lengths.iter().sum::<f64>() / count;
    let variance = lengths.iter().map(|length| (length - mean).powi(2)).sum::<f64>() / count;
    (count > 1.0).then(|| (mean, (variance / count).sqrt()))
}

/// The number of matches per batch.
const SLICE: u32 = 512;

/// Checks that versions of a game have the same numbers of paths.
pub(super) fn same(versions: &[Version], effort: &Effort, stop: &Stop, proof: &mut Proof) {
    let [main, twins @ ..] = versions else { return };
    if twins.is_empty() {
        return;
    }
    let levels = |version: &Version| -> Vec<Level> {
        within(effort.patience, stop, |stop| {
            let mut counter = Counter::new(&*version.games[0], effort.positions, stop.clone());
            let mut levels = Vec::new();
            while levels.len() < DEPTH && counter.advance().is_ok() {
                levels.push(counter.level());
            }
            levels
        })
    };
    let first = levels(main);
    for twin in twins.iter().filter(|twin| !twin.deals) {
        let other = levels(twin);
        let depth = first.iter().zip(&other).position(|(a, b)| a.nodes != b.nodes);
        if let Some(depth) = depth {
            proof.findings.push(format!(
                "{} has {} paths of {} steps, {} has {}",
                main.name,
                first[depth].nodes,
                depth + 1,
                twin.name,
                other[depth].nodes
            ));
        } else if first.len().min(other.len()) < DEPTH {
            let depth = first.len().min(other.len());
            proof.skipped.push(format!("{}: compared to depth {depth}", twin.name));
        }
    }
}
