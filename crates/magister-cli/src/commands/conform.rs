//! `magister conform`: recorded matches against our own answers.

use std::io::Write;

use anyhow::{Context as _, Result, bail};
use magister_core::Stop;
use magister_engine::trace::{self, Trace};

use crate::args::Conform;
use crate::{CLEAN, FOUND, game};

pub(crate) fn run(args: &Conform) -> Result<u8> {
    let source = game::find(&args.rules, &args.language.options())?;
    let recorded = args.traces.iter().map(|path| {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
        let traces = trace::read(&bytes).with_context(|| format!("{name} is no trace"))?;
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
            bail!("{} is written in Rust, and traces are held against rules", game.name);
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
