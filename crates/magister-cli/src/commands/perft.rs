//! `magister perft`: paths and positions, depth by depth.

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
    /// Every path is over.
    Over,
    /// Some go on beyond the depth that was asked for.
    Deep,
    /// Some never end.
    Endless,
}

pub(crate) fn run(args: &Perft) -> Result<u8> {
    let game = game::open(&args.game, args.evaluator, &args.language.options())?;
    let mut out = anstream::stdout().lock();
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
                "not over at this depth; complete games so far {finished}, distinct positions so \
                 far {positions}"
            )?,
            End::Endless => writeln!(
                out,
                "positions can repeat for ever, so the complete games cannot be counted; distinct \
                 positions {positions}"
            )?,
        }
    }
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
            "a step out of the position {} at depth {} cannot be made: {halt}; `magister playable \
             {argument}` looks for more of this kind",
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

/// A number of JSON as long as readers understand it, and its digits as text beyond.
fn number(count: u128) -> Value {
    u64::try_from(count).map_or_else(|_| json!(count.to_string()), |small| json!(small))
}
