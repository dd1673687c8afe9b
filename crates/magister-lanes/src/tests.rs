//! Compares kernels with simple models on pseudo-random rows, in every width, and runs all tests of
//! this crate again with fewer instructions, in separate processes.

use std::process::Command;

use crate::{Commit, Start, Tally, Width, Wires, hold, note};

/// A pseudo-random number.
fn mix(n: u64) -> u64 {
    let mut x = n.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x ^ (x >> 29)
}

fn wires(width: Width, count: u32, seed: u64) -> Wires {
    let mut wires = Wires::new(width, count as usize);
    for row in 0..count {
        for (word, place) in wires.row_mut(row).iter_mut().enumerate() {
            *place = mix(seed << 32 | u64::from(row) << 8 | word as u64);
        }
    }
    wires
}

fn mask(width: Width, seed: u64) -> Vec<u64> {
    (0..width.words() as u64).map(|word| mix(seed << 40 | word) & mix(seed << 41 | word)).collect()
}

fn bit(row: &[u64], lane: usize) -> bool {
    row[lane / 64] >> (lane % 64) & 1 == 1
}

const ROWS: u32 = 50;

/// Distinct rows.
fn some(count: u32, seed: u64) -> Vec<u32> {
    let mut all: Vec<u32> = (0..ROWS).collect();
    all.sort_by_key(|&row| mix(seed << 20 | u64::from(row)));
    all.truncate(count as usize);
    all
}

/// Every width, several times.
fn cases() -> impl Iterator<Item = (Width, u64)> {
    Width::ALL.iter().flat_map(|&width| (0..20).map(move |seed| (width, seed)))
}

#[test]
fn states_are_committed() {
    for (width, seed) in cases() {
        let before = wires(width, ROWS, seed);
        let rows = some(21, seed);
        let (restart, rows) = (rows[20], &rows[..20]);
        let parts: Vec<(u32, u32, bool)> =
            (0..10).map(|n| (rows[n], rows[10 + n], mix(seed + n as u64) & 1 == 1)).collect();
        let commit = Commit::new(parts.iter().copied());
        let starts = wires(width, 10, seed + 1000);
        let same: Vec<u64> = (0..10).map(|n| (mix(seed * 3 + n) & 1).wrapping_neg()).collect();
        for start in [Start::Same(&same), Start::Rows(&starts)] {
            let mut after = before.clone();
            commit.run(&mut after, restart, start);
            for row in 0..ROWS {
                for lane in 0..width.lanes() {
                    let expected = match parts.iter().position(|part| part.0 == row) {
                        None => bit(before.row(row), lane),
                        Some(part) if bit(before.row(restart), lane) => match start {
                            Start::Same(bits) => bits[part] != 0,
                            Start::Rows(starts) => bit(starts.row(part as u32), lane),
                        },
                        Some(part) => bit(before.row(parts[part].1), lane) != parts[part].2,
                    };
                    assert_eq!(bit(after.row(row), lane), expected, "{width}, {seed}, row {row}");
                }
            }
        }
    }
}

#[test]
fn lanes_are_copied_and_noted() {
    for (width, seed) in cases() {
        let from = wires(width, ROWS, seed);
        let (rows, mask) = (some(13, seed), mask(width, seed));
        let (cleared, rows) = (rows[12], &rows[..12]);
        let before = wires(width, 15, seed + 500);
        let (mut held, mut noted) = (before.clone(), before.clone());
        hold(&from, rows, &mask, &mut held, 2);
        let other = wires(width, 15, seed + 900);
        let mut aside = other.clone();
        // In every third case, nothing is put aside.
        let some = if seed % 3 == 0 { vec![0; width.words()] } else { mask.clone() };
        note(&from, rows, cleared, &mut noted, &some, &mut aside);
        for lane in 0..width.lanes() {
            for row in 0..15u32 {
                let old = bit(before.row(row), lane);
                let source = row.checked_sub(2).and_then(|at| rows.get(at as usize));
                let expected = match source {
                    Some(&source) if bit(&mask, lane) => bit(from.row(source), lane),
                    _ => old,
                };
                assert_eq!(bit(held.row(row), lane), expected, "{width}, {seed}, row {row}");
                let put = bit(&some, lane) && (row as usize) < rows.len();
                let expected = if put { old } else { bit(other.row(row), lane) };
                assert_eq!(bit(aside.row(row), lane), expected, "{width}, {seed}, row {row}");
                let expected = match rows.get(row as usize) {
                    Some(&row) => {
                        (old || bit(from.row(row), lane)) && !bit(from.row(cleared), lane)
                    }
                    None => old,
                };
                assert_eq!(bit(noted.row(row), lane), expected, "{width}, {seed}, row {row}");
            }
        }
    }
}

#[test]
fn lanes_are_counted() {
    for (width, seed) in cases() {
        let from = wires(width, ROWS, seed);
        let (rows, mask) = (some(12, seed), mask(width, seed));
        let mut tally = Tally::new(width, 15);
        for _ in 0..3 {
            tally.add(2, &from, &rows, &mask);
        }
        for slot in 0..width.slots() {
            for (at, &row) in rows.iter().enumerate() {
                let lanes = slot * 32..slot * 32 + 32;
                let count = lanes.filter(|&l| bit(&mask, l) && bit(from.row(row), l)).count();
                assert_eq!(tally.take(at as u32 + 2, slot), 3 * count as u32, "{width}, {seed}");
            }
            assert_eq!([0, 1, 14].map(|count| tally.take(count, slot)), [0; 3]);
        }
    }
}

/// A process chooses its instructions when it starts.
#[test]
fn all_tests_pass_with_fewer_instructions() {
    if std::env::var_os("MAGISTER_VECTORS").is_some() {
        return;
    }
    for vectors in ["avx2", "portable"] {
        let output = Command::new(std::env::current_exe().expect("a test has a file"))
            .args(["--skip", "too_long"])
            .env("MAGISTER_VECTORS", vectors)
            .output()
            .expect("a test can be run");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{vectors}: {text}");
        assert!(text.contains("states_are_committed ... ok"), "{vectors}: {text}");
    }
}
