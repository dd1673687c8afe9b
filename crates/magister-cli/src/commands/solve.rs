//! `magister solve`: the value of a game, and optimal play.

mod equilibrium;
mod exploited;

use std::fmt::Write as _;
use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::Result;
use magister_core::{Game, Halt, Information, Move, Role, Stop};
use magister_engine::within;
use magister_solve::puzzle::PuzzleSolution;
use magister_solve::{
    Answer, Effort, Solution, SolveLimits, Unsolved, Variant, solve as solve_game,
};
use serde_json::{Map, Value, json};

use super::fit::no_players;
use super::plural;
use crate::args::{Method, Solve};
use crate::terminal::fitted;
use crate::waiting::Ticker;
use crate::{CLEAN, FOUND, game};

/// The number of information sets that are listed without --strategy.
const FEW: usize = 12;
/// The maximum number of steps of a line that are listed.
const LONG: usize = 10_000;

pub(crate) fn run(args: &Solve) -> Result<u8> {
    let playable = game::open(&args.game, None, &args.language.options())?;
    let game = &*playable.game;
    if game.info().players().next().is_none() {
        return Err(no_players(game.info()));
    }
    let limits = SolveLimits { nodes: args.nodes as usize, bytes: (args.memory as usize) << 20 };
    let variant = match args.method {
        Method::CfrPlus => Variant::Plus,
        Method::Cfr => Variant::Plain,
    };
    if let Some(player) = &args.player {
        return exploited::run(&playable, player, &limits, args);
    }
    let begun = Instant::now();
    let ticker = Ticker::start(format!("solving {}", playable.name));
    let answer = within(Duration::from_secs_f64(args.seconds), &Stop::never(), |stop| {
        let effort = Effort { target: args.target, variant, stop: stop.clone(), rounds: u64::MAX };
        solve_game(game, &limits, &effort)
    });
    let took = begun.elapsed();
    drop(ticker);
    let mut out = anstream::stdout().lock();
    let answer = match answer {
        Ok(answer) => answer,
        Err(why) => {
            let advice = advice(&why, game, args);
            if args.json {
                let mut object = json!({
                    "game": playable.name, "solved": false, "why": why.to_string(),
                    "advice": advice,
                });
                if let Unsolved::TooLarge(size) | Unsolved::Late(size) = &why {
                    object["nodes"] = json!(size.nodes);
                    object["depth"] = json!(size.depth);
                    object["information_sets"] = json!(size.sets);
                }
                writeln!(out, "{object}")?;
            } else {
                let text = format!("{} was not solved: {why}\n{advice}", playable.name);
                write!(out, "{}", fitted(&text))?;
            }
            return Ok(FOUND);
        }
    };
    if args.json {
        let mut object = Map::new();
        object.insert("game".into(), json!(playable.name));
        object.insert("solved".into(), json!(true));
        let values = names(game).into_iter().zip(answer.values(game).into_iter().map(Value::from));
        object.insert("value".into(), Value::Object(values.collect()));
        match &answer {
            Answer::Puzzle(solution) => puzzle_json(game, solution, &mut object),
            Answer::Positions(solution) => positions_json(game, solution, &mut object)?,
            Answer::Equilibrium(found) => equilibrium::json(game, found, args, &mut object),
        }
        if args.strategy {
            object.entry("strategy").or_insert(Value::Null);
        }
        object.insert("seconds".into(), json!(took.as_secs_f64()));
        writeln!(out, "{}", Value::Object(object))?;
    } else {
        let text = match &answer {
            Answer::Puzzle(solution) => puzzle_text(game, solution),
            Answer::Positions(solution) => positions_text(game, solution)?,
            Answer::Equilibrium(found) => equilibrium::text(game, found, args),
        };
        write!(out, "{}", fitted(&format!("{}: {text}", playable.name)))?;
        if args.strategy && !matches!(answer, Answer::Equilibrium(_)) {
            let note = format!(
                "--strategy is for games with hidden information; `magister inspect {} --moves MOVES` \
                 shows the value of each move in a position",
                args.game
            );
            write!(out, "{}", fitted(&note))?;
        }
    }
    Ok(CLEAN)
}

/// Advice for a game that was not solved.
fn advice(why: &Unsolved, game: &dyn Game, args: &Solve) -> String {
    let hidden = game.info().information == Information::Hidden;
    let play = if hidden { "oos" } else { "uct" };
    let learn = format!(
        "to see strong play without a solution, try `magister match {} --players {play}`",
        args.game
    );
    match why {
        Unsolved::TooLarge(_) => format!(
            "Raise --memory (now {} MiB) or --nodes (now {}); {learn}.",
            args.memory, args.nodes
        ),
        Unsolved::Late(_) | Unsolved::Halt(Halt::Stopped) => {
            format!("Raise --seconds (now {}); {learn}.", args.seconds)
        }
        Unsolved::Halt(_) => {
            format!("`magister playable {}` looks for such faults.", args.game)
        }
        _ => format!("It has no well-defined solution; {learn}."),
    }
}

fn names(game: &dyn Game) -> Vec<String> {
    let info = game.info();
    info.players().map(|role| info.role_name(role).to_owned()).collect()
}

/// `first 48.6111, second 51.3889`.
fn values_text(game: &dyn Game, values: &[f64]) -> String {
    let values = names(game).into_iter().zip(values);
    values.map(|(name, value)| format!("{name} {}", number(*value))).collect::<Vec<_>>().join(", ")
}

/// A number with up to four decimals.
fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

/// A joint move without passes.
fn joint_text(game: &dyn Game, joint: &[Move]) -> String {
    let text = |choice: &Move| game.text().move_text(*choice);
    let real = |choice: &&Move| !matches!(text(choice).as_str(), "noop" | "-");
    let moves: Vec<String> = joint.iter().filter(real).map(text).collect();
    if moves.is_empty() { "noop".to_owned() } else { moves.join(" ") }
}

fn line_text(game: &dyn Game, line: &[Vec<Move>]) -> String {
    line.iter().map(|joint| joint_text(game, joint)).collect::<Vec<_>>().join("; ")
}

fn line_json(game: &dyn Game, line: &[Vec<Move>]) -> Value {
    let text = |joint: &Vec<Move>| -> Vec<String> {
        joint.iter().map(|&choice| game.text().move_text(choice)).collect()
    };
    line.iter().map(text).collect()
}

fn puzzle_text(game: &dyn Game, solution: &PuzzleSolution) -> String {
    format!(
        "puzzle, {} searched\nvalue: {}\nshortest solution: {}\n  {}\n",
        plural(solution.positions, "position"),
        values_text(game, &[solution.value]),
        plural(solution.line.len(), "step"),
        line_text(game, &solution.line)
    )
}

fn puzzle_json(game: &dyn Game, solution: &PuzzleSolution, object: &mut Map<String, Value>) {
    object.insert("method".into(), json!("puzzle"));
    object.insert("exact".into(), json!(true));
    object.insert("positions".into(), json!(solution.positions));
    object.insert("length".into(), json!(solution.line.len()));
    object.insert("line".into(), line_json(game, &solution.line));
}

/// The forced beginning of a game, and the moves of the first position with a choice.
struct Opening {
    line: Vec<Vec<Move>>,
    roles: Vec<(Role, Vec<magister_solve::Candidate>)>,
}

fn opening(game: &dyn Game, solution: &Solution) -> Result<Opening> {
    let mut worker = game.worker();
    worker.reset();
    let mut state = Vec::new();
    worker.save(&mut state);
    let moves = |role| Some((role, solution.moves(&state, role)?));
    let roles = game.info().players().filter_map(moves).collect();
    Ok(Opening { line: solution.line(&mut *worker, LONG)?, roles })
}

fn positions_text(game: &dyn Game, solution: &Solution) -> Result<String> {
    let Opening { line, roles } = opening(game, solution)?;
    let mut text = format!("{}, all solved\n", plural(solution.positions(), "position"));
    if !solution.exact() {
        text += "simultaneous moves in a game that is not constant-sum: the values are an \
                 approximation by regret matching, not a proof\n";
    }
    let players: Vec<f64> =
        game.info().players().map(|role| solution.value()[role.index()]).collect();
    let _ = writeln!(text, "value: {}", values_text(game, &players));
    for (role, moves) in roles {
        let _ = writeln!(text, "values of the first moves of {}:", game.info().role_name(role));
        for one in moves {
            let value = one.value.map_or_else(|| "-".to_owned(), number);
            let _ = write!(text, "  {value:>8}  {}", game.text().move_text(one.choice));
            // Of several best moves, the line below contains one; a mixed strategy shows its
            // probabilities.
            if one.likely > 0.0 && one.likely < 1.0 {
                let _ = write!(text, "  {} %", number(100.0 * one.likely));
            }
            text.push('\n');
        }
    }
    if !line.is_empty() {
        let (steps, moves) = (plural(line.len(), "step"), line_text(game, &line));
        let _ = writeln!(text, "optimal play: {steps}\n  {moves}");
    }
    Ok(text)
}

fn positions_json(
    game: &dyn Game,
    solution: &Solution,
    object: &mut Map<String, Value>,
) -> Result<()> {
    let Opening { line, roles } = opening(game, solution)?;
    object.insert("method".into(), json!("positions"));
    object.insert("exact".into(), json!(solution.exact()));
    object.insert("positions".into(), json!(solution.positions()));
    let mut moves = Vec::new();
    for (role, candidates) in roles {
        for one in candidates {
            moves.push(json!({
                "role": game.info().role_name(role),
                "move": game.text().move_text(one.choice),
                "value": one.value,
                "probability": one.likely,
            }));
        }
    }
    object.insert("moves".into(), Value::Array(moves));
    object.insert("length".into(), json!(line.len()));
    object.insert("line".into(), line_json(game, &line));
    Ok(())
}
