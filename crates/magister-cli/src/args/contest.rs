//! The arguments of the commands in which players meet.

use std::time::Duration;

use clap::Parser;
use magister_players::Spec;

use super::Reading;

/// List the players, with their parameters
#[derive(Debug, Parser)]
#[command(after_help = "A player is named with its settings: mcts, or mcts:c=1.2,steps=400.

Examples:
  magister players
  magister players mcts
  magister players --json")]
pub(crate) struct Players {
    /// Only this player
    #[arg(value_name = "PLAYER")]
    pub(crate) player: Option<String>,
    /// One JSON object per player
    #[arg(long)]
    pub(crate) json: bool,
}

/// Let players play against each other
#[derive(Debug, Parser)]
#[command(
    after_help = "All seatings take turns: with two players every other game is played with \
exchanged roles. An illegal, late or missing move is replaced by a random one and told under \
errors. With --iterations alone the same seed gives the same games, however many run at the same \
time; how many that is, only matters to those who pay by the clock.

With --json each game is an object: game, seed, players in the order of their seats, moves (of all \
roles, chance included), rewards in the order of the seats, errors, times_ms (for each joint move \
the time of each seat). The last object is the summary. Exit code: 0 played, 2 the game could not \
be played.

Examples:
  magister match tictactoe --players mcts,random --games 10 --iterations 200
  magister match mine.kif --players mcts:c=1.2,mcts --games 100 --time 200ms --seed 7 --json
  magister match 2048 --players random --games 100"
)]
pub(crate) struct Match {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Who plays, one for each role or one for all; `magister players` lists them
    #[arg(long, value_name = "A,B", value_parser = Spec::parse_list)]
    pub(crate) players: std::vec::Vec<Spec>,
    /// How many games
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) games: u64,
    /// Where everything random comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) thinking: Thinking,
    /// Begin every game with so many random steps
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) opening: u32,
    /// Break a game off after so many steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) max_steps: u32,
    /// How many games to play at the same time [default: 1 with --time, else one per core]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// One JSON object per game, and a summary
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Ask a player what it thinks of a position
#[derive(Debug, Parser)]
#[command(after_help = "Told are the move it would play, for each move what it expects of it and \
how often it looked at it, and how it thinks the game goes on. Moves are written as for `magister \
step`.

Examples:
  magister inspect tictactoe --player uct
  magister inspect mine.kif --player alphabeta --moves \"(put 2 2); (put 1 1)\" --iterations 5000
  magister inspect tictactoe --player mcts --json")]
pub(crate) struct Inspect {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Who is asked; `magister players` lists them
    #[arg(long, value_name = "PLAYER", default_value = "uct")]
    pub(crate) player: Spec,
    /// Make these moves first
    #[arg(long, value_name = "MOVES")]
    pub(crate) moves: Option<String>,
    /// The role it plays [default: the first that has a choice]
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    /// Where everything random comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) thinking: Thinking,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// How long players think.
#[derive(Debug, clap::Args)]
pub(crate) struct Thinking {
    /// The time for a move, such as 200ms or 1.5s [default: 1s if --iterations is not given]
    #[arg(long, value_name = "T", value_parser = duration)]
    pub(crate) time: Option<Duration>,
    /// The iterations for a move: simulations, or positions that are expanded
    #[arg(long, value_name = "N")]
    pub(crate) iterations: Option<u64>,
    /// The time before the first move
    #[arg(long, value_name = "T", value_parser = duration)]
    pub(crate) start: Option<Duration>,
    /// How late an answer may come and still count
    #[arg(long, value_name = "T", value_parser = duration, default_value = "50ms")]
    pub(crate) grace: Duration,
}

/// Reads a time: a number with `ms` or `s` after it; without a unit it is seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let (number, unit) = if let Some(number) = text.strip_suffix("ms") {
        (number, 1e-3)
    } else {
        (text.strip_suffix('s').unwrap_or(text), 1.0)
    };
    let seconds = number.trim().parse::<f64>().ok().map(|number| number * unit);
    seconds
        .filter(|seconds| (0.001..=86_400.0).contains(seconds))
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "write a time of 1ms to a day, such as 200ms or 1.5s".to_owned())
}
