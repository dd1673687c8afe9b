//! Encodings of the instructions that tapes need.

/// A vector register, by number.
pub(super) type Register = u8;

/// The last operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operand {
    Register(Register),
    /// An offset from the base in bytes.
    Memory(i32),
}

/// A two-input operation with its own instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Logic {
    /// `a & b`
    And = 0xdb,
    /// `!a & b`
    NotAnd = 0xdf,
    /// `a | b`
    Or = 0xeb,
    /// `a ^ b`
    Xor = 0xef,
}

/// `vmovdqa` and `vmovdqa64`: to a register, and to memory.
const LOAD: u8 = 0x6f;
const STORE: u8 = 0x7f;
/// `vpternlogq` and `vpcmpeqd`.
const TERNARY: u8 = 0x25;
const EQUAL: u8 = 0x76;

/// Opcode maps.
const MAP_0F: u8 = 1;
const MAP_0F3A: u8 = 3;

/// `rdi`, the first argument of a function by the System V convention.
const BASE: u8 = 7;

/// The size of registers, and how instructions name them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Size {
    /// 128 bits, with the VEX prefix of AVX2.
    Xmm,
    /// 256 bits, with the VEX prefix of AVX2.
    Ymm,
    /// 128 bits, with the EVEX prefix of AVX-512: more registers and more instructions.
    XmmEvex,
    /// 256 bits, with the EVEX prefix of AVX-512.
    YmmEvex,
    /// 512 bits, with the EVEX prefix of AVX-512.
    Zmm,
}

impl Size {
    /// The bytes of a register.
    pub(super) fn bytes(self) -> u8 {
        match self {
            Size::Xmm | Size::XmmEvex => 16,
            Size::Ymm | Size::YmmEvex => 32,
            Size::Zmm => 64,
        }
    }

    /// Whether there are 32 registers, and an instruction for every function of three inputs.
    pub(super) fn has_tables(self) -> bool {
        matches!(self, Size::XmmEvex | Size::YmmEvex | Size::Zmm)
    }
}

/// Instructions as bytes.
#[derive(Debug)]
pub(super) struct Assembler {
    pub(super) size: Size,
    pub(super) bytes: Vec<u8>,
}

impl Assembler {
    pub(super) fn new(size: Size) -> Self {
        Self { size, bytes: Vec::new() }
    }

    /// Copies a register, or loads one from memory.
    pub(super) fn load(&mut self, to: Register, from: Operand) {
        self.instruction(MAP_0F, LOAD, to, 0, from);
    }

    /// Stores a register.
    pub(super) fn store(&mut self, from: Register, to: i32) {
        self.instruction(MAP_0F, STORE, from, 0, Operand::Memory(to));
    }

    /// `to = a op b`
    pub(super) fn logic(&mut self, logic: Logic, to: Register, a: Register, b: Operand) {
        self.instruction(MAP_0F, logic as u8, to, a, b);
    }

    /// `vpternlogq`: `to = table[4 to + 2 a + b]`, bit by bit. Only for AVX-512.
    pub(super) fn ternary(&mut self, table: u8, to: Register, a: Register, b: Operand) {
        debug_assert!(self.size.has_tables(), "AVX2 has no such instruction");
        self.instruction(MAP_0F3A, TERNARY, to, a, b);
        self.bytes.push(table);
    }

    /// Sets all bits of a register, by comparing it with itself. Only for AVX2.
    pub(super) fn ones(&mut self, to: Register) {
        debug_assert!(!self.size.has_tables(), "AVX-512 compares into masks");
        self.instruction(MAP_0F, EQUAL, to, to, Operand::Register(to));
    }

    /// Returns to the caller, with the upper parts of registers cleared as other code expects.
    pub(super) fn finish(&mut self) {
        if self.size.bytes() > 16 {
            self.bytes.extend([0xc5, 0xf8, 0x77]);
        }
        self.bytes.push(0xc3);
    }

    /// An instruction with the prefix 66: `reg` is its register operand, `second` the one in the
    /// prefix (0 if there is none), `last` the operand in the `ModRM` byte.
    fn instruction(&mut self, map: u8, code: u8, reg: Register, second: Register, last: Operand) {
        if self.size.has_tables() {
            self.evex(map, code, reg, second, last);
        } else {
            self.vex(map, code, reg, second, last);
        }
    }

    fn vex(&mut self, map: u8, code: u8, reg: Register, second: Register, last: Operand) {
        let far = matches!(last, Operand::Register(register) if register >= 8);
        // The size, and the prefix 66; registers are inverted.
        let wide = u8::from(self.size == Size::Ymm) << 2;
        let rest = (!second & 15) << 3 | wide | 0b01;
        let high = u8::from(reg < 8) << 7;
        if far || map != MAP_0F {
            self.bytes.extend([0xc4, high | 0x40 | u8::from(!far) << 5 | map, rest]);
        } else {
            self.bytes.extend([0xc5, high | rest]);
        }
        self.bytes.push(code);
        self.modrm(reg, last, 1);
    }

    fn evex(&mut self, map: u8, code: u8, reg: Register, second: Register, last: Operand) {
        // Bit `at` of a register, inverted, moved to `to`.
        let not = |register: u8, at: u8, to: u8| (!register >> at & 1) << to;
        let other = match last {
            Operand::Register(register) => register,
            Operand::Memory(_) => BASE,
        };
        self.bytes.extend([
            0x62,
            not(reg, 3, 7) | not(other, 4, 6) | not(other, 3, 5) | not(reg, 4, 4) | map,
            // Words of 64 bits, and the prefix 66.
            0x80 | (!second & 15) << 3 | 0b100 | 0b01,
            // The size of registers, no mask.
            (self.size.bytes() / 32) << 5 | not(second, 4, 3),
            code,
        ]);
        self.modrm(reg, last, self.size.bytes().into());
    }

    /// The operands; a displacement that is a small multiple of `unit` takes one byte.
    fn modrm(&mut self, reg: Register, last: Operand, unit: i32) {
        let reg = (reg & 7) << 3;
        match last {
            Operand::Register(register) => self.bytes.push(0xc0 | reg | register & 7),
            Operand::Memory(0) => self.bytes.push(reg | BASE),
            Operand::Memory(at) => {
                if at % unit == 0
                    && let Ok(small) = i8::try_from(at / unit)
                {
                    self.bytes.extend([0x40 | reg | BASE, small as u8]);
                } else {
                    self.bytes.push(0x80 | reg | BASE);
                    self.bytes.extend(at.to_le_bytes());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Operand::{Memory, Register};

    fn check(size: Size, write: impl Fn(&mut Assembler), expected: &str) {
        let mut assembler = Assembler::new(size);
        write(&mut assembler);
        let text: Vec<String> = assembler.bytes.iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(text.join(" "), expected);
    }

    /// The bytes of the GNU assembler.
    #[test]
    fn instructions_agree_with_another_assembler() {
        // vmovdqa64 (%rdi),%zmm0
        check(Size::Zmm, |a| a.load(0, Memory(0)), "62 f1 fd 48 6f 07");
        // vmovdqa64 0x40(%rdi),%zmm9
        check(Size::Zmm, |a| a.load(9, Memory(64)), "62 71 fd 48 6f 4f 01");
        // vmovdqa64 -0x2000(%rdi),%zmm31
        check(Size::Zmm, |a| a.load(31, Memory(-8192)), "62 61 fd 48 6f 7f 80");
        // vmovdqa64 0x2000(%rdi),%zmm17
        check(Size::Zmm, |a| a.load(17, Memory(8192)), "62 e1 fd 48 6f 8f 00 20 00 00");
        // vmovdqa64 %zmm31,%zmm5
        check(Size::Zmm, |a| a.load(5, Register(31)), "62 91 fd 48 6f ef");
        // vmovdqa64 %zmm5,%zmm20
        check(Size::Zmm, |a| a.load(20, Register(5)), "62 e1 fd 48 6f e5");
        // vmovdqa64 %zmm12,0x1fc0(%rdi)
        check(Size::Zmm, |a| a.store(12, 8128), "62 71 fd 48 7f 67 7f");
        // vmovdqa64 %zmm12,0x10000(%rdi)
        check(Size::Zmm, |a| a.store(12, 65536), "62 71 fd 48 7f a7 00 00 01 00");
        // vpandq %zmm3,%zmm2,%zmm1
        check(Size::Zmm, |a| a.logic(Logic::And, 1, 2, Register(3)), "62 f1 ed 48 db cb");
        // vpandnq %zmm30,%zmm20,%zmm10
        check(Size::Zmm, |a| a.logic(Logic::NotAnd, 10, 20, Register(30)), "62 11 dd 40 df d6");
        // vporq  0x80(%rdi),%zmm29,%zmm8
        check(Size::Zmm, |a| a.logic(Logic::Or, 8, 29, Memory(128)), "62 71 95 40 eb 47 02");
        // vpxorq %zmm15,%zmm7,%zmm23
        check(Size::Zmm, |a| a.logic(Logic::Xor, 23, 7, Register(15)), "62 c1 c5 48 ef ff");
        // vpternlogq $0x96,%zmm3,%zmm2,%zmm1
        check(Size::Zmm, |a| a.ternary(0x96, 1, 2, Register(3)), "62 f3 ed 48 25 cb 96");
        // vpternlogq $0xe8,%zmm28,%zmm19,%zmm14
        check(Size::Zmm, |a| a.ternary(0xe8, 14, 19, Register(28)), "62 13 e5 40 25 f4 e8");
        // vpternlogq $0x1,-0x40(%rdi),%zmm19,%zmm31
        check(Size::Zmm, |a| a.ternary(0x1, 31, 19, Memory(-64)), "62 63 e5 40 25 7f ff 01");
        // vmovdqa64 0x40(%rdi),%ymm9
        check(Size::YmmEvex, |a| a.load(9, Memory(64)), "62 71 fd 28 6f 4f 02");
        // vmovdqa64 0x1000(%rdi),%ymm17
        check(Size::YmmEvex, |a| a.load(17, Memory(4096)), "62 e1 fd 28 6f 8f 00 10 00 00");
        // vmovdqa64 %ymm12,-0x1000(%rdi)
        check(Size::YmmEvex, |a| a.store(12, -4096), "62 71 fd 28 7f 67 80");
        // vpandnq %ymm30,%ymm20,%ymm10
        check(Size::YmmEvex, |a| a.logic(Logic::NotAnd, 10, 20, Register(30)), "62 11 dd 20 df d6");
        // vpternlogq $0xe8,%ymm28,%ymm19,%ymm14
        check(Size::YmmEvex, |a| a.ternary(0xe8, 14, 19, Register(28)), "62 13 e5 20 25 f4 e8");
        // vmovdqa (%rdi),%ymm0
        check(Size::Ymm, |a| a.load(0, Memory(0)), "c5 fd 6f 07");
        // vmovdqa 0x40(%rdi),%ymm9
        check(Size::Ymm, |a| a.load(9, Memory(64)), "c5 7d 6f 4f 40");
        // vmovdqa 0x1000(%rdi),%ymm15
        check(Size::Ymm, |a| a.load(15, Memory(4096)), "c5 7d 6f bf 00 10 00 00");
        // vmovdqa %ymm3,%ymm12
        check(Size::Ymm, |a| a.load(12, Register(3)), "c5 7d 6f e3");
        // vmovdqa %ymm12,-0x80(%rdi)
        check(Size::Ymm, |a| a.store(12, -128), "c5 7d 7f 67 80");
        // vpand  %ymm3,%ymm2,%ymm1
        check(Size::Ymm, |a| a.logic(Logic::And, 1, 2, Register(3)), "c5 ed db cb");
        // vpandn %ymm13,%ymm2,%ymm10
        check(Size::Ymm, |a| a.logic(Logic::NotAnd, 10, 2, Register(13)), "c4 41 6d df d5");
        // vpor   0x80(%rdi),%ymm9,%ymm8
        check(Size::Ymm, |a| a.logic(Logic::Or, 8, 9, Memory(128)), "c5 35 eb 87 80 00 00 00");
        // vpxor  %ymm15,%ymm7,%ymm1
        check(Size::Ymm, |a| a.logic(Logic::Xor, 1, 7, Register(15)), "c4 c1 45 ef cf");
        // vpcmpeqd %ymm13,%ymm13,%ymm13
        check(Size::Ymm, |a| a.ones(13), "c4 41 15 76 ed");
        // vmovdqa 0x40(%rdi),%xmm9
        check(Size::Xmm, |a| a.load(9, Memory(64)), "c5 79 6f 4f 40");
        // vpandn %xmm13,%xmm2,%xmm10
        check(Size::Xmm, |a| a.logic(Logic::NotAnd, 10, 2, Register(13)), "c4 41 69 df d5");
        // vmovdqa64 0x40(%rdi),%xmm25
        check(Size::XmmEvex, |a| a.load(25, Memory(64)), "62 61 fd 08 6f 4f 04");
        // vpternlogq $0xe8,%xmm28,%xmm19,%xmm14
        check(Size::XmmEvex, |a| a.ternary(0xe8, 14, 19, Register(28)), "62 13 e5 00 25 f4 e8");
        // vzeroupper; ret
        check(Size::Ymm, Assembler::finish, "c5 f8 77 c3");
        // ret
        check(Size::XmmEvex, Assembler::finish, "c3");
    }
}
