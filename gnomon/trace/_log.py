"""The issue log: one line of CSV for each instruction of a traced run.

Cycles are of the clock. ``slots`` are the issue slots an instruction took: tries of a busy vector
unit, slots of a sleeping hart. ``end_cycle`` is the first one after its stay in execute.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.files import writing
from gnomon.trace._timeline import timeline

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

_BLOCK = 50_000


def write_log(run: Run, architecture: Architecture, program: Program, path: Path) -> int:
    """Write the log of a traced run; returns the number of instructions.

    Raises:
        GnomonError: the run was not traced, or the file cannot be written.
    """
    line = timeline(run, architecture, program)
    kinds = np.where(line.sleeps, "sleep", np.where(line.traps, "trap", "issue")).tolist()
    numbers = np.column_stack(
        [
            line.issue, line.end, line.hart, line.pc, line.word, line.slots,
            line.waits["wait.operand"], line.waits["wait.lsu"], line.waits["wait.vcu"], line.fetch,
        ]
    )  # fmt: skip
    with writing(path) as file:
        file.write((",".join(LOG_COLUMNS) + "\n").encode())
        for start in range(0, len(line), _BLOCK):
            texts = line.texts[start : start + _BLOCK]
            rows = numbers[start : start + _BLOCK].tolist()
            file.write("".join(
                f"{i},{e},{h},{pc:08x},{word:08x},{kind},{slots},{o},{lsu},{vcu},{fetch},"
                f'{_quoted(text.function)},"{text.disassembly}"\n'
                for (i, e, h, pc, word, slots, o, lsu, vcu, fetch), kind, text in zip(
                    rows, kinds[start : start + _BLOCK], texts, strict=True
                )
            ).encode())  # fmt: skip
    return len(line)


def _quoted(name: str) -> str:
    return name if name.replace("_", "").isalnum() else '"' + name.replace('"', '""') + '"'
