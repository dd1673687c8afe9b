//! Tapes: gates in execution order.

use crate::code::Code;
use crate::{Width, Wires, by_width};

/// The function of a gate, lane by lane.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operation {
    /// `a & b`
    And,
    /// `a & !b`
    AndNot,
    /// `!(a | b)`
    Nor,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
    /// `a & b & c`
    And3,
    /// `a & b & !c`
    And2Not,
    /// `a & !b & !c`
    AndNot2,
    /// `!(a | b | c)`
    Nor3,
    /// `a ^ b ^ c`, the sum of three bits.
    Sum,
    /// Two or more of `a`, `b`, `c`: the carry of the sum.
    Carry,
    /// Two or more of `!a`, `b`, `c`: the borrow of `a - b - c`.
    Borrow,
    /// Any function of three inputs: bit `4a + 2b + c` of the table. One instruction with AVX-512,
    /// and slow otherwise.
    Table(u8),
}

impl Operation {
    /// All operations except tables.
    pub const ALL: &[Operation] = &[
        Operation::And,
        Operation::AndNot,
        Operation::Nor,
        Operation::Or,
        Operation::Xor,
        Operation::And3,
        Operation::And2Not,
        Operation::AndNot2,
        Operation::Nor3,
        Operation::Sum,
        Operation::Carry,
        Operation::Borrow,
    ];

    /// Its result for three words.
    #[inline]
    pub fn apply(self, a: u64, b: u64, c: u64) -> u64 {
        match self {
            Operation::And => a & b,
            Operation::AndNot => a & !b,
            Operation::Nor => !(a | b),
            Operation::Or => a | b,
            Operation::Xor => a ^ b,
            Operation::And3 => a & b & c,
            Operation::And2Not => a & b & !c,
            Operation::AndNot2 => a & !(b | c),
            Operation::Nor3 => !(a | b | c),
            Operation::Sum => a ^ b ^ c,
            Operation::Carry => (a & b) | (c & (a | b)),
            Operation::Borrow => (!a & b) | (c & (!a | b)),
            Operation::Table(table) => {
                (0..8).filter(|at| table >> at & 1 == 1).fold(0, |any, at| {
                    let pick = |word: u64, bit: u8| if at >> bit & 1 == 1 { word } else { !word };
                    any | (pick(a, 2) & pick(b, 1) & pick(c, 0))
                })
            }
        }
    }

    /// The number of its inputs.
    pub fn inputs(self) -> usize {
        match self {
            Operation::And
            | Operation::AndNot
            | Operation::Nor
            | Operation::Or
            | Operation::Xor => 2,
            _ => 3,
        }
    }
}

/// A gate: the rows it reads, and the row it writes. Gates of two inputs ignore `c`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gate {
    /// Its function.
    pub operation: Operation,
    /// The first input.
    pub a: u32,
    /// The second input.
    pub b: u32,
    /// The third input, if there is one.
    pub c: u32,
    /// The output.
    pub out: u32,
}

impl Gate {
    /// The rows that it reads.
    pub fn inputs(&self) -> impl Iterator<Item = u32> + use<> {
        [self.a, self.b, self.c].into_iter().take(self.operation.inputs())
    }
}

/// Gates of one operation.
#[derive(Clone, Copy, Debug)]
struct Run {
    operation: Operation,
    end: u32,
}

/// A gate without its operation.
#[derive(Clone, Copy, Debug)]
struct Ports {
    a: u32,
    b: u32,
    c: u32,
    out: u32,
}

/// A list of gates. All their rows are below a given number.
#[derive(Clone, Debug)]
pub struct Tape {
    wires: usize,
    runs: Vec<Run>,
    ports: Vec<Ports>,
    /// At most one for each width.
    codes: Vec<Code>,
}

impl Tape {
    /// Gates in order over a number of wires. Neighbours with the same operation run together, so
    /// an order with few runs is the fastest.
    ///
    /// # Panics
    /// If a gate has a wire that does not exist.
    pub fn new(gates: &[Gate], wires: usize) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        for (at, gate) in gates.iter().enumerate() {
            let most = gate.a.max(gate.b).max(gate.c).max(gate.out) as usize;
            assert!(most < wires, "wire {most} of {wires}");
            let end = at as u32 + 1;
            match runs.last_mut() {
                Some(run) if run.operation == gate.operation => run.end = end,
                _ => runs.push(Run { operation: gate.operation, end }),
            }
        }
        let ports = gates.iter().map(|g| Ports { a: g.a, b: g.b, c: g.c, out: g.out }).collect();
        Self { wires, runs, ports, codes: Vec::new() }
    }

    /// The number of gates.
    pub fn len(&self) -> usize {
        self.ports.len()
    }

    /// Whether the tape is empty.
    pub fn is_empty(&self) -> bool {
        self.ports.is_empty()
    }

    /// Compiles the gates for wires of one width; from now on, the code is used for this width, and
    /// only the `wanted` rows are guaranteed to be written. Returns whether compilation was
    /// possible: the machine must have the instructions, and the system must allow it. The code is
    /// compared with the interpreter on random rows with few and with many ones, and discarded if
    /// it differs.
    pub fn compile(&mut self, width: Width, wanted: &[u32]) -> bool {
        Self::compile_all(&mut [(self, wanted)], width)
    }

    /// The same for many tapes, whose code should be contiguous.
    pub fn compile_all(tapes: &mut [(&mut Tape, &[u32])], width: Width) -> bool {
        let all: Vec<(&Tape, &[u32])> =
            tapes.iter().map(|(tape, wanted)| (&**tape, *wanted)).collect();
        let codes = Code::new(&all, width);
        let made = codes.is_some();
        tapes.iter_mut().for_each(|(tape, _)| tape.codes.retain(|code| code.width() != width));
        for ((tape, _), code) in tapes.iter_mut().zip(codes.into_iter().flatten()) {
            tape.codes.push(code);
        }
        made
    }

    /// Whether there is code for wires of a width.
    pub fn has_code(&self, width: Width) -> bool {
        self.codes.iter().any(|code| code.width() == width)
    }

    /// The gates, in order.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn gates(&self) -> impl Iterator<Item = Gate> {
        let mut run = 0;
        self.ports.iter().enumerate().map(move |(at, &Ports { a, b, c, out })| {
            run += usize::from(self.runs[run].end as usize <= at);
            Gate { operation: self.runs[run].operation, a, b, c, out }
        })
    }

    /// The number of wires of the tape.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn wires(&self) -> usize {
        self.wires
    }

    /// Runs all gates.
    ///
    /// # Panics
    /// If there are fewer wires than the tape needs.
    #[inline]
    pub fn run(&self, wires: &mut Wires) {
        match self.codes.iter().find(|code| code.width() == wires.width()) {
            Some(code) => code.run(wires),
            None => self.interpret(wires),
        }
    }

    /// Runs all gates without code.
    pub(crate) fn interpret(&self, wires: &mut Wires) {
        assert!(wires.count() >= self.wires, "the tape needs more wires");
        by_width!(wires.width(), run(self, wires) where tape: &Tape, wires: &mut Wires);
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled into each instruction set's function")]
fn run<const N: usize>(tape: &Tape, wires: &mut Wires) {
    let rows = wires.rows_mut::<N>();
    let mut start = 0;
    for run in &tape.runs {
        let ports = &tape.ports[start..run.end as usize];
        start = run.end as usize;
        macro_rules! runs {
            ($($operation:ident),*) => {
                match run.operation {
                    $(Operation::$operation => {
                        for port in ports {
                            gate::<N>(rows, *port, |a, b, c| Operation::$operation.apply(a, b, c));
                        }
                    })*
                    Operation::Table(table) => {
                        for port in ports {
                            gate::<N>(rows, *port, |a, b, c| Operation::Table(table).apply(a, b, c));
                        }
                    }
                }
            };
        }
        runs!(And, AndNot, Nor, Or, Xor, And3, And2Not, AndNot2, Nor3, Sum, Carry, Borrow);
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled into each instruction set's function")]
#[allow(unsafe_code, reason = "the rows of a gate are checked when its tape is made")]
fn gate<const N: usize>(rows: &mut [[u64; N]], port: Ports, apply: impl Fn(u64, u64, u64) -> u64) {
    debug_assert!(port.a.max(port.b).max(port.c).max(port.out) < rows.len() as u32);
    // SAFETY: `Tape::new` checked that all ports are below the number of wires, and `Tape::run`
    // that the wires exist.
    unsafe {
        let a = *rows.get_unchecked(port.a as usize);
        let b = *rows.get_unchecked(port.b as usize);
        let c = *rows.get_unchecked(port.c as usize);
        let out = rows.get_unchecked_mut(port.out as usize);
        for word in 0..N {
            out[word] = apply(a[word], b[word], c[word]);
        }
    }
}

/// The choice of widths for this machine.
impl Width {
    /// The width that is fastest per lane on this machine.
    pub fn best() -> Width {
        match crate::wires::vectors() {
            crate::wires::Vectors::Portable => Width::W64,
            _ => Width::W512,
        }
    }

    /// The useful widths on this machine, narrowest first, including the best: all widths with
    /// code, or all vector widths if there is no code.
    pub fn useful() -> &'static [Width] {
        match (crate::wires::vectors(), crate::TapeForm::best(Width::W512)) {
            (crate::wires::Vectors::Portable, _) => &[Width::W64],
            (_, crate::TapeForm::Runs) => Width::ALL,
            _ => &[Width::W256, Width::W512],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pseudo-random number.
    fn mix(n: u64) -> u64 {
        let mut x = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        x = (x ^ (x >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x ^ (x >> 29)
    }

    #[test]
    fn every_width_agrees_with_the_operations() {
        let wires = 40u64;
        let gates: Vec<Gate> = (0..500)
            .map(|n| {
                let wire = |k: u64| (mix(n * 7 + k) % wires) as u32;
                let kinds = Operation::ALL.len() as u64 + 4;
                let kind = Operation::ALL.get((mix(n) % kinds) as usize).copied();
                let operation = kind.unwrap_or(Operation::Table(mix(n * 7 + 5) as u8));
                Gate { operation, a: wire(1), b: wire(2), c: wire(3), out: wire(4) }
            })
            .collect();
        let tape = Tape::new(&gates, wires as usize);
        for &width in Width::ALL {
            let mut rows = Wires::new(width, wires as usize);
            let mut plain = vec![vec![0; width.words()]; wires as usize];
            for (wire, row) in plain.iter_mut().enumerate() {
                for (word, value) in row.iter_mut().enumerate() {
                    *value = mix((wire * 8 + word) as u64 + 1000);
                }
                rows.row_mut(wire as u32).copy_from_slice(row);
            }
            tape.run(&mut rows);
            for gate in &gates {
                let [a, b, c] = [gate.a, gate.b, gate.c].map(|wire| plain[wire as usize].clone());
                for (word, value) in plain[gate.out as usize].iter_mut().enumerate() {
                    *value = gate.operation.apply(a[word], b[word], c[word]);
                }
            }
            for (wire, row) in plain.iter().enumerate() {
                assert_eq!(rows.row(wire as u32), row, "wire {wire} of {width} lanes");
            }
        }
    }

    #[test]
    #[should_panic(expected = "wire 9 of 9")]
    fn a_missing_wire_is_refused() {
        Tape::new(&[Gate { operation: Operation::And, a: 0, b: 9, c: 0, out: 0 }], 9);
    }
}
