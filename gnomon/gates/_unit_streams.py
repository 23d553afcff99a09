"""Operand streams for the gates of a unit: instructions as the core passes them to its ports.

At each issue the ports get a new word and new operands, as the core does not isolate a unit from
the other instructions. A stream has one kind of operands for the executions of the unit and one for
the others, and a share of executions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from gnomon.arch.units import Unit
from gnomon.rtl.units import encode_operation

Words = npt.NDArray[np.uint32]
Counts = npt.NDArray[np.float64]
_Draw = Callable[[np.random.Generator, int], npt.NDArray[np.integer]]

OTHER: Final = -1
"""Number of an instruction that is not of the unit."""
_OTHER_OPCODES: Final = (0x33, 0x13, 0x03, 0x23, 0x63)  # of the other instructions
_HARTS: Final = 3
_RESET_ROWS: Final = 4
_LAST_ROWS: Final = 2  # after the last issue, until the unit rests


def _draw_walk(rng: np.random.Generator, count: int) -> npt.NDArray[np.integer]:
    return rng.integers(0, 1 << 32) + np.cumsum(rng.integers(-64, 65, count))


def _draw_flips(rng: np.random.Generator, count: int) -> npt.NDArray[np.integer]:
    masks = (1 << rng.integers(0, 32, count)) | (1 << rng.integers(0, 32, count))
    return np.bitwise_xor.accumulate(masks) ^ rng.integers(0, 1 << 32)


def _draw_steady(rng: np.random.Generator, count: int) -> npt.NDArray[np.integer]:
    last = np.maximum.accumulate(np.where(rng.random(count) < 0.3, np.arange(count), 0))
    return rng.integers(0, 1 << 32, count)[last]


def _draw_smooth(rng: np.random.Generator, count: int) -> npt.NDArray[np.integer]:
    return (np.cumsum(rng.standard_normal(count)) * 2**26).astype(np.int64)


TRAINED: Final[Mapping[str, _Draw]] = {
    "random": lambda rng, count: rng.integers(0, 1 << 32, count),
    "small": lambda rng, count: rng.integers(-128, 128, count),
    "q15": lambda rng, count: rng.integers(-32768, 32768, count),
    "lengths": lambda rng, count: rng.integers(0, 1 << 32, count) >> rng.integers(0, 33, count),
    "sparse": lambda rng, count: rng.integers(0, 1 << 32, count) * (rng.random(count) < 0.3),
    "zero": lambda rng, count: rng.integers(0, 1, count),
    "walk": _draw_walk,
    "flips": _draw_flips,
    "steady": _draw_steady,
}
"""Operands of the streams of the fit: random and correlated ones."""

LEFT_OUT: Final[Mapping[str, _Draw]] = {
    **{name: TRAINED[name] for name in ("random", "q15", "flips", "sparse")},
    "counter": lambda rng, count: rng.integers(0, 1 << 16) + 4 * np.arange(count),
    "bytes": lambda rng, count: rng.integers(0, 256, count) << 8 * rng.integers(0, 4),
    "few": lambda rng, count: rng.choice(rng.integers(0, 1 << 32, 4), count),
    "smooth": _draw_smooth,
}
"""Operands of the streams that check the fit: some kinds of the fit, and others."""


@dataclass(frozen=True, slots=True, eq=False)
class Streams:
    """Streams one after another; arrays are by issue.

    ``stream``: number of the stream; ``number``: of the instruction in the unit, or ``OTHER``;
    ``third``: the third register, which is port c unless the instruction has an immediate.
    """

    unit: Unit
    stream: npt.NDArray[np.int64]
    number: npt.NDArray[np.int64]
    word: Words
    a: Words
    b: Words
    third: Words
    c: Words

    @classmethod
    def draw(
        cls,
        unit: Unit,
        kinds: Mapping[str, _Draw],
        shares: tuple[float, ...],
        rng: np.random.Generator,
        *,
        streams: int,
        issues: int,
    ) -> Streams:
        """Draw streams of equal length, each with its kinds of operands and share of executions."""
        parts: list[list[npt.NDArray[np.integer]]] = []
        names = sorted(kinds)
        for stream in range(streams):
            executes = rng.random(issues) < shares[stream % len(shares)]
            number = np.where(executes, rng.integers(0, len(unit.instructions), issues), OTHER)
            operands = []
            for _ in range(3):
                own, others = (kinds[names[k]](rng, issues) for k in rng.integers(0, len(names), 2))
                operands.append(np.where(executes, own, others))
            parts.append([np.full(issues, stream), number, *operands])
        of, number, *ports = (np.concatenate(each) for each in zip(*parts, strict=True))
        a, b, third = ((each & 0xFFFF_FFFF).astype(np.uint32) for each in ports)
        word, c = _encode(unit, number, third, rng)
        return cls(unit, of, number, word, a, b, third, c)

    def cycles(self) -> npt.NDArray[np.int64]:
        """Return the cycles of each issue at the ports; 1 for other instructions."""
        found = np.ones(len(self.number), dtype=np.int64)
        for k, each in enumerate(self.unit.instructions):
            reads_a, reads_b = each.row.rs1 is not None, each.row.rs2 is not None
            for at in np.flatnonzero(self.number == k):
                found[at] = each.model.cycles_of(
                    int(self.a[at]) * reads_a, int(self.b[at]) * reads_b
                )
        return found

    def rows(self) -> tuple[dict[str, npt.NDArray[np.int64]], npt.NDArray[np.int64]]:
        """Return the input signals by cycle, and the row in which each issue starts."""
        cycles = self.cycles()
        starts = _RESET_ROWS + np.cumsum(cycles) - cycles
        held = cycles.copy()
        held[-1] += _LAST_ROWS
        at = np.concatenate([np.zeros(_RESET_ROWS, dtype=np.int64),
                             np.repeat(np.arange(len(cycles)), held)])  # fmt: skip
        start = np.zeros(len(at), dtype=np.int64)
        start[starts] = self.number != OTHER
        active = (np.arange(len(at)) >= _RESET_ROWS).astype(np.int64)
        signals = {"rst_n": active, "start": start, "hart": at % _HARTS}
        for name in ("word", "a", "b", "c"):
            signals[name] = getattr(self, name)[at].astype(np.int64) * active
        return signals, starts

    def toggles(self) -> dict[str, Counts]:
        """Return the bits that change at each issue, by bus, as the simulator counts them."""
        found = {
            bus: np.bitwise_count(values ^ _before(values)).astype(np.float64)
            for bus, values in (("instruction", self.word), ("rs1_read", self.a),
                                ("rs2_read", self.b), ("rd_read", self.third))
        }  # fmt: skip
        ones = [np.bitwise_count(each).astype(np.float64) for each in (self.a, self.b)]
        products = ones[0] * ones[1]
        both = np.bitwise_count(self.a & _before(self.a)).astype(np.float64)
        both *= np.bitwise_count(self.b & _before(self.b))
        found["product"] = products + np.concatenate([[0.0], products[:-1]]) - 2 * both
        return found


def _before(values: Words) -> Words:
    return np.concatenate([np.zeros(1, dtype=np.uint32), values[:-1]])


def _encode(
    unit: Unit, number: npt.NDArray[np.int64], third: Words, rng: np.random.Generator
) -> tuple[Words, Words]:
    """Return instruction words with random registers, and port c."""
    words = rng.integers(0, 1 << 25, len(number)) << 7 | rng.choice(_OTHER_OPCODES, len(number))
    registers = rng.integers(0, 32, (len(number), 4))
    immediates = rng.integers(-2048, 2048, len(number))
    c = third.copy()
    for at in np.flatnonzero(number != OTHER).tolist():
        each, imm = unit.instructions[number[at]], int(immediates[at])
        words[at] = encode_operation(each, registers[at].tolist(), imm)
        if each.third == "immediate":
            c[at] = imm & 0xFFFF_FFFF
    return words.astype(np.uint32), c
