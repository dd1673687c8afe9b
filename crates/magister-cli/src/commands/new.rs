//! `magister new`: a template for a new game.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use magister_gdl::{Options, Syntax, print, read};

use crate::CLEAN;
use crate::args::{New, NewLanguage, Template};
use crate::terminal::fitted;

/// A small complete game with comments: the extension of its file, and its text.
fn skeleton(language: NewLanguage, template: Template) -> Result<(&'static str, String)> {
    let kif = match template {
        Template::Turns => include_str!("new/skeleton.kif"),
        Template::Simultaneous => include_str!("new/simultaneous.kif"),
        Template::Hidden => include_str!("new/hidden.kif"),
    };
    let turns = template == Template::Turns;
    let (ending, text) = match language {
        NewLanguage::Kif => ("kif", kif),
        NewLanguage::Infix if turns => ("hrf", include_str!("new/skeleton-infix.hrf")),
        NewLanguage::Infix => return Ok(("hrf", infix(kif)?)),
        NewLanguage::Gamemaster if turns => ("hrf", include_str!("new/skeleton-gamemaster.hrf")),
        NewLanguage::Recycle if turns => ("rcy", include_str!("new/skeleton.rcy")),
        NewLanguage::Rust if turns => ("rs", include_str!("new/skeleton.rs")),
        NewLanguage::Gamemaster => {
            bail!("Gamemaster's language has one move per step; use --language kif or infix")
        }
        NewLanguage::Recycle => {
            bail!("the template in RECYCLE is `turns`; others are in kif and infix")
        }
        NewLanguage::Rust => bail!("the template in Rust is `turns`; others are in kif and infix"),
    };
    Ok((ending, text.to_owned()))
}

/// The same rules in infix form, with their comments.
fn infix(kif: &str) -> Result<String> {
    let read = read(kif, &Options::default());
    match print(&read.rules, kif, Syntax::Infix) {
        Ok(text) => Ok(text),
        Err(_) => bail!("the template has no infix form"),
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
        bail!(
            "a name consists of lower-case letters, digits and hyphens, such as {plain}; --output takes a path"
        );
    }
    let (ending, text) = skeleton(args.language, args.template)?;
    let name = if ending == "rs" { args.name.replace('-', "_") } else { args.name.clone() };
    let path = args.output.clone().unwrap_or_else(|| PathBuf::from(format!("{name}.{ending}")));
    let shown = path.display();
    let opened = OpenOptions::new().write(true).create_new(true).open(&path);
    let mut file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{shown} already exists; choose another NAME, or a path with --output")
        }
        Err(error) => return Err(error).with_context(|| format!("cannot write {shown}")),
    };
    file.write_all(text.replace("NAME", &args.name).as_bytes())
        .with_context(|| format!("cannot write {shown}"))?;
    let mut out = anstream::stdout().lock();
    if args.language == NewLanguage::Rust {
        writeln!(
            out,
            "{shown} is a small complete game. Next steps:\n  \
             put it into crates/magister-games/src/native/ and add a line to native::all\n  \
             cargo test -p magister-games      test it\n  \
             magister play rust:{}      play it\n\
             Read on in CONTRIBUTING.md under \"Add a game in Rust\".",
            args.name
        )?;
    } else {
        writeln!(
            out,
            "{shown} is a small complete game. Next steps:\n  \
             magister play {shown}       play it\n\
             Change the rules in an editor. After every change:\n  \
             magister check {shown}      find errors; --fix repairs simple ones\n  \
             magister playable {shown}   test it in random matches\n  \
             magister fmt {shown}        format it\n\
             `magister show NAME --rules` prints the rules of a bundled game to learn from."
        )?;
        if let Some(found) = magister::bundled(&args.name) {
            let text = format!(
                "Note: {} is also a name of the bundled game {}. To play your own game, write {shown}.",
                args.name, found.entry.card.title
            );
            write!(out, "{}", fitted(&text))?;
        }
    }
    Ok(CLEAN)
}
