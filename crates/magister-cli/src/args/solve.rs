//! The arguments of the commands that prove things about games and players.

use clap::Parser;
use magister_players::Spec;

use super::Reading;

/// Solve a small game: its value for each role, and optimal play
#[derive(Debug, Parser)]
#[command(
    after_help = "A game with perfect information is solved by retrograde analysis; for a puzzle, the output is the \
shortest solution. For a game with hidden information, the extensive form is built and CFR+ computes \
a strategy for each information set. Then the gain of a best response is computed exactly for every \
role; exploitability is the mean of these gains, and it is 0 at an equilibrium. With one player, or \
two in a constant-sum game, this bounds the value of the game. Other games may have several \
equilibria with different values.

An information set is written as the moves and percepts of its role: MOVE => PERCEPTS for each turn. Values \
are on the scale of the game's own rewards. Exit code: 0 solved, 1 not solved, 2 the game could \
not be read.

Examples:
  magister solve tictactoe
  magister solve monty-hall --strategy
  magister solve kuhn-poker --json
  magister solve kuhn-poker --player honest  # what a best response wins
  magister solve leduc-poker --target 0.000001"
)]
pub(crate) struct Solve {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Print the strategy of every information set
    #[arg(long)]
    pub(crate) strategy: bool,
    /// Time limit in seconds
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = seconds)]
    pub(crate) seconds: f64,
    /// Memory limit in MiB
    #[arg(long, value_name = "N", default_value_t = 1024,
          value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub(crate) memory: u64,
    /// Maximum number of positions, or of nodes in the game tree
    #[arg(long, value_name = "N", default_value_t = 50_000_000,
          value_parser = clap::value_parser!(u64).range(1..=u64::from(u32::MAX)))]
    pub(crate) nodes: u64,
    /// Stop when exploitability is at most this fraction of the payoff range
    #[arg(long, value_name = "X", default_value_t = 1e-5, value_parser = share)]
    pub(crate) target: f64,
    /// Compute how much a best response wins against this player
    #[arg(long, value_name = "PLAYER")]
    pub(crate) player: Option<Spec>,
    /// Iterations per decision of that player
    #[arg(long, value_name = "N", default_value_t = 1_000, requires = "player")]
    pub(crate) iterations: u64,
    /// Number of decisions sampled in each information set
    #[arg(long, value_name = "N", default_value_t = 100, requires = "player")]
    pub(crate) times: u32,
    /// Method for computing equilibria
    #[arg(long, value_enum, default_value_t = Method::CfrPlus)]
    pub(crate) method: Method,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// The methods for equilibria.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Method {
    /// CFR+, the fastest
    #[value(name = "cfr+")]
    CfrPlus,
    /// Counterfactual regret minimisation as first published
    Cfr,
}

/// Reads a number of seconds.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok();
    number
        .filter(|number| (0.001..=1e6).contains(number))
        .ok_or_else(|| "write a number of seconds, from 0.001 to a million".to_owned())
}

/// Reads a fraction.
fn share(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok();
    number
        .filter(|number| (0.0..=1.0).contains(number))
        .ok_or_else(|| "write a number from 0 to 1, such as 0.00001".to_owned())
}

/// Test whether a player uses information that its role does not have
#[derive(Debug, Parser)]
#[command(
    after_help = "Twins are histories that look the same to a role. The player must give identical answers in twins. \
With fresh seeds, its moves must have the same distribution. Over many matches, its moves must be \
independent of what is hidden. In a game small enough to solve, it must not win more than the best \
honest player could. A note reports a player that plays as if its opponents saw everything, which is \
a weakness, not dishonesty. A player that claims to model what its opponents know is also tested on \
that claim. Exit code: 0 honest, 1 dishonest, 2 the game could not be played.

Examples:
  magister audit monty-hall --player honest
  magister audit kuhn-poker --player cfr+ --role second --iterations 200
  magister audit blind-tictactoe --player hyperplay --seconds 20 --json
  magister audit monty-hall --player clairvoyant  # dishonest"
)]
pub(crate) struct Audit {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Player to test; `magister players` lists the players
    #[arg(long, value_name = "PLAYER")]
    pub(crate) player: Spec,
    /// Role that it plays [default: every role in turn]
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    /// Iterations per decision
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) iterations: u64,
    /// Number of matches whose decisions are compared with those of twins
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) matches: u32,
    /// Number of twins of each match
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) twins: u32,
    /// Number of decisions after each of two histories that look the same
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub(crate) decisions: u32,
    /// Number of matches for the tests of independence and of mean reward
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub(crate) sample: u32,
    /// Time limit for each role in seconds; the output lists tests that were cut short
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = seconds)]
    pub(crate) seconds: f64,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Print one JSON object per role
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}
