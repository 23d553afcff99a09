"""Latency models: cycles that depend on operands, described once for all users.

A model looks cycles up by a number that the operands give, their *operand property*. This module
describes each property once, as a Python function and as the C expression that the engine compiles
(``sim/engine/latency.c``); a test compares both. Dividers, ``mul-per-bit``, ``div-by-zero`` and the
rules of ``core.latency`` are models over these properties.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, get_args

from gnomon.arch._steps import high_frequency_steps, high_performance_steps, skip_steps

WORD_BITS: Final = 32
LENGTHS: Final = WORD_BITS + 1
"""Bit lengths 0 to 32 of an operand."""
_MOST_WIDTH_BITS: Final = 63  # quotient bits of a dividend that is shifted by up to 31
_MASK: Final = 0xFFFF_FFFF


class Operands(NamedTuple):
    """Operands of an instruction as unsigned words, or magnitudes, and what a property may use.

    ``width_bits``: quotient bits, more than 32 if the dividend ``a`` is shifted before a division.
    ``first`` and ``second`` are parameters of the model.
    """

    a: int
    b: int
    width_bits: int = WORD_BITS
    first: int = 0
    second: int = 0


class Property(NamedTuple):
    """A number that operands give: the index of the cycles in a latency model.

    ``size``: the numbers are 0 to ``size`` - 1. ``in_c`` computes the same as ``number``, from
    a, b, width, first and second.
    """

    meaning: str
    size: int
    number: Callable[[Operands], int]
    in_c: str


def _signs(o: Operands) -> int:
    first, second = (0 if not each else 1 + (each >> 31) for each in (o.a, o.b))
    return 3 * first + second


PROPERTIES: Final[Mapping[str, Property]] = {
    "none": Property("no operand", 1, lambda _: 0, "0"),
    "shift-amount": Property("rs2 modulo 32, or the immediate", 32, lambda o: o.b % 32, "b & 31"),
    "signs": Property(
        "3 x sign of rs1 + sign of rs2: 0 = zero, 1 = positive, 2 = negative", 9, _signs,
        "signs(a, b)",
    ),
    "rs1-bits": Property(
        "bit length of rs1, 4 for 8 to 15; not the number of ones", LENGTHS,
        lambda o: o.a.bit_length(), "bit_length(a)",
    ),
    "rs2-bits": Property(
        "bit length of rs2", LENGTHS, lambda o: o.b.bit_length(), "bit_length(b)"
    ),
    "signs-product": Property(
        "2 x signs, + 1 if the low word of the product is 0", 18,
        lambda o: 2 * _signs(o) + (o.a * o.b & _MASK == 0), "2 * signs(a, b) + ((u32)(a * b) == 0)",
    ),
    "both-bits": Property(
        "33 x bits of rs1 + bits of rs2", LENGTHS * LENGTHS,
        lambda o: LENGTHS * o.a.bit_length() + o.b.bit_length(),
        f"{LENGTHS} * bit_length(a) + bit_length(b)",
    ),
    "quotient-bits": Property(
        "bits of rs1 beyond those of rs2, + 1; 0 if rs2 is longer or zero", _MOST_WIDTH_BITS + 1,
        lambda o: max(o.a.bit_length() - o.b.bit_length() + 1, 0) if o.b else 0,
        "b ? most(bit_length(a) - bit_length(b) + 1, 0) : 0",
    ),
    "width-bits": Property(
        "bits of the quotient register", _MOST_WIDTH_BITS + 1, lambda o: o.width_bits, "width"
    ),
    "skip-steps": Property(
        "steps of a division that skips quotient zeros, from `first` to `second` at once",
        _MOST_WIDTH_BITS + 1, lambda o: skip_steps(o.a, o.b, o.width_bits, o.first, o.second),
        "skip_steps(a, b, width, first, second)",
    ),
    "high-frequency-steps": Property(
        "the same, where a skip takes a step of its own", 2 * _MOST_WIDTH_BITS + 2,
        lambda o: high_frequency_steps(o.a, o.b, o.width_bits), "high_frequency_steps(a, b, width)",
    ),
    "high-performance-steps": Property(
        "a step per one in the quotient, and one if it ends in zero", _MOST_WIDTH_BITS + 2,
        lambda o: high_performance_steps(o.a, o.b), "high_performance_steps(a, b)",
    ),
}  # fmt: skip
"""By name, in the order of the engine's numbers."""

RuleProperty = Literal["shift-amount", "signs", "rs1-bits", "rs2-bits", "signs-product"]
"""Those that a rule of ``core.latency`` may name."""
RULE_PROPERTIES: Final[tuple[str, ...]] = get_args(RuleProperty)


def operand_number(by: str, a: int, b: int) -> int:
    """Return the number that two unsigned words give for an operand property."""
    return PROPERTIES[by].number(Operands(a, b))


def cycles_by_number(
    by: str | None, cycles: int | Sequence[int], *, each: int = 0, step: int = 0
) -> tuple[int, ...]:
    """Return cycles by the number n of a property, as a rule of ``core.latency`` declares them.

    These are ``cycles``, plus ``each`` x n, plus n // ``step`` + n % ``step``; one entry without
    ``by``.
    """
    numbers = range(PROPERTIES[by or "none"].size)
    base = [cycles] * len(numbers) if isinstance(cycles, int) else cycles
    steps = [n // step + n % step if step else 0 for n in numbers]
    return tuple(base[n] + each * n + steps[n] for n in numbers)


@dataclass(frozen=True, slots=True)
class LatencyModel:
    """Cycles by operands.

    ``cycles``: by the number of property ``by``. ``parameters``: of the property. ``magnitudes``:
    the operands are signed, and the model takes their magnitudes. ``source``: of the model.
    ``bounds``: fewest and most over all 32-bit operands, where the table has unreachable numbers.
    """

    by: str
    cycles: tuple[int, ...]
    parameters: tuple[int, int] = (0, 0)
    magnitudes: bool = False
    source: str = ""
    bounds: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        """Check that there are cycles for every number of the property."""
        assert len(self.cycles) == PROPERTIES[self.by].size, self

    @property
    def depends_on_operands(self) -> bool:
        """Whether the cycles are not the same for all operands."""
        return self.least_cycles < self.most_cycles

    @property
    def least_cycles(self) -> int:
        """The fewest cycles for 32-bit operands."""
        return min(self.cycles) if self.bounds is None else self.bounds[0]

    @property
    def most_cycles(self) -> int:
        """The most cycles for 32-bit operands."""
        return max(self.cycles) if self.bounds is None else self.bounds[1]

    def cycles_of(self, a: int, b: int, width_bits: int = WORD_BITS) -> int:
        """Return the cycles for two operands, signed or unsigned 32-bit values.

        With ``width_bits`` above 32, ``a`` is already shifted, below 2**``width_bits``.
        """
        a, b = (abs(a), abs(b)) if self.magnitudes else (a & (1 << width_bits) - 1, b & _MASK)
        return self.cycles[PROPERTIES[self.by].number(Operands(a, b, width_bits, *self.parameters))]

    def plus(self, more_cycles: int) -> LatencyModel:
        """Return the model with more cycles for any operands; the table gives its bounds."""
        assert self.bounds is None, self
        return replace(self, cycles=tuple(each + more_cycles for each in self.cycles))


class InstructionLatency(NamedTuple):
    """A latency model of some instructions of a core.

    ``of``: mnemonics. ``static_cycles``: those that remain if a trap replaces the instruction.
    ``hides``: cycles beyond ``core.latency.prefetch`` hide wait states of the fetch.
    """

    of: tuple[str, ...]
    model: LatencyModel
    static_cycles: int
    hides: bool = True
