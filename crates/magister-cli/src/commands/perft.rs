//! `magister perft`: paths and positions, depth by depth.

mod divide;

use std::io::Write;

use anyhow::{Context as _, Result, bail};
use magister_core::Stop;
use magister_engine::inspect::{Counter, Failure, Level};
use serde_json::{Value, json};

use crate::args::Perft;
use crate::{CLEAN, game};

/// How a count ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Every path has ended.
    Over,
    /// Some paths continue beyond the requested depth.
    Deep,
    /// Some paths never end.
    Endless,
}

pub(crate) fn run(args: &Perft) -> Result<u8> {
    let game = game::open(&args.game, args.evaluator, &args.language.options())?;
    let mut out = anstream::stdout().lock();
    if args.divide {
        return divided(&mut out, args, &game);
    }
    let mut counter = Counter::new(&*game.game, args.limit, Stop::never());
    let mut levels: Vec<Level> = Vec::new();
    if !args.json {
        writeln!(out, "depth {:>24} {:>24} {:>12}", "nodes", "terminals", "distinct")?;
    }
    let end = loop {
        let level = counter.level();
        if !args.json {
            let Level { nodes, terminals, distinct } = level;
            writeln!(out, "{:>5} {nodes:>24} {terminals:>24} {distinct:>12}", levels.len())?;
            out.flush()?;
        }
        levels.push(level);
        if level.nodes == level.terminals {
            break End::Over;
        }
        match args.depth {
            Some(depth) if levels.len() > depth as usize => break End::Deep,
            None if counter.endless() => break End::Endless,
            _ => {}
        }
        if let Err(failure) = counter.advance() {
            return fail(&failure, &*game.game, &args.game, args.limit, levels.len());
        }
    };
    let finished = levels.iter().try_fold(0_u128, |sum, level| sum.checked_add(level.terminals));
    let finished = finished.context("there are more complete games than 128 bits can count")?;
    let positions = counter.positions();
    if args.json {
        let depths: Vec<Value> = levels.iter().enumerate().map(depth).collect();
        let object = json!({
            "game": game.name,
            "evaluator": game.evaluator,
            "depths": depths,
            "over": end == End::Over,
            "endless": end == End::Endless,
            "complete_games": number(finished),
            "positions": positions,
        });
        writeln!(out, "{object}")?;
    } else {
        match end {
            End::Over => {
                writeln!(out, "complete games {finished}, distinct positions {positions}")?;
            }
            End::Deep => writeln!(
                out,
                "some games continue beyond this depth; complete games so far {finished}, distinct \
                 positions so far {positions}"
            )?,
            End::Endless => writeln!(
                out,
                "positions can repeat forever, so complete games cannot be counted; distinct positions \
                 {positions}"
            )?,
        }
    }
    Ok(CLEAN)
}

/// The paths below each move of the initial position, with the moves of the roles that have a
/// choice.
fn divided(out: &mut impl Write, args: &Perft, game: &magister::Playable) -> Result<u8> {
    let depth = args.depth.context("--divide needs a DEPTH")?;
    let (info, text) = (game.game.info(), game.game.text());
    let parts = divide::divide(&*game.game, depth, args.limit)?;
    let mut worker = game.game.worker();
    worker.reset();
    let choosing: Vec<magister_core::Role> =
        info.all_roles().filter(|&role| worker.legal(role).len() > 1).collect();
    let total: u128 = parts.iter().map(|part| part.paths).sum();
    if args.json {
        let moves = |part: &divide::Part| -> Vec<String> {
            part.joint.iter().map(|&choice| text.move_text(choice)).collect()
        };
        let parts: Vec<Value> = parts
            .iter()
            .map(|part| json!({"moves": moves(part), "nodes": number(part.paths)}))
            .collect();
        let object = json!({
            "game": game.name,
            "evaluator": game.evaluator,
            "depth": depth,
            "divide": parts,
            "nodes": number(total),
        });
        writeln!(out, "{object}")?;
        return Ok(CLEAN);
    }
    for part in &parts {
        let moves = choosing.iter().map(|role| text.move_text(part.joint[role.index()]));
        let moves: Vec<String> = moves.collect();
        let moves = if moves.is_empty() { "(no choice)".to_owned() } else { moves.join(" ") };
        writeln!(out, "{:>24}  {moves}", part.paths)?;
    }
    writeln!(out, "{total:>24}  nodes at depth {depth}")?;
    Ok(CLEAN)
}

fn fail(
    failure: &Failure,
    game: &dyn magister_core::Game,
    argument: &str,
    limit: u32,
    depth: usize,
) -> Result<u8> {
    match failure {
        Failure::Limit => bail!(
            "depth {depth} has more than {limit} distinct positions together with those before \
             it; ask for a lower DEPTH, or raise --limit if the memory allows"
        ),
        Failure::Count => bail!("depth {depth} has more paths than 128 bits can count"),
        Failure::Halt { state, halt } => bail!(
            "no step can be made from the position {} at depth {}: {halt}; `magister playable \
             {argument}` looks for more such faults",
            game.text().state_text(state),
            depth - 1
        ),
    }
}

fn depth((depth, level): (usize, &Level)) -> Value {
    json!({
        "depth": depth,
        "nodes": number(level.nodes),
        "terminals": number(level.terminals),
        "distinct": level.distinct,
    })
}

/// A count as a JSON number if readers can represent it, otherwise as text.
fn number(count: u128) -> Value {
    u64::try_from(count).map_or_else(|_| json!(count.to_string()), |small| json!(small))
}
