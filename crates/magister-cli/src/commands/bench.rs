//! `magister bench`: the speed of random play.

mod measure;
pub(crate) mod process;

use std::fmt::Write as _;
use std::io::Write;

use anyhow::{Context as _, Result, bail};
use magister::signature::{Hash, playouts};
use magister::{Playable, Source};
use magister_core::Stop;
use magister_engine::Evaluator;
use magister_engine::evaluator::Width;
use serde_json::json;

use crate::args::{Bench, EvaluatorArg};
use crate::terminal::fitted;
use crate::{CLEAN, FOUND, game};
use measure::{Measured, measure};

/// The number of playouts of a signature: 32 lanes of 8, so that a lane continues after its first
/// match.
const SIGNED: u32 = 256;
/// Signatures stay below this, so that every reader of JSON reads them exactly.
const BITS_53: u64 = (1 << 53) - 1;

pub(crate) fn run(args: &Bench) -> Result<u8> {
    if args.signature {
        return signature(args);
    }
    let mut out = anstream::stdout().lock();
    for name in &args.games {
        let source = game::find(name, &args.language.options())?;
        process::reset_peak();
        if !args.json {
            writeln!(out, "{}\n{COLUMNS}", source.name())?;
        }
        game::each(&source, Some(args.evaluator.unwrap_or(EvaluatorArg::All)), |playable| {
            let form = batch_form(playable);
            let measured = measure(playable, args)
                .with_context(|| format!("{name} by {}", playable.evaluator))?;
            if args.json {
                writeln!(out, "{}", as_json(playable, form, &measured, args.threads))?;
            } else {
                writeln!(out, "{}", as_text(playable, form, &measured, args.threads))?;
            }
            out.flush()?;
            process::reset_peak();
            Ok(())
        })?;
        if args.evaluator.is_none() {
            defaults(&source, args.json, &mut out)?;
        }
    }
    Ok(CLEAN)
}

/// Creates the tapes and the code of the batch evaluator, and returns the time in milliseconds.
fn batch_form(playable: &Playable) -> Option<f64> {
    let prepared = playable.prepared.as_ref()?;
    let network = prepared.network.as_ref().filter(|_| prepared.evaluator == Evaluator::Batch)?;
    Some(network.vectors().as_secs_f64() * 1e3)
}

/// The evaluators that play would use for single steps and for batches, if none is requested.
fn defaults(source: &Source, json: bool, out: &mut impl Write) -> Result<()> {
    let playable = source.prepare(None)?;
    let network = playable.prepared.as_ref().and_then(|prepared| prepared.network.as_ref());
    let batches = match network {
        Some(network) => network.choices(&Stop::never())?,
        None => vec![(1, None)],
    };
    let name = |width: &Option<Width>| match width {
        None => playable.evaluator.to_owned(),
        Some(width) => format!("batch of {width}"),
    };
    if json {
        let batches: Vec<_> = batches
            .iter()
            .map(|(lanes, playing)| json!({"from_lanes": lanes, "evaluator": name(playing)}))
            .collect();
        let default = json!({"steps": playable.evaluator, "batches": batches});
        writeln!(out, "{}", json!({"game": playable.name, "default": default}))?;
    } else {
        let batches: Vec<String> = batches
            .iter()
            .map(|(lanes, playing)| format!("{} from {lanes}", name(playing)))
            .collect();
        let text = format!(
            "default: {} for single steps; by the number of games played in parallel: {}",
            playable.evaluator,
            batches.join(", ")
        );
        write!(out, "{}", fitted(&text))?;
    }
    Ok(())
}

/// The columns of the text table.
const COLUMNS: &str =
    "evaluator         states/s    playouts/s   steps     gates  prepare ms  peak MiB";

/// A row of the table.
fn as_text(playable: &Playable, form: Option<f64>, measured: &Measured, threads: u16) -> String {
    let dash = || "-".to_owned();
    let gates = gates(playable).map_or_else(dash, |gates| gates.to_string());
    let peak = process::peak().map(|bytes| bytes as f64 / f64::from(1 << 20));
    let mut text = format!(
        "{:<11}{:>15.0}{:>14.0}{:>8.1}{gates:>10}{:>12.1}{:>10}",
        playable.evaluator,
        measured.states_per_s(),
        measured.playouts_per_s(),
        measured.mean_length(),
        millis(playable) + form.unwrap_or(0.0),
        peak.map_or_else(dash, |mib| format!("{mib:.1}")),
    );
    if threads > 1 {
        let _ = write!(text, "\n  {threads} threads, rates by wall-clock time");
        if let Some(each) = measured.cpu_ns() {
            let _ = write!(text, "; {each:.2} ns of processor time per state");
        }
    }
    text
}

fn as_json(
    playable: &Playable,
    form: Option<f64>,
    measured: &Measured,
    threads: u16,
) -> serde_json::Value {
    json!({
        "game": playable.name,
        "evaluator": playable.evaluator,
        "states_per_s": measured.states_per_s(),
        "playouts_per_s": measured.playouts_per_s(),
        "mean_length": measured.mean_length(),
        "prepare_ms": millis(playable) + form.unwrap_or(0.0),
        "batch_form_ms": form,
        "threads": threads,
        "cpu_ns_per_state": measured.cpu_ns(),
        "gates": gates(playable),
        "gates_by_section": sections(playable),
        "peak_bytes": process::peak(),
        "playouts": measured.playouts,
        "truncated": measured.truncated,
        "steps": measured.steps,
        "seconds": measured.seconds,
        "clock": if measured.cpu { "cpu" } else { "wall" },
    })
}

fn millis(playable: &Playable) -> f64 {
    playable.took.as_secs_f64() * 1e3
}

fn gates(playable: &Playable) -> Option<usize> {
    let gates = playable.prepared.as_ref()?.gates.as_ref()?;
    Some(gates.legal + gates.next + gates.goals + gates.percepts)
}

fn sections(playable: &Playable) -> Option<serde_json::Value> {
    let gates = playable.prepared.as_ref()?.gates.as_ref()?;
    Some(json!({
        "legal": gates.legal,
        "next": gates.next,
        "goals": gates.goals,
        "percepts": gates.percepts,
    }))
}

/// One number for all games; every evaluator must compute the same one.
fn signature(args: &Bench) -> Result<u8> {
    let mut total = Hash::new();
    let mut code = CLEAN;
    for name in &args.games {
        let source = game::find(name, &args.language.options())?;
        let mut first: Option<(u64, &'static str)> = None;
        game::each(&source, args.evaluator, |playable| {
            let this = playouts(&*playable.game, SIGNED, args.max_steps)
                .with_context(|| format!("{name} by {}", playable.evaluator))?;
            match first {
                None => first = Some((this, playable.evaluator)),
                Some((other, evaluator)) if other != this => {
                    anstream::eprintln!(
                        "magister: {name}: evaluators {evaluator} and {} play differently",
                        playable.evaluator
                    );
                    code = FOUND;
                }
                Some(_) => {}
            }
            Ok(())
        })?;
        let Some((this, _)) = first else { bail!("{name} has no evaluator") };
        total.word(this);
    }
    let number = total.value() & BITS_53;
    let mut out = anstream::stdout().lock();
    if args.json {
        writeln!(out, "{}", json!({"games": args.games, "signature": number}))?;
    } else {
        writeln!(out, "{number}")?;
    }
    Ok(code)
}
