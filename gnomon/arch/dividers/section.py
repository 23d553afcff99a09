"""Which divider a machine has: a name from the table of dividers, or cycles of its own."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, ValidationInfo, field_validator

from gnomon.arch.dividers._registry import OTHER_NAMES, USER_TABLE, divider_names, dividers
from gnomon.arch.dividers._table import MOST_TABLE_CYCLES, TABLE_ENTRIES, TableIndex
from gnomon.base.errors import did_you_mean
from gnomon.base.schema import Section, key, names_tuple
from gnomon.base.yaml import shown


class DividerTable(Section):
    """Cycles of a user's own divider, by how many bits its operands have."""

    by: TableIndex = key(
        "what the entries go by: quotient-bits = max(0, bits of the dividend - bits of the divisor "
        "+ 1), 32 for a division by zero; both = dividend bits * 33 + divisor bits"
    )
    cycles: Annotated[tuple[int, ...], BeforeValidator(names_tuple)] = key(
        "cycles from operands to result, load cycle included, for 0 to 32 bits of the magnitudes",
        unit="cycles",
        allowed=f"33 whole numbers from 1 to {MOST_TABLE_CYCLES}, or 1089 with by: both",
    )

    @field_validator("cycles")
    @classmethod
    def _entries(cls, cycles: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
        by = info.data.get("by")
        if by is not None and len(cycles) != TABLE_ENTRIES[by]:
            raise ValueError(
                f"must be {TABLE_ENTRIES[by]} numbers with by: {by}, one for each length from 0 "
                f"to 32 bits, not {len(cycles)}"
            )
        for position, entry in enumerate(cycles):
            if not 1 <= entry <= MOST_TABLE_CYCLES:
                raise ValueError(
                    f"entry {position} must be 1 to {MOST_TABLE_CYCLES} cycles, not {entry}"
                )
        return cycles


def known_divider(value: object) -> str:
    """The name of a divider as the table spells it.

    Raises:
        ValueError: no such divider.
    """
    names = divider_names()
    name = OTHER_NAMES.get(value, value) if isinstance(value, str) else value
    if not isinstance(name, str) or name not in names:
        near = did_you_mean(name, names) if isinstance(name, str) else ""
        raise ValueError(f"{shown(value)} is not a divider (allowed: {', '.join(names)}{near})")
    return name


def check_wide(name: str) -> None:
    """Refuse a divider whose cycles are not known for shifted dividends.

    Raises:
        ValueError: naming those that are.
    """
    if not dividers()[name].wide:
        known = ", ".join(row.name for row in dividers().values() if row.wide)
        raise ValueError(f"{name} is not known for the longer dividends of kdivps (known: {known})")


def check_table(where: str, divider: object, table: object) -> None:
    """Refuse a table that is not used, and the want of one. ``where`` is core or vcu.

    Raises:
        ValueError: the rule that is broken.
    """
    if divider == USER_TABLE and table is None:
        raise ValueError(f"table needs {where}.divider_table: a section with by and cycles")
    if divider != USER_TABLE and table is not None:
        raise ValueError(f"must be table, not {shown(divider)}: there is a {where}.divider_table")
