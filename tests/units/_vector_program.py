"""Random programs of vector instructions of the unit ``lanes``, and its definition in Python."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.exactness import _assembler as asm
from tests.exactness._reference import elf_of
from tests.oracle import OracleVectorUnit
from tests.oracle.vector_isa import VectorOp

if TYPE_CHECKING:
    from collections.abc import Callable

_M = 0xFFFF_FFFF
_CUSTOM_3 = 0x7B
_AREA_BYTES = 512  # of each hart in each scratchpad, and in each of the memories
_DATA, _RESULTS, _FLAGS = (asm.DATA_BASE + offset for offset in (0, 0x4000, 0x8000))
_PADS, _MVTYPE = 3, {8: 0, 16: 1, 32: 2}
SCALAR = 0x8765_43C1


@dataclass(frozen=True)
class Item:
    """A step of a hart: an instruction, ``load`` of scratchpad ``pad``, or ``empty`` (length 0).

    ``to``: words from the begin of the area of the result; ``pad``: its scratchpad.
    """

    name: str
    pad: int = 2
    to: int = 0


@dataclass(frozen=True)
class Program:
    """``items`` of each hart, with one width for all."""

    bits: int
    size_bytes: int
    items: tuple[tuple[Item, ...], ...]

    def elf(self) -> bytes:
        a = asm.Assembler()
        a.jal(0, asm.START_PC)
        while a.here < asm.START_PC:
            a.nop()
        a.csrr(asm.T0, asm.MHARTID)
        jumps = []
        for hart in range(len(self.items)):
            a.addi(asm.T1, 0, hart)
            jumps.append(a.word(0))
        a.branch(0, 0, 0, a.here)  # the others stay here
        for hart, jump in enumerate(jumps):
            patch = asm.Assembler(jump)
            patch.branch(0, asm.T0, asm.T1, a.here)
            a.words[(jump - a.base) // 4] = patch.words[0]
            self._body(a, hart)
        words = [(word * 0x9E37_79B9 + 0x8102_0384) & _M for word in range(8 * _AREA_BYTES)]
        return elf_of(a, (_DATA, struct.pack(f"<{len(words)}I", *words)))

    def _body(self, a: asm.Assembler, hart: int) -> None:
        a.addi(asm.T2, 0, _AREA_BYTES // 2)
        for pad in range(_PADS):
            self._load(a, hart, pad)
        a.addi(asm.T1, 0, self.size_bytes)
        a.csrrw(0, asm.MVSIZE, asm.T1)
        a.csrrwi(0, asm.MVTYPE, _MVTYPE[self.bits])
        a.li(asm.A3, SCALAR)
        for item in self.items[hart]:
            if item.name == "empty":  # requests functional units, without effect
                a.csrrwi(0, asm.MVSIZE, 0)
                place(a, "vnear")
                a.csrrw(0, asm.MVSIZE, asm.T1)
                continue
            if item.name == "load":
                self._load(a, hart, item.pad)
                continue
            _address(a, asm.A0, hart, item.pad, item.to)
            _address(a, asm.A1, hart, 0)
            _address(a, asm.A2, hart, 1)
            if item.name in asm.KDSP_FUNCT7:
                a.kdsp(item.name, asm.A0, asm.A1, asm.A2)
            else:
                place(a, item.name)
        for pad in range(_PADS):
            a.li(asm.S1, _RESULTS + _AREA_BYTES * (_PADS * hart + pad))
            _address(a, asm.A0, hart, pad)
            a.kmem("kmemstr", asm.S1, asm.A0, asm.T2)
        a.lw(asm.T0, 0, asm.S1)  # waits for the last transfer
        a.li(asm.S0, _FLAGS)
        a.sw(asm.T2, 4 * hart, asm.S0)
        if hart:
            a.jal(0, a.here)
        for other in range(1, len(self.items)):
            a.branch(0, asm.T0, 0, a.lw(asm.T0, 4 * other, asm.S0))
        asm.exit_with(a)

    def _load(self, a: asm.Assembler, hart: int, pad: int) -> None:
        a.li(asm.S0, _DATA + _AREA_BYTES * (_PADS * hart + pad))
        _address(a, asm.T3, hart, pad)
        a.kmem("kmemld", asm.T3, asm.S0, asm.T2)


def _address(a: asm.Assembler, register: int, hart: int, pad: int, words: int = 0) -> None:
    a.li(register, asm.SPM_BASE + 4096 * pad + _AREA_BYTES * hart + 4 * words)


def place(a: asm.Assembler, name: str) -> None:
    """Place an instruction of the unit on A0 to A3; the immediate of ``vpow`` is -9."""
    registers = (asm.A0, asm.A1, asm.A2)
    match name:
        case "vmadd":
            a.r(_CUSTOM_3, 4, asm.A3 << 2 | 2, registers)
        case "vabove":
            a.r(_CUSTOM_3, 5, 0, (asm.A0, asm.A1, asm.A3))
        case "vnear":
            a.r(_CUSTOM_3, 6, 0, registers)
        case "vpow":
            a.i(_CUSTOM_3, 7, asm.A0, asm.A1, -9)


def oracle_units(latency: int) -> tuple[OracleVectorUnit, ...]:
    """Return the vector instructions of ``lanes`` by their definition."""

    def unit(
        name: str, funct3: int, *, rest: tuple[int, int] = (0, 0), cycles: int, rs2: str,
        element: Callable[[int, int, int], int], third: str = "", holds: tuple[str, ...] = (),
        reduces: bool = False, widths: tuple[int, ...] = (8, 16, 32),
    ) -> OracleVectorUnit:  # fmt: skip
        op = VectorOp(
            name, cycles, frozenset(("lanes", *holds)), "vector", rs2, word_result=reduces,
            element=element, widths=widths,
        )  # fmt: skip
        match = _CUSTOM_3 | funct3 << 12 | rest[0] << 25
        return OracleVectorUnit(match, 0x707F | rest[1] << 25, third, op)

    return (
        unit("vmadd", 4, rest=(2, 3), cycles=latency, rs2="vector", third="rs3",
             element=lambda a, b, c: a * b + c),
        unit("vabove", 5, rest=(0, 127), cycles=4, rs2="register",
             holds=("comparator", "adder"), element=lambda a, b, _: max(a, b)),
        unit("vnear", 6, rest=(0, 127), cycles=latency + 1, rs2="vector", reduces=True,
             holds=("accumulator",), element=lambda a, b, _: abs(a - b)),
        unit("vpow", 7, cycles=7, rs2="none", third="imm", reduces=True, widths=(16, 32),
             holds=("multiplier", "accumulator"), element=lambda a, _, c: a * a + c),
    )  # fmt: skip
