"""The stall stack: every cycle of a run under one heading, all harts together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.sim import Run

_HEADINGS = {
    "boot": "before the first issue",
    "issue": "issuing instructions",
    "execute": "further cycles in execute",
    "wait.lsu": "waiting for the load-store unit",
    "wait.vcu": "waiting for the vector unit",
    "retry.vcu": "turned away by a busy vector unit",
    "wait.operand": "waiting for a result",
    "wait.fetch": "waiting for the next instruction",
    "trap": "traps",
    "parked": "slots of sleeping harts",
}


@dataclass(frozen=True, slots=True)
class StackPart:
    """Cycles of one cause; ``cause`` is its name in the counters without the hart and class."""

    cause: str
    heading: str
    cycles: int


def stall_stack(run: Run) -> tuple[StackPart, ...]:
    """The cycles of a run by cause, in a fixed order; causes that took none are left out.

    Raises:
        AssertionError: the parts do not sum to the run; a defect of gnomon.
    """
    sums = dict.fromkeys(_HEADINGS, 0)
    for name, cycles in run.counters.items():
        cause = name.partition(".")[2] or name
        kind = cause.partition(".")[0]
        sums[kind if kind in ("issue", "execute") else cause] += cycles
    if sum(sums.values()) != run.wall_cycles:
        raise AssertionError(f"the stack has {sum(sums.values())} of {run.wall_cycles} cycles")
    return tuple(
        StackPart(cause, _HEADINGS[cause], cycles) for cause, cycles in sums.items() if cycles
    )
