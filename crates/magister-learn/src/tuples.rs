//! Which cells the tuples of a network contain.

use std::collections::BTreeSet;

use magister_core::Rng;
use serde::{Deserialize, Serialize};

use crate::environment::CellLayout;

/// The maximum number of entries in the table of one tuple.
pub const LARGEST_TABLE: u64 = 1 << 24;
/// The maximum number of pairs of cells in a chosen network. More of them make it slow and add
/// little to walks.
const PAIRS: usize = 700;
/// A cell with more values than this is a counter, such as a score.
const COUNTER: u8 = 8;
/// The maximum number of entries in the table of a chosen walk, such as six cells with three values
/// each. Walks of three cells may have more.
const TYPICAL: f64 = 1_100.0;
/// The maximum number of chosen walks.
const WALKS: usize = 60;
/// The maximum number of weights in one slot of a network.
pub const LARGEST_NETWORK: u64 = 1 << 27;

/// How tuples are chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TupleChoice {
    /// Exactly these cells.
    Given(Vec<Vec<u16>>),
    /// Random walks from neighbour to neighbour.
    Walks {
        /// The number of tuples.
        count: usize,
        /// The number of cells of each.
        length: usize,
    },
    /// Every cell alone, which makes the network a linear function of the board.
    Single,
    /// A choice that suits the board: the whole board if it is small, otherwise walks, pairs and
    /// single cells.
    Auto,
}

/// The group that some permutations generate, without the identity, in a fixed order.
pub fn close(generators: &[Vec<u16>]) -> Vec<Vec<u16>> {
    let Some(first) = generators.first() else { return Vec::new() };
    let identity: Vec<u16> = (0..first.len() as u16).collect();
    let mut group = BTreeSet::from([identity.clone()]);
    let mut fresh = vec![identity.clone()];
    while let Some(permutation) = fresh.pop() {
        for generator in generators {
            let next: Vec<u16> =
                permutation.iter().map(|&cell| generator[usize::from(cell)]).collect();
            if group.insert(next.clone()) {
                fresh.push(next);
            }
        }
    }
    group.remove(&identity);
    group.into_iter().collect()
}

/// The number of entries of the table of a tuple.
pub(crate) fn entries(layout: &CellLayout, tuple: &[u16]) -> u64 {
    tuple.iter().fold(1_u64, |size, &cell| {
        let values = layout.values.get(usize::from(cell)).copied().unwrap_or(1);
        size.saturating_mul(u64::from(values))
    })
}

impl TupleChoice {
    /// The tuples for a board. Walks depend only on the generator.
    pub fn choose(&self, layout: &CellLayout, rng: &mut Rng) -> Result<Vec<Vec<u16>>, String> {
        let tuples = match self {
            TupleChoice::Given(tuples) => tuples.clone(),
            TupleChoice::Walks { count, length } => walks(layout, *count, *length, rng),
            TupleChoice::Single => match single(layout) {
                // If nothing varies, one cell stands for the only board.
                none if none.is_empty() && !layout.values.is_empty() => vec![vec![0]],
                cells => cells,
            },
            TupleChoice::Auto => auto(layout, rng),
        };
        check(layout, &tuples)?;
        Ok(tuples)
    }
}

/// Returns an error that describes what is wrong with some tuples.
pub(crate) fn check(layout: &CellLayout, tuples: &[Vec<u16>]) -> Result<(), String> {
    let mut total = 0_u64;
    for tuple in tuples {
        if let Some(cell) = tuple.iter().find(|&&cell| usize::from(cell) >= layout.values.len()) {
            return Err(format!(
                "a tuple has cell {cell}, but the cells are numbered from 0 to {}",
                layout.values.len().saturating_sub(1)
            ));
        }
        let distinct: BTreeSet<u16> = tuple.iter().copied().collect();
        if distinct.len() != tuple.len() || tuple.is_empty() {
            return Err("a tuple is empty or has the same cell twice".to_owned());
        }
        let size = entries(layout, tuple);
        if size > LARGEST_TABLE {
            return Err(format!(
                "a tuple of {} cells needs a table of {size} entries; the limit is {LARGEST_TABLE}",
                tuple.len()
            ));
        }
        total += size;
    }
    if total > LARGEST_NETWORK {
        return Err(format!(
            "the tuples need {total} weights; the limit is {LARGEST_NETWORK}: use fewer or shorter \
             tuples"
        ));
    }
    if tuples.is_empty() {
        return Err("there are no tuples".to_owned());
    }
    Ok(())
}

fn single(layout: &CellLayout) -> Vec<Vec<u16>> {
    let varies = |cell: &u16| layout.values[usize::from(*cell)] > 1;
    (0..layout.values.len() as u16).filter(varies).map(|cell| vec![cell]).collect()
}

/// The number of steps of a walk for each cell that it still looks for. A walk that finds no new cell
/// in this many steps has seen all cells that it can reach.
const WANDERING: usize = 100;

/// Random walks: each goes from a random cell to a random neighbour, and on from there. Its tuple has
/// the cells that it visits. A walk that would need too large a table is shortened.
fn walks(layout: &CellLayout, count: usize, length: usize, rng: &mut Rng) -> Vec<Vec<u16>> {
    let cells = layout.values.len() as u64;
    let mut out: BTreeSet<Vec<u16>> = BTreeSet::new();
    if cells == 0 {
        return Vec::new();
    }
    // A small board may have fewer distinct walks than requested.
    for _ in 0..count.saturating_mul(20) {
        if out.len() >= count {
            break;
        }
        let mut tuple = walk(layout, rng.below(cells) as u16, length, rng);
        tuple.sort_unstable();
        out.insert(tuple);
    }
    out.into_iter().collect()
}

/// The cells of a walk from a cell.
fn walk(layout: &CellLayout, start: u16, length: usize, rng: &mut Rng) -> Vec<u16> {
    let mut tuple = vec![start];
    let (mut at, mut idle) = (start, 0);
    while tuple.len() < length && idle < WANDERING {
        let near = &layout.neighbours[usize::from(at)];
        if near.is_empty() {
            break;
        }
        at = near[rng.below(near.len() as u64) as usize];
        if tuple.contains(&at) {
            idle += 1;
            continue;
        }
        tuple.push(at);
        idle = 0;
        if entries(layout, &tuple) > LARGEST_TABLE {
            tuple.pop();
            break;
        }
    }
    tuple
}

/// The whole board if its table is small, with single cells as well if there are counters, because
/// most combinations of their values do not occur in training; otherwise single cells, all pairs if
/// there are few cells, and walks whose tables have up to two million entries together.
fn auto(layout: &CellLayout, rng: &mut Rng) -> Vec<Vec<u16>> {
    let varying: Vec<u16> = single(layout).into_iter().flatten().collect();
    if varying.is_empty() {
        return if layout.values.is_empty() { Vec::new() } else { vec![vec![0]] };
    }
    if entries(layout, &varying) <= 1 << 17 {
        let counts = layout.values.iter().any(|&values| values > COUNTER);
        let mut tuples = if counts { single(layout) } else { Vec::new() };
        tuples.push(varying);
        return tuples;
    }
    let mut tuples = single(layout);
    let mut budget = 1_u64 << 21;
    // Pairs represent interactions of two cells at any distance.
    let pairs = varying.len() * (varying.len() - 1) / 2;
    if pairs <= PAIRS {
        for (at, &a) in varying.iter().enumerate() {
            for &b in &varying[at + 1..] {
                tuples.push(vec![a, b]);
            }
        }
    }
    let typical = f64::from(layout.values.iter().copied().max().unwrap_or(2)).max(2.0);
    // Larger tables, or more of them, learn more slowly and need larger files (docs/learning.md).
    let length = (TYPICAL.ln() / typical.ln()).floor().clamp(3.0, 8.0) as usize;
    let count = (varying.len() * 3 / 2).clamp(8, WALKS);
    for tuple in walks(layout, count, length, rng) {
        let size = entries(layout, &tuple);
        if tuple.len() > 2 && size <= budget {
            budget -= size;
            tuples.push(tuple);
        }
    }
    tuples
}

#[cfg(test)]
mod tests {
    use super::*;
    use magister_core::Seed;

    #[test]
    fn walks_go_from_neighbour_to_neighbour() {
        let layout = CellLayout::grid(7, 6, 4);
        let tuples = walks(&layout, 70, 8, &mut Seed::from(1).rng());
        assert_eq!(tuples.len(), 70);
        for tuple in &tuples {
            assert_eq!(tuple.len(), 8);
            let connected = |&cell: &u16| {
                layout.neighbours[usize::from(cell)].iter().any(|near| tuple.contains(near))
            };
            assert!(tuple.iter().all(connected));
        }
        assert_eq!(tuples, walks(&layout, 70, 8, &mut Seed::from(1).rng()));
    }

    /// A walk goes on from the cell where it is, so more of its tuples are long than of compact shapes,
    /// which grow at random places: 0.44 and 0.32 of these have five columns or five rows.
    #[test]
    fn walks_wind_over_the_board() {
        let layout = CellLayout::grid(7, 6, 4);
        let mut rng = Seed::from(1).rng();
        let extent = |of: fn(u16) -> u16, tuple: &[u16]| {
            let all = || tuple.iter().map(|&cell| of(cell));
            all().max().unwrap_or(0) - all().min().unwrap_or(0) + 1
        };
        let mut long = 0;
        for _ in 0..10_000 {
            let tuple = walk(&layout, rng.below(42) as u16, 8, &mut rng);
            long += u32::from(extent(|cell| cell % 7, &tuple).max(extent(|c| c / 7, &tuple)) >= 5);
        }
        assert!((4200..4600).contains(&long), "{long} of 10,000");
    }

    #[test]
    fn a_walk_ends_where_no_cell_is_new() {
        let mut layout = CellLayout::grid(2, 2, 3);
        let mut rng = Seed::from(1).rng();
        assert_eq!(walks(&layout, 5, 9, &mut rng), [[0, 1, 2, 3]]);
        layout.neighbours[3].clear();
        assert_eq!(walk(&layout, 3, 9, &mut rng), [3]);
        assert!(walks(&CellLayout::grid(0, 0, 3), 5, 9, &mut rng).is_empty());
    }

    #[test]
    fn a_small_board_is_one_tuple() {
        let layout = CellLayout::grid(3, 3, 3);
        let tuples = TupleChoice::Auto.choose(&layout, &mut Seed::from(1).rng());
        assert_eq!(tuples, Ok(vec![(0..9).collect()]));
    }

    #[test]
    fn counters_are_also_read_alone() {
        let layout = CellLayout { values: vec![11, 1, 51], ..CellLayout::grid(3, 1, 2) };
        let tuples = TupleChoice::Auto.choose(&layout, &mut Seed::from(1).rng());
        assert_eq!(tuples, Ok(vec![vec![0], vec![2], vec![0, 2]]));
    }

    #[test]
    fn impossible_tuples_are_refused() {
        let layout = CellLayout::grid(4, 4, 16);
        let refused = |tuples: Vec<Vec<u16>>| {
            TupleChoice::Given(tuples).choose(&layout, &mut Seed::from(1).rng()).unwrap_err()
        };
        assert!(refused(vec![vec![16]]).contains("cell 16"));
        assert!(refused(vec![vec![1, 1]]).contains("twice"));
        assert!(refused(vec![(0..7).collect()]).contains("the limit is"));
        assert!(refused(vec![]).contains("no tuples"));
    }
}
