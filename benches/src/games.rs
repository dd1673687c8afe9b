//! The four games: the hand-written version, the rulesheet for the engine, and the expected results
//! of random play.

use std::path::{Path, PathBuf};

use magister_games::catalogue;

use crate::breakthrough::Breakthrough;
use crate::connect_four::ConnectFour;
use crate::othello::Othello;
use crate::tictactoe::TicTacToe;
use crate::{Bitboard, Counts, Random, playouts};

/// A game with a hand-written version and a rulesheet.
#[derive(Clone, Copy, Debug)]
pub struct Game {
    /// Its usual name.
    pub title: &'static str,
    /// Its name in the catalogue.
    pub name: &'static str,
    /// Its rulesheet in the oracle, in case the catalogue has none.
    oracle: &'static str,
    /// Its name in OpenSpiel.
    pub open_spiel: &'static str,
    /// Plays the hand-written version.
    pub playouts: fn(u64, &mut Random) -> Counts,
    /// Counts the paths of the hand-written version.
    pub perft: fn(u32) -> u64,
    /// The mean length of a random playout, half of its last digit, and the standard deviation of a
    /// single playout.
    pub length: (f64, f64, f64),
    /// The shares of the first player, the second and draws, to three digits.
    pub shares: [f64; 3],
}

/// All games.
pub const GAMES: [Game; 4] = [
    Game {
        title: "Tic-Tac-Toe",
        name: "tictactoe",
        oracle: "ticTacToe",
        open_spiel: "tic_tac_toe",
        playouts: playouts::<TicTacToe>,
        perft: perft::<TicTacToe>,
        length: (7.626, 0.001, 1.3),
        shares: [0.585, 0.288, 0.127],
    },
    Game {
        title: "Connect Four",
        name: "connect-four",
        oracle: "connect4",
        open_spiel: "connect_four",
        playouts: playouts::<ConnectFour>,
        perft: perft::<ConnectFour>,
        length: (21.31, 0.005, 7.4),
        shares: [0.556, 0.442, 0.003],
    },
    Game {
        title: "Breakthrough",
        name: "breakthrough",
        oracle: "breakthrough",
        open_spiel: "breakthrough",
        playouts: playouts::<Breakthrough>,
        perft: perft::<Breakthrough>,
        length: (64.1, 0.05, 16.1),
        shares: [0.510, 0.490, 0.0],
    },
    Game {
        title: "Othello",
        name: "othello",
        oracle: "reversi",
        open_spiel: "othello",
        playouts: playouts::<Othello>,
        perft: perft::<Othello>,
        length: (60.41, 0.005, 1.3),
        shares: [0.454, 0.504, 0.041],
    },
];

fn perft<B: Bitboard>(depth: u32) -> u64 {
    B::START.perft(depth)
}

/// The tolerance in standard errors; it is exceeded by chance in one of 1.7 million cases.
const ERRORS: f64 = 5.0;

impl Game {
    /// Whether this number of playouts may have this mean length.
    pub fn plausible(&self, mean: f64, playouts: u64) -> bool {
        let (expected, digit, deviation) = self.length;
        (mean - expected).abs() <= digit + ERRORS * deviation / (playouts as f64).sqrt()
    }

    /// Whether the results of playouts are plausible.
    pub fn plausible_counts(&self, counts: &Counts) -> bool {
        let likely = |(found, expected): (&f64, &f64)| {
            let error = (expected * (1.0 - expected) / counts.playouts as f64).sqrt();
            (found - expected).abs() <= 0.001 + ERRORS * error
        };
        self.plausible(counts.mean_length(), counts.playouts)
            && counts.shares().iter().zip(&self.shares).all(likely)
    }

    /// The rulesheet and its origin: the catalogue, or else the oracle.
    pub fn rules(&self) -> Option<(&'static str, String)> {
        if let Some(sheet) = catalogue::find(self.name).and_then(|entry| entry.sheet) {
            return Some(("the catalogue", sheet.text.to_owned()));
        }
        let file = oracle().join("gdl/games").join(format!("{}.kif", self.oracle));
        Some(("the oracle", std::fs::read_to_string(file).ok()?))
    }
}

fn oracle() -> PathBuf {
    std::env::var_os("MAGISTER_ORACLE").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/oracle"),
        PathBuf::from,
    )
}
