"""Stall stacks and static bounds of a run.

The same instructions on the same machine, in any order, take at least as long as the largest bound.
If the bound of a resource is close to the run, that resource limits it; else latencies do.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from gnomon.arch import Architecture
from gnomon.isa import INSTRUCTIONS
from gnomon.sim import Run

_TRANSFERS = frozenset(row.mnemonic for row in INSTRUCTIONS if row.timing_class == "kmem")
_HEADINGS = {
    "boot": "before the first issue",
    "issue": "issuing instructions",
    "execute": "further cycles in execute",
    "wait.lsu": "waiting for the load-store unit",
    "wait.vcu": "waiting for the vector unit",
    "retry.vcu": "turned away by a busy vector unit",
    "wait.operand": "waiting for a result",
    "wait.fetch": "waiting for the next instruction",
    "wait.icache": "waiting for a line of the instruction cache",
    "wait.dcache": "waiting for a line of the data cache",
    "wait.device": "waiting for a device",
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
    """Lower bound on the cycles of a run, from one resource."""

    resource: str  # its name
    cycles: int  # the bound
    explanation: str  # the terms of the bound in words


Method = Literal["re-timed", "run"]
"""Methods that give a figure."""


@dataclass(frozen=True, slots=True)
class Gain:
    """Wall cycles of a region on another machine."""

    change: str  # in words
    setting: str  # the key and its value, as `--set` takes them
    cycles: int | None  # wall cycles of the region there; None: it does not run there
    method: Method  # source of the cycles
    reason: str = ""  # why `cycles` is None


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A region on its machine, and its gains on others, the largest first."""

    region: str  # its name
    hart: int  # the lowest one that ran it
    cycles: int  # wall cycles on the given machine, of all harts that ran it
    gains: tuple[Gain, ...]  # other machines
    refusal: str  # why the path could not be recorded; empty: it was
    harts: tuple[int, ...] = ()  # all that ran it


_NEAR = 0.85
"""Smallest share of the run at which the resource with the largest bound limits it."""
_THROUGH_LSU = ("load", "store", "amo")


@dataclass(frozen=True, slots=True)
class StallAnalysis:
    """Stall stack, bounds and what-if gains of a run."""

    run: Run
    architecture: Architecture
    gains: WhatIf | None = None
    ends: str = ""  # end of a run without exit, in words; empty: it exits

    @property
    def stack(self) -> tuple[StackPart, ...]:
        """Cycles of the run by cause, in a fixed order, without causes of 0 cycles.

        Raises:
            AssertionError: if the parts do not sum to the run; a defect of gnomon.
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
        """Bounds of the run, the largest first.

        Issue slots: one per instruction, without retries and sleeping slots. The strict rotation
        of the T13 gives each of n harts one slot in n.
        Execute: slots and further cycles of all instructions, which share one execute stage.
        LSU: execute cycles of loads, stores and swaps, and cycles of transfers. A transfer in
        flight at the end counts completely.
        Lanes: beats of vector instructions, of the busiest vector unit.
        """
        run, architecture = self.run, self.architecture
        harts = range(len(run.harts))

        def counted(hart: int, *prefixes: str) -> int:
            names = tuple(f"hart{hart}.{prefix}" for prefix in prefixes)
            return sum(cycles for name, cycles in run.counters.items() if name.startswith(names))

        issued = [counted(hart, "issue.") for hart in harts]
        found = []
        if architecture.core.model == "t13":
            busiest = max(issued)
            slots = len(run.harts) * max(busiest - 1, 0) + 1
            text = f"{busiest:,} instructions of the busiest hart, one slot in {len(run.harts)}"
            found.append(Bound("issue slots", max(slots, sum(issued)), text))
        execute = sum(counted(hart, "issue.", "execute.") for hart in harts)
        found.append(Bound("execute stage", execute, f"{sum(issued):,} instructions, one stage"))
        through = [f"{kind}.{name}" for kind in ("issue", "execute") for name in _THROUGH_LSU]
        plain = sum(counted(hart, *through) for hart in harts)
        moved = sum(w.busy_cycles for w in run.vector_work if is_transfer(w.mnemonic))
        text = f"{plain:,} cycles of loads and stores, {moved:,} of transfers"
        found.append(Bound("load-store unit", plain + moved, text))
        if architecture.vcu is not None:
            beats = [
                sum(w.beats for w in run.vector_work if w.hart == h and not is_transfer(w.mnemonic))
                for h in harts
            ]
            shared = architecture.vcu.sharing == "shared"
            most = sum(beats) if shared else max(beats)
            text = f"{sum(beats):,} beats of {architecture.vcu.simd} words"
            text += "" if shared else ", of the accelerator with most"
            found.append(Bound("lanes", most, text))
        return tuple(sorted(found, key=lambda each: (-each.cycles, each.resource)))

    @property
    def limit(self) -> str:
        """Limiting factor of the run in words: sleeping harts, a resource or waits."""
        stack = {part.cause: part for part in self.stack}
        wall, harts = self.run.wall_cycles, range(len(self.run.harts))
        asleep = [h for h in harts if self.run.counters.get(f"hart{h}.parked", 0) > wall // 6]
        if asleep:
            share = stack["parked"].cycles / wall
            if len(harts) == 1:
                return f"the core sleeps (wfi) in {share:.0%} of the cycles"
            return (
                f"{len(asleep)} of {len(harts)} harts sleep, and {share:.0%} of the cycles are"
                " their slots"
            )
        most = self.bounds[0]
        if most.cycles >= _NEAR * wall:
            return f"limited by the {most.resource}: in use for {most.cycles / wall:.0%} of the run"
        waits = [part for cause, part in stack.items() if cause.startswith(("wait", "retry"))]
        longest = max(waits, key=lambda part: part.cycles, default=None)
        text = f"no resource is in use for more than {most.cycles / wall:.0%} of the run"
        if longest is None:
            return text
        return f"{text}; most is lost {longest.heading}, {longest.cycles / wall:.0%}"

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``gnomon why --json`` prints."""
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
    return mnemonic in _TRANSFERS
