"""``gnomon experiment linucb``: Table 1 and Figures 1 to 7 with the learners in float64."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from gnomon.base.kept import anew
from gnomon.learn import STAGES, MemoryRow, Operations, Sizes, Stage, count_step, measure_memory
from gnomon.report.study import (
    Fresh,
    Json,
    Out,
    Size,
    Steps,
    default_out,
    finish,
    running,
    size_of,
)

from .complexity import Growth, formula, table_1
from .drift import DriftCase, DriftResult, run_drift

if TYPE_CHECKING:
    from gnomon.base.kept import Keep

DISJOINT, HYBRID = "linucb-disjoint", "linucb-hybrid"
PAPER_VARIANTS = ("standard", "optimized")


@dataclass(frozen=True, slots=True)
class LinucbSize:
    """How large an experiment is.

    Attributes:
        cases: the runs of Figures 5 to 7.
        grid: values of d, N and f for Figures 1 to 4.
    """

    name: str
    cases: tuple[DriftCase, ...]
    grid: tuple[int, ...]

    @property
    def sizes(self) -> list[Sizes]:
        """Figures 1 and 2 vary d and N, Figures 3 and 4 vary d and f with N = 8.

        N = 1 shows what one arm takes, as the learners here work on all arms at once.
        """
        return [
            *(Sizes(arms, dimensions) for arms in (1, *self.grid) for dimensions in self.grid),
            *(Sizes(8, dimensions, features) for dimensions in self.grid for features in self.grid),
        ]


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

    size: LinucbSize
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


SIZES = {
    "small": LinucbSize("small", _cases(5_000, 250, 25), (4, 8, 16)),
    "full": LinucbSize("full", _cases(100_000, 5_000, 500), (4, 8, 16, 32)),
}


def run_linucb(
    size: LinucbSize, progress: Steps | None = None, keep: Keep = anew
) -> LinucbExperiment:
    """Run the experiment.

    Args:
        size: what to run.
        progress: told what has been done.
        keep: makes each result, or takes it from where it is kept.

    Raises:
        GnomonError: a learner lost its precision.
    """
    progress = progress or Steps()
    intervals = sum(case.rounds // case.log_every for case in size.cases)
    progress.plan(1 + 2 * len(PAPER_VARIANTS) * len(size.sizes) + intervals)
    growth = tuple(table_1(Sizes(arms=2, dimensions=4, features=4)))
    progress("complexity")
    counts: list[CountRow] = []
    memory: list[MemoryRow] = []
    for sizes in size.sizes:
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


def main(
    *, size: Size = "small", out: Out = None, fresh: Fresh = False, as_json: Json = False
) -> None:
    """Run, write, and print the published numbers with ours."""
    chosen = size_of(size, SIZES)
    with running(fresh=fresh) as (progress, keeps):
        result = run_linucb(chosen, progress, keeps.learning)

    from .page import write_linucb  # pandas, imported before, would change what memory is measured
    from .tables import claims

    rows = claims(result)[["quantity", "unit", "published", "ours", "reading"]]
    paths = write_linucb(result, out or default_out("linucb"))
    finish({"claims": rows.to_dict("records")}, paths, as_json=as_json)
