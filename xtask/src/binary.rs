//! The command `magister` as other people get it: a release build, run as a process of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

/// The project's folder.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Builds the command and gives its place.
pub(crate) fn magister() -> Result<PathBuf> {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "--quiet", "--package", "magister-cli"])
        .current_dir(root())
        .status()?;
    ensure!(built.success(), "the command does not build");
    Ok(target().join("release/magister"))
}

/// The folder of what is built.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
