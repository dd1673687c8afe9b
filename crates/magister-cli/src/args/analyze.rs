//! The arguments of the commands in which players look at games.

use clap::Parser;
use magister_players::Spec;

use super::contest::positive;
use super::{Reading, Thinking};

/// Analyse a game: length, branching factor, fairness, drama, value of skill
#[derive(Debug, Parser)]
#[command(
    after_help = "Random matches measure length and branching factor. Matches of a strong player against itself \
measure which role has the advantage and how often the lead changes. Matches against a weak player \
measure what skill is worth. A small game is solved. If one of two sides wins significantly more \
often, the matches are repeated under two other rules: with a swap rule (the second player may \
exchange sides after the first move), and with draws counted as wins for the second player. The \
output suggests the fairest rule.

Examples:
  magister analyze tictactoe
  magister analyze mine.kif --games 50 --iterations 2000
  magister analyze breakthrough --json
  magister analyze chomp --svg chomp.svg  # with charts
  magister analyze hearts --designer --games 100 --html hearts.html"
)]
pub(crate) struct Analyze {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Number of random matches
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = positive::<u32>)]
    pub(crate) playouts: u32,
    /// Number of matches that the strong player plays against itself
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = positive::<u32>)]
    pub(crate) games: u32,
    /// Iterations per move
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = positive::<u64>)]
    pub(crate) iterations: u64,
    /// Maximum iterations of the attempt to solve the game
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub(crate) solving: u64,
    /// The strong player [default: the strongest for the game]
    #[arg(long, value_name = "PLAYER")]
    pub(crate) player: Option<Spec>,
    /// The weak player
    #[arg(long, value_name = "PLAYER", default_value = "random")]
    pub(crate) weak: Spec,
    /// Stop a match after N steps
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = positive::<u32>)]
    pub(crate) max_steps: u32,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Also write charts as SVG; with --designer, the metrics and their charts
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<std::path::PathBuf>,
    /// Compute CardStock's metrics for game designers instead: fairness, order, gain, spread, convergence,
    /// drama, security, decisiveness, coolness, lead changes
    #[arg(long)]
    pub(crate) designer: bool,
    /// Also write these metrics as an HTML report with charts; implies --designer
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<std::path::PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Ask a player to evaluate a position
#[derive(Debug, Parser)]
#[command(
    after_help = "The output shows the move that the player would make, the value and visit count of each move, and \
the expected continuation. Moves are written as for `magister step`.

Examples:
  magister inspect tictactoe --player uct
  magister inspect tictactoe --moves \"put 2 2; put 1 1\" --iterations 5000
  magister inspect tictactoe --player mcts --json"
)]
pub(crate) struct Inspect {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Player to ask; `magister players` lists the players [default: the strongest for the game]
    #[arg(long, value_name = "PLAYER")]
    pub(crate) player: Option<Spec>,
    /// Make these moves first, such as "put 2 2; put 1 1"
    #[arg(long, value_name = "MOVES")]
    pub(crate) moves: Option<String>,
    /// Role that it plays [default: the first role with a choice]
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) thinking: Thinking,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}
