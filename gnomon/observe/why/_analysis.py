"""Stall stacks and static bounds of a run.

No order of the same instructions on the same machine can be shorter than the largest bound. A
resource whose bound is near the run is what limits it; if none is, latencies do.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

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


@dataclass(frozen=True, slots=True)
class Bound:
    """Cycles that one resource is needed for."""

    resource: str  # its name
    cycles: int  # at least so many
    explanation: str  # of what they are made


Method = Literal["re-timed", "run"]
"""How a figure came about."""


@dataclass(frozen=True, slots=True)
class Gain:
    """The region on another machine."""

    change: str  # in words
    setting: str  # the key and its value, as `--set` takes them
    cycles: int | None  # wall cycles of the region there; None: it does not run there
    method: Method  # how they came about
    reason: str = ""  # why there are none


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A region as it is, and its gains, the largest first."""

    region: str  # its name
    hart: int  # the lowest one that ran it
    cycles: int  # wall cycles on the machine asked for, of all harts that ran it
    gains: tuple[Gain, ...]  # other machines
    refusal: str  # why the path could not be recorded, if so
    harts: tuple[int, ...] = ()  # all that ran it


_NEAR = 0.85
"""From this share of the run on, the resource with the largest bound is what limits it."""
_THROUGH_LSU = ("load", "store", "amo")


@dataclass(frozen=True, slots=True)
class StallAnalysis:
    """Where the cycles of a run go, what bounds it, and what other machines would gain."""

    run: Run
    architecture: Architecture
    gains: WhatIf | None = None
    ends: str = ""  # in words where it ends that has no exit

    @property
    def stack(self) -> tuple[StackPart, ...]:
        """The cycles of a run by cause, in a fixed order; causes that took none are left out.

        Raises:
            AssertionError: the parts do not sum to the run; a defect of gnomon.
        """
        sums = dict.fromkeys(_HEADINGS, 0)
        for name, cycles in self.run.counters.items():
            cause = name.partition(".")[2] or name
            kind = cause.partition(".")[0]
            sums[kind if kind in ("issue", "execute") else cause] += cycles
        if sum(sums.values()) != self.run.wall_cycles:
            raise AssertionError(
                f"the stack has {sum(sums.values())} of {self.run.wall_cycles} cycles"
            )
        return tuple(
            StackPart(cause, _HEADINGS[cause], cycles) for cause, cycles in sums.items() if cycles
        )

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """The bounds of the run, the largest first.

        Issue slots: one per instruction, without retries and sleeping slots; the strict rotation
        of the T13 gives a hart one slot in as many as there are harts, whatever the others do.
        Execute: the slots and further cycles of all instructions, which share one execute stage.
        LSU: cycles of loads, stores and swaps in execute, and of transfers; one in flight at the
        end counts whole. Lanes: beats of vector instructions, of the unit with most of them.
        """
        run, architecture = self.run, self.architecture
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
        moved = sum(w.busy_cycles for w in run.vector_work if is_transfer(w.mnemonic))
        told = f"{plain:,} cycles of loads and stores, {moved:,} of transfers"
        found.append(Bound("load-store unit", plain + moved, told))
        if architecture.vcu is not None:
            beats = [
                sum(w.beats for w in run.vector_work if w.hart == h and not is_transfer(w.mnemonic))
                for h in harts
            ]
            shared = architecture.vcu.sharing == "shared"
            most = sum(beats) if shared else max(beats)
            told = f"{sum(beats):,} beats of {architecture.vcu.simd} words"
            told += "" if shared else ", of the accelerator with most"
            found.append(Bound("lanes", most, told))
        return tuple(sorted(found, key=lambda each: (-each.cycles, each.resource)))

    @property
    def limit(self) -> str:
        """In words what the length of the run comes from: harts that sleep, a resource, waits."""
        stack = {part.cause: part for part in self.stack}
        wall, harts = self.run.wall_cycles, range(len(self.run.harts))
        asleep = [h for h in harts if self.run.counters.get(f"hart{h}.parked", 0) > wall // 6]
        if asleep:
            share = stack["parked"].cycles / wall
            return (
                f"{len(asleep)} of {len(harts)} harts sleep, and {share:.0%} of the cycles are"
                " their slots"
            )
        most = self.bounds[0]
        if most.cycles >= _NEAR * wall:
            return f"limited by the {most.resource}: in use for {most.cycles / wall:.0%} of the run"
        waits = [part for cause, part in stack.items() if cause.startswith(("wait", "retry"))]
        longest = max(waits, key=lambda part: part.cycles, default=None)
        told = f"no resource is in use for more than {most.cycles / wall:.0%} of the run"
        if longest is None:
            return told
        return f"{told}; most is lost {longest.heading}, {longest.cycles / wall:.0%}"

    def to_json(self) -> dict[str, Any]:
        """The object that ``gnomon why --json`` prints."""
        return {
            "program": self.run.program,
            "arch": self.run.arch,
            "wall_cycles": self.run.wall_cycles,
            "limit": self.limit,
            "ends": self.ends,
            "stack": [asdict(part) for part in self.stack],
            "bounds": [asdict(bound) for bound in self.bounds],
            "what_if": None if self.gains is None else asdict(self.gains),
        }


def is_transfer(mnemonic: str) -> bool:
    """Return whether a vector instruction moves data between memory and a scratchpad."""
    return mnemonic.startswith(("kmem", "kbcastld"))
