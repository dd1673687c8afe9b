//! Real programs of other projects: the server and the players of ggp-base, if they are installed
//! beside the project.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The folder of ggp-base; `None` if it or Java is missing.
pub(crate) fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find_map(|place| {
        Some(place.join("../shared/peers/ggp-base")).filter(|place| place.is_dir())
    });
    let folder = std::env::var_os("MAGISTER_PEERS").map(PathBuf::from).or(beside)?;
    let java = Command::new("java").arg("-version").stderr(Stdio::null()).status();
    java.is_ok_and(|status| status.success()).then_some(folder)
}

/// A player of ggp-base, which is terminated when this value is dropped.
pub(crate) struct JavaPlayer {
    child: Child,
    /// Its port.
    pub(crate) port: u16,
}

impl JavaPlayer {
    /// Starts a player of a class.
    pub(crate) fn start(folder: &Path, class: &str) -> Option<Self> {
        let mut child = Command::new(folder.join("player"))
            .args(["0", class])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take()?).read_line(&mut line).ok()?;
        let port = line.split('\t').nth(1).and_then(|port| port.trim().parse().ok());
        if let Some(port) = port {
            Some(JavaPlayer { child, port })
        } else {
            let _ = child.kill();
            None
        }
    }
}

impl Drop for JavaPlayer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The result of a match that the server of ggp-base ran.
#[derive(Debug)]
pub(crate) struct Served {
    /// The exit code: 0 completed, 3 completed with errors.
    pub(crate) code: i32,
    /// Its output.
    #[allow(dead_code, reason = "not every test reads it")]
    pub(crate) lines: String,
    /// The record of the match.
    pub(crate) json: Option<String>,
}

/// Runs a match on the server of ggp-base.
pub(crate) fn serve(
    folder: &Path,
    options: &[&str],
    rules: &Path,
    clocks: (u32, u32),
    players: &[String],
) -> std::io::Result<Served> {
    let output = Command::new(folder.join("serve"))
        .args(options)
        .arg(rules)
        .args([clocks.0.to_string(), clocks.1.to_string()])
        .args(players)
        .output()?;
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let json = lines.lines().find_map(|line| line.strip_prefix("json\t")).map(str::to_owned);
    Ok(Served { code: output.status.code().unwrap_or(-1), lines, json })
}
