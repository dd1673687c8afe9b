//! Random and mutated inputs for every reader and the steps after it.
//!
//! Each input must be examined without a panic; its statements must be printed, translated and
//! shown; and rules without an error must survive printing and reading, in both syntaxes. Inputs
//! are numbered, so that a failure can be reproduced.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use magister_gdl::{
    Code, Dialect, Options, Source, Syntax, examine, print, read, same_rules, translate,
};

use magister_recycle::CardLimits;

use crate::corpus;
use crate::ledger::Ledger;
use crate::mutate;

/// The readers by their names on the command line.
const READERS: [(&str, Option<Syntax>, Option<Dialect>); 3] = [
    ("kif", Some(Syntax::Kif), None),
    ("infix", Some(Syntax::Infix), None),
    ("gamemaster", Some(Syntax::Infix), Some(Dialect::Operations)),
];

/// The reader of card games.
const CARDS: &str = "recycle";

/// The maximum time per input.
const HANG: Duration = Duration::from_secs(5);

/// The number of inputs between two entries in the ledger.
const PART: u64 = 1_000_000;

pub(crate) fn run(inputs: u64, seed: u64, reader: Option<&str>, ledger: &mut Ledger) -> Result<()> {
    let corpus = corpus::texts();
    for (name, syntax, dialect) in READERS {
        if reader.is_some_and(|wanted| wanted != name) {
            continue;
        }
        let options = Options { syntax, dialect, ..Options::default() };
        let work = |text: &str| exercise(text, &options);
        parts(name, inputs, seed, &work, &corpus, ledger)?;
    }
    if reader.is_none_or(|wanted| wanted == CARDS) {
        parts(CARDS, inputs, seed, &cards, &corpus::cards(), ledger)?;
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

/// The work on a text.
type Work<'a> = dyn Fn(&str) -> Result<(), String> + Sync + 'a;

/// Runs all inputs of a reader, in parts that the ledger remembers.
fn parts(
    name: &str,
    inputs: u64,
    seed: u64,
    work: &Work<'_>,
    corpus: &[Vec<u8>],
    ledger: &mut Ledger,
) -> Result<()> {
    let bar = ProgressBar::new(inputs).with_style(ProgressStyle::with_template(
        "{msg:12} {wide_bar} {human_pos}/{human_len} {eta}",
    )?);
    bar.set_message(name.to_owned());
    for first in (0..inputs).step_by(PART as usize) {
        let part =
            format!("fuzz {name} seed {seed} inputs {first}..{}", (first + PART).min(inputs));
        let count = PART.min(inputs - first);
        if !ledger.has(&part) {
            let time = range(first, count, seed, work, corpus, &bar)?;
            ledger.note(&part, format!("no failure; slowest input {} µs", time.as_micros()))?;
        }
        bar.set_position(first + count);
    }
    bar.finish_and_clear();
    Ok(())
}

/// Runs inputs on all cores; returns the longest time.
fn range(
    first: u64,
    count: u64,
    seed: u64,
    work: &Work<'_>,
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
                        slowest = slowest.max(one(number, seed, work, corpus)?);
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

fn one(number: u64, seed: u64, work: &Work<'_>, corpus: &[Vec<u8>]) -> Result<Duration> {
    let bytes = mutate::input(seed, number, corpus);
    let text = String::from_utf8_lossy(&bytes);
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| work(&text)));
    let mut time = start.elapsed();
    // On a busy machine the thread may have waited, so a slow input is measured again in processor
    // time.
    if time >= HANG && matches!(outcome, Ok(Ok(()))) {
        let before = processor_time();
        let _ = work(&text);
        time = before.zip(processor_time()).map_or(time, |(from, to)| to.saturating_sub(from));
    }
    match outcome {
        Ok(Ok(())) if time < HANG => Ok(time),
        Ok(Ok(())) => bail!("seed {seed} input {number} took {time:?}: {text:?}"),
        Ok(Err(why)) => bail!("seed {seed} input {number}: {why}: {text:?}"),
        Err(_) => bail!("seed {seed} input {number} panicked: {text:?}"),
    }
}

/// The processor time of this thread, if the system reports it.
pub(crate) fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

/// All operations on a text that may be a card game in RECYCLE.
fn cards(text: &str) -> Result<(), String> {
    let limits = CardLimits { steps: 2_000, options: 200, words: 20_000, ..CardLimits::DEFAULT };
    for compat in [false, true] {
        let options = magister_recycle::Options { compat, limits };
        let found = magister_recycle::examine("fuzz", text, &options);
        let source = Source::new("fuzz", text);
        for diagnostic in found.diagnostics.as_slice().iter().take(2) {
            let _ = source.terminal(diagnostic, false);
            let _ = source.json(diagnostic);
        }
        if let Some(game) = found.game {
            game.sample(1, magister_core::Seed::from(1), 4, |_| {});
        }
    }
    if let Some(formatted) = magister_recycle::format(text, &limits)
        && !magister_recycle::same_text(text, &formatted, &limits)
    {
        return Err("the formatted text is another one".to_owned());
    }
    Ok(())
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
    // A connective in the place of a name has no equivalent in the other syntax; it is reported,
    // which suffices.
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
            let work = |text: &str| exercise(text, &options);
            for number in 0..4_000 {
                if let Err(failure) = one(number, 7, &work, &corpus) {
                    panic!("{name}: {failure}");
                }
            }
        }
        let corpus = corpus::cards();
        for number in 0..4_000 {
            if let Err(failure) = one(number, 7, &cards, &corpus) {
                panic!("{CARDS}: {failure}");
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
