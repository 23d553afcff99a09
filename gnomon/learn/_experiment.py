"""The experiment ``linucb``: Table 1 and Figures 1 to 7 with the learners in float64."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from gnomon.base.errors import known
from gnomon.base.kept import anew
from gnomon.learn._complexity import STAGES, Growth, Stage, count_step, formula, table_1
from gnomon.learn._drift import DriftCase, DriftResult, run_drift
from gnomon.learn._memory import MemoryRow, measure_memory
from gnomon.learn.learner import Sizes

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.base.kept import Keep
    from gnomon.learn._operations import Operations

DISJOINT, HYBRID = "linucb-disjoint", "linucb-hybrid"
PAPER_VARIANTS = ("standard", "optimized")


@dataclass(frozen=True, slots=True)
class ExperimentSize:
    """How large an experiment is.

    Attributes:
        cases: the runs of Figures 5 to 7.
        grid: values of d, N and f for Figures 1 to 4.
    """

    name: str
    cases: tuple[DriftCase, ...]
    grid: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CountRow:
    """Operations of one stage, by formula and counted by running it."""

    name: str
    variant: str
    stage: Stage
    sizes: Sizes
    formula: Operations
    counted: Operations


@dataclass(frozen=True, slots=True)
class LinucbExperiment:
    """All results."""

    size: ExperimentSize
    growth: tuple[Growth, ...]
    counts: tuple[CountRow, ...]
    memory: tuple[MemoryRow, ...]
    drift: tuple[DriftResult, ...]


def _cases(rounds: int, period: int, log_every: int) -> tuple[DriftCase, ...]:
    """Eight arms as in the paper's tables; d = 4, f = 8 as the public hybrid code has it."""
    return tuple(
        DriftCase(
            name,
            law=law,
            rounds=rounds,
            dimensions=dimensions,
            features=features,
            correction_period=period,
            log_every=log_every,
        )
        for name, dimensions, features in ((DISJOINT, 8, 0), (HYBRID, 4, 8))
        for law in ("uniform", "normal")
    )


EXPERIMENT_SIZES = {
    "small": ExperimentSize("small", _cases(5_000, 250, 25), (4, 8, 16)),
    "full": ExperimentSize("full", _cases(100_000, 5_000, 500), (4, 8, 16, 32)),
}


def find_size(name: str) -> ExperimentSize:
    """The size of this name.

    Raises:
        GnomonError: there is none.
    """
    return EXPERIMENT_SIZES[known("size", name, EXPERIMENT_SIZES)]


def experiment_steps(size: ExperimentSize) -> int:
    """How many times ``progress`` is called."""
    intervals = sum(case.rounds // case.log_every for case in size.cases)
    return 1 + 2 * len(PAPER_VARIANTS) * len(_grid(size)) + intervals


def run_linucb(
    size: ExperimentSize,
    progress: Callable[[str], None] = lambda _: None,
    keep: Keep = anew,
) -> LinucbExperiment:
    """Run the experiment; see ``experiment_steps`` for the number of calls to ``progress``.

    Args:
        size: what to run.
        progress: told what has been done.
        keep: makes each result, or takes it from where it is kept.

    Raises:
        GnomonError: a learner lost its precision.
    """
    growth = tuple(table_1(Sizes(arms=2, dimensions=4, features=4)))
    progress("complexity")
    counts: list[CountRow] = []
    memory: list[MemoryRow] = []
    for sizes in _grid(size):
        name = HYBRID if sizes.features else DISJOINT
        for variant in PAPER_VARIANTS:
            counted = count_step(name, variant, sizes)
            for stage in STAGES:
                by_formula = formula(name, variant, stage, sizes)
                counts.append(CountRow(name, variant, stage, sizes, by_formula, counted[stage]))
            progress(f"operations, {name}")
            memory.append(measure_memory(name, variant, sizes))
            progress(f"memory, {name}")
    drift = tuple(
        keep(run_drift, case, progress=partial(progress, f"drift, {case.name} {case.law}"))
        for case in size.cases
    )
    return LinucbExperiment(size, growth, tuple(counts), tuple(memory), drift)


def _grid(size: ExperimentSize) -> list[Sizes]:
    """Figures 1 and 2 vary d and N, Figures 3 and 4 vary d and f with N = 8.

    N = 1 shows what one arm takes, as the learners here work on all arms at once.
    """
    return [
        *(Sizes(arms, dimensions) for arms in (1, *size.grid) for dimensions in size.grid),
        *(Sizes(8, dimensions, features) for dimensions in size.grid for features in size.grid),
    ]
