//! `magister inspect`: the estimates of a player in a position.

use std::fmt::Write as _;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use magister_arena::Deadline;
use magister_core::view::observe;
use magister_core::{
    Budget, Decision, Game, Information, PlayerSource as _, Role, Seed, Stop, Thought, Turn, View,
    draws,
};
use magister_engine::within;
use magister_infoset::Determinization;
use serde_json::{Value, json};

use super::contest::limits;
use super::fit::{fits, no_players, seat};
use super::play::opponent;
use super::step::explained;
use super::{plural, remote};
use crate::args::Inspect;
use crate::console::cells::Cells;
use crate::session::Session;
use crate::terminal::fitted;
use crate::{CLEAN, game};

/// The maximum number of moves in text output.
const SHOWN: usize = 20;
/// The maximum number of steps without a choice before a player is asked.
const PASSED: usize = 10_000;

pub(crate) fn run(args: &Inspect) -> Result<u8> {
    let playable = game::open_for_play(&args.game, &args.language.options())?;
    let info = playable.game.info();
    let player = args.player.clone().map_or_else(|| opponent(info), Ok)?;
    fits(&player, info)?;
    remote::fits(&player, &playable.game)?;
    let mut session = Session::new(Arc::clone(&playable.game), args.seed);
    session.cells = Cells::of(&playable);
    if let Some(moves) = &args.moves
        && let Err(error) = session.play(moves)
    {
        let step = session.at + 1;
        let error = explained(error, &playable, &args.game, &session, moves);
        bail!("step {step}: {error:#}");
    }
    if session.worker.terminal() {
        bail!("the game is over after these moves");
    }
    let begin = session.at;
    let role = match &args.role {
        Some(name) => seat(info, name)?,
        None if info.players().next().is_none() => return Err(no_players(info)),
        None => first_choice(&mut session)?,
    };
    let mut view = View::new(Arc::clone(&playable.game), role);
    for moment in &session.moments[1..] {
        if moment.step.tick {
            let seen = observe(info.information, role, &moment.joint, &moment.step);
            view.push(Turn { own: moment.joint[role.index()], seen });
        }
    }
    let mut agent = player.try_agent()?;
    // A clairvoyant player sees the state, as in a match.
    if info.information == Information::Hidden && player.capabilities().clairvoyant {
        let mut state = Vec::new();
        session.worker.save(&mut state);
        view = Determinization::view(&playable.game, &state, role);
    }
    // The clock starts afterwards. An error here occurs again when the player decides.
    let _ = agent.prepare(&View::new(Arc::clone(view.game()), role), &Stop::never());
    let passed = passed(&session, begin);
    let limits = limits(&args.thinking);
    let stop = Stop::never();
    let mut budget = match limits.iterations {
        Some(iterations) => Budget::iterations(iterations),
        None => Budget::until(stop),
    };
    if let Some(time) = limits.time {
        budget = budget.with_clock(Arc::new(Deadline::within(time)));
    }
    let mut rng = draws::agent(&Seed::from(args.seed), role, view.turns().len());
    let begun = Instant::now();
    let decision = agent.decide(&view, &mut budget, &mut rng)?;
    let took = begun.elapsed();
    let mut out = anstream::stdout().lock();
    if args.json {
        // The estimate of the position takes no longer than the move.
        let values = match limits.time {
            Some(time) => within(time, &Stop::never(), |stop| agent.value_until(&view, stop)),
            None => agent.value(&view),
        };
        let object =
            as_json(&*playable.game, role, &player.to_string(), &decision, took, values.as_deref());
        writeln!(out, "{object}")?;
    } else {
        let player = player.to_string();
        let text = as_text(&*playable.game, role, &player, decision, took, limits.iterations);
        write!(out, "{passed}{}", fitted(&text))?;
    }
    Ok(CLEAN)
}

/// The first player with a choice. Steps without a choice are made before.
fn first_choice(session: &mut Session) -> Result<Role> {
    for _ in 0..PASSED {
        let chooses = session.info().players().find(|&role| session.chooses(role));
        match chooses {
            Some(role) => return Ok(role),
            None if session.worker.terminal() => break,
            None => session.random()?,
        }
    }
    bail!("no player has a choice from this position on; --role asks a player about it anyway")
}

/// The steps that were made because no role had a choice.
fn passed(session: &Session, begin: usize) -> String {
    let (info, words) = (session.info(), session.game.text());
    let mut text = String::new();
    for (at, moment) in session.moments.iter().enumerate().skip(begin + 1) {
        let drawn = info.chance.and_then(|role| Some((role, moment.joint.get(role.index())?)));
        let what = match drawn {
            Some((role, &choice)) => {
                let (name, choice) = (info.role_name(role), words.move_text(choice));
                format!("{name} draws {choice} (from --seed; --moves can set it)")
            }
            None => "no player has a choice".to_owned(),
        };
        text += &fitted(&format!("step {at}: {what}"));
    }
    text
}

fn as_text(
    game: &dyn Game,
    role: Role,
    player: &str,
    decision: Decision,
    took: Duration,
    limit: Option<u64>,
) -> String {
    let text = game.text();
    let name = game.info().role_name(role);
    let rate = decision.iterations as f64 / took.as_secs_f64().max(1e-9);
    let made = decision.iterations;
    let count = match limit {
        Some(limit) if limit != made => format!("{made} of {}", plural(limit, "iteration")),
        _ => plural(made, "iteration"),
    };
    let mut lines = format!(
        "{player} as {name} plays {}\n{count} in {:.0} ms, {rate:.0} per second\n",
        text.move_text(decision.choice),
        took.as_secs_f64() * 1e3,
    );
    if limit.is_some_and(|limit| made < limit) {
        lines += "(A search ends early when the result is proven. uct also spends up to an eighth \
                  of its iterations on an attempt to solve the game.)\n";
    }
    if !decision.thoughts.is_empty() {
        let _ = writeln!(lines, "{:>9}  {:>9}  move", "value", "visits");
    }
    let mut thoughts = decision.thoughts;
    thoughts.sort_by(|a, b| {
        let key = |t: &Thought| (t.visits as f64, t.value.unwrap_or(f64::NEG_INFINITY));
        let (a, b) = (key(a), key(b));
        b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1))
    });
    let more = thoughts.len().saturating_sub(SHOWN);
    for thought in thoughts.iter().take(SHOWN) {
        let value = thought.value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
        let _ = write!(lines, "{value:>9}  {:>9}  ", thought.visits);
        lines += &text.move_text(thought.choice);
        if let Some(likely) = thought.probability {
            let _ = write!(lines, "  {:.1} %", 100.0 * likely);
        }
        lines += if thought.proven { "  proven\n" } else { "\n" };
    }
    if more > 0 {
        let _ = writeln!(lines, "and {more} more, which --json lists");
    }
    if !decision.line.is_empty() {
        let line: Vec<String> = decision.line.iter().map(|joint| joint_text(game, joint)).collect();
        let _ = writeln!(lines, "expected line: {}", line.join("; "));
    }
    lines
}

/// The moves of a joint move, without passes.
fn joint_text(game: &dyn Game, joint: &[magister_core::Move]) -> String {
    let moves = joint.iter().filter(|&&choice| choice != magister_core::Move::IDLE);
    moves.map(|&choice| game.text().move_text(choice)).collect::<Vec<_>>().join(" ")
}

fn as_json(
    game: &dyn Game,
    role: Role,
    player: &str,
    decision: &Decision,
    took: Duration,
    values: Option<&[f64]>,
) -> Value {
    let text = game.text();
    let moves: Vec<Value> = decision
        .thoughts
        .iter()
        .map(|thought| {
            json!({
                "move": text.move_text(thought.choice),
                "value": thought.value,
                "visits": thought.visits,
                "proven": thought.proven,
                "probability": thought.probability,
            })
        })
        .collect();
    let line: Vec<String> = decision.line.iter().map(|joint| joint_text(game, joint)).collect();
    json!({
        "game": game.info().name,
        "player": player,
        "role": game.info().role_name(role),
        "move": text.move_text(decision.choice),
        "moves": moves,
        "line": line,
        "values": values,
        "iterations": decision.iterations,
        "time_ms": took.as_secs_f64() * 1e3,
    })
}
