"""The area of a machine as tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.console import console, table
from gnomon.cost.area import KINDS, RESOURCES

if TYPE_CHECKING:
    from gnomon.base.interval import Interval
    from gnomon.cost.area import Area

_GROUPS = {"core": "core", "vcu": "vector unit", "scratchpad": "scratchpads"}
_WIDEST_CELL = 11
_HEADS = {"lut": "LUT", "ff": "FF", "dsp": "DSP", "bram": "BRAM"}


def print_area(found: Area) -> None:
    """Print parts with counts, groups, total, and where each figure is from."""
    out = console()
    parts = table(
        f"{found.machine}: area by table {found.table}",
        3,
        *("part", "how many", "figure is", *(_HEADS[name] for name in RESOURCES)),
    )
    for column in (parts.columns[0], *parts.columns[2:]):
        column.no_wrap = True  # half a number is no use
    for part in found.parts:
        counts = (_cell(part.resources.of(name)) for name in RESOURCES)
        parts.add_row(part.figure.name, part.counted, part.figure.kind, *counts)
    parts.add_section()
    for group, title in _GROUPS.items():
        if any(part.group == group for part in found.parts):
            sums = found.group(group)
            counts = (_cell(sums.of(name)) for name in RESOURCES)
            parts.add_row(title, "", "", *counts)
    total = found.total
    counts = (_cell(total.of(name)) for name in RESOURCES)
    parts.add_row("total", "", "", *counts)
    share = (f"{total.of(name).value / found.capacity[name]:.1%}" for name in RESOURCES)
    parts.add_row(f"of {found.device}", "", "", *share)
    out.print(parts)
    whole = total.lut.value
    kinds = ", ".join(
        f"{found.of_kind(kind, 'lut').value / whole:.0%} {kind}"
        for kind in KINDS
        if found.of_kind(kind, "lut").value
    )
    out.print(f"LUT by kind of figure: {kinds}. Not included: {found.not_included}.\n")
    for part in found.parts:
        out.print(f"{part.figure.name}: {part.figure.source}  [{', '.join(part.figure.origins)}]")


def _cell(count: Interval) -> str:
    """The same in two lines where one would be wide."""
    text = interval_text(count)
    return text.replace(" ", "\n") if len(text) > _WIDEST_CELL else text


def interval_text(count: Interval) -> str:
    """``1,030 (300-1,030)``; one number where there is no interval."""
    if count.low == count.value == count.high:
        return _number(count.value)
    return f"{_number(count.value)} ({_number(count.low)}-{_number(count.high)})"


def _number(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() or value >= 20 else f"{value:,.1f}"
