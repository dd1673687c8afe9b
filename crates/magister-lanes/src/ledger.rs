//! Bookkeeping: which lanes end, which continue, and how many.

use crate::wires::each;
use crate::{Width, Wires, by_width};

/// Counters in every lane: the remaining steps of the playout, and the remaining playouts.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// The binary digits of the remaining steps, lowest first; one row each.
    steps: Wires,
    /// The binary digits of the remaining playouts.
    left: Wires,
    /// The maximum number of steps of a playout.
    most: u64,
    /// Masks: lanes with remaining playouts, lanes that reach a terminal state now, lanes whose
    /// playout ends now for any reason, lanes that end their last playout now, stuck lanes (without
    /// a legal move), lanes that wait in the next sweep, and lanes whose next sweep is odd.
    masks: Wires,
}

const ALIVE: u32 = 0;
const FINISHED: u32 = 1;
const ENDED: u32 = 2;
const DONE: u32 = 3;
const STUCK: u32 = 4;
const WAITING: u32 = 5;
const ODD: u32 = 6;

/// The result of a sweep.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sweep {
    /// Whether a playout ends.
    pub ended: bool,
    /// Whether a lane has no legal move.
    pub stuck: bool,
    /// Whether a lane has ended its last playout.
    pub done: bool,
}

/// The number of digits of numbers up to `most`.
fn digits(most: u64) -> usize {
    (u64::BITS - most.leading_zeros()) as usize
}

impl Ledger {
    /// A ledger in which all lanes are done. Playouts make up to `most_steps` steps, and lanes play
    /// up to `most_playouts`.
    pub fn new(width: Width, most_steps: u32, most_playouts: u32) -> Self {
        let (steps, left) = (digits(most_steps.into()), digits(most_playouts.into()));
        Self {
            steps: Wires::new(width, steps.max(1)),
            left: Wires::new(width, left.max(1)),
            most: most_steps.into(),
            masks: Wires::new(width, 7),
        }
    }

    /// Assigns a number of playouts to a lane; the first begins with the next sweep.
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
        set(&mut self.masks, WAITING, false);
        set(&mut self.masks, ODD, false);
    }

    /// Assigns one playout to each of these lanes, which begins with the next sweep.
    ///
    /// # Panics
    /// If the mask has another width.
    pub fn begin_once(&mut self, lanes: &[u64]) {
        assert!(lanes.len() == self.masks.width().words(), "the mask must be as wide as a row");
        let set = |wires: &mut Wires, row: u32, on: bool| {
            for (word, lanes) in wires.row_mut(row).iter_mut().zip(lanes) {
                *word = if on { *word | lanes } else { *word & !lanes };
            }
        };
        for digit in 0..self.steps.count() as u32 {
            set(&mut self.steps, digit, self.most >> digit & 1 == 1);
        }
        for digit in 0..self.left.count() as u32 {
            set(&mut self.left, digit, digit == 0);
        }
        set(&mut self.masks, ALIVE, true);
        set(&mut self.masks, WAITING, false);
        set(&mut self.masks, ODD, false);
    }

    /// Lanes with remaining playouts.
    pub fn alive(&self) -> &[u64] {
        self.masks.row(ALIVE)
    }

    /// Lanes that reached a terminal state in the last sweep.
    pub fn finished(&self) -> &[u64] {
        self.masks.row(FINISHED)
    }

    /// Lanes whose playout ended in the last sweep.
    pub fn ended(&self) -> &[u64] {
        self.masks.row(ENDED)
    }

    /// Lanes that ended their last playout in the last sweep.
    pub fn done(&self) -> &[u64] {
        self.masks.row(DONE)
    }

    /// Lanes that had no legal move in the last sweep.
    pub fn stuck(&self) -> &[u64] {
        self.masks.row(STUCK)
    }

    /// Lanes that do nothing in the next sweep, because playouts begin with even ones.
    pub fn waiting(&self) -> &[u64] {
        self.masks.row(WAITING)
    }

    /// The remaining steps of a lane's playout. In the sweep in which a playout ends, the counter
    /// is already that of the next one.
    pub fn steps_left(&self, lane: usize) -> u32 {
        let digit = |d: usize| self.steps.row(d as u32)[lane / 64] >> (lane % 64) & 1;
        (0..self.steps.count()).map(|d| digit(d) << d).sum::<u64>() as u32
    }

    /// Records one sweep. `terminal` and `stuck` are rows of `wires`, valid in live lanes; the row
    /// `restart` becomes the lanes that restart.
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
    let (alive, waiting, odd) =
        (masks[ALIVE as usize], masks[WAITING as usize], masks[ODD as usize]);
    let playing: [u64; N] = each(|i| alive[i] & !waiting[i]);
    let steps = ledger.steps.rows_mut::<N>();
    let mut some = [0u64; N];
    for &digit in &*steps {
        let before = some;
        some = each(|i| before[i] | digit[i]);
    }
    let finished: [u64; N] = each(|i| terminal[i] & playing[i]);
    let ended: [u64; N] = each(|i| (terminal[i] | !some[i]) & playing[i]);
    let trouble: [u64; N] = each(|i| stuck[i] & playing[i] & !ended[i]);
    // One step fewer, or all of them again.
    let mut borrow = playing;
    for (at, place) in steps.iter_mut().enumerate() {
        let full = if ledger.most >> at & 1 == 1 { !0 } else { 0 };
        let (digit, before) = (*place, borrow);
        *place = each(|i| ((digit[i] ^ before[i]) & !ended[i]) | (full & ended[i]));
        borrow = each(|i| before[i] & !digit[i]);
    }
    let ends = any(ended);
    let mut living = alive;
    if ends {
        let mut borrow = ended;
        let mut more = [0u64; N];
        for place in ledger.left.rows_mut::<N>() {
            let (digit, before, others) = (*place, borrow, more);
            let less: [u64; N] = each(|i| digit[i] ^ before[i]);
            borrow = each(|i| before[i] & !digit[i]);
            more = each(|i| others[i] | less[i]);
            *place = less;
        }
        living = each(|i| alive[i] & more[i]);
    }
    rows[restart as usize] = each(|i| ended[i] | waiting[i] | !living[i]);
    let done: [u64; N] = each(|i| alive[i] & !living[i]);
    masks[ALIVE as usize] = living;
    masks[FINISHED as usize] = finished;
    masks[ENDED as usize] = ended;
    masks[DONE as usize] = done;
    masks[STUCK as usize] = trouble;
    masks[WAITING as usize] = each(|i| ended[i] & living[i] & !odd[i]);
    masks[ODD as usize] = each(|i| !odd[i]);
    *found = Sweep { ended: ends, stuck: any(trouble), done: any(done) };
}

/// Whether a bit of a row is true.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled into each instruction set's function")]
fn any<const N: usize>(row: [u64; N]) -> bool {
    row.iter().fold(0, |any, word| any | word) != 0
}

/// Counts of lanes, for each group of 32 lanes.
#[derive(Clone, Debug)]
pub struct Tally {
    /// A row for every count. The halves of a word are the counts of its two halves; a count stays
    /// below 2^32.
    counts: Wires,
}

impl Tally {
    /// A number of counts, all zero.
    pub fn new(width: Width, count: usize) -> Self {
        Self { counts: Wires::new(width, count) }
    }

    /// Sets all counts to zero.
    pub fn clear(&mut self) {
        self.counts.clear();
    }

    /// Takes a count of a slot, which becomes zero.
    pub fn take(&mut self, count: u32, slot: usize) -> u32 {
        let word = &mut self.counts.row_mut(count)[slot / 2];
        let shift = slot % 2 * 32;
        let found = (*word >> shift) as u32;
        *word &= !(0xffff_ffff << shift);
        found
    }

    /// Counts, for each row in order, the lanes of a mask in which it is true; the counts start at
    /// `first`.
    ///
    /// # Panics
    /// If a row or a count does not exist, or the mask has another width.
    pub fn add(&mut self, first: u32, wires: &Wires, rows: &[u32], mask: &[u64]) {
        let width = self.counts.width();
        let end = first as usize + rows.len();
        assert!(end <= self.counts.count() && wires.width() == width, "rows to count");
        assert!(mask.len() == width.words(), "the mask must be as wide as a row");
        by_width!(
            width,
            count(self, first, wires, rows, mask)
                where tally: &mut Tally, first: u32, wires: &Wires, rows: &[u32], mask: &[u64]
        );
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled into each instruction set's function")]
fn count<const N: usize>(tally: &mut Tally, first: u32, wires: &Wires, rows: &[u32], mask: &[u64]) {
    const PAIRS: u64 = 0x5555_5555_5555_5555;
    const FOURS: u64 = 0x3333_3333_3333_3333;
    const EIGHTS: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    let all = wires.words().as_chunks::<N>().0;
    let Some(&mask) = mask.first_chunk::<N>() else { return };
    let counts = &mut tally.counts.rows_mut::<N>()[first as usize..];
    for (at, &row) in rows.iter().enumerate() {
        let (row, before) = (all[row as usize], counts[at]);
        // SWAR population counts in all words at once.
        counts[at] = each(|i| {
            let lanes = row[i] & mask[i];
            let pairs = lanes - (lanes >> 1 & PAIRS);
            let fours = (pairs & FOURS) + (pairs >> 2 & FOURS);
            let eights = (fours + (fours >> 4)) & EIGHTS;
            let sixteens = eights + (eights >> 8);
            before[i] + ((sixteens + (sixteens >> 16)) & 0x0000_003f_0000_003f)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ledger_agrees_with_a_simple_model() {
        for &width in Width::ALL {
            let mut wires = Wires::new(width, 3);
            let mut ledger = Ledger::new(width, 5, 9);
            let lanes = width.lanes();
            let mut left: Vec<u32> = (0..lanes).map(|lane| (lane % 10) as u32).collect();
            let mut steps = vec![5u32; lanes];
            let mut waits = vec![false; lanes];
            for (lane, &left) in left.iter().enumerate() {
                ledger.begin(lane, left);
            }
            for round in 0..60 {
                // Some lanes are terminal.
                let over = |lane: usize| (lane * 7 + round * 13).is_multiple_of(11);
                wires.row_mut(0).fill(0);
                (0..lanes).filter(|&lane| over(lane)).for_each(|lane| {
                    wires.row_mut(0)[lane / 64] |= 1 << (lane % 64);
                });
                let found = ledger.sweep(&mut wires, 0, 1, 2);
                let bit = |row: &[u64], lane: usize| row[lane / 64] >> (lane % 64) & 1 == 1;
                let mut done = false;
                for lane in 0..lanes {
                    let waited = waits[lane];
                    let alive = left[lane] > 0 && !waited;
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
                    // Playouts begin with even sweeps.
                    waits[lane] = ends && left[lane] > 0 && round % 2 == 0;
                    assert_eq!(bit(ledger.waiting(), lane), waits[lane]);
                    assert_eq!(bit(ledger.alive(), lane), left[lane] > 0);
                    assert_eq!(bit(wires.row(2), lane), ends || waited || left[lane] == 0);
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
        for &width in Width::ALL {
            let mut wires = Wires::new(width, 3);
            let mut tally = Tally::new(width, 3);
            let mask: Vec<u64> = (0..width.words() as u64).map(|n| !0 << (n * 9)).collect();
            for word in 0..width.words() {
                wires.row_mut(2)[word] = 0x0123_4567_89ab_cdef_u64.rotate_left(word as u32 * 5);
                wires.row_mut(1)[word] = !0;
            }
            tally.add(1, &wires, &[2, 1], &mask);
            tally.add(1, &wires, &[2, 1], &mask);
            for slot in 0..width.slots() {
                for (count, row) in [2, 1].into_iter().enumerate() {
                    let lanes = (wires.row(row)[slot / 2] & mask[slot / 2]) >> (slot % 2 * 32);
                    let expected = 2 * (lanes as u32).count_ones();
                    assert_eq!(tally.take(count as u32 + 1, slot), expected);
                    assert_eq!(tally.take(count as u32 + 1, slot), 0);
                }
                assert_eq!(tally.take(0, slot), 0);
            }
        }
    }
}
