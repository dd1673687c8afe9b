//! The signature of all evaluators, compared with the one in the repository.

use std::fs;

use anyhow::{Context as _, Result};
use clap::Args;
use magister::signature::{compare, sign, text, total};

use crate::binary;

/// The settings.
#[derive(Args)]
pub(crate) struct Options {
    /// Record the signature
    #[arg(long)]
    update: bool,
}

#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
pub(crate) fn run(options: &Options) -> Result<()> {
    let found = sign()?;
    println!("signature {:016x}", total(&found));
    if options.update {
        let path = binary::root().join("crates/magister/signature.txt");
        fs::write(&path, text(&found))
            .with_context(|| format!("{} cannot be written", path.display()))?;
        return Ok(());
    }
    compare(&found)?;
    println!("as recorded: {} games, all evaluators agree", found.len());
    Ok(())
}
