//! `magister fmt`: the standard layout of rules.

use std::io::Write;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use magister::{FrontEnd, Input, Reading};
use magister_gdl::{Options, print, read, same_rules};

use super::complain;
use crate::args::Fmt;
use crate::{CLEAN, FAILED, FOUND, game};

pub(crate) fn run(args: &Fmt) -> Result<u8> {
    let options = args.language.options();
    let mut code = CLEAN;
    for file in &args.files {
        let done = if file != "-" && !Path::new(file).exists() {
            Err(anyhow::anyhow!("there is no file {file}"))
        } else {
            one(file, &options, args.check)
        };
        match done {
            Ok(this) => code = code.max(this),
            Err(error) if crate::is_broken_pipe(&error) => return Err(error),
            Err(error) => {
                anstream::eprintln!("magister: {error:#}");
                code = FAILED;
            }
        }
    }
    Ok(code)
}

fn one(file: &str, options: &Reading, check: bool) -> Result<u8> {
    let input = game::input(file)?;
    if !input.exact {
        bail!("{file} is not UTF-8, and formatting would change its bytes; convert it first");
    }
    let Some(text) = formatted(&input, options)? else { return Ok(FOUND) };
    let mut out = anstream::stdout().lock();
    let same = text == input.text;
    if check {
        if !same {
            writeln!(out, "{file} would change")?;
        }
        return Ok(if same { CLEAN } else { FOUND });
    }
    if file == "-" {
        out.write_all(text.as_bytes())?;
    } else if !same {
        replace(Path::new(file), &text)?;
    }
    Ok(CLEAN)
}

/// The formatted text; `None` if the text has syntax errors, which are printed.
fn formatted(input: &Input, reading: &Reading) -> Result<Option<String>> {
    if magister::recognise(input) == FrontEnd::Recycle {
        return cards(input, reading);
    }
    let options = &reading.gdl;
    let sheet = read(&input.text, options);
    if sheet.diagnostics.has_errors() {
        complain(&input.name, &input.text, &sheet.diagnostics)?;
        anstream::eprintln!("magister: {} was not changed", input.name);
        return Ok(None);
    }
    let text = match print(&sheet.rules, &input.text, sheet.rules.syntax) {
        Ok(text) => text,
        Err(problems) => {
            complain(&input.name, &input.text, &problems)?;
            return Ok(None);
        }
    };
    // A file is overwritten only if the printed rules are read as the same rules.
    let options = Options { syntax: Some(sheet.rules.syntax), ..*options };
    let again = read(&text, &options);
    let kept = again.rules.comments.len() == sheet.rules.comments.len();
    if !kept || !same_rules(&sheet.rules, &again.rules) {
        bail!("formatting would change the meaning of {}; please report this", input.name);
    }
    Ok(Some(text))
}

/// A formatted card game.
fn cards(input: &Input, reading: &Reading) -> Result<Option<String>> {
    let limits = &reading.recycle.limits;
    let Some(text) = magister_recycle::format(&input.text, limits) else {
        let mut err = anstream::stderr().lock();
        for finding in magister::check(input, reading).terminal() {
            writeln!(err, "{finding}\n")?;
        }
        writeln!(err, "magister: {} was not changed", input.name)?;
        return Ok(None);
    };
    if !magister_recycle::same_text(&input.text, &text, limits) {
        bail!("formatting would change the meaning of {}; please report this", input.name);
    }
    Ok(Some(text))
}

/// Writes a temporary file and renames it, so that a crash never leaves an incomplete file.
fn replace(path: &Path, text: &str) -> Result<()> {
    let context = || format!("cannot write {}", path.display());
    let target = path.canonicalize().with_context(context)?;
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = target.with_file_name(name);
    std::fs::write(&beside, text).with_context(context)?;
    let moved = std::fs::metadata(&target)
        .and_then(|old| std::fs::set_permissions(&beside, old.permissions()))
        .and_then(|()| std::fs::rename(&beside, &target));
    if moved.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    moved.with_context(context)
}
