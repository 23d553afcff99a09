"""What the paper-line programs execute in each cell of Tables 2 and 3."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, Any

from gnomon.base.frames import frame
from gnomon.bench.learners import Sizes, find_learner
from gnomon.content.reports.paper.cells import FITTED_D, PARAMS
from gnomon.content.reports.paper.published import ARMS, TABLES
from gnomon.cost.platforms import LIBRARY_OPTIMIZATION, count_step
from gnomon.report.study import Steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

BUILDS = {
    "-O0": ("-O0", LIBRARY_OPTIMIZATION),
    "-O0 throughout": ("-O0", "-O0"),
    "-Os": ("-Os", LIBRARY_OPTIMIZATION),
    "-O2": ("-O2", LIBRARY_OPTIMIZATION),
}
"""What is compared: level of the program, and of memory copies, division and square root."""

VARIANTS = {"std": "standard", "opt": "optimized"}
_CLASSES = (
    "alu", "mul", "mulh", "div", "load", "store", "branch", "branch-taken", "jump",
)  # fmt: skip
_COLUMNS = (
    "table", "variant", "param", "build", "static_bytes", "stack_bytes", "compiler",
    *_CLASSES,
)  # fmt: skip


def sizes_of(table: int, param: int) -> Sizes:
    """The sizes of a cell; Table 3 with the d that its counts grow as."""
    return Sizes(param, ARMS) if table == 2 else Sizes(FITTED_D, ARMS, param)


def mix_of(row: Any) -> dict[str, int]:
    """What a program executes, by class, from its row."""
    return {name: int(row[name]) for name in _CLASSES if row[name]}


def run_counts(progress: Steps | None = None, params: Sequence[int] = PARAMS) -> pd.DataFrame:
    """``platform-mixes.csv``: all cells of all builds, fresh model and zeros, as published.

    One row for each, selection and update together; bytes are static data and the deepest stack.

    Raises:
        CheckFailed: a run differs from the same C on this computer.
    """
    rows = []
    plan = list(product(BUILDS, TABLES, VARIANTS, params))
    for build, table, variant, param in (progress or Steps()).over(plan):
        learner = find_learner(TABLES[table][1])
        optimization, library = BUILDS[build]
        run, mixes = count_step(
            learner,
            learner.variant(VARIANTS[variant]),
            sizes_of(table, param),
            optimization=optimization,
            library_optimization=library,
        )
        mix: Counter[str] = Counter()
        for of_stage in mixes.values():
            mix.update(of_stage)
        assert set(mix) <= set(_CLASSES)
        compiler = f"{run.build.compiler} {run.build.version}"
        head = (table, variant, param, build, run.static_bytes, run.stack_bytes[0], compiler)
        rows.append((*head, *(mix[name] for name in _CLASSES)))
    return frame(_COLUMNS, rows)
