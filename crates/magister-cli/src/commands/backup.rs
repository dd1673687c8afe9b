//! `magister backup`: a copy of a store.

use std::io::Write as _;

use anyhow::{Context as _, Result, bail};
use magister_store::SqlStore;

use crate::CLEAN;
use crate::args::Backup;

pub(crate) fn run(args: &Backup) -> Result<u8> {
    // Opening would create an empty store.
    let file = args.store.strip_prefix("sqlite:").map(|rest| rest.split('?').next());
    if let Some(Some(file)) = file
        && !std::path::Path::new(file).exists()
    {
        bail!("there is no store {file}; name the store of your site with --store");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let store = SqlStore::open(&args.store).await?;
        store.backup(&args.file).await?;
        store.close().await;
        anyhow::Ok(())
    })?;
    let size = std::fs::metadata(&args.file).context("the copy cannot be read")?.len();
    writeln!(anstream::stdout(), "{} has {size} bytes", args.file.display())?;
    Ok(CLEAN)
}
