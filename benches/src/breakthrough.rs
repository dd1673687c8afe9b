//! Breakthrough, eight by eight. The player to move always moves towards higher bits: after each
//! move the rows are flipped, which is one instruction.

use magister_lanes::Processor;

use crate::{Bitboard, End, Random};

const LEFT: u64 = 0x0101_0101_0101_0101;
const RIGHT: u64 = LEFT << 7;
const GOAL: u64 = 0xff << 56;

/// The pieces of the player to move, and of the other player.
#[derive(Clone, Copy, Debug)]
pub struct Breakthrough {
    own: u64,
    other: u64,
}

/// The distance of a move: straight, or to either side.
const STEPS: [u32; 3] = [8, 7, 9];

impl Breakthrough {
    /// The target cells of pieces, for each of the [`STEPS`]. Captures are diagonal only.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is part of the loop")]
    fn moves(self) -> [u64; 3] {
        [
            (self.own << 8) & !(self.own | self.other),
            ((self.own & !LEFT) << 7) & !self.own,
            ((self.own & !RIGHT) << 9) & !self.own,
        ]
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is part of the loop")]
    fn play(&mut self, to: u64, step: u32) -> Option<End> {
        let mine = self.own ^ (to | to >> step);
        let theirs = self.other & !to;
        *self = Breakthrough { own: theirs.swap_bytes(), other: mine.swap_bytes() };
        (to & GOAL != 0 || theirs == 0).then_some(End::Won)
    }
}

impl Bitboard for Breakthrough {
    const START: Self = Breakthrough { own: 0xffff, other: 0xffff << 48 };

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is the loop")]
    fn step(&mut self, random: &mut Random, machine: impl Processor) -> Option<End> {
        let [straight, left, right] = self.moves();
        let first = straight.count_ones();
        let two = first + left.count_ones();
        let n = random.below(two + right.count_ones());
        // Without a branch, because the direction is unpredictable.
        let (mut set, mut at, mut step) = (straight, n, STEPS[0]);
        if n >= first {
            (set, at, step) = (left, n - first, STEPS[1]);
        }
        if n >= two {
            (set, at, step) = (right, n - two, STEPS[2]);
        }
        self.play(machine.select(set, at), step)
    }

    fn each(&self, mut then: impl FnMut(Self, Option<End>)) {
        for (mut moves, step) in self.moves().into_iter().zip(STEPS) {
            while moves != 0 {
                let mut next = *self;
                let end = next.play(moves & moves.wrapping_neg(), step);
                then(next, end);
                moves &= moves - 1;
            }
        }
    }
}
