"""The cells of Tables 2 and 3 from runs of both implementations, next to the published ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.measure import learners as bench
from gnomon.program import refusal_of
from gnomon.report.study import Steps

from .published import ARMS, TABLES, CellKey, bands, cell_key, published_cells

PARAMS = (4, 8, 16, 32)
_VARIANTS = {
    "std": "standard",
    "opt": "optimized",
    "std+vcu": "standard-vector",
    "opt+vcu": "optimized-vector",
}
VARIANTS = tuple(_VARIANTS)
MACHINES = ("t13", "t13-paper-simd4")
"""Without and with the vector unit."""

FITTED_D, STATED_D = 4, 8
"""Table 3: the d that its counts grow as, and the d of the text."""

DIMENSIONS = (FITTED_D, STATED_D)

ROOMY_SCRATCHPADS = "64 KiB"
HYBRID_MEMORY = "memory.data.size=4 MiB"  # no cache, so it costs no cycle
READINGS = ("hart", "wall")
LINES = ("paper", "tuned")
PARTS = {
    "product": ("multiply_", "scale_"),
    "inverse": ("inverse_",),
    "division": ("paper_divide", "divide_"),
    "copy": ("memcpy", "memset", "transpose_", "reshape_"),
}
"""What cycles are spent on, by how names of functions begin."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One planned run; ``d`` is None in Table 2, whose parameter it is."""

    key: CellKey
    line: str
    learner: bench.EmbeddedLearner
    variant: bench.LearnerVariant
    d: int | None

    @property
    def title(self) -> str:
        key = self.key
        return f"table {key.table}, {self.line}, {key.variant}, {key.param_name} = {key.param}"

    @property
    def sizes(self) -> bench.EmbeddedSizes:
        param = self.key.param
        return (
            bench.EmbeddedSizes(param, ARMS)
            if self.d is None
            else bench.EmbeddedSizes(self.d, ARMS, param)
        )

    @property
    def machine(self) -> str:
        return MACHINES[self.variant.vector]

    @property
    def memory(self) -> list[str]:
        """Settings: Table 3 with more data memory than the machine has."""
        return [] if self.d is None else [HYBRID_MEMORY]

    def measure(
        self, *settings: str, case: str = "fresh", details: bool = False
    ) -> bench.LearnerRun:
        machine = load_architecture(self.machine, [*self.memory, *settings])
        built = bench.LearnerBench(self.learner, self.variant, machine, self.sizes)
        return built.measure(case=case, details=details)


@dataclass(frozen=True, slots=True)
class Cell:
    """One table cell: the published figure, gnomon's run, and gnomon's run on random data.

    ``d`` is set for Table 3, whose text and counts disagree on it. ``roomy`` is the paper code's
    run with scratchpads that hold k x k words, if the machine's are too small.
    """

    key: CellKey
    line: str
    published: int
    d: int | None
    run: bench.LearnerRun
    random: bench.LearnerRun
    roomy: bench.LearnerRun | None = None

    def ours(self, reading: str) -> int:
        return self.run.hart_cycles if reading == "hart" else self.run.wall_cycles

    def ratio(self, reading: str) -> float:
        return self.ours(reading) / self.published

    @property
    def is_comparison(self) -> bool:
        """Whether the band applies: to the paper code, with the d that the counts fit."""
        return self.line == "paper" and self.d in (None, FITTED_D)

    @property
    def is_vector(self) -> bool:
        return self.key.variant.endswith("+vcu")

    @property
    def architecture(self) -> Architecture:
        """Machine as described, independent of the memory of the run."""
        return load_architecture(MACHINES[self.is_vector])

    @property
    def band(self) -> tuple[float, float]:
        """Hart-cycle ratios that are in its band, set by hand when the cells were planned."""
        return bands()[self.key.table, self.key.variant]

    @property
    def in_band(self) -> bool:
        low, high = self.band
        return low <= self.ratio("hart") <= high

    def share(self, *functions: str) -> float:
        """Return the part of the cycles in functions of these name prefixes, waits included."""
        cycles = [(name, n) for stage in self.run.stages for name, n in stage.functions.items()]
        part = sum(count for name, count in cycles if name.startswith(functions))
        return part / sum(count for _, count in cycles)


def fresh_cell(planned: Planned) -> Cell:
    """Run on a fresh model alone, without details."""
    key, run = planned.key, planned.measure()
    return Cell(key, planned.line, published_cells()[key], planned.d, run, run)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A cell that the tuned code cannot run at its size, and its message."""

    key: CellKey
    line: str
    d: int | None
    published: int
    reason: str


@dataclass(frozen=True, slots=True)
class Cells:
    """All cells, in the order of the tables; in each the paper code is first."""

    cells: tuple[Cell, ...]
    refusals: tuple[Refusal, ...] = ()

    def column(self, table: int, variant: str, d: int | None) -> tuple[Cell, ...]:
        """Return one column of a table by the published implementation."""
        asked = (table, variant, d, "paper")
        named = (
            ((each.key.table, each.key.variant, each.d, each.line), each) for each in self.cells
        )
        return tuple(cell for name, cell in named if name == asked)

    def paper(self, cell: Cell) -> Cell:
        """Return the cell of the published implementation at the size of this one."""
        column = self.column(cell.key.table, cell.key.variant, cell.d)
        return next(other for other in column if other.key == cell.key)

    def cycles_per_product(self, table: int) -> tuple[float, float]:
        """Return hart cycles per multiply-accumulate of the inverse: published, and gnomon's."""
        cells = self.column(table, "std", None if table == 2 else FITTED_D)
        params, *cycles = zip(*(
            (cell.key.param, cell.published, cell.ours("hart")) for cell in cells
        ), strict=True)  # fmt: skip
        published, ours = (cycles_per_product(table, params, each) for each in cycles)
        return published, ours


def cycles_per_product(table: int, params: Sequence[int], cycles: Sequence[float]) -> float:
    """Return cycles per multiply-accumulate of the inverse, from four std cells of a table.

    From the leading coefficient of the cubic through them: the inverse is the only cubic term, with
    7/3 n^3 multiply-accumulates, n = d for each arm or n = d f once.
    """
    per_cube = (ARMS if table == 2 else FITTED_D**3) * 7 / 3
    powers = np.vander(np.array(params, dtype=np.float64), 4)
    return float(np.linalg.solve(powers, np.array(cycles, dtype=np.float64))[0]) / per_cube


def plan(
    tables: Sequence[int] = tuple(TABLES),
    params: Sequence[int] = PARAMS,
    dimensions: Sequence[int] = DIMENSIONS,
) -> list[Planned]:
    """Return the planned runs: the tuned code has those variants that are registered."""
    plan = []
    for table in tables:
        learner = bench.find_embedded_learner(TABLES[table][1])
        known = {(variant.line, variant.name): variant for variant in learner.variants}
        plan += [
            Planned(cell_key(table, "t13", column, param), line, learner, known[line, name], d)
            for d in ((None,) if table == 2 else dimensions)
            for line in LINES
            for column, name in _VARIANTS.items()
            if (line, name) in known
            for param in params
        ]
    return plan


def run_cells(planned: Sequence[Planned], progress: Steps | None = None) -> Cells:
    """Run T13 cells: fresh model and zeros as published, and random data, seed 0."""
    cells, refusals = [], []
    for each in (progress or Steps()).over(planned, lambda each: each.title):
        key, line, published = each.key, each.line, published_cells()[each.key]
        try:
            run, random = each.measure(details=True), each.measure(case="random")
        except GnomonError as error:
            if line == "paper":
                raise
            refusals.append(Refusal(key, line, each.d, published, refusal_of(error)))
        else:
            cells.append(Cell(key, line, published, each.d, run, random, _roomy(each)))
    return Cells(tuple(cells), tuple(refusals))


def _roomy(planned: Planned) -> bench.LearnerRun | None:
    vcu = load_architecture(planned.machine).vcu
    if planned.line != "paper" or planned.d != FITTED_D or vcu is None:
        return None
    if 4 * planned.sizes.k**2 <= vcu.scratchpads.size:
        return None
    return planned.measure(f"vcu.scratchpads.size={ROOMY_SCRATCHPADS}")
