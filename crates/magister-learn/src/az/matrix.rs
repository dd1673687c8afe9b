//! Products of matrices, and the convolutions that are made of them.
//!
//! Each output number is a sum in a fixed order, whatever the width of the vectors, and products
//! are rounded before they are added. All machines therefore compute the same numbers, which fused
//! multiply-add instructions would prevent.

#![allow(clippy::inline_always, reason = "only inlined code is compiled for the instruction set")]

use magister_lanes::{Processor, Work, on_this_machine};

/// The rows of a tile of the output.
const ROWS: usize = 4;
/// The columns of a tile of the output: two vectors of AVX2.
const COLUMNS: usize = 16;
/// The number of terms that are summed before the sum is added to the output. The panels of both
/// factors then fit in the first-level cache.
const DEPTH: usize = 512;

/// Which cells a layer combines: for each cell, one neighbour per tap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taps {
    cells: usize,
    /// The number of taps.
    each: usize,
    /// For each cell and tap, the neighbour, or [`OUTSIDE`].
    near: Vec<u32>,
}

/// There is no neighbour in this direction.
const OUTSIDE: u32 = u32::MAX;

impl Taps {
    /// Every cell by itself: a layer without neighbours. With one cell, it is a dense layer.
    pub fn single(cells: usize) -> Self {
        Taps { cells, each: 1, near: (0..cells as u32).collect() }
    }

    /// A grid, row by row: every cell with the eight around it.
    pub fn grid(rows: usize, columns: usize) -> Self {
        let mut near = Vec::with_capacity(9 * rows * columns);
        for row in 0..rows {
            for column in 0..columns {
                for tap in 0..9 {
                    let (r, c) = (row + tap / 3, column + tap % 3);
                    let inside = (1..=rows).contains(&r) && (1..=columns).contains(&c);
                    let place = || ((r - 1) * columns + c - 1) as u32;
                    near.push(if inside { place() } else { OUTSIDE });
                }
            }
        }
        Taps { cells: rows * columns, each: 9, near }
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// The number of taps.
    pub fn taps(&self) -> usize {
        self.each
    }

    /// The neighbours of a cell, each with its tap.
    pub fn of(&self, cell: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let near = self.near[cell * self.each..][..self.each].iter().enumerate();
        near.filter(|(_, near)| **near != OUTSIDE).map(|(tap, &near)| (tap, near as usize))
    }

    #[inline(always)]
    fn place(&self, row: usize, tap: usize) -> Option<usize> {
        let (position, cell) = (row / self.cells, row % self.cells);
        let near = self.near[cell * self.each + tap];
        (near != OUTSIDE).then(|| position * self.cells + near as usize)
    }
}

/// The left factor of a product, which is read in panels of [`ROWS`] rows.
trait Left {
    /// Writes `depth` columns from `first` on of the rows from `row` on, column by column. Rows
    /// that do not exist are zero.
    fn pack(&self, row: usize, first: usize, depth: usize, out: &mut [f32]);
}

/// For each cell of each position, the channels of all its neighbours.
struct Around<'a> {
    taps: &'a Taps,
    channels: usize,
    rows: usize,
    data: &'a [f32],
}

impl Left for Around<'_> {
    #[inline(always)]
    fn pack(&self, row: usize, first: usize, depth: usize, out: &mut [f32]) {
        for lane in 0..ROWS {
            let at = row + lane;
            let mut column = first;
            while column < first + depth {
                let (tap, channel) = (column / self.channels, column % self.channels);
                let count = (self.channels - channel).min(first + depth - column);
                let place = if at < self.rows { self.taps.place(at, tap) } else { None };
                let slots = out[(column - first) * ROWS..][..count * ROWS].chunks_exact_mut(ROWS);
                match place {
                    Some(place) => {
                        let source = &self.data[place * self.channels + channel..][..count];
                        slots.zip(source).for_each(|(slot, &number)| slot[lane] = number);
                    }
                    None => slots.for_each(|slot| slot[lane] = 0.0),
                }
                column += count;
            }
        }
    }
}

/// The transpose of [`Around`].
struct Across<'a>(Around<'a>);

impl Left for Across<'_> {
    #[inline(always)]
    fn pack(&self, row: usize, first: usize, depth: usize, out: &mut [f32]) {
        let Around { taps, channels, data, .. } = self.0;
        let all = taps.each * channels;
        let (mut position, mut cell) = (first / taps.cells, first % taps.cells);
        // Usually all rows of the panel belong to one tap.
        let (tap, channel) = (row / channels, row % channels);
        let together = channel + ROWS <= channels;
        for slot in out[..depth * ROWS].chunks_exact_mut(ROWS) {
            let place = |tap: usize| {
                let near = taps.near[cell * taps.each + tap];
                (near != OUTSIDE).then(|| (position * taps.cells + near as usize) * channels)
            };
            if together {
                match place(tap) {
                    Some(place) => slot.copy_from_slice(&data[place + channel..][..ROWS]),
                    None => slot.fill(0.0),
                }
            } else {
                for (lane, number) in slot.iter_mut().enumerate() {
                    let column = row + lane;
                    let place = if column < all { place(column / channels) } else { None };
                    *number = place.map_or(0.0, |place| data[place + column % channels]);
                }
            }
            cell += 1;
            if cell == taps.cells {
                (position, cell) = (position + 1, 0);
            }
        }
    }
}

/// Memory for the panels of a product.
#[derive(Clone, Debug, Default)]
pub struct Panels {
    left: Vec<f32>,
    right: Vec<f32>,
}

/// A product that is added to `out`.
struct Product<'a, L> {
    left: L,
    rows: usize,
    depth: usize,
    /// The right factor, row by row.
    right: &'a [f32],
    columns: usize,
    out: &'a mut [f32],
    panels: &'a mut Panels,
}

impl<L: Left> Work for Product<'_, L> {
    const ROWS: bool = false;
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Processor) {
        let Product { left, rows, depth, right, columns, out, panels } = self;
        let wide = columns.div_ceil(COLUMNS);
        let most = depth.min(DEPTH);
        panels.left.resize(most * ROWS, 0.0);
        panels.right.resize(wide * most * COLUMNS, 0.0);
        for first in (0..depth).step_by(DEPTH) {
            let terms = (depth - first).min(DEPTH);
            for panel in 0..wide {
                let from = panel * COLUMNS;
                let count = (columns - from).min(COLUMNS);
                let target = &mut panels.right[panel * terms * COLUMNS..][..terms * COLUMNS];
                for (term, slot) in target.chunks_exact_mut(COLUMNS).enumerate() {
                    let source = &right[(first + term) * columns + from..][..count];
                    slot[..count].copy_from_slice(source);
                    slot[count..].fill(0.0);
                }
            }
            for row in (0..rows).step_by(ROWS) {
                let packed = &mut panels.left[..terms * ROWS];
                left.pack(row, first, terms, packed);
                for panel in 0..wide {
                    let right = &panels.right[panel * terms * COLUMNS..][..terms * COLUMNS];
                    let sums = tile(packed, right);
                    let from = panel * COLUMNS;
                    let count = (columns - from).min(COLUMNS);
                    for (lane, sums) in sums.iter().enumerate().take(rows - row) {
                        let target = &mut out[(row + lane) * columns + from..][..count];
                        target.iter_mut().zip(sums).for_each(|(out, sum)| *out += sum);
                    }
                }
            }
        }
    }
}

/// The product of two panels.
#[inline(always)]
fn tile(left: &[f32], right: &[f32]) -> [[f32; COLUMNS]; ROWS] {
    let mut sums = [[0.0; COLUMNS]; ROWS];
    let (left, _) = left.as_chunks::<ROWS>();
    let (right, _) = right.as_chunks::<COLUMNS>();
    for (a, b) in left.iter().zip(right) {
        for (sums, &a) in sums.iter_mut().zip(a) {
            for (sum, &b) in sums.iter_mut().zip(b) {
                *sum += a * b;
            }
        }
    }
    sums
}

/// The sizes of a layer: how many channels go in and come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channels {
    /// The channels of the input.
    pub from: usize,
    /// The channels of the output.
    pub to: usize,
}

/// Adds to `out` the layer of `input`. Both have one row per cell of each position. The weights
/// have one row for each tap and input channel.
pub fn forward(
    taps: &Taps,
    channels: Channels,
    input: &[f32],
    weights: &[f32],
    out: &mut [f32],
    panels: &mut Panels,
) {
    let Channels { from, to } = channels;
    let rows = input.len() / from;
    on_this_machine(Product {
        left: Around { taps, channels: from, rows, data: input },
        rows,
        depth: taps.each * from,
        right: weights,
        columns: to,
        out,
        panels,
    });
}

/// Adds to `gradient`, which is laid out like the weights, the derivative of the loss.
/// `slope` is the derivative by the output of the layer.
pub fn backward_weights(
    taps: &Taps,
    channels: Channels,
    input: &[f32],
    slope: &[f32],
    gradient: &mut [f32],
    panels: &mut Panels,
) {
    let Channels { from, to } = channels;
    let rows = input.len() / from;
    on_this_machine(Product {
        left: Across(Around { taps, channels: from, rows, data: input }),
        rows: taps.each * from,
        depth: rows,
        right: slope,
        columns: to,
        out: gradient,
        panels,
    });
}

/// Adds to `out` the derivative of the loss by the input of the layer. A neighbour in one direction
/// has the cell as its neighbour in the opposite one, so this is a layer with the weights reversed.
pub fn backward_input(
    taps: &Taps,
    channels: Channels,
    weights: &[f32],
    slope: &[f32],
    out: &mut [f32],
    reversed: &mut Vec<f32>,
    panels: &mut Panels,
) {
    let Channels { from, to } = channels;
    reversed.clear();
    reversed.resize(weights.len(), 0.0);
    for tap in 0..taps.each {
        let opposite = taps.each - 1 - tap;
        for a in 0..from {
            for b in 0..to {
                reversed[(opposite * to + b) * from + a] = weights[(tap * from + a) * to + b];
            }
        }
    }
    forward(taps, Channels { from: to, to: from }, slope, reversed, out, panels);
}

#[cfg(test)]
mod tests {
    use magister_core::Seed;

    use super::*;

    fn random(count: usize, seed: u64) -> Vec<f32> {
        let mut rng = Seed::from(seed).rng();
        (0..count).map(|_| rng.f64() as f32 - 0.5).collect()
    }

    /// The layer by its definition.
    fn slow(taps: &Taps, channels: Channels, input: &[f32], weights: &[f32]) -> Vec<f64> {
        let Channels { from, to } = channels;
        let rows = input.len() / from;
        let mut out = vec![0.0; rows * to];
        for row in 0..rows {
            for tap in 0..taps.taps() {
                let Some(place) = taps.place(row, tap) else { continue };
                for a in 0..from {
                    for b in 0..to {
                        let weight = f64::from(weights[(tap * from + a) * to + b]);
                        out[row * to + b] += f64::from(input[place * from + a]) * weight;
                    }
                }
            }
        }
        out
    }

    #[test]
    fn layers_are_computed_as_defined() {
        let shapes = [
            (Taps::single(1), Channels { from: 1100, to: 19 }, 5),
            (Taps::single(6), Channels { from: 7, to: 3 }, 3),
            (Taps::grid(3, 4), Channels { from: 5, to: 16 }, 2),
            (Taps::grid(6, 7), Channels { from: 32, to: 33 }, 3),
        ];
        for (taps, channels, positions) in shapes {
            let rows = positions * taps.cells();
            let input = random(rows * channels.from, 1);
            let weights = random(taps.taps() * channels.from * channels.to, 2);
            let mut out = vec![0.0; rows * channels.to];
            forward(&taps, channels, &input, &weights, &mut out, &mut Panels::default());
            for (fast, slow) in out.iter().zip(slow(&taps, channels, &input, &weights)) {
                assert!((f64::from(*fast) - slow).abs() < 1e-3, "{fast} and {slow}");
            }
        }
    }

    /// A layer is linear in its weights and in its input, so the two derivatives of
    /// `slope · layer(input)` are transposes of the layer.
    #[test]
    fn derivatives_are_transposes() {
        for taps in [Taps::grid(3, 5), Taps::single(4)] {
            let channels = Channels { from: 6, to: 5 };
            let rows = 2 * taps.cells();
            let (input, slope) = (random(rows * 6, 3), random(rows * 5, 4));
            let weights = random(taps.taps() * 30, 5);
            let dot = |a: &[f32], b: &[f64]| -> f64 {
                a.iter().zip(b).map(|(a, b)| f64::from(*a) * b).sum()
            };
            let whole = dot(&slope, &slow(&taps, channels, &input, &weights));
            let wide = |numbers: Vec<f32>| numbers.into_iter().map(f64::from).collect::<Vec<_>>();
            let mut panels = Panels::default();
            let mut by_weights = vec![0.0; weights.len()];
            backward_weights(&taps, channels, &input, &slope, &mut by_weights, &mut panels);
            assert!((dot(&weights, &wide(by_weights)) - whole).abs() < 1e-3);
            let mut by_input = vec![0.0; input.len()];
            let reversed = &mut Vec::new();
            backward_input(&taps, channels, &weights, &slope, &mut by_input, reversed, &mut panels);
            assert!((dot(&input, &wide(by_input)) - whole).abs() < 1e-3);
        }
    }
}
