//! `magister convert`: the same rules in another syntax or language.

use std::io::Write;

use anyhow::{Context as _, Result};
use magister_gdl::{Diagnostics, Dialect, Rulesheet, Severity, Syntax, print, read, translate};

use super::complain;
use crate::args::{Convert, Target};
use crate::{CLEAN, FOUND, input};

pub(crate) fn run(args: &Convert) -> Result<u8> {
    let input = input::open(&args.file)?;
    let sheet = read(&input.text, &args.language.options());
    if sheet.diagnostics.has_errors() {
        complain(&input.name, &input.text, &sheet.diagnostics)?;
        return Ok(FOUND);
    }
    match converted(&sheet.rules, &input.text, args) {
        Ok((text, warnings)) => {
            complain(&input.name, &input.text, &warnings)?;
            match &args.output {
                Some(path) => std::fs::write(path, text)
                    .with_context(|| format!("cannot write {}", path.display()))?,
                None => anstream::stdout().lock().write_all(text.as_bytes())?,
            }
            Ok(CLEAN)
        }
        Err(problems) => {
            complain(&input.name, &input.text, &problems)?;
            let count = problems.count(Severity::Error);
            anstream::eprintln!(
                "magister: {} cannot be converted ({})",
                input.name,
                super::plural(count, "reason")
            );
            Ok(FOUND)
        }
    }
}

fn converted(
    rules: &Rulesheet,
    text: &str,
    args: &Convert,
) -> Result<(String, Diagnostics), Diagnostics> {
    let operations = rules.dialect == Dialect::Operations;
    let dialect = match args.to {
        Target::Gdl => Dialect::Gdl,
        Target::Gdl2 => Dialect::Gdl2,
        // Operations have no prefix form; the rules they stand for have.
        Target::Kif if operations => Dialect::Gdl,
        Target::Kif | Target::Infix => rules.dialect,
    };
    let syntax = match (args.to, args.syntax) {
        (Target::Kif, _) => Syntax::Kif,
        (Target::Infix, _) => Syntax::Infix,
        (_, Some(syntax)) => syntax.into(),
        (_, None) => rules.syntax,
    };
    let done = translate(rules, dialect)?;
    Ok((print(&done.rules, text, syntax)?, done.diagnostics))
}
