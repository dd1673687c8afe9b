//! Whether a player assumes that the others have its private information.

use std::collections::BTreeMap;
use std::sync::Arc;

use magister_core::{Game, Halt, Move, Turn};
use magister_solve::Equilibrium;

use super::chi::independence;
use super::stages::{Over, Sample};
use super::trial::Trial;
use super::world::World;
use super::{Audit, DOUBT, Ground, Secrets, Verdict};

/// The margin, as a share of the range of rewards, by which the best move must beat all others.
const CLEARLY: f64 = 0.01;
/// The number of standard errors for a remark.
const SIGMAS: f64 = 3.0;
/// The number of information sets in which a player is asked again, the number of questions in
/// each, and the minimum number of iterations. (A mistake for lack of time is not a false claim.)
const SETS: usize = 3;
const TIMES: u64 = 100;
const ITERATIONS: u64 = 1_000;
/// The number of answers in each of the two games that a verdict needs, and the share of them that
/// must be wrong. (A player that is merely unsure has not thought enough.)
const ENOUGH: u64 = 40;
const MOSTLY: f64 = 0.9;

/// An information set in which it matters whether the others see the state.
struct Matter<'a> {
    turns: &'a [Turn],
    /// One of its states.
    state: &'a [u64],
    /// The best move, and the best move if the others saw the state.
    right: Move,
    wrong: Move,
    revealed: u64,
}

/// Examines the decisions in which the best move differs from the best move if the others saw the
/// state. A player whose simulated opponents see the state plays the latter, as often as if they
/// really saw it. This is a mistake in any player, and a false claim in a player that declares that
/// its simulated opponents know only their own information state.
pub(super) fn look(
    audit: &Audit,
    trial: &Trial<'_>,
    ground: &Ground,
    solved: &Equilibrium,
    sample: &Sample,
    over: Over<'_>,
    verdict: &mut Verdict,
) -> Result<(), Halt> {
    // Against chance alone there are no secrets.
    if solved.form.players().len() < 2 || sample.is_empty() {
        return Ok(());
    }
    let Some(watching) = ground.watched(trial.role, trial.stop) else {
        let what = "the game in which the others see the state was not solved, so the test of secrets \
                    was skipped";
        verdict.remarks.push(what.to_owned());
        return Ok(());
    };
    let mut secrets = Secrets::default();
    let mut matters: Vec<Matter<'_>> = Vec::new();
    let (here, there) = (clear(solved, trial), clear(&watching.solved, trial));
    for (turns, states) in sample {
        let (Some(right), Some(wrong)) = (here(turns), there(turns)) else { continue };
        let Some((state, _)) = states.iter().next().filter(|_| right != wrong) else { continue };
        let played = |choice: Move| -> u64 {
            states.values().filter_map(|counts| counts.get(&choice)).sum()
        };
        let revealed = played(wrong);
        secrets.decisions += states.values().flat_map(BTreeMap::values).sum::<u64>();
        secrets.kept += played(right);
        secrets.revealed += revealed;
        matters.push(Matter { turns, state, right, wrong, revealed });
    }
    if secrets.decisions == 0 {
        return Ok(());
    }
    verdict.secrets = Some(secrets);
    // A random player plays both moves equally often.
    let (revealed, kept) = (secrets.revealed as f64, secrets.kept as f64);
    if revealed - kept <= SIGMAS * (revealed + kept).sqrt() {
        return Ok(());
    }
    verdict.tells = true;
    verdict.remarks.push(format!(
        "it plays as if the others saw everything in {} of {} decisions in which that is a \
         mistake",
        secrets.revealed, secrets.decisions
    ));
    if !(trial.suspect)(&World::default()).nested() {
        return Ok(());
    }
    matters.sort_by_key(|matter| std::cmp::Reverse(matter.revealed));
    for (number, matter) in matters.iter().take(SETS).enumerate() {
        if let Some(proof) = confront(audit, trial, &watching.game, matter, number, over)? {
            verdict.found("secrets", proof);
        }
    }
    Ok(())
}

/// For each information set of a game, the move that beats all others by a margin.
fn clear<'a>(
    solved: &'a Equilibrium,
    trial: &'a Trial<'_>,
) -> impl Fn(&[Turn]) -> Option<Move> + 'a {
    let form = &solved.form;
    let margin = CLEARLY * (form.range().1 - form.range().0);
    let player = form.players().iter().position(|&role| role == trial.role);
    let report = player.map(|player| form.report(player, &solved.profile)).unwrap_or_default();
    move |turns| {
        let (player, set) = form.find(trial.role, turns)?;
        let (moves, values) = (form.moves(player, set), &report.get(set)?.1);
        let best = (0..moves.len()).max_by(|&a, &b| values[a].total_cmp(&values[b]))?;
        let clearly = |at: usize| at == best || values[best] - values[at] > margin;
        (0..moves.len()).all(clearly).then(|| moves[best])
    }
}

/// Asks a player that claims to have honest nested players, equally often in the game and in the
/// game in which the others see the state. Returns the evidence if its answers do not differ and it
/// plays the best moves of the latter game.
fn confront(
    audit: &Audit,
    trial: &Trial<'_>,
    watched: &Arc<dyn Game>,
    matter: &Matter<'_>,
    number: usize,
    over: Over<'_>,
) -> Result<Option<String>, Halt> {
    let iterations = audit.iterations.max(ITERATIONS);
    let mut counts: BTreeMap<Option<Move>, [u64; 2]> = BTreeMap::new();
    let seeds = audit.seed.derive("secrets").derive_index(number as u64);
    let mut asked = 0;
    while asked < TIMES && !over(1.5) {
        for (side, game) in [trial.game, watched].into_iter().enumerate() {
            let seed = seeds.derive_index(2 * asked + side as u64);
            let choice = trial.answer(game, matter.turns, matter.state, &seed, iterations)?;
            counts.entry(choice).or_default()[side] += 1;
        }
        asked += 1;
    }
    let of = |choice: Move| counts.get(&Some(choice)).map_or(0, |count| count[0]);
    let row = |side: usize| counts.values().map(|count| count[side]).collect();
    let revealed = of(matter.wrong);
    let same = independence(&[row(0), row(1)]) > DOUBT;
    Ok((asked >= ENOUGH && revealed as f64 > MOSTLY * asked as f64 && same).then(|| {
        let text = |choice| trial.game.text().move_text(choice);
        format!(
            "it claims that the others in its simulations know only their own observations; but of \
             {asked} times in which {} is right and {} would be right if the others saw the state, \
             it plays the latter {revealed} times, as often as if they did see the state",
            text(matter.right),
            text(matter.wrong)
        )
    }))
}
