//! Our honest player against simple players of other systems.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::Result;
use magister_arena::{Bar, Page};
use magister_players::Spec;

use super::{measured, report_faults, table, wanted, write_files};
use crate::args::Experiment;

/// Games in which every player plays for itself, so that two players can be compared in the same
/// matches.
const GAMES: [&str; 8] =
    ["agram", "cribbage", "golf-six", "goofspiel", "hearts", "president", "schwimmen", "scopa"];

/// Flat Monte Carlo and tree search as in CardStock, and lazy determinization.
const BASELINES: [&str; 3] = ["pipmc", "lazy-mcts", "single-mcts"];

/// The number of games that must be won against each baseline.
const BAR: usize = 6;

pub(super) fn run(args: &Experiment) -> Result<u8> {
    let mut out = anstream::stdout().lock();
    let mut csv = "game,player,baseline,difference,margin,score,score margin,matches\n".to_owned();
    let mut page = Page::new("An honest player and a baseline at one table");
    let players = measured(args, &["honest"])?;
    let baselines = match &args.baseline[..] {
        [] => BASELINES.map(str::parse).into_iter().collect::<Result<Vec<Spec>, _>>()?,
        given => given.to_vec(),
    };
    let games = wanted(args, &GAMES)?;
    let mut passed = true;
    for player in &players {
        for baseline in &baselines {
            let (mut bars, mut better) = (Vec::new(), 0);
            writeln!(out, "{player} against {baseline}: difference of the values")?;
            for name in &games {
                let result = table(args, name, &[player, baseline], &baseline.to_string(), true)?;
                let (difference, lead) = (result.differences(0, 1), result.leads(0, 1));
                let (mean, margin) = (difference.mean(), difference.margin());
                let (lead, around) = (lead.mean(), lead.margin());
                let matches = 2 * difference.values.len();
                let word = match (mean - margin > 0.0, mean + margin < 0.0) {
                    (true, _) => "better",
                    (_, true) => "worse",
                    _ => "open",
                };
                better += usize::from(word == "better");
                writeln!(
                    out,
                    "  {name:<14} {mean:+.3} +- {margin:.3}  {word:<6}  score {lead:+.2} +- \
                     {around:.2}  ({matches} matches)"
                )?;
                report_faults(&mut out, &result)?;
                let _ = writeln!(
                    csv,
                    "{name},{player},{baseline},{mean:.4},{margin:.4},{lead:.4},{around:.4},{matches}"
                );
                bars.push(Bar {
                    name: (*name).to_owned(),
                    value: mean,
                    interval: Some((mean - margin, mean + margin)),
                });
            }
            writeln!(out, "  better in {better} of {} games", games.len())?;
            passed &= better >= BAR.min(games.len());
            page.heading(&format!("{player} against {baseline}"));
            page.bars(&bars, 0.0);
        }
    }
    write_files(args, &csv, &page, passed)
}
