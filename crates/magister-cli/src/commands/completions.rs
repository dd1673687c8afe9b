//! `magister completions`: for common shells.

use anyhow::Result;
use clap::CommandFactory as _;

use crate::CLEAN;
use crate::args::{Args, Completions};

pub(crate) fn run(args: &Completions) -> Result<u8> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "magister", &mut text);
    std::io::Write::write_all(&mut anstream::stdout().lock(), &text)?;
    Ok(CLEAN)
}
