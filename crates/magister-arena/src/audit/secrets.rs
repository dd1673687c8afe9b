//! Whether a player takes the others to know what only it knows.

use std::sync::Arc;

use magister_core::{Budget, Game, Halt, Move};
use magister_infoset::Opened;
use magister_solve::{Equilibrium, Limits, Solution, Unsolved};

use super::stages::Sample;
use super::trial::Trial;
use super::{Secrets, Verdict};

/// A move must be better than all others by this part of the range to be the right one.
const CLEARLY: f64 = 0.01;
/// States that are looked at.
const STATES: usize = 300;
/// Positions of a game that begins in one of them.
const SMALL: Limits = Limits { nodes: 50_000, bytes: 64 << 20 };

/// Looks at the decisions in which the right move is another than it would be if the others saw
/// everything.
pub(super) fn look(
    trial: &Trial<'_>,
    solved: &Equilibrium,
    sample: &Sample,
    verdict: &mut Verdict,
) -> Result<(), Halt> {
    let form = &solved.form;
    let Some(player) = form.players().iter().position(|&role| role == trial.role) else {
        return Ok(());
    };
    // Against chance alone there is nobody to keep a secret from.
    if form.players().len() < 2 {
        return Ok(());
    }
    let margin = CLEARLY * (form.range().1 - form.range().0);
    let report = form.report(player, &solved.profile);
    let (mut secrets, mut looked) = (Secrets::default(), 0);
    for (turns, states) in sample {
        let Some((_, set)) = form.find(trial.role, turns) else { continue };
        let (moves, values) = (form.moves(player, set), &report[set].1);
        let Some(right) = clear(&moves, values, margin) else { continue };
        looked += states.len();
        if looked > STATES {
            break;
        }
        let mut open = vec![0.0; moves.len()];
        for (state, counts) in states {
            let weight = counts.values().sum::<u64>() as f64;
            let Some(worth) = seen_by_all(trial, state, &moves)? else { return Ok(()) };
            open.iter_mut().zip(worth).for_each(|(open, worth)| *open += weight * worth);
        }
        let total: u64 = states.values().flat_map(|counts| counts.values()).sum();
        open.iter_mut().for_each(|open| *open /= total as f64);
        let Some(wrong) = clear(&moves, &open, margin).filter(|&wrong| wrong != right) else {
            continue;
        };
        let played = |choice: Move| -> u64 {
            states.values().filter_map(|counts| counts.get(&choice)).sum()
        };
        secrets.decisions += total;
        secrets.kept += played(right);
        secrets.told += played(wrong);
    }
    if secrets.decisions > 0 {
        verdict.secrets = Some(secrets);
        if secrets.told > secrets.kept {
            verdict.remarks.push(format!(
                "it plays as if the others saw everything: so in {} of {} decisions in which that \
                 is a mistake",
                secrets.told, secrets.decisions
            ));
        }
    }
    Ok(())
}

/// The move that is better than all others by a margin.
fn clear(moves: &[Move], values: &[f64], margin: f64) -> Option<Move> {
    let best = (0..moves.len()).max_by(|&a, &b| values[a].total_cmp(&values[b]))?;
    let clearly = |at: usize| at == best || values[best] - values[at] > margin;
    (0..moves.len()).all(clearly).then(|| moves[best])
}

/// What each move is worth in a state if everybody sees everything from there on; `None` if that
/// is too large to say.
fn seen_by_all(trial: &Trial<'_>, state: &[u64], moves: &[Move]) -> Result<Option<Vec<f64>>, Halt> {
    let opened = Opened::new(trial.game, state);
    let mut budget = Budget::until(trial.stop.clone());
    let solution = match Solution::of_game(&opened, trial.role, &SMALL, &mut budget) {
        Ok(solution) => solution,
        Err(Unsolved::Halt(halt)) => return Err(halt),
        Err(_) => return Ok(None),
    };
    let game: Arc<dyn Game> = Arc::new(opened);
    let mut worker = game.worker();
    worker.reset();
    let mut start = Vec::new();
    worker.save(&mut start);
    let Some(found) = solution.moves(&start, trial.role) else { return Ok(None) };
    let worth = |choice: &Move| found.iter().find(|one| one.choice == *choice)?.value;
    Ok(moves.iter().map(worth).collect())
}
