//! The audit of every honest player in every game that hides information.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use magister_arena::audit::{Audit, Verdict, suspect};
use magister_core::{Game, Information, Role, Seed, Stop};
use magister_engine::{prepare, within};
use magister_games::catalogue;
use magister_gdl::{Options as Reading, read};
use magister_players::{PLAYERS, Spec};

use crate::binary;

#[derive(Args)]
pub(crate) struct Options {
    /// Only these games
    games: Vec<String>,
    /// Only these players
    #[arg(long, value_delimiter = ',')]
    players: Vec<String>,
    /// Seconds for each game, player and role
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Iterations of a decision
    #[arg(long, default_value_t = 10)]
    iterations: u64,
    /// Audits at the same time
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Print only, and leave docs/honesty.md as it is
    #[arg(long)]
    print: bool,
}

/// How often a player is waited for that takes longer than it should.
const PATIENCE: u32 = 5;

/// How long preparing for playouts on vectors may take.
const VECTORS: Duration = Duration::from_secs(20);

/// One audit.
struct Case {
    name: String,
    game: Arc<dyn Game>,
    player: Spec,
    role: Role,
}

/// What came of a player.
#[derive(Default)]
struct Tally {
    audits: u32,
    twins: u64,
    futures: u64,
    answers: u64,
    found: Vec<String>,
    telling: Vec<String>,
    unfinished: Vec<String>,
}

#[expect(clippy::print_stdout, reason = "this is what the command is for")]
pub(crate) fn run(options: &Options) -> Result<()> {
    let cases = cases(options)?;
    let (next, tallies) = (AtomicUsize::new(0), Mutex::new(BTreeMap::<String, Tally>::new()));
    std::thread::scope(|scope| {
        for _ in 0..options.threads.max(1) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(number) else { return };
                    let verdict = audit(case, options);
                    let answers = verdict.as_ref().map_or(0, |verdict| verdict.answers);
                    let role = case.game.info().role_name(case.role);
                    let (game, player) = (&case.name, &case.player);
                    let all = cases.len();
                    println!("{number} of {all}: {player} in {game} as {role}: {answers} answers");
                    let mut tallies = tallies.lock().unwrap_or_else(PoisonError::into_inner);
                    let tally = tallies.entry(case.player.to_string()).or_default();
                    enter(tally, case, verdict);
                }
            });
        }
    });
    let tallies = tallies.into_inner().unwrap_or_else(PoisonError::into_inner);
    let table = table(&tallies);
    println!("{table}");
    if !options.print {
        let text = format!(
            "# Honesty\n\n\
             Every player that is given its view and nothing else, audited in every game of the \
             catalogue that hides information, in every role: {} s and {} iterations a decision.\n\
             A twin is another course of the game that looks the same to the role; where there is \
             none, only the future of chance is another.\n\
             All answers must be the same, to the last digit.\n\
             A player that tells secrets plays as if the others saw everything, where that is a \
             mistake; it is honest, but imagines others that are not.\n\
             `cargo xtask audit` writes this file.\n\n{table}",
            options.seconds, options.iterations
        );
        std::fs::write(binary::root().join("docs/honesty.md"), text)?;
    }
    let found: Vec<&String> = tallies.values().flat_map(|tally| &tally.found).collect();
    if !found.is_empty() {
        bail!("{} audits found something: {found:?}", found.len());
    }
    Ok(())
}

fn cases(options: &Options) -> Result<Vec<Case>> {
    let mut players: Vec<Spec> = Vec::new();
    for entry in PLAYERS.iter().filter(|entry| entry.hidden) {
        let spec: Spec = entry.name.parse()?;
        let wanted = options.players.is_empty() || options.players.contains(&spec.to_string());
        // Nobody asks a person for an hour of answers.
        if wanted && entry.name != "human" && !spec.make().clairvoyant() {
            players.push(spec);
        }
    }
    let mut cases = Vec::new();
    for entry in catalogue::all() {
        let wanted = options.games.is_empty() || options.games.iter().any(|n| n == entry.name);
        let hides = entry.card.tags.iter().any(|tag| tag == "hidden information");
        let Some(sheet) = entry.sheet.filter(|_| wanted && hides) else { continue };
        let rules = read(sheet.text, &Reading::default()).rules;
        let prepared = prepare(&rules, sheet.text, entry.name, None, &Stop::never())?;
        if let Some(network) = &prepared.network {
            // What suits the engine is made before anybody is asked: players ask it how many
            // playouts to make at a time, and must not be told another number later.
            let _ = within(VECTORS, &Stop::never(), |stop| network.choices(stop));
        }
        let game = prepared.game;
        if game.info().information != Information::Hidden {
            continue;
        }
        for player in &players {
            for role in game.info().players() {
                let (name, game, player) =
                    (entry.name.to_owned(), Arc::clone(&game), player.clone());
                cases.push(Case { name, game, player, role });
            }
        }
    }
    Ok(cases)
}

fn audit(case: &Case, options: &Options) -> Result<Verdict, magister_core::Halt> {
    let time = Duration::from_secs_f64(options.seconds);
    let audit = Audit {
        iterations: options.iterations,
        seed: Seed::from(1),
        time: Some(time),
        ..Audit::new(case.role)
    };
    within(time * PATIENCE, &Stop::never(), |stop| {
        audit.run(&case.game, &suspect(&case.player), stop)
    })
}

#[expect(clippy::print_stdout, reason = "this is what the command is for")]
fn enter(tally: &mut Tally, case: &Case, verdict: Result<Verdict, magister_core::Halt>) {
    let role = case.game.info().role_name(case.role);
    let place = format!("{} as {role}", case.name);
    let verdict = match verdict {
        Ok(verdict) => verdict,
        Err(halt) => {
            tally.unfinished.push(format!("{place}: {halt}"));
            return;
        }
    };
    tally.audits += 1;
    tally.twins += u64::from(verdict.twins);
    tally.futures += u64::from(verdict.futures);
    tally.answers += verdict.answers;
    for finding in &verdict.findings {
        println!("{} in {place}: {}: {}", case.player, finding.test, finding.what);
        tally.found.push(format!("{} in {place}: {}", case.player, finding.test));
    }
    if verdict.secrets.is_some_and(|secrets| secrets.told > secrets.kept) {
        tally.telling.push(place.clone());
    }
    if verdict.answers == 0 {
        tally.unfinished.push(place);
    }
}

fn table(tallies: &BTreeMap<String, Tally>) -> String {
    let mut text = String::from(
        "| player | audits | twins | other futures | answers compared | findings | tells secrets \
         in | not audited |\n|---|---|---|---|---|---|---|---|\n",
    );
    let list = |all: &[String]| if all.is_empty() { "–".to_owned() } else { all.join(", ") };
    for (player, tally) in tallies {
        let Tally { audits, twins, futures, answers, found, telling, unfinished } = tally;
        let _ = writeln!(
            text,
            "| {player} | {audits} | {twins} | {futures} | {answers} | {} | {} | {} |",
            list(found),
            list(telling),
            list(unfinished)
        );
    }
    text
}
