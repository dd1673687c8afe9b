//! The signature of all evaluators, compared with the one in the repository.

use std::fs;

use anyhow::{Context as _, Result};
use clap::Args;
use magister::signature::{compare, sign, text, total};

use crate::binary;

/// What to do with the signature.
#[derive(Args)]
pub(crate) struct Options {
    /// Write it down as the right one
    #[arg(long)]
    update: bool,
}

#[expect(clippy::print_stdout, reason = "this is what the command is for")]
pub(crate) fn run(options: &Options) -> Result<()> {
    let found = sign()?;
    println!("signature {:016x}", total(&found));
    if options.update {
        let path = binary::root().join("crates/magister/signature.txt");
        fs::write(&path, text(&found))
            .with_context(|| format!("{} can not be written", path.display()))?;
        return Ok(());
    }
    compare(&found)?;
    println!("as recorded: {} games, all evaluators agree", found.len());
    Ok(())
}
