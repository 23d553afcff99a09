"""The divider of a machine: a name from the table of dividers, or a user-defined table."""

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import BeforeValidator, ValidationInfo, field_validator

from gnomon.arch.dividers._divider import OTHER_NAMES, Divider
from gnomon.arch.operands import LENGTHS
from gnomon.base.errors import did_you_mean
from gnomon.base.schema import Section, key, names_tuple
from gnomon.base.yaml import shown

_MOST_CYCLES = 4096  # gnomon's limit, far above any divider
_USER_TABLE = "table"  # the name that selects a user-defined latency table


class DividerTable(Section):
    """Cycles of a user-defined divider, by the bit lengths of its operands."""

    by: Literal["quotient-bits", "dividend-bits", "divisor-bits", "both"] = key(
        "index of the entries: quotient-bits = max(0, bits of the dividend - bits of the divisor "
        "+ 1), 32 for a division by zero; both = dividend bits * 33 + divisor bits"
    )
    cycles: Annotated[tuple[int, ...], BeforeValidator(names_tuple)] = key(
        "cycles from operands to result, load cycle included, for 0 to 32 bits of the magnitudes",
        unit="cycles",
        allowed=f"33 whole numbers from 1 to {_MOST_CYCLES}, or 1089 with by: both",
    )

    @field_validator("cycles")
    @classmethod
    def _entries(cls, cycles: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
        by = info.data.get("by")
        entries = LENGTHS * LENGTHS if by == "both" else LENGTHS
        if by is not None and len(cycles) != entries:
            raise ValueError(
                f"must be {entries} numbers with by: {by}, one for each length from 0 "
                f"to 32 bits, not {len(cycles)}"
            )
        for position, entry in enumerate(cycles):
            if not 1 <= entry <= _MOST_CYCLES:
                raise ValueError(
                    f"entry {position} must be 1 to {_MOST_CYCLES} cycles, not {entry}"
                )
        return cycles

    def lookup(self) -> tuple[int, ...]:
        """Return the cycles for all pairs of lengths, as the engine reads them."""
        if self.by == "both":
            return self.cycles
        index: Callable[[int, int], int] = {
            "quotient-bits": lambda a, b: min(max(0, a - b + 1), 32) if b else 32,
            "dividend-bits": lambda a, _: a,
            "divisor-bits": lambda _, b: b,
        }[self.by]
        lengths = range(LENGTHS)
        return tuple(self.cycles[index(a, b)] for a in lengths for b in lengths)


def resolve_divider(value: object) -> str:
    """Return the name of a divider as the table spells it.

    Raises:
        ValueError: if there is no such divider.
    """
    names = list(Divider.by_name())
    name = OTHER_NAMES.get(value, value) if isinstance(value, str) else value
    if not isinstance(name, str) or name not in names:
        near = did_you_mean(name, names) if isinstance(name, str) else ""
        raise ValueError(f"{shown(value)} is not a divider (allowed: {', '.join(names)}{near})")
    return name


def selected_divider(name: str, table: DividerTable | None) -> Divider:
    """Return a divider by its name, with the cycles of a user-defined table if there is one."""
    divider = Divider.named(name)
    return divider if table is None else divider.with_table(table.lookup())


def check_wide(name: str) -> None:
    """Reject a divider whose cycles are unknown for shifted dividends.

    Raises:
        ValueError: if it is such a divider; the message lists the others.
    """
    rows = Divider.by_name()
    if not rows[name].wide:
        known = ", ".join(row.name for row in rows.values() if row.wide)
        raise ValueError(f"{name} is not known for the longer dividends of kdivps (known: {known})")


def check_divider_table(where: str, divider: object, table: object) -> None:
    """Check that ``divider_table`` is set if and only if the divider needs one.

    ``where`` is core or vcu.

    Raises:
        ValueError: if a rule is broken.
    """
    if divider == _USER_TABLE and table is None:
        raise ValueError(f"table needs {where}.divider_table: a section with by and cycles")
    if divider != _USER_TABLE and table is not None:
        raise ValueError(f"must be table, not {shown(divider)}: there is a {where}.divider_table")
