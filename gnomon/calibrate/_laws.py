"""The simplest rule that gives all measured cycles of an instruction, without residual."""

from collections.abc import Iterator, Mapping
from typing import Any

from gnomon.arch.keys import rule_values
from gnomon.calibrate._programs import SHIFTS, UNITS

Cycles = dict[tuple[int, int], int]
"""Cycles of one instruction, by its two operands."""


def operand_number(by: str, a: int, b: int) -> int:
    """Return the number that a rule of core.latency uses, from the operands."""
    if by in ("signs", "signs-product"):
        first, second = (0 if not v else 1 + (v >> 31) for v in (a, b))
        signs = 3 * first + second
        return signs if by == "signs" else 2 * signs + (a * b % 2**32 == 0)
    return {"shift-amount": b % 32, "rs1-bits": a.bit_length(), "rs2-bits": b.bit_length()}[by]


def law(mnemonic: str, cycles: Cycles) -> dict[str, Any] | None:
    """Return the keys of a rule that gives all these cycles; None if no form does.

    The order of forms is: a constant; then, for each number n of the operands, first + n * slope,
    first + n // k + n % k, and a table.
    """
    values = set(cycles.values())
    if len(values) == 1:
        return {"cycles": values.pop()}
    allowed = ("shift-amount", "rs1-bits") if mnemonic in SHIFTS else tuple(rule_values())[1:]
    for by in allowed:
        table = _cycles_by_number(by, cycles)
        found = None if table is None else next(_fit_forms(table, rule_values()[by]), None)
        if found is not None:
            return {"by": by, **found}
    return None


def _cycles_by_number(by: str, cycles: Cycles) -> dict[int, int] | None:
    table: dict[int, int] = {}
    for (a, b), taken in cycles.items():
        if table.setdefault(operand_number(by, a, b), taken) != taken:
            return None
    if by == "signs-product":  # the product of 0 is 0
        for n in range(0, rule_values()[by], 2):
            if n + 1 in table:
                table.setdefault(n, table[n + 1])
    return table


def _fit_forms(table: Mapping[int, int], size: int) -> Iterator[dict[str, Any]]:
    if len(table) < size:
        return  # the measurements do not cover all numbers
    first = table[0]
    slope = table[1] - first
    if slope >= 0 and size > 18 and all(table[n] == first + slope * n for n in table):
        yield {"cycles": first, "each": slope}
    for step in (2, 4, 8, 16):
        if size > 18 and all(table[n] == first + n // step + n % step for n in table):
            yield {"cycles": first, "step": step}
    yield {"cycles": [table[n] for n in range(size)]}


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
