//! `magister experiment`: published experiments with card games.

mod baselines;
mod table2;
mod valet;

use std::io::Write;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use magister_arena::{Contest, Page, TableResult, TableTrial, TimeControl, rank_values};
use magister_core::{Fault, PlayerSource, Seed};
use magister_players::Spec;

use crate::args::{Experiment, ExperimentName};
use crate::{CLEAN, FOUND, game};

/// The default number of iterations of players.
const ITERATIONS: u64 = 100;

pub(crate) fn run(args: &Experiment) -> Result<u8> {
    match args.name {
        ExperimentName::ThesisTable2 => table2::run(args),
        ExperimentName::Valet => valet::run(args),
        ExperimentName::Baselines => baselines::run(args),
    }
}

fn limits(args: &Experiment) -> TimeControl {
    match args.time {
        Some(time) => TimeControl { time: Some(time), ..TimeControl::default() },
        None => TimeControl {
            iterations: Some(args.iterations.unwrap_or(ITERATIONS)),
            ..TimeControl::default()
        },
    }
}

/// The requested games of an experiment.
fn wanted<'a>(args: &Experiment, all: &[&'a str]) -> Result<Vec<&'a str>> {
    if let Some(unknown) = args.only.iter().find(|only| !all.contains(&only.as_str())) {
        bail!("{unknown} is not part of this experiment; its games are {}", all.join(", "));
    }
    let wanted = |name: &&&str| args.only.is_empty() || args.only.iter().any(|only| only == **name);
    Ok(all.iter().filter(wanted).copied().collect())
}

fn source(text: &str) -> Result<Arc<dyn PlayerSource>> {
    Ok(Arc::new(text.parse::<Spec>()?))
}

/// The players whose play is measured: the given ones, or these defaults.
fn measured(args: &Experiment, otherwise: &[&str]) -> Result<Vec<Spec>> {
    if !args.honest.is_empty() {
        return Ok(args.honest.clone());
    }
    otherwise.iter().map(|text| Ok(text.parse::<Spec>()?)).collect()
}

/// These players in the same matches, with random players in the other seats. With `duplicate`, every
/// deal is played twice with the first two players exchanged.
fn table(
    args: &Experiment,
    name: &str,
    players: &[&Spec],
    label: &str,
    duplicate: bool,
) -> Result<TableResult> {
    let playable = game::find(name, &magister::Reading::default())?.prepare(None)?;
    let seats = playable.game.info().players().count();
    let mut sources: Vec<Arc<dyn PlayerSource>> = Vec::new();
    for &player in players {
        sources.push(Arc::new(player.clone()));
    }
    sources.resize(seats, source("random")?);
    let trial = TableTrial {
        contest: Contest::new(playable.game.clone(), limits(args)),
        players: sources,
        games: args.games,
        seed: Seed::from(args.seed).derive(name).derive(label),
        jobs: args.jobs,
        duplicate,
    };
    Ok(trial.run(rank_values, |_| {})?)
}

/// Reports matches that do not count and moves that were substituted.
fn report_faults(out: &mut impl Write, result: &TableResult) -> Result<()> {
    if result.unfinished > 0 {
        writeln!(out, "  {} matches had no result and are not counted", result.unfinished)?;
    }
    report_moves(out, &result.faults)
}

/// Reports moves that were substituted.
fn report_moves(out: &mut impl Write, faults: &[Fault]) -> Result<()> {
    if let Some(first) = faults.first() {
        writeln!(out, "  {} moves were illegal, late or missing; the first:", faults.len())?;
        writeln!(
            out,
            "    step {}, {}: {}",
            first.step,
            first.role.as_deref().unwrap_or("?"),
            first.what
        )?;
    }
    Ok(())
}

fn write_files(args: &Experiment, csv: &str, page: &Page, passed: bool) -> Result<u8> {
    if let Some(path) = &args.csv {
        std::fs::write(path, csv).with_context(|| path.display().to_string())?;
    }
    if let Some(path) = &args.svg {
        std::fs::write(path, page.to_string()).with_context(|| path.display().to_string())?;
    }
    Ok(if passed { CLEAN } else { FOUND })
}
