"""The Cortex-M4 and Cortex-A72 cells of Tables 2 and 3: priced counts beside published cycles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gnomon.content.reports.paper.published import TABLES, CellKey, published_cells
from gnomon.cost.platforms import (
    Known,
    documented_cycles,
    fit_factor,
    leave_one_size_out,
    load_platform,
    mean_error,
)

from .counts import BUILDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.base.interval import Interval
    from gnomon.cost.platforms import LeftOut, Platform

    from .counts import Counted

PLATFORMS = ("cortex-m4", "cortex-a72")
METRICS = {"cycles": "cycles", "time": "us", "energy": "uJ"}
PLATFORM_READINGS = ("left-out", "documented")
"""``left-out``: with the factor of the other sizes. ``documented``: nothing fitted."""


@dataclass(frozen=True, slots=True)
class PlatformCell:
    """One cell on one platform.

    Attributes:
        key: of its cycles.
        platform: the core.
        counted: what our program executes.
        published: cycles, time in us, energy in uJ by metric; empty where the paper has N.A.
        documented: cycles by the documentation alone.
        factor: fitted to the published cells of the other sizes.
        left_out: the prediction with that factor; None where nothing is published.
    """

    key: CellKey
    platform: Platform
    counted: Counted
    published: Mapping[str, int]
    documented: Interval
    factor: float
    left_out: LeftOut | None

    @property
    def fits(self) -> bool:
        """Whether the program fits the memory of the board."""
        return self.counted.needed_bytes <= self.platform.memory

    def cycles(self, reading: str) -> float:
        """Our cycles in one reading."""
        return self.documented.value * (self.factor if reading == "left-out" else 1.0)

    def ours(self, metric: str, reading: str) -> float:
        """Our cycles, microseconds or microjoules; energy is power times time."""
        cycles = self.cycles(reading)
        if metric == "cycles":
            return cycles
        time_us = cycles * 1e6 / self.platform.clock
        return time_us if metric == "time" else time_us * self.platform.power_mw / 1e3


@dataclass(frozen=True, slots=True)
class BuildError:
    """How near one build of the program is to the published cells.

    Attributes:
        documented_error: mean absolute relative error of the documentation alone.
        documented_ratio: mean of documentation over published.
        left_out_error: mean absolute relative error with one factor, sizes left out.
        left_out_worst: the error of largest size, with its sign.
    """

    documented_error: float
    documented_ratio: float
    left_out_error: float
    left_out_worst: float


@dataclass(frozen=True, slots=True)
class PlatformFit:
    """One platform over all its cells.

    Attributes:
        platform: the core, with the calibration that ships.
        cells: all cells in the order of the tables.
        factor: fitted to all published cells.
        builds: how near each build of the program is.
    """

    platform: Platform
    cells: tuple[PlatformCell, ...]
    factor: float
    builds: Mapping[str, BuildError]

    @property
    def known(self) -> tuple[PlatformCell, ...]:
        """The cells that have a published figure."""
        return tuple(cell for cell in self.cells if cell.published)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The predictions of cells by other sizes."""
        return tuple(cell.left_out for cell in self.cells if cell.left_out is not None)

    @property
    def left_out_error(self) -> float:
        """Mean absolute relative error of the left-out cells."""
        return mean_error([cell.ratio for cell in self.left_out])

    @property
    def left_out_range(self) -> tuple[float, float]:
        """Lowest and highest prediction over published."""
        ratios = [cell.ratio for cell in self.left_out]
        return min(ratios), max(ratios)

    @property
    def worst(self) -> PlatformCell:
        """The left-out cell with the largest error."""
        cells = [(abs(c.left_out.ratio - 1), i) for i, c in enumerate(self.cells) if c.left_out]
        return self.cells[max(cells)[1]]


def fit_platform(name: str, counts: Sequence[Counted]) -> PlatformFit:
    """Price all counts on a platform, and fit and test its factor.

    Raises:
        GnomonError: something executed has no cost.
    """
    platform = load_platform(name)
    published = published_cells()
    cells: list[PlatformCell] = []
    builds = {}
    for build in BUILDS:
        build_cells = [
            _priced(platform, counted, published) for counted in counts if counted.build == build
        ]
        builds[build] = _build_error([_known(cell) for cell in build_cells if cell.published])
        if build == platform.optimization:
            cells = build_cells
    known = [_known(cell) for cell in cells if cell.published]
    tested = iter(leave_one_size_out(known))
    filled = []
    for cell in cells:
        if cell.published:
            left_out = next(tested)
            filled.append(replace(cell, factor=left_out.factor, left_out=left_out))
        else:
            others = [other for other in known if other.size != cell.key.param]
            filled.append(replace(cell, factor=fit_factor(others)))
    return PlatformFit(platform, tuple(filled), fit_factor(known), builds)


def _build_error(known: Sequence[Known]) -> BuildError:
    documented = [cell.ratio for cell in known]
    left_out = [cell.ratio for cell in leave_one_size_out(known)]
    return BuildError(
        mean_error(documented),
        sum(documented) / len(documented),
        mean_error(left_out),
        max((ratio - 1 for ratio in left_out), key=abs),
    )


def _priced(platform: Platform, counted: Counted, published: Mapping[CellKey, int]) -> PlatformCell:
    algorithm, _, param_name = TABLES[counted.table]
    key = CellKey(
        counted.table,
        algorithm,
        platform.name,
        counted.variant,
        param_name,
        counted.param,
        "cycles",
    )
    of_cell = {
        metric: published[key._replace(metric=metric)]
        for metric in METRICS
        if key._replace(metric=metric) in published
    }
    documented = documented_cycles(counted.mix, platform)
    return PlatformCell(key, platform, counted, of_cell, documented, 1.0, None)


def _known(cell: PlatformCell) -> Known:
    return Known(cell.key.param, cell.published["cycles"], cell.documented.value)
