//! `magister explain` for a card game: which rules offer the options of a decision.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::{Result, bail};
use magister::Source;
use magister_recycle::Decision;
use serde_json::json;

use crate::args::Explain;
use crate::session::{Session, joint};
use crate::terminal::{hanging, width, wrap};
use crate::{CLEAN, FOUND};

/// The maximum number of options of an alternative that are listed.
const LISTED: usize = 12;
/// The relations of GDL. A card game has options instead.
const RELATIONS: [&str; 10] =
    ["legal", "true", "next", "goal", "does", "init", "role", "sees", "terminal", "not"];

pub(super) fn run(args: &Explain, source: &Source) -> Result<u8> {
    let Some(cards) = source.card_game() else { bail!("{} is not a card game", args.game) };
    if args.state.is_some() || args.does.is_some() {
        bail!("a decision of a card game is reached by --moves and --seed");
    }
    let asked = bare(&args.atom).to_owned();
    let relation = asked.split_whitespace().next().unwrap_or_default();
    if RELATIONS.contains(&relation) {
        bail!(
            "atoms such as `{}` are not available for card games; ask for an option of the next \
             decision, such as a card",
            args.atom.trim()
        );
    }
    let playable = source.prepare(None)?;
    let mut session = Session::new(playable.game.clone(), args.seed);
    for step in joint::steps(args.moves.as_deref().unwrap_or_default()) {
        session.play(step)?;
    }
    let info = session.game.info().clone();
    while !session.worker.terminal() && !info.players().any(|role| session.chooses(role)) {
        session.random()?;
    }
    let Some(decision) = cards.decision(&session.moment().state, &asked) else {
        bail!("no player has to decide in this position");
    };
    let offered = |options: &[String]| options.iter().any(|option| is_meant(option, &asked));
    let found = decision.alternatives.iter().any(|one| offered(&one.options));
    let mut out = anstream::stdout().lock();
    let role = info.role_name(decision.role);
    if args.json {
        let alternatives: Vec<_> = decision
            .alternatives
            .iter()
            .map(|one| {
                json!({
                    "line": one.line, "rule": one.source, "options": one.options,
                    "offers": offered(&one.options),
                    "why_not": one.reason.as_ref().filter(|_| !offered(&one.options)),
                })
            })
            .collect();
        writeln!(
            out,
            "{}",
            json!({
                "game": source.name(), "question": args.atom, "offered": found, "role": role,
                "line": decision.line, "alternatives": alternatives,
            })
        )?;
    } else {
        write!(out, "{}", text(&decision, role, &asked, found))?;
    }
    Ok(if found { CLEAN } else { FOUND })
}

/// A move without its parentheses.
fn bare(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(text)
}

/// Whether a text matches an option: all of it, or its object, such as `QS` for `play QS`.
fn is_meant(option: &str, asked: &str) -> bool {
    let option = bare(option);
    let rest = option.split_once(' ').map(|(_, rest)| rest);
    option.eq_ignore_ascii_case(asked) || rest.is_some_and(|rest| rest.eq_ignore_ascii_case(asked))
}

fn text(decision: &Decision, role: &str, asked: &str, found: bool) -> String {
    let is = if found { "is" } else { "is not" };
    let mut text =
        format!("{asked} {is} an option of {role}; the choice is in line {}\n", { decision.line });
    for one in &decision.alternatives {
        let offers = one.options.iter().any(|option| is_meant(option, asked));
        let what = match (one.options.len(), offers) {
            (0, _) => "offers nothing here".to_owned(),
            (1, true) => "offers it and nothing else".to_owned(),
            (count, true) => format!("offers it, among {count}"),
            (1, false) => "offers another option".to_owned(),
            (count, false) => format!("offers {count} other options"),
        };
        let _ = writeln!(text, "line {}: {what}", one.line);
        for line in wrap(&one.source, width().saturating_sub(4)) {
            let _ = writeln!(text, "    {line}");
        }
        if let Some(reason) = one.reason.as_ref().filter(|_| !offers) {
            let _ = writeln!(text, "{}", hanging(&format!("    why not: {reason}"), 4));
        }
        if !one.options.is_empty() && !offers {
            let mut options: Vec<String> =
                one.options.iter().take(LISTED).map(|option| bare(option).to_owned()).collect();
            if one.options.len() > LISTED {
                options.push("...".to_owned());
            }
            let _ =
                writeln!(text, "{}", hanging(&format!("    options: {}", options.join(", ")), 4));
        }
    }
    text
}
