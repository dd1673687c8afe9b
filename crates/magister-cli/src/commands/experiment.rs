//! `magister experiment`: published experiments with card games.

mod baselines;
mod progress;
mod table2;
mod valet;
mod variants;

use std::io::Write;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use magister_arena::{Contest, Page, TableResult, TableTrial, TimeControl, rank_values, seatings};
use magister_core::{Fault, PlayerSource, Seed};
use magister_players::Spec;

use crate::args::{Experiment, ExperimentName};
use crate::{CLEAN, FOUND, game};
use progress::Progress;

/// The default number of iterations of players.
const ITERATIONS: u64 = 100;

/// Shorter names of games.
const ALIASES: [(&str, &str); 3] = [
    ("98", "ninety-eight"),
    ("blackjack", "casino-blackjack"),
    ("leduc-poker", "leduc-poker/recycle"),
];

pub(crate) fn run(args: &Experiment) -> Result<u8> {
    if !args.variant.is_empty() && args.name != ExperimentName::ThesisTable2 {
        bail!("--variant belongs to thesis-table2");
    }
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
fn wanted<'a>(only: &[String], all: &[&'a str]) -> Result<Vec<&'a str>> {
    let in_full = |name: &String| -> &'a str {
        let alias = ALIASES.iter().find(|(short, _)| short == name);
        let name = alias.map_or(name.as_str(), |(_, long)| long);
        all.iter().find(|known| **known == name).copied().unwrap_or_default()
    };
    if let Some(unknown) = only.iter().find(|name| in_full(name).is_empty()) {
        bail!("{unknown} is not part of this experiment; its games are {}", all.join(", "));
    }
    let only: Vec<&str> = only.iter().map(in_full).collect();
    Ok(all.iter().filter(|name| only.is_empty() || only.contains(name)).copied().collect())
}

/// The number of matches, rounded up so that every seating, or both seatings of a deal, are played
/// equally often.
fn matches(asked: u64, seats: usize, duplicate: bool) -> u64 {
    let unit = if duplicate { 2 } else { seatings(seats).len() as u64 };
    asked.next_multiple_of(unit)
}

/// The number of players of a game.
fn seats(name: &str) -> Result<usize> {
    let playable = game::find(name, &magister::Reading::default())?.prepare(None)?;
    Ok(playable.game.info().players().count())
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
    let games = matches(args.games, seats, duplicate);
    let names: Vec<String> = players.iter().map(ToString::to_string).collect();
    let mut progress = Progress::new(format!("{name}, {}", names.join(" and ")), games);
    let trial = TableTrial {
        contest: Contest::new(playable.game.clone(), limits(args)),
        players: sources,
        games,
        seed: Seed::from(args.seed).derive(name).derive(label),
        jobs: args.jobs,
        duplicate,
    };
    Ok(trial.run(rank_values, |done| progress.show(done))?)
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

/// Writes the results so far. It is called after every game, so that an interrupted experiment
/// keeps them.
fn write_files(args: &Experiment, csv: &str, page: &Page) -> Result<()> {
    if let Some(path) = &args.csv {
        std::fs::write(path, csv).with_context(|| path.display().to_string())?;
    }
    if let Some(path) = &args.svg {
        std::fs::write(path, page.to_string()).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

fn verdict(passed: bool) -> u8 {
    if passed { CLEAN } else { FOUND }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_a_multiple_of_the_seatings() {
        assert_eq!(matches(6, 3, false), 6);
        assert_eq!(matches(6, 4, false), 24);
        assert_eq!(matches(96, 4, false), 96);
        assert_eq!(matches(97, 4, false), 120);
        assert_eq!(matches(7, 4, true), 8);
    }

    #[test]
    fn games_have_short_names() {
        let all = ["casino-blackjack", "leduc-poker/recycle", "whist"];
        let only = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            wanted(&names, &all).map_err(|error| error.to_string())
        };
        assert_eq!(only(&[]), Ok(all.to_vec()));
        assert_eq!(only(&["leduc-poker", "blackjack"]), Ok(all[..2].to_vec()));
        // The short name of a game of another experiment.
        let error = only(&["98"]).expect_err("98 is not among the games");
        assert!(error.contains("98 is not part") && error.contains("whist"), "{error}");
    }
}
