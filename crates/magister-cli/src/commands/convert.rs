//! `magister convert`: the same rules in another syntax or language.

use std::io::Write;

use anyhow::{Context as _, Result, bail};
use magister::FrontEnd;
use magister_gdl::{
    Code, Diagnostic, Diagnostics, Dialect, Options, Rulesheet, Severity, Span, Syntax, print,
    read, same_rules, translate,
};

use super::complain;
use crate::args::{Convert, Target};
use crate::{CLEAN, FOUND, game};

pub(crate) fn run(args: &Convert) -> Result<u8> {
    if args.syntax.is_some() && matches!(args.to, Target::Kif | Target::Infix) {
        bail!("--syntax says how to write GDL; it cannot be combined with --to kif or --to infix");
    }
    let input = game::input(&args.file)?;
    if args.language.options().front_end_of(&input) == FrontEnd::Recycle {
        bail!("{} is written in RECYCLE, whose card games cannot be translated to GDL", input.name);
    }
    let sheet = read(&input.text, &args.language.gdl());
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
        // Operations have no prefix form, but their translation to GDL does.
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
    let printed = print(&done.rules, text, syntax)?;
    let again = read(&printed, &Options { syntax: Some(syntax), ..Options::default() });
    if again.diagnostics.has_errors() || !same_rules(&done.rules, &again.rules) {
        let mut problems = again.diagnostics;
        problems.push(Diagnostic::new(
            Code::CannotWrite,
            Span::default(),
            "the rules cannot be written in this form without a change of meaning",
        ));
        return Err(problems);
    }
    Ok((printed, done.diagnostics))
}
