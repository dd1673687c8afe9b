//! Transposes states into lanes, and lanes into states.

use magister_lanes::{Wires, transpose};

use super::rows::STATE;

/// Writes 64 states into the lanes of a word, to the rows of the fluents.
pub(super) fn bring(wires: &mut Wires, word: usize, states: &[&[u64]; 64], fluents: usize) {
    for (at, from) in (0..fluents).step_by(64).enumerate() {
        let mut square: [u64; 64] = states.map(|state| state[at]);
        transpose(&mut square);
        for (bits, fluent) in square.iter().zip(from..fluents) {
            wires.row_mut(STATE + fluent as u32)[word] = *bits;
        }
    }
}

/// Reads the lanes of a word from rows. Every 64 rows give a square in which each lane has its
/// bits.
pub(super) fn take(wires: &Wires, word: usize, rows: &[u32], squares: &mut Vec<[u64; 64]>) {
    squares.clear();
    for rows in rows.chunks(64) {
        let mut square = [0; 64];
        for (place, &row) in square.iter_mut().zip(rows) {
            *place = wires.row(row)[word];
        }
        transpose(&mut square);
        squares.push(square);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use magister_lanes::Width;

    #[test]
    fn states_come_back() {
        for fluents in [1usize, 64, 65, 130] {
            let words = fluents.div_ceil(64);
            let states: Vec<Vec<u64>> = (0..64u64)
                .map(|lane| {
                    let word = |at: u64| (lane * 64 + at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    let mut state: Vec<u64> = (0..words as u64).map(word).collect();
                    if fluents % 64 != 0 {
                        state[words - 1] &= (1 << (fluents % 64)) - 1;
                    }
                    state
                })
                .collect();
            let mut wires = Wires::new(Width::W128, fluents + 1);
            bring(&mut wires, 1, &std::array::from_fn(|lane| &states[lane][..]), fluents);
            let rows: Vec<u32> = (0..fluents as u32).map(|fluent| STATE + fluent).collect();
            let mut squares = Vec::new();
            take(&wires, 1, &rows, &mut squares);
            for (lane, state) in states.iter().enumerate() {
                let back: Vec<u64> = squares.iter().map(|square| square[lane]).collect();
                assert_eq!(back, *state, "lane {lane} of {fluents} fluents");
            }
            assert!((0..=fluents as u32).all(|row| wires.row(row)[0] == 0));
        }
    }
}
