"""How many instructions the same compiler makes of the same functions for RV32IM and for Arm."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.base.content import content
from gnomon.base.frames import csv_text, frame
from gnomon.cost.platforms import LIBRARY_OPTIMIZATION
from gnomon.program import ASSEMBLY_TARGETS, compile_to_assembly, instructions_by_function

from .counts import sizes_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
_COLUMNS = ("file", "function", "optimization", *ASSEMBLY_TARGETS)


@dataclass(frozen=True, slots=True)
class Selection:
    """One function: instructions in its text, by target."""

    file: str
    function: str
    optimization: str
    instructions: Mapping[str, int]


def run_selection() -> tuple[Selection, ...]:
    """Compile the functions that take most of the time, with the sizes of param 16.

    Functions that hand whole matrices on are left out: how they are copied is a matter of calling
    conventions.
    """
    rows = []
    for table, file, level, functions in _FUNCTIONS:
        by_target = {
            target: instructions_by_function(
                compile_to_assembly(
                    content("algorithms", file),
                    target,
                    defines=sizes_of(table, _PARAM).defines(),
                    optimization=level,
                    include=_INCLUDE,
                )
            )
            for target in ASSEMBLY_TARGETS
        }
        for function in functions:
            counts = {target: found[function] for target, found in by_target.items()}
            rows.append(Selection(Path(file).name, function, level, counts))
    return tuple(rows)


def selection_csv(rows: Sequence[Selection]) -> str:
    """One line per function."""
    return csv_text(
        frame(
            _COLUMNS,
            (
                (row.file, row.function, row.optimization, *row.instructions.values())
                for row in rows
            ),
        )
    )


def read_selection(text: str) -> tuple[Selection, ...]:
    """What :func:`selection_csv` wrote."""
    return tuple(
        Selection(
            row["file"],
            row["function"],
            row["optimization"],
            {target: int(row[target]) for target in ASSEMBLY_TARGETS},
        )
        for row in csv.DictReader(io.StringIO(text))
    )
