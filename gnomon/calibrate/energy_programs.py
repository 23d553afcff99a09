"""Programs that separate the energies of a core, and compiled programs that judge them.

Training programs are probes, random programs, loops of one class on zero, small and dense operands,
and loops of mixtures of classes, widths of operands and numbers of registers. The held-out programs
are C.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
_FREE: Final = tuple(k for k in range(6, 32) if k not in (_DATA, _COUNT))
_OPERANDS: Final = {"zero": 0, "small": 6, "dense": 32}
"""Bits of the operands of loops of one class."""
_WIDTHS: Final = (0, 1, 4, 8, 12, 16, 24, 32)  # bits of a register in a mixture
_MIXTURES: Final = 120
_MOST_CLASSES: Final = 4  # of a mixture
_REGISTERS: Final = (1, 1, 2, 2, 2, 3, 4, 8, 24)  # of a mixture
_MOST_SKIPPED: Final = 3  # instructions that a taken branch skips
_RANDOM_PROGRAMS: Final = 6
_RANDOM_SIZE: Final = 300  # instructions
_SPACERS: Final = 2  # instructions around a probe; no timing is read here
_BODY: Final = 16  # instructions of a loop
_ROUNDS: Final = 8
_WORDS: Final = 8  # of memory that loads read
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
        "jump": ("jal",), "mul": [name for name in units(isa) if name.startswith("mul")],
        "div": [name for name in units(isa) if not name.startswith("mul")],
    }  # fmt: skip
    classes = {title: names for title, names in classes.items() if names}
    for title in classes:
        for operands, bits in _OPERANDS.items():
            loop = _Loop.draw(f"{title} {operands}", {title: 1}, (bits,), len(_FREE))
            yield _name(f"{title}, {operands}", loop.words(classes), start)
    for number in range(_MIXTURES):
        rng = random.Random(f"mixture {number}")  # noqa: S311 - not secrets
        chosen = rng.sample(sorted(classes), rng.randint(1, _MOST_CLASSES))
        weights = {title: rng.random() for title in chosen}
        widths = tuple(rng.sample(_WIDTHS, rng.randint(1, 3)))
        loop = _Loop.draw(f"mixture {number}", weights, widths, rng.choice(_REGISTERS))
        yield _name(f"mixture {number}", loop.words(classes), start)


def held_out_programs(machine: Architecture) -> Iterator[Program]:
    """Yield the compiled programs for a machine, by name."""
    for path in sorted(_FOLDER.glob("*.c")):
        yield build([path], machine)


def _name(name: str, body: Sequence[int], start: int) -> Program:
    return replace(program_of(whole(body), start), name=name)


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop of some instructions on registers and memory that have numbers of some bits."""

    rng: random.Random
    weights: Mapping[str, float]  # of the classes
    widths: Sequence[int]  # bits of numbers
    registers: Sequence[int]
    fields: Sequence[int]  # bits of immediates

    @classmethod
    def draw(
        cls, seed: str, weights: Mapping[str, float], widths: Sequence[int], registers: int
    ) -> _Loop:
        rng = random.Random(seed)  # noqa: S311 - not secrets
        return cls(rng, weights, widths, rng.sample(_FREE, registers), (rng.choice(_WIDTHS),))

    def words(self, classes: Mapping[str, Sequence[str]]) -> list[int]:
        """Return its words; ``classes``: mnemonics by class."""
        words = [word for register in self.registers for word in li(register, self._value())]
        for k in range(_WORDS):
            words += [*li(_TEMPORARY, self._value()),
                      encode("sw", rs1=_DATA, rs2=_TEMPORARY, imm=4 * k)]  # fmt: skip
        body: list[int] = []
        titles = self.rng.choices(list(self.weights), list(self.weights.values()), k=_BODY)
        for title in titles:
            name = self.rng.choice(classes[title])
            if _FORMATS[name] in ("B", "J"):
                skipped = [self._write(self.rng.choice(classes["alu"]))
                           for _ in range(self.rng.randint(1, _MOST_SKIPPED))]  # fmt: skip
                body += [self._write(name, 4 * len(skipped) + 4), *skipped]
            else:
                body.append(self._write(name))
        return [*words, encode("addi", rd=_COUNT, imm=_ROUNDS), *body,
                encode("addi", rd=_COUNT, rs1=_COUNT, imm=-1),
                encode("bne", rs1=_COUNT, rs2=0, imm=-4 * (len(body) + 1))]  # fmt: skip

    def _value(self) -> int:
        return self._draw(self.widths, 32)

    def _draw(self, widths: Sequence[int], most: int) -> int:
        bits = min(self.rng.choice(widths), most)
        return self.rng.getrandbits(bits) if bits else 0

    def _write(self, name: str, target: int = 0) -> int:
        """Return an instruction with random registers; ``target``: of a branch or jump."""
        rng = self.rng
        rd, rs1, rs2 = (rng.choice(self.registers) for _ in range(3))
        match _FORMATS[name]:
            case "S":
                return encode(name, rs1=_DATA, rs2=rs2, imm=4 * rng.randrange(_WORDS))
            case "B":
                return encode(name, rs1=rs1, rs2=rs2, imm=target)
            case "J":
                return encode(name, rd=rd, imm=target)
            case "I" if name in ACCESSES:
                return encode(name, rd=rd, rs1=_DATA, imm=4 * rng.randrange(_WORDS))
            case "I":
                return encode(name, rd=rd, rs1=rs1, imm=self._draw(self.fields, 11))
            case "shift":
                return encode(name, rd=rd, rs1=rs1, imm=self._draw(self.fields, 5))
            case "U":
                return encode(name, rd=rd, imm=self._draw(self.fields, 19) << 12)
            case _:
                return encode(name, rd=rd, rs1=rs1, rs2=rs2)
