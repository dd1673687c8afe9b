//! The arguments of the commands in which players meet.

use std::time::Duration;

use clap::Parser;
use magister_players::Spec;

use super::Reading;

/// List the players, with their parameters
#[derive(Debug, Parser)]
#[command(after_help = "A player is named with its settings: mcts, or mcts:c=1.2,steps=400. Some \
stand around another player, whose settings are put in brackets: plies:depth=2,inner=mcs, or \
puct:inner=[mcs:playouts=8],c=2.

Examples:
  magister players
  magister players mcts
  magister players --json")]
pub(crate) struct Players {
    /// Only this player
    #[arg(value_name = "PLAYER")]
    pub(crate) player: Option<String>,
    /// One JSON object per player
    #[arg(long)]
    pub(crate) json: bool,
}

/// Play a game against the machine
#[derive(Debug, Parser)]
#[command(
    after_help = "The board is drawn before each of your moves, with the moves that you have. A line is a move, by its number or its text, or a command: help, moves, hint, undo, redo, show, history, resign, quit. In games that hide information you see what your role sees: your moves and percepts; the rest is shown when the match is over.

You have no clock, the others have. Lines come from the terminal or from standard input; what is no move is told and the next line is read, and the end of the input is as good as quit. --record appends the match to a file that `magister replay` reads. Exit code: 0 played or left, 2 the game could not be played.

Examples:
  magister play tictactoe
  magister play connect-four --as o --against alphabeta --time 2s
  magister play chinese-checkers-3 --against uct,random
  magister play kuhn-poker --seed 7 --record mine.jsonl
  magister play chess --as all                     two people at one terminal
  printf '5\nhint\nquit\n' | magister play tictactoe --iterations 100"
)]
pub(crate) struct Play {
    /// The game: a bundled name, rust:NAME or a file
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Your role, several with commas between them, or all [default: the first]
    #[arg(long = "as", value_name = "ROLE", value_delimiter = ',')]
    pub(crate) roles: Vec<String>,
    /// Who plays the other roles, one for all or one for each [default: the strongest for the game]
    #[arg(long, value_name = "PLAYER", value_parser = Spec::parse_list)]
    pub(crate) against: Option<std::vec::Vec<Spec>>,
    /// Who gives hints [default: the strongest for the game]
    #[arg(long, value_name = "PLAYER")]
    pub(crate) hint: Option<Spec>,
    /// Where everything random comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) thinking: Thinking,
    /// Append the match to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<std::path::PathBuf>,
    /// Break the match off after so many steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) max_steps: u32,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Let players play against each other
#[derive(Debug, Parser)]
#[command(
    after_help = "All seatings take turns: with two players every other game is played with \
exchanged roles. An illegal, late or missing move is replaced by a random one and told under \
errors. With --iterations alone the same seed gives the same games, however many run at the same \
time; how many that is, only matters to those who pay by the clock.

With --json each game is a match record, one object a line: game, seed, players in the order of \
their seats, moves (of all roles, chance included), rewards in the order of the seats, errors, \
times_ms (for each joint move the time of each seat), and more; docs/match-record.schema.json \
describes it. The last object is the summary. Exit code: 0 played, 2 the game could not be played.

Examples:
  magister match tictactoe --players mcts,random --games 10 --iterations 200
  magister match mine.kif --players mcts:c=1.2,mcts --games 100 --time 200ms --seed 7 --json
  magister match 2048 --players random --games 100"
)]
pub(crate) struct Match {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Who plays, one for each role or one for all; `magister players` lists them
    #[arg(long, value_name = "A,B", value_parser = Spec::parse_list)]
    pub(crate) players: std::vec::Vec<Spec>,
    /// How many games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = positive::<u64>)]
    pub(crate) games: u64,
    /// Where everything random comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) thinking: Thinking,
    /// Begin every game with so many random steps
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) opening: u32,
    /// Break a game off after so many steps
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = positive::<u32>)]
    pub(crate) max_steps: u32,
    /// How many games to play at the same time [default: 1 with --time, else one per core]
    #[arg(long, value_name = "N", value_parser = positive::<usize>)]
    pub(crate) jobs: Option<usize>,
    /// Stop when it is clear whether the first player is ahead by the first or by the second
    /// number of Elo points
    #[arg(long, value_name = "E0,E1", value_parser = leads, allow_hyphen_values = true)]
    pub(crate) sprt: Option<(f64, f64)>,
    /// One JSON object per game, and a summary
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Play matches again that were recorded, and check them against the rules
#[derive(Debug, Parser)]
#[command(
    after_help = "Reads what `magister match --json` prints, what `magister tournament` logs \
and what `magister play --record` writes, now and in earlier versions. Moves, percepts, gains, \
rewards and the end are checked; so is that everything that was drawn follows from the seed whose \
hash was told at the start. Exit code: 0 all agree with the rules, 1 some do not, 2 something could not be read.

Examples:
  magister match tictactoe --players mcts,random --games 10 --iterations 100 --json > played.jsonl
  magister replay played.jsonl
  magister replay played.jsonl --number 3    every position of the third match
  magister replay played.jsonl --number 3 --step   walk through it: redo, undo, jump N, try others"
)]
pub(crate) struct Replay {
    /// The file, or - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// Show every position of this match only
    #[arg(long, value_name = "N")]
    pub(crate) number: Option<u64>,
    /// Walk through the match with the commands of `magister step`, from its beginning
    #[arg(long)]
    pub(crate) step: bool,
    /// The game, if it is not found under the name in the file
    #[arg(long, value_name = "GAME")]
    pub(crate) game: Option<String>,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Let many players meet on many games, and rate them
#[derive(Debug, Parser)]
#[command(after_help = "Every match that is over is a line of the log. The same command goes on \
where it was interrupted, killed even, and plays nothing twice; when all is played, it prints the \
table again. More rounds, players and games may be added, but the log knows what else it was played \
with, and refuses other options. In a round robin every group of players that fits a game meets --rounds times, with \
changing seats; in a Swiss tournament those with about the same score meet in each of --rounds \
rounds, nobody meets again as long as that can be avoided, and who is left over has a bye. Ratings \
are by Bradley and Terry on the scale of Elo, which does not depend on the order of the matches; \
--rating takes others.

Examples:
  magister tournament tictactoe nim-3-4-5 --players uct,mcts,random --iterations 100 --log t.jsonl
  magister tournament games/*.kif --players uct,mcts,pts,mcs --time 100ms --rounds 4 --log t.jsonl
  magister tournament hex-7 --players uct,mcts,puct,pts,mcs --system swiss --rounds 5 \
--iterations 500 --log t.jsonl --csv t.csv --svg t.svg")]
pub(crate) struct Tourney {
    /// The games: bundled names, rust:NAME or files
    #[arg(value_name = "GAME", required = true)]
    pub(crate) games: Vec<String>,
    /// Who plays; `magister players` lists them
    #[arg(long, value_name = "A,B,C", value_parser = Spec::parse_list)]
    pub(crate) players: std::vec::Vec<Spec>,
    /// Where the matches are kept, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub(crate) log: std::path::PathBuf,
    /// How opponents are found
    #[arg(long, value_enum, default_value_t = Pairs::RoundRobin)]
    pub(crate) system: Pairs,
    /// Matches of each group, or rounds of a Swiss tournament
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = positive::<u32>)]
    pub(crate) rounds: u32,
    /// Where everything random comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) thinking: Thinking,
    /// Begin every match with so many random steps
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) opening: u32,
    /// Break a match off after so many steps
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = positive::<u32>)]
    pub(crate) max_steps: u32,
    /// How many matches to play at the same time [default: 1 with --time, else one per core]
    #[arg(long, value_name = "N", value_parser = positive::<usize>)]
    pub(crate) jobs: Option<usize>,
    /// Write the results to a table of comma-separated values as well
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<std::path::PathBuf>,
    /// Draw ratings and cross table as well
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<std::path::PathBuf>,
    /// How players are rated in the table and the drawing; --json tells all ratings
    #[arg(long, value_name = "SCALE", value_enum, default_value_t = Rated::BradleyTerry)]
    pub(crate) rating: Rated,
    /// The table as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// How opponents are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Pairs {
    /// Everybody meets everybody
    RoundRobin,
    /// Those meet who have about the same score
    Swiss,
}

/// How players are rated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Rated {
    /// The strengths that make the results most likely, on the scale of Elo, with mean zero
    BradleyTerry,
    /// A. Elo's, from 1000 on, over many orders of the matches
    Elo,
    /// M. Glickman's second, from 1500 on, with the rounds as periods
    #[value(name = "glicko-2")]
    Glicko2,
    /// R. Weng's and C. Lin's, from 25 on
    WengLin,
}

/// Play for other programs, which ask for moves line by line
#[derive(Debug, Parser)]
#[command(after_help = "It reads lines and answers each with a JSON object:
  go           the move that the player would make for the first role that has a choice
  play MOVES   make moves, written as for `magister step`
  random       make a random step
  new SEED     begin anew
  quit         end

The player keeps what it knows from one question to the next. The first object comes before the
first line.

Examples:
  magister answer connect-four --player uct --time 200ms
  magister answer mine.kif --player mcts --iterations 1000")]
pub(crate) struct Answer {
    /// The game: a bundled name, rust:NAME, or a file
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Who plays; `magister players` lists them
    #[arg(long, value_name = "PLAYER", default_value = "uct")]
    pub(crate) player: Spec,
    /// Where everything random comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) thinking: Thinking,
    /// Let --time be time of the processor, where the system tells it: fair on a busy machine
    #[arg(long)]
    pub(crate) cpu: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// How long players think.
#[derive(Debug, clap::Args)]
pub(crate) struct Thinking {
    /// The time for a move, such as 200ms or 1.5s [default: 1s if --iterations is not given]
    #[arg(long, value_name = "T", value_parser = duration)]
    pub(crate) time: Option<Duration>,
    /// The iterations for a move: simulations, or positions that are expanded
    #[arg(long, value_name = "N", value_parser = positive::<u64>)]
    pub(crate) iterations: Option<u64>,
    /// The time before the first move
    #[arg(long, value_name = "T", value_parser = duration)]
    pub(crate) start: Option<Duration>,
    /// How late an answer may come and still count
    #[arg(long, value_name = "T", value_parser = grace, default_value = "50ms")]
    pub(crate) grace: Duration,
    /// The memory that a player may use, in MiB, for players that remember positions and were not
    /// given another limit
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub(crate) memory: Option<u32>,
}

/// Reads a time: a number with `ms` or `s` after it; without a unit it is seconds.
fn duration(text: &str) -> Result<Duration, String> {
    seconds(text)
        .filter(|seconds| (0.001..=86_400.0).contains(seconds))
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "write a time of 1ms to a day, such as 200ms or 1.5s".to_owned())
}

/// Reads a time that may be none at all.
fn grace(text: &str) -> Result<Duration, String> {
    seconds(text)
        .filter(|seconds| (0.0..=86_400.0).contains(seconds))
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "write a time of 0 to a day, such as 0ms, 200ms or 1.5s".to_owned())
}

fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 1e-3),
        None => (text.strip_suffix('s').unwrap_or(text), 1.0),
    };
    number.trim().parse::<f64>().ok().map(|number| number * unit)
}

/// Reads a whole number of which none would be no answer.
pub(super) fn positive<T: std::str::FromStr + PartialOrd + From<u8>>(
    text: &str,
) -> Result<T, String> {
    let number = text.trim().parse().ok().filter(|number| *number >= T::from(1));
    number.ok_or_else(|| "write a whole number of 1 or more".to_owned())
}

/// Reads two leads, the smaller one first.
fn leads(text: &str) -> Result<(f64, f64), String> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    text.split_once(',')
        .and_then(|(low, high)| Some((number(low)?, number(high)?)))
        .filter(|(low, high)| low < high)
        .ok_or_else(|| "write two numbers, the smaller one first, such as 0,50".to_owned())
}
