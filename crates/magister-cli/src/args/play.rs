//! The arguments of the commands that play games.

use clap::Parser;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use magister_engine::Evaluator;

use super::Reading;

/// What `--evaluator` says where it can be more than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EvaluatorArg {
    One(Evaluator),
    /// The one that makes single steps if none is asked for.
    Steps,
    All,
}

/// An evaluator with what it does, for help.
fn described(evaluator: Evaluator) -> PossibleValue {
    PossibleValue::new(evaluator.name()).help(match evaluator {
        Evaluator::Incremental => "Propositional network; updates only what changed",
        Evaluator::Sweep => "Propositional network; evaluates all gates in every state",
        Evaluator::Code => "Propositional network as machine code",
        Evaluator::Batch => "Propositional network on vectors: hundreds of games at once",
        Evaluator::Datalog => "Compiled rules, for games that are too large for a network",
        Evaluator::Reference => "Interpreter: runs every game, slowly",
    })
}

fn all() -> PossibleValue {
    PossibleValue::new("all").help("Every evaluator that supports the game")
}

/// Reads the name of an evaluator.
fn evaluator() -> impl TypedValueParser<Value = Evaluator> {
    let values = Evaluator::ALL.iter().copied().map(described);
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Evaluator>())
}

/// Reads the name of an evaluator, or `all`.
pub(super) fn evaluators() -> impl TypedValueParser<Value = EvaluatorArg> {
    let values = Evaluator::ALL.iter().copied().map(described).chain([all()]);
    PossibleValuesParser::new(values).try_map(|name| {
        if name == "all" { Ok(EvaluatorArg::All) } else { name.parse().map(EvaluatorArg::One) }
    })
}

/// Reads the name of an evaluator, `steps` or `all`.
fn measured_evaluators() -> impl TypedValueParser<Value = EvaluatorArg> {
    let steps = PossibleValue::new("steps").help("The default for single steps");
    let values = Evaluator::ALL.iter().copied().map(described).chain([steps, all()]);
    PossibleValuesParser::new(values).try_map(|name| match name.as_str() {
        "all" => Ok(EvaluatorArg::All),
        "steps" => Ok(EvaluatorArg::Steps),
        name => name.parse().map(EvaluatorArg::One),
    })
}

/// Step through a game by hand: look, move, undo
#[derive(Debug, Parser)]
#[command(
    after_help = "A step is one move of each role. On each line, give one move for every role with a choice, or one \
for every role, in role order: `(put 2 2)` as in the rules, `put 2 2` or `e2e4` as in `magister play`, a number from \
the list, or * for a random move. Commas separate the moves of several roles, semicolons separate \
steps. Chance is drawn from the seed unless its move is given. `help` lists the other commands.

Commands come from the terminal or from standard input. A session on standard input ends at the \
first invalid command. Exit code: 0 success, 1 an illegal move or unknown command, 2 the game could \
not be played.

Examples:
  magister step tictactoe
  magister step tictactoe --moves \"put 2 2; put 1 1\"
  magister step chess --moves \"e2e4; e7e5\"
  magister step rock-paper-scissors --moves \"show rock, show paper\" --json
  printf 'random 3\\nundo\\nhistory\\n' | magister step tictactoe --seed 7"
)]
pub(crate) struct Step {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Make these moves, such as "put 2 2; put 1 1", show the position and exit
    #[arg(long, value_name = "MOVES")]
    pub(crate) moves: Option<String>,
    /// Seed for chance events and random moves
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Evaluator that runs the rules [default: the fastest that supports them]
    #[arg(long, value_name = "E", value_parser = evaluator())]
    pub(crate) evaluator: Option<Evaluator>,
    /// Print each position as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Play even if the rules have errors
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Count paths and distinct positions at each depth
#[derive(Debug, Parser)]
#[command(
    after_help = "`nodes` counts the paths from the initial position, `terminals` the paths that end the game, and \
`distinct` the different positions. Each joint move, including the move of chance, is one edge. Totals are printed once every path has ended. Exit code: 0 counted, 2 the game could not be played or has more \
positions than --limit.

Examples:
  magister perft tictactoe
  magister perft mine.kif 6
  magister perft chess 3 --divide
  magister perft rust:nim-3-4-5 --json"
)]
pub(crate) struct Perft {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Maximum depth [default: until every path has ended]
    #[arg(value_name = "DEPTH", conflicts_with = "all")]
    pub(crate) depth: Option<u32>,
    /// Count until every path has ended, as without DEPTH
    #[arg(long, hide = true)]
    pub(crate) all: bool,
    /// Count the paths of DEPTH steps below each first move
    #[arg(long, requires = "depth")]
    pub(crate) divide: bool,
    /// Maximum number of distinct positions
    #[arg(long, value_name = "N", default_value_t = 5_000_000)]
    pub(crate) limit: u32,
    /// Evaluator that runs the rules [default: the fastest that supports them]
    #[arg(long, value_name = "E", value_parser = evaluator())]
    pub(crate) evaluator: Option<Evaluator>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Test rules by random play: does every match end properly?
#[derive(Debug, Parser)]
#[command(
    after_help = "Reports errors of `magister check`, roles without a legal move before the end, terminal states \
with no goal value or several, goal values out of range, games that never end or end immediately, \
and evaluations that fail. It also lists match lengths, results, moves that were never legal, rules \
that never applied, relations that were never used, and roles that cannot know their legal moves. \
Exit code: 0 no faults, 1 faults in the rules, 2 the rules could not be read.

Examples:
  magister playable mine.kif
  magister playable mine.kif --playouts 10000 --seed 3
  magister playable tictactoe --json"
)]
pub(crate) struct Playable {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Number of matches
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) playouts: u32,
    /// Seed for random moves
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Stop a match after N steps
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) max_steps: u32,
    /// Time limit in seconds for finding rules that never apply
    #[arg(long, value_name = "S", default_value_t = 5.0, value_parser = seconds)]
    pub(crate) seconds: f64,
    /// Evaluator that runs the rules [default: the fastest that supports them]
    #[arg(long, value_name = "E", value_parser = evaluator())]
    pub(crate) evaluator: Option<Evaluator>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Measure the speed of random play
#[derive(Debug, Parser)]
#[command(
    after_help = "Rates are per second of processor time. With several threads, or where the system does not report \
processor time, they are per second of wall-clock time. `steps` is the mean length of a playout, \
`gates` the size of the network, `prepare` the time from reading the text to a playable game. Exit code: 0 measured, 1 evaluators disagree (with --signature), 2 a game could not \
be played.

Examples:
  magister bench tictactoe mine.kif
  magister bench rust:tictactoe --seconds 5
  magister bench tictactoe --evaluator all --json
  magister bench tictactoe --evaluator batch --threads 2
  magister bench tictactoe monty-hall --signature  # a checksum of results"
)]
pub(crate) struct Bench {
    /// The games: bundled names, rust:NAME, files, or - for standard input
    #[arg(value_name = "GAME", required = true)]
    pub(crate) games: Vec<String>,
    /// Seconds per measurement
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    pub(crate) seconds: f64,
    /// Evaluator to measure [default: all; with --signature the one that `play` uses]
    #[arg(long, value_name = "E", value_parser = measured_evaluators())]
    pub(crate) evaluator: Option<EvaluatorArg>,
    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: u16,
    /// Collect statistics per move (slower)
    #[arg(long, conflicts_with = "signature")]
    pub(crate) moves: bool,
    /// Stop a match after N steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) max_steps: u32,
    /// Print one JSON object per measurement
    #[arg(long)]
    pub(crate) json: bool,
    /// Print a checksum of fixed playouts instead of measuring
    #[arg(long)]
    pub(crate) signature: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(seconds),
        _ => Err("write a number of seconds above 0 and up to 86400".to_owned()),
    }
}

/// Show the propositional network of a game: gate counts, or a drawing
#[derive(Debug, Parser)]
#[command(after_help = "Exit code: 0 success, 2 the game has no network within the limits.

Examples:
  magister network tictactoe
  magister network tictactoe --dot | dot -Tsvg > tictactoe.svg
  magister network mine.kif --json")]
pub(crate) struct Network {
    /// The game: a bundled name, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Print a drawing for Graphviz
    #[arg(long, conflicts_with = "json")]
    pub(crate) dot: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}
