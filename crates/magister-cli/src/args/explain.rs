//! The arguments of `magister explain`.

use clap::Parser;

use super::Reading;

/// Explain why something holds in a position, or why it does not
#[derive(Debug, Parser)]
#[command(
    after_help = "A move is written as in `magister play`; the question is whether it is legal. An atom is written in \
either syntax. It may contain variables and may be negated. If it holds, the output \
is a proof: the rules that derive it, with line numbers, down to facts, the state and the moves. If \
it does not hold, the output lists the nearest instance of each rule that could derive it, and the \
conditions that fail.

The position is the initial one, the one after --moves, or the one in --state. Relations that depend \
on the moves of a step, such as next or sees, need --does. Moves are written as for `magister step`: \
one for each role with a choice, or one for every role, in role order; commas separate the moves of \
several roles, semicolons separate steps. --state reads fluents in either syntax, or the output of `magister step --json`.

Exit code: 0 it holds, 1 it does not hold, 2 the question could not be answered.

Examples:
  magister explain tictactoe \"put 1 1\"
  magister explain chess Ra3
  magister explain tictactoe \"(legal o ?move)\" --moves \"put 2 2\"
  magister explain tictactoe \"(goal x 100)\" \\
    --moves \"put 1 1; put 2 2; put 1 2; put 3 3; put 1 3\" --history 1
  magister explain tictactoe \"(next (cell 1 1 b))\" --does \"(put 1 1)\"
  magister explain buttonsandlights bright --moves \"a; b\"
  magister step mine.kif --moves \"...\" --json > here.json
  magister explain mine.kif terminal --state here.json"
)]
pub(crate) struct Explain {
    /// The rules: a bundled name, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// A move as in `magister play`, such as "put 1 1" or Nf3, or an atom, such as terminal,
    /// "(goal x 100)" or "legal(x,M)"
    #[arg(value_name = "MOVE or ATOM")]
    pub(crate) atom: String,
    /// Make these moves first, such as "put 2 2; put 1 1"
    #[arg(long, value_name = "MOVES", conflicts_with = "state")]
    pub(crate) moves: Option<String>,
    /// Start from the position in this file; - for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<String>,
    /// Moves of this step, for relations that depend on them
    #[arg(long, visible_alias = "joint", value_name = "MOVES")]
    pub(crate) does: Option<String>,
    /// Maximum depth of a proof
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(crate) depth: u32,
    /// Maximum number of answers, rules or instances listed at each level
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) width: u32,
    /// With --moves: also explain how fluents became true, up to N steps back
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) history: u32,
    /// Seed for chance events and random moves
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Give up after S seconds
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = super::play::seconds)]
    pub(crate) seconds: f64,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}
