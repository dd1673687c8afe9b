//! The targets of learning, part by part. Rates are per second of processor time.

mod ablations;
mod any;
mod classic;
mod cube;
mod dilemma;
mod given;
mod hex;
mod nim;
mod othello;
mod tiles;

use anyhow::Result;
use clap::{Args, ValueEnum};

use given::Given;
pub(crate) use given::Watch;

/// What is measured.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Part {
    /// A short form of the parts that need no long training, for CI
    Short,
    /// Trains 25 seeds for 10,000 games each and counts mistakes against every reply
    Tictactoe,
    /// Trains, then plays the perfect player and the one that delays losses
    ConnectFour,
    /// Trains, then plays 2048 without search and with two plies of expectimax
    #[value(name = "2048")]
    Twenty48,
    /// Trains, then plays the position-weight player from all openings of four plies
    Othello,
    /// Trains on a board of six by six, then plays Monte Carlo tree search from all openings
    Hex,
    /// Trains Nim for three players, then plays two perfect players in every role
    Nim,
    /// Trains Rubik's cube of two or three layers (`side=3`), then solves scrambles
    Cube,
    /// Trains games from rules text for a minute each, then plays random, one-step and uct
    Any,
    /// Calculates the best possible share of the points in the Prisoner's Dilemma
    Dilemma,
    /// Learns small games with and without final adaptation, coherence, symmetries and replay
    Ablations,
    /// Makes an opening book of Connect Four; an interrupted run continues
    Book,
    /// Solves positions of Connect Four given as columns, such as 44444, or the empty board
    Solve,
    /// Measures how long the solver of Connect Four takes for random positions
    Solver,
}

/// The part and its settings.
#[derive(Args)]
pub(crate) struct Options {
    /// The part
    #[arg(value_enum)]
    part: Part,
    /// Settings as NAME=VALUE: seconds (of processor time) or games of training, seeds, seed,
    /// matches, alpha, epsilon, lambda, own (1: the chain of own positions), farl (0: without
    /// final adaptation), best (1: learn the value of the best move, even if another is made),
    /// indifference, tc (0: plain steps, 2: the exponential transfer function), symmetric,
    /// replay, tuples, length, goal (Connect Four: end when matches reach this mean), and others
    /// that the parts read; positions for `solve`
    settings: Vec<String>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let (given, others) = Given::read(&options.settings)?;
    match options.part {
        Part::Short => short(&given),
        Part::Tictactoe => classic::tictactoe(&given),
        Part::ConnectFour => classic::connect_four(&given),
        Part::Twenty48 => tiles::twenty48(&given),
        Part::Othello => othello::run(&given),
        Part::Hex => hex::run(&given),
        Part::Nim => nim::run(&given),
        Part::Cube => cube::run(&given),
        Part::Any => any::run(&given),
        Part::Dilemma => dilemma::run(),
        Part::Ablations => ablations::run(&given),
        Part::Book => classic::book(&given),
        Part::Solve => classic::solve(&given, &others),
        Part::Solver => classic::solver(&given),
    }
}

/// About a minute: the parts that take seconds at full length, and the rates of the others.
fn short(given: &Given) -> Result<()> {
    classic::tictactoe(given)?;
    nim::run(&given.with("games", 50_000.0))?;
    tiles::twenty48(&given.with("seconds", 15.0).with("matches", 10.0).with("searched", 1.0))?;
    cube::run(&given.with("seconds", 20.0).with("twists", 6.0))
}
