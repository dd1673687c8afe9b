//! `magister tournament`: many players on many games.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{BufReader, Seek, SeekFrom, Write};

use anyhow::{Context as _, Result, bail};
use magister_arena::{Contest, Log, System, Tournament};
use magister_core::{Information, Seed};
use serde_json::{Value, json};

use super::contest::{jobs, limits};
use crate::args::{Pairs, Tourney};
use crate::{CLEAN, game};

pub(crate) fn run(args: &Tourney) -> Result<u8> {
    if let Some(person) = args.players.iter().find(|player| player.is_human()) {
        bail!("{person} is a person; people play with `magister play` or `magister match`");
    }
    let limits = limits(&args.thinking);
    let mut games = Vec::new();
    for name in &args.games {
        let playable = game::open_for_play(name, &args.language.options())?;
        let info = playable.game.info();
        if info.information == Information::Hidden
            && let Some(player) = args.players.iter().find(|player| !player.entry().hidden)
        {
            bail!("{player} needs to see everything, but {name} hides information");
        }
        games.push(Contest {
            opening: args.opening,
            max_steps: args.max_steps,
            ..Contest::new(playable.game, limits)
        });
    }
    let tournament = Tournament {
        games,
        players: args.players.clone(),
        system: match args.system {
            Pairs::RoundRobin => System::RoundRobin,
            Pairs::Swiss => System::Swiss,
        },
        rounds: args.rounds,
        seed: Seed::from(args.seed),
        jobs: jobs(args.jobs, &limits),
    };
    let path = args.log.display();
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&args.log)
        .with_context(|| format!("{path} can not be written"))?;
    let (mut log, good) =
        Log::read(BufReader::new(&file)).with_context(|| format!("{path} is no log"))?;
    // What a killed run left of its last line goes.
    file.set_len(good)?;
    file.seek(SeekFrom::End(0))?;
    if !log.is_empty() {
        anstream::eprintln!(
            "magister: {path} has {} matches, which are not played again",
            log.len()
        );
    }
    tournament.play(&mut log, &mut file, |played, known, total| {
        if !args.json {
            let rewards: Vec<String> = played
                .pairing
                .seats
                .iter()
                .zip(&played.report.rewards)
                .map(|(seat, reward)| {
                    format!("{seat} {}", reward.map_or("-".to_owned(), |r| r.to_string()))
                })
                .collect();
            anstream::eprintln!("{known}/{total} {}: {}", played.pairing.game, rewards.join(", "));
        }
    })?;
    let mut out = anstream::stdout().lock();
    if args.json {
        writeln!(out, "{}", as_json(&log))?;
    } else {
        write!(out, "{}", as_text(&log))?;
    }
    if let Some(csv) = &args.csv {
        std::fs::write(csv, as_csv(&log)).with_context(|| csv.display().to_string())?;
    }
    Ok(CLEAN)
}

fn as_json(log: &Log) -> Value {
    let comparisons = log.comparisons(None);
    let cross: Vec<Value> = pairs(&comparisons)
        .map(|(a, b, won, games)| json!({"player": a, "opponent": b, "won": won, "of": games}))
        .collect();
    let mut games: Vec<&str> = log.matches().map(|(pairing, _)| pairing.game.as_str()).collect();
    games.dedup();
    let by_game: Vec<Value> = games
        .into_iter()
        .map(|game| json!({"game": game, "ratings": log.comparisons(Some(game)).ratings()}))
        .collect();
    json!({
        "matches": log.len(),
        "ratings": comparisons.ratings(),
        "cross_table": cross,
        "by_game": by_game,
    })
}

/// Everybody against everybody: the share won, and out of how many.
fn pairs(
    comparisons: &magister_arena::Comparisons,
) -> impl Iterator<Item = (&str, &str, f64, f64)> {
    let players = comparisons.players();
    let all = (0..players.len()).flat_map(|a| (0..players.len()).map(move |b| (a, b)));
    all.filter(|(a, b)| a != b).filter_map(move |(a, b)| {
        let games = comparisons.wins(a, b) + comparisons.wins(b, a);
        let row = (players[a].as_str(), players[b].as_str(), comparisons.wins(a, b), games);
        (games > 0.0).then_some(row)
    })
}

fn as_text(log: &Log) -> String {
    let comparisons = log.comparisons(None);
    let ratings = comparisons.ratings();
    let width = ratings.iter().map(|rating| rating.player.len()).max().unwrap_or(0).max(6);
    let mut text = format!("{:width$}     elo  95 % interval   score  against\n", "player");
    for rating in &ratings {
        let (low, high) = rating.interval;
        let _ = write!(
            text,
            "{:width$}  {:6.0}  {low:6.0} to {high:5.0}  {:5.3} ",
            rating.player, rating.elo, rating.score
        );
        for other in &ratings {
            let of = |name: &str| comparisons.players().iter().position(|known| known == name);
            let (Some(a), Some(b)) = (of(&rating.player), of(&other.player)) else { continue };
            let games = comparisons.wins(a, b) + comparisons.wins(b, a);
            let cell = match games {
                _ if a == b => "   - ".to_owned(),
                0.0 => "     ".to_owned(),
                games => format!("{:5.2}", comparisons.wins(a, b) / games),
            };
            let _ = write!(text, " {cell}");
        }
        text.push('\n');
    }
    text
}

fn as_csv(log: &Log) -> String {
    let mut text = "game,round,seat,player,reward,steps\n".to_owned();
    for (pairing, report) in log.matches() {
        for (seat, (player, reward)) in pairing.seats.iter().zip(&report.rewards).enumerate() {
            let reward = reward.map_or(String::new(), |reward| reward.to_string());
            let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
            let _ = writeln!(
                text,
                "{},{},{},{},{reward},{}",
                quoted(&pairing.game),
                pairing.round,
                seat + 1,
                quoted(player),
                report.moves.len()
            );
        }
    }
    text
}
