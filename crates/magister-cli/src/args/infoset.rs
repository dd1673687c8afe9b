//! The arguments of `magister infoset`.

use clap::Parser;

use super::Reading;

/// Tell what a role may know: the states that agree with its moves and percepts
#[derive(Debug, Parser)]
#[command(after_help = "A turn is the own move and what was perceived after it, both as the game \
writes them; nil stands for no percept. Percepts are separated by commas. The others are taken to \
play uniformly at random, chance as the rules say. Told are the number of states, of different \
boards among them, how likely it was to perceive this, what is certain and what is likely. All \
states are followed; where they are too many, --sample draws some of them fairly. Exit code: 0 \
told, 1 it can not have come to these turns, 2 the game cannot be played.

Examples:
  magister infoset monty-hall --turn \"(choose 1) => nil\" --turn \"noop => (open 3)\"
  magister infoset blind-tictactoe --role white --turn \"mark(2,2) => ok\" --turn \"mark(1,3) => nil\"
  magister infoset blind-tictactoe --role black --turn \"mark(1,1) => ok\" --states --json
  magister infoset mastermind --turn \"noop => nil\" --sample 1000
  magister infoset blind-tictactoe --role white --turn \"mark(2,2) => ok\" --bench")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Infoset {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Whose knowledge is asked for; needed where there are several players
    #[arg(long, value_name = "R")]
    pub(crate) role: Option<String>,
    /// A turn of this role, such as "MOVE => PERCEPT, PERCEPT"; once for each turn, in order
    #[arg(long, value_name = "TURN")]
    pub(crate) turn: Vec<String>,
    /// The role is asked for a move now, so the game is not over
    #[arg(long)]
    pub(crate) asked: bool,
    /// List the states with their probabilities, the most likely first
    #[arg(long)]
    pub(crate) states: bool,
    /// How many states to keep at most
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub(crate) limit: u32,
    /// Draw so many courses of the game instead of following all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) sample: Option<u32>,
    /// Measure how many states that agree are drawn in a second, for growing samples
    #[arg(long, conflicts_with_all = ["states", "sample", "asked"])]
    pub(crate) bench: bool,
    /// Where the random numbers of a sample come from
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// As a JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}
