"""What one division must give and how long it must take: the scoreboard of the divider benches.

Values come from Python's own division, and of signed 32-bit words from the package's model, too;
cycles from the law of the kind, as the simulator uses it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gnomon.arch.dividers import divider, engine_cycles, lane_quotient, lane_remainder, magnitude

if TYPE_CHECKING:
    from rtl_tests.benches.operands import Pair

_EXAMPLES = 5


def to_signed(word: int, width: int) -> int:
    """Read a word as two's complement."""
    return word - (1 << width) if word >> (width - 1) else word


def expected_values(pair: Pair, width: int) -> tuple[int, int]:
    """Quotient and remainder as RISC-V has them, as unsigned words."""
    is_signed, dividend, divisor = pair
    last = (1 << width) - 1
    a, d = (to_signed(x, width) if is_signed else x for x in (dividend, divisor))
    if d == 0:
        quotient, remainder = -1, a
    else:
        quotient = abs(a) // abs(d) * (-1 if (a < 0) != (d < 0) else 1)
        remainder = a - quotient * d
    if is_signed and width == 32:
        quotient_model, remainder_model = lane_quotient(a, d, 0, 1), lane_remainder(a, d, 0, 1)
        assert (quotient - quotient_model) % 2**32 == 0, pair
        assert (remainder - remainder_model) % 2**32 == 0, pair
    return quotient & last, remainder & last


def expected_cycles(kind: str, pair: Pair, width: int) -> int:
    """Cycles from the one that shows the operands to the one that shows the result."""
    is_signed, dividend, divisor = pair
    a, d = (to_signed(x, width) if is_signed else x for x in (dividend, divisor))
    law = divider(kind)
    a, d = magnitude(a, int(is_signed)), magnitude(d, int(is_signed))
    return engine_cycles(law.law_number, law.first, law.second, (), a, d, width)


@dataclass
class Scoreboard:
    """Counts what was compared and what differed."""

    kind: str
    width: int
    compared: int = 0
    value_mismatches: int = 0
    cycle_mismatches: int = 0
    worst_residual_cycles: int = 0
    longest_cycles: int = 0
    lengths: set[tuple[int, int]] = field(default_factory=set)
    examples: list[str] = field(default_factory=list)

    def take(self, pair: Pair, quotient: int, remainder: int, cycles: int) -> None:
        """Compare one division."""
        self.compared += 1
        values = expected_values(pair, self.width)
        law = expected_cycles(self.kind, pair, self.width)
        residual = cycles - law
        self.longest_cycles = max(self.longest_cycles, cycles)
        self.lengths.add((pair[1].bit_length(), pair[2].bit_length()))
        if values != (quotient, remainder):
            self.value_mismatches += 1
        if residual:
            self.cycle_mismatches += 1
            self.worst_residual_cycles = max(self.worst_residual_cycles, residual, key=abs)
        if (residual or values != (quotient, remainder)) and len(self.examples) < _EXAMPLES:
            self.examples.append(
                f"{'signed' if pair[0] else 'unsigned'} {pair[1]:#x} / {pair[2]:#x}: "
                f"{quotient:#x} rem {remainder:#x} in {cycles} cycles, "
                f"not {values[0]:#x} rem {values[1]:#x} in {law}"
            )

    def outcome(self) -> dict[str, Any]:
        """What ``run_bench`` brings back."""
        return {
            "kind": self.kind,
            "width": self.width,
            "compared": self.compared,
            "value_mismatches": self.value_mismatches,
            "cycle_mismatches": self.cycle_mismatches,
            "worst_residual_cycles": self.worst_residual_cycles,
            "longest_cycles": self.longest_cycles,
            "length_pairs": len(self.lengths),
            "examples": self.examples,
        }

    def verdict(self) -> None:
        """Fail with the first differences, if there are any."""
        assert not self.value_mismatches + self.cycle_mismatches, (
            f"{self.kind}: of {self.compared} divisions {self.value_mismatches} differ in value, "
            f"{self.cycle_mismatches} in cycles:\n" + "\n".join(self.examples)
        )
