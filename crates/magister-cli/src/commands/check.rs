//! `magister check`: the defects of rules, with their positions.

use std::io::Write;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use magister::{Change, FrontEnd, Input};
use magister_gdl::{Severity, nearest};

use super::{plural, tally};
use crate::args::Check;
use crate::terminal::{fitted, hanging, prose, wrap};
use crate::{CLEAN, FAILED, FOUND, game};

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
    let mut explained = None;
    for file in &args.files {
        let input = match game::input(file) {
            Ok(input) => input,
            Err(error) => {
                anstream::eprintln!("magister: {error:#}");
                unreadable += 1;
                continue;
            }
        };
        let input = if args.fix { fixed(&mut out, file, input, &options)? } else { input };
        let found = magister::check(&input, &options);
        let (lines, end, most) = match (args.json, args.short) {
            (true, _) => (found.json(), "", usize::MAX),
            (_, true) => (found.lines(), "", usize::MAX),
            _ if args.all => (found.terminal(), "\n", usize::MAX),
            _ if is_foreign(&input, &options) => (found.terminal(), "\n", 1),
            _ => (found.terminal(), "\n", MOST),
        };
        let all = lines.len();
        let counted = found.count(Severity::Error) + found.count(Severity::Warning);
        let more = all.max(counted).saturating_sub(most);
        if most == 1 && more > 0 {
            let name = &input.name;
            let text = if input.text.contains('\0') {
                format!("{name} is not text.")
            } else {
                format!("{name} is probably not a rulesheet: it declares no role.")
            };
            writeln!(out, "{}", fitted(&text))?;
        }
        for line in lines.into_iter().take(most) {
            writeln!(out, "{line}{end}")?;
        }
        if more > 0 {
            let what = format!("{more} more errors and warnings");
            // The list for a text with very many errors does not contain all of them.
            let shows = if all < counted { format!("the first {all}") } else { "all".to_owned() };
            writeln!(out, "{}: {what}; --all shows {shows}\n", input.name)?;
        }
        explained = explained.or_else(|| code_of(&found.first_error()?));
        errors += found.count(Severity::Error);
        warnings += found.count(Severity::Warning);
    }
    if !args.json && unreadable < args.files.len() {
        let checked = plural(args.files.len() - unreadable, "rulesheet");
        let found = tally(&[(Severity::Error, errors), (Severity::Warning, warnings)]);
        let found = if found.is_empty() { "no errors or warnings".to_owned() } else { found };
        writeln!(out, "{checked}: {found}")?;
        if let Some(code) = explained.filter(|_| !args.short) {
            writeln!(out, "`magister check --explain {code}` explains the first code.")?;
        }
        if let (0, 0, [file]) = (errors, warnings, &args.files[..])
            && Path::new(file).is_file()
        {
            writeln!(out, "`magister playable {file}` tests the rules in random matches.")?;
        }
    }
    out.flush()?;
    let wrong = errors > 0 || (args.strict && warnings > 0);
    Ok(match (unreadable > 0, wrong) {
        (true, _) => FAILED,
        (false, true) => FOUND,
        (false, false) => CLEAN,
    })
}

/// The code in the line of an error, `G201` in `error[G201]: ...`.
fn code_of(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("error[")?;
    Some(rest.split_once(']')?.0.to_owned())
}

/// The maximum number of diagnostics of a file that are shown; the first errors often cause the
/// later ones.
const MOST: usize = 20;

/// Whether a text is something other than rules: it declares no role in any of the languages.
fn is_foreign(input: &Input, reading: &magister::Reading) -> bool {
    reading.front_end_of(input) == FrontEnd::Gdl
        && !input.text.match_indices("role").any(|(at, _)| {
            let before = input.text[..at].chars().next_back();
            let after = input.text[at + "role".len()..].chars().next();
            matches!((before, after), (Some('('), Some(c)) if c.is_whitespace())
                || matches!((before, after), (None, Some('(')))
                || matches!((before, after), (Some(c), Some('(')) if c.is_whitespace())
        })
}

/// Repairs a file and lists the changes. Other input is returned unchanged.
fn fixed(
    out: &mut impl Write,
    file: &str,
    input: Input,
    reading: &magister::Reading,
) -> Result<Input> {
    let shown = &input.name;
    if !Path::new(file).is_file() {
        writeln!(out, "{shown}: --fix repairs files only")?;
        return Ok(input);
    }
    let Some(repair) = magister::repair(shown, &input.text, reading) else {
        let found = magister::check(&input, reading);
        let defects = found.has_errors() || found.count(Severity::Warning) > 0;
        let why = if defects { "no repair was found" } else { "--fix found nothing to repair" };
        writeln!(out, "{shown} was not changed: {why}")?;
        return Ok(input);
    };
    std::fs::write(file, &repair.text).with_context(|| format!("cannot write {file}"))?;
    for Change { line, what } in &repair.changes {
        writeln!(out, "{shown}:{line}: {what}")?;
    }
    writeln!(out, "{shown}: {} made", plural(repair.changes.len(), "repair"))?;
    Ok(Input { text: repair.text, ..input })
}

/// The description of a code of any language.
struct Explained {
    id: &'static str,
    name: &'static str,
    severity: Severity,
    explanation: &'static str,
    examples: Option<(&'static str, &'static str)>,
}

/// The codes of all languages.
fn codes() -> Vec<Explained> {
    let gdl = magister_gdl::Code::ALL.iter().map(|code| Explained {
        id: code.id(),
        name: code.name(),
        severity: code.severity(),
        explanation: code.explanation(),
        examples: code.examples(),
    });
    let recycle = magister_recycle::Code::ALL.iter().map(|code| Explained {
        id: code.id(),
        name: code.name(),
        severity: code.severity(),
        explanation: code.explanation(),
        examples: code.examples(),
    });
    gdl.chain(recycle).collect()
}

fn list() -> Result<u8> {
    let mut out = anstream::stdout().lock();
    for code in codes() {
        // The first sentence summarises the code.
        let about = code.explanation.split_inclusive(". ").next().unwrap_or_default().trim_end();
        let line = format!("{}  {:8} {}: {about}", code.id, code.severity.name(), code.name);
        writeln!(out, "{}", hanging(&line, 15))?;
    }
    let note = "Some errors are reported as warnings where the rules can still be played.";
    write!(out, "{}", fitted(note))?;
    Ok(CLEAN)
}

fn explain(wanted: &str) -> Result<u8> {
    let codes = codes();
    let named = |code: &&Explained| {
        code.id.eq_ignore_ascii_case(wanted) || code.name.eq_ignore_ascii_case(wanted)
    };
    // A name that two languages use selects both.
    let found: Vec<&Explained> = codes.iter().filter(named).collect();
    if found.is_empty() {
        let names = codes.iter().flat_map(|code| [code.id, code.name]);
        match nearest(wanted, names) {
            Some(near) => bail!("there is no code {wanted}; did you mean {near}?"),
            None => bail!("there is no code {wanted}; `magister check --codes` lists the codes"),
        }
    }
    let mut out = anstream::stdout().lock();
    for (at, code) in found.into_iter().enumerate() {
        let before = if at == 0 { "" } else { "\n\n" };
        writeln!(out, "{before}{} {} ({})\n", code.id, code.name, code.severity.name())?;
        for line in wrap(code.explanation, prose()) {
            writeln!(out, "{line}")?;
        }
        if let Some((bad, good)) = code.examples {
            writeln!(out, "\nWrong:\n\n{}", indented(bad))?;
            writeln!(out, "\nRight:\n\n{}", indented(good))?;
        }
    }
    Ok(CLEAN)
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|l| format!("    {l}")).collect();
    lines.join("\n")
}
