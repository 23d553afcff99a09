"""The simplest rule that gives all measured cycles of an instruction, without residual."""

from collections.abc import Iterator, Mapping
from typing import Any

from gnomon.arch.operands import PROPERTIES, RULE_PROPERTIES, cycles_by_number, operand_number
from gnomon.calibrate._programs import SHIFTS, UNITS

Cycles = dict[tuple[int, int], int]
"""Cycles of one instruction, by its two operands."""


def law(mnemonic: str, cycles: Cycles) -> dict[str, Any] | None:
    """Return the keys of a rule that gives all these cycles; None if no form does.

    The order of forms is: a constant; then, for each number n of the operands, first + n * slope,
    first + n // k + n % k, and a table.
    """
    values = set(cycles.values())
    if len(values) == 1:
        return {"cycles": values.pop()}
    allowed = ("shift-amount", "rs1-bits") if mnemonic in SHIFTS else RULE_PROPERTIES[1:]
    for by in allowed:
        table = _cycles_by_number(by, cycles)
        found = None if table is None else next(_fit_forms(by, table), None)
        if found is not None:
            return {"by": by, **found}
    return None


def _cycles_by_number(by: str, cycles: Cycles) -> dict[int, int] | None:
    table: dict[int, int] = {}
    for (a, b), taken in cycles.items():
        if table.setdefault(operand_number(by, a, b), taken) != taken:
            return None
    if by == "signs-product":  # the product of 0 is 0
        for n in range(0, PROPERTIES[by].size, 2):
            if n + 1 in table:
                table.setdefault(n, table[n + 1])
    return table


def _fit_forms(by: str, table: Mapping[int, int]) -> Iterator[dict[str, Any]]:
    size = PROPERTIES[by].size
    if len(table) < size:
        return  # the measurements do not cover all numbers
    measured = tuple(table[n] for n in range(size))
    first, slope = measured[0], measured[1] - measured[0]
    if size > 18:
        steps: list[dict[str, int]] = [{"each": slope}] if slope >= 0 else []
        for form in (*steps, *({"step": step} for step in (2, 4, 8, 16))):
            if cycles_by_number(by, first, **form) == measured:
                yield {"cycles": first, **form}
    yield {"cycles": list(measured)}


def why_not(mnemonic: str, cycles: Cycles) -> str:
    """Return a sentence with two measurements that contradict every form."""
    by = "shift-amount" if mnemonic in SHIFTS else "signs" if mnemonic in UNITS else ""
    seen: dict[int, tuple[tuple[int, int], int]] = {}
    for operands, taken in cycles.items():
        before, was = seen.setdefault(operand_number(by, *operands) if by else 0, (operands, taken))
        if was != taken:
            first, second = (f"{a:#x}, {b:#x}" for a, b in (before, operands))
            return f"{mnemonic} takes {was} cycles on {first} and {taken} on {second}"
    return f"{mnemonic} takes {sorted(set(cycles.values()))} cycles"
