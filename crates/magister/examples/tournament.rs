//! A tournament of three players on two games, with a table of ratings.

#![expect(clippy::print_stdout, reason = "examples print their results")]

use std::sync::Arc;

use magister::arena::{Contest, Log, System, TimeControl, Tournament};
use magister::core::{PlayerSource, Seed};
use magister::players::Spec;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Iterations instead of a clock: the result is the same on every machine, and concurrent
    // matches do not disturb each other.
    let limits = TimeControl { iterations: Some(60), ..TimeControl::default() };
    let mut games = Vec::new();
    for name in ["tictactoe", "connect-four"] {
        let playable = magister::open(name)?;
        playable.warm_up();
        games.push(Contest::new(playable.game, limits));
    }
    let source = |spec: Spec| -> Arc<dyn PlayerSource> { Arc::new(spec) };
    let tournament = Tournament {
        games,
        players: Spec::parse_list("uct,mcs,random")?.into_iter().map(source).collect(),
        system: System::RoundRobin,
        rounds: 6,
        seed: Seed::from(1),
        jobs: 2,
    };
    tournament.check()?;

    // Every match is written as one line before it counts. Reading such a file back into a log
    // continues an interrupted tournament; here the lines go to memory.
    let mut log = Log::new();
    let mut lines: Vec<u8> = Vec::new();
    tournament.play(&mut log, &mut lines, |played, known, all| {
        let rewards: Vec<f64> = played.rewards.iter().flatten().copied().collect();
        println!("{known:2} of {all}: {} {:?}", played.players.join(" - "), rewards);
    })?;

    // All matches at once, by the Bradley-Terry model, with 95 % intervals.
    println!("\nplayer      rating");
    for rating in log.comparisons(None).ratings() {
        let (low, high) = rating.interval;
        println!("{:10} {:7.0} ({low:.0} to {high:.0})", rating.player, rating.elo);
    }
    Ok(())
}
