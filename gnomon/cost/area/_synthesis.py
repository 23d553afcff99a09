"""What a synthesis tool counted: rows of parts for machines, and dividers.

A row of a part holds for the machines whose keys it names. A divider has its row in
``models/dividers``, else the estimate of the area table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from gnomon.arch import Architecture
from gnomon.arch.keys import key_paths
from gnomon.base.content import content
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.interval import Interval
from gnomon.base.tables import CsvRow, YamlTable, read_csv_table, read_yaml_table
from gnomon.cost.area._table import (
    LARGEST_COUNT,
    NO_RESOURCES,
    RESOURCES,
    AreaTable,
    Ends,
    Figure,
    Resource,
    Resources,
    one_paragraph,
)

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

    @staticmethod
    def read(path: Path) -> tuple[SynthesisRow, ...]:
        """Read a file of rows.

        Raises:
            GnomonError: at the line of a row that cannot be used.
        """
        state = path.stat() if path.is_file() else None
        return _read_rows(path, (state.st_mtime_ns, state.st_size) if state else None)

    def holds_for(self, architecture: Architecture) -> bool:
        """Whether the machine has all values that the row was made with."""
        return all(
            value_text(architecture, key) == wanted for key, wanted in self.conditions.items()
        )


def value_text(architecture: Architecture, key: str) -> str:
    """The value at a dotted key of a machine, as text; ``none`` where it has no such section."""
    value: Any = architecture
    for name in key.split("."):
        value = getattr(value, name, None)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        value = ",".join(value) or None
    if isinstance(value, int):  # of a size, its bytes
        value = int(value)
    return "none" if value is None else str(value)


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
    """A part by the one row that holds for a machine."""
    rows: list[SynthesisRow] = []
    for file in table.synthesis.files:
        rows += SynthesisRow.read(lines.path.parent / file)
    for row in rows:
        if row.part not in table.synthesis.parts:
            near = did_you_mean(row.part, table.synthesis.parts)
            raise GnomonError(
                f"{row.origin}: part: {row.part!r} is not among synthesis.parts of "
                f"{lines.origin('synthesis', 'parts')}{near}"
            )
    own = [row for row in rows if row.part == name]
    fitting = _fitting(own, architecture)
    if fitting is None:
        keys = dict.fromkeys(key for row in own for key in row.conditions)
        has = ", ".join(f"{key} {value_text(architecture, key)}" for key in keys)
        raise GnomonError(
            f"area of {architecture.name} is not known: {name} was not synthesised with {has} "
            f"({len(own)} rows of it in {', '.join(table.synthesis.files)}, see {lines.origin()})"
        )
    return _figure_of(table, lines, name, fitting)


def whole_figure(table: AreaTable, lines: YamlTable, architecture: Architecture) -> Figure | None:
    """A machine that was synthesised as a whole, or None.

    Raises:
        GnomonError: more than one row holds.
    """
    files = (lines.path.parent / file for file in table.synthesis.whole)
    row = _fitting([row for file in files for row in SynthesisRow.read(file)], architecture)
    return None if row is None else _figure_of(table, lines, architecture.name, row)


def _fitting(rows: list[SynthesisRow], architecture: Architecture) -> SynthesisRow | None:
    fitting = [row for row in rows if row.holds_for(architecture)]
    if len(fitting) > 1:
        both = " and ".join(row.origin for row in fitting)
        raise GnomonError(f"{both}: both hold for {architecture.name}; conditions must tell apart")
    return fitting[0] if fitting else None


def _figure_of(table: AreaTable, lines: YamlTable, name: str, row: SynthesisRow) -> Figure:
    return Figure(
        name,
        "synthesised",
        spread(table, row.counts),
        f"{row.design}; {row.tool}; neither placed nor routed",
        "interval: " + one_paragraph(table.synthesis.spread.reasoning),
        (row.origin, lines.origin("synthesis", "spread")),
    )


@cache
def _divider_rows() -> YamlTable:
    return read_yaml_table(content("models", "dividers", "area-xc7.yaml"))


def divider_figure(table: AreaTable, lines: YamlTable, divider: str, part: str) -> Figure:
    """One unsigned divider of 32 bits, as the part of that name."""
    rows = _divider_rows()
    for position, row in enumerate(rows.data["rows"]):
        if row["divider"] == divider:
            return Figure(
                part,
                "synthesised",
                spread(table, {"lut": row["lut"], "ff": row["ff"], "dsp": 0, "bram": 0}),
                f"{divider}: {row['design']}; {rows.data['tool']}; neither placed nor routed",
                f"{row['note']}; interval: {one_paragraph(table.synthesis.spread.reasoning)}",
                (rows.origin("rows", position), lines.origin("synthesis", "spread")),
            )
    estimate = table.dividers.estimates.get(divider)
    if estimate is None:
        known = [*(row["divider"] for row in rows.data["rows"]), *table.dividers.estimates]
        raise GnomonError(
            f"the area of divider {divider} ({part}) is not known to table {table.name} "
            f"(known: {', '.join(known)})"
        )
    return Figure(
        part,
        "estimate",
        replace(NO_RESOURCES, lut=estimate.lut.interval("LUT"), ff=estimate.ff.interval("FF")),
        f"{divider}: {one_paragraph(estimate.source)}",
        one_paragraph(estimate.reasoning),
        (lines.origin("dividers", "estimates", divider),),
    )


def widened(table: AreaTable, lines: YamlTable, figure: Figure) -> Figure:
    """The same divider for dividends of up to 63 bits."""
    wide = table.dividers.wide

    def times(count: Interval, factor: Ends) -> Interval:
        return Interval(
            count.value * factor.value, count.low * factor.low, count.high * factor.high, count.unit
        )

    own = figure.resources
    return Figure(
        figure.name,
        "estimate",
        replace(own, lut=times(own.lut, wide.lut), ff=times(own.ff, wide.ff)),
        f"{figure.source}; for longer dividends: {one_paragraph(wide.source)}",
        f"{figure.reasoning}; for longer dividends: {one_paragraph(wide.reasoning)}",
        (*figure.origins, lines.origin("dividers", "wide")),
    )
