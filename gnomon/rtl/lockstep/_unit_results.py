"""Instructions of units in a recorded RTL run: results and cycles against C and latency models.

The operands are those of the RTL, so a difference is one of the unit itself.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from gnomon.arch.units import Unit, UnitInstruction
from gnomon.isa import disassemble
from gnomon.sim import UnitFunctions

_UNDEFINED: Final = 256  # in the column of the hart

_Row = npt.NDArray[np.uint32]


class WrongExecution(NamedTuple):
    """An execution of a unit that differs from its C or its latency model; cycle of its start."""

    cycle: int
    summary: str


def find_wrong_execution(units: tuple[Unit, ...], rows: _Row) -> WrongExecution | None:
    """Return the first execution that differs.

    Args:
        units: of the machine.
        rows: ``Recorded.units``.
    """
    found = [each for unit in units if (each := _find_of_unit(unit, rows)) is not None]
    return min(found, default=None)


def _find_of_unit(unit: Unit, rows: _Row) -> WrongExecution | None:
    words = rows[:, 3]
    number = np.full(len(rows), -1)
    for k, each in enumerate(unit.instructions):
        number[(words & each.row.mask) == each.row.match] = k
    mine = number >= 0
    rows, number = rows[mine], number[mine]
    operands = rows[:, 4:7].copy()
    for k, each in enumerate(unit.instructions):
        operands[number == k] *= np.array(each.has_operands, dtype=np.uint32)
    expected = UnitFunctions(unit).apply(number, rows[:, 2] % _UNDEFINED, *operands.T)
    for k, row, given, result in zip(
        number.tolist(), rows.tolist(), operands.tolist(), expected.tolist(), strict=True
    ):
        if why := _compare(unit.instructions[k], row, given, result):
            text = disassemble(row[3], units=[unit.instructions[k].row])
            shown = _describe(unit.instructions[k], row[4:7])
            summary = f"unit {unit.name}, hart {row[2] % _UNDEFINED}: {text} ({shown}): {why}"
            return WrongExecution(row[0], summary)
    return None


def _compare(each: UnitInstruction, row: list[int], given: list[int], expected: int) -> str:
    """Return the difference of an execution; empty if there is none."""
    start, end, hart, _, _, _, _, result = row
    cycles = each.model.cycles_of(given[0], given[1])
    if end - start + 1 != cycles:
        return f"{end - start + 1} cycles in the RTL, {cycles} by the latency model"
    if each.row.rd is None:
        return ""
    if hart >= _UNDEFINED:
        return f"the RTL's result has undefined bits (X), 0x{expected:08X} in C"
    if result != expected:
        return f"0x{result:08X} in the RTL, 0x{expected:08X} in C"
    return ""


def _describe(each: UnitInstruction, ports: list[int]) -> str:
    pairs = zip("abc", ports, each.has_operands, strict=True)
    return ", ".join(f"{name} = 0x{value:08X}" for name, value, has in pairs if has)
