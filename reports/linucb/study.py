"""``gnomon experiment linucb``: Table 1 and Figures 1 to 7 with the learners in float64."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

from gnomon.base.result_cache import Keep, compute_uncached
from gnomon.cli.study import study_command
from gnomon.learn import Operations, Sizes, count_step, find_learner, measure_memory
from gnomon.learn.environment import ContextLaw
from gnomon.report.study import Keeps, Steps, StudyReport

from .complexity import formula, table_1
from .drift import DriftCase, DriftResult, run_drift

DISJOINT, HYBRID = "linucb-disjoint", "linucb-hybrid"
LAWS: tuple[ContextLaw, ...] = ("uniform", "normal")
PAPER_VARIANTS = ("standard", "optimized")
COUNTED = ("mac", "multiply", "add", "divide", "sqrt", "compare")
MEMORY = ("state_size_bytes", "select_peak_bytes", "update_peak_bytes")
"""State exact, peaks measured."""


@dataclass(frozen=True, slots=True)
class LinucbSize:
    """Size of an experiment."""

    name: str
    cases: tuple[DriftCase, ...]  # the runs of Figures 5 to 7
    grid: tuple[int, ...]  # values of d, N and f for Figures 1 to 4

    @property
    def sizes(self) -> list[Sizes]:
        """Figures 1 and 2 vary d and N, Figures 3 and 4 vary d and f with N = 8.

        N = 1 shows the memory of one arm, as the learners here work on all arms at once.
        """
        return [
            *(Sizes(arms, dimensions) for arms in (1, *self.grid) for dimensions in self.grid),
            *(Sizes(8, dimensions, features) for dimensions in self.grid for features in self.grid),
        ]


@dataclass(frozen=True, slots=True)
class LinucbExperiment:
    """All results."""

    size: LinucbSize  # the requested one
    growth: Sequence[dict[str, Any]]  # rows of Table 1; see ``table_1``
    # rows of ``operations.csv``: by formula, and counted by running a stage
    counts: Sequence[dict[str, Any]]
    memory: Sequence[dict[str, Any]]  # rows of ``memory.csv``
    drift: tuple[DriftResult, ...]  # the runs of Figures 5 to 7


def _cases(rounds: int, period: int, log_every: int) -> tuple[DriftCase, ...]:
    """Return the cases: eight arms as in the tables; d = 4, f = 8 of the public hybrid code."""
    return tuple(
        DriftCase(name, law, rounds, dimensions=dimensions, features=features,
                  correction_period=period, log_every=log_every)
        for name, dimensions, features in ((DISJOINT, 8, 0), (HYBRID, 4, 8))
        for law in LAWS
    )  # fmt: skip


SIZES = {
    "small": LinucbSize("small", _cases(5_000, 250, 25), (4, 8, 16)),
    "full": LinucbSize("full", _cases(100_000, 5_000, 500), (4, 8, 16, 32)),
}


def run_linucb(
    size: LinucbSize, progress: Steps, keep: Keep = compute_uncached
) -> LinucbExperiment:
    intervals = sum(case.rounds // case.log_every for case in size.cases)
    progress.plan(1 + 2 * len(PAPER_VARIANTS) * len(size.sizes) + intervals)
    growth = table_1(Sizes(arms=2, dimensions=4, features=4))
    progress("complexity")
    counts, memory = list[dict[str, Any]](), list[dict[str, Any]]()
    for sizes, variant in product(size.sizes, PAPER_VARIANTS):
        name = HYBRID if sizes.features else DISJOINT
        shape = {"arms": sizes.arms, "d": sizes.dimensions, "f": sizes.features}
        for stage, found in count_step(find_learner(name, variant).from_sizes(sizes)).items():
            about = {"algorithm": name, "variant": variant, "stage": stage, **shape}
            counts.append(about | _columns(formula(name, variant, stage, sizes), found))
        progress(f"operations, {name}")
        held = measure_memory(find_learner(name, variant).from_sizes(sizes))
        numbers = {each: getattr(held, each) for each in MEMORY}
        memory.append({"algorithm": name, "variant": variant, **shape, **numbers})
        progress(f"memory, {name}")
    drift = tuple(
        keep.each(
            partial(run_drift, case, progress=partial(progress, f"drift, {case.name} {case.law}"))
            for case in size.cases
        )
    )
    return LinucbExperiment(size, growth, counts, memory, drift)


def _columns(exact: Operations, counted: Operations) -> dict[str, int]:
    return {
        **{f"formula_{name}": getattr(exact, name) for name in COUNTED},
        **{f"counted_{name}": getattr(counted, name) for name in (*COUNTED, "move")},
        "formula_arithmetic": exact.arithmetic,
        "counted_arithmetic": counted.arithmetic,
    }


def _run(size: LinucbSize, progress: Steps, keeps: Keeps) -> StudyReport:
    result = run_linucb(size, progress, keeps.learning)

    from .page import linucb_report  # pandas, imported before, would change the measured memory

    return linucb_report(result)


main = study_command(_run, SIZES, independent=True)
