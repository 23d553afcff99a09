"""Marginal costs of instructions on gates as human-readable tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.console import console, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Row = Mapping[str, str | int | float]

_SHOWN_UNITS = 5
_TITLES = {
    "pairs": "Marginal cost, pJ of the data path per instruction",
    "loops": "Loops, pJ of the data path per instruction, setup included",
}
_NO_UNITS = ("pair", "instruction", "gates_pj", "table_pj", "error_percent", "rounds", "executed")


def print_marginal(tables: Mapping[str, Sequence[Row]], lines: Sequence[str]) -> None:
    """Print the rows of pairs and of loops, with the units that differ most, then some lines."""
    names = [name for name in tables["pairs"][0] if name not in _NO_UNITS]
    size = {name: max(abs(float(row[name])) for row in tables["pairs"]) for name in names}
    shown = sorted(names, key=lambda name: -size[name])[:_SHOWN_UNITS]
    shown = [name for name in names if name in shown]
    for kind, rows in tables.items():
        first = next(iter(rows[0]))
        priced = [name for name in ("table_pj", "error_percent") if rows[0].get(name, "") != ""]
        columns = ["gates_pj", *priced, *shown]
        text = table(_TITLES[kind], 1, first, *map(_shorten, columns), "others")
        for row in rows:
            others = sum(float(row[name]) for name in names if name not in shown)
            numbers = [*(float(row[name]) for name in columns), others]
            text.add_row(str(row[first]), *(f"{value:.1f}" for value in numbers))
        console().print(text)
    for line in lines:
        console().print(line)


def _shorten(instance: str) -> str:
    """Return the last two names of an instance: lanes and core both have a multiplier."""
    return ".".join(instance.split(".")[-2:])
