//! `magister games --check`: whether the facts of the catalogue are true.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::Result;
use magister_core::Stop;
use magister_games::catalogue::{self, Entry};
use magister_games::proof::{Effort, Proof, prove};

use crate::commands::plural;
use crate::{CLEAN, FOUND};

/// Checks the games of these names, or all games.
pub(super) fn run(names: &[String]) -> Result<u8> {
    let mut games: Vec<&'static Entry> = Vec::new();
    for name in names {
        match catalogue::find(name) {
            Some(entry) => games.push(entry),
            None => return Err(magister::unknown(name).into()),
        }
    }
    let effort = if names.is_empty() {
        games = catalogue::all().iter().collect();
        Effort::usual()
    } else {
        Effort::thorough()
    };
    let start = Instant::now();
    let proofs = prove_all(&games, &effort);
    let mut out = anstream::stdout().lock();
    let mut wrong = 0;
    let mut left_out = 0;
    for (entry, proof) in games.iter().zip(&proofs) {
        wrong += usize::from(!proof.findings.is_empty());
        left_out += proof.skipped.len();
        if !names.is_empty() {
            let verdict = if proof.findings.is_empty() { "all tests passed" } else { "failed" };
            writeln!(out, "{}: {verdict}, {:.1} s", entry.name, proof.took.as_secs_f64())?;
            for skipped in &proof.skipped {
                writeln!(out, "  skipped: {skipped}")?;
            }
        }
        for finding in &proof.findings {
            writeln!(out, "  {finding}")?;
        }
    }
    let time = start.elapsed().as_secs_f64();
    let verdict =
        if wrong == 0 { "all tests passed".to_owned() } else { format!("{wrong} failed") };
    writeln!(out, "{} checked in {time:.0} s: {verdict}", plural(games.len(), "game"))?;
    if names.is_empty() && left_out > 0 {
        writeln!(
            out,
            "{} skipped for lack of time or memory; `magister games --check NAME` allows more",
            plural(left_out, "test")
        )?;
    }
    Ok(if wrong == 0 { CLEAN } else { FOUND })
}

/// Tests games on all cores; the results are in order.
fn prove_all(games: &[&'static Entry], effort: &Effort) -> Vec<Proof> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<Proof>>> = Mutex::new(vec![None; games.len()]);
    let finished = AtomicUsize::new(0);
    let shows = std::io::stderr().is_terminal();
    let cores = thread::available_parallelism().map_or(1, usize::from).min(games.len());
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(&entry) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let proof = prove(entry, effort, &Stop::never());
                    let count = finished.fetch_add(1, Ordering::Relaxed) + 1;
                    if shows {
                        let mut err = std::io::stderr().lock();
                        let _ = write!(err, "\r\x1b[K{count} of {}: {}", games.len(), entry.name);
                        let _ = err.flush();
                    }
                    let place = games.iter().position(|other| other.name == entry.name);
                    let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    if let Some(place) = place {
                        done[place] = Some(proof);
                    }
                }
            });
        }
    });
    if shows {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
    let done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.into_iter().map(Option::unwrap_or_default).collect()
}
