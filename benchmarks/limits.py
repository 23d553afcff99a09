"""What the simulator promises, and whether it keeps it on this computer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks import engine, recording, watching

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.clock import Timed
    from benchmarks.recording import Recorded
    from benchmarks.start import Start
    from benchmarks.watching import Overhead, Written

MIN_MIPS_ONE_HART = 250.0
MIN_MEGACYCLES_PER_SECOND_VECTOR = 50.0


@dataclass(frozen=True, slots=True)
class Limit:
    """One promise. ``at_least`` tells which side of the limit is the good one."""

    name: str
    unit: str
    measured: float
    limit: float
    at_least: bool

    @property
    def kept(self) -> bool:
        """Whether the measured figure is on the good side."""
        return self.measured >= self.limit if self.at_least else self.measured < self.limit

    def __str__(self) -> str:
        side = "at least" if self.at_least else "below"
        return f"{self.name}: {self.measured:.2f} {self.unit}, must be {side} {self.limit:g}"


def limits(
    timed: Iterable[Timed],
    starts: Iterable[Start],
    recorded: Recorded,
    overheads: Iterable[Overhead],
    written: Iterable[Written],
) -> list[Limit]:
    """All promises, each with its figure."""
    found = []
    for t in timed:
        if t.simulator != engine.NAME:
            continue
        name = f"{t.case.name} on {t.case.machine}"
        if t.case.vector:
            assert t.megacycles_per_second is not None
            rate, least = t.megacycles_per_second, MIN_MEGACYCLES_PER_SECOND_VECTOR
            found.append(Limit(name, "M cycles/s", rate, least, at_least=True))
        elif t.case.active_harts == 1:
            found.append(Limit(name, "MIPS", t.mips, MIN_MIPS_ONE_HART, at_least=True))
    found += [
        Limit(s.name, "s CPU", s.cpu_seconds, s.limit_cpu_seconds, at_least=False) for s in starts
    ]
    size = f"gnomon power activity, {recorded.reading.stream_bytes / 1e9:.1f} GB of VCD"
    speed, growth = recorded.reading.megabytes_per_second, recorded.growth_mebibytes
    least, most = recording.MIN_MEGABYTES_PER_SECOND, recording.MAX_GROWTH_MEBIBYTES
    found += [
        Limit(size, "MB/s CPU", speed, least, at_least=True),
        Limit(f"{size}: memory beyond that of 60 MB", "MiB", growth, most, at_least=False),
    ]
    most = watching.MAX_PROFILE_OVERHEAD_PERCENT
    worst = f"{watching.WORST_CASE.name} on {watching.WORST_CASE.machine}"
    found += [
        Limit(f"profile of {each.name}", "% more CPU", each.percent, most, at_least=False)
        for each in overheads
        if each.name != worst
    ]
    least = watching.MIN_MEGA_EVENTS_PER_SECOND
    found += [
        Limit(f"writing {each.format}", "M events/s", each.mega_events_per_second, least,
              at_least=True)
        for each in written
    ]  # fmt: skip
    return found
