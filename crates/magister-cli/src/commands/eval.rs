//! `magister eval`: the strength of a learned agent.

use std::io::Write;

use anyhow::{Context as _, Result, bail};
use magister_learn::LearnedAgent;
use magister_players::Spec;
use serde_json::json;

use super::contest::limits;
use super::measure::Bout;
use super::plural;
use crate::args::Eval;
use crate::{CLEAN, game};

pub(crate) fn run(args: &Eval) -> Result<u8> {
    let playable = game::open_for_play(&args.game, &args.language.options())?;
    let name = args.file.display().to_string();
    let bytes = std::fs::read(&args.file).with_context(|| format!("cannot read {name}"))?;
    // Errors of the file are reported before any game begins.
    let file = LearnedAgent::from_bytes(&bytes).with_context(|| name.clone())?;
    file.suits(&playable.game).with_context(|| name.clone())?;
    let (learned, trained, strengths) = (file.game(), file.games(), file.strengths());
    let text = format!("{}:file={name}", file.kind().player());
    let text = match &args.inside {
        // Otherwise the other player would be measured without the agent.
        Some(outer) if !outer.contains("AGENT") => bail!(
            "--inside {outer} does not use the agent: write AGENT where it belongs, such as \
             --inside \"puct:inner=[AGENT]\""
        ),
        Some(outer) => outer.replace("AGENT", &text),
        None => text,
    };
    let agent: Spec = text.parse()?;
    let bout = Bout {
        game: &playable.game,
        limits: limits(&args.thinking),
        opening: args.opening,
        games: args.games,
        seed: args.seed,
    };
    let mut out = anstream::stdout();
    if !args.json {
        let games = plural(trained, "game");
        writeln!(out, "{name}: trained with {games} of {learned}")?;
        for one in strengths {
            let inside = match one.inside.as_str() {
                "" => String::new(),
                search => format!(" inside {search}"),
            };
            writeln!(
                out,
                "measured after the training{inside} against {}: {:.1} % of the points ({:.1} to \
                 {:.1}) in {}, {} per move",
                one.against,
                100.0 * one.points,
                100.0 * one.low,
                100.0 * one.high,
                plural(one.matches, "game"),
                plural(one.iterations, "iteration"),
            )?;
        }
    }
    let opponents: Vec<Option<&Spec>> =
        if bout.alone() { vec![None] } else { args.against.iter().map(Some).collect() };
    for opponent in opponents {
        let score = bout.play(&agent, opponent)?;
        let (mean, (low, high)) = (score.results.mean(), score.interval(bout.alone()));
        let count = score.results.values.len();
        let against = opponent.map(ToString::to_string);
        if args.json {
            let object = json!({
                "game": playable.name,
                "agent": agent.to_string(),
                "trained_games": trained,
                "strengths": strengths,
                "against": against,
                "games": count,
                "mean": mean,
                "interval": [low, high],
                "errors": score.faults,
            });
            writeln!(out, "{object}")?;
        } else if let Some(against) = against {
            writeln!(
                out,
                "against {against}: {:.1} % of the points ({:.1} to {:.1}) in {}",
                100.0 * mean,
                100.0 * low,
                100.0 * high,
                plural(count, "game"),
            )?;
        } else {
            writeln!(
                out,
                "mean reward {mean:.1} ({low:.1} to {high:.1}) in {}",
                plural(count, "game")
            )?;
        }
    }
    Ok(CLEAN)
}
