//! Tests of catalogue games: the rulesheets are clean, they are playable, all evaluators agree, the
//! facts on the card are true, twins are the same game, and a recorded match is unchanged.

mod facts;
mod match_text;
mod sheets;
mod twins;

use std::sync::Arc;
use std::time::{Duration, Instant};

use magister_core::{Game, Seed, Stop};
use magister_engine::agree::{Extent, agree};
use magister_engine::board::Painter;
use magister_engine::evaluator::NetworkGame;
use magister_engine::grounder::Progress;
use magister_engine::inspect::{Fault, survey};
use magister_engine::{Evaluator, Prepared, Program, prepare_each, within};
use magister_gdl::{Options, read};

use crate::catalogue::{Entry, Sheet};

pub use match_text::playthrough;
pub use twins::{Paths, paths};

/// The amount of testing.
#[derive(Clone, Debug)]
pub struct Effort {
    /// The number of positions in which evaluators are compared.
    pub walk: u64,
    /// The number of random matches.
    pub matches: u32,
    /// The number of distinct positions to count or search.
    pub positions: u32,
    /// The number of matches for the mean length.
    pub playouts: u32,
    /// The time limit of each part; parts that are not done by then are skipped and reported.
    pub patience: Duration,
}

impl Effort {
    /// Limits for interactive use.
    pub fn usual() -> Self {
        Effort {
            walk: 200,
            matches: 20,
            positions: 60_000,
            playouts: 4_096,
            patience: Duration::from_millis(400),
        }
    }

    /// Limits for a thorough test of one game.
    pub fn thorough() -> Self {
        Effort {
            walk: 2_000,
            matches: 100,
            positions: 1_000_000,
            playouts: 65_536,
            patience: Duration::from_secs(20),
        }
    }
}

/// The result.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    /// The defects.
    pub findings: Vec<String>,
    /// The skipped parts, with the reasons.
    pub skipped: Vec<String>,
    /// How long it took.
    pub took: Duration,
}

/// The number of steps after which a match counts as endless.
const ENDLESS: u32 = 5_000;

/// One version of a game, ready to play.
struct Version {
    name: String,
    /// The game on all evaluators that support it; the first one is used for counting.
    games: Vec<Arc<dyn Game>>,
    /// The game on the evaluator that plays many matches at once.
    batch: Arc<dyn Game>,
    painter: Option<Painter>,
    /// Whether it is a twin that shuffles while the main version deals, so that its paths differ.
    deals: bool,
}

/// Tests a game in all its versions.
pub fn prove(entry: &'static Entry, effort: &Effort, stop: &Stop) -> Proof {
    let start = Instant::now();
    let mut proof = Proof::default();
    let mut versions: Vec<Version> = Vec::new();
    for (name, sheet) in entry.sheets() {
        let wrong = sheets::wrong(&name, sheet);
        if wrong.is_empty() {
            match version(entry, &name, sheet, versions.is_empty(), stop) {
                Ok(version) => versions.push(version),
                Err(error) => proof.findings.push(format!("{name} cannot be played: {error}")),
            }
        }
        proof.findings.extend(wrong);
    }
    if let Some(game) = entry.native() {
        let painter = Painter::new(&*game, None, None, &entry.style);
        versions.push(Version {
            name: format!("{}/rust", entry.name),
            games: vec![Arc::clone(&game)],
            batch: game,
            painter: Some(painter),
            deals: false,
        });
    }
    for version in &versions {
        plays(version, effort, stop, &mut proof);
    }
    if let Some(main) = versions.first() {
        agrees(main, effort, stop, &mut proof);
        facts::hold(entry, main, effort, stop, &mut proof);
        facts::same(&versions, effort, stop, &mut proof);
        recorded(entry, main, &mut proof);
    }
    proof.took = start.elapsed();
    proof
}

/// The text of a recorded match of a game, as it is played now.
pub fn record(entry: &'static Entry) -> Result<String, String> {
    if let Some((name, sheet)) = entry.sheets().next() {
        let main = version(entry, &name, sheet, true, &Stop::never())?;
        let painter = main.painter.as_ref().ok_or("it has no painter")?;
        return Ok(playthrough(entry, &*main.games[0], painter));
    }
    let game = entry.native().ok_or("it cannot be played")?;
    let painter = Painter::new(&*game, None, None, &entry.style);
    Ok(playthrough(entry, &*game, &painter))
}

fn version(
    entry: &Entry,
    name: &str,
    sheet: Sheet,
    main: bool,
    stop: &Stop,
) -> Result<Version, String> {
    if sheet.is_recycle() {
        let game: Arc<dyn Game> = Arc::new(sheets::cards(name, sheet)?);
        let painter = main.then(|| Painter::new(&*game, None, None, &entry.style));
        let (name, batch) = (name.to_owned(), Arc::clone(&game));
        return Ok(Version { name, games: vec![game], batch, painter, deals: !main });
    }
    let rules = read(sheet.text, &Options::default()).rules;
    let program = Program::new(&rules, sheet.text).map_err(|error| error.to_string())?;
    let each = prepare_each(&rules, sheet.text, name, stop, &Progress::default());
    let mut all: Vec<Prepared> = each.map_err(|error| error.to_string())?.taken;
    // Twins are compared with the main rulesheet, so one evaluator of each is enough.
    let first = all.iter().position(|p| p.evaluator == Evaluator::Sweep).unwrap_or(0);
    all.swap(0, first);
    let batch = all.iter().find(|p| p.evaluator == Evaluator::Batch).unwrap_or(&all[0]);
    let batch = Arc::clone(&batch.game);
    let painter = main.then(|| {
        let network = all[0].network.as_deref().map(NetworkGame::network);
        Painter::new(&*all[0].game, network, Some(&program), &entry.style)
    });
    let games = all.into_iter().map(|prepared| prepared.game).collect();
    Ok(Version { name: name.to_owned(), games, batch, painter, deals: false })
}

/// Checks that random matches end, every role has moves, and every player has one goal value.
fn plays(version: &Version, effort: &Effort, stop: &Stop, proof: &mut Proof) {
    let game = &*version.games[0];
    let info = game.info();
    let name = &version.name;
    let seen = within(effort.patience, stop, |stop| {
        survey(game, info.rewards, effort.matches, ENDLESS, Seed::from(7), stop)
    });
    for (fault, seen) in &seen.faults {
        let role = |role: &magister_core::Role| info.role_name(*role).to_owned();
        let what = match fault {
            Fault::NoMove(who) => format!("{} has no legal move before the end", role(who)),
            Fault::Step(what) => format!("a step fails: {what}"),
            Fault::NoGoal(who) => format!("{} has no goal value at the end", role(who)),
            Fault::ManyGoals(who, all) => format!("{} has several goal values: {all}", role(who)),
            Fault::GoalRange(who, value) => format!("{} gets {value}", role(who)),
        };
        let matches = seen.matches;
        proof.findings.push(format!("{name}: {what} (in {matches} of {} matches)", effort.matches));
    }
    if seen.truncated > 0 {
        proof.findings.push(format!("{name}: a match does not end within {ENDLESS} steps"));
    }
    if seen.playouts < effort.matches.min(3) {
        proof.skipped.push(format!("{name}: only {} matches played", seen.playouts));
    }
}

/// Checks that all evaluators agree.
fn agrees(version: &Version, effort: &Effort, stop: &Stop, proof: &mut Proof) {
    let games: Vec<&dyn Game> = version.games.iter().map(|game| &**game).collect();
    if games.len() < 2 {
        return;
    }
    let extent = Extent { positions: effort.walk, steps: 300, seed: 1, time: effort.patience };
    let out = within(effort.patience * 4, stop, |stop| agree(&games, &extent, stop));
    let name = &version.name;
    proof.findings.extend(out.disagreements.iter().map(|what| format!("{name}: {what}")));
    if out.compared.iter().any(|&compared| compared < 3) {
        proof.skipped.push(format!("{name}: an evaluator is too slow to be compared"));
    }
}

/// Checks that the recorded match is unchanged.
fn recorded(entry: &'static Entry, main: &Version, proof: &mut Proof) {
    let Some(painter) = &main.painter else { return };
    match entry.playthrough {
        None => proof.skipped.push(format!("{}: no match is recorded", entry.name)),
        Some(recorded) => {
            let now = playthrough(entry, &*main.games[0], painter);
            if now.trim_end() != recorded.trim_end() {
                let line = now.lines().zip(recorded.lines()).position(|(a, b)| a != b);
                let line = line.unwrap_or(recorded.lines().count()) + 1;
                proof.findings.push(format!(
                    "{}: the recorded match is played differently from line {line} of \
                     playthrough.txt on",
                    entry.name
                ));
            }
        }
    }
}
