//! `magister decompose`: the subgames of a game.

use std::fmt::Write as _;
use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use magister::Playable;
use magister_core::{Halt, Stop};
use magister_decompose::{
    Decomposition, NotSolved, Part, Placement, Plan, Sequences, Solved, solve,
};
use magister_engine::{Compiled, within};
use magister_solve::SolveLimits;
use serde_json::{Value, json};

use super::{plural, wrapped};
use crate::args::Decompose;
use crate::{CLEAN, FOUND, game};

/// Names that are shown of each list, unless all are asked for.
const SHOWN: usize = 12;

pub(crate) fn run(args: &Decompose) -> Result<u8> {
    let playable = game::open(&args.game, None, &args.language.options())?;
    let Some(network) = playable.network() else {
        return Err(anyhow!(
            "{} has no circuit to be split: only rules in GDL that become a network have one",
            playable.name
        ));
    };
    let compiled: &Compiled = network.compiled();
    let time = Duration::from_secs_f64(args.seconds);
    let begun = Instant::now();
    let whole = within(time, &Stop::never(), |stop| Decomposition::new(compiled, stop));
    let whole = whole.map_err(|halt| refused(&playable, halt, args))?;
    let took = begun.elapsed();
    for (path, drawing) in [
        (&args.svg, Decomposition::svg as fn(&Decomposition, &Compiled) -> String),
        (&args.dot, Decomposition::dot),
    ] {
        if let Some(path) = path {
            write(path, &drawing(&whole, compiled))?;
        }
    }
    if args.svg.as_deref() == Some("-") || args.dot.as_deref() == Some("-") {
        return Ok(if whole.decomposes() { CLEAN } else { FOUND });
    }
    if args.solve
        && let Some(plan) = placed(&playable, time)
    {
        return plan_found(&playable, compiled, &whole, &plan, (args, begun.elapsed()));
    }
    let limits = SolveLimits { nodes: args.states as usize, ..SolveLimits::default() };
    let begun = Instant::now();
    let solved = args
        .solve
        .then(|| within(time, &Stop::never(), |stop| solve(compiled, &whole, &limits, stop)));
    let solving = begun.elapsed();
    let paper =
        args.paper.then(|| within(time, &Stop::never(), |stop| sequences(compiled, &whole, stop)));
    let mut out = anstream::stdout().lock();
    if args.json {
        let mut object = description(&playable, compiled, &whole);
        object["seconds_to_decompose"] = json!(took.as_secs_f64());
        if let Some(solved) = &solved {
            add_solution(&mut object, compiled, solved, solving);
        }
        if let Some(paper) = &paper {
            object["paper"] = paper_json(paper);
        }
        writeln!(out, "{object}")?;
    } else {
        write!(out, "{}", text(&playable, compiled, &whole, args, took))?;
        if let Some(solved) = &solved {
            write!(out, "{}", solution_text(compiled, solved, solving))?;
        }
        if let Some(paper) = &paper {
            write!(out, "{}", paper_text(paper))?;
        }
    }
    Ok(if whole.decomposes() { CLEAN } else { FOUND })
}

/// A plan for a puzzle whose moves place things for good; `None` if the game is not such a puzzle
/// or no plan was found.
fn placed(playable: &Playable, time: Duration) -> Option<Plan> {
    let mut state = Vec::new();
    playable.game.worker().save(&mut state);
    Placement::attempt(&*playable.game, &state, Some(time), &Stop::never()).ok()?
}

/// Prints the solution of a puzzle.
fn plan_found(
    playable: &Playable,
    compiled: &Compiled,
    whole: &Decomposition,
    plan: &Plan,
    (args, took): (&Decompose, Duration),
) -> Result<u8> {
    let line: Vec<String> = plan.moves.iter().map(|&choice| move_text(compiled, choice)).collect();
    let role = compiled.info().roles.first().cloned().unwrap_or_default();
    let mut out = anstream::stdout().lock();
    if args.json {
        let mut object = description(playable, compiled, whole);
        object["solved"] = json!(true);
        object["method"] = json!("placement");
        object["value"] = json!({ role.clone(): plan.value });
        object["best"] =
            line.first().map(|text| json!({"role": role, "move": text})).into_iter().collect();
        object["line"] = json!(line);
        object["seconds"] = json!(took.as_secs_f64());
        writeln!(out, "{object}")?;
    } else {
        write!(out, "{}", text(playable, compiled, whole, args, took))?;
        writeln!(out, "plan for a puzzle of placements: {role} {}", plan.value)?;
        write!(out, "{}", wrapped("  ", line.into_iter(), "  "))?;
    }
    Ok(if whole.decomposes() { CLEAN } else { FOUND })
}

fn refused(playable: &Playable, halt: Halt, args: &Decompose) -> anyhow::Error {
    match halt {
        Halt::Hidden => anyhow!("{} hides information, so it is not split", playable.name),
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

fn fluents(compiled: &Compiled, numbers: &[usize]) -> Vec<String> {
    numbers.iter().map(|&fluent| compiled.names().fluents()[fluent].clone()).collect()
}

/// The texts of moves: different roles may have the same.
fn moves(compiled: &Compiled, places: &[usize]) -> Vec<String> {
    let network = compiled.network();
    let text = |&place: &usize| {
        let (role, choice) = network.moves[place];
        (role, compiled.names().moves()[choice.index()].clone())
    };
    let mut all: Vec<String> = places.iter().map(text).map(|(_, text)| text).collect();
    all.sort();
    all.dedup();
    all
}

fn description(playable: &Playable, compiled: &Compiled, whole: &Decomposition) -> Value {
    let subgame = |part: &Part| json!({"fluents": fluents(compiled, &part.fluents), "moves": moves(compiled, &part.moves)});
    let kinds: Vec<&str> = whole.kinds.iter().map(|kind| kind.name()).collect();
    let later = whole.later.as_deref().map(|later| {
        let inside: &Compiled = later.game.compiled();
        let part = |part: &Part| json!({"fluents": fluents(inside, &part.fluents), "moves": moves(inside, &part.moves)});
        json!({
            "given": fluents(compiled, &later.given),
            "subgames": later.whole.subgames.iter().map(part).collect::<Vec<_>>(),
            "classes": later.whole.kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
        })
    });
    json!({
        "game": playable.name,
        "later": later,
        "subgames": whole.subgames.iter().map(subgame).collect::<Vec<_>>(),
        "context": fluents(compiled, &whole.context),
        "dead": moves(compiled, &whole.dead),
        "serial": whole.serial(),
        "classes": kinds,
        "useful": whole.worth.useful,
        "why": whole.worth.why,
        "proof": {
            "by_support": whole.proof.by_support,
            "by_sat": whole.proof.by_sat,
            "questions": whole.proof.questions,
            "together": whole.proof.together,
        },
    })
}

fn list(start: &str, names: &[String], all: bool) -> String {
    let shown = if all { names.len() } else { names.len().min(SHOWN) };
    let mut items: Vec<String> = names[..shown].to_vec();
    if shown < names.len() {
        items.push(format!("and {} more", names.len() - shown));
    }
    wrapped(start, items.into_iter(), "  ")
}

fn text(
    playable: &Playable,
    compiled: &Compiled,
    whole: &Decomposition,
    args: &Decompose,
    took: Duration,
) -> String {
    let mut text = format!(
        "{}: {} in {:.3} s\n",
        playable.name,
        plural(whole.subgames.len(), "subgame"),
        took.as_secs_f64()
    );
    for (number, part) in whole.subgames.iter().enumerate() {
        let _ = writeln!(
            text,
            "subgame {}: {}, {}",
            number + 1,
            plural(part.fluents.len(), "fluent"),
            plural(moves(compiled, &part.moves).len(), "move")
        );
        text += &list("  fluents: ", &fluents(compiled, &part.fluents), args.all);
        text += &list("  moves:   ", &moves(compiled, &part.moves), args.all);
    }
    if !whole.context.is_empty() {
        text += &list("no move acts on: ", &fluents(compiled, &whole.context), args.all);
    }
    if !whole.dead.is_empty() {
        text += &list("moves that act on nothing: ", &moves(compiled, &whole.dead), args.all);
    }
    for (early, late) in whole.serial() {
        let _ = writeln!(text, "subgame {} begins when subgame {} is over", late + 1, early + 1);
    }
    let kinds: Vec<&str> = whole.kinds.iter().map(|kind| kind.name()).collect();
    if !kinds.is_empty() {
        let _ = writeln!(text, "classes: {}", kinds.join(", "));
    }
    if let Some(later) = &whole.later {
        let given = fluents(compiled, &later.given);
        let parts = plural(later.whole.subgames.len(), "subgame");
        text += &list(&format!("{parts} once these hold for good: "), &given, args.all);
        let inside = later.game.compiled();
        for (number, part) in later.whole.subgames.iter().enumerate() {
            text += &list(
                &format!("  subgame {}: ", number + 1),
                &fluents(inside, &part.fluents),
                args.all,
            );
        }
        let kinds: Vec<&str> = later.whole.kinds.iter().map(|kind| kind.name()).collect();
        let _ = writeln!(text, "  classes: {}", kinds.join(", "));
    }
    let useful = if whole.worth.useful { "yes" } else { "no" };
    let _ = writeln!(text, "useful: {useful}, {}", whole.worth.why);
    let proof = &whole.proof;
    let _ = writeln!(
        text,
        "proof: {} by circuit support, {} by SAT in {}",
        plural(proof.by_support, "fluent"),
        proof.by_sat,
        plural(proof.questions as usize, "question")
    );
    if proof.together > 0 {
        let _ = writeln!(text, "  roles act together on {}", plural(proof.together, "fluent"));
    }
    text
}

fn move_text(compiled: &Compiled, choice: magister_core::Move) -> String {
    compiled.names().moves().get(choice.index()).cloned().unwrap_or_else(|| "-".to_owned())
}

fn add_solution(
    object: &mut Value,
    compiled: &Compiled,
    solved: &Result<Solved, NotSolved>,
    took: Duration,
) {
    let solved = match solved {
        Ok(solved) => solved,
        Err(why) => {
            object["solved"] = json!(false);
            object["reason"] = json!(why.to_string());
            return;
        }
    };
    let info = compiled.info();
    let value: serde_json::Map<String, Value> = info
        .roles
        .iter()
        .zip(&solved.value)
        .map(|(role, &value)| (role.clone(), json!(value)))
        .collect();
    object["solved"] = json!(true);
    object["method"] = json!(solved.method.name());
    object["value"] = Value::Object(value);
    let one = |role: magister_core::Role, choice| json!({"role": info.role_name(role), "move": move_text(compiled, choice)});
    object["best"] = solved.best.iter().map(|&(role, choice)| one(role, choice)).collect();
    object["first"] = solved
        .first
        .iter()
        .map(|&(role, choice, value)| {
            let mut object = one(role, choice);
            object["value"] = json!(value);
            object
        })
        .collect();
    object["states"] = json!(solved.states);
    object["seconds"] = json!(took.as_secs_f64());
    object["sizes"] = json!({
        "states": solved.sizes.states,
        "classes": solved.sizes.classes,
        "pruned": solved.sizes.pruned,
    });
    if let Some(nimbers) = &solved.nimbers {
        object["nimbers"] = json!(nimbers);
    }
}

fn solution_text(
    compiled: &Compiled,
    solved: &Result<Solved, NotSolved>,
    took: Duration,
) -> String {
    let solved = match solved {
        Ok(solved) => solved,
        Err(why) => return format!("not solved: {why}\n"),
    };
    let info = compiled.info();
    let values: Vec<String> = info
        .roles
        .iter()
        .zip(&solved.value)
        .map(|(role, value)| format!("{role} {value}"))
        .collect();
    let mut text = format!(
        "solved by {} in {:.6} s: {}\n",
        solved.method.name(),
        took.as_secs_f64(),
        values.join(", ")
    );
    let sizes = solved.sizes;
    let _ = writeln!(
        text,
        "states of the parts: {}, classes: {}, after pruning: {}, states searched: {}",
        sizes.states, sizes.classes, sizes.pruned, solved.states
    );
    if let Some(nimbers) = &solved.nimbers {
        let nimbers: Vec<String> = nimbers.iter().map(u32::to_string).collect();
        let _ = writeln!(text, "nimbers: {}", nimbers.join(", "));
    }
    let best: Vec<String> = solved
        .best
        .iter()
        .map(|&(role, choice)| format!("{} {}", info.role_name(role), move_text(compiled, choice)))
        .collect();
    text + &list("best: ", &best, true)
}

/// The counts of the paper's search, for each subgame.
fn sequences(
    compiled: &Compiled,
    whole: &Decomposition,
    stop: &Stop,
) -> Vec<Result<Sequences, Halt>> {
    let count = |number: usize| Sequences::new(compiled, whole, number, stop);
    (0..whole.subgames.len()).map(count).collect()
}

fn paper_json(paper: &[Result<Sequences, Halt>]) -> Value {
    let one = |found: &Result<Sequences, Halt>| match found {
        Ok(found) => json!({
            "all": found.all.to_string().parse::<u64>().ok(),
            "kept": found.kept.to_string().parse::<u64>().ok(),
            "lengths": found.lengths.iter().map(|&n| n as u64).collect::<Vec<_>>(),
        }),
        Err(halt) => json!({"reason": halt.to_string()}),
    };
    json!({"sound": false, "subgames": paper.iter().map(one).collect::<Vec<_>>()})
}

fn paper_text(paper: &[Result<Sequences, Halt>]) -> String {
    let mut text = String::from(
        "sequences of the paper's search, whose pruning rule is unsound: do not play by it\n",
    );
    for (number, found) in paper.iter().enumerate() {
        let _ = match found {
            Ok(found) => writeln!(
                text,
                "  subgame {}: {} sequences, {} after pruning",
                number + 1,
                found.all,
                found.kept
            ),
            Err(halt) => writeln!(text, "  subgame {}: {halt}", number + 1),
        };
    }
    text
}
