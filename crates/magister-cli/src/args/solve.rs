//! The arguments of the commands that prove things of games and players.

use clap::Parser;
use magister_players::Spec;

use super::Reading;

/// Solve a small game: what it is worth to each role, and how to play it
#[derive(Debug, Parser)]
#[command(after_help = "Where everybody sees everything, all positions are valued from their \
ends; a puzzle is given its shortest solution. Where information is hidden, all courses of the \
game are looked through once, as far as the players can tell them apart, and CFR+ finds how to \
play each information set. What every role could gain by playing otherwise is then computed \
exactly: exploitability is the mean of that, and 0 at an equilibrium. With one player, or two with \
opposite interests, this proves bounds of the value. In other games what is found is an \
equilibrium if nobody can gain by leaving it, but there may be others, and there need not be one \
value.

An information set is told by what its role did and saw: MOVE => PERCEPTS for each turn. Values \
are on the scale of the game's own rewards. Exit code: 0 solved, 1 not solved, 2 the game could \
not be read.

Examples:
  magister solve tictactoe
  magister solve monty-hall --strategy
  magister solve kuhn-poker --json
  magister solve kuhn-poker --player honest    how much can be won against it
  magister solve leduc-poker --target 0.000001")]
pub(crate) struct Solve {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Where information is hidden, tell how every information set is played
    #[arg(long)]
    pub(crate) strategy: bool,
    /// How long it may take
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = seconds)]
    pub(crate) seconds: f64,
    /// How much memory it may use, in MiB
    #[arg(long, value_name = "N", default_value_t = 512,
          value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub(crate) memory: u64,
    /// How many positions there may be, or nodes of courses that somebody can tell apart
    #[arg(long, value_name = "N", default_value_t = 50_000_000,
          value_parser = clap::value_parser!(u64).range(1..=u64::from(u32::MAX)))]
    pub(crate) nodes: u64,
    /// Stop when all roles together could gain no more than this part of the range of payoffs
    #[arg(long, value_name = "X", default_value_t = 1e-5, value_parser = share)]
    pub(crate) target: f64,
    /// Ask a player instead how it plays each information set, and tell what it can lose
    #[arg(long, value_name = "PLAYER")]
    pub(crate) player: Option<Spec>,
    /// The iterations of a decision of that player
    #[arg(long, value_name = "N", default_value_t = 1_000, requires = "player")]
    pub(crate) iterations: u64,
    /// How often it is asked in each information set
    #[arg(long, value_name = "N", default_value_t = 100, requires = "player")]
    pub(crate) times: u32,
    /// How equilibria are looked for
    #[arg(long, value_enum, default_value_t = Method::CfrPlus)]
    pub(crate) method: Method,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// How equilibria are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Method {
    /// CFR+: fast
    #[value(name = "cfr+")]
    CfrPlus,
    /// Counterfactual regret minimisation as first published
    Cfr,
}

/// Reads a number of seconds.
fn seconds(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok();
    number
        .filter(|number| (0.001..=1e6).contains(number))
        .ok_or_else(|| "write a number of seconds, from 0.001 to a million".to_owned())
}

/// Reads a part of a whole.
fn share(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok();
    number
        .filter(|number| (0.0..=1.0).contains(number))
        .ok_or_else(|| "write a number from 0 to 1, such as 0.00001".to_owned())
}

/// Find out whether a player knows what it must not know
#[derive(Debug, Parser)]
#[command(after_help = "The player is asked along courses of the game that look the same to its \
role and must say the same, to the last digit; with fresh seeds its moves must be equally likely; \
over many matches they must not depend on what is hidden; and in a game small enough to be solved \
it must not win more than can be won. A note says where it plays as if the others saw everything, \
which is no dishonesty but a mistake; of a player that says that those whom it imagines know only \
what they have lived, it is asked whether it plays otherwise if they do see everything, and if not, \
it is found out. Exit code: 0 nothing found, 1 found out, 2 the game could not \
be played.

Examples:
  magister audit monty-hall --player honest
  magister audit kuhn-poker --player cfr+ --role second --iterations 200
  magister audit blind-tictactoe --player hyperplay --seconds 20 --json
  magister audit monty-hall --player clairvoyant    found out")]
pub(crate) struct Audit {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Who is audited; `magister players` lists them
    #[arg(long, value_name = "PLAYER")]
    pub(crate) player: Spec,
    /// The role it plays [default: each of them]
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    /// The iterations of a decision; the clock has no part in it
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) iterations: u64,
    /// Matches whose decisions are compared with those of twins
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) matches: u32,
    /// Twins of each match
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) twins: u32,
    /// How often it is asked after each of two courses that look the same
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub(crate) decisions: u32,
    /// Matches that tell whether its moves depend on what is hidden, and what it wins
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub(crate) sample: u32,
    /// How long it should take for each role; what there is no time for is told
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = seconds)]
    pub(crate) seconds: f64,
    /// Where everything random comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// One JSON object per role
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}
