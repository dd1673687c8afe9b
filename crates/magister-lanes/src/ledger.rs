//! Which lanes end, which go on, and how many.

use crate::{Width, Wires, by_width};

/// Counters in every lane: the steps that the playout may still make, and the playouts that are
/// still to be ended.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// Digits of the number of steps left, the lowest first; one row each.
    steps: Wires,
    /// Digits of the number of playouts left.
    left: Wires,
    /// The number of steps of a whole playout.
    most: u64,
    /// Lanes that have playouts left, lanes that come to a terminal state now, and lanes that end
    /// now for whatever reason.
    masks: Wires,
}

const ALIVE: u32 = 0;
const FINISHED: u32 = 1;
const ENDED: u32 = 2;

/// What a sweep has brought.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sweep {
    /// Whether a playout ends.
    pub ended: bool,
    /// Whether a lane that should make a move can not.
    pub stuck: bool,
    /// Whether a lane has ended its last playout.
    pub done: bool,
}

/// The digits that numbers up to `most` need.
fn digits(most: u64) -> usize {
    (u64::BITS - most.leading_zeros()) as usize
}

impl Ledger {
    /// All lanes are done. Playouts make up to `most_steps` steps, and lanes play up to
    /// `most_playouts`.
    pub fn new(width: Width, most_steps: u32, most_playouts: u32) -> Self {
        let (steps, left) = (digits(most_steps.into()), digits(most_playouts.into()));
        Self {
            steps: Wires::new(width, steps.max(1)),
            left: Wires::new(width, left.max(1)),
            most: most_steps.into(),
            masks: Wires::new(width, 3),
        }
    }

    /// Gives a lane a number of playouts, the first of which begins with the next sweep.
    pub fn begin(&mut self, lane: usize, playouts: u32) {
        let (word, bit) = (lane / 64, 1u64 << (lane % 64));
        let set = |wires: &mut Wires, row: u32, on: bool| {
            let row = &mut wires.row_mut(row)[word];
            *row = if on { *row | bit } else { *row & !bit };
        };
        for digit in 0..self.steps.count() as u32 {
            set(&mut self.steps, digit, self.most >> digit & 1 == 1);
        }
        for digit in 0..self.left.count() as u32 {
            set(&mut self.left, digit, u64::from(playouts) >> digit & 1 == 1);
        }
        set(&mut self.masks, ALIVE, playouts > 0);
    }

    /// Lanes that have playouts left.
    pub fn alive(&self) -> &[u64] {
        self.masks.row(ALIVE)
    }

    /// Lanes that came to a terminal state in the last sweep.
    pub fn finished(&self) -> &[u64] {
        self.masks.row(FINISHED)
    }

    /// Lanes whose playout ended in the last sweep.
    pub fn ended(&self) -> &[u64] {
        self.masks.row(ENDED)
    }

    /// How many steps the playout of a lane may still make. In the sweep in which a playout ends
    /// the next one has begun already.
    pub fn steps_left(&self, lane: usize) -> u32 {
        let digit = |d: usize| self.steps.row(d as u32)[lane / 64] >> (lane % 64) & 1;
        (0..self.steps.count()).map(|d| digit(d) << d).sum::<u64>() as u32
    }

    /// Books one sweep. `terminal` and `stuck` are rows of `wires`, in lanes that are alive; the
    /// row `restart` becomes the lanes that begin anew.
    ///
    /// # Panics
    /// If a row does not exist.
    pub fn sweep(&mut self, wires: &mut Wires, terminal: u32, stuck: u32, restart: u32) -> Sweep {
        let most = terminal.max(stuck).max(restart) as usize;
        assert!(most < wires.count() && wires.width() == self.masks.width(), "rows for a sweep");
        let mut found = Sweep::default();
        let rows = [terminal, stuck, restart];
        by_width!(
            wires.width(),
            book(self, wires, rows, &mut found)
                where ledger: &mut Ledger, wires: &mut Wires, rows: [u32; 3], found: &mut Sweep
        );
        found
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled into each instruction set's function")]
fn book<const N: usize>(
    ledger: &mut Ledger,
    wires: &mut Wires,
    [terminal, stuck, restart]: [u32; 3],
    found: &mut Sweep,
) {
    let rows = wires.rows_mut::<N>();
    let masks = ledger.masks.rows_mut::<N>();
    let (terminal, stuck) = (rows[terminal as usize], rows[stuck as usize]);
    let alive = masks[ALIVE as usize];
    let steps = ledger.steps.rows_mut::<N>();
    let mut some = [0u64; N];
    for digit in &*steps {
        for i in 0..N {
            some[i] |= digit[i];
        }
    }
    let (mut finished, mut ended, mut trouble) = ([0u64; N], [0u64; N], 0);
    for i in 0..N {
        finished[i] = terminal[i] & alive[i];
        ended[i] = (terminal[i] | !some[i]) & alive[i];
        trouble |= stuck[i] & alive[i] & !ended[i];
    }
    // One step less, or all of them again.
    let mut borrow = alive;
    for (at, digit) in steps.iter_mut().enumerate() {
        let full = if ledger.most >> at & 1 == 1 { !0 } else { 0 };
        for i in 0..N {
            let less = digit[i] ^ borrow[i];
            borrow[i] &= !digit[i];
            digit[i] = (less & !ended[i]) | (full & ended[i]);
        }
    }
    let any = ended.iter().fold(0, |any, word| any | word);
    let mut living = alive;
    if any != 0 {
        let mut borrow = ended;
        let mut more = [0u64; N];
        for digit in ledger.left.rows_mut::<N>() {
            for i in 0..N {
                let less = digit[i] ^ borrow[i];
                borrow[i] &= !digit[i];
                digit[i] = less;
                more[i] |= less;
            }
        }
        for i in 0..N {
            living[i] &= more[i];
        }
    }
    let mut lost = 0;
    for i in 0..N {
        rows[restart as usize][i] = ended[i] | !living[i];
        lost |= alive[i] & !living[i];
    }
    masks[ALIVE as usize] = living;
    masks[FINISHED as usize] = finished;
    masks[ENDED as usize] = ended;
    *found = Sweep { ended: any != 0, stuck: trouble != 0, done: lost != 0 };
}

/// Adds to every counter the number of its 32 lanes in which both rows are true. Counters without
/// lanes stay what they are.
pub fn tally(width: Width, row: &[u64], mask: &[u64], counters: &mut [u64]) {
    by_width!(
        width,
        count(row, mask, counters) where row: &[u64], mask: &[u64], counters: &mut [u64]
    );
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled into each instruction set's function")]
fn count<const N: usize>(row: &[u64], mask: &[u64], counters: &mut [u64]) {
    let pairs = counters.as_chunks_mut::<2>().0;
    for ((pair, row), mask) in pairs.iter_mut().zip(row).zip(mask) {
        let lanes = row & mask;
        pair[0] += u64::from((lanes as u32).count_ones());
        pair[1] += u64::from(((lanes >> 32) as u32).count_ones());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_booked_one_by_one() {
        for &width in Width::ALL {
            let mut wires = Wires::new(width, 3);
            let mut ledger = Ledger::new(width, 5, 9);
            let lanes = width.lanes();
            let mut left: Vec<u32> = (0..lanes).map(|lane| (lane % 10) as u32).collect();
            let mut steps = vec![5u32; lanes];
            for (lane, &left) in left.iter().enumerate() {
                ledger.begin(lane, left);
            }
            for round in 0..60 {
                // Lane by lane, some are terminal.
                let over = |lane: usize| (lane * 7 + round * 13).is_multiple_of(11);
                wires.row_mut(0).fill(0);
                (0..lanes).filter(|&lane| over(lane)).for_each(|lane| {
                    wires.row_mut(0)[lane / 64] |= 1 << (lane % 64);
                });
                let found = ledger.sweep(&mut wires, 0, 1, 2);
                let bit = |row: &[u64], lane: usize| row[lane / 64] >> (lane % 64) & 1 == 1;
                let mut done = false;
                for lane in 0..lanes {
                    let alive = left[lane] > 0;
                    let ends = alive && (over(lane) || steps[lane] == 0);
                    assert_eq!(bit(ledger.ended(), lane), ends);
                    assert_eq!(bit(ledger.finished(), lane), alive && over(lane));
                    if ends {
                        left[lane] -= 1;
                        steps[lane] = 5;
                        done |= left[lane] == 0;
                    } else if alive {
                        steps[lane] -= 1;
                    }
                    assert_eq!(bit(ledger.alive(), lane), left[lane] > 0);
                    assert_eq!(bit(wires.row(2), lane), ends || left[lane] == 0);
                    if left[lane] > 0 {
                        assert_eq!(ledger.steps_left(lane), steps[lane]);
                    }
                }
                assert_eq!(found.done, done);
                assert!(!found.stuck);
            }
            wires.row_mut(0).fill(0);
            ledger.begin(3, 1);
            wires.row_mut(1)[0] = 0b1000;
            assert!(ledger.sweep(&mut wires, 0, 1, 2).stuck);
        }
    }

    #[test]
    fn lanes_are_counted_by_stream() {
        let mut counters = vec![1; 8];
        tally(Width::W256, &[!0, 0, 0xf0, !0], &[7, 7, 0x30, !0 << 31], &mut counters);
        assert_eq!(counters, [4, 1, 1, 1, 3, 1, 2, 33]);
    }
}
