//! Measurements in separate processes: ourselves with fewer instructions, which are chosen once per
//! process, and OpenSpiel.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use magister_benches::games::Game;
use serde::Deserialize;

use super::{Options, Rate};
use crate::binary;

/// The output of `tools/openspiel.py` for a game.
#[derive(Clone, Deserialize)]
pub(super) struct OpenSpiel {
    #[serde(rename = "open_spiel")]
    pub(super) version: String,
    pub(super) states_per_s: f64,
    mean_length: f64,
    /// The number of playouts whose length was counted.
    counted: u64,
}

/// Batches without machine code, with at most AVX2.
pub(super) fn interpreted(name: &str, seconds: f64) -> Result<Rate> {
    let output = Command::new(std::env::current_exe()?)
        .args(["yardsticks", "--batch-of", name, "--seconds", &seconds.to_string()])
        .env("MAGISTER_VECTORS", "avx2")
        .env("MAGISTER_CODE", "off")
        .output()?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name}, batch, interpreted: {complaint}");
    serde_json::from_slice(&output.stdout).context("the result of an interpreted batch")
}

/// OpenSpiel's speed, if this Python has it.
#[expect(clippy::print_stderr, reason = "that a column stays empty has a reason")]
pub(super) fn open_spiel(game: &Game, options: &Options) -> Result<Option<OpenSpiel>> {
    let output = Command::new(&options.python)
        .arg(binary::root().join("tools/openspiel.py"))
        .args(["--seconds", &options.seconds.to_string()])
        .args(["--rounds", &options.rounds.to_string(), game.open_spiel])
        .output();
    let output = match output {
        Ok(output) if output.status.success() => output,
        Ok(output) => {
            eprintln!("without OpenSpiel: {}", String::from_utf8_lossy(&output.stderr).trim_end());
            return Ok(None);
        }
        Err(error) => {
            eprintln!("without OpenSpiel: {}: {error}", options.python);
            return Ok(None);
        }
    };
    let found: OpenSpiel =
        serde_json::from_slice(&output.stdout).context("the output of tools/openspiel.py")?;
    ensure!(
        game.plausible(found.mean_length, found.counted),
        "{}: OpenSpiel plays {} moves per playout instead of {}",
        game.title,
        found.mean_length,
        game.length.0
    );
    Ok(Some(found))
}
