//! `magister replay`: matches that were played, once more.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use magister_arena::{GameReport, Played};
use magister_core::{Game, Move, Role, Stop};
use magister_engine::board::Painter;

use super::WIDTH;
use super::step::converse;
use crate::args::Replay;
use crate::game::Playable;
use crate::session::Session;
use crate::{CLEAN, FOUND, game};

/// A game, who draws it.
struct Known {
    playable: Playable,
    painter: Painter,
}

pub(crate) fn run(args: &Replay) -> Result<u8> {
    if args.step && args.file == "-" {
        bail!("standard input cannot hold both the matches and the commands; name a file");
    }
    let file: Box<dyn BufRead> = match args.file.as_str() {
        "-" => Box::new(std::io::stdin().lock()),
        path => {
            let file =
                std::fs::File::open(path).with_context(|| format!("{path} can not be read"))?;
            Box::new(BufReader::new(file))
        }
    };
    let mut games: BTreeMap<String, Known> = BTreeMap::new();
    let mut out = anstream::stdout();
    let (mut number, mut wrong) = (0_u64, 0_u64);
    let wanted = args.number.or(args.step.then_some(1));
    for (at, line) in file.lines().enumerate() {
        let line = line?;
        let Some(report) = read(&line).with_context(|| format!("line {} is no match", at + 1))?
        else {
            continue;
        };
        number += 1;
        if wanted.is_some_and(|wanted| wanted != number) {
            continue;
        }
        let name = args.game.clone().unwrap_or_else(|| report.game.clone());
        if !games.contains_key(&name) {
            let source = game::find(&name, &args.language.options())?;
            let playable = source.prepare(None)?;
            let painter = source.painter(&playable);
            games.insert(name.clone(), Known { playable, painter });
        }
        let Known { playable, painter } = &games[&name];
        match report.replay(&*playable.game, &Stop::never()) {
            Ok(states) => {
                writeln!(out, "match {number}: {}", title(&report))?;
                if args.step {
                    return walk(&report, playable, painter);
                }
                if args.number.is_some() {
                    positions(&mut out, &*playable.game, painter, &report, &states)?;
                }
            }
            Err(error) => {
                wrong += 1;
                writeln!(out, "match {number}: {error}")?;
            }
        }
    }
    if let Some(wanted) = wanted.filter(|&wanted| wanted == 0 || wanted > number) {
        bail!("there is no match {wanted}; there are {number}");
    }
    writeln!(out, "{number} matches, {wrong} that do not agree with the rules")?;
    Ok(if wrong == 0 { CLEAN } else { FOUND })
}

/// Hands a match to the commands of `magister step`, at its beginning and with everything to redo.
fn walk(report: &GameReport, playable: &Playable, painter: &Painter) -> Result<u8> {
    let (info, text) = (playable.game.info(), playable.game.text());
    let joint = |words: &Vec<String>| -> Vec<Move> {
        let read = |(role, words): (Role, &String)| text.parse_move(role, words);
        info.all_roles().zip(words).filter_map(read).collect()
    };
    let joints: Vec<Vec<Move>> = report.moves.iter().map(joint).collect();
    let mut session = Session::new(Arc::clone(&playable.game), 0);
    session.follow(&joints)?;
    session.go(0)?;
    converse(&mut session, playable, Some(painter))
}

/// The match of a line: of `magister match --json` or of the log of a tournament. Summaries and
/// empty lines are none.
fn read(line: &str) -> Result<Option<GameReport>> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    if let Ok(played) = serde_json::from_str::<Played>(line) {
        return Ok(Some(played.report));
    }
    let value: serde_json::Value = serde_json::from_str(line)?;
    if value.get("summary").is_some() {
        return Ok(None);
    }
    Ok(Some(serde_json::from_value(value)?))
}

fn title(report: &GameReport) -> String {
    let seats: Vec<String> = report
        .players
        .iter()
        .zip(&report.rewards)
        .map(|(player, reward)| {
            format!("{player} {}", reward.map_or("-".to_owned(), |reward| reward.to_string()))
        })
        .collect();
    format!("{}, {} steps: {}", report.game, report.moves.len(), seats.join(", "))
}

/// Every position of a match, with the joint move that led there.
fn positions(
    out: &mut impl Write,
    game: &dyn Game,
    painter: &Painter,
    report: &GameReport,
    states: &[Vec<u64>],
) -> Result<()> {
    write!(out, "{}", painter.picture(game, &states[0]).text(WIDTH, true))?;
    for (step, (joint, state)) in report.moves.iter().zip(&states[1..]).enumerate() {
        for error in report.errors.iter().filter(|error| error.step == step + 1) {
            writeln!(out, "   {}", error.what)?;
        }
        writeln!(out, "{}. {}", step + 1, joint.join(" "))?;
        write!(out, "{}", painter.picture(game, state).text(WIDTH, false))?;
    }
    Ok(())
}
