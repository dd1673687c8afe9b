//! Replaces the state by the next state, or by the start state in lanes whose playout has ended.

use crate::wires::each;
use crate::{Wires, by_width};

/// The rows of the next state of each fluent.
#[derive(Clone, Debug)]
pub struct Commit {
    /// The row of the state, the row of the next state, and all ones if that is negated.
    parts: Vec<(u32, u32, u64)>,
    rows: usize,
}

/// The states from which playouts start.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// The same in all lanes: all ones or all zeros for each fluent.
    Same(&'a [u64]),
    /// One row for each fluent.
    Rows(&'a Wires),
}

impl Commit {
    /// For each fluent in order: its row, the row of its next value, and whether that is negated.
    /// No row of the next state may be a row of the state.
    pub fn new(parts: impl IntoIterator<Item = (u32, u32, bool)>) -> Self {
        let parts: Vec<(u32, u32, u64)> = parts
            .into_iter()
            .map(|(state, next, negated)| (state, next, if negated { !0 } else { 0 }))
            .collect();
        let rows = parts.iter().map(|&(a, b, _)| a.max(b) as usize + 1).max().unwrap_or(0);
        Self { parts, rows }
    }

    /// Goes to the next state, and to the start state in the lanes of the row `restart`.
    ///
    /// # Panics
    /// If a row does not exist.
    pub fn run(&self, wires: &mut Wires, restart: u32, start: Start<'_>) {
        assert!(self.rows.max(restart as usize + 1) <= wires.count(), "rows for a state");
        match start {
            Start::Same(bits) => assert!(bits.len() >= self.parts.len(), "a start state"),
            Start::Rows(rows) => {
                assert!(rows.count() >= self.parts.len() && rows.width() == wires.width());
            }
        }
        by_width!(
            wires.width(),
            advance(self, wires, restart, start)
                where commit: &Commit, wires: &mut Wires, restart: u32, start: Start<'_>
        );
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled into each instruction set's function")]
fn advance<const N: usize>(commit: &Commit, wires: &mut Wires, restart: u32, start: Start<'_>) {
    let rows = wires.rows_mut::<N>();
    let again = rows[restart as usize];
    match start {
        Start::Same(bits) => {
            for (&(state, next, flip), &bit) in commit.parts.iter().zip(bits) {
                let next = rows[next as usize];
                rows[state as usize] = each(|i| ((next[i] ^ flip) & !again[i]) | (bit & again[i]));
            }
        }
        Start::Rows(starts) => {
            let starts = starts.words().as_chunks::<N>().0;
            for (&(state, next, flip), from) in commit.parts.iter().zip(starts) {
                let (next, from) = (rows[next as usize], *from);
                rows[state as usize] =
                    each(|i| ((next[i] ^ flip) & !again[i]) | (from[i] & again[i]));
            }
        }
    }
}

/// In the lanes of a mask, copies rows to the rows of other wires, from `first` on.
///
/// # Panics
/// If a row does not exist, or the widths differ.
pub fn hold(wires: &Wires, rows: &[u32], mask: &[u64], to: &mut Wires, first: u32) {
    assert!(first as usize + rows.len() <= to.count(), "rows to copy to");
    assert!(wires.width() == to.width() && mask.len() == to.width().words(), "one width");
    by_width!(
        wires.width(),
        copy(wires, rows, mask, to, first)
            where wires: &Wires, rows: &[u32], mask: &[u64], to: &mut Wires, first: u32
    );
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled into each instruction set's function")]
fn copy<const N: usize>(wires: &Wires, rows: &[u32], mask: &[u64], to: &mut Wires, first: u32) {
    let all = wires.words().as_chunks::<N>().0;
    let to = &mut to.rows_mut::<N>()[first as usize..];
    let Some(&mask) = mask.first_chunk::<N>() else { return };
    for (at, &row) in rows.iter().enumerate() {
        let (from, before) = (all[row as usize], to[at]);
        to[at] = each(|i| (before[i] & !mask[i]) | (from[i] & mask[i]));
    }
}

/// Sets the rows of `noted` in the lanes in which some rows are true, and clears the lanes of the
/// row `cleared` there. The earlier contents in the lanes of a mask are copied to the same rows of
/// `aside`.
///
/// # Panics
/// If a row does not exist, or the widths differ.
pub fn note(
    wires: &Wires,
    rows: &[u32],
    cleared: u32,
    noted: &mut Wires,
    mask: &[u64],
    aside: &mut Wires,
) {
    assert!(rows.len() <= noted.count() && wires.width() == noted.width(), "rows to note in");
    assert!(rows.len() <= aside.count() && wires.width() == aside.width(), "rows to copy to");
    assert!(mask.len() == wires.width().words(), "one width");
    by_width!(
        wires.width(),
        add(wires, rows, cleared, noted, mask, aside)
            where wires: &Wires, rows: &[u32], cleared: u32, noted: &mut Wires, mask: &[u64],
                aside: &mut Wires
    );
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled into each instruction set's function")]
fn add<const N: usize>(
    wires: &Wires,
    rows: &[u32],
    cleared: u32,
    noted: &mut Wires,
    mask: &[u64],
    aside: &mut Wires,
) {
    let all = wires.words().as_chunks::<N>().0;
    let cleared = all[cleared as usize];
    let Some(&mask) = mask.first_chunk::<N>() else { return };
    let places = rows.iter().zip(noted.rows_mut::<N>());
    if mask == [0; N] {
        for (&row, place) in places {
            let (now, before) = (all[row as usize], *place);
            *place = each(|i| (before[i] | now[i]) & !cleared[i]);
        }
        return;
    }
    for ((&row, place), aside) in places.zip(aside.rows_mut::<N>()) {
        let (now, before, other) = (all[row as usize], *place, *aside);
        *aside = each(|i| (other[i] & !mask[i]) | (before[i] & mask[i]));
        *place = each(|i| (before[i] | now[i]) & !cleared[i]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Width;

    #[test]
    fn lanes_continue_or_restart() {
        for &width in Width::ALL {
            let mut wires = Wires::new(width, 6);
            wires.row_mut(4).fill(0b1100); // next of the first
            wires.row_mut(5).fill(0b1010); // next of the second, negated
            wires.row_mut(2).fill(0b0110); // restart
            let commit = Commit::new([(0, 4, false), (1, 5, true)]);
            let mut starts = Wires::new(width, 2);
            starts.row_mut(0).fill(!0);
            for start in [Start::Same(&[!0, 0]), Start::Rows(&starts)] {
                let mut wires = wires.clone();
                commit.run(&mut wires, 2, start);
                assert_eq!(wires.row(0)[0] & 0b1111, 0b1110);
                assert_eq!(wires.row(1)[0] & 0b1111, 0b0001);
            }
        }
    }

    #[test]
    fn lanes_are_held() {
        for &width in Width::ALL {
            let (mut wires, mut to) = (Wires::new(width, 3), Wires::new(width, 3));
            wires.row_mut(0).fill(0b0011);
            wires.row_mut(2).fill(0b1100);
            to.row_mut(2).fill(0b1111);
            hold(&wires, &[2, 0], &vec![0b0101; width.words()], &mut to, 1);
            assert_eq!([to.row(0)[0], to.row(1)[0], to.row(2)[0]], [0, 0b0100, 0b1011]);
        }
    }

    #[test]
    fn lanes_are_noted_and_cleared() {
        for &width in Width::ALL {
            let (mut wires, mut noted) = (Wires::new(width, 3), Wires::new(width, 2));
            wires.row_mut(0).fill(0b0011);
            wires.row_mut(1).fill(0b1010); // cleared
            wires.row_mut(2).fill(0b1100);
            noted.row_mut(1).fill(0b11_0000);
            let mut aside = Wires::new(width, 2);
            let mask = vec![0b1_0000; width.words()];
            note(&wires, &[2, 0], 1, &mut noted, &mask, &mut aside);
            assert_eq!([noted.row(0)[0], noted.row(1)[0]], [0b0100, 0b11_0001]);
            assert_eq!([aside.row(0)[0], aside.row(1)[0]], [0, 0b1_0000]);
        }
    }
}
