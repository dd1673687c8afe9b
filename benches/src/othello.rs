//! Othello, eight by eight. All eight directions are looked at together, as the eight words of a
//! vector; a direction is a rotation of the board.

use std::cmp::Ordering;

use magister_lanes::Machine;

use crate::{Bitboard, End, Random};

/// East, south-west, south, south-east, and their opposites.
const TURNS: [u32; 8] = [1, 7, 8, 9, 63, 57, 56, 55];
/// Where a disc can be turned over in a direction: not at an edge that the direction leads over,
/// so that nothing comes in again at the other side of the board.
const INNER: [u64; 8] = {
    let columns = 0x7e7e_7e7e_7e7e_7e7e;
    let rows = 0x00ff_ffff_ffff_ff00;
    let both = columns & rows;
    [columns, both, rows, both, columns, both, rows, both]
};

/// The discs of the player to move, those of the other, and where the player can move.
#[derive(Clone, Copy, Debug)]
pub struct Othello {
    own: u64,
    other: u64,
    moves: u64,
}

/// For every direction, the discs of `theirs` that follow on `from` without a gap.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is part of the loop")]
fn follow(from: u64, theirs: u64) -> [u64; 8] {
    let mut found = [0; 8];
    for (at, found) in found.iter_mut().enumerate() {
        let turn = TURNS[at];
        let on = theirs & INNER[at];
        // One disc, two, and then two more at a time, six in all.
        let mut run = on & from.rotate_left(turn);
        run |= on & run.rotate_left(turn);
        let pairs = on & on.rotate_left(turn);
        run |= pairs & run.rotate_left(2 * turn % 64);
        run |= pairs & run.rotate_left(2 * turn % 64);
        *found = run;
    }
    found
}

/// Where a player can move.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is part of the loop")]
fn moves(own: u64, other: u64) -> u64 {
    let runs = follow(own, other);
    let mut ends = [0; 8];
    for (at, end) in ends.iter_mut().enumerate() {
        *end = runs[at].rotate_left(TURNS[at]);
    }
    ends.iter().fold(0, |any, end| any | end) & !(own | other)
}

/// The discs that a move turns over.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is part of the loop")]
fn turned(own: u64, other: u64, to: u64) -> u64 {
    let runs = follow(to, other);
    let mut all = [0; 8];
    for (at, all) in all.iter_mut().enumerate() {
        let closed = runs[at].rotate_left(TURNS[at]) & own != 0;
        *all = if closed { runs[at] } else { 0 };
    }
    all.iter().fold(0, |any, run| any | run)
}

impl Othello {
    /// Makes a move, or passes where there is none.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is part of the loop")]
    fn play(&mut self, to: u64) -> Option<End> {
        let turned = if to == 0 { 0 } else { turned(self.own, self.other, to) };
        let mine = self.own | to | turned;
        let theirs = self.other & !turned;
        *self = Othello { own: theirs, other: mine, moves: moves(theirs, mine) };
        if self.moves != 0 || moves(mine, theirs) != 0 {
            return None;
        }
        Some(match mine.count_ones().cmp(&theirs.count_ones()) {
            Ordering::Greater => End::Won,
            Ordering::Less => End::Lost,
            Ordering::Equal => End::Drawn,
        })
    }
}

impl Bitboard for Othello {
    // The four that the first player has, as the oldest rules set up the board.
    const START: Self = Othello {
        own: 1 << 28 | 1 << 35,
        other: 1 << 27 | 1 << 36,
        moves: 1 << 19 | 1 << 26 | 1 << 37 | 1 << 44,
    };

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is the loop")]
    fn step(&mut self, random: &mut Random, machine: impl Machine) -> Option<End> {
        let n = random.below(self.moves.count_ones());
        self.play(machine.select(self.moves, n))
    }

    fn each(&self, mut then: impl FnMut(Self, Option<End>)) {
        let mut moves = self.moves;
        loop {
            let mut next = *self;
            let end = next.play(moves & moves.wrapping_neg());
            then(next, end);
            moves &= moves.wrapping_sub(1);
            if moves == 0 {
                return;
            }
        }
    }
}
