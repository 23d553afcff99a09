"""An area table: ``models/area/*.yaml`` and the rows of a synthesis tool that it names."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, field_validator, model_validator

from gnomon.area._figure import RESOURCES, Figure, Interval, Resources
from gnomon.content import content
from gnomon.errors import GnomonError, did_you_mean
from gnomon.tables import Entry, YamlTable, check_table, read_yaml_table

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.area._figure import Kind, Resource

LARGEST_COUNT = 10_000_000
Count = Annotated[float, Field(ge=0, le=LARGEST_COUNT)]
Text = Annotated[str, Field(min_length=1)]


class Ends(Entry):
    """A count with its interval."""

    value: Count
    low: Count
    high: Count

    @model_validator(mode="after")
    def _ordered(self) -> Ends:
        if not self.low <= self.value <= self.high:
            raise ValueError(
                f"value must be within low and high ({self.low:g} to {self.high:g}), "
                f"not {self.value:g}"
            )
        return self

    def interval(self) -> Interval:
        """As the rest of the package computes with it."""
        return Interval(self.value, self.low, self.high)


class Logic(Entry):
    """A part without multiplier and memory blocks."""

    source: Text
    reasoning: Text
    lut: Ends
    ff: Ends


class PartEntry(Entry):
    """A part that no synthesis of ours counts."""

    kind: Literal["published", "estimate"]
    source: Text
    reasoning: Text
    lut: Ends
    ff: Ends
    dsp: Ends
    bram: Ends


class Device(Entry):
    """What an FPGA has."""

    name: Text
    source: Text
    lut: Annotated[int, Field(gt=0)]
    ff: Annotated[int, Field(gt=0)]
    dsp: Annotated[int, Field(gt=0)]
    bram: Annotated[int, Field(gt=0)]


class Spread(Entry):
    """Factors on a synthesised count: what another tool or design may make of it."""

    low: Annotated[float, Field(gt=0, le=1)]
    high: Annotated[float, Field(ge=1, le=10)]


class Spreads(Entry):
    """A spread for each resource, and why."""

    lut: Spread
    ff: Spread
    dsp: Spread
    bram: Spread
    reasoning: Text

    def of(self, resource: Resource) -> Spread:
        """One of the four."""
        found: Spread = getattr(self, resource)
        return found


class Synthesis(Entry):
    """Files of synthesised rows beside the table, and the parts that they hold."""

    files: Annotated[list[Text], Field(min_length=1)]
    parts: Annotated[list[Text], Field(min_length=1)]
    spread: Spreads


class WideDivider(Entry):
    """Factors on a divider for longer dividends."""

    source: Text
    reasoning: Text
    lut: Ends
    ff: Ends


class Dividers(Entry):
    """Dividers without a synthesised row."""

    wide: WideDivider
    estimates: dict[str, Logic]


class AreaTable(Entry):
    """One file of ``models/area``. ``conditions``: values of machine keys that it holds for."""

    schema_version: Annotated[Literal[1], Field(alias="schema")]
    name: Text
    title: Text
    not_included: Text
    conditions: dict[str, list[str | int | bool]]
    device: Device
    core_includes_divider: Text
    synthesis: Synthesis
    parts: dict[str, PartEntry]
    dividers: Dividers

    @field_validator("parts")
    @classmethod
    def _none_twice(cls, parts: dict[str, PartEntry]) -> dict[str, PartEntry]:
        if not parts:
            raise ValueError("must hold parts")
        return parts


def area_table_names() -> tuple[str, ...]:
    """The tables that ship."""
    return tuple(sorted(path.stem for path in content("models", "area").glob("*.yaml")))


@cache
def area_table(name: str) -> tuple[AreaTable, YamlTable]:
    """A table that ships, and its lines.

    Raises:
        GnomonError: there is none of this name, or an entry of it cannot be used.
    """
    names = area_table_names()
    if name not in names:
        raise GnomonError(
            f"no area table is called {name!r} (known: {', '.join(names)}"
            f"{did_you_mean(name, names)})"
        )
    return read_area_table(content("models", "area", f"{name}.yaml"))


def read_area_table(path: Path) -> tuple[AreaTable, YamlTable]:
    """Check a table by path.

    Raises:
        GnomonError: at the line of each entry that is missing, unknown or not plausible.
    """
    lines = read_yaml_table(path)
    return check_table(lines, AreaTable), lines


def one_paragraph(text: str) -> str:
    """Text of a table without its line breaks."""
    return " ".join(text.split())


def part_figure(table: AreaTable, lines: YamlTable, name: str) -> Figure:
    """A part that is published or an estimate.

    Raises:
        GnomonError: the table lacks it.
    """
    entry = table.parts.get(name)
    if entry is None:
        raise GnomonError(
            f"{lines.origin('parts')}: parts: has no part {name!r}, which the machine needs"
        )
    resources = {each: getattr(entry, each).interval() for each in RESOURCES}
    kind: Kind = entry.kind
    return Figure(
        name,
        kind,
        Resources(**resources),
        one_paragraph(entry.source),
        one_paragraph(entry.reasoning),
        (lines.origin("parts", name),),
    )
