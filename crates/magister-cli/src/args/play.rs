//! The arguments of the commands that play games.

use clap::Parser;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use magister_engine::Evaluator;

use super::Reading;

/// Which evaluators to use, where it can be more than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evaluators {
    One(Evaluator),
    /// The one that makes single steps if none is asked for.
    Steps,
    All,
}

/// Reads the name of an evaluator.
fn evaluator() -> impl TypedValueParser<Value = Evaluator> {
    let names = Evaluator::ALL.iter().map(|e| e.name());
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Evaluator>())
}

/// Reads the name of an evaluator, or `all`.
pub(super) fn evaluators() -> impl TypedValueParser<Value = Evaluators> {
    let names = Evaluator::ALL.iter().map(|e| e.name()).chain(["all"]);
    PossibleValuesParser::new(names).try_map(|name| {
        if name == "all" { Ok(Evaluators::All) } else { name.parse().map(Evaluators::One) }
    })
}

/// Reads the name of an evaluator, `steps` or `all`.
fn measured_evaluators() -> impl TypedValueParser<Value = Evaluators> {
    let names = Evaluator::ALL.iter().map(|e| e.name()).chain(["steps", "all"]);
    PossibleValuesParser::new(names).try_map(|name| match name.as_str() {
        "all" => Ok(Evaluators::All),
        "steps" => Ok(Evaluators::Steps),
        name => name.parse().map(Evaluators::One),
    })
}

/// Play a game by hand: look, move, take back
#[derive(Debug, Parser)]
#[command(
    after_help = "A step is one move of each role. A line gives the moves of the roles that \
have a choice, or of all roles, in their order and with blanks between them, as text or as the \
number in the list; * draws a move at random. Several steps are separated by semicolons. Chance is \
drawn from the seed unless its move is given. `help` lists the other commands.

Commands come from the terminal, or from standard input, which makes sessions scriptable: such a \
session ends at its first mistake. Exit code: 0 all is well, 1 a move is not legal or a command \
unknown, 2 the game cannot be played.

Examples:
  magister step tictactoe
  magister step tictactoe --moves \"(put 2 2); (put 1 1)\"
  magister step rock-paper-scissors --moves \"(show rock) (show paper)\" --json
  printf 'random 3\\nundo\\nhistory\\n' | magister step tictactoe --seed 7"
)]
pub(crate) struct Step {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Make these moves, show the position and end
    #[arg(long, value_name = "MOVES")]
    pub(crate) moves: Option<String>,
    /// Where the moves of chance and random moves come from
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// How to run the rules [default: the best that takes them]
    #[arg(long, value_name = "E", value_parser = evaluator())]
    pub(crate) evaluator: Option<Evaluator>,
    /// Each position as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Count paths and positions, depth by depth
#[derive(Debug, Parser)]
#[command(after_help = "Nodes are paths from the initial position, terminals those of them that \
are over, distinct the different positions among them. Every joint move counts as one, and so \
does every move of chance. When all paths are over, the totals follow. Exit code: 0 counted, 2 the \
game could not be played or has more positions than --limit.

Examples:
  magister perft tictactoe
  magister perft mine.kif 6
  magister perft rust:nim-3-4-5 --json")]
pub(crate) struct Perft {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// How deep to go [default: until every path is over]
    #[arg(value_name = "DEPTH", conflicts_with = "all")]
    pub(crate) depth: Option<u32>,
    /// Until every path is over, which is the default
    #[arg(long)]
    pub(crate) all: bool,
    /// How many distinct positions to keep at most
    #[arg(long, value_name = "N", default_value_t = 5_000_000)]
    pub(crate) limit: u32,
    /// How to run the rules [default: the best that takes them]
    #[arg(long, value_name = "E", value_parser = evaluator())]
    pub(crate) evaluator: Option<Evaluator>,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Play at random and say whether the rules make a game
#[derive(Debug, Parser)]
#[command(after_help = "Found: errors of `magister check`, players without a legal move before \
the end, ends without a goal value or with several, goal values out of range, evaluations that \
fail. Told: lengths, results, moves that never were legal, rules that never applied and relations \
that were never asked for. Exit code: 0 nothing wrong, 1 something \
wrong with the rules, 2 they could not be read.

Examples:
  magister playable mine.kif
  magister playable mine.kif --playouts 10000 --seed 3
  magister playable tictactoe --json")]
pub(crate) struct Playable {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// How many matches to play
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) playouts: u32,
    /// Where the random moves come from
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Break a match off after so many steps
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) max_steps: u32,
    /// How long to look for rules that never apply
    #[arg(long, value_name = "S", default_value_t = 5.0, value_parser = seconds)]
    pub(crate) seconds: f64,
    /// How to run the rules [default: the best that takes them]
    #[arg(long, value_name = "E", value_parser = evaluator())]
    pub(crate) evaluator: Option<Evaluator>,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Measure how fast games are played at random
#[derive(Debug, Parser)]
#[command(after_help = "One thread plays random matches, or several. Rates are per second of its \
processor time, or of the clock where the system does not tell that or where there are several \
threads. Preparation is from text to a game that can be played. Exit code: 0 measured, 1 evaluators disagree (with --signature), 2 a game could not \
be played.

Examples:
  magister bench tictactoe mine.kif
  magister bench rust:tictactoe --seconds 5
  magister bench tictactoe --evaluator all --json
  magister bench tictactoe --evaluator batch --threads 2
  magister bench tictactoe monty-hall --signature   a number that no change of the engine changes")]
pub(crate) struct Bench {
    /// The games: bundled names, rust:NAME, files, or - for standard input
    #[arg(value_name = "GAME", required = true)]
    pub(crate) games: Vec<String>,
    /// How long to play each
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    pub(crate) seconds: f64,
    /// How to run the rules: one way, the one that single steps are made by, or all that take them
    /// [default: all, and what play would use for what; with --signature what play would use]
    #[arg(long, value_name = "E", value_parser = measured_evaluators())]
    pub(crate) evaluator: Option<Evaluators>,
    /// Play in so many threads; rates are per second of the clock then
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: u16,
    /// Let playouts tell what comes of each move, which costs time
    #[arg(long, conflicts_with = "signature")]
    pub(crate) moves: bool,
    /// Break a match off after so many steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) max_steps: u32,
    /// One JSON object per measurement
    #[arg(long)]
    pub(crate) json: bool,
    /// Measure nothing; print one number that stands for the course of fixed playouts
    #[arg(long)]
    pub(crate) signature: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(seconds),
        _ => Err("a number of seconds above 0 is needed, and at most 86400".to_owned()),
    }
}

/// Show a game as gates: how many there are, and a drawing
#[derive(Debug, Parser)]
#[command(after_help = "Exit code: 0 here it is, 2 the game does not become a network within the \
limits.

Examples:
  magister network tictactoe
  magister network tictactoe --dot | dot -Tsvg > tictactoe.svg
  magister network mine.kif --json")]
pub(crate) struct Network {
    /// The game: a bundled name, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// As a drawing for Graphviz
    #[arg(long, conflicts_with = "json")]
    pub(crate) dot: bool,
    /// As a JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}
