//! `magister show`: a game, explained.

mod cards;
mod shapes;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write;

use anyhow::{Result, bail};
use magister::{FrontEnd, Playable};
use magister_core::Role;
use magister_games::catalogue::{Entry, Facts, Found, Version};
use magister_gdl::{Diagnostics, Dialect, Examined, Rulesheet, Severity, Syntax, examine};
use serde_json::{Value, json};

use super::{games, plural, tally};
use crate::args::Show;
use crate::console::moves::is_idle;
use crate::draw::Look;
use crate::session::Session;
use crate::terminal::{fitted, hanging, prose, width, wrap};
use crate::{CLEAN, game};

/// The maximum number of moves that are named, and the number of steps of the example.
const NAMED: usize = 8;
const STEPS: usize = 6;

pub(crate) fn run(args: &Show) -> Result<u8> {
    let mut out = anstream::stdout().lock();
    let rust = args.game.starts_with("rust:");
    let found = magister::bundled(args.game.trim_start_matches("rust:"));
    let entry = found.map(|found| found.entry);
    let text = match found {
        Some(Found { version: Version::Rust, .. }) => None,
        Some(_) if rust => None,
        _ => Some(game::input(&args.game)?),
    };
    if args.rules {
        let Some(text) = text else {
            bail!(
                "{} is written in Rust and has no rulesheet; `magister games --language kif` lists \
                 games with one",
                args.game
            );
        };
        out.write_all(text.text.as_bytes())?;
        return Ok(CLEAN);
    }
    let options = args.language.options();
    if let Some(text) = text.as_ref().filter(|t| options.front_end_of(t) == FrontEnd::Recycle) {
        return cards::run(args, entry, text, &options);
    }
    let sheet = text.as_ref().map(|t| (t.name.as_str(), examine(&t.text, &options.gdl)));
    if args.json {
        let mut object = as_json(entry, sheet.as_ref().map(|(n, e)| (*n, e)));
        // Standard input cannot be read twice.
        let broken = sheet.as_ref().is_some_and(|(_, found)| found.diagnostics.has_errors());
        if args.game != "-" && !broken {
            match game::try_prepare(&game::find(&args.game, &options)?, None)? {
                Ok(playable) => shapes::add(&mut object, &playable.game),
                Err(error) => object["unplayable"] = json!(error.to_string()),
            }
        }
        writeln!(out, "{object}")?;
        return Ok(CLEAN);
    }
    if let Some(entry) = entry {
        out.write_all(about(entry).as_bytes())?;
    }
    if let Some((name, found)) = &sheet {
        let rules = &found.rules;
        let mut row = |line: String| writeln!(out, "{}", hanging(&line, 12));
        row(format!("rulesheet:  {name}, {}", language(rules)))?;
        row(format!("roles:      {}", games::roles(rules).join(", ")))?;
        if entry.is_none() {
            row(format!("fluents:    {}", join(&fluents(rules))))?;
            row(format!("moves:      {}", join(&moves(rules))))?;
        }
        row(format!("check:      {}", verdict(&found.diagnostics)))?;
    } else if let Some(game) = entry.and_then(Entry::native) {
        let roles = format!("roles:      {}", game.info().roles.join(", "));
        writeln!(out, "{}", hanging(&roles, 12))?;
    }
    let broken = sheet.as_ref().is_some_and(|(_, found)| found.diagnostics.has_errors());
    if broken {
        let name = &args.game;
        let text = format!(
            "The board is not drawn, because the rules have errors; `magister check {name}` lists \
             them."
        );
        write!(out, "\n{}", fitted(&text))?;
        return Ok(CLEAN);
    }
    if args.game == "-" {
        return Ok(CLEAN);
    }
    let source = game::find(&args.game, &options)?;
    match game::try_prepare(&source, None)? {
        Ok(playable) => {
            out.write_all(beginning(&playable)?.as_bytes())?;
        }
        Err(error) => write!(out, "\n{}", fitted(&format!("No match can begin: {error}")))?,
    }
    if entry.is_some() {
        let name = &args.game;
        let rules = if sheet.is_some() {
            format!("`magister show {name} --rules` prints the rulesheet, ")
        } else {
            String::new()
        };
        write!(out, "\n{}", fitted(&format!("{rules}`magister play {name}` plays it.")))?;
    }
    Ok(CLEAN)
}

/// The description of a game in the catalogue.
fn about(entry: &Entry) -> String {
    let card = &entry.card;
    let mut text = format!("{}\n{}\n\n", card.title, "=".repeat(card.title.chars().count()));
    for line in card.rules.trim().lines() {
        for line in wrap(line, prose()) {
            let _ = writeln!(text, "{line}");
        }
    }
    text.push('\n');
    let mut row = |head: &str, what: &str| {
        text.push_str(&hanging(&format!("{head:12}{what}"), 12));
        text.push('\n');
    };
    row("tags:", &card.tags.join(", "));
    if let Some(author) = &card.author {
        row("author:", author);
    }
    if !card.aliases.is_empty() {
        row("aliases:", &card.aliases.join(", "));
    }
    let mut versions: Vec<String> = entry.sheets().map(|(name, _)| name).collect();
    versions.extend(entry.native.then(|| format!("rust:{}", entry.name)));
    if versions.len() > 1 {
        row("versions:", &versions.join(", "));
    }
    for (head, what) in facts(&card.facts) {
        row(head, &what);
    }
    text
}

/// The facts about a game, one per line.
fn facts(facts: &Facts) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if !facts.perft.is_empty() {
        let counts: Vec<String> = facts.perft.iter().map(|&count| digits(count)).collect();
        lines.push(("perft:", format!("{} (paths of 1, 2, ... steps)", counts.join("; "))));
    }
    if let Some(positions) = facts.positions {
        lines.push(("positions:", digits(positions)));
    }
    if let Some(length) = facts.length {
        lines.push(("length:", format!("mean {length} steps in random matches")));
    }
    if let Some(value) = &facts.value {
        let values: Vec<String> = value.iter().map(f64::to_string).collect();
        lines.push(("value:", format!("{} with optimal play", values.join(" and "))));
    }
    lines
}

/// A number with its digits in groups of three.
fn digits(number: u64) -> String {
    let plain = number.to_string();
    let mut text = String::new();
    for (place, digit) in plain.chars().enumerate() {
        if place > 0 && (plain.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The initial position, its legal moves, and the beginning of a random match.
fn beginning(playable: &Playable) -> Result<String> {
    let game = &*playable.game;
    let info = game.info();
    let painter = playable.painter();
    let mut session = Session::new(playable.game.clone(), 1);
    let mut text = "\nAt the start:\n\n".to_owned();
    let look = Look::whole(game.info());
    // Before the cards are dealt, a card table is empty.
    let state = session.moment().state.clone();
    match look.cards(game, &state, None) {
        Some(_) => {
            deal(&mut session)?;
            let dealt = look.cards(game, &session.moment().state, None);
            text.push_str(&dealt.unwrap_or_default());
        }
        None => text.push_str(&look.text(&painter.picture(game, &state), None, true)),
    }
    text.push('\n');
    for role in info.all_roles().filter(|&role| session.chooses(role)) {
        let legal = session.worker.legal(role);
        let mut names: Vec<String> =
            legal.iter().take(NAMED).map(|&choice| game.text().move_text(choice)).collect();
        if legal.len() > NAMED {
            names.push("...".to_owned());
        }
        let (role, count) = (info.role_name(role), plural(legal.len(), "legal move"));
        let line = format!("{role} has {count}: {}", whole(&names.join(",\n")));
        text.push_str(&lines(&line));
    }
    let begun = session.at;
    let mut steps = Vec::new();
    while steps.len() < STEPS && !session.worker.terminal() {
        let choosing: Vec<Role> = info.all_roles().filter(|&role| session.chooses(role)).collect();
        session.random()?;
        let joint = &session.moment().joint;
        // A forced move belongs to the line, unless the role only waits.
        let line = |role: Role| {
            let text = game.text().move_text(joint[role.index()]);
            let chosen = choosing.contains(&role);
            let forced = if chosen { "" } else { " (forced)" };
            (chosen || info.chance != Some(role) && !is_idle(&text))
                .then(|| format!("{} {text}{forced}", info.role_name(role)))
        };
        let made: Vec<String> = info.all_roles().filter_map(line).collect();
        if !made.is_empty() {
            steps.push(made.join(" and\n"));
        }
        if session.at > begun + STEPS * 4 {
            break;
        }
    }
    let end = if session.worker.terminal() { ", which ends the match" } else { "" };
    let steps = whole(&steps.join(";\n"));
    text.push_str(&lines(&format!("Example: {steps}{end}.")));
    Ok(text)
}

/// Makes moves of chance until a player has to decide.
fn deal(session: &mut Session) -> Result<()> {
    let info = session.game.info().clone();
    while !session.worker.terminal() && !info.players().any(|role| session.chooses(role)) {
        session.random()?;
    }
    Ok(())
}

/// Replaces a blank at which no line may end.
const KEPT: &str = "\u{1}";

/// A text whose lines are not broken when it is wrapped.
fn whole(text: &str) -> String {
    text.replace(' ', KEPT).replace('\n', " ")
}

/// A text in wrapped lines.
fn lines(text: &str) -> String {
    let lines = wrap(text, width()).into_iter();
    lines.map(|line| line.replace(KEPT, " ") + "\n").collect()
}

fn language(rules: &Rulesheet) -> String {
    let syntax = match rules.syntax {
        Syntax::Kif => "prefix",
        Syntax::Infix => "infix",
    };
    format!(
        "{} in {syntax} form, {}",
        rules.dialect.name(),
        plural(rules.statements.len(), "statement")
    )
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
        "no errors or warnings".to_owned()
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
        object["aliases"] = json!(entry.card.aliases);
        object["versions"] = json!(entry.sheets().map(|(name, _)| name).collect::<Vec<_>>());
        let Facts { perft, positions, length, value } = &entry.card.facts;
        object["facts"] = json!({
            "perft": perft,
            "positions": positions,
            "length": length,
            "value": value,
        });
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
        object["roles"] = json!(games::roles(rules));
        object["statements"] = json!(rules.statements.len());
        object["fluent_names"] = json!(fluents(rules));
        object["move_names"] = json!(moves(rules));
        object["moves"] = Value::Null;
        object["errors"] = json!(found.diagnostics.count(Severity::Error));
        object["warnings"] = json!(found.diagnostics.count(Severity::Warning));
    }
    object
}
