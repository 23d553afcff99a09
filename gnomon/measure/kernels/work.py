"""Lower bounds for programs on one hart, derived in docs/notes/kernel-bounds.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_START = {"kdotp": 6, "other": 4}  # cycles before and after the beats of an instruction


@dataclass(frozen=True, slots=True)
class LeastVectorWork:
    """Least work of one algorithm for a kernel on the vector unit.

    Attributes:
        instructions: number of instructions, kind (``kdotp`` or ``other``), and words of each.
        loaded: words loaded from memory.
        stored: words stored to memory.
    """

    instructions: Sequence[tuple[int, str, int]]
    loaded: int
    stored: int


@dataclass(frozen=True, slots=True)
class CycleBound:
    """Least wall cycles of a vector kernel, by cause.

    ``vector_cycles`` is the busy time of the vector unit. ``issue_cycles`` is the same if each
    instruction starts in an issue slot of its hart, every third cycle. ``transfer_cycles`` is one
    cycle per word loaded and two per word stored.
    """

    vector_cycles: int
    issue_cycles: int
    transfer_cycles: int

    @property
    def cycles(self) -> int:
        """Bound by lanes, start-up and transfer bandwidth."""
        return max(self.vector_cycles, self.transfer_cycles)

    @property
    def one_hart_cycles(self) -> int:
        """Bound if one hart issues all vector instructions."""
        return max(self.issue_cycles, self.transfer_cycles)


def bound_work(work: LeastVectorWork, simd: int) -> CycleBound:
    """Return the bound of one algorithm on a vector unit with ``simd`` lanes."""
    vector = issue = 0
    for count, kind, words in work.instructions:
        busy = -(-words // simd) + _START[kind]
        vector += count * busy
        issue += count * 3 * -(-(busy + 1) // 3)
    return CycleBound(vector, issue, work.loaded + 2 * work.stored)
