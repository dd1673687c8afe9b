//! Connect Four, seven columns of six. A column has seven bits. The top bit stays empty, so that no
//! line wraps around and a carry stops at a full column.

use magister_lanes::Processor;

use crate::{Bitboard, End, Random};

const COLUMNS: u32 = 7;
/// The number of bits from a column to the next.
const NEXT: u32 = 7;

/// The lowest cell of every column.
const BOTTOM: u64 = {
    let mut bits = 0;
    let mut column = 0;
    while column < COLUMNS {
        bits |= 1 << (column * NEXT);
        column += 1;
    }
    bits
};
const ALL: u64 = BOTTOM * 0x3f;

/// The cells of the player to move, and the lowest free cell of every column, which results from
/// adding one to each column of occupied cells.
#[derive(Clone, Copy, Debug)]
pub struct ConnectFour {
    own: u64,
    open: u64,
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it is part of the loop")]
fn four(cells: u64) -> bool {
    let line = |step: u32| {
        let pairs = cells & (cells >> step);
        pairs & (pairs >> (2 * step))
    };
    line(1) | line(NEXT - 1) | line(NEXT) | line(NEXT + 1) != 0
}

impl ConnectFour {
    /// The cells that a piece can fall into.
    fn moves(self) -> u64 {
        self.open & ALL
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is part of the loop")]
    fn play(&mut self, cell: u64) -> Option<End> {
        let mine = self.own | cell;
        self.own ^= self.open - BOTTOM;
        self.open += cell;
        if four(mine) {
            return Some(End::Won);
        }
        (self.moves() == 0).then_some(End::Drawn)
    }
}

impl Bitboard for ConnectFour {
    const START: Self = ConnectFour { own: 0, open: BOTTOM };

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is the loop")]
    fn step(&mut self, random: &mut Random, machine: impl Processor) -> Option<End> {
        let moves = self.moves();
        let n = random.below(moves.count_ones());
        self.play(machine.select(moves, n))
    }

    fn each(&self, mut then: impl FnMut(Self, Option<End>)) {
        let mut moves = self.moves();
        while moves != 0 {
            let mut next = *self;
            let end = next.play(moves & moves.wrapping_neg());
            then(next, end);
            moves &= moves - 1;
        }
    }
}
