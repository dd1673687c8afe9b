//! Measures reading and checking: the whole oracle in one call, and hostile files.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result};

use crate::ledger::Ledger;
use crate::{binary, corpus};

pub(crate) fn run(ledger: &mut Ledger) -> Result<()> {
    let magister = binary::magister()?;
    let check = |files: &[String]| -> Result<(f64, Option<i32>)> {
        let start = Instant::now();
        let status = Command::new(&magister)
            .args(["check", "--json"])
            .args(files)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .context("target/release/magister")?;
        Ok((start.elapsed().as_secs_f64(), status.code()))
    };
    let files: Vec<String> = corpus::files(&corpus::oracle().join("gdl/games"), ".kif")
        .iter()
        .map(|p| p.to_string_lossy().into_owned())
        .collect();
    if !files.is_empty() {
        let (seconds, code) = check(&files)?;
        let result = format!("{seconds:.3} s, exit code {code:?}");
        ledger.note(&format!("check of {} GDL rulesheets in one call", files.len()), result)?;
    }
    let hostile = binary::root().join("target/hostile.kif");
    for (what, content) in [
        ("50 MB of rules", "(role x)\n".repeat(50_000_000 / 9)),
        ("a million opening parentheses", "(".repeat(1_000_000)),
        ("a million opening parentheses, infix", "f(".repeat(1_000_000)),
        ("16 MB of facts", "(p a)\n".repeat((16 << 20) / 6)),
    ] {
        std::fs::write(&hostile, content)?;
        let (seconds, code) = check(&[hostile.to_string_lossy().into_owned()])?;
        ledger.note(&format!("check of {what}"), format!("{seconds:.3} s, exit code {code:?}"))?;
    }
    std::fs::remove_file(&hostile)?;
    Ok(())
}
