"""Area figures with their sources, and area tables: ``models/area/*.yaml``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field, field_validator, model_validator

from gnomon.base.content import content
from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.interval import Interval
from gnomon.base.tables import Entry, YamlTable, check_table, read_yaml_table

Resource = Literal["lut", "ff", "dsp", "bram"]
"""lut: look-up tables of 6 inputs; ff: flip-flops; dsp: multiplier blocks (DSP48); bram: memory
blocks of 36 Kbit, where half a block counts 0.5."""

RESOURCES: tuple[Resource, ...] = get_args(Resource)

Kind = Literal["published", "synthesised", "estimate"]
"""published: from a publication; synthesised: counted by a synthesis tool, not placed or routed;
estimate: derived in the table."""

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Resources:
    """Primitives of one part or machine; the unit of each is its name in capitals."""

    lut: Interval
    ff: Interval
    dsp: Interval
    bram: Interval

    def __add__(self, other: Resources) -> Resources:
        """Add resource by resource."""
        return Resources(*(self.of(name) + other.of(name) for name in RESOURCES))

    def __mul__(self, count: float) -> Resources:
        """Multiply each resource."""
        return Resources(*(self.of(name) * count for name in RESOURCES))

    def of(self, resource: Resource) -> Interval:
        """Return the amount of one resource."""
        found: Interval = getattr(self, resource)
        return found


NO_RESOURCES = Resources(*(Interval(0, 0, 0, name.upper()) for name in RESOURCES))


@dataclass(frozen=True, slots=True)
class Figure:
    """Area of one instance of a part."""

    name: str  # the part, as the table spells it
    kind: Kind  # origin of the figure
    resources: Resources  # of one instance
    source: str  # publication, or tool and version
    reasoning: str  # derivation of the estimate and of the interval
    origins: tuple[str, ...]  # `file:line` of the rows it was computed from


LARGEST_COUNT = 10_000_000
Count = Annotated[float, Field(ge=0, le=LARGEST_COUNT)]
Present = Annotated[int, Field(gt=0)]
Text = Annotated[str, Field(min_length=1), AfterValidator(lambda text: " ".join(text.split()))]

_SOURCE = Field(description="source of the figures")
_REASONING = Field(description="derivation of the interval")
_LUT = Field(description="look-up tables of 6 inputs")
_FF = Field(description="flip-flops")
_DSP = Field(description="DSP48 blocks")
_BRAM = Field(description="memory blocks of 36 Kbit; half a block counts 0.5")


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

    def interval(self, unit: str) -> Interval:
        """Return the count as an interval in ``unit``."""
        return Interval(self.value, self.low, self.high, unit)

    def times(self, count: Interval) -> Interval:
        """Return a count multiplied by this factor."""
        ends = count.value * self.value, count.low * self.low, count.high * self.high
        return Interval(*ends, count.unit)


class Logic(Entry):
    """A part without multiplier and memory blocks."""

    source: Text = _SOURCE
    reasoning: Text = _REASONING
    lut: Ends = _LUT
    ff: Ends = _FF


class PartEntry(Entry):
    """A part without a synthesised row."""

    kind: Literal["published", "estimate"] = Field(description="origin of its figures")
    source: Text = _SOURCE
    reasoning: Text = _REASONING
    lut: Ends = _LUT
    ff: Ends = _FF
    dsp: Ends = _DSP
    bram: Ends = _BRAM


class FpgaDevice(Entry):
    """Resources of an FPGA."""

    name: Text = Field(description="name by its manufacturer")
    source: Text = _SOURCE
    lut: Present = _LUT
    ff: Present = _FF
    dsp: Present = _DSP
    bram: Present = _BRAM


class Spread(Entry):
    """Factors on a synthesised count: the range for other tools or designs."""

    low: Annotated[float, Field(gt=0, le=1)]
    high: Annotated[float, Field(ge=1, le=10)]


class Spreads(Entry):
    """A spread for each resource, with its derivation."""

    lut: Spread = _LUT
    ff: Spread = _FF
    dsp: Spread = _DSP
    bram: Spread = _BRAM
    reasoning: Text = _REASONING

    def interval(self, resource: Resource, count: float) -> Interval:
        """Return a synthesised count of one resource with its interval."""
        ends: Spread = getattr(self, resource)
        return Interval(count, count * ends.low, count * ends.high, resource.upper())


class Synthesis(Entry):
    """Files of synthesised rows next to the table, and the parts in them."""

    files: Annotated[list[Text], Field(min_length=1)] = Field(
        description="CSV files next to the table, one row per part and conditions"
    )
    parts: Annotated[list[Text], Field(min_length=1)] = Field(description="parts in the files")
    whole: list[Text] = Field(
        default=[], description="CSV files of completely synthesised machines"
    )
    spread: Spreads = Field(description="factors on their counts")


class WideDivider(Logic):
    """Factors on a divider for longer dividends."""


class Dividers(Entry):
    """Dividers without a synthesised row."""

    wide: WideDivider = Field(description="factors on a divider for the dividends of kdivps")
    estimates: dict[str, Logic] = Field(
        description="estimates of dividers without synthesised row, by divider"
    )


class AreaTable(Entry):
    """One file of ``models/area``. ``conditions``: machine key values that it applies to."""

    schema_version: Annotated[Literal[1], Field(alias="schema")] = Field(
        description="version of this file format"
    )
    name: Text = Field(description="name that the key area of a machine refers to")
    title: Text = Field(description="one-line title")
    not_included: Text = Field(description="items that the figures leave out")
    conditions: dict[str, list[str | int | bool]] = Field(
        description="values that the table applies to, by machine key"
    )
    device: FpgaDevice = Field(description="an FPGA, for the share of it that a machine takes")
    core_includes_divider: Text = Field(
        description="divider in the part core, which the divider of the machine replaces"
    )
    synthesis: Synthesis = Field(description="parts that a synthesis tool counted")
    parts: dict[str, PartEntry] = Field(description="parts without synthesised row, by name")
    dividers: Dividers = Field(description="dividers without synthesised row")

    @field_validator("parts")
    @classmethod
    def _none_twice(cls, parts: dict[str, PartEntry]) -> dict[str, PartEntry]:
        if not parts:
            raise ValueError("must hold parts")
        return parts


@cache
def load_area_table(name: str) -> tuple[AreaTable, YamlTable]:
    """Return a shipped table and its lines.

    Raises:
        GnomonError: if there is no table of this name.
    """
    names = sorted(path.stem for path in content("models", "area").glob("*.yaml"))
    if name not in names:
        raise GnomonError(f"no area table is called {name!r} {allowed_hint(name, names, 'known')}")
    return read_area_table(content("models", "area", f"{name}.yaml"))


def read_area_table(path: Path) -> tuple[AreaTable, YamlTable]:
    """Read and check a table; return it with its lines.

    Raises:
        GnomonError: if the file is not a valid table, with its lines.
    """
    lines = read_yaml_table(path)
    return check_table(lines, AreaTable), lines
