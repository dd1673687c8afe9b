//! A tape as a native function.

use std::sync::Arc;

use super::TapeForm;
use super::assemble::Size;
use super::emit::emit;
use super::memory::Memory;
use crate::{Gate, Tape, Width, Wires};

/// The row at the base. With AVX-512, the displacement of rows up to 128 away takes one byte.
const BIAS: u16 = 128;

/// Code starts at a cache line.
const LINE: usize = 64;

/// The maximum number of random inputs on which code is compared with the interpreter; fewer if the
/// product with the number of gates exceeds this.
const MOST_ROUNDS: usize = 4;
const ENOUGH: usize = 16_384;

/// The code of a tape.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    memory: Arc<Memory>,
    /// Its start in the memory.
    start: usize,
    width: Width,
    /// The number of bytes computed at once, and the number of runs per row.
    registers: usize,
    parts: usize,
    /// The offset of its base from the first row, in bytes.
    base: usize,
    /// The required number of wires.
    wires: usize,
}

impl Code {
    /// Whether the system provides executable memory.
    pub(crate) fn possible() -> bool {
        Memory::new(&[]).is_some()
    }

    /// Compiles tapes, each with its output rows, into contiguous memory; compares the code with
    /// the interpreter, and returns it if all results agree.
    pub(crate) fn new(tapes: &[(&Tape, &[u32])], width: Width) -> Option<Vec<Self>> {
        let size = match (TapeForm::best(width), width) {
            (TapeForm::Runs, _) => return None,
            (TapeForm::Code, Width::W128) => Size::Xmm,
            (TapeForm::Code, _) => Size::Ymm,
            (TapeForm::TableCode, Width::W128) => Size::XmmEvex,
            (TapeForm::TableCode, Width::W512) => Size::Zmm,
            (TapeForm::TableCode, _) => Size::YmmEvex,
        };
        let codes = Self::with(tapes, width, size)?;
        let same = codes.iter().zip(tapes).all(|(code, (tape, wanted))| code.agrees(tape, wanted));
        debug_assert!(same, "code that differs from its tape");
        same.then_some(codes)
    }

    /// Compiles for registers of a size, which the machine must have.
    fn with(tapes: &[(&Tape, &[u32])], width: Width, size: Size) -> Option<Vec<Self>> {
        let row = width.words() * 8;
        let stride = i32::try_from(row).ok()?;
        let registers = size.bytes().into();
        let (parts, base) = (row / registers, usize::from(BIAS) * row);
        let mut bytes = Vec::new();
        let mut starts = Vec::new();
        for (tape, wanted) in tapes {
            let gates: Vec<Gate> = tape.gates().collect();
            let mut rows = vec![false; tape.wires()];
            for &row in *wanted {
                *rows.get_mut(row as usize)? = true;
            }
            bytes.resize(bytes.len().next_multiple_of(LINE), 0);
            starts.push(bytes.len());
            bytes.extend(emit(&gates, &rows, size, stride, BIAS.into())?);
        }
        let memory = Arc::new(Memory::new(&bytes)?);
        let code = |(start, (tape, _)): (usize, &(&Tape, &[u32]))| Self {
            memory: Arc::clone(&memory),
            start,
            width,
            registers,
            parts,
            base,
            wires: tape.wires(),
        };
        Some(starts.into_iter().zip(tapes).map(code).collect())
    }

    /// Whether it agrees with the tape on the output rows.
    fn agrees(&self, tape: &Tape, wanted: &[u32]) -> bool {
        let reads = reads(tape);
        // Small tapes are cheap to run, and there are many of them.
        let rounds = (ENOUGH / (reads.len() + tape.len() + 1)).clamp(1, MOST_ROUNDS);
        let mut random = Random::default();
        (0..rounds).all(|_| {
            let mut rows = Wires::new(self.width, self.wires.max(1));
            for &row in &reads {
                rows.row_mut(row).iter_mut().for_each(|word| *word = random.biased());
            }
            self.agrees_on(tape, wanted, rows)
        })
    }

    /// The same for given rows.
    fn agrees_on(&self, tape: &Tape, wanted: &[u32], mut ours: Wires) -> bool {
        let mut theirs = ours.clone();
        self.run(&mut ours);
        tape.interpret(&mut theirs);
        wanted.iter().all(|&row| ours.row(row) == theirs.row(row))
    }

    /// The width of its wires.
    pub(crate) fn width(&self) -> Width {
        self.width
    }

    /// Runs all gates.
    ///
    /// # Panics
    /// If the wires have another width, or there are fewer than the tape needs.
    #[inline]
    #[allow(unsafe_code, reason = "the code of a tape is a function of its rows")]
    pub(crate) fn run(&self, wires: &mut Wires) {
        assert!(
            wires.count() >= self.wires && wires.width() == self.width,
            "the wires do not fit the tape"
        );
        let first: *mut u8 = wires.words_mut().as_mut_ptr().cast();
        // SAFETY: the memory at `start` contains the output of `emit`, a function of one argument
        // with the System V calling convention. It need not save registers, because it changes only
        // vector registers. The memory lives as long as `self`.
        let code: unsafe extern "sysv64" fn(*mut u8) =
            unsafe { std::mem::transmute(self.memory.start().wrapping_add(self.start)) };
        let mut base = first.wrapping_add(self.base);
        for _ in 0..self.parts {
            // SAFETY: `TapeForm::best` found the instructions on this machine. The code accesses
            // `registers` bytes from the start or from the middle of a row, only in rows of the
            // tape, and the check above ensures that they exist. Rows are aligned like the widest
            // registers.
            unsafe { code(base) };
            base = base.wrapping_add(self.registers);
        }
    }
}

/// The rows that a tape reads before it writes them.
fn reads(tape: &Tape) -> Vec<u32> {
    let mut seen = vec![false; tape.wires()];
    let mut reads = Vec::new();
    for gate in tape.gates() {
        for row in gate.inputs() {
            if !std::mem::replace(&mut seen[row as usize], true) {
                reads.push(row);
            }
        }
        seen[gate.out as usize] = true;
    }
    reads
}

/// Pseudo-random words.
struct Random(u64);

impl Default for Random {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }
}

impl Random {
    /// Half of the bits are ones.
    fn uniform(&mut self) -> u64 {
        // xorshift64
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// The share of ones depends on the lane. A conjunction of many rows with half ones is almost
    /// always zero, even if the code is wrong; only lanes with many ones test wide conjunctions,
    /// and only lanes with few test wide disjunctions.
    fn biased(&mut self) -> u64 {
        let (mut any, mut all) = (0, !0);
        let mut parts = [(0, 0); 7];
        for part in &mut parts {
            let word = self.uniform();
            (any, all) = (any | word, all & word);
            *part = (any, all);
        }
        let [(half, _), _, (most, few), _, (more, fewer), _, (nearly, _)] = parts;
        (half & lanes(0, 8))
            | (most & lanes(8, 16)) // 7 of 8
            | (more & lanes(16, 32)) // 31 of 32
            | (nearly & lanes(32, 46)) // 127 of 128
            | (few & lanes(46, 54)) // 1 of 8
            | (fewer & lanes(54, 62)) // 1 of 32
            | lanes(62, 63) // All of them; and none in the last lane.
    }
}

/// The lanes of a word in a range.
const fn lanes(from: u32, to: u32) -> u64 {
    (1 << to) - (1 << from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation;
    use crate::wires::{Vectors, vectors};

    fn one(tape: &Tape, width: Width, size: Size, wanted: &[u32]) -> Option<Code> {
        Code::with(&[(tape, wanted)], width, size)?.pop()
    }

    /// A pseudo-random number.
    fn mix(n: u64) -> u64 {
        let mut x = n.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        x = (x ^ (x >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x ^ (x >> 29)
    }

    fn gates(seed: u64, count: u64, wires: u64, tables: bool) -> Vec<Gate> {
        (0..count)
            .map(|n| {
                let number = |k: u64| mix(seed * 0x1_0000_0000 + n * 7 + k);
                let wire = |k: u64| (number(k) % wires) as u32;
                let kinds = Operation::ALL.len() as u64 + if tables { 4 } else { 0 };
                let operation = Operation::ALL
                    .get((number(0) % kinds) as usize)
                    .copied()
                    .unwrap_or(Operation::Table(number(5) as u8));
                Gate { operation, a: wire(1), b: wire(2), c: wire(3), out: wire(4) }
            })
            .collect()
    }

    /// The widths and registers that this machine can run.
    fn kinds() -> Vec<(Width, Size)> {
        let mut kinds = Vec::new();
        if vectors() != Vectors::Portable {
            kinds.extend([(Width::W256, Size::Ymm), (Width::W512, Size::Ymm)]);
            kinds.push((Width::W128, Size::Xmm));
        }
        if vectors() == Vectors::Avx512 {
            kinds.extend([(Width::W512, Size::Zmm), (Width::W128, Size::XmmEvex)]);
            kinds.extend([(Width::W256, Size::YmmEvex), (Width::W512, Size::YmmEvex)]);
        }
        if kinds.is_empty() {
            println!("skipped: this machine has no vectors");
        }
        kinds
    }

    #[test]
    fn code_agrees_with_the_interpreter() {
        for (width, size) in kinds() {
            for seed in 0..60 {
                // From few rows, all in registers, to many.
                let wires = [1, 2, 5, 12, 30, 90, 400, 3000][seed as usize % 8];
                let count = [1, 10, 300, 2000][seed as usize / 8 % 4];
                let gates = gates(seed, count, wires, size.has_tables());
                let tape = Tape::new(&gates, wires as usize);
                let share = mix(seed) % 4 + 1;
                let wanted: Vec<u32> = (0..wires as u32)
                    .filter(|&row| mix(u64::from(row)).is_multiple_of(share))
                    .collect();
                let code = one(&tape, width, size, &wanted).unwrap();
                assert!(code.agrees(&tape, &wanted), "{width}, {size:?}, seed {seed}");
            }
        }
    }

    #[test]
    fn every_table_and_place_of_inputs_is_right() {
        // Inputs equal or different, in memory or in registers, used again or not.
        for (width, size) in kinds() {
            for table in 0..=255u8 {
                let operations: Vec<Operation> = if matches!(size, Size::Xmm | Size::Ymm) {
                    Operation::ALL.iter().copied().filter(|_| table < 16).collect()
                } else {
                    vec![Operation::Table(table)]
                };
                for operation in operations {
                    let mut gates = gates(u64::from(table), 40, 12, false);
                    for (at, gate) in gates.iter_mut().enumerate() {
                        gate.operation = if at % 2 == 0 { operation } else { gate.operation };
                    }
                    let tape = Tape::new(&gates, 12);
                    let wanted: Vec<u32> = (0..12).collect();
                    let code = one(&tape, width, size, &wanted).unwrap();
                    assert!(code.agrees(&tape, &wanted), "{width}, {size:?}, {operation:?}");
                }
            }
        }
    }

    /// A conjunction of many rows, and the same with one wrong gate.
    #[test]
    fn a_wrong_gate_deep_in_a_chain_is_found() {
        let chain = |wrong: Option<u32>| -> Vec<Gate> {
            (1..60)
                .map(|n| {
                    let bad = wrong == Some(n);
                    let operation = if bad { Operation::AndNot } else { Operation::And };
                    let a = if n == 1 { 0 } else { 60 + n - 1 };
                    Gate { operation, a, b: n, c: n, out: 60 + n }
                })
                .collect()
        };
        let (rows, wanted) = (120, [119]);
        let tape = Tape::new(&chain(None), rows);
        for (width, size) in kinds() {
            assert!(one(&tape, width, size, &wanted).unwrap().agrees(&tape, &wanted));
            for wrong in [20, 35, 50, 59] {
                let broken = Tape::new(&chain(Some(wrong)), rows);
                let code = one(&broken, width, size, &wanted).unwrap();
                let mut uniform = Wires::new(width, rows);
                let mut random = Random::default();
                uniform.words_mut().iter_mut().for_each(|word| *word = random.uniform());
                assert!(code.agrees_on(&tape, &wanted, uniform), "uniform rows do not show it");
                assert!(!code.agrees(&tape, &wanted), "{width}, {size:?}, gate {wrong}");
            }
        }
    }

    /// A row missing from a wide conjunction shows only if all others are ones.
    #[test]
    fn a_missing_row_is_found() {
        let chain = |left_out: Option<u32>| -> Vec<Gate> {
            (1..12)
                .map(|n| {
                    let a = if n == 1 { 0 } else { 12 + n - 1 };
                    let b = if left_out == Some(n) { a } else { n };
                    Gate { operation: Operation::And, a, b, c: b, out: 12 + n }
                })
                .collect()
        };
        let (rows, wanted) = (24, [23]);
        let tape = Tape::new(&chain(None), rows);
        for (width, size) in kinds() {
            for left_out in [1, 6, 11] {
                let broken = Tape::new(&chain(Some(left_out)), rows);
                let code = one(&broken, width, size, &wanted).unwrap();
                assert!(!code.agrees(&tape, &wanted), "{width}, {size:?}, row {left_out}");
            }
        }
    }

    #[test]
    fn tapes_without_gates_and_tapes_that_are_too_long() {
        for (width, size) in kinds() {
            let empty = Tape::new(&[], 3);
            let code = one(&empty, width, size, &[0, 2]).unwrap();
            assert!(code.agrees(&empty, &[0, 1, 2]));
            let wanted: Vec<u32> = (0..4000).collect();
            let huge = Tape::new(&gates(1, 4_000_000, 4000, false), 4000);
            assert!(one(&huge, width, size, &wanted).is_none());
            assert!(one(&empty, width, size, &[3]).is_none());
        }
    }
}
