"""The dividers that ship, by name, and their area: read from ``models/dividers``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from gnomon.arch.dividers._divider import Divider, read_divider
from gnomon.base.content import content
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.tables import read_yaml_table

if TYPE_CHECKING:
    from pathlib import Path

USER_TABLE = "table"
"""The name that stands for a user's own latency table."""

OTHER_NAMES = {"restoring-radix2": "restoring_r2"}
"""Earlier spellings that are still read, and what they are called now."""


@dataclass(frozen=True, slots=True)
class DividerArea:
    """Primitives of one 32-bit divider on a 7-series FPGA: a synthesis estimate, for ratios."""

    divider: str
    lut: int
    ff: int
    carry4: int
    muxf7_f8: int
    design: str
    note: str


@cache
def dividers() -> dict[str, Divider]:
    """All dividers by name, in the order of the table.

    Raises:
        GnomonError: the table cannot be read or holds something it may not hold.
    """
    path = content("models", "dividers", "laws.yaml")
    return {name: read_divider(name, row, path.name) for name, row in _read(path).items()}


def divider_names() -> tuple[str, ...]:
    """What ``core.divider`` and ``vcu.divider`` of a machine may say."""
    return tuple(dividers())


def divider(name: str) -> Divider:
    """One divider, by its name or an earlier spelling of it.

    Raises:
        GnomonError: no such divider.
    """
    known = dividers()
    name = OTHER_NAMES.get(name, name)
    if name not in known:
        near = did_you_mean(name, known)
        raise GnomonError(f"no divider is called {name!r} (known: {', '.join(known)}{near})")
    return known[name]


@cache
def divider_areas() -> tuple[DividerArea, ...]:
    """The area estimates; not every divider has one.

    Raises:
        GnomonError: the table cannot be read.
    """
    path = content("models", "dividers", "area-xc7.yaml")
    try:
        return tuple(DividerArea(**row) for row in _read(path)["rows"])
    except (KeyError, TypeError) as error:
        raise GnomonError(f"{path.name}: not a table of divider areas: {error}") from None


def _read(path: Path) -> dict[str, Any]:
    return read_yaml_table(path, "table of dividers").data
