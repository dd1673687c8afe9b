//! `magister conform`: recorded matches against our own answers.

use std::io::Write;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use magister_core::Stop;
use magister_engine::{Limits, Program, Reference, trace};
use magister_gdl::read;

use super::complain;
use crate::args::{Conform, Evaluator};
use crate::{CLEAN, FOUND, TROUBLE, input};

pub(crate) fn run(args: &Conform) -> Result<u8> {
    let input = input::open(&args.rules)?;
    let sheet = read(&input.text, &args.language.options());
    if sheet.diagnostics.has_errors() {
        complain(&input.name, &input.text, &sheet.diagnostics)?;
        return Ok(TROUBLE);
    }
    let program = Program::new(&sheet.rules, &input.text)
        .with_context(|| format!("{} is no game that can be played", input.name))?;
    // One evaluator so far, so all of them are this one.
    let mut evaluator = match args.evaluator {
        Evaluator::Reference | Evaluator::All => {
            Reference::new(Arc::new(program), Limits::default())
        }
    };
    let mut out = anstream::stdout().lock();
    let (mut positions, mut mismatches) = (0, 0);
    for path in &args.traces {
        let name = path.display();
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
        let traces = trace::read(&bytes).with_context(|| format!("{name} is no trace"))?;
        if traces.is_empty() {
            bail!("{name} holds no match");
        }
        let report = trace::conform(&mut evaluator, &traces, &Stop::never())
            .with_context(|| format!("{name} could not be replayed"))?;
        for mismatch in &report.mismatches {
            writeln!(out, "{name}: {mismatch}")?;
        }
        positions += report.positions;
        mismatches += report.mismatches.len();
    }
    writeln!(out, "positions {positions}, mismatches {mismatches}")?;
    Ok(if mismatches == 0 { CLEAN } else { FOUND })
}
