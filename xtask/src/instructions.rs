//! Counts the instructions of the hot paths with valgrind. Unlike times, the counts are exact even
//! on a busy machine.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;

use crate::binary;

/// The paths to count.
#[derive(Args)]
pub(crate) struct Options {
    /// Only these paths
    paths: Vec<String>,
    /// Record the counts
    #[arg(long, conflicts_with = "paths")]
    update: bool,
    /// The tolerated increase over the recorded counts, as a share
    #[arg(long, default_value_t = 0.03)]
    tolerance: f64,
}

/// The file of the recorded counts and answers.
const RECORD: &str = "benches/instructions.txt";
/// Paths that do the same work on different evaluators, so that their answers must agree.
const WALKS: [&str; 4] = ["incremental", "sweep", "code", "datalog"];

#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
pub(crate) fn run(options: &Options) -> Result<()> {
    let valgrind = Command::new("valgrind").arg("--version").output();
    if !valgrind.is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: there is no valgrind to count with (apt-get install valgrind)");
        return Ok(());
    }
    let program = build()?;
    let listed = Command::new(&program).output()?;
    let listed = String::from_utf8(listed.stdout)?;
    let known: Vec<&str> = listed.lines().collect();
    if let Some(path) = options.paths.iter().find(|path| !known.contains(&path.as_str())) {
        bail!("there is no path {path}; there are {}", known.join(", "));
    }
    let wanted = |path: &&str| options.paths.is_empty() || options.paths.iter().any(|p| p == path);

    let file = binary::root().join(RECORD);
    let recorded = fs::read_to_string(&file).unwrap_or_default();
    let compiler = compiler()?;
    // Another compiler generates other code, so its counts are only shown.
    let same = recorded.lines().next() == Some(&compiler);
    let recorded = read(&recorded);
    let (mut text, mut slower) = (format!("{compiler}\n"), Vec::new());
    let (mut walks, mut wrong): (Vec<u64>, Vec<String>) = (Vec::new(), Vec::new());
    for path in known.into_iter().filter(wanted) {
        let Count { instructions: counted, answer } = count(&program, path)?;
        let _ = writeln!(text, "{path} {counted} {answer}");
        if WALKS.contains(&path) {
            walks.push(answer);
        }
        match recorded.get(path) {
            Some(&Count { instructions: before, answer: right }) => {
                if answer != right {
                    wrong.push(format!("the answer of {path} is {answer}, not {right}"));
                }
                let ratio = counted as f64 / before as f64;
                println!("{path:12} {counted:>13}  recorded {before:>13}  {ratio:.4}");
                if same && ratio > 1.0 + options.tolerance {
                    slower.push(path.to_owned());
                }
            }
            None => println!("{path:12} {counted:>13}  not recorded"),
        }
    }
    ensure!(walks.windows(2).all(|pair| pair[0] == pair[1]), "evaluators disagree: {walks:?}");
    if options.update {
        fs::write(&file, text).with_context(|| format!("{} cannot be written", file.display()))?;
        return Ok(());
    }
    ensure!(
        wrong.is_empty(),
        "{}. A fast wrong answer is a failure; if games or players were intended to change, record it with \
         `cargo xtask instructions --update`",
        wrong.join("; ")
    );
    if !same {
        println!("the counts are of another compiler; `--update` records those of {compiler}");
    }
    ensure!(
        slower.is_empty(),
        "more instructions than recorded: {}. If that is intended, record it with `cargo xtask \
         instructions --update` and say why in the commit",
        slower.join(", ")
    );
    Ok(())
}

/// Builds the release version of the program with the paths.
fn build() -> Result<std::path::PathBuf> {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "--quiet", "--package", "magister-benches"])
        .args(["--bin", "instructions"])
        .current_dir(binary::root())
        .status()?;
    ensure!(built.success(), "the program with the hot paths does not build");
    Ok(binary::target().join("release/instructions"))
}

/// The compiler, as one line.
fn compiler() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output().context("rustc")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The count and the answer of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Count {
    instructions: u64,
    answer: u64,
}

fn read(text: &str) -> BTreeMap<&str, Count> {
    let line = |line| -> Option<(&str, Count)> {
        let words: Vec<&str> = str::split(line, ' ').collect();
        let &[path, instructions, answer] = &words[..] else { return None };
        let count =
            Count { instructions: instructions.parse().ok()?, answer: answer.parse().ok()? };
        Some((path, count))
    };
    text.lines().skip(1).filter_map(line).collect()
}

/// The instructions of one path, without its preparation, and its answer.
fn count(program: &Path, path: &str) -> Result<Count> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg("--toggle-collect=instructions::measured")
        .arg(program)
        .arg(path)
        // Valgrind does not support AVX-512.
        .env("MAGISTER_VECTORS", "avx2")
        .output()?;
    let report = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("{path}: {}{report}", String::from_utf8_lossy(&output.stdout));
    }
    let collected = report.lines().find_map(|line| line.split("Collected :").nth(1));
    let instructions = collected
        .and_then(|count| count.trim().parse().ok())
        .filter(|&count| count > 0)
        .with_context(|| format!("{path}: valgrind counted nothing: {report}"))?;
    let answer = String::from_utf8_lossy(&output.stdout).trim().parse();
    Ok(Count { instructions, answer: answer.with_context(|| format!("{path} has no answer"))? })
}

#[cfg(test)]
mod tests {
    #[test]
    fn records_are_lines() {
        let found = super::read("rustc 1.95.0\nsweep 12 3\nbatch x 3\nuct 5\ncode 7 3\n");
        let count = |instructions| super::Count { instructions, answer: 3 };
        let found: Vec<_> = found.into_iter().collect();
        assert_eq!(found, [("code", count(7)), ("sweep", count(12))]);
    }
}
