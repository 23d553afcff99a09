"""Compilation of the paper code for each cell, and for RV32IM and Arm."""

from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from gnomon.base.content import content
from gnomon.base.frames import frame
from gnomon.content.reports.paper.cells import FITTED_D, PARAMS
from gnomon.content.reports.paper.published import ARMS, TABLES
from gnomon.cost.platforms import LIBRARY_OPTIMIZATION, count_instructions
from gnomon.measure.learners import EmbeddedSizes, find_embedded_learner
from gnomon.program import ASSEMBLY_TARGETS, compile_assembly
from gnomon.report.study import Steps

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


def sizes_of(table: int, param: int) -> EmbeddedSizes:
    """Return the sizes of a cell; Table 3 with the d that its counts grow as."""
    return EmbeddedSizes(param, ARMS) if table == 2 else EmbeddedSizes(FITTED_D, ARMS, param)


def mix_of(row: Any) -> dict[str, int]:
    """Return a program's executed instructions, by class, from its row."""
    return {name: int(row[name]) for name in _CLASSES if row[name]}


def run_counts(
    progress: Steps | None = None,
    params: Sequence[int] = PARAMS,
    cells: Sequence[tuple[int, str]] = tuple(product(TABLES, VARIANTS)),
    builds: Sequence[str] = tuple(BUILDS),
) -> pd.DataFrame:
    """Return ``platform-mixes.csv``: all cells of all builds, fresh model, zeros, as published.

    One row for each, selection and update together; bytes are static data and the deepest stack.
    """
    rows = []
    plan = list(product(builds, cells, params))
    for build, (table, variant), param in (progress or Steps()).over(plan):
        learner = find_embedded_learner(TABLES[table][1])
        optimization, library = BUILDS[build]
        run, mixes = count_instructions(
            learner, learner.variant(VARIANTS[variant]), sizes_of(table, param),
            optimization=optimization, library_optimization=library,
        )  # fmt: skip
        mix = sum(map(Counter[str], mixes.values()), Counter[str]())
        assert set(mix) <= set(_CLASSES)
        compiler = f"{run.build.compiler} {run.build.version}"
        head = (table, variant, param, build, run.static_bytes, run.stack_bytes[0], compiler)
        rows.append((*head, *(mix[name] for name in _CLASSES)))
    return frame(_COLUMNS, rows)


_PARAM = 16
_FUNCTIONS = (
    (2, "linucb_disjoint/linucb_disjoint_standard.c", "-O0",
     ("inverse_d_d", "paper_multiply", "paper_add")),
    (3, "linucb_hybrid/linucb_hybrid_optimized.c", "-O0", ("multiply_k_k_one",)),
    (2, "linucb_paper/paper_divide.c", LIBRARY_OPTIMIZATION, ("paper_divide",)),
)  # fmt: skip
_INCLUDE = (
    *(content("algorithms", each) for each in ("linucb_paper", "common")),
    content("kernels", "common"),
)
_OF_FUNCTIONS = ("file", "function", "optimization", *ASSEMBLY_TARGETS)


def run_selection() -> pd.DataFrame:
    """Return ``platform-functions.csv``: slowest functions, instructions by target.

    Sizes are those of param 16. Functions that pass whole matrices on are left out, because calling
    conventions decide the copies.
    """
    rows = []
    for table, file, level, functions in _FUNCTIONS:
        by_target = [
            compile_assembly(
                content("algorithms", file), target, defines=sizes_of(table, _PARAM).defines(),
                optimization=level, include=_INCLUDE,
            ).instructions_by_function()
            for target in ASSEMBLY_TARGETS
        ]  # fmt: skip
        for function in functions:
            counts = (found[function] for found in by_target)
            rows.append((Path(file).name, function, level, *counts))
    return frame(_OF_FUNCTIONS, rows)
