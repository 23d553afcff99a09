"""How many instructions the same compiler makes of the same functions for RV32IM and for Arm."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.base.content import content
from gnomon.base.frames import frame
from gnomon.cost.platforms import LIBRARY_OPTIMIZATION
from gnomon.program import Assembly

from .counts import sizes_of

if TYPE_CHECKING:
    import pandas as pd

_PARAM = 16
_FUNCTIONS = (
    (
        2,
        "linucb_disjoint/linucb_disjoint_standard.c",
        "-O0",
        ("inverse_d_d", "paper_multiply", "paper_add"),
    ),
    (3, "linucb_hybrid/linucb_hybrid_optimized.c", "-O0", ("multiply_k_k_one",)),
    (2, "linucb_paper/paper_divide.c", LIBRARY_OPTIMIZATION, ("paper_divide",)),
)
_INCLUDE = (
    *(content("algorithms", each) for each in ("linucb_paper", "common")),
    content("kernels", "common"),
)
_COLUMNS = ("file", "function", "optimization", *Assembly.TARGETS)


def run_selection() -> pd.DataFrame:
    """``platform-functions.csv``: functions that take most of the time, instructions by target.

    With the sizes of param 16. Functions that hand whole matrices on are left out: how they are
    copied is a matter of calling conventions.
    """
    rows = []
    for table, file, level, functions in _FUNCTIONS:
        by_target = [
            Assembly.of(
                content("algorithms", file),
                target,
                defines=sizes_of(table, _PARAM).defines(),
                optimization=level,
                include=_INCLUDE,
            ).instructions_by_function()
            for target in Assembly.TARGETS
        ]
        for function in functions:
            counts = (found[function] for found in by_target)
            rows.append((Path(file).name, function, level, *counts))
    return frame(_COLUMNS, rows)
