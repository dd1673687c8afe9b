//! `magister eval`: the strength of a learned agent.

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use magister_arena::{Contest, Series, Summary};
use magister_core::{PlayerSource, Seed};
use magister_learn::az::{AzFile, AzLearner};
use magister_learn::{AgentFile, AgentType};
use magister_players::Spec;
use serde_json::json;

use super::contest::{jobs, limits};
use super::plural;
use crate::args::Eval;
use crate::{CLEAN, game};

pub(crate) fn run(args: &Eval) -> Result<u8> {
    let playable = game::open_for_play(&args.game, &args.language.options())?;
    let name = args.file.display().to_string();
    let bytes = std::fs::read(&args.file).with_context(|| format!("cannot read {name}"))?;
    // Errors of the file are reported before any game begins.
    let kind = AgentType::of(&bytes).with_context(|| name.clone())?;
    let (learned, trained) = match kind {
        AgentType::Values => {
            let file = AgentFile::from_bytes(&bytes).with_context(|| name.clone())?;
            let learner = magister_learn::Learner::open(&playable.game, file);
            let header = learner.with_context(|| name.clone())?.header().clone();
            (header.game, header.games)
        }
        AgentType::Network => {
            let file = AzFile::from_bytes(&bytes).with_context(|| name.clone())?;
            let learner = AzLearner::open(&playable.game, file);
            let header = learner.with_context(|| name.clone())?.header().clone();
            (header.game, header.games)
        }
    };
    let text = format!("{}:file={name}", kind.player());
    let text = match &args.inside {
        Some(outer) => outer.replace("AGENT", &text),
        None => text,
    };
    let agent: Spec = text.parse()?;
    let info = playable.game.info().clone();
    let alone = info.players().count() == 1;
    let limits = limits(&args.thinking);
    let mut out = anstream::stdout();
    if !args.json {
        let games = plural(trained, "game");
        writeln!(out, "{name}: trained with {games} of {learned}")?;
    }
    let opponents: Vec<Option<&Spec>> =
        if alone { vec![None] } else { args.against.iter().map(Some).collect() };
    for opponent in opponents {
        let contest = Contest {
            opening: if alone { 0 } else { args.opening },
            ..Contest::new(playable.game.clone(), limits)
        };
        let mut players = vec![agent.clone()];
        // In a game for more than two players, all other seats have the same player.
        players.extend(
            opponent
                .into_iter()
                .flat_map(|opponent| (1..info.players().count()).map(move |_| opponent.clone())),
        );
        let series = Series {
            contest,
            players: players
                .into_iter()
                .map(|player| Arc::new(player) as Arc<dyn PlayerSource>)
                .collect(),
            games: args.games,
            seed: Seed::from(args.seed),
            jobs: jobs(None, &limits),
        };
        let mut summary = Summary::new(&info);
        let (mut points, mut squares, mut count, mut faults) = (0.0, 0.0, 0.0, 0_usize);
        let own = agent.to_string();
        series.play(|_, record| {
            summary.add(&record);
            faults += record.errors.len();
            let seats = record.players.iter().zip(&record.rewards);
            let mine: Vec<f64> = seats
                .filter(|(player, _)| **player == own)
                .filter_map(|(_, reward)| *reward)
                .collect();
            for reward in mine {
                let value = if alone { reward } else { share(&record.rewards, reward, &info) };
                points += value;
                squares += value * value;
                count += 1.0;
            }
            ControlFlow::Continue(())
        })?;
        let mean = points / f64::max(count, 1.0);
        let spread = (squares / f64::max(count, 1.0) - mean * mean).max(0.0);
        let margin = 1.96 * (spread / f64::max(count, 1.0)).sqrt();
        let against = opponent.map(ToString::to_string);
        if args.json {
            let object = json!({
                "game": playable.name,
                "agent": own,
                "trained_games": trained,
                "against": against,
                "games": count,
                "mean": mean,
                "margin": margin,
                "errors": faults,
            });
            writeln!(out, "{object}")?;
        } else if let Some(against) = against {
            writeln!(
                out,
                "against {against}: {:.1} % of the points (± {:.1}) in {}",
                100.0 * mean,
                100.0 * margin,
                plural(count as u64, "game"),
            )?;
        } else {
            writeln!(
                out,
                "mean reward {mean:.1} (± {margin:.1}) in {}",
                plural(count as u64, "game")
            )?;
        }
    }
    Ok(CLEAN)
}

/// The share of the points of a game: 1 for being better than all others, 0 for being worse, and
/// otherwise the reward relative to its range.
fn share(rewards: &[Option<f64>], own: f64, info: &magister_core::Info) -> f64 {
    let (low, high) = info.rewards;
    if let [Some(a), Some(b)] = rewards[..] {
        let other = a + b - own;
        return if own > other {
            1.0
        } else if own < other {
            0.0
        } else {
            0.5
        };
    }
    if low.is_finite() && high > low { (own - low) / (high - low) } else { own }
}
