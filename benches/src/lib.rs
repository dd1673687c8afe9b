//! Yardsticks: four games written by hand to be as fast as possible, one game at a time, and one of
//! them hundreds at a time. `cargo xtask yardsticks` compares the engine, which gets games only as
//! text, with these.
//!
//! Each of the four is a [`Bitboard`]: squares are bits, moves of all pieces are shifts, and the
//! random choice is one multiplication and one instruction that finds the n-th set bit.
//! [`playouts`] plays them, and [`games::GAMES`] has all facts about them. [`sliced`] is Connect
//! Four with a game in every bit of a vector.

#![forbid(unsafe_code)]

pub mod breakthrough;
pub mod clock;
pub mod connect_four;
pub mod games;
pub mod othello;
mod random;
pub mod sliced;
pub mod tictactoe;

use magister_lanes::{Processor, Work, on_this_machine};

pub use random::Random;

/// The result of a game for the player who made the last move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// This player has won.
    Won,
    /// The other player has won.
    Lost,
    /// A draw.
    Drawn,
}

/// A position of a turn-based two-player game, from the perspective of the player to move.
pub trait Bitboard: Copy {
    /// The initial position.
    const START: Self;

    /// Plays a uniformly random legal move, and returns the result if that ended the game. A forced
    /// pass is a move.
    fn step(&mut self, random: &mut Random, machine: impl Processor) -> Option<End>;

    /// Calls a function with every successor position, and the result if the game ended there.
    fn each(&self, then: impl FnMut(Self, Option<End>));

    /// The number of move sequences of this length; finished games are not continued.
    fn perft(&self, depth: u32) -> u64 {
        let mut paths = 0;
        self.each(|next, end| match (depth, end) {
            (0 | 1, _) => paths += 1,
            (_, None) => paths += next.perft(depth - 1),
            (_, Some(_)) => {}
        });
        paths
    }
}

/// The results of playouts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// The number of playouts.
    pub playouts: u64,
    /// The total number of moves.
    pub steps: u64,
    /// Games won by the first player.
    pub first: u64,
    /// Games won by the second player.
    pub second: u64,
}

impl Counts {
    /// Moves per playout.
    pub fn mean_length(&self) -> f64 {
        self.steps as f64 / self.playouts as f64
    }

    /// The shares of the first player, of the second, and of draws.
    pub fn shares(&self) -> [f64; 3] {
        let draws = self.playouts - self.first - self.second;
        [self.first, self.second, draws].map(|count| count as f64 / self.playouts as f64)
    }
}

/// Plays a number of random games from start to end, one by one.
pub fn playouts<B: Bitboard>(count: u64, random: &mut Random) -> Counts {
    on_this_machine(Playouts::<B> { count, random, start: B::START })
}

struct Playouts<'a, B> {
    count: u64,
    random: &'a mut Random,
    start: B,
}

impl<B: Bitboard> Work for Playouts<'_, B> {
    const ROWS: bool = false;
    type Output = Counts;

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is compiled for several instruction sets")]
    fn run(self, machine: impl Processor) -> Counts {
        let mut random = *self.random;
        let (mut steps, mut won, mut lost) = (0u64, [0u64; 2], [0u64; 2]);
        for _ in 0..self.count {
            let mut board = self.start;
            let begun = steps;
            let end = loop {
                steps += 1;
                if let Some(end) = board.step(&mut random, machine) {
                    break end;
                }
            };
            // The player who moved last: the first player after an odd number of moves.
            let mover = ((steps - begun) & 1) as usize;
            won[mover] += u64::from(end == End::Won);
            lost[mover] += u64::from(end == End::Lost);
        }
        *self.random = random;
        let (first, second) = (won[1] + lost[0], won[0] + lost[1]);
        Counts { playouts: self.count, steps, first, second }
    }
}
