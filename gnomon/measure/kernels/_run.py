"""Cost of one run of a kernel, as data."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from gnomon.base.frames import Framed, typed

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from gnomon.measure.kernels._kernel import Extents
    from gnomon.measure.kernels.fixed import Status
    from gnomon.program import BuildInfo
    from gnomon.sim import RegionRun, Work

REGION = "kernel"
OF_REGION = ("wall_cycles", "hart_cycles", "issued", "counters", "work")
"""Attributes that are copied from the region of a run."""


@dataclass(frozen=True, slots=True)
class KernelRun(Framed):
    """Cost of one variant on one machine.

    ``wall_cycles`` count from the first instruction of the kernel until its result is in memory,
    plus the 4 cycles of the load that waits for it. ``hart_cycles`` count the wall cycles in which
    hart 0 holds the execute stage. ``error`` is the largest distance from the real-number result
    and ``error_bound`` the largest that the contract allows, both as real numbers. If the kernel
    failed, ``status`` is not OK and the error is 0 without meaning.
    """

    kernel: str
    variant: str
    contract: str
    function: str
    arch: str
    extents: Extents
    wall_cycles: int
    hart_cycles: int
    issued: int
    time_us: float
    error: float
    error_bound: float
    counters: Mapping[str, int]
    build: BuildInfo = field(repr=False)
    work: Work = field(repr=False)
    status: Status | None = None
    unobserved: tuple[str, ...] = field(default=(), repr=False)

    def caption(self) -> str:
        """Return kernel and machine."""
        return f"kernel {self.kernel} on {self.arch}"

    def frame(self) -> pd.DataFrame:
        """Return one row: kernel, machine, cycles, ``time_us``, ``error`` and its bound."""
        names = ("kernel", "variant", "arch", "extents", "wall_cycles", "hart_cycles", "issued",
                 "time_us", "error", "error_bound")  # fmt: skip
        return typed(names, [[getattr(self, name) for name in names]])

    def to_json(self) -> dict[str, Any]:
        """Return the run as JSON-compatible data."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)[:12]}
        return {
            **plain,
            "extents": list(self.extents),
            "status": None if self.status is None else self.status.name.lower(),
            "counters": dict(self.counters),
            "compiler": f"{self.build.compiler} {self.build.version}",
            "flags": list(self.build.flags),
        }

    def retimed(self, regions: Mapping[str, tuple[RegionRun, ...]]) -> KernelRun:
        """Return the run with the region of another machine, on which its path was timed.

        Name and time remain those of the measured machine.
        """
        (part,) = regions[REGION]
        return replace(self, **{name: getattr(part, name) for name in OF_REGION})
