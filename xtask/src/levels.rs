//! Whether each difficulty level beats the one below it.

use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use magister_arena::{Contest, Series, Summary, TimeControl};
use magister_core::{PlayerSource, Seed};
use magister_players::{LEVELS, Spec};

/// The matches to play.
#[derive(Args)]
pub(crate) struct Options {
    /// Games of two players
    #[arg(default_values_t = GAMES.map(str::to_owned))]
    games: Vec<String>,
    /// The number of matches for each pair of adjacent levels
    #[arg(long, default_value_t = 100)]
    matches: u64,
    /// Only the pairs up to this level; the higher levels take long
    #[arg(long, default_value = "strongest")]
    up_to: String,
    /// Seed of the first match
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Matches played at the same time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

/// Games with perfect information; the last one has hidden information.
const GAMES: [&str; 5] =
    ["connect-four", "breakthrough", "hex-7", "othello-6x6", "phantom-connect-four"];
/// The score that the higher level must reach.
const SHARE: f64 = 0.65;

#[expect(clippy::print_stdout, reason = "this is what the command is for")]
pub(crate) fn run(options: &Options) -> Result<()> {
    let Some(last) = LEVELS.iter().position(|level| level.name == options.up_to) else {
        bail!("there is no level {}", options.up_to);
    };
    println!("{:22} {:10} {:10} score  95 % interval   matches", "game", "higher", "lower");
    let mut weak = 0;
    for name in &options.games {
        let playable = magister::open(name)?;
        playable.warm_up();
        for pair in LEVELS[..=last].windows(2) {
            let (lower, higher) = (pair[0].name, pair[1].name);
            let source = |name: &str| -> Result<Arc<dyn PlayerSource>> {
                Ok(Arc::new(name.parse::<Spec>()?))
            };
            let series = Series {
                contest: Contest::new(Arc::clone(&playable.game), TimeControl::default()),
                players: vec![source(higher)?, source(lower)?],
                games: options.matches,
                seed: Seed::from(options.seed),
                jobs: options.jobs,
            };
            let mut summary = Summary::new(playable.game.info());
            series.play(|_, record| {
                summary.add(&record);
                ControlFlow::Continue(())
            })?;
            let Some(line) = summary.players.iter().find(|line| line.player == higher) else {
                bail!("{name}: no match was decided");
            };
            let score = line.score.unwrap_or(0.0);
            let (low, high) = line.score_interval.unwrap_or((0.0, 1.0));
            let mark = if score < SHARE { "  below 0.65" } else { "" };
            println!(
                "{name:22} {higher:10} {lower:10} {score:.3}  {low:.3} to {high:.3}  {}{mark}",
                summary.games
            );
            weak += u32::from(score < SHARE);
        }
    }
    if weak > 0 {
        bail!("{weak} pairs of levels are less than {SHARE} apart");
    }
    println!("every level scores {SHARE} or more against the one below");
    Ok(())
}
