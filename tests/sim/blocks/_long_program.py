"""Long random scalar programs, from an explicit seed: what the second tier of the engine must not
tell apart from the first.

Each hart runs a body of its own many times: counted loops, calls, computed jumps, branches on data,
loads and stores at computed places, of its own and of all harts (so that they race). Now and then
one swaps a word, reads a counter, traps, interrupts another, sleeps until it is interrupted, or
writes over instructions. At the end registers and counters are in the data RAM.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.exactness import _assembler as asm
from tests.exactness._elf_writer import write_elf

_SHARED = asm.DATA_BASE
_PRIVATE_BYTES = 0x1000
_DONE, _DUMP = 0x800, 0xC00
_SWI = 0xFF00
_DIVIDERS = ("early_clz_r2", "early_divisor_only", "klessydra_vl_hp", "unrolled_4")
_VALUES = range(1, 16)
_OWN, _ALL, _OUTER, _INNER, _T, _U, _IRQS, _LINK, _H0, _H1 = 16, 17, 18, 19, 20, 21, 22, 23, 24, 25


@dataclass(frozen=True, kw_only=True)
class LongCase:
    """A program, and the machine that it runs on."""

    elf: bytes
    machine: str
    overrides: tuple[str, ...]


def long_case(
    seed: int, *, turns: int = 1, rewrites: bool = True, dividers: bool = True
) -> LongCase:
    """Return the case of a seed; the same bytes every time.

    Args:
        seed: of everything.
        turns: how many times as often each body runs.
        rewrites: some programs write over their instructions.
        dividers: some machines have another divider than the T13.
    """
    rng = random.Random(seed)
    if rng.random() < 0.15:
        builder = _Builder(rng, harts=1, active=1, t13=False, rewrites=rewrites, turns=turns)
        machine = rng.choice(["rv32im", "ibex-like", "ibex-like-single-cycle"])
        return LongCase(elf=builder.build(), machine=machine, overrides=())
    harts = rng.choice([3, 3, 3, 4, 5])
    active = rng.choice([1, harts, rng.randint(1, harts)])
    overrides = [f"core.harts={harts}", f"core.count_all={str(rng.random() < 0.5).lower()}"]
    if rng.random() < 0.2 and dividers:
        overrides.append(f"core.divider={rng.choice(_DIVIDERS)}")
    builder = _Builder(rng, harts=harts, active=active, t13=True, rewrites=rewrites, turns=turns)
    return LongCase(elf=builder.build(), machine="t13", overrides=tuple(overrides))


class _Builder:
    def __init__(
        self, rng: random.Random, *, harts: int, active: int, t13: bool, rewrites: bool, turns: int
    ) -> None:
        self.rng, self.harts, self.active, self.t13 = rng, harts, active, t13
        self.interrupts = t13 and rng.random() < 0.5
        self.rewrites = rewrites and rng.random() < 0.4
        self.sharing = rng.choice([0.0, 0.02, 0.2, 0.6])  # of the accesses
        self.rare_every = rng.choice([16, 64, 256])
        self.repeats = rng.choice([6000, 12000]) * 3 // active * turns
        self.patches: list[int] = []  # words that may be written over
        self.a = asm.Assembler()

    def build(self) -> bytes:
        a = self.a
        registers = asm.Registers((_T, _U), (_H0, _H1), _IRQS)
        asm.start_harts(
            a, registers, lambda: list(map(self._body, range(self.active))), mtvec=not self.t13
        )
        data = [(_SHARED, self.rng.randbytes(0x800) + bytes(0x80))]
        data += [
            (_SHARED + _PRIVATE_BYTES * (hart + 1), self.rng.randbytes(0x800))
            for hart in range(self.active)
        ]
        return write_elf([(a.base, a.code()), *data])

    # -- one hart --------------------------------------------------------------------------------

    def _body(self, hart: int) -> int:
        a, rng = self.a, self.rng
        leaves = [self._leaf() for _ in range(rng.randint(1, 3))]
        entry = a.here
        a.li(_ALL, _SHARED)
        a.li(_OWN, _SHARED + _PRIVATE_BYTES * (hart + 1))
        if self.t13:
            a.li(_T, 0x3FF)
            a.csrrw(0, asm.PCER, _T)
        for register in _VALUES:
            a.li(register, rng.getrandbits(32))
        if self.interrupts:
            a.i(0x73, 6, 1, 8, asm.MSTATUS)  # csrrsi: MIE on
        a.li(_OUTER, self.repeats + rng.randrange(50))
        outer = a.here
        for _ in range(rng.randint(2, 5)):
            rng.choices(
                [self._straight, self._loop, self._computed_jump, lambda: self._call(leaves)],
                [3, 4, 1, 2],
            )[0]()
        self._rare(hart)
        a.addi(_OUTER, _OUTER, -1)
        a.branch(0, _OUTER, 0, a.here + 8)
        a.jal(0, outer)
        self._end(hart)
        return entry

    def _leaf(self) -> int:
        entry = self.a.here
        for _ in range(self.rng.randint(2, 12)):
            self._plain()
        self.a.jalr(0, _LINK)
        return entry

    def _straight(self) -> None:
        for _ in range(self.rng.randint(3, 30)):
            self._plain()

    def _loop(self) -> None:
        a, rng = self.a, self.rng
        a.addi(_INNER, 0, rng.randint(2, 40))
        start = a.here
        for _ in range(rng.randint(1, 14)):
            self._plain()
        a.addi(_INNER, _INNER, -1)
        a.branch(1, _INNER, 0, start)

    def _call(self, leaves: list[int]) -> None:
        a, leaf = self.a, self.rng.choice(leaves)
        if self.rng.random() < 0.5:
            a.jal(_LINK, leaf)
        else:
            a.li(_T, leaf)
            a.jalr(_LINK, _T)

    def _computed_jump(self) -> None:
        """Into the middle of what looks like a block."""
        a, rng = self.a, self.rng
        a.i(0x13, 7, _U, rng.choice(_VALUES), 0x1C)  # andi: a multiple of 4
        a.word(_T << 7 | 0x17)  # auipc with 0
        a.r(0x33, 0, 0, (_T, _T, _U))
        a.jalr(0, _T, 12)
        for _ in range(8):
            self._alu()

    def _plain(self) -> None:
        self.rng.choices(
            [self._alu, self._muldiv, self._memory, self._branch, self._patchable],
            [20, 3, 10, 5, 1],
        )[0]()

    def _value(self) -> int:
        return self.rng.choice(_VALUES)

    def _alu(self) -> None:
        rng, a = self.rng, self.a
        rd = rng.choice([0, *_VALUES, *_VALUES])
        funct3 = rng.randrange(8)
        if rng.random() < 0.1:
            a.word(rng.getrandbits(20) << 12 | rd << 7 | rng.choice([0x17, 0x37]))
        elif rng.random() < 0.5:
            funct7 = rng.choice([0, 0x20]) if funct3 in {0, 5} else 0
            a.r(0x33, funct3, funct7, (rd, self._value(), self._value()))
        else:
            imm = rng.getrandbits(12)
            if funct3 in {1, 5}:
                imm = imm & 31 | (rng.choice([0, 0x400]) if funct3 == 5 else 0)
            a.i(0x13, funct3, rd, self._value(), imm)

    def _patchable(self) -> None:
        self.patches.append(self.a.addi(self._value(), self._value(), self.rng.randrange(99)))

    def _muldiv(self) -> None:
        name = self.rng.choice(list(asm.MULDIV_FUNCT3))
        self.a.muldiv(name, self._value(), self._value(), self._value())

    def _memory(self) -> None:
        """At a place that data decide, of the hart's own or of all."""
        rng, a = self.rng, self.a
        size = rng.choice([0, 1, 2, 2])
        base = _ALL if rng.random() < self.sharing else _OWN
        if rng.random() < 0.5:
            mask = 0x7FF & -(1 << size) & rng.choice([0x7FF, 0x3C, 0x7C0])
            a.i(0x13, 7, _T, self._value(), mask)  # andi
            a.r(0x33, 0, 0, (_T, _T, base))
            base, offset = _T, 0
        else:
            offset = rng.randrange(0, 0x100, 1 << size)
        if rng.random() < 0.55:
            unsigned = 4 if size < 2 and rng.random() < 0.5 else 0
            a.i(0x03, size | unsigned, rng.choice([0, *_VALUES, *_VALUES]), base, offset)
        else:
            a.s(size, self._value(), base, offset)

    def _branch(self) -> None:
        rng, a = self.rng, self.a
        skipped = rng.randint(1, 4)
        funct3 = rng.choice([0, 1, 4, 5, 6, 7])
        a.branch(funct3, self._value(), self._value(), a.here + 4 * (skipped + 1))
        for _ in range(skipped):
            self._alu()

    # -- now and then ------------------------------------------------------------------------------

    def _rare(self, hart: int) -> None:
        """Some of the following, in one of so many rounds."""
        a, rng = self.a, self.rng
        for _ in range(rng.randint(0, 3)):
            a.i(0x13, 7, _T, _OUTER, self.rare_every - 1)
            skip = a.word(0)
            kinds = [self._swap, self._counter, self._trap]
            if self.interrupts:
                kinds += [lambda: self._interrupt(rng.randrange(self.harts))] * 2
                if hart:
                    kinds += [self._sleep]
            if self.rewrites and self.patches:
                kinds += [self._rewrite] * 2
            for _ in range(rng.randint(1, 3)):
                rng.choice(kinds)()
            branch = asm.Assembler(skip)
            branch.branch(1, _T, 0, a.here)
            a.words[(skip - a.base) // 4] = branch.words[0]
        if self.interrupts and hart == 0:
            for other in range(1, self.active):  # who sleeps
                self._interrupt(other)

    def _swap(self) -> None:
        a, rng = self.a, self.rng
        if not self.t13:
            return
        a.addi(_T, rng.choice([_OWN, _ALL]), rng.randrange(0, 0x100, 4))
        a.amoswap(rng.choice([0, *_VALUES]), self._value(), _T)

    def _counter(self) -> None:
        csr = self.rng.choice([asm.MCYCLE, asm.MINSTRET])
        if self.rng.random() < 0.8:
            self.a.csrr(self._value(), csr)
        else:
            self.a.csrrw(self._value(), csr, self._value())

    def _trap(self) -> None:
        rng, a = self.rng, self.a
        match rng.randrange(3):
            case 0:
                a.ecall()
            case 1:
                a.word(0)
            case _:
                if self.t13:
                    a.lw(self._value(), rng.choice([1, 2, 3]), _OWN)

    def _interrupt(self, index: int) -> None:
        a = self.a
        a.addi(_U, 0, 8)
        a.li(_T, _SWI + 4 * index)
        a.sw(_U, 0, _T)

    def _sleep(self) -> None:
        self.a.wfi()

    def _rewrite(self) -> None:
        """Another word, or the same, at a place that is executed often."""
        a, rng = self.a, self.rng
        place = rng.choice(self.patches)
        word = asm.Assembler()
        word.addi(self._value(), self._value(), rng.randrange(99))
        old = a.words[(place - a.base) // 4]
        a.li(_T, place)
        a.li(_U, rng.choice([old, word.words[0], word.words[0]]))
        a.sw(_U, 0, _T)

    def _end(self, hart: int) -> None:
        a = self.a
        a.csrrwi(0, asm.MSTATUS, 0)
        a.addi(_T, _OWN, 0x7FC)
        a.sw(_IRQS, 0, _T)
        a.li(_T, _SHARED + _PRIVATE_BYTES * (hart + 1) + _DUMP)
        for register in _VALUES:
            a.sw(register, 4 * register, _T)
        for slot, csr in enumerate((asm.MCYCLE, asm.MINSTRET, asm.MEPC, asm.MCAUSE)):
            a.csrr(_U, csr)
            a.sw(_U, 0x80 + 4 * slot, _T)
        a.li(_T, _SHARED + _DONE)
        a.addi(_U, 0, 1)
        a.sw(_U, 4 * hart, _T)
        if hart:
            a.addi(_T, 0, 8)
            a.csrrw(0, asm.MSTATUS, _T)
            a.jal(0, a.wfi())
            return
        again = a.here
        if self.interrupts:
            for other in range(1, self.active):
                self._interrupt(other)
        a.li(_T, _SHARED + _DONE)
        for other in range(1, self.active):
            a.lw(_U, 4 * other, _T)
            a.branch(0, _U, 0, again)
        asm.exit_with(a, self.rng.getrandbits(32))
