//! From gates to instructions, in one pass.
//!
//! Results stay in registers while there are free ones. When a register is needed, the value whose
//! next read is the latest is evicted; it is written to its row only if the row does not have it
//! yet and it will be read again, or if the row is an output.

use super::assemble::{Assembler, Logic, Operand, Register, Size};
use super::uses::{NEVER, Uses};
use crate::{Gate, Operation};

/// The maximum size of code. Longer code would have to be fetched from memory, and gates are then
/// as fast.
const MOST_BYTES: usize = 64 << 20;

/// A value that can be loaded again from its row is worth less than one that would have to be
/// stored first: it is evicted as if its next read were this many times later.
const CLEAN: u32 = 3;

/// The contents of a register.
#[derive(Clone, Copy, Debug)]
struct Held {
    row: u32,
    /// The gate that reads it next.
    next: u32,
    /// Whether the row has the value as well.
    clean: bool,
}

struct Emitter {
    assembler: Assembler,
    /// The size of a row in bytes, and the row at the base.
    stride: i32,
    bias: i32,
    held: Vec<Option<Held>>,
    /// The register with the value of each row, if there is one.
    place: Vec<Option<Register>>,
    /// Registers that must not change during a gate.
    pinned: u32,
}

/// The code of gates over rows of a size, with the row `bias` at the base. `None` if it would be
/// too long or an instruction is missing.
pub(super) fn emit(
    gates: &[Gate],
    wanted: &[bool],
    size: Size,
    stride: i32,
    bias: i32,
) -> Option<Vec<u8>> {
    let rows = i32::try_from(wanted.len()).ok()?;
    rows.checked_mul(stride)?;
    let uses = Uses::new(gates, wanted);
    // AVX2 has 16 registers; its gates of three inputs need two temporaries, and negation needs one
    // with all ones.
    let registers = if size.has_tables() { 32 } else { ONES };
    let mut emitter = Emitter {
        assembler: Assembler::new(size),
        stride,
        bias,
        held: vec![None; registers.into()],
        place: vec![None; wanted.len()],
        pinned: 0,
    };
    if !size.has_tables() {
        emitter.assembler.ones(ONES);
    }
    for (at, gate) in gates.iter().enumerate() {
        if !uses.idle(at) {
            emitter.gate(at, gate, &uses)?;
        }
        if emitter.assembler.bytes.len() > MOST_BYTES {
            return None;
        }
    }
    emitter.assembler.finish();
    Some(emitter.assembler.bytes)
}

/// Registers reserved by AVX2 code.
const ONES: Register = 13;
const SCRATCH: Register = 14;
const SCRATCH_2: Register = 15;

impl Emitter {
    fn gate(&mut self, at: usize, gate: &Gate, uses: &Uses) -> Option<()> {
        // Distinct inputs only.
        let mut inputs = [0; 3];
        let mut count = 0;
        self.pinned = 0;
        for (place, row) in gate.inputs().enumerate() {
            if inputs[..count].contains(&row) {
                continue;
            }
            inputs[count] = row;
            count += 1;
            let next = uses.after[at][place];
            if let Some(register) = self.place[row as usize] {
                self.pinned |= 1 << register;
                if let Some(held) = &mut self.held[register as usize] {
                    held.next = next;
                }
            } else if next != NEVER {
                let register = self.allocate(at as u32);
                self.assembler.load(register, self.memory(row));
                self.hold(register, Held { row, next, clean: true });
                self.pinned |= 1 << register;
            }
        }
        let rows = &inputs[..count];
        let to = if self.assembler.size.has_tables() {
            self.ternary(at, gate, rows)
        } else {
            self.binary(at, gate, rows)?
        };
        // The old value of the row is gone, and so are values without further reads.
        for &row in rows {
            if let Some(register) = self.place[row as usize]
                && self.held[register as usize].is_some_and(|held| held.next == NEVER)
            {
                self.drop(register);
            }
        }
        if let Some(register) = self.place[gate.out as usize] {
            self.drop(register);
        }
        let (next, clean) = (uses.first[at], uses.wanted[at]);
        if clean {
            self.assembler.store(to, self.displacement(gate.out));
        }
        if next != NEVER {
            self.hold(to, Held { row: gate.out, next, clean });
        }
        Some(())
    }

    fn displacement(&self, row: u32) -> i32 {
        (row.cast_signed() - self.bias) * self.stride
    }

    fn memory(&self, row: u32) -> Operand {
        Operand::Memory(self.displacement(row))
    }

    fn operand(&self, row: u32) -> Operand {
        self.place[row as usize].map_or_else(|| self.memory(row), Operand::Register)
    }

    fn hold(&mut self, register: Register, held: Held) {
        self.place[held.row as usize] = Some(register);
        self.held[register as usize] = Some(held);
    }

    fn drop(&mut self, register: Register) {
        if let Some(held) = self.held[register as usize].take() {
            self.place[held.row as usize] = None;
        }
    }

    /// A free register, or the one whose value is read last.
    fn allocate(&mut self, at: u32) -> Register {
        let mut best = (0, 0);
        for (register, held) in self.held.iter().enumerate() {
            if self.pinned >> register & 1 == 1 {
                continue;
            }
            let Some(held) = held else {
                best.0 = register as Register;
                break;
            };
            let wait = (held.next - at).saturating_mul(if held.clean { CLEAN } else { 1 });
            if wait >= best.1 {
                best = (register as Register, wait);
            }
        }
        let register = best.0;
        if let Some(held) = self.held[register as usize] {
            if !held.clean {
                self.assembler.store(register, self.displacement(held.row));
            }
            self.drop(register);
        }
        register
    }

    /// A register of one of these rows whose value is not read again.
    fn dying(&self, rows: &[u32]) -> Option<(usize, Register)> {
        rows.iter().enumerate().find_map(|(at, &row)| {
            let register = self.place[row as usize]?;
            (self.held[register as usize]?.next == NEVER).then_some((at, register))
        })
    }

    /// A gate by the instruction for any function of three inputs. Returns the register of the
    /// result.
    fn ternary(&mut self, at: usize, gate: &Gate, rows: &[u32]) -> Register {
        let dying = self.dying(rows);
        match *rows {
            [one] => {
                let operand = self.operand(one);
                let to = dying.map_or_else(|| self.allocate(at as u32), |(_, register)| register);
                match table(gate, [one, one, one]) & 0x81 {
                    0x80 => self.assembler.load(to, operand),
                    found => {
                        let table = if found == 1 {
                            0x55
                        } else if found == 0 {
                            0
                        } else {
                            0xff
                        };
                        self.assembler.ternary(table, to, to, operand);
                    }
                }
                to
            }
            [a, b] => {
                let to = dying.map_or_else(|| self.allocate(at as u32), |(_, register)| register);
                // One of them must be in a register.
                let (a, b) = match (self.operand(a), self.operand(b)) {
                    (Operand::Memory(_), Operand::Register(_)) => (b, a),
                    _ => (a, b),
                };
                let first = match self.operand(a) {
                    Operand::Register(register) => register,
                    memory @ Operand::Memory(_) => {
                        self.assembler.load(to, memory);
                        to
                    }
                };
                let second = self.operand(b);
                // The first of the three inputs is ignored.
                match table(gate, [NEVER, a, b]) {
                    0x88 => self.assembler.logic(Logic::And, to, first, second),
                    0x22 => self.assembler.logic(Logic::NotAnd, to, first, second),
                    0xee => self.assembler.logic(Logic::Or, to, first, second),
                    0x66 => self.assembler.logic(Logic::Xor, to, first, second),
                    table => self.assembler.ternary(table, to, first, second),
                }
                to
            }
            _ => self.three(at, gate, rows, dying),
        }
    }

    /// A gate of three distinct inputs: the result replaces one of them.
    fn three(
        &mut self,
        at: usize,
        gate: &Gate,
        rows: &[u32],
        dying: Option<(usize, Register)>,
    ) -> Register {
        // Inputs in registers come first.
        let mut order = [rows[0], rows[1], rows[2]];
        order.sort_by_key(|&row| self.place[row as usize].is_none());
        let loaded = order.iter().filter(|&&row| self.place[row as usize].is_some()).count();
        match (loaded, dying) {
            (2 | 3, Some((dying, to))) => {
                let first = rows[dying];
                let [a, b] = others(order, first);
                let Operand::Register(second) = self.operand(a) else { return to };
                self.assembler.ternary(table(gate, [first, a, b]), to, second, self.operand(b));
                to
            }
            (2 | 3, None) => {
                // A copy of a register, or a load that is needed anyway.
                let [second, third, first] = order;
                let to = self.allocate(at as u32);
                self.assembler.load(to, self.operand(first));
                let table = table(gate, [first, second, third]);
                let Operand::Register(second) = self.operand(second) else { return to };
                self.assembler.ternary(table, to, second, self.operand(third));
                to
            }
            (1, _) => {
                let [second, first, third] = order;
                let to = self.allocate(at as u32);
                self.assembler.load(to, self.operand(first));
                let table = table(gate, [first, second, third]);
                let Operand::Register(second) = self.operand(second) else { return to };
                self.assembler.ternary(table, to, second, self.operand(third));
                to
            }
            _ => {
                let [first, second, third] = order;
                let to = self.allocate(at as u32);
                self.pinned |= 1 << to;
                let other = self.allocate(at as u32);
                self.assembler.load(to, self.operand(first));
                self.assembler.load(other, self.operand(second));
                let table = table(gate, [first, second, third]);
                self.assembler.ternary(table, to, other, self.operand(third));
                to
            }
        }
    }

    /// A gate by two-input instructions. Returns the register of the result.
    fn binary(&mut self, at: usize, gate: &Gate, rows: &[u32]) -> Option<Register> {
        let dying = self.dying(rows);
        let to = dying.map_or_else(|| self.allocate(at as u32), |(_, register)| register);
        let [a, b, c] = [gate.a, gate.b, gate.c].map(|row| self.operand(row));
        let (part, other) = (SCRATCH, SCRATCH_2);
        // Intermediate results are never in `to`, which may be an input.
        match gate.operation {
            Operation::And if gate.a == gate.b => self.assembler.load(to, a),
            Operation::And => self.logic(Logic::And, to, a, b),
            Operation::AndNot => self.logic(Logic::NotAnd, to, b, a),
            Operation::Or => self.logic(Logic::Or, to, a, b),
            Operation::Xor => self.logic(Logic::Xor, to, a, b),
            Operation::Nor if gate.a == gate.b => self.assembler.logic(Logic::Xor, to, ONES, a),
            Operation::Nor => {
                self.logic(Logic::Or, part, a, b);
                self.assembler.logic(Logic::Xor, to, part, Operand::Register(ONES));
            }
            Operation::And3 => {
                self.logic(Logic::And, part, a, b);
                self.assembler.logic(Logic::And, to, part, c);
            }
            Operation::And2Not => {
                self.logic(Logic::And, part, a, b);
                self.logic(Logic::NotAnd, to, c, Operand::Register(part));
            }
            Operation::AndNot2 => {
                self.logic(Logic::Or, part, b, c);
                self.assembler.logic(Logic::NotAnd, to, part, a);
            }
            Operation::Nor3 => {
                self.logic(Logic::Or, part, a, b);
                self.assembler.logic(Logic::Or, part, part, c);
                self.assembler.logic(Logic::Xor, to, part, Operand::Register(ONES));
            }
            Operation::Sum => {
                self.logic(Logic::Xor, part, a, b);
                self.assembler.logic(Logic::Xor, to, part, c);
            }
            // ((a ^ c) & (b ^ c)) ^ c, and the same with `!a`.
            Operation::Carry | Operation::Borrow => {
                self.logic(Logic::Xor, part, a, c);
                self.logic(Logic::Xor, other, b, c);
                let borrows = gate.operation == Operation::Borrow;
                let logic = if borrows { Logic::NotAnd } else { Logic::And };
                self.assembler.logic(logic, part, part, Operand::Register(other));
                self.assembler.logic(Logic::Xor, to, part, c);
            }
            Operation::Table(_) => return None,
        }
        Some(to)
    }

    /// `to = a op b`, for operands in registers or memory.
    fn logic(&mut self, logic: Logic, to: Register, a: Operand, b: Operand) {
        match (a, b) {
            (Operand::Register(a), b) => self.assembler.logic(logic, to, a, b),
            (memory, Operand::Register(b)) if logic != Logic::NotAnd => {
                self.assembler.logic(logic, to, b, memory);
            }
            (memory, b) => {
                self.assembler.load(SCRATCH_2, memory);
                self.assembler.logic(logic, to, SCRATCH_2, b);
            }
        }
    }
}

/// The other two rows.
fn others(rows: [u32; 3], one: u32) -> [u32; 2] {
    match rows {
        [a, b, c] if a == one => [b, c],
        [a, b, c] if b == one => [a, c],
        [a, b, _] => [a, b],
    }
}

/// The truth table of a gate over these rows, which include all its inputs: bit `4a + 2b + c` is
/// its result for `a`, `b` and `c`.
fn table(gate: &Gate, rows: [u32; 3]) -> u8 {
    // The tables of the three inputs themselves.
    const PLAIN: [u8; 3] = [0b1111_0000, 0b1100_1100, 0b1010_1010];
    let read = |row: u32| {
        let at = rows.iter().position(|&other| other == row).unwrap_or(0);
        u64::from(PLAIN[at])
    };
    // Gates of two inputs ignore the third.
    gate.operation.apply(read(gate.a), read(gate.b), read(gate.c)) as u8
}
