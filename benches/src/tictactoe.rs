//! Tic-Tac-Toe: nine bits for each player.

use magister_lanes::Processor;

use crate::{Bitboard, End, Random};

const ALL: u32 = 0x1ff;
const LINES: [u32; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// The sets of cells that contain a line.
const WINS: [bool; 512] = {
    let mut wins = [false; 512];
    let mut set = 0;
    while set < 512 {
        let mut line = 0;
        while line < LINES.len() {
            wins[set] |= set as u32 & LINES[line] == LINES[line];
            line += 1;
        }
        set += 1;
    }
    wins
};

/// The cells of the player to move, and of the other.
#[derive(Clone, Copy, Debug)]
pub struct TicTacToe {
    own: u32,
    other: u32,
}

impl TicTacToe {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is part of the loop")]
    fn play(&mut self, cell: u32) -> Option<End> {
        let mine = self.own | cell;
        *self = TicTacToe { own: self.other, other: mine };
        if WINS[(mine & ALL) as usize] {
            return Some(End::Won);
        }
        (mine | self.own == ALL).then_some(End::Drawn)
    }
}

impl Bitboard for TicTacToe {
    const START: Self = TicTacToe { own: 0, other: 0 };

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is the loop")]
    fn step(&mut self, random: &mut Random, machine: impl Processor) -> Option<End> {
        let free = ALL & !(self.own | self.other);
        let n = random.below(free.count_ones());
        self.play(machine.select(u64::from(free), n) as u32)
    }

    fn each(&self, mut then: impl FnMut(Self, Option<End>)) {
        let mut free = ALL & !(self.own | self.other);
        while free != 0 {
            let mut next = *self;
            let end = next.play(free & free.wrapping_neg());
            then(next, end);
            free &= free - 1;
        }
    }
}
