//! Othello, eight by eight. Legal moves are found by shifts of the whole board; flipped discs by
//! carries along the rays from the move's cell.

use std::cmp::Ordering;

use magister_lanes::Processor;

use crate::{Bitboard, End, Random};

/// East, south-west, south and south-east; the others are their opposites.
const STEPS: [u32; 4] = [1, 7, 8, 9];
/// The cells where a disc can be flipped in a direction: not at an edge that the direction crosses,
/// so that nothing wraps around the board.
const INNER: [u64; 4] = {
    let columns = 0x7e7e_7e7e_7e7e_7e7e;
    let rows = 0x00ff_ffff_ffff_ff00;
    [columns, columns & rows, rows, columns & rows]
};

/// For each cell, the following cells in each direction up to the edge: those with higher numbers,
/// and those with lower.
static RAYS: [[[u64; 4]; 2]; 64] = {
    let mut rays = [[[0; 4]; 2]; 64];
    let mut cell = 0;
    while cell < 64 {
        let mut at = 0;
        while at < 4 {
            let inner = INNER[at] | 1 << cell;
            let (mut up, mut down) = (0u64, 0u64);
            let (mut to, mut from) = (1u64 << cell, 1u64 << cell);
            let mut step = 0;
            while step < 7 {
                to = inside(to & inner, STEPS[at], at, true);
                from = inside(from & inner, STEPS[at], at, false);
                up |= to;
                down |= from;
                step += 1;
            }
            rays[cell as usize][0][at] = up;
            rays[cell as usize][1][at] = down;
            at += 1;
        }
        cell += 1;
    }
    rays
};

/// One step of a single cell; zero if it leads off the board.
const fn inside(cell: u64, step: u32, at: usize, up: bool) -> u64 {
    let left = 0x0101_0101_0101_0101u64;
    let (west, east) = (left, left << 7);
    // Upwards, steps of 1 and 9 go east and 7 goes west.
    let edge = match (at, up) {
        (0 | 3, true) | (1, false) => east,
        (0 | 3, false) | (1, true) => west,
        _ => 0,
    };
    let cell = cell & !edge;
    if up { cell << step } else { cell >> step }
}

/// The legal moves of a player.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is part of the loop")]
fn moves(own: u64, other: u64) -> u64 {
    let mut ends = 0;
    for (step, inner) in STEPS.into_iter().zip(INNER) {
        // Discs in an unbroken line from a disc of the mover: one, two, and then two more at a time.
        let on = other & inner;
        let mut up = on & (own << step);
        let mut down = on & (own >> step);
        up |= on & (up << step);
        down |= on & (down >> step);
        let pairs_up = on & (on << step);
        let pairs_down = pairs_up >> step;
        up |= pairs_up & (up << (2 * step));
        down |= pairs_down & (down >> (2 * step));
        up |= pairs_up & (up << (2 * step));
        down |= pairs_down & (down >> (2 * step));
        ends |= (up << step) | (down >> step);
    }
    ends & !(own | other)
}

/// The discs that a move flips.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is part of the loop")]
fn turned(own: u64, other: u64, to: u64) -> u64 {
    let [up, down] = &RAYS[to.trailing_zeros() as usize & 63];
    let mut all = 0;
    for at in 0..4 {
        // A carry runs up over the opponent's discs and stops at the first other cell.
        let ray = up[at];
        let stop = (other | !ray).wrapping_add(1) & ray & own;
        all |= stop.wrapping_sub(u64::from(stop != 0)) & ray;
        // Downwards it is the highest other cell.
        let ray = down[at];
        let others = ray & !other;
        let stop = ((1 << 63) >> (others | 1).leading_zeros()) & own & ray;
        all |= stop.wrapping_neg().wrapping_shl(1) & ray;
    }
    all
}

/// The discs of the player to move, those of the other, and the legal moves.
#[derive(Clone, Copy, Debug)]
pub struct Othello {
    own: u64,
    other: u64,
    moves: u64,
}

impl Othello {
    /// Makes a move, or passes if there is none.
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
    // Two discs each, crosswise.
    const START: Self = Othello {
        own: 1 << 28 | 1 << 35,
        other: 1 << 27 | 1 << 36,
        moves: 1 << 19 | 1 << 26 | 1 << 37 | 1 << 44,
    };

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is the loop")]
    fn step(&mut self, random: &mut Random, machine: impl Processor) -> Option<End> {
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
