//! The arguments, with their help.

mod analyze;
mod contest;
mod explain;
mod infoset;
mod parse;
mod play;
mod solve;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use magister_gdl::{Dialect, Options, Syntax};

pub(crate) use analyze::{Analyze, Inspect};
pub(crate) use contest::{Answer, Match, Pairs, Play, Players, Rated, Replay, Thinking, Tourney};
pub(crate) use explain::Explain;
pub(crate) use infoset::Infoset;
pub(crate) use parse::parse;
pub(crate) use play::{Bench, Evaluators, Network, Perft, Playable, Step};
pub(crate) use solve::{Audit, Method, Solve};

/// A general game system: give it the rules of any game, as text.
#[derive(Debug, Parser)]
#[command(name = "magister", version, max_term_width = 100)]
#[command(after_help = "Examples:
  magister games                      the games that come with it
  magister show tictactoe             one of them, explained
  magister new my-game                a rulesheet to start from
  magister check mine.kif             what is wrong with your rules, and where
  magister convert mine.hrf --to kif  the same rules in prefix form
  magister step mine.kif              try it, move by move
  magister explain mine.kif terminal  why something holds, or why it does not
  magister playable mine.kif          whether it plays as a game should
  magister play connect-four          play against the machine
  magister match tictactoe --players mcts,random --games 10
  magister solve kuhn-poker --strategy

GAME and FILE may be the name of a bundled game, a file in any of the languages, or - for standard
input; where a game is played, rust:NAME is the version in Rust of a bundled game.
`magister help COMMAND` tells more.")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(Check),
    Fmt(Fmt),
    Convert(Convert),
    Step(Step),
    Play(Play),
    Explain(Explain),
    Playable(Playable),
    Players(Players),
    Match(Match),
    Tournament(Tourney),
    Replay(Replay),
    Inspect(Inspect),
    Answer(Answer),
    Analyze(Analyze),
    Solve(Solve),
    Audit(Audit),
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

/// Say what is wrong with rules, where, and what to do about it
#[derive(Debug, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "Exit code: 0 nothing wrong, 1 errors (with --strict also warnings), 2 \
something could not be read.

Examples:
  magister check mine.kif
  magister check --json games/*.kif
  magister check --explain G201
  curl ... | magister check -")]
pub(crate) struct Check {
    /// Rulesheets: files, names of bundled games, or - for standard input
    #[arg(value_name = "FILE", required_unless_present_any = ["explain", "codes"])]
    pub(crate) files: Vec<String>,
    /// One JSON object per diagnostic
    #[arg(long, conflicts_with = "short")]
    pub(crate) json: bool,
    /// One line per diagnostic
    #[arg(long)]
    pub(crate) short: bool,
    /// Warnings count as errors
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
    /// Explain a code, such as G201 or unsafe-head, with an example
    #[arg(long, value_name = "CODE")]
    pub(crate) explain: Option<String>,
    /// List all codes
    #[arg(long)]
    pub(crate) codes: bool,
}

/// Format rulesheets in place, comments kept
#[derive(Debug, Parser)]
#[command(
    after_help = "A file that cannot be read as a whole is left as it is. - formats standard \
input to standard output.

Examples:
  magister fmt mine.kif
  magister fmt --check games/*.kif    exit code 1 if any would change"
)]
pub(crate) struct Fmt {
    /// Files, or - for standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<String>,
    /// Change nothing, only say which files would change
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Translate rules to another syntax or language
#[derive(Debug, Parser)]
#[command(
    after_help = "kif and infix are ways of writing; gdl and gdl2 are languages, written as \
the input is unless --syntax says otherwise. Gamemaster's operations are translated to GDL where \
the goal needs it. gdl2 adds the rule that everyone sees every move.

Examples:
  magister convert mine.kif --to infix
  magister convert lights.hrf --to gdl --syntax kif -o lights.kif
  magister convert tictactoe --to gdl2"
)]
pub(crate) struct Convert {
    /// The rules: a file, the name of a bundled game, or - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// What to translate to
    #[arg(long, value_enum)]
    pub(crate) to: Target,
    /// How to write GDL
    #[arg(long, value_enum)]
    pub(crate) syntax: Option<SyntaxName>,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Replay recorded matches of other programs, and report every disagreement
#[derive(Debug, Parser)]
#[command(after_help = "Traces are JSON lines, plain or gzip: matches as ggp-base's prover \
recorded them (GDL, GDL-II), or positions as Gamemaster's engine did. There is a line for each \
evaluator; the last line is `positions N, mismatches M`. Exit code: 0 no mismatch, 1 mismatches, 2 something could not be read \
or played.

Examples:
  magister conform mine.kif recorded.jsonl.gz
  magister conform --evaluator all mine.kif recorded.jsonl.gz")]
pub(crate) struct Conform {
    /// The rules: a file, the name of a bundled game, or - for standard input
    #[arg(value_name = "RULES")]
    pub(crate) rules: String,
    /// Files of recorded matches
    #[arg(value_name = "TRACE", required = true)]
    pub(crate) traces: Vec<PathBuf>,
    /// Which evaluator to hold against them: one, or all that take the game [default: the one
    /// that would play it]
    #[arg(long, value_name = "E", value_parser = play::evaluators())]
    pub(crate) evaluator: Option<Evaluators>,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// List the games that come with Magister, or check them
#[derive(Debug, Parser)]
#[command(
    after_help = "A check looks at everything that is known about a game: the rulesheets are \
clean and formatted, random matches end with one goal for each player, all evaluators agree, the \
facts of its card are counted again, twins in other languages are the same game, and the recorded \
match is played as it was. Exit code: 0 nothing wrong, 1 something wrong, 2 no such game.

Examples:
  magister games
  magister games chess hex            whose name or summary has one of these words
  magister games --tag chance --players 2
  magister games --language rust --json
  magister games --check tictactoe nim-1-5-4-2
  magister games --check-all"
)]
pub(crate) struct Games {
    /// Only games with one of these words in their names or summaries
    #[arg(value_name = "WORD", conflicts_with_all = ["check", "check_all"])]
    pub(crate) words: Vec<String>,
    /// Only games with this tag; several times for games with all of them
    #[arg(long)]
    pub(crate) tag: Vec<String>,
    /// Only games for so many players
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<usize>,
    /// Only games that are written in this language
    #[arg(long, value_enum)]
    pub(crate) language: Option<NewLanguage>,
    /// One JSON object per game
    #[arg(long)]
    pub(crate) json: bool,
    /// Check these games, thoroughly
    #[arg(long, value_name = "NAME", num_args = 1.., conflicts_with_all = ["json", "check_all"])]
    pub(crate) check: Vec<String>,
    /// Check all games, each for a second or so
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
    /// Gamemaster's operations
    Operations,
    /// Rust
    Rust,
}

impl NewLanguage {
    pub(crate) fn name(self) -> &'static str {
        match self {
            NewLanguage::Kif => "kif",
            NewLanguage::Infix => "infix",
            NewLanguage::Operations => "operations",
            NewLanguage::Rust => "rust",
        }
    }
}

/// Write a small complete game to start from
#[derive(Debug, Parser)]
#[command(
    after_help = "The file is called after the game and stands in the current folder. A file \
that is there already stays as it is.

Examples:
  magister new my-game
  magister new my-game --language operations
  magister new my-game --output rules/my-game.kif"
)]
pub(crate) struct New {
    /// What the game is called: lower-case letters, digits and hyphens
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The language to write it in
    #[arg(long, value_enum, default_value = "kif")]
    pub(crate) language: NewLanguage,
    /// The file to write
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
}

/// Show a game: what it is, how it is played, how it begins
#[derive(Debug, Parser)]
#[command(after_help = "Bundled games have names and other names; NAME/infix, NAME/operations, \
NAME/prefix and rust:NAME are further versions of some of them. A file may have a `style.toml` \
beside it that says how to draw its positions.

Examples:
  magister show tictactoe
  magister show connect-four/operations
  magister show mine.kif
  magister show tictactoe --rules > mine.kif   a rulesheet to start from")]
pub(crate) struct Show {
    /// A bundled game, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Only the rulesheet, as it is
    #[arg(long)]
    pub(crate) rules: bool,
    /// As a JSON object
    #[arg(long, conflicts_with = "rules")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Print completions for a shell
#[derive(Debug, Parser)]
#[command(after_help = "Example:
  magister completions bash > ~/.local/share/bash-completion/completions/magister")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// How to read rules.
#[derive(Debug, clap::Args)]
pub(crate) struct Reading {
    /// The language of the rules; told by their content if not given
    #[arg(long, value_enum)]
    pub(crate) language: Option<Language>,
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
    /// Gamemaster's operations
    Gamemaster,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// Prefix rules
    Kif,
    /// Infix rules
    Infix,
    /// GDL: operations become rules for next and legal
    Gdl,
    /// GDL-II: everyone sees every move
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
    pub(crate) fn options(&self) -> Options {
        let (syntax, dialect) = match self.language {
            None => (None, None),
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
