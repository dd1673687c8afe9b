//! `magister check`: what is wrong with rules, and where.

use std::io::Write;

use anyhow::{Result, bail};
use magister_gdl::{Code, Severity, Source, examine, nearest};

use super::{plural, tally};
use crate::args::Check;
use crate::{CLEAN, FOUND, TROUBLE, game};

pub(crate) fn run(args: &Check) -> Result<u8> {
    if args.codes {
        return list();
    }
    if let Some(code) = &args.explain {
        return explain(code);
    }
    let mut out = anstream::stdout().lock();
    let options = args.language.options();
    let (mut errors, mut warnings, mut unreadable) = (0, 0, 0);
    for file in &args.files {
        let input = match game::input(file) {
            Ok(input) => input,
            Err(error) => {
                anstream::eprintln!("magister: {error:#}");
                unreadable += 1;
                continue;
            }
        };
        let found = examine(&input.text, &options).diagnostics;
        let source = Source::new(&input.name, &input.text);
        for diagnostic in found.as_slice() {
            if args.json {
                writeln!(out, "{}", source.json(diagnostic))?;
            } else if args.short {
                writeln!(out, "{}", source.line(diagnostic))?;
            } else {
                writeln!(out, "{}\n", source.terminal(diagnostic, true))?;
            }
        }
        errors += found.count(Severity::Error);
        warnings += found.count(Severity::Warning);
    }
    if !args.json && unreadable < args.files.len() {
        let checked = plural(args.files.len() - unreadable, "rulesheet");
        let found = tally(&[(Severity::Error, errors), (Severity::Warning, warnings)]);
        let found = if found.is_empty() { "nothing wrong".to_owned() } else { found };
        writeln!(out, "{checked}: {found}")?;
    }
    out.flush()?;
    let wrong = errors > 0 || (args.strict && warnings > 0);
    Ok(match (unreadable > 0, wrong) {
        (true, _) => TROUBLE,
        (false, true) => FOUND,
        (false, false) => CLEAN,
    })
}

fn list() -> Result<u8> {
    let mut out = anstream::stdout().lock();
    for code in Code::ALL {
        writeln!(out, "{code}  {:8} {}", code.severity().name(), code.name())?;
    }
    Ok(CLEAN)
}

fn explain(wanted: &str) -> Result<u8> {
    let Some(code) = Code::find(wanted) else {
        let names = Code::ALL.iter().flat_map(|c| [c.id(), c.name()]);
        match nearest(wanted, names) {
            Some(near) => bail!("there is no code {wanted}; did you mean {near}?"),
            None => bail!("there is no code {wanted}; `magister check --codes` lists them"),
        }
    };
    let mut out = anstream::stdout().lock();
    writeln!(out, "{code} {} ({})\n", code.name(), code.severity().name())?;
    for line in wrapped(code.explanation(), 80) {
        writeln!(out, "{line}")?;
    }
    if let Some((bad, good)) = code.examples() {
        writeln!(out, "\nWrong:\n\n{}", indented(bad))?;
        writeln!(out, "\nRight:\n\n{}", indented(good))?;
    }
    Ok(CLEAN)
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|l| format!("    {l}")).collect();
    lines.join("\n")
}

/// A text broken into lines of at most `width` characters.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is always a line");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}
