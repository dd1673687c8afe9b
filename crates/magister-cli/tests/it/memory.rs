//! `solve --memory N` uses at most 1.1 N MiB, beyond what the program needs anyway.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The peak memory of a command in MiB: the largest resident set that the kernel reports.
fn peak(arguments: &[&str]) -> u64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_magister"))
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().expect("the program ends").is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        most = most.max(kilobytes.unwrap_or(0) / 1024);
        std::thread::sleep(Duration::from_millis(10));
    }
    most
}

/// One game for each method: positions, a puzzle, and the extensive form. The puzzle fits into
/// memory, the others do not.
#[test]
fn solve_keeps_its_memory_limit() {
    let base = peak(&["solve", "tictactoe"]);
    for game in ["connect-four", "eight-puzzle", "krieg-tictactoe"] {
        let used = peak(&["solve", game, "--memory", "256", "--seconds", "120"]);
        let allowed = 256 + 26 + base;
        println!("{game} --memory 256: peak {used} MiB, allowed {allowed} MiB");
        assert!(used <= allowed, "{game}: {used} MiB with --memory 256, base {base}");
    }
}
