//! Builds the web client, if Node is installed, and puts it where the crate embeds it.
//!
//! Nothing here fails the build: without the client the site has plain pages.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;
use std::{env, fs, io};

fn main() {
    println!("cargo:rerun-if-env-changed=MAGISTER_NO_CLIENT");
    println!("cargo:rerun-if-changed=build.rs");
    let web = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("web");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("client");
    // The folder `dist` is not listed: this script writes it, so the next build would run the script
    // and compile the crate again, and where there is no Node every build would.
    for part in [
        "src",
        "public",
        "index.html",
        "package.json",
        "package-lock.json",
        "vite.config.ts",
        "svelte.config.js",
        "tsconfig.json",
    ] {
        println!("cargo:rerun-if-changed={}", web.join(part).display());
    }
    let wanted = env::var_os("MAGISTER_NO_CLIENT").is_none_or(|value| value.is_empty());
    if wanted && let Err(what) = build(&web) {
        println!(
            "cargo:warning=the site gets plain pages without the client: {what}. Then run `cargo \
             clean -p magister-server` and build again"
        );
    }
    let dist = web.join("dist");
    let copied = replace(&out, wanted.then_some(dist.as_path()));
    if let Err(error) = copied {
        println!("cargo:warning=the client could not be embedded: {error}");
        let _ = fs::create_dir_all(&out);
    }
}

/// Runs npm if the sources are newer than the last build.
fn build(web: &Path) -> Result<(), String> {
    if !web.join("package.json").is_file() {
        return Err("this source tree does not contain it; get a complete one".to_owned());
    }
    let built = newest(&web.join("dist"));
    let sources = ["src", "public", "index.html", "package.json", "vite.config.ts"];
    let changed = sources.iter().filter_map(|part| newest(&web.join(part))).max();
    if built.is_some() && built >= changed {
        return Ok(());
    }
    if Command::new("node").arg("--version").output().is_err() {
        return Err("Node cannot be run; install Node 20 or later".to_owned());
    }
    let lock = newest(&web.join("package-lock.json"));
    let installed = newest(&web.join("node_modules/.package-lock.json"));
    if installed.is_none() || installed < lock {
        npm(web, &["ci", "--no-audit", "--no-fund"])?;
    }
    npm(web, &["run", "build"])
}

fn npm(web: &Path, arguments: &[&str]) -> Result<(), String> {
    let run = Command::new("npm")
        .args(arguments)
        .current_dir(web)
        // A machine without a network must not wait for minutes.
        .env("npm_config_fetch_retries", "1")
        .env("npm_config_fetch_timeout", "30000")
        .output();
    let command = arguments.join(" ");
    match run {
        Err(error) => Err(format!("npm cannot be run ({error}); install Node 20 or later")),
        Ok(done) if done.status.success() => Ok(()),
        Ok(done) => {
            let text = String::from_utf8_lossy(&done.stderr).into_owned();
            let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            Err(format!("`npm {command}` failed in the folder `web` ({line}); mend that"))
        }
    }
}

/// The modification time of a file, or of the newest file in a folder.
fn newest(path: &Path) -> Option<SystemTime> {
    let about = fs::metadata(path).ok()?;
    if !about.is_dir() {
        return about.modified().ok();
    }
    let entries = fs::read_dir(path).ok()?;
    entries.filter_map(|entry| newest(&entry.ok()?.path())).max()
}

/// Replaces a folder by a copy of another, or by an empty one.
fn replace(out: &Path, from: Option<&Path>) -> io::Result<()> {
    if out.exists() {
        fs::remove_dir_all(out)?;
    }
    fs::create_dir_all(out)?;
    match from.filter(|from| from.join("index.html").is_file()) {
        Some(from) => copy(from, out),
        None => Ok(()),
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir_all(&target)?;
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
