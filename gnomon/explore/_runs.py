"""Runs of a process, for reuse on other machines.

If a run did not observe any difference between two machines, the second machine is not simulated:
its run is equal (see ``Run.unobserved``). If machines differ in timing that programs cannot
observe, the second run is recorded. All others are priced from this recording (see
:func:`gnomon.sim.TimedPath`); a run that cannot be priced is simulated.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, field, replace
from operator import add, sub
from typing import Any, Protocol, TypeVar

from gnomon.arch import Architecture
from gnomon.sim import NEVER_OBSERVED, PRICED_KEYS, NotPriceable, RegionRun, TimedPath

_MOST_PATHS = 64
_MOST_RUNS = 1024  # each takes some 40 KB; similar machines follow each other


class _Run(Protocol):
    @property
    def unobserved(self) -> tuple[str, ...]: ...


class _Machine(Protocol):
    """A machine of a sweep, and its digest without some keys."""

    @property
    def architecture(self) -> Architecture: ...

    def observed(self, unobserved: tuple[str, ...]) -> str: ...


R = TypeVar("R", bound=_Run)
_TIMELESS = (*NEVER_OBSERVED, *PRICED_KEYS)


@dataclass(frozen=True, slots=True)
class Counts:
    """Origin of points and of their runs."""

    cached: int = 0  # taken from the cache
    computed: int = 0  # evaluated now
    simulated: int = 0  # runs made for them
    recorded: int = 0  # additional recordings of paths for them; each takes two runs
    retimed: int = 0  # points priced from a recorded path, which is exact
    alike: int = 0  # points from a run on another machine that the program cannot distinguish

    def __add__(self, other: Counts) -> Counts:
        """Return the sum of both."""
        return Counts(*map(add, astuple(self), astuple(other)))

    def __sub__(self, other: Counts) -> Counts:
        """Return the difference."""
        return Counts(*map(sub, astuple(self), astuple(other)))


@dataclass(slots=True)
class Runs:
    """Runs of this process so far."""

    effort: Counts = Counts()
    _known: dict[object, dict[tuple[str, ...], dict[str, Any]]] = field(default_factory=dict)
    _places: deque[tuple[object, tuple[str, ...], str]] = field(default_factory=deque)
    _executed: dict[object, Any] = field(default_factory=dict)
    _paths: dict[object, TimedPath | None] = field(default_factory=dict)
    _counting: dict[str | None, bool] = field(default_factory=dict)  # by power table

    def get(
        self,
        key: object,
        machine: _Machine,
        execute: Callable[[], R],
        record: Callable[[], TimedPath],
        again: Callable[[R, Mapping[str, tuple[RegionRun, ...]]], R],
    ) -> R:
        """Return the run of a machine.

        ``key`` holds program, inputs and all other inputs of a run except the machine. ``record``
        records its path. ``again`` returns a run that differs from another in its regions only.
        """
        architecture = machine.architecture
        if architecture.power not in self._counting:
            self._counting[architecture.power] = architecture.counts_operands
        priceable = not self._counting[architecture.power]
        if not priceable:  # other machines' runs and paths lack operand counts
            key = (key, "operands")
        for unobserved, by_fingerprint in self._known.get(key, {}).items():
            known: R | None = by_fingerprint.get(machine.observed(unobserved))
            if known is not None:
                self.effort += Counts(alike=1)
                return known
        run: R | None = None
        family = key, machine.observed(_TIMELESS)
        if priceable and family in self._executed:
            regions = self._price(family, architecture, record)
            if regions is not None:
                self.effort += Counts(retimed=1)
                run = again(self._executed[family], regions)
        if run is None:
            run = execute()
            self.effort += Counts(simulated=1)
            if len(self._executed) >= _MOST_RUNS:
                self._executed.pop(next(iter(self._executed)))
            self._executed[family] = run
        self._remember(key, run.unobserved, machine.observed(run.unobserved), run)
        return run

    def _remember(
        self, key: object, unobserved: tuple[str, ...], fingerprint: str, run: object
    ) -> None:
        """Keep a run for machines that it cannot distinguish, and forget the oldest of many."""
        self._known.setdefault(key, {}).setdefault(unobserved, {})[fingerprint] = run
        self._places.append((key, unobserved, fingerprint))
        if len(self._places) > _MOST_RUNS:
            key, unobserved, fingerprint = self._places.popleft()
            by_unobserved = self._known[key]
            del by_unobserved[unobserved][fingerprint]
            if not by_unobserved[unobserved]:
                del by_unobserved[unobserved]
            if not by_unobserved:
                del self._known[key]

    def _price(
        self, family: object, architecture: Architecture, record: Callable[[], TimedPath]
    ) -> Mapping[str, tuple[RegionRun, ...]] | None:
        """Return the regions of a run on a machine, or None if it must be simulated."""
        if family not in self._paths:
            if len(self._paths) >= _MOST_PATHS:
                self._paths.pop(next(iter(self._paths)))
            try:
                self._paths[family] = replace(record(), data_memory=b"")
                self.effort += Counts(recorded=1)
            except NotPriceable:
                self._paths[family] = None
        path = self._paths[family]
        try:
            return None if path is None else path.retime(architecture)
        except NotPriceable:
            return None
