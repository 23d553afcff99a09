"""Stall stacks and static bounds of a run, and what other machines would gain.

No order of the same instructions on the same machine can be shorter than the largest bound. A
resource whose bound is near the run is what limits it; if none is, latencies do. What another
machine would gain: the same program on machines that differ in one key. Where the path of the run
can be recorded (:func:`gnomon.sim.TimedPath`), other lanes, sharing and dividers are priced by
re-timing it, which is exact and quick; else each machine runs the program. Both give the cycles of
a direct run, and each row says which it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from gnomon.arch import Architecture, load_architecture
from gnomon.arch.dividers import Divider
from gnomon.base.errors import GnomonError
from gnomon.observe.why._end import run_to_end
from gnomon.program import Program
from gnomon.sim import Region, Run, TimedPath

if TYPE_CHECKING:
    from gnomon.observe.why._advice import Advice

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

_MOST_LANES = 8


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
class Why:
    """Where the cycles of a run go, what bounds it, and what other machines would gain."""

    run: Run
    architecture: Architecture
    gains: WhatIf | None = None
    ends: str = ""  # in words where it ends that has no exit

    @staticmethod
    def run_to_end(
        program: Program, architecture: Architecture, *, max_cycles: int
    ) -> tuple[Run, str]:
        """Run a program to its exit, or to a jump to itself; see ``ends`` for the second value."""
        return run_to_end(program, architecture, (), max_cycles)

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

    def advice(
        self,
        program: Program,
        machine: str,
        overrides: Sequence[str],
        rebuild: Callable[..., Program] | None = None,
    ) -> tuple[Advice, ...]:
        """Changes that save at least a hundredth of the run, the one that saves most first.

        ``rebuild`` builds the program with other options of ``gnomon.program.build``; None for an
        executable.
        """
        from gnomon.observe.why._advice import advise

        return advise(self, program, machine, overrides, rebuild)

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

    @staticmethod
    def what_if(
        program: Program,
        machine: str,
        overrides: Sequence[str],
        region: Region,
        *,
        max_cycles: int,
        exits: bool = True,
    ) -> WhatIf:
        """Price the neighbors of a machine.

        Args:
            program: what to run.
            machine: name or path of the machine.
            overrides: settings that it already has.
            region: what to measure.
            max_cycles: where a run ends that does not end by itself.
            exits: whether the program has an exit; else it is run on each machine.

        Raises:
            GnomonError: if the program does not run to its end on the machine, or no hart enters
                and leaves the region.
        """
        here = load_architecture(machine, overrides)
        path: TimedPath | None = None
        refusal = ""
        if exits:
            try:
                path = TimedPath.record(program, here, [region], max_cycles=max_cycles)
            except TimedPath.NotPriceable as refused:
                refusal = str(refused)
        else:
            refusal = "the program has no exit"

        def part(architecture: Architecture) -> tuple[int, tuple[int, ...], Method]:
            try:
                if path is not None:
                    runs = path.retime(architecture)[region.name]
                    if len(runs) == 1:
                        return runs[0].wall_cycles, (runs[0].hart,), "re-timed"
            except TimedPath.NotPriceable:
                pass
            return (*_measured(program, architecture, region, max_cycles), "run")

        def gain(change: str, setting: str) -> Gain:
            try:
                there = load_architecture(machine, [*overrides, *setting.split(" ")])
                cycles, _, method = part(there)
                return Gain(change, setting, cycles, method)
            except GnomonError as refused:
                return Gain(change, setting, None, "run", str(refused))

        def order(each: Gain) -> tuple[bool, int]:
            return each.cycles is None, each.cycles or 0

        now, harts, _ = part(here)
        gains = [
            min((gain(change, setting) for setting in settings), key=order)
            for change, settings in _candidates(here)
        ]
        ranked = tuple(sorted(gains, key=order))
        return WhatIf(region.name, harts[0], now, ranked, refusal, harts)


def _measured(
    program: Program, architecture: Architecture, region: Region, max_cycles: int
) -> tuple[int, tuple[int, ...]]:
    """Return the wall cycles of a region in a run, and the harts that they are of."""
    run, ends = run_to_end(program, architecture, [region], max_cycles)
    if run.halted != "exit" and not ends:
        raise GnomonError(f"{program.name}: {run.halted}: {run.reason}")
    total = run.region_totals.get(region.name)
    if total is None:
        raise GnomonError(f"{program.name}: {region.name} was never entered and left")
    if total.unfinished:  # of the lowest hart that leaves it, which the answer names
        lowest = min(run.regions[region.name], key=lambda each: each.hart)
        return lowest.wall_cycles, (lowest.hart,)
    return total.wall_cycles, total.harts


def is_transfer(mnemonic: str) -> bool:
    return mnemonic.startswith(("kmem", "kbcastld"))


def _candidates(here: Architecture) -> Iterable[tuple[str, list[str]]]:
    """Changes with the settings that make them; of several, the best is told."""
    vcu, core = here.vcu, here.core
    if vcu is not None:
        if 2 * vcu.simd <= _MOST_LANES:
            yield "twice the lanes", [f"vcu.simd={2 * vcu.simd}"]
        if vcu.simd > 1:
            yield "half the lanes", [f"vcu.simd={vcu.simd // 2}"]
        if vcu.divider is not None:
            names = [name for name in Divider.by_name() if name not in (vcu.divider, "table")]
            yield "fastest vector divider", [f"vcu.divider={name}" for name in names]
    if core.divider is not None:
        names = [name for name in Divider.by_name() if name not in (core.divider, "table")]
        yield "fastest divider", [f"core.divider={name}" for name in names]
    if core.model == "t13" and not core.superscalar:
        yield "superscalar execution", ["core.superscalar=true"]
