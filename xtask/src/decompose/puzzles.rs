//! Constraint puzzles: the processor time until they are playable, and until a SAT solver has a
//! plan.

use std::io::Write as _;
use std::time::Duration;

use anyhow::{Result, bail};
use magister_core::Stop;
use magister_decompose::Placement;

use super::paper::processor;
use crate::sheets::Sheet;

/// Prefixes of the names of constraint puzzles.
const NAMES: &[&str] = &["hidato", "nonogram", "cryptarithmetic", "futoshiki", "sudoku"];

/// Puzzles that have no solution: it must be proven that the best goal value is 0.
const UNSOLVABLE: &[&str] = &["nonogram_10x10_1"];

/// The time limits in seconds for a plan once the puzzle is prepared, and for its preparation:
/// grounding, and computing the effects of moves.
const PLAN: f64 = 1.0;
const PREPARATION: f64 = 10.0;

fn stem(name: &str) -> &str {
    let stem = name.rsplit('/').next().unwrap_or(name);
    stem.strip_suffix(".kif").unwrap_or(stem)
}

pub(super) fn run(sheets: &[Sheet], seconds: u64, all: bool) -> Result<()> {
    let mut out = std::io::stdout();
    let mut wrong = Vec::new();
    let chosen =
        |sheet: &&Sheet| !all || NAMES.iter().any(|name| stem(&sheet.name).starts_with(name));
    writeln!(
        out,
        "{:<40} {:>8} {:>10} {:>8} {:>6}",
        "puzzle", "playable", "recognised", "plan", "goal"
    )?;
    for sheet in sheets.iter().filter(chosen) {
        let time = Duration::from_secs(seconds);
        let opening = processor();
        let playable = match sheet.open(None, time) {
            Ok(playable) => playable,
            Err(why) => {
                writeln!(out, "{:<40} {why}", sheet.name)?;
                wrong.push(sheet.name.clone());
                continue;
            }
        };
        let ready = processor().saturating_sub(opening);
        let mut state = Vec::new();
        playable.game.worker().save(&mut state);
        let begun = processor();
        let stop = Stop::never();
        let placement =
            magister_engine::within(time, &stop, |stop| Placement::new(&*playable.game, stop));
        let recognised = processor().saturating_sub(begun);
        let begun = processor();
        let plan = match &placement {
            Ok(Some(placement)) => {
                magister_engine::within(time, &stop, |stop| placement.plan(&state, stop))
            }
            _ => Ok(None),
        };
        let took = processor().saturating_sub(begun);
        let plan = plan.ok().flatten();
        let value = plan.as_ref().map(|plan| plan.value);
        let proven = plan.is_some_and(|plan| plan.proven);
        let best = if UNSOLVABLE.contains(&stem(&sheet.name)) { 0.0 } else { 100.0 };
        let prepared = (ready + recognised).as_secs_f64();
        let right =
            value == Some(best) && proven && took.as_secs_f64() <= PLAN && prepared <= PREPARATION;
        if !right {
            wrong.push(sheet.name.clone());
        }
        writeln!(
            out,
            "{:<40} {:>6.2} s {:>8.2} s {:>6.2} s {:>6}{}",
            sheet.name,
            ready.as_secs_f64(),
            recognised.as_secs_f64(),
            took.as_secs_f64(),
            value.map_or_else(|| "-".to_owned(), |value| value.to_string()),
            if right { "" } else { "  NOT WITHIN ITS LIMITS" }
        )?;
    }
    if !wrong.is_empty() {
        bail!("{} not solved within the limits: {}", wrong.len(), wrong.join(", "));
    }
    Ok(())
}
