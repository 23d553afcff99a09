"""The issue log: one line of CSV for each instruction of a traced run.

Cycles are of the clock. ``slots`` are the issue slots an instruction took: tries of a busy vector
unit, slots of a sleeping hart. ``end_cycle`` is the first one after its stay in execute.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyarrow import csv

from gnomon.base.files import writing
from gnomon.observe.trace._timeline import timeline

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.arch import Architecture
    from gnomon.program import Program
    from gnomon.sim import Run

LOG_COLUMNS = (
    "issue_cycle", "end_cycle", "hart", "pc", "word", "kind", "slots", "wait_operand_cycles",
    "wait_lsu_cycles", "wait_vcu_cycles", "wait_fetch_cycles", "function", "disassembly",
)  # fmt: skip
"""Columns of the log. ``kind``: issue, sleep or trap."""

_KINDS = pa.array(["issue", "sleep", "trap"])


def write_log(run: Run, architecture: Architecture, program: Program, path: Path) -> int:
    """Write the log of a traced run; returns the number of instructions.

    Raises:
        GnomonError: the run was not traced, or the file cannot be written.
    """
    line = timeline(run, architecture, program)
    # Each place of the program is told once.
    places, first, which = np.unique(
        (line.pc << 32) | line.word, return_index=True, return_inverse=True
    )
    texts = [line.texts[k] for k in first.tolist()]

    def told(values: list[str]) -> pa.Array:
        return pa.array(values, pa.string()).take(pa.array(which))

    columns = (
        line.issue,
        line.end,
        line.hart,
        told([f"{place >> 32:08x}" for place in places.tolist()]),
        told([f"{place & 0xFFFF_FFFF:08x}" for place in places.tolist()]),
        _KINDS.take(pa.array(line.sleeps + 2 * (line.traps & ~line.sleeps))),
        line.slots,
        line.waits["wait.operand"],
        line.waits["wait.lsu"],
        line.waits["wait.vcu"],
        line.fetch,
        told([text.function for text in texts]),
        told([text.disassembly for text in texts]),
    )
    table = pa.table(dict(zip(LOG_COLUMNS, map(pa.array, columns), strict=True)))
    with writing(path) as file:
        csv.write_csv(table, file, csv.WriteOptions(quoting_style="needed"))
    return len(line)
