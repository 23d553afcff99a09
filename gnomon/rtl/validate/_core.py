"""``gnomon validate rtl``: the simulator against what was measured on the T13 RTL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.rtl.validate._core_programs import (
    counter_steps,
    overlap_cycles,
    scalar_cycles,
    trap_causes,
    whole_programs,
)
from gnomon.rtl.validate._core_vector import transfer_cycles, vector_cycles_measured
from gnomon.rtl.validate._core_words import multiply_and_divide, vector_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.rtl.validate._record import Record, Tally

COMMAND = "gnomon validate rtl"
TOOL = "klessydra/T13x c2c62163, ghdl 2.0.0"
"""What the measurements were taken from: ``tests/reference/t13x/README.md``."""
_WHOLE = "14 whole programs: every issue, exit, counters, data memory"
_COMPARISONS: dict[str, Callable[[], Tally]] = {
    "T13: scalar instructions: cycles": scalar_cycles,
    "T13: vector instructions: busy cycles, what follows": vector_cycles_measured,
    "T13: transfers: busy cycles, requests, what follows": transfer_cycles,
    "T13: overlap and contention of 3 harts: cycles": overlap_cycles,
    "T13: vector instructions: result words": vector_words,
    "T13: M instructions: results": multiply_and_divide,
    "T13: traps: cause and place": trap_causes,
    "T13: counters of each hart, count_all off": counter_steps,
    f"T13: {_WHOLE}": whole_programs,
}
CORE_QUANTITIES = tuple(_COMPARISONS)


def check_core(done: Callable[[str], None] = lambda _: None) -> tuple[Record, ...]:
    """Run every measured program again and compare; no tolerance.

    Args:
        done: called with each quantity that was compared.

    Raises:
        GnomonError: the measurements are not here (a wheel), or a program did not end.
    """
    records = []
    for quantity, compare in _COMPARISONS.items():
        records.append(compare().record(quantity, "rtl", COMMAND, TOOL))
        done(quantity)
    return tuple(records)
