//! The arguments of the commands that deal with other programs.

use clap::Parser;
use magister_manager::PlayerAddress;
use magister_players::Spec;
use magister_protocol::Gdl2Variant;

use super::contest::positive;

/// A player of a match.
#[derive(Clone, Debug)]
pub(crate) enum PlayerArg {
    /// One of ours.
    Local(Spec),
    /// A program that is reached by messages.
    Remote(PlayerAddress),
}

impl PlayerArg {
    /// Reads a list of players, local ones and addresses.
    pub(crate) fn parse_list(text: &str) -> Result<Vec<PlayerArg>, String> {
        let mut players = Vec::new();
        // Settings of local players hold commas too, so what stands between addresses stays whole.
        let mut local: Vec<&str> = Vec::new();
        for piece in text.split(',').map(Some).chain([None]) {
            let remote = piece.filter(|piece| PlayerAddress::is_meant(piece.trim()));
            if let (Some(piece), None) = (piece, remote) {
                local.push(piece);
                continue;
            }
            if !local.is_empty() {
                let specs = Spec::parse_list(&local.join(","));
                let specs = specs.map_err(|error| error.to_string())?;
                players.extend(specs.into_iter().map(PlayerArg::Local));
                local.clear();
            }
            if let Some(address) = remote {
                players.push(PlayerArg::Remote(address.trim().parse()?));
            }
        }
        Ok(players)
    }

    pub(crate) fn is_human(&self) -> bool {
        matches!(self, PlayerArg::Local(spec) if spec.is_human())
    }

    pub(crate) fn is_remote(&self) -> bool {
        matches!(self, PlayerArg::Remote(_))
    }
}

impl std::fmt::Display for PlayerArg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PlayerArg::Local(spec) => spec.fmt(f),
            PlayerArg::Remote(address) => address.fmt(f),
        }
    }
}

/// Options for messages to remote players.
#[derive(Debug, clap::Args)]
pub(crate) struct Remotes {
    /// Send remote players scrambled rules, in which names are replaced by made-up words
    #[arg(long)]
    pub(crate) scramble: bool,
    /// Form of messages about hidden information: a is (PLAY id (percepts)), as Dresden's server
    /// sent them about 2011; b is (play id turn move percepts), as in the book; c is (PLAY id turn
    /// move (percepts)), as Dresden's server sends them since 2013
    #[arg(long, value_name = "V", value_parser = variant, default_value = "c")]
    pub(crate) gdl2_variant: Gdl2Variant,
}

fn variant(text: &str) -> Result<Gdl2Variant, String> {
    Gdl2Variant::parse(text).ok_or_else(|| "write a, b or c".to_owned())
}

/// Play matches for a GGP server
#[derive(Debug, Parser)]
#[command(
    after_help = "The player listens for the messages of a game manager: INFO, START, PLAY, STOP and ABORT, \
for GDL and GDL-II, and Gamemaster's envelopes over HTTP and WebSocket. It plays one match at a \
time and replies `busy` during a match, unless --at-once allows more. The first line of the output \
gives the port. Stop it with Ctrl-C; it also ends after --matches matches.

Examples:
  magister player
  magister player --agent mcts:c=1.2 --port 9148
  magister player --agent random --port 0 --matches 1 --log debug"
)]
pub(crate) struct Player {
    /// Player that chooses the moves [default: the strongest for each game]
    #[arg(long, value_name = "PLAYER")]
    pub(crate) agent: Option<Spec>,
    /// Port; 0 picks a free port
    #[arg(long, value_name = "PORT", default_value_t = magister_manager::address::PORT)]
    pub(crate) port: u16,
    /// Address to listen on
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    pub(crate) host: std::net::IpAddr,
    /// Name of the player [default: magister and the agent]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Maximum iterations per move, in addition to the clock
    #[arg(long, value_name = "N", value_parser = positive::<u64>)]
    pub(crate) iterations: Option<u64>,
    /// Memory limit of the agent in MiB, unless its own parameters set one
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub(crate) memory: Option<u32>,
    /// Play up to N matches at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = positive::<usize>)]
    pub(crate) at_once: usize,
    /// End after N matches
    #[arg(long, value_name = "N", value_parser = positive::<u64>)]
    pub(crate) matches: Option<u64>,
    /// Random seed [default: a new one each time]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Log level on standard error: error, warn, info or debug
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    pub(crate) log: String,
}

/// Which store, and which matches of it.
#[derive(Debug, clap::Args)]
pub(crate) struct Stored {
    /// The store: sqlite:FILE or `postgres://user@host/database`
    #[arg(
        long,
        value_name = "URL",
        env = "MAGISTER_STORE",
        hide_env_values = true,
        default_value = "sqlite:magister.db"
    )]
    pub(crate) store: String,
    /// Only matches of this game
    #[arg(long, value_name = "GAME")]
    pub(crate) game: Option<String>,
    /// Only matches in which this player took part
    #[arg(long, value_name = "PLAYER")]
    pub(crate) player: Option<String>,
}

/// List stored matches
#[derive(Debug, Parser)]
#[command(after_help = "Examples:
  magister matches
  magister matches --game tictactoe --limit 10 --json
  magister matches --store postgres://magister@localhost/magister")]
pub(crate) struct Matches {
    #[command(flatten)]
    pub(crate) stored: Stored,
    /// Only the newest N matches
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = positive::<u32>)]
    pub(crate) limit: u32,
    /// Print one JSON object per match
    #[arg(long)]
    pub(crate) json: bool,
}

/// Rate the players of stored matches
#[derive(Debug, Parser)]
#[command(
    after_help = "Agon is the rating of the Tiltyard server. It also rates the roles of games: a role \
with a high rating is difficult. Only matches without faults count, in the order in which they \
were started.

Examples:
  magister leaderboard
  magister leaderboard --rating agon --game connect-four
  magister leaderboard --json"
)]
pub(crate) struct Leaderboard {
    #[command(flatten)]
    pub(crate) stored: Stored,
    /// Rating; --json has all of them
    #[arg(long, value_name = "SCALE", value_enum, default_value_t = BoardScale::BradleyTerry)]
    pub(crate) rating: BoardScale,
    /// Print all ratings as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// How players of stored matches are rated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum BoardScale {
    /// Bradley-Terry: maximum likelihood on the Elo scale, mean 0
    BradleyTerry,
    /// Elo, starting at 1000, averaged over many orders of the matches
    Elo,
    /// Glicko-2, starting at 1500
    #[value(name = "glicko-2")]
    Glicko2,
    /// Weng-Lin, starting at 25
    WengLin,
    /// Tiltyard's Agon, starting at 0: players and roles on one scale
    Agon,
}

/// Export stored matches
#[derive(Debug, Parser)]
#[command(after_help = "Examples:
  magister export > matches.jsonl
  magister export --game tictactoe --format ggp-base --output ttt.jsonl")]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) stored: Stored,
    /// Format: Magister's match records, or ggp-base's match JSON
    #[arg(long, value_enum, default_value_t = RecordFormat::Magister)]
    pub(crate) format: RecordFormat,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<std::path::PathBuf>,
}

/// Formats of match records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum RecordFormat {
    /// Magister's match records, one JSON object per line
    Magister,
    /// ggp-base's match JSON, one object per line
    GgpBase,
}

/// Import matches from files into the store
#[derive(Debug, Parser)]
#[command(
    after_help = "Reads the output of `magister match --json`, the log of `magister tournament`, the files of \
`magister play --record`, and the match JSON of ggp-base and Tiltyard, which needs --game. Every match is verified against its rules before \
it is stored. Matches already in the store are skipped. Exit code: 0 all stored, 1 some \
do not agree with the rules, 2 a file could not be read.

Examples:
  magister import played.jsonl
  magister import match.json --game tictactoe --store sqlite:club.db"
)]
pub(crate) struct Import {
    /// Files, or - for standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<String>,
    /// The store: sqlite:FILE or `postgres://user@host/database`
    #[arg(
        long,
        value_name = "URL",
        env = "MAGISTER_STORE",
        hide_env_values = true,
        default_value = "sqlite:magister.db"
    )]
    pub(crate) store: String,
    /// Game of the matches [default: the name in the file]
    #[arg(long, value_name = "GAME")]
    pub(crate) game: Option<String>,
    #[command(flatten)]
    pub(crate) language: super::Reading,
}
