//! Matches with the real server and players of ggp-base.

#![expect(clippy::print_stdout, reason = "this is the output of the command")]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use magister_arena::{Contest, TimeControl};
use magister_core::{MatchEnd, PlayerSource, Seed, Stop};
use magister_manager::player::{GgpPlayer, PlayerOptions, ServeOptions, serve};
use magister_manager::{Manner, RemoteSource, wire};
use magister_players::Spec;
use magister_store::GgpMatch;
use serde::{Deserialize, Serialize};

use crate::corpus;

#[path = "../../crates/magister-manager/tests/peer/mod.rs"]
mod peer;

/// The matches to play.
#[derive(Args)]
pub(crate) struct Options {
    /// Rulesheets of the oracle; by default twenty games. With --only-duels, games of the catalogue
    games: Vec<String>,
    /// Matches of each game on the server of ggp-base
    #[arg(long, default_value_t = 5)]
    matches: u32,
    /// Play clock of our matches with players of ggp-base, in seconds
    #[arg(long, default_value_t = 2)]
    peer_clock: u64,
    /// The number of matches of uct against the Monte Carlo player in each of five games, half of
    /// them in each seat; 0 skips them
    #[arg(long, default_value_t = 40)]
    duels: u64,
    /// End the duels after this number of minutes; the games alternate, so that all have matches
    #[arg(long)]
    minutes: Option<u64>,
    /// The play clock of the duels, in seconds
    #[arg(long, default_value_t = 4)]
    clock: u64,
    /// Play only the duels
    #[arg(long)]
    only_duels: bool,
    /// Append the results of the duels to a file, and continue after those that it contains
    #[arg(long)]
    log: Option<PathBuf>,
}

/// Games of the oracle that ggp-base plays quickly.
const GAMES: [&str; 20] = [
    "ticTacToe",
    "connectFour",
    "connectFourSuicide",
    "breakthroughSmall",
    "knightThrough",
    "blocks",
    "maze",
    "eightPuzzle",
    "hanoi",
    "lightsOut",
    "nim1",
    "nim3",
    "toetictac",
    "biddingTicTacToe",
    "cephalopodMicro",
    "doubletictactoe",
    "escortLatch",
    "ticTacToeLarge",
    "gt_chicken",
    "tictactoe_3player",
];

/// Games of the catalogue that are not drawn under best play, for the duels: the first player wins
/// Connect Four, and the others cannot be drawn at all.
const DUELS: [&str; 5] = ["connect-four", "hex-5", "breakthrough", "knightthrough", "domineering"];

pub(crate) fn run(options: &Options) -> Result<()> {
    let Some(folder) = peer::folder() else {
        println!("SKIPPED: ggp-base or Java is missing");
        return Ok(());
    };
    if !options.only_duels {
        let names: Vec<String> = if options.games.is_empty() {
            GAMES.map(str::to_owned).to_vec()
        } else {
            options.games.clone()
        };
        let sheets: Vec<PathBuf> = names.iter().filter_map(|name| find(name)).collect();
        println!("{} games", sheets.len());
        if options.matches > 0 {
            as_player(&folder, &sheets, options.matches)?;
        }
        as_manager(&folder, &sheets, options.peer_clock)?;
    }
    if options.duels > 0 {
        duels(&folder, options)?;
    }
    Ok(())
}

/// A file, or a rulesheet of the oracle with this name, in any case and with any version.
fn find(name: &str) -> Option<PathBuf> {
    let file = PathBuf::from(name);
    if file.is_file() {
        return Some(file);
    }
    let wanted = name.to_lowercase();
    let files = corpus::files(&corpus::oracle().join("gdl/games"), ".kif");
    let stem = |file: &PathBuf| file.file_stem().map(|s| s.to_string_lossy().to_lowercase());
    let exact = files.iter().find(|file| stem(file).as_deref() == Some(&wanted)).cloned();
    exact.or_else(|| {
        let begins = |file: &&PathBuf| stem(file).is_some_and(|stem| stem.starts_with(&wanted));
        let found = files.iter().find(begins).cloned();
        if found.is_none() {
            println!("{name}: not in the oracle");
        }
        found
    })
}

/// Our players, each on its own port.
fn our_players(count: usize, agent: &str, iterations: Option<u64>) -> Result<Vec<u16>> {
    let (send, ports) = std::sync::mpsc::channel();
    for number in 0..count {
        let (name, agent) = (format!("magister{number}"), Some(agent.parse::<Spec>()?));
        let seed = Seed::from(number as u64);
        let options = PlayerOptions { iterations, ..PlayerOptions::new(&name, agent, seed) };
        let (player, send) = (Arc::new(GgpPlayer::new(options)), send.clone());
        std::thread::spawn(move || -> Result<()> {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async move {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
                send.send(listener.local_addr()?.port())?;
                let never = std::future::pending();
                serve(player, listener, ServeOptions::default(), never).await?;
                Ok(())
            })
        });
    }
    (0..count).map(|_| Ok(ports.recv()?)).collect()
}

/// Runs matches on the server of ggp-base with our player.
fn as_player(folder: &Path, sheets: &[PathBuf], matches: u32) -> Result<()> {
    let (mut played, mut wrong) = (0, Vec::new());
    for sheet in sheets {
        let name = sheet.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let playable = magister::open(&sheet.to_string_lossy())?;
        let info = playable.game.info();
        // The first match uses the whole clock; the others test the protocol and may be quick.
        let named = |ports: Vec<u16>| -> Vec<String> {
            ports.iter().map(|port| format!("magister@127.0.0.1:{port}")).collect()
        };
        let slow = named(our_players(info.players().count(), "uct", None)?);
        let quick = named(our_players(info.players().count(), "uct", Some(300))?);
        for number in 0..matches {
            let options = if number % 2 == 1 { &["--scramble"][..] } else { &[] };
            let players = if number == 0 { &slow } else { &quick };
            let served = peer::serve(folder, options, sheet, (5, 2), players)?;
            let chance = info.chance.map(|role| info.role_name(role));
            let replayed = served
                .json
                .as_deref()
                .ok_or_else(|| anyhow!("no record"))
                .and_then(|json| Ok(GgpMatch::read(json)?))
                .and_then(|read| {
                    Ok(read.to_record(&name, &info.rules_hash, &info.roles, chance)?)
                })
                .and_then(|record| Ok(record.replay(&*playable.game, &Stop::never()).map(drop)?));
            played += 1;
            if served.code != 0 || replayed.is_err() {
                let errors: Vec<&str> =
                    served.lines.lines().filter(|line| line.starts_with("error")).collect();
                wrong.push(format!(
                    "{name} {number}: exit {} {replayed:?} {}",
                    served.code,
                    errors.join("; ")
                ));
            }
        }
        println!("{name}: {matches} matches on the server of ggp-base");
    }
    println!("server of ggp-base: {played} matches with our player, {} wrong", wrong.len());
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    Ok(())
}

/// Runs our matches with players of ggp-base.
fn as_manager(folder: &Path, sheets: &[PathBuf], clock: u64) -> Result<()> {
    let limits = TimeControl {
        time: Some(Duration::from_secs(clock)),
        start: Some(Duration::from_secs(10)),
        grace: Duration::from_secs(1),
        iterations: None,
    };
    let classes =
        ["RandomGamer", "SampleAlphabetGamer", "SampleMonteCarloGamer", "SampleSearchLightGamer"];
    let (mut played, mut faults) = (0, Vec::new());
    for class in classes {
        for sheet in sheets {
            let name = sheet.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let source = magister::Options::default().find(&sheet.to_string_lossy())?;
            let (playable, wire) = wire::open(&source)?;
            let wire = Arc::new(wire);
            let seats = playable.game.info().players().count();
            let javas: Option<Vec<peer::JavaPlayer>> =
                (0..seats).map(|_| peer::JavaPlayer::start(folder, class)).collect();
            let javas = javas.context("a player of ggp-base did not start")?;
            let sources: Result<Vec<Arc<dyn PlayerSource>>> = javas
                .iter()
                .map(|java| -> Result<Arc<dyn PlayerSource>> {
                    let address = format!("http://127.0.0.1:{}", java.port);
                    let address = address.parse().map_err(|what: String| anyhow!(what))?;
                    let remote = RemoteSource::new(address, limits, Manner::default());
                    Ok(Arc::new(remote.knowing(&*playable.game, &wire)))
                })
                .collect();
            let contest = Contest::new(Arc::clone(&playable.game), limits);
            let record = contest.play(&sources?, Seed::from(played));
            played += 1;
            if record.end != Some(MatchEnd::Terminal) || !record.errors.is_empty() {
                let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
                for fault in &record.errors {
                    *kinds.entry(fault.kind.to_string()).or_default() += 1;
                }
                faults.push(format!("{class} {name}: {:?}, {kinds:?}", record.end));
            }
            record.replay(&*playable.game, &Stop::never())?;
        }
        println!("{class}: {} games", sheets.len());
    }
    println!("our matches with players of ggp-base: {played}, with faults {}", faults.len());
    faults.iter().for_each(|fault| println!("{fault}"));
    Ok(())
}

/// Plays our search against ggp-base's Monte Carlo player, in both seats.
fn duels(folder: &Path, options: &Options) -> Result<()> {
    let limits = TimeControl {
        time: Some(Duration::from_secs(options.clock)),
        start: Some(Duration::from_secs(10)),
        grace: Duration::from_secs(1),
        iterations: None,
    };
    let begun = Instant::now();
    let over =
        || options.minutes.is_some_and(|minutes| begun.elapsed() > Duration::from_mins(minutes));
    let java = peer::JavaPlayer::start(folder, "SampleMonteCarloGamer")
        .context("the player of ggp-base did not start")?;
    let address = format!("http://127.0.0.1:{}", java.port);
    let ours: Arc<dyn PlayerSource> = Arc::new("uct".parse::<Spec>()?);
    let named = options.games.iter().map(String::as_str).collect::<Vec<_>>();
    let games = if options.only_duels && !named.is_empty() { &named[..] } else { &DUELS[..] };
    let log = options.log.as_deref();
    let mut results = log.map_or_else(|| Ok(Vec::new()), read_log)?;
    'rounds: for round in 0..options.duels {
        for name in games {
            if over() {
                break 'rounds;
            }
            if results.iter().any(|one| one.game == *name && one.round == round) {
                continue;
            }
            let (playable, wire) = wire::open(&magister::Options::default().find(name)?)?;
            playable.warm_up();
            let place = address.parse().map_err(|what: String| anyhow!(what))?;
            let remote = RemoteSource::new(place, limits, Manner::default());
            let remote: Arc<dyn PlayerSource> =
                Arc::new(remote.knowing(&*playable.game, &Arc::new(wire)));
            let seat = (round % 2) as usize;
            let mut players = [remote.clone(), remote];
            players[seat] = Arc::clone(&ours);
            let contest = Contest::new(Arc::clone(&playable.game), limits);
            let record = contest.play(&players, Seed::from(round));
            let result = Duel {
                game: (*name).to_owned(),
                round,
                clock: options.clock,
                score: record.rewards.get(seat).copied().flatten().unwrap_or(0.0) / 100.0,
                turns: record.moves.len(),
                faults: [seat, 1 - seat].map(|seat| {
                    let mine = record.errors.iter().filter(|fault| fault.seat == Some(seat));
                    mine.filter(|fault| fault.kind.is_mistake()).count()
                }),
            };
            println!(
                "{name}, uct in seat {}: {} after {} turns; faults of uct {}, of the other {}",
                seat + 1,
                result.score,
                result.turns,
                result.faults[0],
                result.faults[1]
            );
            if let Some(path) = log {
                let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
                writeln!(file, "{}", serde_json::to_string(&result)?)?;
            }
            results.push(result);
        }
    }
    for name in games {
        let of = |seat: Option<u64>| -> Vec<f64> {
            let fits =
                |one: &&Duel| one.game == *name && seat.is_none_or(|seat| one.round % 2 == seat);
            results.iter().filter(fits).map(|one| one.score).collect()
        };
        println!("{name}: {}", share(&of(None)));
        println!("  in seat 1: {}; in seat 2: {}", share(&of(Some(0))), share(&of(Some(1))));
    }
    let all: Vec<f64> = results.iter().map(|one| one.score).collect();
    let faults = |side: usize| results.iter().map(|one| one.faults[side]).sum::<usize>();
    println!(
        "uct against SampleMonteCarloGamer, play clock {} s: {}; faults of uct {}, of the other {}",
        options.clock,
        share(&all),
        faults(0),
        faults(1)
    );
    // A late answer is replaced by a random move, which says nothing about strength.
    let clean = results.iter().filter(|one| one.faults == [0, 0]);
    let clean: Vec<f64> = clean.map(|one| one.score).collect();
    println!("matches without faults only: {}", share(&clean));
    Ok(())
}

/// One match of a duel.
#[derive(Serialize, Deserialize)]
struct Duel {
    game: String,
    /// uct has the first seat in even rounds and the second in odd ones.
    round: u64,
    clock: u64,
    /// The score of uct, from 0 to 1.
    score: f64,
    turns: usize,
    /// The faults of uct, and those of the other.
    faults: [usize; 2],
}

fn read_log(path: &Path) -> Result<Vec<Duel>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path)?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// The mean of scores with its 95 % interval (Wilson).
fn share(scores: &[f64]) -> String {
    let count = scores.len() as f64;
    if scores.is_empty() {
        return "no matches".to_owned();
    }
    let (mean, z) = (scores.iter().sum::<f64>() / count, 1.96f64);
    let middle = (mean + z * z / (2.0 * count)) / (1.0 + z * z / count);
    let half = z / (1.0 + z * z / count)
        * (mean * (1.0 - mean) / count + z * z / (4.0 * count * count)).sqrt();
    format!(
        "{:.1} % of {} matches, interval {:.1} to {:.1} %",
        100.0 * mean,
        scores.len(),
        100.0 * (middle - half),
        100.0 * (middle + half).min(1.0)
    )
}
