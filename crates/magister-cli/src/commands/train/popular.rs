//! `magister train --popular`: an agent for each of ten popular games, with its strength.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use magister_arena::TimeControl;
use magister_core::Game;
use magister_learn::file::Strength;
use magister_players::{AROUND_VALUES, Spec};
use serde_json::json;

use super::super::measure::Bout;
use super::agent::Trainee;
use super::{one, save};
use crate::args::{AgentKind, Train};
use crate::{CLEAN, game, interrupt};

/// The games.
const GAMES: [&str; 10] = [
    "tictactoe",
    "connect-four",
    "breakthrough",
    "othello",
    "checkers",
    "hex-7",
    "gomoku",
    "kalah",
    "nine-mens-morris",
    "dots-and-boxes",
];
/// The number and the length of the tuples for Connect Four, whose usual network is too large.
const CONNECT_FOUR: [usize; 2] = [70, 6];
/// The largest file of an agent that comes with a site, in bytes.
const SHIPPED: u64 = 2_000_000;
/// The number of matches against each opponent, unless --matches sets it.
const MATCHES: u64 = 20;

pub(super) fn run(args: &Train) -> Result<u8> {
    let folder = &args.out;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let against = match &args.against {
        Some(given) => given.clone(),
        None => vec!["random".parse()?, "uct".parse()?],
    };
    let mut table = String::new();
    for name in GAMES {
        let usual =
            args.agent == AgentKind::Ntuple && args.walks.is_empty() && args.tuples.is_none();
        let small = usual && name == "connect-four";
        let out = folder.join(format!("{name}.agent"));
        let args = Train {
            game: Some(name.to_owned()),
            popular: false,
            slim: true,
            walks: if small { CONNECT_FOUR.to_vec() } else { args.walks.clone() },
            out: out.clone(),
            ..args.clone()
        };
        let playable = game::open(name, None, &args.language.options())?;
        let trained = one(&args, &playable.game, true);
        if interrupt::pressed() {
            break;
        }
        let mut learner = trained?;
        let size = size(&out)?;
        let strengths = measured(&args, &playable.game, &learner, &against)?;
        if interrupt::pressed() {
            break;
        }
        learner.note(strengths.clone());
        save(&learner, &args)?;
        let (games, _) = learner.counts();
        if args.json {
            let row = json!({"game": name, "file": out, "bytes": size, "games": games,
                "strengths": strengths});
            writeln!(anstream::stdout(), "{row}")?;
        }
        let _ = write!(table, "{name:<18} {size:>9} {games:>8}");
        for one in &strengths {
            let share = format!(
                "{:.1} % ({:.0} to {:.0})",
                100.0 * one.points,
                100.0 * one.low,
                100.0 * one.high
            );
            let _ = write!(table, "  {share:>20}");
        }
        table.push('\n');
    }
    if !args.json && !table.is_empty() {
        let mut out = anstream::stdout();
        write!(out, "{:<18} {:>9} {:>8}", "game", "bytes", "games")?;
        for opponent in &against {
            write!(out, "  {:>20}", opponent.to_string())?;
        }
        writeln!(out, "\n{table}")?;
        writeln!(
            out,
            "Shares of the points with 95 % intervals in {} matches each, {} iterations per move for \
             all players.\n\
             docs/learning.md has the strength after longer training.",
            args.matches.unwrap_or(MATCHES),
            args.iterations
        )?;
    }
    Ok(CLEAN)
}

/// The size of an agent that is to be shipped.
fn size(out: &Path) -> Result<u64> {
    let size =
        std::fs::metadata(out).with_context(|| format!("cannot read {}", out.display()))?.len();
    if size > SHIPPED {
        bail!(
            "{} has {size} bytes, more than {SHIPPED}; use shorter --walks, or fewer --channels \
             with --agent az",
            out.display()
        );
    }
    Ok(size)
}

/// The strength of an agent, with the same number of iterations for all players.
fn measured(
    args: &Train,
    game: &Arc<dyn Game>,
    learner: &Trainee,
    against: &[Spec],
) -> Result<Vec<Strength>> {
    let player = format!("{}:file={}", learner.player(), args.out.display());
    // Networks search on their own.
    let inside = if args.agent == AgentKind::Az { "" } else { AROUND_VALUES };
    let agent: Spec = match inside {
        "" => player.parse()?,
        search => search.replace("AGENT", &player).parse()?,
    };
    let bout = Bout {
        game,
        limits: limits(args),
        opening: 2,
        games: args.matches.unwrap_or(MATCHES),
        seed: args.seed,
    };
    let mut strengths = Vec::new();
    for opponent in against {
        let score = bout.play(&agent, Some(opponent))?;
        let (low, high) = score.interval(false);
        strengths.push(Strength {
            against: opponent.to_string(),
            points: score.results.mean(),
            low,
            high,
            matches: score.results.values.len() as u64,
            iterations: args.iterations,
            inside: inside.to_owned(),
        });
        if interrupt::pressed() {
            break;
        }
    }
    Ok(strengths)
}

/// The iterations of all players in a measurement, which do not depend on the load of the machine.
pub(super) fn limits(args: &Train) -> TimeControl {
    TimeControl { iterations: Some(args.iterations), ..TimeControl::default() }
}
