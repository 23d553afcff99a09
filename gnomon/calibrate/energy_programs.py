"""Programs that separate the energies of a core, and compiled programs that judge them.

Training programs are probes, random programs, loops of one class on zero, small and dense operands,
loops of mixtures of classes, widths of operands and numbers of registers, nested loops with
immediates of both signs, and C. The held-out programs are other C.
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

_TRAINING, _HELD_OUT = (Path(__file__).parent / name for name in ("training", "held_out"))
_DATA, _COUNT, _TEMPORARY = 8, 20, 5
_FREE: Final = tuple(k for k in range(6, 32) if k not in (_DATA, _COUNT))
_OPERANDS: Final = {"zero": 0, "small": 6, "dense": 32}
"""Bits of the operands of loops of one class."""
_WIDTHS: Final = (0, 1, 4, 8, 12, 16, 24, 32)  # bits of a register in a mixture
_MIXTURES: Final = 120
_NESTED, _NESTED_PROGRAMS = "nested", 40
_MOST_INNER: Final = 5  # instructions of an inner loop
_INNER_ROUNDS: Final = 4
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


def training_programs(machine: Architecture, start: int) -> Iterator[Program]:
    """Yield the programs of a fit for a machine; ``start``: the first address of its core."""
    for name, body in _list_probes(machine.core.isa):
        yield raw_program(name, body, start)
    for path in _list_compiled():
        yield build([path], machine)


def list_compiled_names() -> tuple[str, ...]:
    """Return the names of the C programs of a fit: they are like the programs that it prices."""
    return tuple(path.stem for path in _list_compiled())


def _list_compiled() -> list[Path]:
    return sorted(_TRAINING.glob("*.c"))


def _list_probes(isa: str) -> Iterator[tuple[str, list[int]]]:
    """Yield name and body of the programs that are made of single instructions."""
    probes = [word for probe in (*plain(isa, _SPACERS), *control(_SPACERS)) for word in probe.words]
    yield "probes", probes
    for seed in range(_RANDOM_PROGRAMS):
        items = random_items(1000 + seed, isa, _RANDOM_SIZE)
        yield f"random {seed}", [word for item in items for word in item]
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
            yield f"{title}, {operands}", loop.words(classes)
    for kind, count in (("mixture", _MIXTURES), (_NESTED, _NESTED_PROGRAMS)):
        for number in range(count):
            rng = random.Random(f"{kind} {number}")  # noqa: S311 - not secrets
            chosen = rng.sample(sorted(classes), rng.randint(1, _MOST_CLASSES))
            weights = {title: rng.random() for title in chosen}
            widths = tuple(rng.sample(_WIDTHS, rng.randint(1, 3)))
            loop = _Loop.draw(f"{kind} {number}", weights, widths, rng.choice(_REGISTERS))
            loop = replace(loop, nested=kind == _NESTED)
            yield f"{kind} {number}", loop.words(classes)


def held_out_programs(machine: Architecture) -> Iterator[Program]:
    """Yield the compiled programs for a machine, by name."""
    for path in sorted(_HELD_OUT.glob("*.c")):
        yield build([path], machine)


def raw_program(name: str, body: Sequence[int], start: int) -> Program:
    """Return a program of instruction words; x8 has the base of its data."""
    return replace(program_of(whole(body), start), name=name)


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop of some instructions on registers and memory that have numbers of some bits.

    ``nested``: it is made of inner loops, and immediates have both signs.
    """

    rng: random.Random
    weights: Mapping[str, float]  # of the classes
    widths: Sequence[int]  # bits of numbers
    registers: Sequence[int]
    fields: Sequence[int]  # bits of immediates
    nested: bool = False

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
        titles = self.rng.choices(list(self.weights), list(self.weights.values()), k=_BODY)
        body: list[int] = []
        while titles:
            size = self.rng.randint(1, _MOST_INNER) if self.nested else len(titles)
            inner = [word for title in titles[:size] for word in self._item(title, classes)]
            body += self._repeat(inner) if self.nested else inner
            titles = titles[size:]
        return [*words, encode("addi", rd=_COUNT, imm=_ROUNDS), *body,
                encode("addi", rd=_COUNT, rs1=_COUNT, imm=-1),
                encode("bne", rs1=_COUNT, rs2=0, imm=-4 * (len(body) + 1))]  # fmt: skip

    def _item(self, title: str, classes: Mapping[str, Sequence[str]]) -> list[int]:
        """Return an instruction of a class; a branch or jump with those that it may skip."""
        name = self.rng.choice(classes[title])
        if _FORMATS[name] not in ("B", "J"):
            return [self._write(name)]
        skipped = [self._write(self.rng.choice(classes["alu"]))
                   for _ in range(self.rng.randint(1, _MOST_SKIPPED))]  # fmt: skip
        return [self._write(name, 4 * len(skipped) + 4), *skipped]

    def _repeat(self, words: Sequence[int]) -> list[int]:
        """Return an inner loop, whose last branch goes back."""
        back = -4 * (len(words) + 1)
        return [encode("addi", rd=_TEMPORARY, imm=self.rng.randint(1, _INNER_ROUNDS)), *words,
                encode("addi", rd=_TEMPORARY, rs1=_TEMPORARY, imm=-1),
                encode("bne", rs1=_TEMPORARY, rs2=0, imm=back)]  # fmt: skip

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
                imm = self._draw(self.fields, 11)
                negative = self.nested and rng.random() < 1 / 2
                return encode(name, rd=rd, rs1=rs1, imm=~imm if negative else imm)
            case "shift":
                return encode(name, rd=rd, rs1=rs1, imm=self._draw(self.fields, 5))
            case "U":
                return encode(name, rd=rd, imm=self._draw(self.fields, 19) << 12)
            case _:
                return encode(name, rd=rd, rs1=rs1, rs2=rs2)
