//! The arguments of the commands in which players look at games.

use clap::Parser;
use magister_players::Spec;

use super::contest::positive;
use super::{Reading, Thinking};

/// Say what kind of game it is: length, width, fairness, drama, skill
#[derive(Debug, Parser)]
#[command(after_help = "Random matches tell length and width, matches of a strong player against \
itself who has the advantage and how a lead changes hands, and matches against a weak one what \
skill is worth. A game that is small enough is solved. If one of two sides wins more often than \
chance can explain, the game is played again with a swap rule, and with draws as wins of the other \
side, and what makes it fairest is suggested.

Examples:
  magister analyze tictactoe
  magister analyze mine.kif --games 50 --iterations 2000
  magister analyze breakthrough --json
  magister analyze chomp --svg chomp.svg        the same as a page with charts")]
pub(crate) struct Analyze {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// How many random matches
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = positive::<u32>)]
    pub(crate) playouts: u32,
    /// How many matches of the strong player
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = positive::<u32>)]
    pub(crate) games: u32,
    /// The iterations for a move
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = positive::<u64>)]
    pub(crate) iterations: u64,
    /// The iterations for an attempt to solve the game
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub(crate) solving: u64,
    /// The strong player [default: the strongest for the game]
    #[arg(long, value_name = "PLAYER")]
    pub(crate) player: Option<Spec>,
    /// The weak player
    #[arg(long, value_name = "PLAYER", default_value = "random")]
    pub(crate) weak: Spec,
    /// Break a match off after so many steps
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = positive::<u32>)]
    pub(crate) max_steps: u32,
    /// Where everything random comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Write a page with charts as well
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<std::path::PathBuf>,
    /// One JSON object
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
    /// Who is asked; `magister players` lists them [default: the strongest for the game]
    #[arg(long, value_name = "PLAYER")]
    pub(crate) player: Option<Spec>,
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
