"""Synthesis results: rows of machine parts, and of dividers.

A row of a part applies to machines with the key values that it names. A divider has a row in
``models/dividers``, else an estimate in the area table.
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
from gnomon.base.tables import CsvRow, YamlTable, read_csv_table, read_yaml_table
from gnomon.cost.area._table import (
    LARGEST_COUNT,
    NO_RESOURCES,
    RESOURCES,
    AreaTable,
    Figure,
    Resource,
    Resources,
)

COLUMNS = ("part", "conditions", *RESOURCES, "design", "tool")
"""Columns of ``models/area/synth-*.csv``; ``models/README.md`` defines them."""


@dataclass(frozen=True, slots=True)
class SynthesisRow:
    """One row. ``conditions``: required values by machine key, as text."""

    part: str
    conditions: Mapping[str, str]
    counts: Mapping[Resource, float]
    design: str
    tool: str
    origin: str

    def holds_for(self, architecture: Architecture) -> bool:
        """Return whether the machine has all values of the conditions."""
        return all(
            format_value(architecture, key) == wanted for key, wanted in self.conditions.items()
        )


def read_synthesis_rows(path: Path) -> tuple[SynthesisRow, ...]:
    """Read a file of rows.

    Raises:
        GnomonError: if a row is invalid, with its line.
    """
    state = path.stat() if path.is_file() else None
    return _read_rows(path, (state.st_mtime_ns, state.st_size) if state else None)


def format_value(architecture: Architecture, key: str) -> str:
    """Return the value at a dotted key of a machine as text; ``none`` if the section is missing."""
    value: Any = architecture
    for name in key.split("."):
        value = getattr(value, name, None)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        value = ",".join(value) or None
    if isinstance(value, int):  # a size as its bytes
        value = int(value)
    return "none" if value is None else str(value)


@lru_cache(maxsize=16)
def _read_rows(path: Path, state: object) -> tuple[SynthesisRow, ...]:  # noqa: ARG001 - a key
    return tuple(_parse_row(row) for row in read_csv_table(path))


def _parse_row(row: CsvRow) -> SynthesisRow:
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


@cache
def _read_divider_rows() -> YamlTable:
    return read_yaml_table(content("models", "dividers", "area-xc7.yaml"))


@dataclass(frozen=True, slots=True)
class Figures:
    """Area of the parts of a machine, from a table and the files of rows that it names."""

    table: AreaTable
    lines: YamlTable
    architecture: Architecture

    def part(self, name: str) -> Figure:
        """Return a part from the row that applies to the machine, else from the table.

        Raises:
            GnomonError: if neither or more than one row has it.
        """
        if name in self.table.synthesis.parts:
            return self._find_row(name)
        entry = self.table.parts.get(name)
        if entry is None:
            raise GnomonError(
                f"{self.lines.origin('parts')}: parts: has no part {name!r}, which the machine "
                "needs"
            )
        resources = Resources(*(getattr(entry, each).interval(each.upper()) for each in RESOURCES))
        origins = (self.lines.origin("parts", name),)
        return Figure(name, entry.kind, resources, entry.source, entry.reasoning, origins)

    def whole(self) -> Figure | None:
        """Return the synthesis of the complete machine; None if there is none.

        Raises:
            GnomonError: if more than one row applies.
        """
        row = self._find_fitting(self._rows(self.table.synthesis.whole))
        return None if row is None else self._build_figure(self.architecture.name, row)

    def divider(self, divider: str, part: str) -> Figure:
        """Return one unsigned 32-bit divider, as the part of that name.

        Raises:
            GnomonError: if neither a row nor the table has the divider.
        """
        rows = _read_divider_rows()
        for position, row in enumerate(rows.data["rows"]):
            if row["divider"] == divider:
                counts: dict[Resource, float] = dict.fromkeys(RESOURCES, 0)
                counts |= {"lut": row["lut"], "ff": row["ff"]}
                how = f"{divider}: {row['design']}; {rows.data['tool']}"
                origin = rows.origin("rows", position)
                return self._build_synthesised(part, counts, how, origin, note=f"{row['note']}; ")
        estimates = self.table.dividers.estimates
        if divider not in estimates:
            known = [*(row["divider"] for row in rows.data["rows"]), *estimates]
            raise GnomonError(
                f"the area of divider {divider} ({part}) is not known to table {self.table.name} "
                f"(known: {', '.join(known)})"
            )
        own = estimates[divider]
        resources = replace(NO_RESOURCES, lut=own.lut.interval("LUT"), ff=own.ff.interval("FF"))
        origins = (self.lines.origin("dividers", "estimates", divider),)
        source = f"{divider}: {own.source}"
        return Figure(part, "estimate", resources, source, own.reasoning, origins)

    def widened(self, figure: Figure) -> Figure:
        """Return the same divider for dividends of up to 63 bits."""
        wide, own = self.table.dividers.wide, figure.resources
        return replace(
            figure,
            kind="estimate",
            resources=replace(own, lut=wide.lut.times(own.lut), ff=wide.ff.times(own.ff)),
            source=f"{figure.source}; for longer dividends: {wide.source}",
            reasoning=f"{figure.reasoning}; for longer dividends: {wide.reasoning}",
            origins=(*figure.origins, self.lines.origin("dividers", "wide")),
        )

    def _rows(self, files: list[str]) -> list[SynthesisRow]:
        return [row for each in files for row in read_synthesis_rows(self.lines.path.parent / each)]

    def _find_row(self, name: str) -> Figure:
        synthesis, machine = self.table.synthesis, self.architecture
        rows = self._rows(synthesis.files)
        for row in rows:
            if row.part not in synthesis.parts:
                raise GnomonError(
                    f"{row.origin}: part: {row.part!r} is not among synthesis.parts of "
                    f"{self.lines.origin('synthesis', 'parts')}"
                    f"{did_you_mean(row.part, synthesis.parts)}"
                )
        own = [row for row in rows if row.part == name]
        fitting = self._find_fitting(own)
        if fitting is None:
            keys = dict.fromkeys(key for row in own for key in row.conditions)
            has = ", ".join(f"{key} {format_value(machine, key)}" for key in keys)
            raise GnomonError(
                f"area of {machine.name} is not known: {name} was not synthesised with {has} "
                f"({len(own)} rows of it in {', '.join(synthesis.files)}, see "
                f"{self.lines.origin()})"
            )
        return self._build_figure(name, fitting)

    def _find_fitting(self, rows: list[SynthesisRow]) -> SynthesisRow | None:
        fitting = [row for row in rows if row.holds_for(self.architecture)]
        if len(fitting) > 1:
            both = " and ".join(row.origin for row in fitting)
            raise GnomonError(
                f"{both}: both hold for {self.architecture.name}; conditions must distinguish them"
            )
        return fitting[0] if fitting else None

    def _build_figure(self, name: str, row: SynthesisRow) -> Figure:
        return self._build_synthesised(name, row.counts, f"{row.design}; {row.tool}", row.origin)

    def _build_synthesised(
        self, name: str, counts: Mapping[Resource, float], how: str, origin: str, note: str = ""
    ) -> Figure:
        """Return counts with the intervals of the table."""
        spread = self.table.synthesis.spread
        resources = Resources(*(spread.interval(each, counts[each]) for each in RESOURCES))
        source, reasoning = (
            f"{how}; neither placed nor routed",
            f"{note}interval: {spread.reasoning}",
        )
        origins = (origin, self.lines.origin("synthesis", "spread"))
        return Figure(name, "synthesised", resources, source, reasoning, origins)
