"""Random programs for comparing two simulators, from an explicit seed.

Every active hart runs its own body: a counted loop of random scalar code, transfers and vector
instructions with wrong operands here and there, software interrupts, reads and writes of the
counters. At the end it stores registers, counters and scratchpads in the data RAM, so that the
memory checksum covers them. Cases that the rules leave open are not generated.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from tests.exactness import _assembler as asm
from tests.exactness._elf_writer import write_elf

_SHARED = asm.DATA_BASE
_PRIVATE_BYTES = 0x2000  # per hart: 2 KiB of data, scratchpads from 0x1000, registers from 0x1800
_DATA_BYTES, _SPM_DUMP, _REGISTER_DUMP = 0x800, 0x1000, 0x1800
_SPM_USED_BYTES = 512
_START_FLAGS, _END_FLAGS = 0x400, 0x440
_VALUES = range(1, 16)  # registers that hold random data
_IRQ_COUNT, _RD, _RS1, _RS2 = 22, 16, 17, 18
_BASE, _SHARED_BASE, _H0, _H1, _LOOP, _T, _U = 24, 25, 26, 27, 28, 29, 30

_REGISTER_RS2 = {"ksvaddrf", "ksvmulrf", "ksrav", "ksrlv", "ksvslt"}
_SCALAR_RS2 = {"ksvaddsc", "ksvmulsc"}
_SWI = 0xFF00


@dataclass(frozen=True, kw_only=True)
class RandomCase:
    """A program and the hardware it runs on."""

    elf: bytes
    configuration: dict[str, Any]


def random_case(seed: int) -> RandomCase:
    """Return the case of a seed; the same bytes every time."""
    rng = random.Random(seed)
    harts = rng.choice([3, 3, 3, 4, 5])
    configuration: dict[str, Any] = {
        "simd": rng.choice([1, 2, 4, 8]),
        "sharing": rng.choice(["shared", "replicated", "multithreaded"]),
        "superscalar": rng.random() < 0.75,
        "harts": harts,
        "spm_size_bytes": rng.choice([1024, 4096]),
        "count_all": rng.random() < 0.5,
    }
    builder = _Builder(rng, configuration, active=rng.randint(1, harts))
    return RandomCase(elf=builder.build(), configuration=configuration)


class _Builder:
    def __init__(self, rng: random.Random, configuration: dict[str, Any], *, active: int) -> None:
        self.rng, self.active = rng, active
        self.harts = configuration["harts"]
        self.shared_vcu = configuration["sharing"] == "shared"
        self.spm_size = configuration["spm_size_bytes"]
        self.interrupts = rng.random() < 0.5
        # A shared accelerator needs all harts on the same side of the 8-bit border.
        if self.shared_vcu:
            self.mvtypes = rng.choice([[0], [1, 2]])
        else:
            self.mvtypes = [0, 1, 2]
        self.a = asm.Assembler()

    def build(self) -> bytes:
        a = self.a
        registers = asm.Registers((_T, _U), (_H0, _H1), _IRQ_COUNT)
        asm.start_harts(a, registers, lambda: list(map(self._body, range(self.active))))
        data = self.rng.randbytes(0x400) + bytes(0x80)
        private = [
            (_SHARED + _PRIVATE_BYTES * (hart + 1), self.rng.randbytes(_DATA_BYTES))
            for hart in range(self.harts)
        ]
        return write_elf([(a.base, a.code()), (_SHARED, data), *private])

    # -- one hart --------------------------------------------------------------------------------

    def _body(self, hart: int) -> int:
        a, rng = self.a, self.rng
        entry = a.here
        a.li(_SHARED_BASE, _SHARED)
        a.li(_BASE, _SHARED + _PRIVATE_BYTES * (hart + 1))
        a.li(_T, rng.choice([0x3FF, 3]))
        a.csrrw(0, asm.PCER, _T)
        for register in _VALUES:
            a.li(register, rng.getrandbits(32))
        a.csrrwi(0, asm.MVTYPE, rng.choice(self.mvtypes))
        a.addi(_RS2, 0, _SPM_USED_BYTES)
        for spm in range(4):
            a.li(_RD, asm.SPM_BASE + spm * self.spm_size)
            a.addi(_RS1, _BASE, 4 * rng.randrange(32))
            a.kmem("kmemld", _RD, _RS1, _RS2)
        self._meet(hart, _START_FLAGS)
        if self.interrupts and rng.random() < 0.8:
            a.i(0x73, 6, 1, 8, asm.MSTATUS)  # csrrsi: MIE on
        a.addi(_LOOP, 0, rng.randint(1, 3))
        loop = a.here
        for _ in range(rng.randint(20, 90)):
            self._instruction()
        a.addi(_LOOP, _LOOP, -1)
        a.branch(0, _LOOP, 0, a.here + 8)
        a.jal(0, loop)
        self._dump(hart)
        return entry

    def _meet(self, hart: int, flags: int) -> None:
        """Wait until every active hart is here."""
        a = self.a
        a.addi(_T, 0, 1)
        a.sw(_T, flags + 4 * hart, _SHARED_BASE)
        for other in range(self.active):
            poll = a.lw(_T, flags + 4 * other, _SHARED_BASE)
            a.branch(0, _T, 0, poll)

    def _dump(self, hart: int) -> None:
        a = self.a
        a.csrrwi(0, asm.MSTATUS, 0)
        a.li(_U, _REGISTER_DUMP)
        a.s(2, _IRQ_COUNT, _BASE, 0x7FC)
        a.r(0x33, 0, 0, (_T, _BASE, _U))
        for register in _VALUES:
            a.sw(register, 4 * register, _T)
        for slot, csr in enumerate(
            (asm.MCYCLE, asm.MINSTRET, asm.MEPC, asm.MCAUSE, asm.MIP, asm.MVSIZE, asm.MVTYPE)
        ):
            a.csrr(_U, csr)
            a.sw(_U, 0x80 + 4 * slot, _T)
        a.addi(_RS2, 0, _SPM_USED_BYTES)
        a.li(_U, _SPM_DUMP)
        a.r(0x33, 0, 0, (_RD, _BASE, _U))
        for spm in range(4):
            a.li(_RS1, asm.SPM_BASE + spm * self.spm_size)
            a.kmem("kmemstr", _RD, _RS1, _RS2)
            a.addi(_RD, _RD, _SPM_USED_BYTES)
        self._meet(hart, _END_FLAGS)
        if hart == 0:
            asm.exit_with(a, self.rng.getrandbits(32))
        else:
            a.jal(0, a.here)

    def _instruction(self) -> None:
        kinds = {
            self._alu: 30, self._muldiv: 6, self._memory: 16, self._amoswap: 4, self._branch: 8,
            self._vector: 16, self._transfer: 8, self._setting: 8, self._counter: 4,
            self._trap: 3, self._interrupt: 5 if self.interrupts else 0,
        }  # fmt: skip
        self.rng.choices(list(kinds), list(kinds.values()))[0]()

    def _value(self) -> int:
        return self.rng.choice(_VALUES)

    def _alu(self) -> None:
        rng, a = self.rng, self.a
        rd = rng.choice([0, *_VALUES])
        if rng.random() < 0.5:
            funct3 = rng.randrange(8)
            funct7 = rng.choice([0, 0x20]) if funct3 in {0, 5} else 0
            a.r(0x33, funct3, funct7, (rd, self._value(), self._value()))
        else:
            funct3 = rng.randrange(8)
            imm = rng.getrandbits(12)
            if funct3 in {1, 5}:
                imm = imm & 31 | (rng.choice([0, 0x400]) if funct3 == 5 else 0)
            a.i(0x13, funct3, rd, self._value(), imm)

    def _muldiv(self) -> None:
        name = self.rng.choice(list(asm.MULDIV_FUNCT3))
        self.a.muldiv(name, self._value(), self._value(), self._value())

    def _memory(self) -> None:
        rng, a = self.rng, self.a
        base = rng.choice([_BASE, _BASE, _SHARED_BASE])
        limit = 0x7F0 if base == _BASE else 0x3F0
        size = rng.choice([0, 1, 2])
        offset = rng.randrange(0, limit, 1 << size)
        # A misaligned store in the way of an interrupt is not decided by the rules.
        wrong = rng.random() < 0.04
        if rng.random() < 0.5:
            offset += int(wrong and size > 0)
            funct3 = size | (4 if size < 2 and rng.random() < 0.5 else 0)
            a.i(0x03, funct3, rng.choice([0, *_VALUES]), base, offset)
        else:
            offset += int(wrong and size > 0 and not self.interrupts)
            a.s(size, self._value(), base, offset)

    def _amoswap(self) -> None:
        rng, a = self.rng, self.a
        a.addi(_T, rng.choice([_BASE, _SHARED_BASE]), rng.randrange(0, 0x100, 4))
        if rng.random() < 0.1:
            a.addi(_T, _T, rng.choice([1, 2, 3]))
        a.amoswap(rng.choice([0, *_VALUES]), self._value(), _T)

    def _branch(self) -> None:
        """Skip a few instructions, or not."""
        rng, a = self.rng, self.a
        skipped = rng.randint(1, 3)
        target = a.here + 4 * (skipped + 1)
        match rng.randrange(3):
            case 0:
                a.jal(rng.choice([0, *_VALUES]), target)
            case 1:
                a.word(_T << 7 | 0x17)  # auipc with 0
                a.jalr(rng.choice([0, *_VALUES]), _T, 8 + 4 * skipped)
            case _:
                funct3 = rng.choice([0, 1, 4, 5, 6, 7])
                a.branch(funct3, self._value(), self._value(), target)
        for _ in range(skipped):
            self._alu()

    def _setting(self) -> None:
        """Change vector length, width or the dot product's shift."""
        rng, a = self.rng, self.a
        match rng.randrange(4):
            case 0:
                a.csrrwi(0, asm.MVTYPE, rng.choice(self.mvtypes))
            case 1:
                a.csrrwi(0, asm.MPSCLFAC, rng.randrange(32))
            case _:
                size = rng.choice([0, 4, 8, 12, 16, 20, 64, 100, 128, 256])
                a.addi(_T, 0, size + rng.choice([0] * 12 + [1, 2]))
                a.csrrw(rng.choice([0, *_VALUES]), asm.MVSIZE, _T)

    def _counter(self) -> None:
        rng, a = self.rng, self.a
        csr = rng.choice([asm.MCYCLE, asm.MINSTRET])
        rd = self._value()
        if rng.random() < 0.8:
            a.csrr(rd, csr)
        else:
            a.csrrw(rng.choice([0, rd]), csr, self._value())

    def _trap(self) -> None:
        rng, a = self.rng, self.a
        match rng.randrange(4):
            case 0:
                a.ecall()
            case 1:
                a.word(0)
            case 2:
                a.csrrw(self._value(), asm.MHARTID, self._value())
            case _:
                a.li(_T, 0xDEAD_0000 + 4 * rng.randrange(16))
                a.lw(self._value(), 0, _T)

    def _interrupt(self) -> None:
        rng, a = self.rng, self.a
        a.addi(_U, 0, rng.choice([8, 8, 8, 0, 0xF]))
        index = rng.randrange(self.harts)  # parked harts too
        if rng.random() < 0.1:
            index = rng.randrange(5, 16)  # no such hart: the last target stays
        # Bits 4:0 of the offset name a register that the store overwrites.
        offset = 32 * rng.randrange(-64, 64) + rng.choice([0, *_VALUES])
        a.li(_T, _SWI + 4 * index - offset)
        a.sw(_U, offset, _T)

    # -- vector instructions and transfers ---------------------------------------------------------

    def _place(self, register: int, spm: int) -> None:
        """Put an address in a scratchpad, near its start, in a register."""
        offset = 4 * self.rng.randrange(_SPM_USED_BYTES // 8)
        if self.rng.random() < 0.02:
            offset = self.spm_size - 4 * self.rng.randint(1, 8)
        self.a.li(register, asm.SPM_BASE + spm * self.spm_size + offset)

    def _vector(self) -> None:
        rng, a = self.rng, self.a
        name = rng.choice(list(asm.KDSP_FUNCT7))
        first, second = rng.sample(range(4), 2)
        if rng.random() < (0.2 if name in _SCALAR_RS2 else 0.03):
            second = first
        self._place(_RD, rng.randrange(4))
        self._place(_RS1, first)
        self._place(_RS2, second)
        if rng.random() < 0.03:
            a.addi(rng.choice([_RD, _RS1]), _BASE, 0)  # no scratchpad address
        if rng.random() < 0.3:  # right after a transfer on a scratchpad it may use
            a.addi(_T, 0, rng.choice([4, 16, 64, 256]))
            a.addi(_U, _BASE, 0)
            a.kmem("kmemld", rng.choice([_RD, _RS1, _RS2]), _U, _T)
        rs1 = self._value() if name == "kbcast" else _RS1
        rs2 = self._value() if name in _REGISTER_RS2 else _RS2
        a.kdsp(name, _RD, rs1, rs2)
        for _ in range(rng.choice([0, 0, 0, 1, 2])):  # right behind: it finds the unit busy
            a.kdsp(name, _RD, rs1, rs2)

    def _transfer(self) -> None:
        rng, a = self.rng, self.a
        names = ["kmemld", "kmemld", "kmemstr"]
        name = rng.choice([*names, "kbcastld"] if self.shared_vcu else names)
        self._place(_RS1, rng.randrange(4))
        a.addi(_RD, _BASE, 4 * rng.randrange(64))
        if rng.random() < 0.04:
            a.addi(rng.choice([_RD, _RS1]), _BASE, 2)
        size = rng.choice([0, 4, 8, 32, 64, 128, 256])
        size += rng.choice([0, 0, 1, 2, 3]) if size >= 8 else 0
        a.addi(_T, 0, size)
        operands = (_RD, _RS1) if name == "kmemstr" else (_RS1, _RD)
        a.kmem(name, *operands, _T)
