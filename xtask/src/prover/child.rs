//! A process that is watched: its answer, its memory, and its end if it takes too long.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

/// How often the process is looked at.
const TICK: Duration = Duration::from_millis(10);

pub(super) enum Ended {
    /// What it wrote.
    Well(String),
    /// The last line of what it complained.
    Badly(String),
    /// It was ended because its time was over.
    Late,
}

/// Runs a command, for so long at most; also the most memory it was seen with, in bytes.
pub(super) fn run(
    command: &Path,
    arguments: &[String],
    time: Duration,
) -> Result<(Ended, Option<u64>)> {
    let mut child = Command::new(command)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| command.display().to_string())?;
    let (out, complaints) = (listen(child.stdout.take()), listen(child.stderr.take()));
    let end = Instant::now() + time;
    let mut peak = None;
    let status = loop {
        // The system keeps the peak itself, so that no tick is missed; but only of the living.
        peak = memory(&child).or(peak);
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() > end {
            child.kill()?;
            child.wait()?;
            return Ok((Ended::Late, peak));
        }
        thread::sleep(TICK);
    };
    let (out, complaints) = (out.join().unwrap_or_default(), complaints.join().unwrap_or_default());
    let ended = if status.success() {
        Ended::Well(out)
    } else {
        let last = complaints.lines().last().map_or_else(|| status.to_string(), str::to_owned);
        Ended::Badly(last)
    };
    Ok((ended, peak))
}

/// Reads to the end beside everything else, so that no pipe is ever full.
fn listen(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is all there is to tell.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// The most memory of a process so far; only Linux tells.
fn memory(child: &Child) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
