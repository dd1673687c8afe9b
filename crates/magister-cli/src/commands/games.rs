//! `magister games`: the catalogue.

mod check;

use std::io::Write;

use anyhow::{Result, bail};
use magister_core::Game;
use magister_games::catalogue::{self, Entry, FEATURED, Sheet, TAGS};
use magister_gdl::{Dialect, Options, Rulesheet, Syntax, TermKind, nearest, read};
use serde_json::json;

use super::plural;
use crate::CLEAN;
use crate::args::{Games, NewLanguage};
use crate::terminal::{width, wrap};

/// A game, with the facts from its rules.
struct Listed {
    entry: &'static Entry,
    languages: Vec<NewLanguage>,
    players: usize,
}

pub(crate) fn run(args: &Games) -> Result<u8> {
    if args.check_all || !args.check.is_empty() {
        return check::run(&args.check);
    }
    for tag in &args.tag {
        if !TAGS.contains(&tag.as_str()) {
            let meant = nearest(tag, TAGS.iter().copied());
            let help = meant.map_or_else(
                || format!("the tags are: {}", TAGS.join(", ")),
                |near| format!("did you mean {near}?"),
            );
            bail!("no game has the tag {tag}; {help}");
        }
    }
    if args.is_plain() {
        return featured();
    }
    let listed = catalogue::all().iter().map(Listed::new);
    let wanted: Vec<Listed> = listed.filter(|game| game.wanted(args)).collect();
    if wanted.is_empty() {
        bail!("no game matches; `magister games --all` lists all games");
    }
    let mut out = anstream::stdout().lock();
    if args.json {
        for game in &wanted {
            writeln!(out, "{}", game.json())?;
        }
        return Ok(CLEAN);
    }
    let column = wanted.iter().map(|game| game.entry.name.len()).max().unwrap_or(0);
    let groups = ["one player", "two players", "three players", "four or more players"];
    let group = |game: &Listed| game.players.clamp(1, groups.len()) - 1;
    for (number, name) in groups.iter().enumerate() {
        let games: Vec<&Listed> = wanted.iter().filter(|game| group(game) == number).collect();
        if games.is_empty() {
            continue;
        }
        writeln!(out, "For {name}: {}", games.len())?;
        for game in games {
            let lines = wrap(&game.entry.card.summary, width().saturating_sub(column + 4));
            for (line, text) in lines.iter().enumerate() {
                let name = if line == 0 { game.entry.name } else { "" };
                writeln!(out, "  {name:column$}  {text}")?;
            }
        }
        writeln!(out)?;
    }
    let count = plural(wanted.len(), "game");
    let end = format!("{count}. `magister play NAME` plays one, `magister show NAME` explains it.");
    for line in wrap(&end, width()) {
        writeln!(out, "{line}")?;
    }
    if args.tag.is_empty() {
        let tags = format!("Use --tag to find games of a certain kind: {}.", TAGS.join(", "));
        for line in wrap(&tags, width()) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(CLEAN)
}

/// The featured games, on one screen.
fn featured() -> Result<u8> {
    let mut out = anstream::stdout().lock();
    let names = || FEATURED.iter().flat_map(|(_, names)| names.iter());
    let column = names().map(|name| name.len()).max().unwrap_or(0);
    for (title, names) in FEATURED {
        writeln!(out, "{title}")?;
        for name in *names {
            let Some(entry) = catalogue::find(name) else { continue };
            let room = width().saturating_sub(column + 4);
            writeln!(out, "  {name:column$}  {}", cut(&entry.card.summary, room))?;
        }
    }
    let more = catalogue::all().len() - names().count();
    writeln!(out, "`magister play NAME` plays one, `magister show NAME` explains it.")?;
    writeln!(out, "`magister games --all` lists {more} more.")?;
    Ok(CLEAN)
}

/// As much of a sentence as fits.
fn cut(text: &str, room: usize) -> String {
    let lines = wrap(text, room);
    if let [one] = &lines[..] {
        return one.clone();
    }
    let first = wrap(text, room.saturating_sub(4)).swap_remove(0);
    format!("{} ...", first.trim_end_matches([',', ';', ':']))
}

impl Games {
    /// Whether no filter is set.
    fn is_plain(&self) -> bool {
        let Games { words, tag, players, language, .. } = self;
        let any = words.is_empty() && tag.is_empty() && players.is_none() && language.is_none();
        any && !self.json && !self.all
    }
}

impl Listed {
    fn new(entry: &'static Entry) -> Self {
        let mut languages = Vec::new();
        let mut players = entry.native().map_or(0, |game| game.info().players().count());
        for (_, sheet) in entry.sheets() {
            if sheet.is_recycle() {
                languages.push(NewLanguage::Recycle);
                if players == 0 {
                    players = seats(sheet);
                }
                continue;
            }
            let rules = rules(sheet);
            languages.push(language(&rules));
            if players == 0 {
                players = roles(&rules).iter().filter(|role| *role != "random").count();
            }
        }
        languages.extend(entry.native.then_some(NewLanguage::Rust));
        Listed { entry, languages, players }
    }

    fn wanted(&self, args: &Games) -> bool {
        let card = &self.entry.card;
        let (aliases, tags) = (card.aliases.join(" "), card.tags.join(" "));
        let text = format!("{} {} {} {aliases} {tags}", self.entry.name, card.title, card.summary);
        let text = text.to_lowercase();
        // A word matches the beginning of a word of the text.
        let begins = |word: &String| {
            let word = word.to_lowercase();
            let mut places = text.match_indices(&word).map(|(at, _)| at);
            places.any(|at| !text[..at].ends_with(char::is_alphanumeric))
        };
        let words = args.words.iter().any(begins);
        (args.words.is_empty() || words)
            && args.tag.iter().all(|tag| card.tags.contains(tag))
            && args.players.is_none_or(|players| players == self.players)
            && args.language.is_none_or(|language| self.languages.contains(&language))
    }

    fn json(&self) -> serde_json::Value {
        let Entry { name, card, sheet, native, .. } = self.entry;
        json!({
            "name": name,
            "aliases": card.aliases,
            "title": card.title,
            "summary": card.summary,
            "tags": card.tags,
            "players": self.players,
            "author": card.author,
            "languages": self.languages.iter().map(|l| l.name()).collect::<Vec<_>>(),
            "rulesheet": sheet.map(|s| s.path),
            "twins": self.entry.twins.iter().map(|twin| twin.name).collect::<Vec<_>>(),
            "rust": native,
        })
    }
}

/// The number of players of a card game.
fn seats(sheet: Sheet) -> usize {
    let found =
        magister_recycle::examine(sheet.path, sheet.text, &magister_recycle::Options::default());
    found.game.map_or(0, |game| game.info().players().count())
}

fn rules(sheet: Sheet) -> Rulesheet {
    read(sheet.text, &Options::default()).rules
}

/// The language of rules.
pub(super) fn language(rules: &Rulesheet) -> NewLanguage {
    match (rules.dialect, rules.syntax) {
        (Dialect::Operations, _) => NewLanguage::Gamemaster,
        (_, Syntax::Kif) => NewLanguage::Kif,
        (_, Syntax::Infix) => NewLanguage::Infix,
    }
}

/// The roles that rules name.
pub(super) fn roles(rules: &Rulesheet) -> Vec<String> {
    rules
        .rules()
        .filter(|(r, _)| r.head.is("role", 1))
        .filter_map(|(r, _)| match &r.head.args()[0].kind {
            TermKind::Constant(name) => Some(name.to_string()),
            _ => None,
        })
        .collect()
}
