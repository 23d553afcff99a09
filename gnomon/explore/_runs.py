"""Runs made by a process, to use again on other machines.

Where a run says that it has not observed what two machines differ in, the second machine is not
simulated: it is the same run (see ``Run.unobserved``). Where machines differ in timing that no
program can see, the second one's run is recorded, and all others are priced from that recording
(see :func:`gnomon.sim.TimedPath`); what cannot be priced is simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, field, replace
from operator import add, sub
from typing import Any, Protocol, TypeVar

from gnomon.arch import Architecture
from gnomon.sim import NotPriceable, RegionRun, Run, TimedPath

_MOST_PATHS = 64


class _Run(Protocol):
    @property
    def unobserved(self) -> tuple[str, ...]: ...


R = TypeVar("R", bound=_Run)


@dataclass(frozen=True, slots=True)
class Effort:
    """How runs were come by."""

    simulated: int = 0  # executed
    recorded: int = 0  # paths that were recorded besides; each executes the program twice
    retimed: int = 0  # priced from a recorded path
    alike: int = 0  # taken from a machine that the program cannot tell from this one

    def __add__(self, other: Effort) -> Effort:
        """Both."""
        return Effort(*map(add, astuple(self), astuple(other)))

    def __sub__(self, other: Effort) -> Effort:
        """What one is beyond another."""
        return Effort(*map(sub, astuple(self), astuple(other)))


@dataclass(slots=True)
class Runs:
    """All runs so far."""

    effort: Effort = Effort()
    _known: dict[object, dict[tuple[str, ...], dict[str, Any]]] = field(default_factory=dict)
    _executed: dict[object, Any] = field(default_factory=dict)
    _paths: dict[object, TimedPath | None] = field(default_factory=dict)

    def get(
        self,
        key: object,
        architecture: Architecture,
        execute: Callable[[], R],
        record: Callable[[], TimedPath] | None = None,
        again: Callable[[R, Mapping[str, tuple[RegionRun, ...]]], R] | None = None,
    ) -> R:
        """The run of a machine.

        ``key``: program, inputs and all else that decides a run besides the machine; ``record``
        records its path, None: such runs are not priced; ``again``: a run that differs from another
        in its regions only.
        """
        if architecture.counts_operands:  # neither other machines' runs nor paths have them
            key, record = (key, "operands"), None
        run: R | None = self._find(key, architecture)
        if run is not None:
            self.effort += Effort(alike=1)
            return run
        family = key, Run.fingerprint(architecture, (*Run.NEVER_OBSERVED, *TimedPath.PRICED))
        if record is not None and again is not None and family in self._executed:
            regions = self._price(family, architecture, record)
            if regions is not None:
                self.effort += Effort(retimed=1)
                run = again(self._executed[family], regions)
        if run is None:
            run = execute()
            self.effort += Effort(simulated=1)
            self._executed[family] = run
        self._keep(key, architecture, run)
        return run

    def _find(self, key: object, architecture: Architecture) -> Any:
        for unobserved, by_fingerprint in self._known.get(key, {}).items():
            known = by_fingerprint.get(Run.fingerprint(architecture, unobserved))
            if known is not None:
                return known
        return None

    def _keep(self, key: object, architecture: Architecture, run: _Run) -> None:
        by_unobserved = self._known.setdefault(key, {})
        by_fingerprint = by_unobserved.setdefault(run.unobserved, {})
        by_fingerprint[Run.fingerprint(architecture, run.unobserved)] = run

    def _price(
        self, family: object, architecture: Architecture, record: Callable[[], TimedPath]
    ) -> Mapping[str, tuple[RegionRun, ...]] | None:
        """The regions of a run on a machine, or None if it must be simulated."""
        if family not in self._paths:
            if len(self._paths) >= _MOST_PATHS:
                self._paths.pop(next(iter(self._paths)))
            try:
                self._paths[family] = replace(record(), data_memory=b"")
                self.effort += Effort(recorded=1)
            except NotPriceable:
                self._paths[family] = None
        path = self._paths[family]
        try:
            return None if path is None else path.retime(architecture)
        except NotPriceable:
            return None
