//! A supervised process: its output, its memory, and its end if it takes too long.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

/// How often the process is polled.
const TICK: Duration = Duration::from_millis(10);

pub(crate) enum Ended {
    /// Its output.
    Well(String),
    /// The last line of its error output.
    Badly(String),
    /// It was ended because its time was up.
    Late,
}

/// The system's data about the process at the last poll. Only Linux provides it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Seen {
    /// The peak memory so far, in bytes.
    pub(crate) peak: Option<u64>,
    /// The processor time of its main thread, in seconds.
    pub(crate) cpu: Option<f64>,
}

/// Runs a command with a time limit.
pub(crate) fn run(command: &Path, arguments: &[String], time: Duration) -> Result<(Ended, Seen)> {
    let mut child = Command::new(command)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| command.display().to_string())?;
    let (out, complaints) = (listen(child.stdout.take()), listen(child.stderr.take()));
    let end = Instant::now() + time;
    let mut seen = Seen::default();
    let status = loop {
        // The system accumulates these itself, so no tick is missed; but only for a running
        // process.
        seen = Seen { peak: peak(&child).or(seen.peak), cpu: cpu(&child).or(seen.cpu) };
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() > end {
            child.kill()?;
            child.wait()?;
            return Ok((Ended::Late, seen));
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
    Ok((ended, seen))
}

/// Reads to the end on another thread, so that no pipe fills up.
fn listen(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // Data that was read before an error is kept.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn peak(child: &Child) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

fn cpu(child: &Child) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{}/schedstat", child.id())).ok()?;
    let nanos: u64 = text.split_whitespace().next()?.parse().ok()?;
    (nanos > 0).then_some(nanos as f64 / 1e9)
}
