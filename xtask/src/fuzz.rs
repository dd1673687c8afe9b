//! Random and mutated inputs for every reader and what follows it.
//!
//! Each input must be examined without a panic; its statements must be printed, translated and
//! shown; and rules without an error must survive printing and reading, in both syntaxes. Inputs
//! are numbered, so a failure can be repeated.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use magister_gdl::{
    Code, Dialect, Options, Source, Syntax, examine, print, read, same_rules, translate,
};

use crate::corpus;
use crate::ledger::Ledger;
use crate::mutate;

/// The readers by their names on the command line.
const READERS: [(&str, Option<Syntax>, Option<Dialect>); 3] = [
    ("kif", Some(Syntax::Kif), None),
    ("infix", Some(Syntax::Infix), None),
    ("gamemaster", Some(Syntax::Infix), Some(Dialect::Operations)),
];

/// The maximum time per input, even on a busy machine.
const HANG: Duration = Duration::from_secs(5);

/// The number of inputs between two entries in the ledger.
const PART: u64 = 1_000_000;

pub(crate) fn run(inputs: u64, seed: u64, reader: Option<&str>, ledger: &mut Ledger) -> Result<()> {
    let corpus = corpus::texts();
    for (name, syntax, dialect) in READERS {
        if reader.is_some_and(|wanted| wanted != name) {
            continue;
        }
        let bar = ProgressBar::new(inputs).with_style(ProgressStyle::with_template(
            "{msg:12} {wide_bar} {human_pos}/{human_len} {eta}",
        )?);
        bar.set_message(name);
        let options = Options { syntax, dialect, ..Options::default() };
        let mut slowest = Duration::ZERO;
        for first in (0..inputs).step_by(PART as usize) {
            let part =
                format!("fuzz {name} seed {seed} inputs {first}..{}", (first + PART).min(inputs));
            let count = PART.min(inputs - first);
            if !ledger.has(&part) {
                let time = range(first, count, seed, &options, &corpus, &bar)?;
                slowest = slowest.max(time);
                ledger.note(&part, format!("no failure; slowest input {} µs", time.as_micros()))?;
            }
            bar.set_position(first + count);
        }
        bar.finish_and_clear();
    }
    // A run that only reads the ledger has measured nothing.
    if let Some(kib) = peak_memory()
        && !ledger.has("fuzz peak memory")
    {
        ensure!(kib < 1 << 20, "{kib} KiB are more than a gibibyte");
        ledger.note("fuzz peak memory", format!("{kib} KiB"))?;
    }
    Ok(())
}

/// Runs inputs on all cores; returns the longest time.
fn range(
    first: u64,
    count: u64,
    seed: u64,
    options: &Options,
    corpus: &[Vec<u8>],
    bar: &ProgressBar,
) -> Result<Duration> {
    let next = AtomicU64::new(first);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let failures: Vec<Result<Duration>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut slowest = Duration::ZERO;
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= first + count {
                            return Ok(slowest);
                        }
                        if number.is_multiple_of(1000) {
                            bar.set_position(number);
                        }
                        slowest = slowest.max(one(number, seed, options, corpus)?);
                    }
                })
            })
            .collect();
        workers.into_iter().map(|w| w.join().expect("workers catch panics")).collect()
    });
    let mut slowest = Duration::ZERO;
    for failure in failures {
        slowest = slowest.max(failure?);
    }
    Ok(slowest)
}

fn one(number: u64, seed: u64, options: &Options, corpus: &[Vec<u8>]) -> Result<Duration> {
    let bytes = mutate::input(seed, number, corpus);
    let text = String::from_utf8_lossy(&bytes);
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| exercise(&text, options)));
    let time = start.elapsed();
    match outcome {
        Ok(Ok(())) if time < HANG => Ok(time),
        Ok(Ok(())) => bail!("seed {seed} input {number} took {time:?}: {text:?}"),
        Ok(Err(why)) => bail!("seed {seed} input {number}: {why}: {text:?}"),
        Err(_) => bail!("seed {seed} input {number} panicked: {text:?}"),
    }
}

/// All operations on a text.
fn exercise(text: &str, options: &Options) -> Result<(), String> {
    let found = examine(text, options);
    let source = Source::new("fuzz", text);
    for diagnostic in found.diagnostics.as_slice().iter().take(2) {
        let _ = source.terminal(diagnostic, false);
        let _ = source.json(diagnostic);
    }
    let _ = translate(&found.rules, Dialect::Gdl);
    // A connective in place of a name has no equivalent in the other syntax; it is reported, which
    // is enough.
    let odd = [Code::ConnectiveAsName, Code::NotAnAtom, Code::Stray];
    if !found.complete || found.diagnostics.as_slice().iter().any(|d| odd.contains(&d.code)) {
        return Ok(());
    }
    for syntax in [Syntax::Kif, Syntax::Infix] {
        let Ok(printed) = print(&found.rules, text, syntax) else { continue };
        let dialect = Some(found.rules.dialect);
        let again = read(&printed, &Options { syntax: Some(syntax), dialect, ..*options });
        if again.diagnostics.has_errors() || !same_rules(&found.rules, &again.rules) {
            return Err(format!("prints differently in {syntax:?}: {printed:?}"));
        }
    }
    Ok(())
}

/// The peak memory of this process in KiB, if the system reports it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_run_finds_nothing() {
        let corpus = corpus::texts();
        for (name, syntax, dialect) in READERS {
            let options = Options { syntax, dialect, ..Options::default() };
            for number in 0..4_000 {
                if let Err(failure) = one(number, 7, &options, &corpus) {
                    panic!("{name}: {failure}");
                }
            }
        }
    }

    #[test]
    fn inputs_are_reproducible() {
        let corpus = corpus::texts();
        assert_eq!(mutate::input(3, 5, &corpus), mutate::input(3, 5, &corpus));
        assert_ne!(mutate::input(3, 5, &corpus), mutate::input(3, 6, &corpus));
    }
}
