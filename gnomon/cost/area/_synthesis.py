"""Rows of a synthesis tool: counts of one part, for the machines whose keys they name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gnomon.arch import key_paths
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.interval import Interval
from gnomon.base.tables import CsvRow, YamlTable, read_csv_table
from gnomon.cost.area._figure import RESOURCES, Figure, Resources
from gnomon.cost.area._table import LARGEST_COUNT, one_paragraph

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gnomon.arch import Architecture
    from gnomon.cost.area._figure import Resource
    from gnomon.cost.area._table import AreaTable

COLUMNS = ("part", "conditions", *RESOURCES, "design", "tool")
"""Of ``models/area/synth-*.csv``; ``models/README.md`` says what they mean."""


@dataclass(frozen=True, slots=True)
class SynthesisRow:
    """One row. ``conditions``: machine keys and the value each must have, as files write them."""

    part: str
    conditions: Mapping[str, str]
    counts: Mapping[Resource, float]
    design: str
    tool: str
    origin: str

    def holds_for(self, architecture: Architecture) -> bool:
        """Whether the machine has all values that the row was made with."""
        return all(
            value_text(architecture, key) == wanted for key, wanted in self.conditions.items()
        )


def value_text(architecture: Architecture, key: str) -> str | None:
    """The value at a dotted key of a machine, as text; None where it has no such section."""
    value: Any = architecture
    for name in key.split("."):
        if value is None:
            return None
        value = getattr(value, name, None)
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else str(value)


def read_synthesis_rows(path: Path) -> tuple[SynthesisRow, ...]:
    """Read a file of rows.

    Raises:
        GnomonError: at the line of a row that cannot be used.
    """
    state = path.stat() if path.is_file() else None
    return _read_rows(path, (state.st_mtime_ns, state.st_size) if state else None)


@lru_cache(maxsize=16)
def _read_rows(path: Path, state: object) -> tuple[SynthesisRow, ...]:  # noqa: ARG001 - a key
    return tuple(_row(row) for row in read_csv_table(path))


def _row(row: CsvRow) -> SynthesisRow:
    if tuple(row.values) != COLUMNS:
        raise GnomonError(f"{row.origin}: the columns must be {', '.join(COLUMNS)}")
    for column in ("part", "design", "tool", *RESOURCES):
        if not row.values[column]:
            raise GnomonError(f"{row.origin}: {column}: is empty")
    conditions = {}
    for word in row.values["conditions"].split():
        key, equals, value = word.partition("=")
        if not (key and equals and value):
            raise GnomonError(f"{row.origin}: conditions: must be key=value, not {word!r}")
        if key not in key_paths():
            near = did_you_mean(key, key_paths())
            raise GnomonError(f"{row.origin}: conditions: no machine has a key {key!r}{near}")
        conditions[key] = value
    return SynthesisRow(
        part=row.values["part"],
        conditions=conditions,
        counts={name: _count(row, name) for name in RESOURCES},
        design=row.values["design"],
        tool=row.values["tool"],
        origin=row.origin,
    )


def _count(row: CsvRow, column: str) -> float:
    text = row.values[column]
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= LARGEST_COUNT:
        raise GnomonError(
            f"{row.origin}: {column}: must be a number from 0 to {LARGEST_COUNT}, not {text!r}"
        )
    return value


def spread(table: AreaTable, counts: Mapping[Resource, float]) -> Resources:
    """Synthesised counts with the interval that the table gives them."""
    ends = {name: table.synthesis.spread.of(name) for name in RESOURCES}
    return Resources(
        **{
            name: Interval(counts[name], 0, 0, name.upper()).spread(ends[name].low, ends[name].high)
            for name in RESOURCES
        }
    )


def synthesised_figure(
    table: AreaTable, lines: YamlTable, name: str, architecture: Architecture
) -> Figure:
    """A part by the one row that holds for a machine.

    Raises:
        GnomonError: no row holds, or more than one does.
    """
    rows: list[SynthesisRow] = []
    for file in table.synthesis.files:
        rows += read_synthesis_rows(lines.path.parent / file)
    for row in rows:
        if row.part not in table.synthesis.parts:
            near = did_you_mean(row.part, table.synthesis.parts)
            raise GnomonError(
                f"{row.origin}: part: {row.part!r} is not among synthesis.parts of "
                f"{lines.origin('synthesis', 'parts')}{near}"
            )
    own = [row for row in rows if row.part == name]
    fitting = [row for row in own if row.holds_for(architecture)]
    if not fitting:
        keys = dict.fromkeys(key for row in own for key in row.conditions)
        has = ", ".join(f"{key} {value_text(architecture, key)}" for key in keys)
        raise GnomonError(
            f"area of {architecture.name} is not known: {name} was not synthesised with {has} "
            f"({len(own)} rows of it in {', '.join(table.synthesis.files)}, see {lines.origin()})"
        )
    if len(fitting) > 1:
        both = " and ".join(row.origin for row in fitting)
        raise GnomonError(f"{both}: both hold for {architecture.name}; conditions must tell apart")
    row = fitting[0]
    return Figure(
        name,
        "synthesised",
        spread(table, row.counts),
        f"{row.design}; {row.tool}; neither placed nor routed",
        "interval: " + one_paragraph(table.synthesis.spread.reasoning),
        (row.origin, lines.origin("synthesis", "spread")),
    )
