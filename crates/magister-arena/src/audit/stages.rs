//! The tests of the audit.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use magister_core::{Halt, Information, Move, Stop, Turn};

use super::chi::{independence, sigmas};
use super::history::{History, twin};
use super::opponents::Opponents;
use super::said::{Said, differ};
use super::trial::{Moment, Played, Trial};
use super::{Audit, Ceiling, Ground, Suspect, Verdict, secrets};

/// The pause before the last question of a twin, for players that use the clock.
const PAUSE: Duration = Duration::from_millis(3);
/// The number of attempts to find a pair of twins with different states.
const ATTEMPTS: u64 = 30;
/// The minimum number of occurrences of an information set for a test.
const OFTEN: u64 = 40;
/// The minimum number of matches for a mean; with fewer, its error is not known well enough.
const MATCHES: usize = 100;
/// The minimum number of standard errors by which a mean must exceed the ceiling, because rewards
/// are not normally distributed.
const SIGMAS: f64 = 4.0;

/// Whether this share of the time is used up.
pub(super) type Over<'a> = &'a dyn Fn(f64) -> bool;

/// For each information set and each state in it, how often each move was made.
pub(super) type Sample = BTreeMap<Vec<Turn>, BTreeMap<Vec<u64>, BTreeMap<Move, u64>>>;

pub(super) fn run(
    audit: &Audit,
    ground: &Ground,
    suspect: &Suspect,
    stop: &Stop,
    verdict: &mut Verdict,
) -> Result<(), Halt> {
    let Ground { game, opponents, .. } = ground;
    let begun = Instant::now();
    let over = |share: f64| audit.time.is_some_and(|time| begun.elapsed() > time.mul_f64(share));
    let over: Over<'_> = &over;
    let Audit { role, iterations, seeds, .. } = *audit;
    let trial = Trial { game, role, suspect, iterations, seeds, stop };
    if game.info().information == Information::Perfect {
        let what = "the game has perfect information, so a player could only cheat by knowing future draws of chance";
        verdict.remarks.push(what.to_owned());
    }
    twins(audit, &trial, over, verdict)?;
    permutations(audit, &trial, over, verdict)?;
    let sample = sample(audit, &trial, opponents, over, verdict)?;
    if let Some(solved) = &opponents.solved {
        secrets::look(audit, &trial, ground, solved, &sample, over, verdict)?;
    } else {
        let what = "the game was not solved, so its rewards were not compared with those of an optimal \
             honest player";
        verdict.remarks.push(what.to_owned());
    }
    Ok(())
}

/// A small probability as text; smaller ones than the computation can tell from 0 have a bound.
fn probability(p: f64) -> String {
    const LEAST: f64 = 1e-15;
    if p < LEAST { format!("p below {LEAST:e}") } else { format!("p = {p:.1e}") }
}

fn prefix(played: &Played, moment: &Moment) -> History {
    History { joints: played.history.joints[..moment.behind].to_vec() }
}

/// The questions with a choice, or all questions if no question has one.
fn questions(played: &Played) -> Vec<&Moment> {
    let open: Vec<&Moment> = played.moments.iter().filter(|moment| moment.open).collect();
    if open.is_empty() { played.moments.iter().collect() } else { open }
}

fn twins(
    audit: &Audit,
    trial: &Trial<'_>,
    over: Over<'_>,
    verdict: &mut Verdict,
) -> Result<(), Halt> {
    for number in 0..audit.matches {
        if over(0.5) {
            verdict.remarks.push(format!(
                "the time limit cut the twin test short after {number} of {} matches",
                audit.matches
            ));
            break;
        }
        let seed = audit.seed.derive("twins").derive_index(u64::from(number));
        let played = trial.wander(&seed)?;
        verdict.matches += 1;
        if !played.views_agree {
            let what = "the referee gave a role a wrong observation".to_owned();
            verdict.found("views", what);
        }
        let mut questions = questions(&played);
        // Short histories come first, so that slow players can be compared at all.
        questions.truncate(2_usize << number.min(20));
        let Some(last) = questions.last() else { continue };
        let chance = (trial.seeds.chance)(&seed);
        let base = trial.along(&prefix(&played, last), &seed, Some(chance), Duration::ZERO)?;
        let again = trial.along(&prefix(&played, last), &seed, Some(chance), Duration::ZERO)?;
        verdict.answers += again.len() as u64;
        verdict.illegal += base.iter().filter(|said| !said.legal).count() as u64;
        if let Some(at) = differ(&base, &again) {
            let what = "asked again, along the same history and with the same seed, it";
            verdict.found("repeat", sentence(trial, what, number, at, &base, &again));
            // Twins cannot be compared with a player that does not repeat its own answers.
            continue;
        }
        let mut rng = seed.derive("twins of it").rng();
        for number_of_twin in 0..audit.twins {
            if number_of_twin > 0 && over(0.5) {
                break;
            }
            let moment = questions[rng.below(questions.len() as u64) as usize];
            let history = prefix(&played, moment);
            let turns = &played.turns[..moment.turns];
            let found = twin(trial.game, trial.role, turns, &history, &mut rng, trial.stop)?;
            *(if found.is_some() { &mut verdict.twins } else { &mut verdict.futures }) += 1;
            let other = found.unwrap_or(history);
            let future = seed.derive("another future").derive_index(u64::from(number_of_twin));
            let said = trial.along(&other, &seed, Some(future), PAUSE)?;
            verdict.answers += said.len() as u64;
            if let Some(at) = differ(&base[..said.len().min(base.len())], &said) {
                let what = "along another history that looks the same to its role, it";
                verdict.found("twin", sentence(trial, what, number, at, &base, &said));
            }
        }
    }
    Ok(())
}

/// A difference as a sentence; matches and questions are counted from 1.
fn sentence(
    trial: &Trial<'_>,
    what: &str,
    number: u32,
    at: usize,
    one: &[Said],
    other: &[Said],
) -> String {
    let difference = match (one.get(at), other.get(at)) {
        (Some(one), Some(other)) => other.instead_of(one, trial.game.text()),
        _ => "was asked a different number of times".to_owned(),
    };
    format!("match {}, question {}: {what} {difference}", number + 1, at + 1)
}

fn permutations(
    audit: &Audit,
    trial: &Trial<'_>,
    over: Over<'_>,
    verdict: &mut Verdict,
) -> Result<(), Halt> {
    let (mut least, mut tests, mut tries) = (1.0_f64, 0, 0);
    for attempt in 0..ATTEMPTS {
        if tries >= audit.pairs || audit.decisions == 0 || over(0.75) {
            break;
        }
        let seed = audit.seed.derive("pairs").derive_index(attempt);
        let mut rng = seed.derive("twin").rng();
        let played = trial.wander(&seed)?;
        let open: Vec<&Moment> = played.moments.iter().filter(|moment| moment.open).collect();
        if open.is_empty() {
            continue;
        }
        let moment = open[rng.below(open.len() as u64) as usize];
        let history = prefix(&played, moment);
        let turns = &played.turns[..moment.turns];
        let found = twin(trial.game, trial.role, turns, &history, &mut rng, trial.stop)?;
        let Some(other) = found else { continue };
        tries += 1;
        let mut counts: BTreeMap<Option<Move>, [u64; 2]> = BTreeMap::new();
        for number in 0..u64::from(audit.decisions) {
            if over(0.75) {
                let what = format!(
                    "the time limit cut the permutation test short after {number} of {} decisions \
                     per history",
                    audit.decisions
                );
                verdict.remarks.push(what);
                break;
            }
            for (side, history) in [&history, &other].into_iter().enumerate() {
                let fresh = seed.derive_index(2 * number + side as u64);
                counts.entry(trial.last(history, &fresh)?.choice()).or_default()[side] += 1;
            }
        }
        // A player that never answered, or was never asked, has not been compared.
        if counts.keys().all(Option::is_none) {
            continue;
        }
        tests += 1;
        let row = |side: usize| counts.values().map(|count| count[side]).collect();
        least = least.min(independence(&[row(0), row(1)]));
    }
    if tests > 0 {
        verdict.permutation = Some((least, tests));
        if least < audit.doubt / f64::from(tests) {
            let what = format!(
                "the distribution of its moves differs between two histories that look the same to \
                 it ({}, smallest of {tests})",
                probability(least)
            );
            verdict.found("permutation", what);
        }
    }
    Ok(())
}

fn sample(
    audit: &Audit,
    trial: &Trial<'_>,
    opponents: &Opponents,
    over: Over<'_>,
    verdict: &mut Verdict,
) -> Result<Sample, Halt> {
    let mut sample = Sample::new();
    let mut rewards = Vec::new();
    for number in 0..audit.sample {
        if over(1.0) {
            verdict.remarks.push(format!(
                "the time limit cut the sample short after {number} of {} matches",
                audit.sample
            ));
            break;
        }
        let seed = audit.seed.derive("sample").derive_index(u64::from(number));
        let played = trial.play(&seed, opponents)?;
        verdict.illegal += played.illegal as u64;
        rewards.extend(played.reward);
        for moment in played.moments.into_iter().filter(|moment| moment.open) {
            let set = sample.entry(played.turns[..moment.turns].to_vec()).or_default();
            *set.entry(moment.state).or_default().entry(moment.choice).or_default() += 1;
        }
    }
    let (mut least, mut tests) = (1.0_f64, 0);
    for states in sample.values().filter(|states| states.len() > 1) {
        let total: u64 = states.values().flat_map(BTreeMap::values).sum();
        if total < OFTEN {
            continue;
        }
        tests += 1;
        let mut moves: Vec<Move> = states.values().flat_map(BTreeMap::keys).copied().collect();
        moves.sort_unstable();
        moves.dedup();
        let row = |counts: &BTreeMap<Move, u64>| -> Vec<u64> {
            moves.iter().map(|choice| counts.get(choice).copied().unwrap_or(0)).collect()
        };
        let table: Vec<Vec<u64>> = states.values().map(row).collect();
        least = least.min(independence(&table));
    }
    if tests > 0 {
        verdict.independence = Some((least, tests));
        if least < audit.doubt / f64::from(tests) {
            let what = format!(
                "over {} matches its moves depend on the hidden state ({}, smallest of {tests})",
                audit.sample,
                probability(least)
            );
            verdict.found("independence", what);
        }
    }
    if let Some(most) = opponents.most(audit.role).filter(|_| rewards.len() >= MATCHES) {
        let ceiling = ceiling(most, &rewards);
        verdict.ceiling = Some(ceiling);
        let Ceiling { mean, error, matches, .. } = ceiling;
        if mean > most + SIGMAS.max(sigmas(audit.doubt)) * error + 1e-6 * most.abs().max(1.0) {
            let what = format!(
                "its mean reward over {matches} matches is {mean:.2} ± {error:.2}, but no honest \
                 player can exceed {most:.2}"
            );
            verdict.found("ceiling", what);
        }
    }
    Ok(sample)
}

fn ceiling(most: f64, rewards: &[f64]) -> Ceiling {
    let count = rewards.len() as f64;
    let mean = rewards.iter().sum::<f64>() / count;
    let square = rewards.iter().map(|reward| (reward - mean).powi(2)).sum::<f64>();
    let error = (square / (count - 1.0) / count).sqrt();
    Ceiling { most, mean, error, matches: rewards.len() as u32 }
}
