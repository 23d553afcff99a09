"""Marginal costs of instructions: paired loops that differ in nothing but the instruction.

Both loops of a pair have the same registers, operands and number of instructions. Their difference
in energy, divided by the number of instructions, is the marginal cost of one over the other; by
unit it says which part of the netlist takes it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.calibrate.energy_programs import raw_program
from gnomon.isa import CSR_ADDRESS, encode, list_instructions
from gnomon.rtl.bare_metal import SPM_BASE

if TYPE_CHECKING:
    import numpy.typing as npt

    from gnomon.program import Program

_BODY: Final = 16  # instructions of a loop
_ROUNDS: Final = 16
_FEW_ROUNDS: Final = 4  # of divisions
_DATA, _TEMPORARY, _COUNT = 8, 5, 20
_SOURCES: Final = (6, 7, 9, 10, 11, 12, 13, 14)
_RESULTS: Final = (15, 16, 17, 18, 19, 21)
_WORDS: Final = 8  # of data memory that loads read
_VECTOR_BODY: Final = 4
_VECTOR_BYTES: Final = 64
_PADS: Final = 4
_FORMATS: Final = {row.mnemonic: row.format for row in list_instructions(("I", "M"))}


@dataclass(frozen=True, slots=True)
class Side:
    """A loop of one instruction; ``zero``: operands are 0, not dense."""

    mnemonic: str
    zero: bool = False

    def __str__(self) -> str:
        taken = {"beq": "branch taken", "bne": "branch not taken"}
        return taken.get(self.mnemonic, self.mnemonic) + (" of zeros" if self.zero else "")

    @property
    def is_vector(self) -> bool:
        """Whether it needs a vector unit."""
        return self.mnemonic[0] == "k"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two loops; the first one has the cost of interest."""

    more: Side
    less: Side

    def __str__(self) -> str:
        return f"{self.more} over {self.less}"

    @property
    def is_vector(self) -> bool:
        """Whether it needs a vector unit."""
        return self.more.is_vector or self.less.is_vector

    @property
    def rounds(self) -> int:
        """Rounds of both loops."""
        return _FEW_ROUNDS if self.more.mnemonic == "div" else _ROUNDS


PAIRS: Final = (
    *(Pair(Side(more), Side(less)) for more, less in (
        ("mul", "add"), ("mulhu", "mul"), ("div", "add"), ("sll", "add"), ("lw", "add"),
        ("lbu", "lw"), ("sw", "add"), ("beq", "bne"), ("jal", "addi"),
    )),
    Pair(Side("add"), Side("add", zero=True)),
    Pair(Side("kvmul"), Side("kaddv")),
    Pair(Side("kdotp"), Side("kvmul")),
)  # fmt: skip
"""Branches compare a register with itself: ``beq`` is taken, ``bne`` is not, and both go on at the
next instruction."""


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """A loop of one side, and how often its instruction is executed."""

    side: Side
    program: Program
    executed: int


def list_pairs(isa: str, *, vector: bool) -> tuple[Pair, ...]:
    """Return the pairs that a core with an ISA can run."""
    has_m = "m" in isa.partition("_")[0][4:]
    of_m = {name for name in _FORMATS if name.startswith(("mul", "div", "rem"))}
    return tuple(pair for pair in PAIRS
                 if (vector or not pair.is_vector)
                 and (has_m or not {pair.more.mnemonic, pair.less.mnemonic} & of_m))  # fmt: skip


def build_loop(
    side: Side, start: int, *, rounds: int = _ROUNDS, harts: int = 1, pad_bytes: int = 0
) -> Loop:
    """Return the loop of a side.

    Args:
        side: the instruction and its operands.
        start: first address of the core.
        rounds: of the loop.
        harts: of the core.
        pad_bytes: size of a scratchpad.

    All harts execute the loop of a scalar instruction, the first one that of a vector instruction
    while the others sleep.
    """
    rng = random.Random(0)  # noqa: S311 - not secrets
    values = [0 if side.zero else rng.getrandbits(32) | 1 << 31 for _ in _SOURCES]
    words = [word for pair in zip(_SOURCES, values, strict=True) for word in load_constant(*pair)]
    for k in range(_WORDS):
        words += [*load_constant(_TEMPORARY, rng.getrandbits(32)),
                  encode("sw", rs1=_DATA, rs2=_TEMPORARY, imm=4 * k)]  # fmt: skip
    if side.is_vector:
        words = [*sleep_others(), *words, *_fill_scratchpads(rng, pad_bytes)]
        body, harts = [_write_vector(side.mnemonic, k) for k in range(_VECTOR_BODY)], 1
    else:
        body = [_write(side.mnemonic, rng) for _ in range(_BODY)]
    words += [encode("addi", rd=_COUNT, imm=rounds), *body,
              encode("addi", rd=_COUNT, rs1=_COUNT, imm=-1),
              encode("bne", rs1=_COUNT, rs2=0, imm=-4 * (len(body) + 1))]  # fmt: skip
    return Loop(side, raw_program(str(side), words, start), len(body) * rounds * harts)


def load_constant(register: int, value: int) -> Iterator[int]:
    """Yield two words that load a constant, whatever its value."""
    low = (value & 0xFFF ^ 0x800) - 0x800
    high = (value - low) & 0xFFFF_F000
    yield encode("lui", rd=register, imm=(high ^ 0x8000_0000) - 0x8000_0000)
    yield encode("addi", rd=register, rs1=register, imm=low)


def _write(name: str, rng: random.Random) -> int:
    """Return an instruction; every instruction takes the same random numbers."""
    rd, rs1, rs2 = rng.choice(_RESULTS), rng.choice(_SOURCES), rng.choice(_SOURCES)
    place, small = 4 * rng.randrange(_WORDS), rng.getrandbits(11)
    match _FORMATS[name]:
        case "S":
            return encode(name, rs1=_DATA, rs2=rs2, imm=place)
        case "B":
            return encode(name, rs1=rs1, rs2=rs1, imm=4)
        case "J":
            return encode(name, rd=rd, imm=4)
        case "I" if name[0] == "l":
            return encode(name, rd=rd, rs1=_DATA, imm=place)
        case "I":
            return encode(name, rd=rd, rs1=rs1, imm=small)
        case _:
            return encode(name, rd=rd, rs1=rs1, rs2=rs2)


def sleep_others() -> list[int]:
    """Return words that let all harts but the first one sleep."""
    return [encode("csrrs", rd=_TEMPORARY, csr=CSR_ADDRESS["mhartid"]),
            encode("beq", rs1=_TEMPORARY, rs2=0, imm=20),
            encode("addi", rd=_TEMPORARY, imm=8),
            encode("csrrw", rs1=_TEMPORARY, csr=CSR_ADDRESS["mstatus"]),
            encode("wfi"), encode("jal", imm=-4)]  # fmt: skip


def _fill_scratchpads(rng: random.Random, pad_bytes: int) -> list[int]:
    words = []
    for k in range(_VECTOR_BYTES // 4):
        words += [*load_constant(_TEMPORARY, rng.getrandbits(32)),
                  encode("sw", rs1=_DATA, rs2=_TEMPORARY, imm=4 * k)]  # fmt: skip
    size, shorter = _SOURCES[4], _SOURCES[5]
    words += [*load_constant(size, _VECTOR_BYTES), *load_constant(shorter, _VECTOR_BYTES // 2),
              *load_constant(_SOURCES[6], 32), encode("add", rd=_SOURCES[6], rs1=_SOURCES[6], rs2=_DATA),
              encode("csrrw", rs1=size, csr=CSR_ADDRESS["mvsize"]),
              *load_constant(_TEMPORARY, 2),
              encode("csrrw", rs1=_TEMPORARY, csr=CSR_ADDRESS["mvtype"])]  # fmt: skip
    for register, pad in zip(_SOURCES[:_PADS], range(_PADS), strict=True):
        words += load_constant(register, SPM_BASE + pad_bytes * pad)
    return [*words, encode("kmemld", rd=_SOURCES[0], rs1=_DATA, rs2=size),
            encode("kmemld", rd=_SOURCES[1], rs1=_SOURCES[6], rs2=shorter)]  # fmt: skip


def _write_vector(name: str, number: int) -> int:
    """Return a vector instruction; operands come from two scratchpads in turn."""
    first, second = _SOURCES[:2] if number % 2 else (_SOURCES[1], _SOURCES[0])
    return encode(name, rd=_SOURCES[2 + number // 2], rs1=first, rs2=second)
