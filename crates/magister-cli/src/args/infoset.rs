//! The arguments of `magister infoset`.

use clap::Parser;

use super::Reading;

/// Show what a role can know: the states consistent with its moves and percepts
#[derive(Debug, Parser)]
#[command(
    after_help = "A turn is the role's own move and the percepts that followed, in the syntax of the game. nil means \
no percept; commas separate several percepts. The other roles are assumed to play uniformly at random, and \
chance follows the rules. The output shows the number of states and of different boards, the \
probability of these percepts, and the facts that are certain or likely. All states are enumerated; \
for a large game, --sample draws an unbiased sample, and for a card game a sample of deals. Exit code: 0 answered, 1 no history is consistent \
with these turns, 2 the game could not be played.

Examples:
  magister infoset monty-hall --turn \"(choose 1) => nil\"
  magister infoset monty-hall --turn \"(choose 1) => nil\" --states --json
  magister infoset blind-tictactoe --role white --turn \"mark(2,2) => ok\"
  magister infoset mastermind --turn \"noop => nil\" --sample 1000
  magister infoset hearts --role p0 --sample 1000
  magister infoset mastermind --turn \"noop => nil\" --bench"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Infoset {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Role; required if the game has several players
    #[arg(long, value_name = "R")]
    pub(crate) role: Option<String>,
    /// A turn of this role, such as "MOVE => PERCEPT, PERCEPT"; repeat the option for each turn, in order
    #[arg(long, value_name = "TURN")]
    pub(crate) turn: Vec<String>,
    /// Leave out states in which the game is over, because the role is asked for a move
    #[arg(long)]
    pub(crate) asked: bool,
    /// List the states with their probabilities, the most likely first
    #[arg(long)]
    pub(crate) states: bool,
    /// Maximum number of states
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub(crate) limit: u32,
    /// Draw N histories instead of enumerating them all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) sample: Option<u32>,
    /// Measure how many consistent states are drawn per second, for growing samples
    #[arg(long, conflicts_with_all = ["states", "sample", "asked"])]
    pub(crate) bench: bool,
    /// Seed of the sample
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}
