//! The arguments of `magister explain`.

use clap::Parser;

use super::Reading;

/// Say why something holds in a position, or why it does not
#[derive(Debug, Parser)]
#[command(
    after_help = "ATOM is written in either syntax and may have variables or be negated. What \
holds is told as a proof: the rules that give it, with their lines, down to facts, the state and \
the moves. What does not hold is told as the shortest reasons: for each rule that could give it, \
the instance that comes nearest, and the conditions that fail there.

The position is the initial one, that after --moves, or that of --state. What depends on the moves \
of a step, such as next or sees, needs to know them: --does. Moves are written as for `magister \
step`: those of the roles that have a choice, or of all roles, in their order, steps separated by \
semicolons. --state reads fluents in either syntax, or what `magister step --json` printed.

Exit code: 0 it holds, 1 it does not, 2 it could not be asked.

Examples:
  magister explain tictactoe \"(legal x (put 1 1))\"
  magister explain tictactoe \"(legal o ?move)\" --moves \"(put 2 2)\"
  magister explain tictactoe \"(goal x 100)\" --moves \"(put 1 1); 4; 1; 4; (put 1 3)\" --history 1
  magister explain tictactoe \"(next (cell 1 1 b))\" --does \"(put 1 1)\"
  magister explain buttonsandlights bright --moves \"a; b\"
  magister step mine.kif --moves \"...\" --json > here; magister explain mine.kif terminal --state here"
)]
pub(crate) struct Explain {
    /// The rules: a bundled name, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// What to explain, such as terminal, \"(goal x 100)\" or \"legal(x,M)\"
    #[arg(value_name = "ATOM")]
    pub(crate) atom: String,
    /// Make these moves first
    #[arg(long, value_name = "MOVES", conflicts_with = "state")]
    pub(crate) moves: Option<String>,
    /// Begin in the position of this file; - for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<String>,
    /// What the roles do in this step, for what depends on it
    #[arg(long, visible_alias = "joint", value_name = "MOVES")]
    pub(crate) does: Option<String>,
    /// How many rules may stand above each other
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(crate) depth: u32,
    /// How many answers, rules or instances to tell at one place
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) width: u32,
    /// With --moves: tell how fluents came to be in the state, and so on for so many steps back
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) history: u32,
    /// Where the moves of chance and random moves come from
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Give up after so many seconds
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = super::play::seconds)]
    pub(crate) seconds: f64,
    /// As a JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}
