//! The arguments of the commands that learn.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use magister_players::Spec;

use super::Reading;

/// Train an agent by self-play
#[derive(Clone, Debug, Parser)]
#[command(
    after_help = "The agent learns a value for every position from games against itself. The \
defaults suit the game; the options change them. Connect Four, Tic-Tac-Toe and 2048 are recognised \
by their behaviour, whatever the rules look like, and trained on fast built-in versions; --general \
trains them like any other game. The file contains all parameters, the hash of the rules and the \
number of games. The player td:file=FILE uses it, also inside other players: puct:sharp=20,inner=[td:file=FILE], plies:depth=2,inner=[td:file=FILE].

--agent az learns a policy, too: a neural network in the manner of AlphaZero, for games with \
perfect information. It takes longer, and the player az:file=FILE searches with it. Of the options \
for details, --alpha, --random-start, --longest, --replay, --no-symmetries, --simulations, --net, \
--channels and --blocks apply to it. It plays up to 128 games at the same time, and no more in all \
than --games says. docs/learning.md compares the two.

With one thread, the same seed and number of games give the same file; with --agent az, with any \
number of threads. With --json, each line of \
progress is a JSON object, and the last one has \"done\": true. Rates are per second of processor \
time of all actors together; a rate over less than 0.05 s is null. Means and errors are those of the \
last 400 games.

--sweep measures trainings with different parameters: agent, rule, alpha, epsilon, lambda, initial, \
hidden, steps, random-start, longest, replay, sampled, average, observe, simulations, net, channels, blocks \
and games. The table has the mean share of the points and its 95 % interval over the seeds. With \
--popular, the strength is printed and written into the files, and `magister eval` shows it; \
docs/learning.md has that of longer training.

Exit code: 0 trained, 2 the game cannot be learned or a file cannot be read or written.

Examples:
  magister train tictactoe --games 10000 --out ttt.agent
  magister train connect-four --seconds 600 --out c4.agent
  magister train breakthrough --agent net --seconds 60 --out b.agent --json
  magister train connect-four --agent az --seconds 3600 --threads 2 \\
    --checkpoint 60 --out c4.agent
  magister train --popular --seconds 600 --out agents
  magister train tictactoe --games 2000 --svg curve.svg --out ttt.agent
  magister train breakthrough --games 2000 --sweep alpha=0.1,0.3,1 \\
    --sweep lambda=0,0.5 --seeds 3 --against random --csv t.csv --out sweep
  magister train connect-four --resume c4.agent --games 100000 --out c4.agent"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Train {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME", required_unless_present = "popular")]
    pub(crate) game: Option<String>,
    /// Train an agent for each of ten popular games, in files of at most 2 MB; --out is a folder,
    /// and --games or --seconds is for each game
    #[arg(long, conflicts_with_all = ["game", "resume", "language"])]
    pub(crate) popular: bool,
    /// Type of value function
    #[arg(long, value_enum, default_value_t = AgentKind::Ntuple)]
    pub(crate) agent: AgentKind,
    /// Learning rule
    #[arg(long, value_enum, default_value_t = RuleName::Td)]
    pub(crate) rule: RuleName,
    /// Number of games; give this or --seconds
    #[arg(long, value_name = "N")]
    pub(crate) games: Option<u64>,
    /// Time limit in seconds: processor time, or wall-clock time with several threads
    #[arg(long, value_name = "S", conflicts_with = "games")]
    pub(crate) seconds: Option<f64>,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Continue training this agent with its own parameters, so the options that set parameters
    /// cannot be given
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "agent", "rule", "alpha", "epsilon", "lambda", "walks", "tuples", "initial", "hidden",
        "simulations", "net", "channels", "blocks", "random_start", "longest", "replay", "sampled",
        "average", "observe", "own_chain", "no_final_adaptation", "steps", "no_symmetries", "general",
    ])]
    pub(crate) resume: Option<PathBuf>,
    /// Draw the learning curve as SVG: the mean result of the first player and the error over games.
    /// The file is rewritten as the training goes on
    #[arg(long, value_name = "FILE", conflicts_with = "popular")]
    pub(crate) svg: Option<PathBuf>,
    /// Train an agent for each of these values of an option and measure its strength. Repeat it for
    /// all combinations; --out is a folder then. Runs that ended are not repeated
    #[arg(long, value_name = "NAME=A,B", conflicts_with_all = ["popular", "goal", "svg"])]
    pub(crate) sweep: Vec<String>,
    /// Number of seeds for each combination of a sweep, from --seed on
    #[arg(long, value_name = "N", requires = "sweep",
          value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub(crate) seeds: Option<u64>,
    /// The players whom agents of --sweep and --popular play to measure their strength [default:
    /// random; with --popular random,uct]
    #[arg(long, value_name = "A,B", value_parser = Spec::parse_list)]
    pub(crate) against: Option<std::vec::Vec<Spec>>,
    /// Number of matches of each agent against each of them [default: 100; with --popular 20]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) matches: Option<u64>,
    /// Iterations per move of all players in these matches
    #[arg(long, value_name = "N", default_value_t = 200,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) iterations: u64,
    /// Also write the table of a sweep as comma-separated values
    #[arg(long, value_name = "FILE", requires = "sweep")]
    pub(crate) csv: Option<PathBuf>,
    /// Also write the file every S seconds
    #[arg(long, value_name = "S")]
    pub(crate) checkpoint: Option<f64>,
    /// Stop when the mean result of the first player over the last 400 games reaches this value.
    /// Results lie between -1 and 1, except rewards on the way
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub(crate) goal: Option<f64>,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Number of actors that play and learn at the same time
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: u16,
    /// How far each game changes the weights (step size), or its first and last value
    #[arg(long, value_name = "A[,B]", value_delimiter = ',', num_args = 1)]
    pub(crate) alpha: Vec<f32>,
    /// Probability of a random move, or its first and last value
    #[arg(long, value_name = "A[,B]", value_delimiter = ',', num_args = 1)]
    pub(crate) epsilon: Vec<f32>,
    /// How far a result reaches back to earlier positions: 0 to the last one, 1 to all of them
    #[arg(long, value_name = "X")]
    pub(crate) lambda: Option<f32>,
    /// Build tuples from random walks: their number and length
    #[arg(long, value_name = "N,LENGTH", value_delimiter = ',', num_args = 1)]
    pub(crate) walks: Vec<usize>,
    /// Tuples, each a list of cell numbers, such as 0-1-2,3-4-5
    #[arg(long, value_name = "TUPLES", conflicts_with = "walks")]
    pub(crate) tuples: Option<String>,
    /// Value of every position before training
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub(crate) initial: Option<f32>,
    /// Number of hidden units of a neural network
    #[arg(long, value_name = "N")]
    pub(crate) hidden: Option<usize>,
    /// Simulations for each move of self-play (az only)
    #[arg(long, value_name = "N")]
    pub(crate) simulations: Option<usize>,
    /// Body of the network: convolutions over the board, or dense layers (az only)
    #[arg(long, value_enum)]
    pub(crate) net: Option<NetForm>,
    /// Channels of a cell, or units of a dense layer (az only) [default: 32 or
    /// 128; half as many with --popular]
    #[arg(long, value_name = "N")]
    pub(crate) channels: Option<usize>,
    /// Residual blocks of the network (az only)
    #[arg(long, value_name = "N")]
    pub(crate) blocks: Option<usize>,
    /// Begin each game with up to N random moves
    #[arg(long, value_name = "N")]
    pub(crate) random_start: Option<u32>,
    /// End games after N moves and estimate their result
    #[arg(long, value_name = "N")]
    pub(crate) longest: Option<u32>,
    /// Number of steps kept in the replay memory
    #[arg(long, value_name = "N")]
    pub(crate) replay: Option<usize>,
    /// Compare at most N moves, drawn at random, at each decision of the training; 0 for all. It is
    /// for games without a fast version, which learn from more positions then [default there: 8]
    #[arg(long, value_name = "N")]
    pub(crate) sampled: Option<usize>,
    /// Average the weights over this share of the training, at its end, because the last ones
    /// fluctuate (ntuple and linear)
    #[arg(long, value_name = "X")]
    pub(crate) average: Option<f32>,
    /// What a value function reads of a position [default: all, or the board of a fast version]
    #[arg(long, value_enum, value_name = "PART")]
    pub(crate) observe: Option<ObserveName>,
    /// Each player learns only from its own next position, not from that of the other player
    #[arg(long)]
    pub(crate) own_chain: bool,
    /// At the end of a game, only the player who moved last learns
    #[arg(long, requires = "own_chain")]
    pub(crate) no_final_adaptation: bool,
    /// How the step size of each weight is determined [default: coherent; exponential for Connect
    /// Four]
    #[arg(long, value_name = "METHOD")]
    pub(crate) steps: Option<StepsName>,
    /// Do not use symmetries of the board
    #[arg(long)]
    pub(crate) no_symmetries: bool,
    /// Do not use a fast version of the game
    #[arg(long)]
    pub(crate) general: bool,
    /// Write a smaller file that cannot be resumed exactly
    #[arg(long)]
    pub(crate) slim: bool,
    /// Print progress and result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}

/// Kinds of value functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentKind {
    /// N-tuple network
    Ntuple,
    /// Linear function of the board
    Linear,
    /// Neural network with one hidden layer
    Net,
    /// Policy-and-value network, learned in the manner of AlphaZero
    Az,
}

/// Bodies of policy-and-value networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NetForm {
    /// Convolutions over the cells of the board
    Conv,
    /// Dense layers
    Mlp,
}

/// Step sizes of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StepsName {
    /// The same for all weights
    Plain,
    /// Smaller for weights whose errors cancel out (temporal coherence)
    Coherent,
    /// The same, but never below a sixteenth of a full step
    Exponential,
}

/// What a value function reads of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ObserveName {
    /// The cells of the board, with their neighbours and symmetries
    Board,
    /// The facts that can be true, in groups that exclude each other, without the geometry of the board
    Facts,
    /// The board, and the facts that are not on it
    All,
}

/// Rules of learning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RuleName {
    /// Temporal-difference learning of position values
    Td,
    /// SARSA: values of moves, learned from the move that is played next
    Sarsa,
    /// Q-learning: values of moves, learned from the best next move
    Q,
}

/// Measure a learned agent against other players
#[derive(Debug, Parser)]
#[command(
    after_help = "Plays the agent against each of the other players, every other game with swapped \
roles, and reports its share of the points with a 95 % interval. In a game for one player, it \
reports the mean result instead. Games begin with --opening random steps, so that deterministic \
players do not repeat the same game.

Examples:
  magister eval tictactoe ttt.agent
  magister eval connect-four c4.agent --against random,onestep,uct \\
    --games 200 --time 100ms
  magister eval rust:2048 2048.agent --games 100"
)]
pub(crate) struct Eval {
    /// The game: a bundled name, rust:NAME, a file, or - for standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// The learned agent
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The other players
    #[arg(long, value_name = "A,B", value_parser = Spec::parse_list, default_value = "random,onestep")]
    pub(crate) against: std::vec::Vec<Spec>,
    /// Number of games against each player
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) games: u64,
    /// Number of random steps at the start of a game
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) opening: u32,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Use the agent inside this player; write AGENT in its place, such as
    /// `puct:inner=[AGENT]`
    #[arg(long, value_name = "PLAYER")]
    pub(crate) inside: Option<String>,
    #[command(flatten)]
    pub(crate) thinking: super::Thinking,
    /// Print one JSON object per opponent
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) language: Reading,
}
