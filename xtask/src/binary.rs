//! The command `magister` as users get it: a release build, run as a separate process.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

/// The project's folder.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Builds the command and returns its path.
pub(crate) fn magister() -> Result<PathBuf> {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "--quiet", "--package", "magister-cli"])
        .current_dir(root())
        .status()?;
    ensure!(built.success(), "the command does not build");
    Ok(target().join("release/magister"))
}

/// The build folder.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
