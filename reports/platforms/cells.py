"""The Cortex-M4 and Cortex-A72 cells of Tables 2 and 3: priced counts next to published cycles."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import nnls

from gnomon.base.errors import GnomonError
from gnomon.base.frames import rows_of
from gnomon.base.units import format_size
from gnomon.content.reports.paper.cells import FITTED_D
from gnomon.content.reports.paper.cells_page import COLUMNS
from gnomon.content.reports.paper.published import TABLES, cell_key, published_cells
from gnomon.cost.platforms import Platform, load_platform
from gnomon.measure.learners import find_embedded_learner

from .counts import BUILDS, VARIANTS, mix_of, sizes_of

PLATFORMS = ("cortex-m4", "cortex-a72")
METRICS = {"cycles": "cycles", "time": "us", "energy": "uJ"}
PLATFORM_READINGS = ("left-out", "documented")
"""``left-out``: with the factor of the other sizes. ``documented``: nothing fitted."""

NOT_FITTING = "does not fit"


@dataclass(frozen=True, slots=True, eq=False)
class PlatformFit:
    """One platform over all its cells."""

    platform: Platform  # the core, with the calibration that ships
    cells: pd.DataFrame  # of the build of the platform, as of :func:`priced`
    # distance of each build from the published cells: mean absolute relative error, mean ratio of
    # the documentation alone, mean error with one factor, sizes left out, and the largest of these,
    # with its sign
    builds: pd.DataFrame

    @property
    def known(self) -> pd.DataFrame:
        return self.cells[self.cells["cycles"].notna()]

    @property
    def factor(self) -> float:
        return fit_factor(self.known["ratio"])

    @property
    def left_out_range(self) -> tuple[float, float]:
        """Lowest and highest prediction over published."""
        return self.known["left_out_ratio"].min(), self.known["left_out_ratio"].max()


def fit_factor(ratios: Iterable[float]) -> float:
    """Return the factor on documented cycles with the least sum of squared relative errors.

    Args:
        ratios: documented over published cycles.
    """
    every = list(ratios)
    if not every:
        raise GnomonError("a factor needs at least one published cell to be fitted to")
    return sum(every) / sum(ratio**2 for ratio in every)


def fit_platform(name: str, counts: pd.DataFrame) -> PlatformFit:
    """Price all counts on a platform, and fit and test its factor."""
    platform = load_platform(name)
    of_build = {build: priced(platform, counts[counts["build"] == build]) for build in BUILDS}
    errors = {}
    for build, cells in of_build.items():
        documented, left_out = (cells[name].dropna() for name in ("ratio", "left_out_ratio"))
        errors[build] = {
            "documented_error": (documented - 1).abs().mean(),
            "documented_ratio": documented.mean(),
            "left_out_error": (left_out - 1).abs().mean(),
            "left_out_worst": max(left_out - 1, key=abs),
        }
    table = pd.DataFrame.from_dict(errors, orient="index")
    return PlatformFit(platform, of_build[platform.build.optimization], table)


def priced(platform: Platform, counts: pd.DataFrame) -> pd.DataFrame:
    """Return counts of one build, priced, next to the printed values of the paper.

    Returns:
        With columns for the names of a cell, for the cycles by the ``documented`` costs with their
        ends, ``cycles``, ``time`` (us) and ``energy`` (uJ) as published, NaN where the paper has
        N.A., the ``ratio`` of documented over published cycles, the ``factor`` of the other sizes,
        the prediction with it, ``left_out``, over published, and whether the program ``fits``.
    """
    cells = counts.reset_index(drop=True)
    keys = [cell_key(row.table, platform.name, row.variant, row.param) for row in rows_of(cells)]
    documented = [platform.documented_cycles(mix_of(row)) for _, row in cells.iterrows()]
    printed = published_cells()
    needed = cells["static_bytes"] + cells["stack_bytes"]
    cells = cells.assign(
        algorithm=[key.algorithm for key in keys],
        param_name=[key.param_name for key in keys],
        needed_bytes=needed,
        fits=needed <= platform.memory.size,
        documented=[each.value for each in documented],
        low=[each.low for each in documented],
        high=[each.high for each in documented],
        **{metric: pd.array([printed.get(key._replace(metric=metric)) for key in keys], float)
           for metric in METRICS},
    )  # fmt: skip
    ratio = cells["documented"] / cells["cycles"]
    factors = [fit_factor(ratio[cells["param"] != param].dropna()) for param in cells["param"]]
    cells = cells.assign(ratio=ratio, factor=factors)
    left_out = cells["documented"] * cells["factor"]
    return cells.assign(left_out=left_out, left_out_ratio=left_out / cells["cycles"])


def ours(platform: Platform, cell: Any, metric: str, reading: str) -> float:
    """Return gnomon's cycles, µs or µJ of a cell; energy is power times time."""
    cycles = float(cell.left_out if reading == "left-out" else cell.documented)
    if metric == "cycles":
        return cycles
    time_us = cycles * 1e6 / platform.clock.value
    return time_us if metric == "time" else time_us * platform.power.value_mw / 1e3


def platform_rows(fits: Iterable[PlatformFit]) -> list[dict[str, str]]:
    """Return lines of ``cells.csv``, one per cell, metric and reading.

    Cells whose program does not fit have this reason instead of a figure.
    """
    return [
        _row(fit.platform, cell, metric, reading)
        for fit in fits
        for metric in METRICS
        for cell in rows_of(fit.cells)
        for reading in PLATFORM_READINGS
    ]


def _row(platform: Platform, cell: Any, metric: str, reading: str) -> dict[str, str]:
    digits = 0 if metric == "cycles" else 1
    value = f"{ours(platform, cell, metric, reading):.{digits}f}" if cell.fits else NOT_FITTING
    published = getattr(cell, metric)
    is_known = not pd.isna(published)
    ratio = f"{float(value) / published:.4f}" if is_known and cell.fits else ""
    values = (
        *(cell.table, cell.algorithm, platform.name, cell.variant, cell.param_name, cell.param),
        *(metric, METRICS[metric], "paper", reading, f"{published:.0f}" if is_known else "N.A."),
        *(value, ratio, _note(platform, cell, metric, reading)),
    )
    return dict(zip(COLUMNS, map(str, values), strict=True))


def _note(platform: Platform, cell: Any, metric: str, reading: str) -> str:
    parts = [f"d = {FITTED_D}"] if cell.table == 3 else []
    if not cell.fits:
        needed = f"{cell.static_bytes:,} static + {cell.stack_bytes:,} stack bytes"
        return "; ".join([*parts, f"needs {needed}, more than {format_size(platform.memory.size)}"])
    if reading == "left-out":
        parts.append(f"documented cycles times {cell.factor:.3f}, fitted to the other sizes")
    else:
        low, high = cell.low / cell.documented, cell.high / cell.documented
        parts.append(f"documented cycles, nothing fitted; from {low:.2f} to {high:.2f} times that")
    if metric == "energy":
        mw = platform.power.value_mw
        parts.append(f"{mw:g} mW times time, so in error as the cycles are")
    parts.append(f"counted at {cell.build}")
    return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class PerOperation:
    """Published cycles of Table 2 as a sum; ``error`` is the mean relative error of it."""

    product: float
    division: float
    step: float
    error: float


def per_operation(fit: PlatformFit) -> PerOperation:
    """Return cycles per multiply-accumulate, per division and per step, none below zero.

    Least squares of relative errors through the std and opt columns of Table 2; the numbers of
    operations are those that docs/notes/paper-code.md states.
    """
    cells = fit.known[fit.known["table"] == 2]
    rows, learner = [], find_embedded_learner(TABLES[2][1])
    for cell in rows_of(cells):
        variant = learner.variant(VARIANTS[cell.variant])
        assert variant.counts is not None
        counts = variant.counts(sizes_of(2, cell.param))
        both = counts.select + counts.update
        rows.append((both.products, both.divisions, 1))
    matrix = np.array(rows, dtype=np.float64) / cells["cycles"].to_numpy()[:, None]
    solution, _ = nnls(matrix, np.ones(len(matrix)))
    error = float(np.abs(matrix @ solution - 1).mean())
    product, division, step = (float(value) for value in solution)
    return PerOperation(product, division, step, error)


def cycles_ratio(slow: PlatformFit, fast: PlatformFit, column: str) -> tuple[float, float]:
    """Return the lowest and highest cycle ratio of two platforms, over cells that both have."""
    keys = ["table", "variant", "param"]
    one, two = (fit.known.set_index(keys)[column] for fit in (slow, fast))
    ratios = (one / two).dropna()
    return ratios.min(), ratios.max()


def memory_needs(counts: pd.DataFrame) -> pd.DataFrame:
    """Return bytes of the larger cases of Table 3: f and variants down, builds across."""
    large = sorted(counts["param"].unique())[-2:]
    own = counts[(counts["table"] == 3) & counts["param"].isin(large)]
    needed = own.assign(bytes=own["static_bytes"] + own["stack_bytes"])
    return needed.pivot_table("bytes", ["param", "variant"], "build", sort=False).astype(int)
