"""The cells of Tables 2 and 3 from runs of the paper line, beside the published ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.algorithms import Sizes, find_learner, measure_learner
from gnomon.arch import load_architecture
from gnomon.report._published import CellKey, published_cells

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gnomon.algorithms import LearnerRun

ARMS = 8
PARAMS = (4, 8, 16, 32)
_TABLES = {2: ("Disjoint", "linucb-disjoint", "d"), 3: ("Hybrid", "linucb-hybrid", "f")}
ALL_TABLES = tuple(_TABLES)
_VARIANTS = {
    "std": "standard",
    "opt": "optimized",
    "std+vcu": "standard-vector",
    "opt+vcu": "optimized-vector",
}
VARIANTS = tuple(_VARIANTS)
_BANDS = {2: (0.85, 1.20), 3: (0.7, 1.3)}
_VECTOR_BAND = (0.7, 1.4)
_SCALAR_MACHINE, VECTOR_MACHINE = "t13", "t13-paper-simd4"

FITTED_D, STATED_D = 4, 8
"""Table 3: the d that its counts grow as, and the d of the text."""

ROOMY_SCRATCHPADS = "64 KiB"
_HYBRID_MEMORY = "memory.data.size=4 MiB"  # no cache, so it costs no cycle
READINGS = ("hart", "wall")


def is_vector(variant: str) -> bool:
    """Whether a column of the tables is one with the vector unit."""
    return variant.endswith("+vcu")


def band_of(table: int, variant: str) -> tuple[float, float]:
    """Hart-cycle ratios that count as reproduced; fixed before the first comparison."""
    return _VECTOR_BAND if is_vector(variant) else _BANDS[table]


@dataclass(frozen=True, slots=True)
class Cell:
    """One table cell: the published figure, our run, and our run on random data.

    ``d`` is set for Table 3, whose text and counts disagree on it. ``roomy`` is our run with
    scratchpads that hold k x k words, where those of the machine do not.
    """

    key: CellKey
    published: int
    d: int | None
    run: LearnerRun
    random: LearnerRun
    roomy: LearnerRun | None = None

    def ours(self, reading: str) -> int:
        """Our cycles in one reading."""
        return self.run.hart_cycles if reading == "hart" else self.run.wall_cycles

    def ratio(self, reading: str) -> float:
        """Ours over the published figure."""
        return self.ours(reading) / self.published

    @property
    def is_comparison(self) -> bool:
        """Whether the band applies: not to the d that only the text gives."""
        return self.d in (None, FITTED_D)

    @property
    def is_vector(self) -> bool:
        """Whether it ran on the vector unit."""
        return is_vector(self.key.variant)

    @property
    def band(self) -> tuple[float, float]:
        """Hart-cycle ratios that count as reproduced."""
        return band_of(self.key.table, self.key.variant)

    @property
    def in_band(self) -> bool:
        """Whether the hart cycles are within the band."""
        low, high = self.band
        return low <= self.ratio("hart") <= high

    @property
    def products(self) -> int:
        """64-bit products executed, in scalar cells one per multiply-accumulate."""
        return self.run.counter("issue.mulh")

    def share(self, *functions: str) -> float:
        """Part of the cycles that functions of these name prefixes take, waits included."""
        cycles = [(name, n) for stage in self.run.stages for name, n in stage.functions.items()]
        part = sum(count for name, count in cycles if name.startswith(functions))
        return part / sum(count for _, count in cycles)


@dataclass(frozen=True, slots=True)
class Cells:
    """All cells, in the order of the tables."""

    cells: tuple[Cell, ...]

    def column(self, table: int, variant: str, d: int | None) -> tuple[Cell, ...]:
        """One column of a table."""
        return tuple(
            cell
            for cell in self.cells
            if (cell.key.table, cell.key.variant, cell.d) == (table, variant, d)
        )

    def cycles_per_product(self, table: int) -> tuple[float, float]:
        """Hart cycles per multiply-accumulate of the inverse: published, and ours.

        From the leading coefficient of the cubic through the four std cells: the inverse is the
        only cubic term, with 7/3 n^3 multiply-accumulates, n = d for each arm or n = d f once.
        """
        cells = self.column(table, "std", None if table == 2 else FITTED_D)
        per_cube = ARMS * 7 / 3 if table == 2 else FITTED_D**3 * 7 / 3
        params = np.array([cell.key.param for cell in cells], dtype=np.float64)

        def leading(values: Sequence[int]) -> float:
            powers = np.vander(params, 4)
            return float(np.linalg.solve(powers, np.array(values, dtype=np.float64))[0])

        published = leading([cell.published for cell in cells])
        return published / per_cube, leading([cell.ours("hart") for cell in cells]) / per_cube


@dataclass(frozen=True, slots=True)
class InverseBound:
    """What the published tables say of one vector inverse of 32 x 32, in cycles.

    ``three_at_least``: std+vcu less opt+vcu at f = 8 (k = 32) is LU(k) and 8 LU(4), less what the
    optimised update does more; all of Table 2 at d = 4 is taken off for the 8 LU(4).
    ``two_at_most``: an eighth of all cycles at d = 32.
    """

    three_at_least: int
    two_at_most: float

    @property
    def factor(self) -> float:
        """How many times as much the same inverse takes in Table 3, at least."""
        return self.three_at_least / self.two_at_most


def published_inverse_bound() -> InverseBound:
    """From the published figures alone."""
    published = published_cells()

    def cycles(table: int, variant: str, param: int) -> int:
        algorithm, _, name = _TABLES[table]
        return published[CellKey(table, algorithm, "t13", variant, name, param, "cycles")]

    difference = cycles(3, "std+vcu", 8) - cycles(3, "opt+vcu", 8)
    return InverseBound(difference - cycles(2, "std+vcu", 4), cycles(2, "std+vcu", 32) / ARMS)


def _plan(tables: Sequence[int]) -> list[tuple[int, str, int, int | None]]:
    plan: list[tuple[int, str, int, int | None]] = []
    for table in tables:
        for d in (None,) if table == 2 else (FITTED_D, STATED_D):
            plan += [(table, variant, param, d) for variant in _VARIANTS for param in PARAMS]
    return plan


def cells_steps(tables: Sequence[int] = ALL_TABLES) -> int:
    """How many times ``progress`` is called."""
    return len(_plan(tables))


def run_cells(
    progress: Callable[[str], None] = lambda _: None, tables: Sequence[int] = ALL_TABLES
) -> Cells:
    """Run the T13 cells: fresh model and zeros as published, and random data, seed 0.

    Raises:
        CheckFailed: a run differs from the same C on this computer.
    """
    published = published_cells()
    cells = []
    for table, variant, param, d in _plan(tables):
        algorithm, name, param_name = _TABLES[table]
        learner = find_learner(name)
        sizes = Sizes(param, ARMS) if d is None else Sizes(d, ARMS, param)
        machine = VECTOR_MACHINE if is_vector(variant) else _SCALAR_MACHINE
        architecture = load_architecture(machine, [] if d is None else [_HYBRID_MEMORY])
        run, random = (
            measure_learner(
                learner,
                learner.variant(_VARIANTS[variant]),
                architecture,
                sizes,
                case=case,
                details=case == "fresh",
            )
            for case in ("fresh", "random")
        )
        key = CellKey(table, algorithm, "t13", variant, param_name, param, "cycles")
        roomy = None
        vcu = architecture.vcu
        if vcu and d == FITTED_D and 4 * sizes.k**2 > vcu.scratchpads.size:
            larger = [_HYBRID_MEMORY, f"vcu.scratchpads.size={ROOMY_SCRATCHPADS}"]
            roomy = measure_learner(
                learner,
                learner.variant(_VARIANTS[variant]),
                load_architecture(machine, larger),
                sizes,
                details=False,
            )
        cells.append(Cell(key, published[key], d, run, random, roomy))
        progress(f"table {table}, {variant}, {param_name} = {param}")
    return Cells(tuple(cells))
