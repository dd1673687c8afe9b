//! `magister show`: a game, explained.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::{Result, bail};
use magister_core::{Game, Information};
use magister_games::catalogue::{Entry, Found, Version};
use magister_gdl::{
    Diagnostics, Dialect, Examined, Rulesheet, Severity, Syntax, TermKind, examine,
};
use serde_json::{Value, json};

use super::check::wrapped;
use super::tally;
use crate::args::Show;
use crate::{CLEAN, input};

pub(crate) fn run(args: &Show) -> Result<u8> {
    let mut out = anstream::stdout().lock();
    let found = input::bundled(&args.game);
    let entry = found.map(|found| found.entry);
    let text = match found {
        Some(Found { version: Version::Rust, .. }) => None,
        _ => Some(input::open(&args.game)?),
    };
    if args.rules {
        let Some(text) = text else {
            bail!("{} is written in Rust and has no rulesheet", args.game);
        };
        out.write_all(text.text.as_bytes())?;
        return Ok(CLEAN);
    }
    let sheet =
        text.as_ref().map(|t| (t.name.as_str(), examine(&t.text, &args.language.options())));
    if args.json {
        writeln!(out, "{}", as_json(entry, sheet.as_ref().map(|(n, e)| (*n, e))))?;
        return Ok(CLEAN);
    }
    if let Some(entry) = entry {
        writeln!(out, "{}", entry.card.title)?;
        writeln!(out, "{}\n", "=".repeat(entry.card.title.chars().count()))?;
        for line in entry.card.rules.trim().lines() {
            for line in wrapped(line, 80) {
                writeln!(out, "{line}")?;
            }
        }
        writeln!(out, "\ntags:       {}", entry.card.tags.join(", "))?;
        if let Some(author) = &entry.card.author {
            writeln!(out, "author:     {author}")?;
        }
        if let Some(game) = entry.native() {
            writeln!(out, "in Rust:    {}", describe(game.as_ref()))?;
        }
    }
    if let (Some((name, found)), Some(text)) = (sheet, &text) {
        let rules = &found.rules;
        writeln!(out, "rulesheet:  {name}, {}", language(rules))?;
        writeln!(out, "roles:      {}", roles(rules).join(", "))?;
        writeln!(out, "fluents:    {}", join(&fluents(rules)))?;
        writeln!(out, "moves:      {}", join(&moves(rules)))?;
        writeln!(out, "check:      {}", verdict(&found.diagnostics))?;
        if entry.is_some() {
            writeln!(out, "\n{}", text.text.trim_end())?;
        }
    }
    Ok(CLEAN)
}

fn describe(game: &dyn Game) -> String {
    let info = game.info();
    let hidden = match info.information {
        Information::Perfect => "perfect information",
        Information::Hidden => "hidden information",
    };
    format!("roles {}; {hidden}", info.roles.join(", "))
}

fn language(rules: &Rulesheet) -> String {
    let syntax = match rules.syntax {
        Syntax::Kif => "prefix",
        Syntax::Infix => "infix",
    };
    format!(
        "{} in {syntax} form, {}",
        rules.dialect.name(),
        super::plural(rules.statements.len(), "statement")
    )
}

fn roles(rules: &Rulesheet) -> Vec<String> {
    rules
        .rules()
        .filter(|(r, _)| r.head.is("role", 1))
        .filter_map(|(r, _)| match &r.head.args()[0].kind {
            TermKind::Constant(name) => Some(name.to_string()),
            _ => None,
        })
        .collect()
}

/// Names with their number of arguments, such as `cell/3`.
fn named<'a>(terms: impl Iterator<Item = &'a magister_gdl::Term>) -> BTreeSet<String> {
    terms
        .filter_map(|t| {
            let name = t.name()?;
            let arity = t.args().len();
            Some(if arity == 0 { name.to_string() } else { format!("{name}/{arity}") })
        })
        .collect()
}

fn fluents(rules: &Rulesheet) -> BTreeSet<String> {
    let heads = rules.rules().map(|(r, _)| &r.head);
    let listed = heads.filter(|h| h.is("init", 1) || h.is("next", 1) || h.is("base", 1));
    named(listed.map(|h| &h.args()[0]))
}

fn moves(rules: &Rulesheet) -> BTreeSet<String> {
    let heads = || rules.rules().map(|(r, _)| &r.head);
    let last = |t: &'_ magister_gdl::Term| t.args().len();
    let operations = rules.dialect == Dialect::Operations;
    let arity = if operations { 1 } else { 2 };
    let other = if operations { "action" } else { "input" };
    let listed =
        heads().filter(|h| last(h) == arity && (h.is("legal", arity) || h.is(other, arity)));
    named(listed.map(|h| &h.args()[arity - 1]))
}

fn join(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn verdict(found: &Diagnostics) -> String {
    let counts = [Severity::Error, Severity::Warning].map(|s| (s, found.count(s)));
    let text = tally(&counts);
    if text.is_empty() {
        "nothing wrong".to_owned()
    } else {
        format!("{text} (see `magister check`)")
    }
}

fn as_json(entry: Option<&Entry>, sheet: Option<(&str, &Examined)>) -> Value {
    let mut object = json!({});
    if let Some(entry) = entry {
        object["name"] = json!(entry.name);
        object["title"] = json!(entry.card.title);
        object["summary"] = json!(entry.card.summary);
        object["description"] = json!(entry.card.rules);
        object["tags"] = json!(entry.card.tags);
        object["author"] = json!(entry.card.author);
        object["rust"] = json!(entry.native);
        if let Some(game) = entry.native() {
            object["roles"] = json!(game.info().roles);
        }
    }
    if let Some((name, found)) = sheet {
        let rules = &found.rules;
        object["rulesheet"] = json!(name);
        object["language"] = json!(rules.dialect.name());
        object["syntax"] = json!(match rules.syntax {
            Syntax::Kif => "kif",
            Syntax::Infix => "infix",
        });
        object["roles"] = json!(roles(rules));
        object["statements"] = json!(rules.statements.len());
        object["fluents"] = json!(fluents(rules));
        object["moves"] = json!(moves(rules));
        object["errors"] = json!(found.diagnostics.count(Severity::Error));
        object["warnings"] = json!(found.diagnostics.count(Severity::Warning));
    }
    object
}
