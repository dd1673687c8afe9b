//! `magister conform`: compares recorded matches with our own results.

use std::io::Write;

use anyhow::{Context as _, Result, bail};
use magister_core::{Seed, Stop};
use magister_engine::trace::{self, Trace};
use magister_recycle::{CardGame, conform};

use crate::args::Conform;
use crate::{CLEAN, FOUND, game};

/// The number of random games that are compared with a summary of recorded ones.
const RANDOM_GAMES: u64 = 10_000;
/// The maximum deviation of a mean, in standard errors.
const STANDARD_ERRORS: f64 = 4.0;

/// Card games: full records are replayed, summaries are compared by their means.
fn cards(game: &CardGame, args: &Conform) -> Result<u8> {
    let mut out = anstream::stdout().lock();
    let (mut positions, mut mismatches) = (0, 0);
    for path in &args.traces {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
        not_a_record(&name, &bytes)?;
        let text = trace::unpack(&bytes).with_context(|| format!("{name} is not a trace"))?;
        let report = conform::replay(game, &text);
        if report.games > 0 {
            for difference in &report.differences {
                writeln!(out, "{name}: {difference}")?;
            }
            positions += report.decisions;
            mismatches += report.differences.len();
            continue;
        }
        let quantities = conform::compare(game, &text, RANDOM_GAMES, Seed::from(1));
        if quantities.iter().all(|quantity| quantity.recorded.2 == 0) {
            bail!("{name} holds no match");
        }
        for quantity in quantities {
            writeln!(out, "{name}: {quantity}")?;
            positions += quantity.recorded.2;
            mismatches += usize::from(quantity.errors() > STANDARD_ERRORS);
        }
    }
    writeln!(out, "positions {positions}, mismatches {mismatches}")?;
    Ok(if mismatches == 0 { CLEAN } else { FOUND })
}

/// Refuses our own records, which another command replays.
fn not_a_record(name: &str, bytes: &[u8]) -> Result<()> {
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let object: Option<serde_json::Value> = serde_json::from_slice(line).ok();
    let has = |key: &str| object.as_ref().is_some_and(|object| object.get(key).is_some());
    if has("players") && has("moves") && has("rewards") {
        bail!("{name} is a match record of Magister; `magister replay {name}` verifies it");
    }
    Ok(())
}

pub(crate) fn run(args: &Conform) -> Result<u8> {
    let mut reading = args.language.options();
    // The records of card games come from CardStock and follow its conventions.
    reading.recycle.compat = true;
    let source = game::find(&args.rules, &reading)?;
    if let Some(game) = source.card_game() {
        return cards(game, args);
    }
    let recorded = args.traces.iter().map(|path| {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
        not_a_record(&name, &bytes)?;
        let traces = trace::read(&bytes).with_context(|| format!("{name} is not a trace"))?;
        if traces.is_empty() {
            bail!("{name} holds no match");
        }
        Ok((name, traces))
    });
    let recorded: Vec<(String, Vec<Trace>)> = recorded.collect::<Result<_>>()?;

    let mut out = anstream::stdout().lock();
    let (mut all_positions, mut all_mismatches) = (0, 0);
    game::each(&source, args.evaluator, |game| {
        let Some(prepared) = &game.prepared else {
            bail!("{} is written in Rust; traces are compared with rules only", game.name);
        };
        let mut stepper = prepared.stepper();
        let (mut positions, mut mismatches) = (0, 0);
        for (name, traces) in &recorded {
            let report = trace::conform(&mut *stepper, traces, &Stop::never())
                .with_context(|| format!("{name} could not be replayed"))?;
            for mismatch in &report.mismatches {
                writeln!(out, "{name}: {mismatch}")?;
            }
            positions += report.positions;
            mismatches += report.mismatches.len();
        }
        let evaluator = game.evaluator;
        writeln!(out, "evaluator {evaluator}: positions {positions}, mismatches {mismatches}")?;
        all_positions += positions;
        all_mismatches += mismatches;
        Ok(())
    })?;
    writeln!(out, "positions {all_positions}, mismatches {all_mismatches}")?;
    Ok(if all_mismatches == 0 { CLEAN } else { FOUND })
}
