//! Yardsticks: four games written by hand to be as fast as we can make them, one game at a time,
//! and one of them hundreds at a time. The engine, which knows games as text only, is measured
//! against these; `cargo xtask yardsticks` does it.
//!
//! Each of the four is a [`Bitboard`]: squares are bits, moves of all pieces are shifts, and the
//! random choice is one multiplication and one instruction that finds the n-th set bit.
//! [`playouts`] plays them, and [`games::GAMES`] has all that is known about them. [`sliced`] is Connect Four with a game in every bit of a vector.

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

/// How a game ended, for the player who made the last move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// That player has won.
    Won,
    /// The other has.
    Lost,
    /// Nobody has.
    Drawn,
}

/// A position of a game for two who take turns, told from the side of the player to move.
pub trait Bitboard: Copy {
    /// The position at the start.
    const START: Self;

    /// Plays a legal move chosen uniformly at random, and tells whether that ended the game. To
    /// pass, where the rules force it, is a move.
    fn step(&mut self, random: &mut Random, machine: impl Processor) -> Option<End>;

    /// Hands on every position that one move leads to, and how the game ended there if it did.
    fn each(&self, then: impl FnMut(Self, Option<End>));

    /// The number of ways to play so many moves; what has ended goes no further.
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

/// What came of some playouts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// The number of playouts.
    pub playouts: u64,
    /// Moves made in all of them.
    pub steps: u64,
    /// Won by who moved first.
    pub first: u64,
    /// Won by the other.
    pub second: u64,
}

impl Counts {
    /// Moves for each playout.
    pub fn mean_length(&self) -> f64 {
        self.steps as f64 / self.playouts as f64
    }

    /// The shares of the first player, of the second, and of draws.
    pub fn shares(&self) -> [f64; 3] {
        let draws = self.playouts - self.first - self.second;
        [self.first, self.second, draws].map(|count| count as f64 / self.playouts as f64)
    }
}

/// Plays so many games from start to end, one after the other, at random.
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
            // Who moved last: the first player after an odd number of moves.
            let mover = ((steps - begun) & 1) as usize;
            won[mover] += u64::from(end == End::Won);
            lost[mover] += u64::from(end == End::Lost);
        }
        *self.random = random;
        let (first, second) = (won[1] + lost[0], won[0] + lost[1]);
        Counts { playouts: self.count, steps, first, second }
    }
}
