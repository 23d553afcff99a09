"""A very small assembler for measuring programs, independent of the package's own encoder.

A program is a list of words at consecutive addresses. ``here`` is the address of the next word,
so a test can remember where the instruction it measures is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

RESET_PC, TRAP_PC, START_PC = 0x80, 0x94, 0x98
DATA_BASE = 0x0010_0000
SPM_BASE = 0x1000_0000
EXIT, PRINT = 0x1A10_FFF0, 0x1A10_FFF4

MSTATUS, MTVEC, MEPC, MCAUSE, MIP, PCER = 0x300, 0x305, 0x341, 0x342, 0x344, 0x7A0
MVSIZE, MVTYPE, MPSCLFAC, MHARTID = 0xBF0, 0xBF8, 0xBE0, 0xF14
MCYCLE, MINSTRET = 0xB00, 0xB02

KDSP_FUNCT7 = {
    "kaddv": 1, "ksubv": 2, "kvmul": 4, "kvred": 6, "kdotp": 8, "ksvaddsc": 12, "ksvaddrf": 13,
    "ksvmulsc": 14, "ksvmulrf": 15, "ksrav": 16, "ksrlv": 17, "krelu": 24, "kdotpps": 25,
    "kvslt": 26, "ksvslt": 28, "kbcast": 30, "kvcp": 31,
}  # fmt: skip
KMEM_FUNCT7 = {"kmemld": 0, "kmemstr": 1, "kbcastld": 2}
MULDIV_FUNCT3 = {
    "mul": 0, "mulh": 1, "mulhsu": 2, "mulhu": 3, "div": 4, "divu": 5, "rem": 6, "remu": 7,
}  # fmt: skip

X0, RA, T0, T1, T2 = 0, 1, 5, 6, 7
S0, S1, A0, A1, A2, A3 = 8, 9, 10, 11, 12, 13
S2, S3, S4, S5, S6 = 18, 19, 20, 21, 22
T3, T4, T5, T6 = 28, 29, 30, 31


class Assembler:
    def __init__(self, base: int = RESET_PC) -> None:
        self.base = base
        self.words: list[int] = []

    @property
    def here(self) -> int:
        return self.base + 4 * len(self.words)

    def word(self, word: int) -> int:
        """Place a word and return its address."""
        address = self.here
        self.words.append(word & 0xFFFF_FFFF)
        return address

    def code(self) -> bytes:
        return b"".join(word.to_bytes(4, "little") for word in self.words)

    # -- formats ---------------------------------------------------------------------------------

    def r(self, opcode: int, funct3: int, funct7: int, registers: tuple[int, int, int]) -> int:
        """Place an R-type word; the registers are rd, rs1 and rs2."""
        rd, rs1, rs2 = registers
        return self.word(funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode)

    def i(self, opcode: int, funct3: int, rd: int, rs1: int, imm: int) -> int:
        return self.word((imm & 0xFFF) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode)

    def s(self, funct3: int, rs2: int, rs1: int, imm: int) -> int:
        high, low = imm >> 5 & 0x7F, imm & 0x1F
        return self.word(high << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | low << 7 | 0x23)

    def branch(self, funct3: int, rs1: int, rs2: int, target: int) -> int:
        off = target - self.here
        high = (off >> 12 & 1) << 6 | off >> 5 & 0x3F
        low = (off >> 1 & 0xF) << 1 | off >> 11 & 1
        return self.word(high << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | low << 7 | 0x63)

    def jal(self, rd: int, target: int) -> int:
        off = target - self.here
        imm = (off >> 20 & 1) << 19 | (off >> 1 & 0x3FF) << 9 | (off >> 11 & 1) << 8
        return self.word((imm | off >> 12 & 0xFF) << 12 | rd << 7 | 0x6F)

    # -- instructions ----------------------------------------------------------------------------

    def nop(self) -> int:
        return self.addi(0, 0, 0)

    def addi(self, rd: int, rs1: int, imm: int) -> int:
        return self.i(0x13, 0, rd, rs1, imm)

    def li(self, rd: int, value: int) -> None:
        low = ((value & 0xFFF) ^ 0x800) - 0x800
        high = (value - low) >> 12 & 0xFFFFF
        if high:
            self.word(high << 12 | rd << 7 | 0x37)
        if low or not high:
            self.addi(rd, rd if high else 0, low)

    def lw(self, rd: int, imm: int, rs1: int) -> int:
        return self.i(0x03, 2, rd, rs1, imm)

    def sw(self, rs2: int, imm: int, rs1: int) -> int:
        return self.s(2, rs2, rs1, imm)

    def jalr(self, rd: int, rs1: int, imm: int = 0) -> int:
        return self.i(0x67, 0, rd, rs1, imm)

    def amoswap(self, rd: int, rs2: int, rs1: int) -> int:
        return self.r(0x2F, 2, 0x04, (rd, rs1, rs2))

    def muldiv(self, name: str, rd: int, rs1: int, rs2: int) -> int:
        return self.r(0x33, MULDIV_FUNCT3[name], 1, (rd, rs1, rs2))

    def csrrw(self, rd: int, csr: int, rs1: int) -> int:
        return self.i(0x73, 1, rd, rs1, csr)

    def csrrs(self, rd: int, csr: int, rs1: int) -> int:
        return self.i(0x73, 2, rd, rs1, csr)

    def csrrwi(self, rd: int, csr: int, value: int) -> int:
        return self.i(0x73, 5, rd, value, csr)

    def csrr(self, rd: int, csr: int) -> int:
        return self.csrrs(rd, csr, 0)

    def ecall(self) -> int:
        return self.word(0x0000_0073)

    def mret(self) -> int:
        return self.word(0x3020_0073)

    def wfi(self) -> int:
        return self.word(0x1050_0073)

    def kdsp(self, name: str, rd: int, rs1: int, rs2: int) -> int:
        return self.r(0x2B, 2, KDSP_FUNCT7[name], (rd, rs1, rs2))

    def kmem(self, name: str, rd: int, rs1: int, rs2: int) -> int:
        return self.r(0x0B, 0, KMEM_FUNCT7[name], (rd, rs1, rs2))

    def kmem_nothing(self) -> int:
        """A transfer of 0 bytes: waits for the LSU and the hart's VCU, and does nothing."""
        return self.kmem("kmemld", 0, 0, 0)


def start_single_hart(trap_exit_code: int = 0xDEAD) -> Assembler:
    """Begin a program in which hart 0 continues at the present end and the others park.

    An unexpected trap ends the run with ``trap_exit_code``.
    """
    a = Assembler()
    a.jal(X0, START_PC)
    while a.here < TRAP_PC:
        a.nop()
    trap_jump = a.word(0)
    park = a.here
    a.addi(T0, X0, 8)
    a.csrrw(X0, MSTATUS, T0)
    spin = a.wfi()
    a.jal(X0, spin)
    trap = a.here
    a.li(T0, EXIT)
    a.li(T1, trap_exit_code)
    a.sw(T1, 0, T0)
    start = a.here
    a.csrr(T0, MHARTID)
    a.branch(1, T0, X0, park)
    patch_jump(a, RESET_PC, start)
    patch_jump(a, trap_jump, trap)
    return a


@dataclass(frozen=True)
class Registers:
    """What :func:`start_harts` and its trap handler use: two each, and a count of interrupts."""

    start: tuple[int, int]
    handler: tuple[int, int]
    interrupts: int


def start_harts(
    a: Assembler, registers: Registers, bodies: Callable[[], list[int]], *, mtvec: bool = False
) -> None:
    """A program in which the first harts run a body each, and the others park.

    Interrupts are counted; after an exception the program continues with the next instruction.

    Args:
        a: at its beginning.
        registers: that no body writes to.
        bodies: assembles the bodies; returns where each begins.
        mtvec: the handler's address is to be written there.
    """
    a.jal(X0, START_PC)
    while a.here < TRAP_PC:
        a.nop()
    trap_jump, start_jump = a.word(0), a.word(0)
    patch_jump(a, trap_jump, a.here)
    _trap_handler(a, *registers.handler, registers.interrupts)
    entries = bodies()
    t, u = registers.start
    park = a.here
    a.addi(t, X0, 8)
    a.csrrw(X0, MSTATUS, t)
    spin = a.wfi()
    a.jal(X0, spin)
    patch_jump(a, start_jump, a.here)
    if mtvec:
        a.li(t, TRAP_PC)
        a.csrrw(X0, MTVEC, t)
    a.csrr(t, MHARTID)
    for hart, entry in enumerate(entries):
        a.addi(u, X0, hart)
        a.branch(1, t, u, a.here + 8)
        a.jal(X0, entry)
    a.jal(X0, park)


def _trap_handler(a: Assembler, cause: int, pc: int, interrupts: int) -> None:
    a.csrr(cause, MCAUSE)
    to_interrupt = a.word(0)
    a.csrr(pc, MEPC)
    a.addi(pc, pc, 4)
    a.csrrw(X0, MEPC, pc)
    a.mret()
    branch = Assembler(to_interrupt)
    branch.branch(4, cause, X0, a.here)
    a.words[(to_interrupt - a.base) // 4] = branch.words[0]
    a.addi(interrupts, interrupts, 1)
    a.mret()


def patch_jump(a: Assembler, address: int, target: int) -> None:
    """Put a jump at an address that is already placed."""
    jump = Assembler(address)
    jump.jal(X0, target)
    a.words[(address - a.base) // 4] = jump.words[0]


def exit_with(a: Assembler, code: int = 0) -> None:
    a.li(T0, EXIT)
    a.li(T1, code)
    a.sw(T1, 0, T0)
    a.jal(X0, a.here)
