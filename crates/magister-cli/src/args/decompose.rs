//! The arguments of the command that splits games into subgames.

use clap::Parser;

use super::Reading;

/// Split a game into independent subgames, and prove that the split is correct
#[derive(Debug, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(
    after_help = "The parts of a game are found in its circuit: fluents that influence each other, and the moves that \
act on them. Classes: asynchronous (one part changes at a time), synchronous, serial (a part begins \
when another is over), compound moves, coupled moves, separate roles, impartial, multiple (some \
parts do not affect the result), pass, stepper. A decomposition is useful if searching the parts \
separately visits fewer states.

--solve searches classes of equivalent states of the parts instead of states of the game; the value \
is the same. If the player who makes the last move wins (normal play), it also computes values of \
combinatorial game theory: the regions of a position that no longer influence each other, each with \
its mean and temperature. --moves splits the position after these moves and leaves out everything \
that can no longer change. --paper counts the move sequences of the search of Zhao, Schiffel and \
Thielscher (2009), whose pruning rule is unsound, and lists positions where it errs. Rules that are \
too large to be grounded are split by the names in them, without a proof.

A subgame is a game: --rules prints its rules, and every command accepts GAME#1, GAME#2 and so on.

JSON: subgames (fluents and moves of each), classes, useful with why, proof (null if there is none), \
context, dead, serial, later; with --solve: value of each role, best first moves, states searched, \
seconds, method, or solved false and a reason; normal_play with regions; paper. Exit code: 0 the game decomposes, 1 it does not, 2 the game \
could not be read or is too large.

Examples:
  magister decompose nim-1-5-4-2 --solve
  magister decompose double-tictactoe --json
  magister decompose tictactoe-serial --svg parts.svg
  magister decompose incredible --dot -
  magister decompose kayles --solve --moves \"two 6 7\"
  magister solve nim-1-5-4-2#2"
)]
pub(crate) struct Decompose {
    /// The game: a bundled name, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Solve the game part by part
    #[arg(long)]
    pub(crate) solve: bool,
    /// Count move sequences as in the search of Zhao, Schiffel and Thielscher (2009), which is unsound
    #[arg(long)]
    pub(crate) paper: bool,
    /// Split the position after these moves, such as "put 2 2; put 1 1"
    #[arg(long, value_name = "MOVES")]
    pub(crate) moves: Option<String>,
    /// Print the rules of subgame N, and nothing else
    #[arg(long, value_name = "N", conflicts_with_all = ["solve", "paper", "moves", "json"])]
    pub(crate) rules: Option<usize>,
    /// List all fluents and moves of each subgame
    #[arg(long)]
    pub(crate) all: bool,
    /// Time limit in seconds
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = super::solve::seconds)]
    pub(crate) seconds: f64,
    /// Maximum number of states searched
    #[arg(long, value_name = "N", default_value_t = 50_000_000,
          value_parser = clap::value_parser!(u64).range(1..=u64::from(u32::MAX)))]
    pub(crate) states: u64,
    /// Write the dependency graph as SVG to this file, or to standard output with -
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<String>,
    /// Write the dependency graph for Graphviz to this file, or to standard output with -
    #[arg(long, value_name = "FILE")]
    pub(crate) dot: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}
