"""What the paper-line programs execute in each cell of Tables 2 and 3, as counts and as CSV."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.base.frames import csv_text, frame
from gnomon.bench.learners import Sizes, find_learner
from gnomon.content.reports.paper.cells import FITTED_D, PARAMS
from gnomon.content.reports.paper.published import ARMS
from gnomon.cost.platforms import LIBRARY_OPTIMIZATION, count_step, mix_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gnomon.cost.platforms import Mix

BUILDS = {
    "-O0": ("-O0", LIBRARY_OPTIMIZATION),
    "-O0 throughout": ("-O0", "-O0"),
    "-Os": ("-Os", LIBRARY_OPTIMIZATION),
    "-O2": ("-O2", LIBRARY_OPTIMIZATION),
}
"""What is compared: level of the program, and of memory copies, division and square root."""

LEARNERS = {2: "linucb-disjoint", 3: "linucb-hybrid"}
VARIANTS = {"std": "standard", "opt": "optimized"}
_CLASSES = (
    "alu", "mul", "mulh", "div", "load", "store", "branch", "branch-taken", "jump",
)  # fmt: skip
_COLUMNS = (
    "table", "variant", "param", "build", "static_bytes", "stack_bytes", "compiler",
    *_CLASSES,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Counted:
    """One cell's program of one of ``BUILDS``: selection and update together."""

    table: int
    variant: str
    param: int
    build: str
    static_bytes: int
    stack_bytes: int
    compiler: str
    mix: Mix

    @property
    def needed_bytes(self) -> int:
        """Static data and the deepest stack."""
        return self.static_bytes + self.stack_bytes


def sizes_of(table: int, param: int) -> Sizes:
    """The sizes of a cell; Table 3 with the d that its counts grow as."""
    return Sizes(param, ARMS) if table == 2 else Sizes(FITTED_D, ARMS, param)


def _plan(params: Sequence[int]) -> list[tuple[str, int, str, int]]:
    return [
        (build, table, variant, param)
        for build in BUILDS
        for table in LEARNERS
        for variant in VARIANTS
        for param in params
    ]


def counts_steps(params: Sequence[int] = PARAMS) -> int:
    """How many times ``progress`` is called."""
    return len(_plan(params))


def run_counts(
    progress: Callable[[str], None] = lambda _: None, params: Sequence[int] = PARAMS
) -> tuple[Counted, ...]:
    """Count all cells of all builds: fresh model and zeros, as published.

    Raises:
        CheckFailed: a run differs from the same C on this computer.
    """
    counted = []
    for build, table, variant, param in _plan(params):
        learner = find_learner(LEARNERS[table])
        run = count_step(
            learner,
            learner.variant(VARIANTS[variant]),
            sizes_of(table, param),
            optimization=BUILDS[build][0],
            library_optimization=BUILDS[build][1],
        )
        mix: Counter[str] = Counter()
        for stage in run.stages:
            mix.update(mix_of(stage))
        assert set(mix) <= set(_CLASSES)
        counted.append(
            Counted(
                table,
                variant,
                param,
                build,
                run.static_bytes,
                run.stack_bytes[0],
                f"{run.build.compiler} {run.build.version}",
                dict(mix),
            )
        )
        progress(f"{build}, table {table}, {variant}, {param}")
    return tuple(counted)


def counts_csv(counts: Sequence[Counted]) -> str:
    """One line per cell and build."""
    return csv_text(
        frame(
            _COLUMNS,
            (
                (*(row.table, row.variant, row.param, row.build),
                 *(row.static_bytes, row.stack_bytes, row.compiler),
                 *(row.mix.get(name, 0) for name in _CLASSES))
                for row in counts
            ),
        )
    )  # fmt: skip


def read_counts(text: str) -> tuple[Counted, ...]:
    """What :func:`counts_csv` wrote."""
    return tuple(
        Counted(
            int(row["table"]),
            row["variant"],
            int(row["param"]),
            row["build"],
            int(row["static_bytes"]),
            int(row["stack_bytes"]),
            row["compiler"],
            {name: int(row[name]) for name in _CLASSES if int(row[name])},
        )
        for row in csv.DictReader(io.StringIO(text))
    )
