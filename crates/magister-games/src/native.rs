//! Games written in Rust with [`magister_core::Rules`].
//!
//! They are the smallest complete examples of every kind of game, and the yardstick for the same
//! games written in a language: some with boards and symmetries, one with simultaneous moves, seven
//! with chance, six with hidden information, one for three players, one with intermediate rewards.

mod blackjack;
mod breakthrough;
mod connect_four;
mod cube;
mod einstein;
mod hex;
mod holdem;
mod kuhn_poker;
mod leduc_poker;
mod monty_hall;
mod nim;
mod othello;
mod poker;
mod rock_paper_scissors;
mod rubik;
mod sim;
mod tictactoe;
mod twenty48;
mod yavalath;

use std::sync::Arc;

use magister_core::{Game, Native, Rules};

pub use blackjack::{Blackjack, Totals};
pub use breakthrough::{Breakthrough, Pawns};
pub use connect_four::ConnectFour;
pub use cube::{PocketCube, Stickers};
pub use einstein::{Einstein, Race};
pub use hex::{Hex, Stones};
pub use holdem::{LimitHoldem, Table};
pub use kuhn_poker::{Hand, KuhnPoker};
pub use leduc_poker::{Leduc, LeducPoker};
pub use monty_hall::{MontyHall, Stage};
pub use nim::{Heaps, MAX_HEAPS, Nim};
pub use othello::{Discs, Othello};
pub use rock_paper_scissors::RockPaperScissors;
pub use rubik::{Facelets, RubiksCube};
pub use sim::Sim;
pub use tictactoe::TicTacToe;
pub use twenty48::{Tiles, Twenty48};
pub use yavalath::{Lines, Yavalath};

/// The name of a game, a short description, and its constructor.
pub type Entry = (&'static str, &'static str, fn() -> Arc<dyn Game>);

fn game<R: Rules>(rules: R) -> Arc<dyn Game> {
    Arc::new(Native::new(rules))
}

/// All games written in Rust, sorted by name.
pub fn all() -> Vec<Entry> {
    vec![
        ("2048", "Slide equal tiles together while chance adds new ones", || game(Twenty48)),
        ("blackjack", "One hand against a dealer whose second card is face down", || {
            game(Blackjack)
        }),
        ("breakthrough", "Pawns move only forward; the first to reach the far side wins", || {
            game(Breakthrough)
        }),
        ("connect-four", "Drop discs into columns; four in a line win", || game(ConnectFour)),
        ("einstein", "A die names the stone that must move to the opposite corner", || {
            game(Einstein)
        }),
        ("hex-11", "Connect two opposite edges of a board of hexagons", || {
            game(Hex::new("hex-11", 11).expect("the side is in range"))
        }),
        ("hex-5", "Connect two opposite edges of a board of hexagons", || {
            game(Hex::new("hex-5", 5).expect("the side is in range"))
        }),
        ("hex-7", "Connect two opposite edges of a board of hexagons", || {
            game(Hex::new("hex-7", 7).expect("the side is in range"))
        }),
        ("hex-9", "Connect two opposite edges of a board of hexagons", || {
            game(Hex::new("hex-9", 9).expect("the side is in range"))
        }),
        ("kuhn-poker", "Poker with three cards and one bet, for two players", || game(KuhnPoker)),
        ("leduc-poker", "Poker with six cards, two rounds of bets and one open card", || {
            game(LeducPoker)
        }),
        ("limit-holdem", "Texas hold'em poker for two players with fixed bets", || {
            game(LimitHoldem)
        }),
        ("monty-hall", "Find the car behind one of three doors", || game(MontyHall)),
        ("nim-1-5-4-2", "Nim for two players: taking the last object wins", || {
            game(Nim::new(2, &[1, 5, 4, 2]).expect("four heaps are not too many"))
        }),
        ("nim-3-4-5", "Nim for three players: taking the last object wins", || {
            game(Nim::new(3, &[3, 4, 5]).expect("three heaps are not too many"))
        }),
        ("othello", "Enclose the opponent's discs to flip them", || game(Othello::eight())),
        ("othello-6x6", "Othello on a board of six by six", || game(Othello::six())),
        ("rock-paper-scissors", "Rock, paper or scissors, both at the same time", || {
            game(RockPaperScissors)
        }),
        (
            "rubik-2x2x2",
            "The Pocket Cube: every scramble is solved by fourteen quarter turns",
            || game(PocketCube),
        ),
        (
            "rubik-3x3x3",
            "Rubik's cube: every scramble is solved by twenty-six quarter turns",
            || game(RubiksCube),
        ),
        ("sim", "Draw lines between six points without a triangle", || game(Sim)),
        ("tictactoe", "Three in a row on a 3x3 board", || game(TicTacToe)),
        ("yavalath", "Four in a line win, but three in a line lose", || game(Yavalath)),
    ]
}

/// The game of this name.
pub fn find(name: &str) -> Option<Arc<dyn Game>> {
    all().into_iter().find(|entry| entry.0 == name).map(|entry| entry.2())
}
