//! Solved positions of Connect Four from random play.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use magister_core::{Seed, Stop};
use magister_learn::connect_four::{COLUMNS, Position, Solved, Solver};

/// The plies of the positions.
const PLIES: std::ops::RangeInclusive<u32> = 4..=20;
/// Positions before this ply take long to solve, so there are few of them: one in this many.
const EARLY: u32 = 9;
const RARE: u64 = 100;
/// The file is written each time this many positions were added.
const SAVED: usize = 10;

/// The positions of a file, hard ones first; none if there is no file.
pub(crate) fn read(path: &Path) -> Result<Vec<Solved>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    text.lines().map(str::parse).collect::<Result<_, _>>().map_err(anyhow::Error::msg)
}

fn write(path: &Path, hard: &[Solved], others: &[Solved]) -> Result<()> {
    let mut text = String::new();
    for solved in hard.iter().chain(others) {
        writeln!(text, "{solved}")?;
    }
    std::fs::write(path, text).with_context(|| path.display().to_string())
}

/// Adds positions to a file until it has `number` of them, half of them hard.
#[expect(clippy::print_stderr, reason = "progress of a long command")]
pub(crate) fn make(path: &Path, number: usize) -> Result<()> {
    let (mut hard, mut others): (Vec<_>, Vec<_>) =
        read(path)?.into_iter().partition(|solved| solved.hard);
    let mut solver = Solver::new(24);
    let found = (hard.len() + others.len()) as u64;
    let mut rng = Seed::from(1).derive("hard positions").derive_index(found).rng();
    let known = hard.iter().chain(&others).filter_map(Solved::position);
    let mut seen: BTreeSet<u64> = known.map(|position| position.canonical_key()).collect();
    let half = number.div_ceil(2);
    while hard.len() < half || others.len() < half {
        let range =
            if rng.below(RARE) == 0 { *PLIES.start()..EARLY } else { EARLY..PLIES.end() + 1 };
        let plies = range.start + rng.below(u64::from(range.end - range.start)) as u32;
        let mut position = Position::new();
        let mut columns = Vec::new();
        while position.plies() < plies {
            let free: Vec<u32> = (0..COLUMNS)
                .filter(|&column| position.can_play(column) && !position.wins(column))
                .collect();
            // Random play overlooks no win in one move, so that the position continues.
            if free.is_empty() || position.can_win() {
                break;
            }
            let column = free[rng.below(free.len() as u64) as usize];
            position = position.play(column);
            columns.push(column + 1);
        }
        if position.plies() < plies || !seen.insert(position.canonical_key()) {
            continue;
        }
        let Some(solved) = Solved::new(columns, &position, &mut solver, &Stop::never())? else {
            continue;
        };
        let list = if solved.hard { &mut hard } else { &mut others };
        if list.len() < half {
            list.push(solved);
            if (hard.len() + others.len()).is_multiple_of(SAVED) {
                eprintln!("{} hard, {} others", hard.len(), others.len());
                write(path, &hard, &others)?;
            }
        }
    }
    write(path, &hard, &others)
}
