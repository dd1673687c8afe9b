//! The arguments, with their help.

mod analyze;
mod contest;
mod decompose;
mod experiment;
mod explain;
mod infoset;
mod manage;
mod parse;
mod play;
mod serve;
mod solve;
mod train;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use magister_gdl::{Dialect, Options, Syntax};

pub(crate) use analyze::{Analyze, Inspect};
pub(crate) use contest::{Answer, Match, Pairs, Play, Players, Rated, Replay, Thinking, Tourney};
pub(crate) use decompose::Decompose;
pub(crate) use experiment::{Experiment, ExperimentName, Variant};
pub(crate) use explain::Explain;
pub(crate) use infoset::Infoset;
pub(crate) use manage::{
    BoardScale, Export, Import, Leaderboard, Matches, Player, PlayerArg, RecordFormat, Remotes,
    Stored,
};
pub(crate) use parse::parse;
pub(crate) use play::{Bench, EvaluatorArg, Network, Perft, Playable, Step};
pub(crate) use serve::{Backup, Serve};
pub(crate) use solve::{Audit, Method, Solve};
pub(crate) use train::{AgentKind, Eval, NetForm, ObserveName, RuleName, StepsName, Train};

/// A general game system: write the rules of any game as text, then check, play and analyse it
#[derive(Debug, Parser)]
#[command(name = "magister", version)]
#[command(after_help = "Examples:
  magister                            # a short introduction
  magister play connect-four          # play against the computer
  magister serve                      # play in the browser
  magister games                      # list games to start with
  magister show tictactoe             # explain one of them
  magister new my-game                # write a rulesheet to start from
  magister check mine.kif             # find errors in your rules
  magister convert mine.hrf --to kif  # translate rules to prefix form
  magister step mine.kif              # try a game move by move
  magister explain mine.kif terminal  # show why something holds or does not
  magister playable mine.kif          # test the rules in random matches
  magister match tictactoe --players mcts,random --games 10
  magister solve kuhn-poker --strategy

GAME is the name of a bundled game, a file with rules in any of the languages, or - for standard \
input. In commands that play a game, rust:NAME selects the Rust version of a bundled game. Exit codes: \
0 success; 1 the answer is no, or faults were found; 2 input could not be read, or the command failed.
`magister help COMMAND` describes a command.")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(Check),
    Fmt(Fmt),
    Convert(Convert),
    Step(Step),
    Play(Play),
    Serve(Serve),
    Backup(Backup),
    Explain(Explain),
    Playable(Playable),
    Players(Players),
    Match(Match),
    Tournament(Tourney),
    Replay(Replay),
    Inspect(Inspect),
    Answer(Answer),
    Player(Player),
    Matches(Matches),
    Leaderboard(Leaderboard),
    Export(Export),
    Import(Import),
    Analyze(Analyze),
    Experiment(Experiment),
    Solve(Solve),
    Decompose(Decompose),
    Audit(Audit),
    Train(Box<Train>),
    Eval(Eval),
    Infoset(Infoset),
    Network(Network),
    Perft(Perft),
    Bench(Bench),
    Conform(Conform),
    Games(Games),
    Show(Show),
    New(New),
    Completions(Completions),
}

/// Check rules: report errors, where they are, and how to fix them
#[derive(Debug, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(
    after_help = "--fix repairs missing and extra parentheses, misspelt names and keywords, `:` for `::`, \
`-->` for `==>`, a missing `&` and a missing noop. It changes a file only if the rules have no \
errors afterwards and random matches reveal fewer faults than before. It lists every change.

Exit code: 0 no errors, 1 errors (with --strict also warnings), 2 a file could not be read.

Examples:
  magister check mine.kif
  magister check --fix mine.kif
  magister check --json games/*.kif
  magister check --explain G201
  curl ... | magister check -"
)]
pub(crate) struct Check {
    /// Rulesheets: files, names of bundled games, or - for standard input
    #[arg(value_name = "FILE", required_unless_present_any = ["explain", "codes"])]
    pub(crate) files: Vec<String>,
    /// Print one JSON object per diagnostic
    #[arg(long, conflicts_with = "short")]
    pub(crate) json: bool,
    /// Print one line per diagnostic
    #[arg(long)]
    pub(crate) short: bool,
    /// Treat warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// Repair simple mistakes in the files
    #[arg(long, conflicts_with_all = ["json", "short"])]
    pub(crate) fix: bool,
    /// Show all errors and warnings in a file, not just the first few
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
    /// Explain a code, such as G201 or unsafe-head, with an example
    #[arg(long, value_name = "CODE")]
    pub(crate) explain: Option<String>,
    /// List all codes
    #[arg(long)]
    pub(crate) codes: bool,
}

/// Format rulesheets in place and keep their comments
#[derive(Debug, Parser)]
#[command(after_help = "A file with syntax errors is left unchanged. With -, the command \
reads standard input and writes standard output.

Examples:
  magister fmt mine.kif
  magister fmt --check games/*.kif  # exit code 1 if any would change")]
pub(crate) struct Fmt {
    /// Files, or - for standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<String>,
    /// Do not write; only report which files would change
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Translate rules to another syntax or language
#[derive(Debug, Parser)]
#[command(
    after_help = "kif and infix are syntaxes; gdl and gdl2 are languages. The output uses the \
syntax of the input unless --syntax is given. Gamemaster's operations are translated to GDL when the \
target needs it. gdl2 adds a rule by which every role sees every move.

Examples:
  magister convert mine.kif --to infix
  magister convert lights.hrf --to gdl --syntax kif -o lights.kif
  magister convert tictactoe --to gdl2"
)]
pub(crate) struct Convert {
    /// The rules: a file, the name of a bundled game, or - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// Target syntax or language
    #[arg(long, value_enum)]
    pub(crate) to: Target,
    /// Syntax of the output
    #[arg(long, value_enum)]
    pub(crate) syntax: Option<SyntaxName>,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Replay matches that other programs recorded, and report every mismatch
#[derive(Debug, Parser)]
#[command(
    after_help = "A trace is a file of JSON lines, plain or gzipped: matches recorded by ggp-base's prover (GDL, \
GDL-II), or positions recorded by Gamemaster's engine. For a game in RECYCLE it is a text file, \
plain or gzipped, that was recorded with CardStock: full records (.full.gz) are replayed move by \
move; for summaries (.trace.gz), the means of decisions, options and scores are compared with those \
of 10,000 random games, and may differ by 4 standard errors. The output has one line per evaluator or mean; the \
last line is `positions N, mismatches M`. Exit code: 0 no mismatch, 1 mismatches, 2 a file could \
not be read or the game could not be played.

Examples:
  magister conform mine.kif recorded.jsonl.gz
  magister conform --evaluator all mine.kif recorded.jsonl.gz
  magister conform Hearts4.rcy Hearts4.full.gz Hearts4.trace.gz"
)]
pub(crate) struct Conform {
    /// The rules: a file, the name of a bundled game, or - for standard input
    #[arg(value_name = "RULES")]
    pub(crate) rules: String,
    /// Recorded matches
    #[arg(value_name = "TRACE", required = true)]
    pub(crate) traces: Vec<PathBuf>,
    /// Evaluator to test [default: the one that `play` uses]
    #[arg(long, value_name = "E", value_parser = play::evaluators())]
    pub(crate) evaluator: Option<EvaluatorArg>,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// List the bundled games, or test them
#[derive(Debug, Parser)]
#[command(
    after_help = "--check tests everything that is recorded about a game: its rulesheets are clean and formatted, \
random matches end with one goal value per player, all evaluators agree, the facts in game.toml \
are correct, versions in other languages are the same game, and the recorded match can be replayed. \
Exit code: 0 all tests pass, 1 a test failed, 2 no such game.

Examples:
  magister games            # games to start with
  magister games --all      # all of them
  magister games chess hex  # games with one of these words
  magister games --tag chance --players 2
  magister games --language rust --json
  magister games --check tictactoe nim-1-5-4-2
  magister games --check-all"
)]
pub(crate) struct Games {
    /// Only games with one of these words in their names, summaries or tags
    #[arg(value_name = "WORD", conflicts_with_all = ["check", "check_all"])]
    pub(crate) words: Vec<String>,
    /// List all games, including variants and deliberately flawed games
    #[arg(long)]
    pub(crate) all: bool,
    /// Only games with this tag; repeat the option to require several tags
    #[arg(long)]
    pub(crate) tag: Vec<String>,
    /// Only games for N players
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<usize>,
    /// Only games that are written in this language
    #[arg(long, value_enum)]
    pub(crate) language: Option<NewLanguage>,
    /// Print one JSON object per game
    #[arg(long)]
    pub(crate) json: bool,
    /// Test these games thoroughly
    #[arg(long, value_name = "NAME", num_args = 1.., conflicts_with_all = ["json", "check_all"])]
    pub(crate) check: Vec<String>,
    /// Test all games, about one second each
    #[arg(long, conflicts_with = "json")]
    pub(crate) check_all: bool,
}

/// The languages that games of the catalogue are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NewLanguage {
    /// Prefix GDL or GDL-II
    Kif,
    /// Infix GDL or GDL-II
    Infix,
    /// Gamemaster's language, with operations
    #[value(alias = "operations")]
    Gamemaster,
    /// RECYCLE, the language of card games
    Recycle,
    /// Rust
    Rust,
}

impl NewLanguage {
    /// The name in JSON, which does not change.
    pub(crate) fn name(self) -> &'static str {
        match self {
            NewLanguage::Kif => "kif",
            NewLanguage::Infix => "infix",
            NewLanguage::Gamemaster => "operations",
            NewLanguage::Recycle => "recycle",
            NewLanguage::Rust => "rust",
        }
    }
}

/// What kind of game to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Template {
    /// Two players take turns
    Turns,
    /// Two players move at the same time
    Simultaneous,
    /// GDL-II: chance deals cards that only one player sees
    #[value(alias = "gdl2", alias = "chance")]
    Hidden,
}

/// Write a small complete game as a starting point
#[derive(Debug, Parser)]
#[command(after_help = "The file is named after the game and written to the current folder. An \
existing file is never overwritten.

Examples:
  magister new my-game
  magister new my-game --language gamemaster
  magister new my-game --template hidden  # GDL-II, with chance
  magister new my-game --template simultaneous --language infix
  magister new my-game --output rules/my-game.kif")]
pub(crate) struct New {
    /// Name of the game: lower-case letters, digits and hyphens
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The language to write it in
    #[arg(long, value_enum, default_value = "kif")]
    pub(crate) language: NewLanguage,
    /// The kind of game
    #[arg(long, value_enum, default_value = "turns")]
    pub(crate) template: Template,
    /// The file to write
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
}

/// Describe a game: its rules in words, the board at the start, roles and moves
#[derive(Debug, Parser)]
#[command(after_help = "Bundled games have a name and aliases. NAME/infix, NAME/operations, \
NAME/prefix and rust:NAME select other versions of a game. An optional file `style.toml` \
next to the rules describes how to draw positions.

Examples:
  magister show tictactoe
  magister show connect-four/operations
  magister show mine.kif
  magister show tictactoe --rules > mine.kif  # a rulesheet to start from")]
pub(crate) struct Show {
    /// A bundled game, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Print only the rulesheet
    #[arg(long)]
    pub(crate) rules: bool,
    /// Print one JSON object
    #[arg(long, conflicts_with = "rules")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Print completions for a shell
#[derive(Debug, Parser)]
#[command(after_help = "Example:
  magister completions bash > magister.bash
  source magister.bash  # or put this line into ~/.bashrc")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// How to read rules.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Reading {
    /// Language of the rules [default: detected from their content]
    #[arg(long, value_enum)]
    pub(crate) language: Option<Language>,
    /// RECYCLE only: do what CardStock does where it departs from its documentation, for example
    /// that later cards win ties; some card games rely on it
    #[arg(long)]
    pub(crate) compat: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// Prefix GDL or GDL-II
    Kif,
    /// Infix GDL, GDL-II or Gamemaster's dialect
    Infix,
    /// GDL, in either syntax
    Gdl,
    /// GDL-II, in either syntax
    Gdl2,
    /// Gamemaster's language, with operations
    #[value(alias = "operations")]
    Gamemaster,
    /// RECYCLE, the language of card games
    Recycle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// Prefix rules
    Kif,
    /// Infix rules
    Infix,
    /// GDL: operations become rules for next and legal
    Gdl,
    /// GDL-II: every role sees every move
    Gdl2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SyntaxName {
    /// Prefix
    Kif,
    /// Infix
    Infix,
}

impl Reading {
    pub(crate) fn options(&self) -> magister::Reading {
        let recycle = magister_recycle::Options {
            compat: self.compat,
            ..magister_recycle::Options::default()
        };
        let front_end = self.language.map(|language| match language {
            Language::Recycle => magister::FrontEnd::Recycle,
            _ => magister::FrontEnd::Gdl,
        });
        magister::Reading { front_end, gdl: self.gdl(), recycle }
    }

    /// How GDL is read.
    pub(crate) fn gdl(&self) -> Options {
        let (syntax, dialect) = match self.language {
            None | Some(Language::Recycle) => (None, None),
            Some(Language::Kif) => (Some(Syntax::Kif), None),
            Some(Language::Infix) => (Some(Syntax::Infix), None),
            Some(Language::Gdl) => (None, Some(Dialect::Gdl)),
            Some(Language::Gdl2) => (None, Some(Dialect::Gdl2)),
            Some(Language::Gamemaster) => (Some(Syntax::Infix), Some(Dialect::Operations)),
        };
        Options { syntax, dialect, ..Options::default() }
    }
}

impl From<SyntaxName> for Syntax {
    fn from(name: SyntaxName) -> Self {
        match name {
            SyntaxName::Kif => Syntax::Kif,
            SyntaxName::Infix => Syntax::Infix,
        }
    }
}
