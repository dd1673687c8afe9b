//! The audit of every honest player in every game with hidden information.

mod table;

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use magister_arena::audit::{Audit, Ground, suspect};
use magister_core::{Information, PlayerSource as _, Seed, Stop};
use magister_engine::{Evaluator, within};
use magister_games::catalogue;
use magister_players::{PLAYERS, Spec};
use serde::{Deserialize, Serialize};

use crate::binary;
use crate::sheets::{Sheet, everything, named};

#[derive(Args)]
pub(crate) struct Options {
    /// Bundled games and files; by default all with hidden information, and the oracle's
    games: Vec<String>,
    /// Only these players, with their settings
    #[arg(long)]
    players: Option<String>,
    /// The time per game and player in seconds, shared by its roles; slow players take longer
    #[arg(long, default_value_t = 0.8)]
    seconds: f64,
    /// The iterations per decision
    #[arg(long, default_value_t = 10)]
    iterations: u64,
    /// Print only, and do not write docs/honesty.md
    #[arg(long)]
    print: bool,
    /// Discard earlier results, for example after players have changed
    #[arg(long)]
    fresh: bool,
}

/// The factor by which a player may exceed its time; if it did not answer by then, the factor for a
/// second audit with little work. Second audits are made in a game until its audits have exceeded
/// their time by a third factor.
const PATIENCE: f64 = 5.0;
const LAST: f64 = 100.0;
const ALL: f64 = 60.0;
/// The settings for little work, besides one iteration: enumerated states, sampled histories, nodes
/// of a game that is solved as a whole, and the depth of simulations.
const LITTLE: [(&str, u32); 4] = [("states", 20), ("particles", 10), ("nodes", 1000), ("depth", 1)];
/// The probability that a statistical test rejects any honest player.
const DOUBT: f64 = 0.01;
/// The time limits for preparing a game and for solving it.
const PREPARATION: Duration = Duration::from_secs(30);
const SOLVING: Duration = Duration::from_secs(5);

/// The result of a player in a game, for all roles.
#[derive(Default, Serialize, Deserialize)]
struct Outcome {
    game: String,
    player: String,
    /// The settings of the audit.
    how: String,
    twins: u64,
    futures: u64,
    answers: u64,
    findings: Vec<String>,
    /// Roles in which it plays as if the others saw the state, although that is a mistake.
    telling: Vec<String>,
    /// Why it, or one of its roles, was not audited.
    left_out: Vec<String>,
    seconds: f64,
}

#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
pub(crate) fn run(options: &Options) -> Result<()> {
    let players = players(options)?;
    let how = format!("{} s, {} iterations", options.seconds, options.iterations);
    let path = binary::target().join("audit.jsonl");
    if options.fresh {
        let _ = fs::remove_file(&path);
    }
    let before = fs::read_to_string(&path).unwrap_or_default();
    let lines = before.lines().filter_map(|line| serde_json::from_str(line).ok());
    let mut known: Vec<Outcome> = lines.filter(|line: &Outcome| line.how == how).collect();
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    let (sheets, begun) = (sheets(options)?, Instant::now());
    let mut all: Vec<Outcome> = Vec::new();
    // Three statistical tests, in about two roles.
    let audits = (sheets.len() * players.len() * 6) as f64;
    for (number, sheet) in sheets.iter().enumerate() {
        let open: Vec<&Spec> = players
            .iter()
            .filter(|player| {
                let is =
                    |done: &Outcome| done.game == sheet.name && done.player == player.to_string();
                match known.iter().position(is) {
                    Some(at) => all.push(known.swap_remove(at)),
                    None => return true,
                }
                false
            })
            .collect();
        let (start, most) = (Instant::now(), ALL * options.seconds * players.len() as f64);
        let ground = if open.is_empty() { None } else { Some(ground(sheet)) };
        for player in open {
            let mut outcome = match &ground {
                Some(Ok(ground)) => {
                    let again = start.elapsed().as_secs_f64() < most;
                    audit(ground, player, audits, again, options)
                }
                Some(Err(why)) => Outcome { left_out: vec![why.clone()], ..Outcome::default() },
                None => continue,
            };
            outcome.game.clone_from(&sheet.name);
            outcome.player = player.to_string();
            outcome.how.clone_from(&how);
            writeln!(file, "{}", serde_json::to_string(&outcome)?)?;
            for finding in &outcome.findings {
                println!("  {player} in {}: {finding}", sheet.name);
            }
            all.push(outcome);
        }
        let here = || all.iter().filter(|outcome| outcome.game == sheet.name);
        println!(
            "{} of {}: {}: {} answers compared, {:.0} s since the beginning",
            number + 1,
            sheets.len(),
            sheet.name,
            here().map(|outcome| outcome.answers).sum::<u64>(),
            begun.elapsed().as_secs_f64(),
        );
        if !options.print && options.games.is_empty() {
            // Written after each game, so that an interrupted run leaves a result.
            let text = table::document(&all, sheets.len(), options);
            fs::write(binary::root().join("docs/honesty.md"), text)?;
        }
    }
    println!("\n{}", table::by_player(&all));
    let found: Vec<String> = all
        .iter()
        .filter(|outcome| !outcome.findings.is_empty())
        .map(|outcome| format!("{} in {}", outcome.player, outcome.game))
        .collect();
    if !found.is_empty() {
        bail!("{} audits found something: {}", found.len(), found.join(", "));
    }
    Ok(())
}

/// The players to audit: every player of the registry that gets only its view.
fn players(options: &Options) -> Result<Vec<Spec>> {
    if let Some(players) = &options.players {
        return Ok(Spec::parse_list(players)?);
    }
    let mut players: Vec<Spec> = Vec::new();
    for entry in PLAYERS.iter().filter(|entry| entry.hidden) {
        let spec: Spec = entry.name.parse()?;
        if !spec.capabilities().clairvoyant {
            players.push(spec);
        }
    }
    Ok(players)
}

/// The games: those of the catalogue with hidden information, and the oracle's.
fn sheets(options: &Options) -> Result<Vec<Sheet>> {
    if !options.games.is_empty() {
        return named(&options.games);
    }
    let hides = |name: &str| {
        catalogue::find(name)
            .is_some_and(|entry| entry.card.tags.iter().any(|tag| tag == "hidden information"))
    };
    let all = everything().into_iter();
    Ok(all.filter(|sheet| sheet.name.starts_with("gdl2/") || hides(&sheet.name)).collect())
}

/// A game, prepared and solved if possible; or why that failed.
fn ground(sheet: &Sheet) -> Result<Ground, String> {
    let mut playable = sheet.open(None, PREPARATION)?;
    // Batch playouts are measured before any player is asked: players query how many playouts to
    // make at a time, and this number must not change later.
    if playable.warm_up_within(PREPARATION, &Stop::never()).is_err() {
        playable = sheet.open(Some(Evaluator::Incremental), PREPARATION)?;
    }
    let game = playable.game;
    if game.info().information != Information::Hidden {
        return Err("it has perfect information".to_owned());
    }
    Ok(within(SOLVING, &Stop::never(), |stop| Ground::new(&game, stop)))
}

/// The same player with little work per decision. Explicit settings are kept.
fn modest(player: &Spec) -> Spec {
    let name = player.to_string();
    let has = |(name, _): &&(&str, u32)| player.entry().parameters.iter().any(|p| p.name == *name);
    let little = LITTLE.iter().filter(has).map(|(name, value)| format!("{name}={value}"));
    let little = little.collect::<Vec<_>>().join(",");
    format!("{name}:{little}").parse().unwrap_or_else(|_| player.clone())
}

/// Audits a player in all roles of a game, slow ones again if there is time.
fn audit(ground: &Ground, player: &Spec, audits: f64, again: bool, options: &Options) -> Outcome {
    let info = ground.game().info();
    let roles = info.players().count().max(1);
    let time = Duration::from_secs_f64(options.seconds / roles as f64);
    let (mut outcome, begun) = (Outcome::default(), Instant::now());
    for role in info.players() {
        let audit = Audit {
            iterations: options.iterations,
            seed: Seed::from(1),
            doubt: DOUBT / audits,
            time: Some(time),
            ..Audit::new(role)
        };
        let ask = |audit: &Audit, player: &Spec, patience: f64| {
            within(time.mul_f64(patience), &Stop::never(), |stop| {
                audit.run(ground, &suspect(player), stop)
            })
        };
        let mut verdict = ask(&audit, player, PATIENCE);
        if again && verdict.as_ref().is_ok_and(|verdict| verdict.answers == 0) {
            verdict = ask(&Audit { iterations: 1, ..audit }, &modest(player), LAST);
        }
        let name = info.role_name(role);
        let verdict = match verdict {
            Ok(verdict) => verdict,
            Err(halt) => {
                outcome.left_out.push(format!("as {name}: {halt}"));
                continue;
            }
        };
        outcome.twins += u64::from(verdict.twins);
        outcome.futures += u64::from(verdict.futures);
        outcome.answers += verdict.answers;
        for finding in &verdict.findings {
            outcome.findings.push(format!("as {name}: {}: {}", finding.test, finding.what));
        }
        if verdict.tells {
            outcome.telling.push(name.to_owned());
        }
        if verdict.answers == 0 {
            outcome.left_out.push(format!("as {name}: no answer in time"));
        }
    }
    outcome.seconds = begun.elapsed().as_secs_f64();
    outcome
}
