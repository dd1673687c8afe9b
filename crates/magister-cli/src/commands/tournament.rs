//! `magister tournament`: many players on many games.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Seek, SeekFrom, Write};
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use magister_arena::{
    Bar, Comparisons, Contest, Log, Mistakes, Page, Pairing, Scale, SeriesError, Standing, System,
    Tournament, rate,
};
use magister_core::{FaultKind, Information, MatchRecord, Seed};
use serde_json::{Value, json};

use super::contest::{jobs, late, limits, undecided};
use super::plural;
use super::remote::Table;
use crate::args::{Pairs, PlayerArg, Rated, Tourney};
use crate::terminal::{self, fitted};
use crate::{CLEAN, FOUND, interrupt};

pub(crate) fn run(args: &Tourney) -> Result<u8> {
    if let Some(person) = args.players.iter().find(|player| player.is_human()) {
        bail!("{person} is a person; people play with `magister play` or `magister match`");
    }
    let limits = limits(&args.thinking);
    let mut table = Table::new(&args.players, &args.remotes, &args.thinking, limits)?;
    let limits = table.limits();
    let mut games = Vec::new();
    for name in &args.games {
        let playable = table.open(name, &args.language.options(), true)?;
        let info = playable.game.info();
        if info.information == Information::Hidden
            && let Some(player) = args.players.iter().find(|player| !plays_hidden(player))
        {
            bail!(SeriesError::Hidden { player: player.to_string(), game: name.clone() });
        }
        games.push(Contest {
            opening: args.opening,
            max_steps: args.max_steps,
            ..Contest::new(playable.game, limits)
        });
    }
    table.check()?;
    let open = args.players.iter().any(PlayerArg::is_remote).then(|| table.open_matches());
    let so_far = SoFar::new(args);
    interrupt::on_interrupt(move || {
        if let Some(open) = open {
            open.abort();
        }
        // An error cannot be reported here.
        let _ = so_far.print();
    });
    // The table knows the rules of all games only at this point.
    let seating = table.seating();
    games.iter_mut().for_each(|contest| contest.seating.clone_from(&seating));
    let tournament = Tournament {
        games,
        players: table.sources(),
        system: match args.system {
            Pairs::RoundRobin => System::RoundRobin,
            Pairs::Swiss => System::Swiss,
        },
        rounds: args.rounds,
        seed: Seed::from(args.seed),
        jobs: jobs(args.jobs, &limits),
    };
    tournament.check()?;
    let path = args.log.display();
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&args.log)
        .with_context(|| format!("{path} cannot be written"))?;
    // A device may be endless, and stores nothing.
    if !file.metadata().is_ok_and(|meta| meta.is_file()) {
        bail!("{path} is not a regular file; name another log");
    }
    let (mut log, good) = Log::read(BufReader::new(&file))
        .with_context(|| format!("{path} is not a tournament log"))?;
    tournament.fits(&log).with_context(|| path.to_string())?;
    // A run that was killed may have left an incomplete line, which is removed.
    file.set_len(good)?;
    file.seek(SeekFrom::End(0))?;
    if !log.is_empty() {
        anstream::eprintln!(
            "magister: {path} already has {}; no match is repeated",
            plural(log.len(), "match")
        );
        if log.settings().is_empty() {
            anstream::eprintln!(
                "magister: {path} was written by an earlier version without its settings; they may \
                 have been different"
            );
        }
    }
    let others = tournament.play(&mut log, &mut file, |played, known, total| {
        if !args.json {
            let rewards: Vec<String> = played
                .players
                .iter()
                .zip(&played.rewards)
                .map(|(seat, reward)| {
                    format!("{seat} {}", reward.map_or("-".to_owned(), |r| r.to_string()))
                })
                .collect();
            anstream::eprintln!("{known}/{total} {}: {}", played.game, rewards.join(", "));
        }
    })?;
    if others > 0 {
        anstream::eprintln!(
            "magister: {path} has {} of another tournament, not counted",
            plural(others, "match")
        );
    }
    // Files are written first, because a reader of the output may be gone before its end.
    if let Some(svg) = &args.svg {
        std::fs::write(svg, as_svg(&log, args.rating))
            .with_context(|| svg.display().to_string())?;
    }
    if let Some(csv) = &args.csv {
        std::fs::write(csv, as_csv(&log)).with_context(|| csv.display().to_string())?;
    }
    let mut out = anstream::stdout().lock();
    if args.json {
        writeln!(out, "{}", as_json(&log))?;
    } else {
        let names: Vec<String> = args.players.iter().map(ToString::to_string).collect();
        write!(out, "{}", as_text(&log, args.rating, &names))?;
        if let Some(line) = without_result(&log) {
            write!(out, "{}", fitted(&line))?;
        }
    }
    let failed = log.matches().any(|(_, record)| record.rules_failed());
    Ok(if failed { FOUND } else { CLEAN })
}

/// What is printed if the tournament is interrupted.
struct SoFar {
    log: PathBuf,
    rating: Rated,
    players: Vec<String>,
    json: bool,
}

impl SoFar {
    fn new(args: &Tourney) -> Self {
        let players = args.players.iter().map(ToString::to_string).collect();
        SoFar { log: args.log.clone(), rating: args.rating, players, json: args.json }
    }

    /// Prints the table of the matches that the log contains.
    fn print(&self) -> Result<()> {
        let (log, _) = Log::read(BufReader::new(File::open(&self.log)?))?;
        let mut out = anstream::stdout();
        if self.json {
            let mut object = as_json(&log);
            object["interrupted"] = json!(true);
            writeln!(out, "{object}")?;
        } else if !log.is_empty() {
            write!(out, "{}", as_text(&log, self.rating, &self.players))?;
        }
        let matches = plural(log.len(), "match");
        anstream::eprintln!("magister: interrupted after {matches}; the same command continues");
        Ok(out.flush()?)
    }
}

/// Whether a player supports hidden information. Remote players are asked and may refuse.
fn plays_hidden(player: &PlayerArg) -> bool {
    match player {
        PlayerArg::Local(spec) => spec.entry().hidden,
        PlayerArg::Remote(_) => true,
    }
}

/// The number of matches without a result, if there are any.
fn without_result(log: &Log) -> Option<String> {
    let open: Vec<(&Pairing, &MatchRecord)> =
        log.matches().filter(|(_, record)| record.rewards.contains(&None)).collect();
    let (first, _) = open.first()?;
    let broken = open.iter().any(|(_, record)| record.has(FaultKind::BrokenOff));
    Some(undecided(open.len() as u64, log.len() as u64, "match", &first.game, broken))
}

fn as_json(log: &Log) -> Value {
    let comparisons = log.comparisons(None);
    let cross: Vec<Value> = pairs(&comparisons)
        .map(|(a, b, won, games)| json!({"player": a, "opponent": b, "won": won, "of": games}))
        .collect();
    let mut games: Vec<&str> = log.matches().map(|(pairing, _)| pairing.game.as_str()).collect();
    games.dedup();
    let scales = |game: Option<&str>| -> Value {
        let meetings = log.meetings(game);
        let one = |scale: Scale| (scale.name().to_owned(), json!(rate(&meetings, scale)));
        Value::Object(Scale::ALL.into_iter().map(one).collect())
    };
    let by_game: Vec<Value> = games
        .into_iter()
        .map(|game| {
            let ratings = log.comparisons(Some(game)).ratings();
            json!({"game": game, "ratings": ratings, "scales": scales(Some(game))})
        })
        .collect();
    let mistakes: Vec<Value> = log
        .mistakes()
        .into_iter()
        .map(|(player, Mistakes { late, illegal, other })| {
            json!({"player": player, "late": late, "illegal": illegal, "other": other})
        })
        .collect();
    json!({
        "mistakes": mistakes,
        "matches": log.len(),
        "undecided": log.matches().filter(|(_, record)| record.rewards.contains(&None)).count(),
        "ratings": comparisons.ratings(),
        "scales": scales(None),
        "cross_table": cross,
        "by_game": by_game,
    })
}

/// Each pair of players: the points won, and the number of matches.
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

/// Ratings on a scale, best first.
fn standings(log: &Log, scale: Rated) -> Vec<Standing> {
    let scale = match scale {
        Rated::BradleyTerry => {
            let ratings = log.comparisons(None).ratings().into_iter();
            return ratings
                .map(|r| Standing { player: r.player, rating: r.elo, interval: r.interval })
                .collect();
        }
        Rated::Elo => Scale::Elo,
        Rated::Glicko2 => Scale::Glicko2,
        Rated::WengLin => Scale::WengLin,
    };
    rate(&log.meetings(None), scale)
}

/// The score of each player against each other, in blocks of columns that fit the
/// terminal.
fn cross_table(comparisons: &Comparisons, names: &[&str], rank: usize, width: usize) -> String {
    const COLUMN: usize = 7;
    let room = terminal::width().saturating_sub(rank + 2 + width);
    let block = (room / COLUMN).max(1);
    let place = |name: &str| comparisons.players().iter().position(|known| known == name);
    let mut text = "score (wins count 1, draws 1/2), row against column:\n".to_owned();
    for first in (0..names.len()).step_by(block) {
        let columns = first..names.len().min(first + block);
        let _ = write!(text, "{:rank$}  {:width$}", "", "");
        for column in columns.clone() {
            let _ = write!(text, "{:>COLUMN$}", column + 1);
        }
        text.push('\n');
        for (row, name) in names.iter().enumerate() {
            let _ = write!(text, "{:rank$}  {name:width$}", row + 1);
            for column in columns.clone() {
                let (Some(a), Some(b)) = (place(name), place(names[column])) else { continue };
                let games = comparisons.wins(a, b) + comparisons.wins(b, a);
                let cell = match games {
                    _ if a == b => "-".to_owned(),
                    0.0 => String::new(),
                    games => format!("{:.2}", comparisons.wins(a, b) / games),
                };
                let _ = write!(text, "{cell:>COLUMN$}");
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
    }
    text
}

fn as_text(log: &Log, scale: Rated, players: &[String]) -> String {
    let comparisons = log.comparisons(None);
    let shares = comparisons.ratings();
    let standings = standings(log, scale);
    match &standings[..] {
        [] => return "no match was decided, so there are no ratings\n".to_owned(),
        [alone] => return in_solitude(log, &alone.player),
        _ => {}
    }
    // A player with a bye in every round met no opponent, so it has no rating.
    let idle: Vec<&String> =
        players.iter().filter(|name| standings.iter().all(|one| one.player != **name)).collect();
    let lengths =
        standings.iter().map(|one| &one.player).chain(idle.iter().copied()).map(String::len);
    let width = lengths.max().unwrap_or(0).max(6);
    let rank = standings.len().to_string().len();
    let mistakes = log.mistakes();
    let mut games: Vec<&str> = log.matches().map(|(pairing, _)| pairing.game.as_str()).collect();
    games.dedup();
    let games = games.join(", ");
    let mut text = fitted(&format!("{} in {games}", plural(log.len(), "match")));
    let _ = writeln!(
        text,
        "{:rank$}  {:width$}  rating  {:>15}  score  late  illegal  failed",
        "", "player", "95 % interval"
    );
    // Ratings by Weng and Lin are small.
    let digits = usize::from(scale == Rated::WengLin);
    for (row, Standing { player, rating, interval: (low, high) }) in standings.iter().enumerate() {
        // No rating is printed as -0.
        let rating = if rating.abs() < 0.5 { 0.0 } else { *rating };
        let share = shares.iter().find(|one| one.player == *player).and_then(|one| one.score);
        let share = share.map_or("-".to_owned(), |share| format!("{share:5.3}"));
        let interval = format!("{low:.digits$} to {high:.digits$}");
        let Mistakes { late, illegal, other } =
            mistakes.get(player.as_str()).copied().unwrap_or_default();
        let _ = writeln!(
            text,
            "{:rank$}  {player:width$}  {rating:6.digits$}  {interval:>15}  {share:>5}  {late:>4}  \
             {illegal:>7}  {other:>6}",
            row + 1
        );
    }
    for name in idle {
        let _ = writeln!(text, "{:>rank$}  {name:width$}  no opponent yet", "-");
    }
    let names: Vec<&str> = standings.iter().map(|one| one.player.as_str()).collect();
    text.push_str(&cross_table(&comparisons, &names, rank, width));
    text.push_str(&fitted(match scale {
        Rated::BradleyTerry => {
            "ratings: Elo points above or below the average player, by the Bradley-Terry model; \
             400 points are odds of 10 to 1"
        }
        Rated::Elo => {
            "ratings: Elo; every player begins at 1000, and 400 points are odds of 10 to 1"
        }
        Rated::Glicko2 => "ratings: Glicko-2; every player begins at 1500",
        Rated::WengLin => "ratings: Weng-Lin; every player begins at 25",
    }));
    text.push_str(&wrong(log));
    text
}

/// An explanation of the mistakes, and advice about late moves.
fn wrong(log: &Log) -> String {
    let mut text = String::new();
    let mut others = 0;
    for (player, mistakes) in log.mistakes() {
        others += mistakes.illegal + mistakes.other;
        if mistakes.late > 0 {
            text.push_str(&fitted(&late(player, mistakes.late, "ranking")));
        }
    }
    if others > 0 {
        let verb = if others == 1 { "was" } else { "were" };
        text.push_str(&fitted(&format!(
            "{} {verb} illegal or missing, and replaced by a random move; the log lists every one",
            plural(others, "move")
        )));
    }
    text
}

/// The result of a player without opponents.
fn in_solitude(log: &Log, player: &str) -> String {
    let rewards: Vec<f64> =
        log.matches().flat_map(|(_, record)| record.rewards.iter().flatten().copied()).collect();
    let mean = rewards.iter().sum::<f64>() / rewards.len().max(1) as f64;
    let text = format!("{player} has no opponents; its mean reward is {mean:.2}\n");
    text + &wrong(log)
}

/// Ratings as bars, and a cross table.
fn as_svg(log: &Log, scale: Rated) -> String {
    let comparisons = log.comparisons(None);
    let standings = standings(log, scale);
    let mut page = Page::new(&format!("Tournament, {}", plural(log.len(), "match")));
    page.heading("Ratings, with intervals of 95 %");
    let bars: Vec<Bar> = standings
        .iter()
        .map(|one| Bar {
            name: one.player.clone(),
            value: one.rating,
            interval: Some(one.interval),
        })
        .collect();
    let from = match scale {
        Rated::BradleyTerry => 0.0,
        Rated::Elo => 1000.0,
        Rated::Glicko2 => 1500.0,
        Rated::WengLin => 25.0,
    };
    page.bars(&bars, from);
    page.heading("Mistakes: moves that were replaced by random ones");
    for (player, Mistakes { late, illegal, other }) in log.mistakes() {
        page.line(&format!("{player}: {late} late, {illegal} illegal, {other} failed"));
    }
    page.heading("Score (wins count 1, draws 1/2), row against column");
    let names: Vec<String> = standings.into_iter().map(|one| one.player).collect();
    let of = |name: &str| comparisons.players().iter().position(|known| known == name);
    page.cross_table(&names, |row, column| {
        let (a, b) = (of(&names[row])?, of(&names[column])?);
        let games = comparisons.wins(a, b) + comparisons.wins(b, a);
        (a != b && games > 0.0).then(|| comparisons.wins(a, b) / games)
    });
    page.to_string()
}

fn as_csv(log: &Log) -> String {
    let mut text = "game,round,seat,player,reward,steps,late,illegal,other\n".to_owned();
    for (pairing, record) in log.matches() {
        for (seat, (player, reward)) in pairing.seats.iter().zip(&record.rewards).enumerate() {
            let reward = reward.map_or(String::new(), |reward| reward.to_string());
            let Mistakes { late, illegal, other } = Mistakes::of(record, seat);
            let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
            let _ = writeln!(
                text,
                "{},{},{},{},{reward},{},{late},{illegal},{other}",
                quoted(&pairing.game),
                pairing.round,
                seat + 1,
                quoted(player),
                record.moves.len()
            );
        }
    }
    text
}
