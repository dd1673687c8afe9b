//! The arguments of the commands in which players meet.

use std::time::Duration;

use clap::Parser;
use magister_players::Spec;

use super::Reading;
use super::manage::{PlayerArg, Remotes};

/// List the players, with their parameters
#[derive(Debug, Parser)]
#[command(
    after_help = "A player is written with its parameters: mcts, or mcts:c=1.2,steps=400. Some players wrap \
another player, whose parameters go in square brackets: plies:depth=2,inner=mcs, or \
puct:inner=[mcs:playouts=8],c=2.

Examples:
  magister players
  magister players mcts
  magister players --json"
)]
pub(crate) struct Players {
    /// Only this player
    #[arg(value_name = "PLAYER")]
    pub(crate) player: Option<String>,
    /// Print one JSON object per player
    #[arg(long)]
    pub(crate) json: bool,
}

/// Play a game against the computer
#[derive(Debug, Parser)]
#[command(
    after_help = "Before each of your turns, you see the board and your moves. Type a move as it is listed, \
or its number; part of it is enough if only one legal move fits, such as `drop 3`, `3`, `e2e4`, \
`Nf3` or a cell. Other commands: help, moves, \
hint, why, show, rules, history, undo, redo, save, resign, quit. After the match: rematch, swap.

The levels are beginner, easy, medium, hard and strongest. They count iterations, so they are \
equally strong on every machine; strongest thinks up to a few seconds per move. With --time or \
--iterations and without --level, the strongest player plays with that limit instead of a level. \
In a game with hidden information, the computer knows only what its role knows, and you see what \
your role knows for certain. The rest is shown at the end of the match.

Input comes from the terminal or from standard input. End of input quits. --record \
appends the match to a file that `magister replay` reads, even if you resign or press Ctrl-C. Exit \
code: 0 the match was played or you quit, 2 the game could not be played.

Examples:
  magister play connect-four --level beginner
  magister play chess --as black --level hard
  magister play chinese-checkers-3 --against uct,random --time 1s
  magister play kuhn-poker --seed 7 --record mine.jsonl
  magister play chess --as all      # two people at one terminal
  magister play --resume mine.json  # a match that was saved
  printf '5\\nhint\\nquit\\n' | magister play tictactoe"
)]
#[command(mut_arg("time", |arg| {
    arg.help("Time per move of the computer; a bare number is seconds. Without --level, it then plays as strongly as it can")
}))]
pub(crate) struct Play {
    /// The game: a bundled name, rust:NAME or a file
    #[arg(value_name = "GAME")]
    pub(crate) game: Option<String>,
    /// Your role, several roles separated by commas, or all [default: the first]
    #[arg(long = "as", value_name = "ROLE", value_delimiter = ',')]
    pub(crate) roles: Vec<String>,
    /// How strongly the computer plays [default: medium]
    #[arg(long, value_name = "LEVEL", value_parser = levels(), conflicts_with = "against")]
    pub(crate) level: Option<String>,
    /// Players of the other roles: one for all or one for each; `magister players` lists the players
    #[arg(long, value_name = "PLAYER", value_parser = Spec::parse_list)]
    pub(crate) against: Option<std::vec::Vec<Spec>>,
    /// Player that gives hints [default: the strongest for the game]
    #[arg(long, value_name = "PLAYER")]
    pub(crate) hint: Option<Spec>,
    /// Random seed [default: a new one, which is printed]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) thinking: Thinking,
    /// Append the match to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<std::path::PathBuf>,
    /// Continue a match that was saved with `save`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["roles", "level", "against", "seed"])]
    pub(crate) resume: Option<std::path::PathBuf>,
    /// Draw boards with ASCII characters only
    #[arg(long)]
    pub(crate) ascii: bool,
    /// Play even if the rules have errors
    #[arg(long)]
    pub(crate) force: bool,
    /// Stop the match after N steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) max_steps: u32,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Reads the name of a level.
fn levels() -> clap::builder::PossibleValuesParser {
    let value = |level: &magister_players::Level| {
        clap::builder::PossibleValue::new(level.name).help(level.about)
    };
    clap::builder::PossibleValuesParser::new(magister_players::LEVELS.iter().map(value))
}

/// Play matches between players
#[derive(Debug, Parser)]
#[command(
    after_help = "Players rotate through all seats: with two players, every other game is played with swapped \
roles. An illegal, late or missing move is replaced by a random legal one and listed under errors. \
With --iterations and without --time, the same seed gives the same games, whatever --jobs is.

With --json each game is a match record, one object per line: game, seed, players in the order of \
their seats, moves (of all roles, chance included), rewards in the order of the seats, errors, \
times_ms (for each joint move the time of each seat), and more; docs/match-record.schema.json \
describes it. The last object is the summary. Exit code: 0 played, 2 the game could not be played.

Examples:
  magister match tictactoe --players mcts,random --games 10 --iterations 200
  magister match mine.kif --players mcts:c=1.2,mcts --games 100 --time 200ms
  magister match 2048 --players random --games 100
  magister match tictactoe --players http://127.0.0.1:9147,uct --time 1s"
)]
pub(crate) struct Match {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Players, one for each role or one for all: names of `magister players`, or http://host:port
    #[arg(long, value_name = "A,B", value_parser = PlayerArg::parse_list)]
    pub(crate) players: std::vec::Vec<PlayerArg>,
    /// Number of games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = positive::<u64>)]
    pub(crate) games: u64,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) thinking: Thinking,
    #[command(flatten)]
    pub(crate) remotes: Remotes,
    /// Begin every game with N random steps
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) opening: u32,
    /// Stop a game after N steps
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = positive::<u32>)]
    pub(crate) max_steps: u32,
    /// Number of games played at the same time [default: 1 with --time, otherwise one per core]
    #[arg(long, value_name = "N", value_parser = positive::<usize>)]
    pub(crate) jobs: Option<usize>,
    /// Sequential test (SPRT): stop as soon as the test decides between an Elo lead of E0 and one of
    /// E1 for the first player
    #[arg(long, value_name = "E0,E1", value_parser = leads, allow_hyphen_values = true)]
    pub(crate) sprt: Option<(f64, f64)>,
    /// Print one JSON object per game, and a summary
    #[arg(long)]
    pub(crate) json: bool,
    /// Add the players' analysis to the records: visits, value and principal variation of each move
    #[arg(long, requires = "json")]
    pub(crate) thoughts: bool,
    /// Play even if the rules have errors
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Replay recorded matches and verify them against the rules
#[derive(Debug, Parser)]
#[command(
    after_help = "Reads the output of `magister match --json`, the log of `magister tournament` and the files of \
`magister play --record`, including those of earlier versions. Moves, percepts, gains (points scored during the match), \
rewards and the end of the match are verified. So are the random draws: they must follow from the \
seed whose hash was published at the start. Exit code: 0 all matches agree with the rules, 1 some do not, 2 a file could not be read.

Examples:
  magister match tictactoe --players mcts,random --json > played.jsonl
  magister replay played.jsonl
  magister replay played.jsonl --number 3         # all its positions
  magister replay played.jsonl --number 3 --step  # walk through it"
)]
pub(crate) struct Replay {
    /// The file, or - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// Show every position of match N
    #[arg(long, value_name = "N")]
    pub(crate) number: Option<u64>,
    /// Walk through the match with the commands of `magister step`
    #[arg(long)]
    pub(crate) step: bool,
    /// Game to replay on [default: the name in the file]
    #[arg(long, value_name = "GAME")]
    pub(crate) game: Option<String>,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Run a tournament of many players on many games, with ratings
#[derive(Debug, Parser)]
#[command(
    after_help = "Every finished match is one line of the log. After an interruption, the same command continues \
and repeats no match; when all matches are played, it prints the table again. You may add rounds, \
players and games later. The log stores the other options; you cannot change them later. In a round \
robin, every group of players that fits a game meets --rounds times with rotating seats. In a Swiss \
tournament, players with similar scores meet in each of --rounds rounds, pairings are not repeated \
while that can be avoided, and the odd player out gets a bye. Ratings use the Bradley-Terry model \
on the Elo scale, which does not depend on the order of the matches; --rating selects another.

Examples:
  magister tournament tictactoe --players uct,mcts,random --log t.jsonl
  magister tournament games/*.kif --players uct,mcts --time 100ms --log t.jsonl
  magister tournament hex-7 --players uct,mcts,puct,mcs --system swiss \\
    --log t.jsonl --csv t.csv"
)]
pub(crate) struct Tourney {
    /// The games: bundled names, rust:NAME or files
    #[arg(value_name = "GAME", required = true)]
    pub(crate) games: Vec<String>,
    /// Players: names of `magister players`, or http://host:port
    #[arg(long, value_name = "A,B,C", value_parser = PlayerArg::parse_list)]
    pub(crate) players: std::vec::Vec<PlayerArg>,
    /// Log file of the matches, one JSON object per line
    #[arg(long, value_name = "FILE")]
    pub(crate) log: std::path::PathBuf,
    /// Pairing system
    #[arg(long, value_enum, default_value_t = Pairs::RoundRobin)]
    pub(crate) system: Pairs,
    /// Matches per pairing and game, or rounds of a Swiss tournament
    #[arg(long, visible_alias = "games", value_name = "N", default_value_t = 2, value_parser = positive::<u32>)]
    pub(crate) rounds: u32,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) thinking: Thinking,
    #[command(flatten)]
    pub(crate) remotes: Remotes,
    /// Begin every match with N random steps
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) opening: u32,
    /// Stop a match after N steps
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = positive::<u32>)]
    pub(crate) max_steps: u32,
    /// Number of matches played at the same time [default: 1 with --time, otherwise one per core]
    #[arg(long, value_name = "N", value_parser = positive::<usize>)]
    pub(crate) jobs: Option<usize>,
    /// Also write the results as comma-separated values (CSV)
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<std::path::PathBuf>,
    /// Also write a chart of the ratings and the cross table as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<std::path::PathBuf>,
    /// Rating in the table and the drawing; --json has all of them
    #[arg(long, value_name = "SCALE", value_enum, default_value_t = Rated::BradleyTerry)]
    pub(crate) rating: Rated,
    /// Print the table as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// How opponents are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Pairs {
    /// Every player meets every other
    RoundRobin,
    /// Players with similar scores meet
    Swiss,
}

/// How players are rated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Rated {
    /// Bradley-Terry: maximum likelihood on the Elo scale, mean 0
    BradleyTerry,
    /// Elo, starting at 1000, averaged over many orders of the matches
    Elo,
    /// Glicko-2, starting at 1500, one rating period per round
    #[value(name = "glicko-2")]
    Glicko2,
    /// Weng-Lin, starting at 25
    WengLin,
}

/// Answer another program's requests for moves, line by line
#[derive(Debug, Parser)]
#[command(after_help = "Reads commands from standard input and answers each with a JSON object:
  go           choose a move for the first role with a choice
  play MOVES   make moves, written as for `magister step`
  random       make a random step
  new SEED     start a new match
  quit         exit

The player keeps its search tree between requests. The first object describes the initial position; \
it is printed before the first command is read.

Examples:
  magister answer connect-four --player uct --time 200ms
  magister answer mine.kif --player mcts --iterations 1000")]
pub(crate) struct Answer {
    /// The game: a bundled name, rust:NAME, or a file
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Player; `magister players` lists the players [default: the strongest for the game]
    #[arg(long, value_name = "PLAYER")]
    pub(crate) player: Option<Spec>,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) thinking: Thinking,
    /// Measure --time in processor time if available, so that a busy machine costs no thinking time
    #[arg(long)]
    pub(crate) cpu: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// How long players think.
#[derive(Debug, clap::Args)]
pub(crate) struct Thinking {
    /// Time per move, such as 200ms or 1.5s; a bare number is seconds [default: 1s if --iterations is
    /// not given]
    #[arg(long, value_name = "T", value_parser = duration)]
    pub(crate) time: Option<Duration>,
    /// Maximum iterations per move (simulations or expanded positions); --time applies too if given
    #[arg(long, value_name = "N", value_parser = positive::<u64>)]
    pub(crate) iterations: Option<u64>,
    /// Start clock: time before the first move
    #[arg(long, value_name = "T", value_parser = duration)]
    pub(crate) start: Option<Duration>,
    /// Extra time before a move counts as late
    #[arg(long, value_name = "T", value_parser = grace, default_value = "50ms")]
    pub(crate) grace: Duration,
    /// Memory limit of a player in MiB, unless its own parameters set one
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub(crate) memory: Option<u32>,
}

/// Reads a time: a number with `ms` or `s` after it; without a unit it is seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
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

/// Reads a positive integer.
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
