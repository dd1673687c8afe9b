//! `magister replay`: verifies and shows recorded matches.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read as _, Write};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use magister::Playable;
use magister_core::record::ChanceProof;
use magister_core::{FaultKind, Game, MatchRecord, Move, Role, Stop};
use magister_engine::board::Painter;

use super::plural;
use super::step::converse;
use crate::args::Replay;
use crate::draw::Look;
use crate::session::Session;
use crate::{CLEAN, FOUND, game};

/// A game and its painter.
struct Known {
    playable: Playable,
    painter: Painter,
}

pub(crate) fn run(args: &Replay) -> Result<u8> {
    if args.step && args.file == "-" {
        bail!("standard input cannot hold both the matches and the commands; name a file");
    }
    let shown = if args.file == "-" { "standard input" } else { args.file.as_str() };
    let mut file: Box<dyn BufRead> = match args.file.as_str() {
        "-" => Box::new(std::io::stdin().lock()),
        path => {
            let file =
                std::fs::File::open(path).with_context(|| format!("{path} cannot be read"))?;
            Box::new(BufReader::new(file))
        }
    };
    let mut games: BTreeMap<String, Known> = BTreeMap::new();
    let mut out = anstream::stdout();
    let (mut number, mut wrong, mut unread, mut unproven) = (0_u64, 0_u64, 0_u64, 0_u64);
    let wanted = args.number.or(args.step.then_some(1));
    let mut line = Vec::new();
    for at in 1_u64.. {
        line.clear();
        let read_up = (&mut file).take(LONGEST).read_until(b'\n', &mut line);
        if read_up.with_context(|| format!("{shown} cannot be read"))? == 0 {
            break;
        }
        if line.len() as u64 == LONGEST {
            bail!("line {at} of {shown} is too long for a match");
        }
        let record = match read(&line) {
            Ok(Some(record)) => record,
            Ok(None) => continue,
            Err(why) => {
                unread += 1;
                if unread <= ENOUGH {
                    writeln!(out, "line {at} {why}")?;
                }
                continue;
            }
        };
        number += 1;
        if wanted.is_some_and(|wanted| wanted != number) {
            continue;
        }
        let name = args.game.clone().unwrap_or_else(|| record.game.clone());
        if !games.contains_key(&name) {
            let found = game::find(&name, &args.language.options());
            let source = found.with_context(|| elsewhere(number, &name, args.game.is_some()))?;
            let playable = source.prepare(None)?;
            let painter = playable.painter();
            games.insert(name.clone(), Known { playable, painter });
        }
        let Known { playable, painter } = &games[&name];
        match record.replay(&*playable.game, &Stop::never()) {
            Ok(again) => {
                writeln!(out, "match {number}: {}", title(&record))?;
                unproven += u64::from(again.chance == ChanceProof::Unknown);
                if args.step {
                    return walk(&record, again.states.len() - 1, playable, painter);
                }
                if args.number.is_some() {
                    positions(&mut out, &*playable.game, painter, &record, &again.states)?;
                }
            }
            Err(error) => {
                wrong += 1;
                writeln!(out, "match {number}: {error}")?;
            }
        }
    }
    if number == 0 && unread == 0 {
        bail!("there is no match in {shown}; `magister match --json` prints matches");
    }
    if let Some(wanted) = wanted.filter(|&wanted| wanted == 0 || wanted > number) {
        bail!("there is no match {wanted}; {shown} has {}", plural(number, "match"));
    }
    if number == 0 {
        writeln!(out, "No match was verified.")?;
    }
    let agree = match wrong {
        0 => "all agree with the rules".to_owned(),
        1 => "1 does not agree with the rules".to_owned(),
        _ => format!("{wrong} do not agree with the rules"),
    };
    match (number, wrong) {
        (0, _) => {}
        (1, 0) => writeln!(out, "The match agrees with the rules.")?,
        (1, _) => writeln!(out, "The match does not agree with the rules.")?,
        _ => writeln!(out, "{}, {agree}", plural(number, "match"))?,
    }
    if unproven > 0 {
        let which = plural(unproven, "match");
        writeln!(out, "{which} without a seed, so the random draws cannot be verified")?;
    }
    match unread {
        0 => Ok(if wrong == 0 { CLEAN } else { FOUND }),
        1 => bail!("1 line of {shown} is not a match and was not verified"),
        _ => bail!("{unread} lines of {shown} are not matches and were not verified"),
    }
}

/// The maximum number of invalid lines that are listed.
const ENOUGH: u64 = 5;

/// The maximum length of a line.
const LONGEST: u64 = 1 << 28;

/// Advice if a game is not found under the name in its record.
fn elsewhere(number: u64, name: &str, named: bool) -> String {
    if named {
        return format!("the game of match {number} cannot be read");
    }
    format!(
        "the game of match {number} was read from `{name}`, which cannot be read now; name the \
         file or the game with --game"
    )
}

/// Walks through a match with the commands of `magister step`. It begins at the initial position,
/// and all `steps` can be redone.
fn walk(record: &MatchRecord, steps: usize, playable: &Playable, painter: &Painter) -> Result<u8> {
    let (info, text) = (playable.game.info(), playable.game.text());
    let joint = |words: &Vec<String>| -> Vec<Move> {
        let read = |(role, words): (Role, &String)| text.parse_move(role, words);
        info.all_roles().zip(words).filter_map(read).collect()
    };
    let joints: Vec<Vec<Move>> = record.moves[..steps].iter().map(joint).collect();
    let mut session = Session::new(Arc::clone(&playable.game), 0);
    session.follow(&joints)?;
    session.go(0)?;
    converse(&mut session, playable, Some(painter))
}

/// The match of a line: of `magister match --json` or of the log of a tournament. `None` for
/// summaries, settings and empty lines. The error says what is wrong with the line.
fn read(line: &[u8]) -> Result<Option<MatchRecord>, String> {
    let Ok(text) = std::str::from_utf8(line) else {
        return Err("is not text, so it is not a match".to_owned());
    };
    if text.trim().is_empty() {
        return Ok(None);
    }
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| {
        if error.is_eof() {
            "is incomplete, because the program that wrote it was interrupted; play the match \
             again or remove the line"
                .to_owned()
        } else {
            format!("is not a match: {}, at column {}", bare(&error), error.column())
        }
    })?;
    if value.get("summary").is_some() || value.get("tournament").is_some() {
        return Ok(None);
    }
    let record = serde_json::from_value(value);
    record.map(Some).map_err(|error| format!("is not a match: {}", bare(&error)))
}

/// The error without its line number, which is always 1.
fn bare(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

fn title(record: &MatchRecord) -> String {
    let steps = plural(record.moves.len(), "step");
    let result = |(seat, (player, reward)): (usize, (&String, &Option<f64>))| match reward {
        Some(reward) => format!("{player} {reward}"),
        None => match early(record, seat) {
            Some(what) if record.moves.is_empty() => format!("{player} {what} at the start"),
            Some(what) => format!("{player} {what} after {steps}"),
            None if wins_by_resignation(record, seat) => format!("{player} wins"),
            None => format!("no result for {player}"),
        },
    };
    let seats = record.players.iter().zip(&record.rewards).enumerate().map(result);
    format!("{}, {steps}: {}", record.game, seats.collect::<Vec<_>>().join(", "))
}

/// Whether a seat wins because the only other one resigned.
fn wins_by_resignation(record: &MatchRecord, seat: usize) -> bool {
    record.players.len() == 2 && early(record, 1 - seat.min(1)) == Some("resigned")
}

/// How a seat ended a match early.
fn early(record: &MatchRecord, seat: usize) -> Option<&'static str> {
    let own = record.errors.iter().filter(|fault| fault.seat == Some(seat));
    own.rev().find_map(|fault| match fault.kind {
        FaultKind::Resigned => Some("resigned"),
        FaultKind::Left => Some("left"),
        _ => None,
    })
}

/// Every position of a match, with the joint move that led there.
fn positions(
    out: &mut impl Write,
    game: &dyn Game,
    painter: &Painter,
    record: &MatchRecord,
    states: &[Vec<u64>],
) -> Result<()> {
    let look = Look::whole(game.info());
    write!(out, "{}", look.text(&painter.picture(game, &states[0]), None, true))?;
    for (step, joint) in record.moves.iter().enumerate() {
        for error in record.errors.iter().filter(|error| error.step == step + 1) {
            writeln!(out, "   {}", error.what)?;
        }
        writeln!(out, "{}. {}", step + 1, joint.join(" "))?;
        // After a move at which the match was broken off, there is no state.
        if let Some(state) = states.get(step + 1) {
            let picture = painter.picture(game, state);
            let before = painter.picture(game, &states[step]);
            write!(out, "{}", look.text(&picture, Some(&before), false))?;
        }
    }
    let info = game.info();
    let rewards = info.players().zip(&record.rewards).map(|(role, reward)| {
        let reward = reward.map_or_else(|| "no result".to_owned(), |r| r.to_string());
        format!("{} {reward}", info.role_name(role))
    });
    writeln!(out, "Result: {}", rewards.collect::<Vec<_>>().join(", "))?;
    Ok(())
}
