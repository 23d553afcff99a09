"""What no program for one hart can beat: the bounds that docs/kernel-bounds.md derives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError

if TYPE_CHECKING:
    from gnomon.bench.kernels._kernel import Extents

_START = {"kdotp": 6, "other": 4}  # cycles before and after the beats of an instruction

Work = tuple[int, str, int]
"""How many vector instructions, of which kind, of how many words each."""


@dataclass(frozen=True, slots=True)
class CycleBound:
    """The least wall cycles of a vector kernel, by what they are spent on.

    ``vector_cycles`` is the vector unit's busy time. ``issue_cycles`` is the same with each
    instruction starting in a slot of its hart, every third cycle. ``transfer_cycles`` is one cycle
    per word loaded and two per word stored.
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
        """The same where one hart issues all vector instructions."""
        return max(self.issue_cycles, self.transfer_cycles)


def _bound(simd: int, work: list[Work], loaded: int, stored: int) -> CycleBound:
    vector = issue = 0
    for count, kind, words in work:
        busy = -(-words // simd) + _START[kind]
        vector += count * busy
        issue += count * 3 * -(-(busy + 1) // 3)
    return CycleBound(vector, issue, loaded + 2 * stored)


def cycle_bound(kernel: str, extents: Extents, simd: int) -> CycleBound:
    """The bound of a kernel's vector variant for operands that fit the scratchpads.

    Raises:
        GnomonError: no bound is derived for this kernel.
    """
    if kernel in {"add", "sub", "scale"}:
        words = extents[0] * extents[1]
        work = [(1 if kernel != "scale" else 3, "other", words)]
        return _bound(simd, work, words if kernel == "scale" else 2 * words, words)
    if kernel == "outer":
        rows, columns = extents
        whole = rows * columns
        work = [(rows, "other", columns), (2, "other", whole), (4, "other", rows)]
        return _bound(simd, [*work, (1, "other", columns)], whole + rows + columns, whole)
    if kernel == "matvec":
        rows, inner, columns = 1, extents[1], extents[0]
    elif kernel in {"multiply", "multiply-transposed"}:
        rows, inner, columns = extents
    else:
        raise GnomonError(f"no bound is derived for kernel {kernel}")
    shifts = [(1, "other", words) for words in (rows * inner, inner * columns, rows * columns)]
    loaded, stored = rows * inner + inner * columns, rows * columns
    dots = _bound(simd, [(rows * columns, "kdotp", inner), *shifts], loaded, stored)
    if kernel != "multiply":
        return dots
    sums = rows * inner - rows
    by_rows = [(rows * inner, "other", columns), (sums, "other", columns)]
    return min(
        dots, _bound(simd, [*by_rows, *shifts], loaded, stored), key=lambda bound: bound.cycles
    )
