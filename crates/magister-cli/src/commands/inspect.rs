//! `magister inspect`: what a player thinks of a position.

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
use super::fit::{fits, nobody, seat};
use super::play::opponent;
use crate::args::Inspect;
use crate::session::Session;
use crate::{CLEAN, game};

/// Moves that are shown to people.
const SHOWN: usize = 20;

pub(crate) fn run(args: &Inspect) -> Result<u8> {
    let playable = game::open_for_play(&args.game, &args.language.options())?;
    let info = playable.game.info();
    let player = args.player.clone().map_or_else(|| opponent(info), Ok)?;
    fits(&player, info)?;
    let mut session = Session::new(Arc::clone(&playable.game), args.seed);
    if let Some(moves) = &args.moves {
        session.play(moves)?;
    }
    if session.worker.terminal() {
        bail!("the game is over after these moves, so there is nothing to think about");
    }
    let role = match &args.role {
        Some(name) => seat(info, name)?,
        None if info.players().next().is_none() => return Err(nobody(info)),
        None => {
            let Some(role) = info.players().find(|&role| session.chooses(role)) else {
                bail!(
                    "no player has a choice in this position; --moves goes on to another one, and \
                     --role asks all the same"
                );
            };
            role
        }
    };
    let mut view = View::new(Arc::clone(&playable.game), role);
    for moment in &session.moments[1..] {
        if moment.step.tick {
            let seen = observe(info.information, role, &moment.joint, &moment.step);
            view.push(Turn { own: moment.joint[role.index()], seen });
        }
    }
    let mut agent = player.try_agent()?;
    // Whoever wants to be shown the state is shown it, as in a match.
    if info.information == Information::Hidden && player.capabilities().clairvoyant {
        let mut state = Vec::new();
        session.worker.save(&mut state);
        view = Determinization::view(&playable.game, &state, role);
    }
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
        // What it thinks of the position takes no longer than the move.
        let values = match limits.time {
            Some(time) => within(time, &Stop::never(), |stop| agent.value_until(&view, stop)),
            None => agent.value(&view),
        };
        let object =
            as_json(&*playable.game, role, &player.to_string(), &decision, took, values.as_deref());
        writeln!(out, "{object}")?;
    } else {
        write!(out, "{}", as_text(&*playable.game, role, &player.to_string(), decision, took))?;
    }
    Ok(CLEAN)
}

fn as_text(
    game: &dyn Game,
    role: Role,
    player: &str,
    decision: Decision,
    took: Duration,
) -> String {
    let text = game.text();
    let name = game.info().role_name(role);
    let rate = decision.iterations as f64 / took.as_secs_f64().max(1e-9);
    let mut lines = format!(
        "{player} as {name} plays {}; {} iterations in {:.0} ms, {rate:.0} a second\n",
        text.move_text(decision.choice),
        decision.iterations,
        took.as_secs_f64() * 1e3,
    );
    let mut thoughts = decision.thoughts;
    thoughts.sort_by(|a, b| {
        let key = |t: &Thought| (t.visits as f64, t.value.unwrap_or(f64::NEG_INFINITY));
        let (a, b) = (key(a), key(b));
        b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1))
    });
    let more = thoughts.len().saturating_sub(SHOWN);
    for thought in thoughts.iter().take(SHOWN) {
        let value = thought.value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
        let _ = write!(lines, "{value:>9}  {:>9} visits  ", thought.visits);
        lines += &text.move_text(thought.choice);
        if let Some(likely) = thought.probability {
            let _ = write!(lines, "  {:.1} %", 100.0 * likely);
        }
        lines += if thought.proven { "  proven\n" } else { "\n" };
    }
    if more > 0 {
        let _ = writeln!(lines, "and {more} more, which --json tells");
    }
    if !decision.line.is_empty() {
        let line: Vec<String> = decision.line.iter().map(|joint| joint_text(game, joint)).collect();
        let _ = writeln!(lines, "line: {}", line.join("; "));
    }
    lines
}

/// The moves of a joint move that are more than idleness.
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
