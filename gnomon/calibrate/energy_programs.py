"""Programs that separate the energies of a core, and compiled programs that judge them.

Training programs are probes, random programs, and loops of one class or of a mixture on zero, small
and dense operands. The held-out programs are C.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gnomon.calibrate._device import program_of
from gnomon.calibrate._programs import (
    ACCESSES,
    ALU,
    BRANCHES,
    SHIFTS,
    control,
    plain,
    random_items,
    units,
    whole,
)
from gnomon.isa import encode, list_instructions
from gnomon.program import build
from gnomon.rtl.bare_metal import li

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.program import Program

_FOLDER: Final = Path(__file__).parent / "held_out"
_DATA, _COUNT, _TEMPORARY = 8, 20, 5
_FREE: Final = (6, 7, 9, 10, 11, 12, 13, 14, 15)
_OPERANDS: Final = {"zero": 0, "small": 6, "dense": 32}
"""Bits of the operands of loops."""
_MIXTURES: Final = 5  # loops of each kind of operands
_RANDOM_PROGRAMS: Final = 6
_RANDOM_SIZE: Final = 300  # instructions
_SPACERS: Final = 2  # instructions around a probe; no timing is read here
_BODY: Final = 14  # instructions of a loop
_ROUNDS: Final = 6
_WORDS: Final = 24  # of memory that loads read
_USUAL: Final = ("addi", "add", "lw", "sw", "lbu", "slli", "srli", "xor", "and", "beq", "bne",
                 "blt")  # fmt: skip
_FORMATS: Final = {row.mnemonic: row.format for row in list_instructions(("I", "M"))}


def training_programs(isa: str, start: int) -> Iterator[Program]:
    """Yield the programs of a fit.

    Args:
        isa: instruction set of the core.
        start: its first address.
    """
    probes = [word for probe in (*plain(isa, _SPACERS), *control(_SPACERS)) for word in probe.words]
    yield _name("probes", probes, start)
    for seed in range(_RANDOM_PROGRAMS):
        items = random_items(1000 + seed, isa, _RANDOM_SIZE)
        yield _name(f"random {seed}", [word for item in items for word in item], start)
    classes = {
        "alu": ALU, "shift": SHIFTS, "load": [name for name in ACCESSES if name[0] == "l"],
        "store": [name for name in ACCESSES if name[0] == "s"], "branch": BRANCHES,
        "mul": [name for name in units(isa) if name.startswith("mul")],
        "div": [name for name in units(isa) if not name.startswith("mul")],
    }  # fmt: skip
    for operands, bits in _OPERANDS.items():
        for title, names in classes.items():
            if names:
                rng = random.Random(f"{title} {operands}")  # noqa: S311 - not secrets
                yield _name(f"{title}, {operands}", _loop(rng, names, bits), start)
        every = [name for names in classes.values() for name in names]
        for number in range(_MIXTURES):
            rng = random.Random(f"mixture {operands} {number}")  # noqa: S311 - not secrets
            names = every if number % 2 else _USUAL
            yield _name(f"mixture {number}, {operands}", _loop(rng, names, bits), start)


def held_out_programs(machine: Architecture) -> Iterator[Program]:
    """Yield the compiled programs for a machine, by name."""
    for path in sorted(_FOLDER.glob("*.c")):
        yield build([path], machine)


def _name(name: str, body: Sequence[int], start: int) -> Program:
    return replace(program_of(whole(body), start), name=name)


def _loop(rng: random.Random, names: Sequence[str], bits: int) -> list[int]:
    """Return a loop of some instructions, whose registers and memory have numbers of some bits."""

    def value() -> int:
        return rng.getrandbits(bits) if bits else 0

    words = [word for register in _FREE for word in li(register, value())]
    for k in range(_WORDS):
        words += [*li(_TEMPORARY, value()), encode("sw", rs1=_DATA, rs2=_TEMPORARY, imm=4 * k)]
    body = [word for _ in range(_BODY) for word in _write(rng, rng.choice(names), bits)]
    words += [encode("addi", rd=_COUNT, imm=_ROUNDS), *body,
              encode("addi", rd=_COUNT, rs1=_COUNT, imm=-1),
              encode("bne", rs1=_COUNT, rs2=0, imm=-4 * (len(body) + 1))]  # fmt: skip
    return words


def _write(rng: random.Random, name: str, bits: int) -> Iterator[int]:
    """Yield an instruction with random registers; after a branch, one that it may skip."""
    rd, rs1, rs2 = (rng.choice(_FREE) for _ in range(3))
    match _FORMATS[name]:
        case "S":
            yield encode(name, rs1=_DATA, rs2=rs2, imm=4 * rng.randrange(_WORDS))
        case "B":
            yield encode(name, rs1=rs1, rs2=rs2, imm=8)
            yield encode("add", rd=rd, rs1=rs1, rs2=rs2)
        case "I" if name in ACCESSES:
            yield encode(name, rd=rd, rs1=_DATA, imm=4 * rng.randrange(_WORDS))
        case "I":
            yield encode(name, rd=rd, rs1=rs1, imm=rng.getrandbits(min(bits, 11)) if bits else 0)
        case "shift":
            yield encode(name, rd=rd, rs1=rs1, imm=rng.randrange(32))
        case "U":
            yield encode(name, rd=rd, imm=rng.getrandbits(min(bits, 19)) << 12 if bits else 0)
        case _:
            yield encode(name, rd=rd, rs1=rs1, rs2=rs2)
