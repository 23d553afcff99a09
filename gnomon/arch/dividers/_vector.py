"""The busy time of one vector division, without a simulator: for studies and tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.arch.dividers._units import START_UP_CYCLES, lane_cycles, step_cycles
from gnomon.base.errors import GnomonError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.arch.dividers._divider import Divider
    from gnomon.arch.dividers._table import Lookup


def vector_cycles(
    chosen: Divider,
    dividends: Sequence[int],
    divisors: Sequence[int],
    *,
    simd: int,
    pre_shift: int = 0,
    table: Lookup = (),
) -> int:
    """Busy cycles of one vector division, the scratchpads idle and the divider free.

    A step takes ``simd`` elements and is as slow as its slowest lane. Lanes beyond the end of the
    vector do nothing.

    Args:
        chosen: the divider of each lane.
        dividends: signed 32-bit elements.
        divisors: as many signed 32-bit elements.
        simd: lanes.
        pre_shift: 0, or the left shift of kvdivps.
        table: of a user's divider, from ``table_lookup``.

    Raises:
        GnomonError: vectors of different lengths, or a divider unknown for shifted dividends.
    """
    if len(dividends) != len(divisors):
        raise GnomonError(
            f"{len(dividends)} dividends and {len(divisors)} divisors: they must be as many"
        )
    if pre_shift and not chosen.wide:
        raise GnomonError(f"{chosen.name}: its cycles are not known for shifted dividends")
    lanes = [
        lane_cycles(chosen.law_number, chosen.first, chosen.second, table, a, b, pre_shift)
        for a, b in zip(dividends, divisors, strict=True)
    ]
    steps = (max(lanes[first : first + simd]) for first in range(0, len(lanes), simd))
    return START_UP_CYCLES + sum(step_cycles(slowest) for slowest in steps) if lanes else 0
