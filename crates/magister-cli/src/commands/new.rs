//! `magister new`: a game to start from.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use crate::CLEAN;
use crate::args::{New, NewLanguage};

/// The skeletons: small complete games with comments.
pub(crate) fn skeleton(language: NewLanguage) -> (&'static str, &'static str) {
    match language {
        NewLanguage::Kif => ("kif", include_str!("new/skeleton.kif")),
        NewLanguage::Infix => ("hrf", include_str!("new/skeleton-infix.hrf")),
        NewLanguage::Operations => ("hrf", include_str!("new/skeleton-operations.hrf")),
        NewLanguage::Rust => ("rs", include_str!("new/skeleton.rs")),
    }
}

pub(crate) fn run(args: &New) -> Result<u8> {
    let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let fine = args.name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    if !fine || !args.name.chars().all(kebab) {
        let plain: String = args
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
            .collect();
        let plain = plain.trim_matches('-');
        let plain = if plain.is_empty() { "my-game" } else { plain };
        bail!("names of games are lower-case letters, digits and hyphens, such as {plain}");
    }
    let (ending, text) = skeleton(args.language);
    let name = if ending == "rs" { args.name.replace('-', "_") } else { args.name.clone() };
    let path = args.output.clone().unwrap_or_else(|| PathBuf::from(format!("{name}.{ending}")));
    let shown = path.display();
    let opened = OpenOptions::new().write(true).create_new(true).open(&path);
    let mut file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{shown} is there already and stays as it is; choose another NAME or --output")
        }
        Err(error) => return Err(error).with_context(|| format!("cannot write {shown}")),
    };
    file.write_all(text.replace("NAME", &args.name).as_bytes())
        .with_context(|| format!("cannot write {shown}"))?;
    let mut out = anstream::stdout().lock();
    if args.language == NewLanguage::Rust {
        writeln!(
            out,
            "{shown} is a small complete game. What next:\n  \
             put it into crates/magister-games/src/native/ and add a line to native::all\n  \
             cargo test -p magister-games      it passes the battery\n  \
             magister step rust:{}      play it\n\
             CONTRIBUTING.md tells more under \"Add a game in Rust\".",
            args.name
        )?;
    } else {
        writeln!(
            out,
            "{shown} is a small complete game. What next:\n  \
             magister step {shown}       play it by hand\n  \
             change the rules, and after every change\n  \
             magister check {shown}      what is wrong, and where\n  \
             magister playable {shown}   whether it plays as a game should\n  \
             magister fmt {shown}        lay it out\n\
             `magister show NAME --rules` prints the rules of a bundled game to learn from."
        )?;
    }
    Ok(CLEAN)
}
