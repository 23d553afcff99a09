"""Stall stacks and static bounds: where the cycles went, and what each resource alone would take.

No order of the same instructions on the same machine can be shorter than the largest bound. A
resource whose bound is near the run is what limits it; if none is, latencies do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.arch import Architecture
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


_THROUGH_LSU = ("load", "store", "amo")


@dataclass(frozen=True, slots=True)
class Bound:
    """Cycles that one resource is needed for.

    Attributes:
        resource: its name.
        cycles: at least so many.
        explanation: of what they are made.
    """

    resource: str
    cycles: int
    explanation: str


def bounds(run: Run, architecture: Architecture) -> tuple[Bound, ...]:
    """The bounds of a run, the largest first.

    Issue slots: one per instruction, without retries and sleeping slots; the strict rotation of
    the T13 gives a hart one slot in as many as there are harts, whatever the others do. Execute:
    the slots and further cycles of all instructions, which share one execute stage. LSU: cycles of
    loads, stores and swaps in execute, and of transfers; one in flight at the end counts whole.
    Lanes: beats of vector instructions, of the unit with most of them.
    """
    harts = range(len(run.harts))

    def booked(hart: int, *prefixes: str) -> int:
        names = tuple(f"hart{hart}.{prefix}" for prefix in prefixes)
        return sum(cycles for name, cycles in run.counters.items() if name.startswith(names))

    issued = [booked(hart, "issue.") for hart in harts]
    found = []
    if architecture.core.model == "t13":
        busiest = max(issued)
        slots = len(run.harts) * max(busiest - 1, 0) + 1
        told = f"{busiest:,} instructions of the busiest hart, one slot in {len(run.harts)}"
        found.append(Bound("issue slots", max(slots, sum(issued)), told))
    execute = sum(booked(hart, "issue.", "execute.") for hart in harts)
    found.append(Bound("execute stage", execute, f"{sum(issued):,} instructions, one stage"))
    through = [f"{kind}.{name}" for kind in ("issue", "execute") for name in _THROUGH_LSU]
    plain = sum(booked(hart, *through) for hart in harts)
    moved = sum(w.busy_cycles for w in run.vector_work if _is_transfer(w.mnemonic))
    told = f"{plain:,} cycles of loads and stores, {moved:,} of transfers"
    found.append(Bound("load-store unit", plain + moved, told))
    if architecture.vcu is not None:
        beats = [
            sum(w.beats for w in run.vector_work if w.hart == h and not _is_transfer(w.mnemonic))
            for h in harts
        ]
        shared = architecture.vcu.sharing == "shared"
        most = sum(beats) if shared else max(beats)
        told = f"{sum(beats):,} beats of {architecture.vcu.simd} words"
        told += "" if shared else ", of the accelerator with most"
        found.append(Bound("lanes", most, told))
    return tuple(sorted(found, key=lambda each: (-each.cycles, each.resource)))


def _is_transfer(mnemonic: str) -> bool:
    return mnemonic.startswith(("kmem", "kbcastld"))
