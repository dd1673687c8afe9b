//! Whether every player moves legally and in time on every game.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use magister_arena::{Contest, TimeControl};
use magister_core::{Game, Information, MatchRecord, PlayerSource, Seed, Stop};
use magister_players::{PLAYERS, Spec};
use serde::{Deserialize, Serialize};

use crate::binary;
use crate::sheets::{Sheet, sheets};

/// The games, the players and the clock.
#[derive(Args)]
pub(crate) struct Options {
    /// Bundled games and files; by default all bundled rulesheets and the oracle's
    games: Vec<String>,
    /// Only these players, with their settings
    #[arg(long)]
    players: Option<String>,
    /// Milliseconds per move
    #[arg(long, default_value_t = 100)]
    time: u64,
    /// How late an answer may be and still count, in milliseconds
    #[arg(long, default_value_t = 50)]
    grace: u64,
    /// The number of turns to ask for in each game, after two random ones
    #[arg(long, default_value_t = 3)]
    turns: u32,
    /// The time limit for preparing a game in seconds
    #[arg(long, default_value_t = 60)]
    preparation: u64,
    /// The number of times that a match with a late answer is repeated: on a busy machine a thread
    /// may get no processor for longer than its clock; a slow player is late again
    #[arg(long, default_value_t = 4)]
    tries: u32,
    /// Discard earlier results
    #[arg(long)]
    fresh: bool,
}

/// The number of random turns before the players are asked.
const OPENING: u32 = 2;

/// The result of one game.
#[derive(Serialize, Deserialize)]
struct Outcome {
    game: String,
    /// Why it was not played.
    refused: Option<String>,
    players: BTreeMap<String, Tally>,
}

/// The results of a player.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Tally {
    /// The number of moves it was asked for.
    moves: u64,
    /// The faults by kind.
    faults: BTreeMap<String, u64>,
    /// The number of matches broken off by the rules.
    broken_off: u64,
    /// The longest time for a move in milliseconds.
    longest: f64,
    /// The number of matches repeated because of late answers.
    again: u64,
}

impl Tally {
    fn add(&mut self, record: &MatchRecord) {
        for &time in record.times_ms.iter().flatten().filter(|&&time| time > 0.0) {
            self.moves += 1;
            self.longest = self.longest.max(time);
        }
        for error in &record.errors {
            if error.seat.is_some() {
                *self.faults.entry(error.kind.to_string()).or_default() += 1;
            } else if !error.what.contains("turns") {
                self.broken_off += 1;
            }
        }
    }

    fn merge(&mut self, other: &Tally) {
        self.moves += other.moves;
        self.broken_off += other.broken_off;
        self.longest = self.longest.max(other.longest);
        self.again += other.again;
        for (kind, count) in &other.faults {
            *self.faults.entry(kind.clone()).or_default() += count;
        }
    }

    fn summary(&self) -> String {
        let faults: Vec<String> =
            self.faults.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        if faults.is_empty() { "-".to_owned() } else { faults.join(", ") }
    }
}

#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
pub(crate) fn run(options: &Options) -> Result<()> {
    let specs: Vec<Spec> = match &options.players {
        Some(players) => Spec::parse_list(players)?,
        None => PLAYERS.iter().map(|entry| entry.name.parse()).collect::<Result<_, _>>()?,
    };
    let path = binary::target().join("clocks.jsonl");
    if options.fresh {
        let _ = fs::remove_file(&path);
    }
    let before = fs::read_to_string(&path).unwrap_or_default();
    let mut played: Vec<Outcome> =
        before.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    for sheet in sheets(&options.games)? {
        if played.iter().any(|outcome| outcome.game == sheet.name) {
            continue;
        }
        let outcome = play(&sheet, &specs, options);
        if let Some(why) = &outcome.refused {
            println!("{}: not played: {why}", sheet.name);
        } else {
            let moves: u64 = outcome.players.values().map(|tally| tally.moves).sum();
            println!("{}: {moves} moves", sheet.name);
        }
        for (player, tally) in &outcome.players {
            if !tally.faults.is_empty() || tally.broken_off > 0 {
                println!("  {player}: {}, longest {:.0} ms", tally.summary(), tally.longest);
            }
        }
        writeln!(file, "{}", serde_json::to_string(&outcome)?)?;
        played.push(outcome);
    }
    let wrong = table(&played);
    if wrong > 0 {
        bail!("{wrong} moves were substituted");
    }
    Ok(())
}

/// All players that support a game.
fn play(sheet: &Sheet, specs: &[Spec], options: &Options) -> Outcome {
    let mut outcome = Outcome { game: sheet.name.clone(), refused: None, players: BTreeMap::new() };
    let game = match ready(sheet, Duration::from_secs(options.preparation)) {
        Ok(game) => game,
        Err(why) => {
            outcome.refused = Some(why);
            return outcome;
        }
    };
    let limits = TimeControl {
        time: Some(Duration::from_millis(options.time)),
        grace: Duration::from_millis(options.grace),
        ..TimeControl::default()
    };
    let contest = Contest {
        opening: OPENING,
        max_steps: OPENING + options.turns,
        ..Contest::new(Arc::clone(&game), limits)
    };
    let hidden = game.info().information == Information::Hidden;
    let seats = game.info().players().count();
    for (number, spec) in specs.iter().enumerate() {
        if hidden && !spec.entry().hidden {
            continue;
        }
        let player: Arc<dyn PlayerSource> = Arc::new(spec.clone());
        let players = vec![player; seats];
        let mut tally = Tally::default();
        for again in 0..options.tries.max(1) {
            let record = contest.play(&players, Seed::from(number as u64));
            tally = Tally { again: u64::from(again), ..Tally::default() };
            tally.add(&record);
            if !tally.faults.contains_key("late") {
                break;
            }
        }
        outcome.players.entry(spec.to_string()).or_default().merge(&tally);
    }
    outcome
}

/// The game with batch playouts prepared, as in the command.
fn ready(sheet: &Sheet, time: Duration) -> Result<Arc<dyn Game>, String> {
    let begun = Instant::now();
    let playable = sheet.open(None, time)?;
    // If it takes too long, the game is played without batch playouts.
    let left = time.saturating_sub(begun.elapsed());
    let _ = playable.warm_up_within(left, &Stop::never());
    Ok(playable.game)
}

/// Prints the totals of each player over all games; returns the number of substituted moves.
#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
fn table(played: &[Outcome]) -> u64 {
    let mut totals: BTreeMap<&str, (u64, Tally)> = BTreeMap::new();
    for outcome in played {
        for (player, tally) in &outcome.players {
            let total = totals.entry(player).or_default();
            total.0 += 1;
            total.1.merge(tally);
        }
    }
    let refused = played.iter().filter(|outcome| outcome.refused.is_some()).count();
    println!("\n{} games, {refused} not played", played.len());
    println!("player         games   moves  longest ms  played again  substituted");
    for (player, (games, tally)) in &totals {
        let Tally { moves, longest, again, .. } = tally;
        let summary = tally.summary();
        println!("{player:13} {games:6} {moves:7} {longest:11.0} {again:13}  {summary}");
    }
    totals.values().flat_map(|(_, tally)| tally.faults.values()).sum()
}
