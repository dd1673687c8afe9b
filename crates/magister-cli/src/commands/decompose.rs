//! `magister decompose`: the subgames of a game.

mod describe;
mod paper;
mod solution;
mod values;

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use magister::Playable;
use magister_core::{Game, Halt, Stop};
use magister_decompose::{Decomposition, Placement, Plan, Position, Symbolic, rules_text, solve};
use magister_engine::{Compiled, within};
use magister_solve::SolveLimits;
use serde_json::json;

use super::wrapped;
use crate::args::Decompose;
use crate::session::Session;
use crate::{CLEAN, FOUND, game};
use describe::{description, fluents, move_text};
use paper::Paper;

/// Why a puzzle with a plan may not be solved.
const UNPROVEN: &str = "it is not proven that no plan is better";

/// What is split: a game, or a position of it.
struct Subject<'a> {
    name: &'a str,
    compiled: &'a Compiled,
    whole: &'a Decomposition,
    took: Duration,
}

pub(crate) fn run(args: &Decompose) -> Result<u8> {
    let playable = game::open(&args.game, None, &args.language.options())?;
    let time = Duration::from_secs_f64(args.seconds);
    let Some(network) = playable.network() else { return by_rules(&playable, args, time) };
    let begun = Instant::now();
    if let Some(moves) = &args.moves {
        let mut session = Session::new(playable.game.clone(), 0);
        session.play(moves)?;
        let state = session.moment().state.clone();
        let compiled: &Compiled = network.compiled();
        let position = within(time, &Stop::never(), |stop| Position::new(compiled, &state, stop));
        let position = position.map_err(|halt| refused(&playable, halt, args))?;
        let constants: Vec<usize> =
            position.constants.iter().filter(|(_, value)| *value).map(|&(f, _)| f).collect();
        let subject = Subject {
            name: &playable.name,
            compiled: position.game.compiled(),
            whole: &position.whole,
            took: begun.elapsed(),
        };
        let constant = (position.constants.len(), fluents(compiled, &constants));
        return report(&subject, &position.game, Some(&constant), args);
    }
    let compiled: &Compiled = network.compiled();
    let whole = within(time, &Stop::never(), |stop| Decomposition::new(compiled, stop));
    let whole = whole.map_err(|halt| refused(&playable, halt, args))?;
    let subject = Subject { name: &playable.name, compiled, whole: &whole, took: begun.elapsed() };
    if let Some(number) = args.rules {
        return rules(&subject, number, time);
    }
    report(&subject, &*playable.game, None, args)
}

/// Splits rules that are too large to be grounded by their names.
fn by_rules(playable: &Playable, args: &Decompose, time: Duration) -> Result<u8> {
    let none = || {
        anyhow!("{} has no circuit that could be split: only rules in GDL have one", playable.name)
    };
    let program = playable.source.program().ok_or_else(none)?;
    let program = program.map_err(|error| anyhow!("{}: {error}", playable.name))?;
    let found = within(time, &Stop::never(), |stop| Symbolic::new(&program, stop));
    let found = found.map_err(|halt| refused(playable, halt, args))?;
    let mut out = anstream::stdout().lock();
    if args.json {
        let mut object = describe::symbolic(&playable.name, &found);
        if args.solve {
            object["solved"] = json!(false);
            object["reason"] = object["why"].clone();
        }
        writeln!(out, "{object}")?;
    } else {
        write!(out, "{}", describe::symbolic_text(&playable.name, &found, args.all))?;
    }
    Ok(if found.subgames.len() > 1 { CLEAN } else { FOUND })
}

/// Prints the rules of a subgame.
fn rules(subject: &Subject<'_>, number: usize, time: Duration) -> Result<u8> {
    let count = subject.whole.subgames.len();
    if number == 0 || number > count {
        return Err(anyhow!("{} has the subgames 1 to {count}", subject.name));
    }
    let text = within(time, &Stop::never(), |stop| {
        let part = subject.whole.subgame(subject.compiled, number - 1, stop)?;
        let heading = format!("Subgame {number} of {}, written from its circuit.", subject.name);
        rules_text(part.compiled(), &heading)
    });
    let text = text.map_err(|halt| anyhow!("subgame {number} of {}: {halt}", subject.name))?;
    anstream::stdout().lock().write_all(text.as_bytes())?;
    Ok(CLEAN)
}

/// Prints all requested parts.
fn report(
    subject: &Subject<'_>,
    game: &dyn Game,
    constant: Option<&(usize, Vec<String>)>,
    args: &Decompose,
) -> Result<u8> {
    let &Subject { name, compiled, whole, took } = subject;
    let time = Duration::from_secs_f64(args.seconds);
    for (path, drawing) in [
        (&args.svg, Decomposition::svg as fn(&Decomposition, &Compiled) -> String),
        (&args.dot, Decomposition::dot),
    ] {
        if let Some(path) = path {
            write(path, &drawing(whole, compiled))?;
        }
    }
    let code = if whole.decomposes() { CLEAN } else { FOUND };
    if args.svg.as_deref() == Some("-") || args.dot.as_deref() == Some("-") {
        return Ok(code);
    }
    let mut state = Vec::new();
    game.worker().save(&mut state);
    let begun = Instant::now();
    let plan = args.solve.then(|| Placement::attempt(game, &state, Some(time), &Stop::never()));
    let plan = plan.and_then(Result::ok).flatten();
    let planning = begun.elapsed();
    if let Some(plan) = plan.as_ref().filter(|plan| plan.proven) {
        return plan_found(subject, plan, (args, planning));
    }
    let limits = SolveLimits { nodes: args.states as usize, ..SolveLimits::default() };
    let begun = Instant::now();
    let solved = args
        .solve
        .then(|| within(time, &Stop::never(), |stop| solve(compiled, whole, &limits, stop)));
    let solving = begun.elapsed();
    if let (Some(plan), Some(Err(_))) = (&plan, &solved) {
        return plan_found(subject, plan, (args, planning));
    }
    // The values of regions are shown if they are found quickly; they solve positions that parts do
    // not.
    let begun = Instant::now();
    let patience = if matches!(solved, Some(Ok(_))) { time / 10 } else { time };
    let values = args.solve.then(|| {
        let limit = args.states as usize;
        within(patience, &Stop::never(), |stop| values::find(game, &state, limit, stop))
    });
    let values = values.and_then(Result::ok).flatten();
    let valuing = begun.elapsed();
    let by_values = !matches!(solved, Some(Ok(_)));
    let paper =
        args.paper.then(|| within(time, &Stop::never(), |stop| Paper::new(compiled, whole, stop)));
    let mut out = anstream::stdout().lock();
    if args.json {
        let mut object = description(name, compiled, whole);
        object["seconds_to_decompose"] = json!(took.as_secs_f64());
        if let Some((count, holding)) = constant {
            object["constants"] = json!({"count": count, "holding": holding});
        }
        if let Some(solved) = &solved {
            solution::add(&mut object, compiled, solved, solving);
        }
        if let Some(values) = &values {
            values.add(&mut object, compiled, by_values.then_some(valuing.as_secs_f64()));
        }
        if let Some(paper) = &paper {
            object["paper"] = paper.json(compiled);
        }
        writeln!(out, "{object}")?;
        return Ok(code);
    }
    write!(out, "{}", describe::text(name, compiled, whole, args.all, took))?;
    if let Some((count, holding)) = constant {
        let start =
            format!("{} can no longer change; of these hold: ", super::plural(*count, "fluent"));
        write!(out, "{}", describe::list(&start, holding, args.all))?;
    }
    match (&solved, &values) {
        (Some(Err(_)), Some(_)) | (None, _) => {}
        (Some(solved), _) => write!(out, "{}", solution::text(compiled, solved, solving))?,
    }
    if let Some(values) = &values {
        write!(out, "{}", values.text(compiled, by_values))?;
    }
    if let Some(paper) = &paper {
        write!(out, "{}", paper.text(compiled))?;
    }
    Ok(code)
}

/// Prints the plan for a puzzle.
fn plan_found(
    subject: &Subject<'_>,
    plan: &Plan,
    (args, took): (&Decompose, Duration),
) -> Result<u8> {
    let &Subject { name, compiled, whole, .. } = subject;
    let line: Vec<String> = plan.moves.iter().map(|&choice| move_text(compiled, choice)).collect();
    let role = compiled.info().roles.first().cloned().unwrap_or_default();
    let mut out = anstream::stdout().lock();
    if args.json {
        let mut object = description(name, compiled, whole);
        object["seconds_to_decompose"] = json!(subject.took.as_secs_f64());
        object["solved"] = json!(plan.proven);
        if !plan.proven {
            object["reason"] = json!(UNPROVEN);
        }
        object["method"] = json!("placement");
        object["value"] = json!({ role.clone(): plan.value });
        object["best"] =
            line.first().map(|text| json!({"role": role, "move": text})).into_iter().collect();
        object["line"] = json!(line);
        // The states of the plan, because the SAT solver visits none.
        object["states"] = json!(line.len() + 1);
        object["seconds"] = json!(took.as_secs_f64());
        writeln!(out, "{object}")?;
    } else {
        write!(out, "{}", describe::text(name, compiled, whole, args.all, subject.took))?;
        let note = if plan.proven { String::new() } else { format!("; {UNPROVEN}") };
        writeln!(out, "plan for a puzzle of placements: {role} {}{note}", plan.value)?;
        write!(out, "{}", wrapped("  ", line.into_iter(), "  "))?;
    }
    Ok(if whole.decomposes() { CLEAN } else { FOUND })
}

fn refused(playable: &Playable, halt: Halt, args: &Decompose) -> anyhow::Error {
    match halt {
        Halt::Hidden => anyhow!("{} has hidden information, so it is not split", playable.name),
        Halt::Stopped => {
            anyhow!("{} was not split in {} seconds; raise --seconds", playable.name, args.seconds)
        }
        halt => anyhow!("{} was not split: {halt}", playable.name),
    }
}

fn write(path: &str, text: &str) -> Result<()> {
    if path == "-" {
        anstream::stdout().lock().write_all(text.as_bytes())?;
        return Ok(());
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {path}"))
}
