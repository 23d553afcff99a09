"""FPGA area of a machine: its parts, their counts and their sum."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gnomon.base.errors import GnomonError
from gnomon.base.frames import Framed, typed
from gnomon.base.interval import Interval
from gnomon.base.keys import Key, keys_of
from gnomon.base.values import json_attributes, to_json_data
from gnomon.cost.area._synthesis import Figures, format_value
from gnomon.cost.area._table import (
    KINDS,
    NO_RESOURCES,
    RESOURCES,
    AreaTable,
    Figure,
    Resources,
    load_area_table,
)
from gnomon.cost.estimators import ask

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from gnomon.arch import Architecture
    from gnomon.cost.area._table import Kind, Resource

HARTS_OF_CORE = 3
"""Harts of the published core; each further hart is a separate part."""
_WORDS_PER_BLOCK = 1024  # of 32 bits in 36 Kbit


@dataclass(frozen=True, slots=True)
class AreaPart:
    """A part of a machine, with its number of instances."""

    figure: Figure  # area of one instance
    count: int  # number of instances; for memories, of half blocks
    counted: str  # derivation of the count, such as `4 lanes x 1 unit`

    @property
    def group(self) -> str:
        """Name of the group: ``core``, ``vcu`` or ``scratchpad``."""
        return self.figure.name.partition(".")[0]

    @property
    def resources(self) -> Resources:
        """Resources of all instances."""
        return self.figure.resources * self.count


@dataclass(frozen=True, slots=True)
class Area(Framed):
    """FPGA primitives of a machine."""

    machine: str  # its name
    table: str  # name of the area table
    parts: tuple[AreaPart, ...]  # all parts; `total` is their sum
    not_included: str  # items that the figures leave out
    device: str  # FPGA of the table; empty for an estimator of a package
    capacity: dict[Resource, int]  # resources of that FPGA
    # synthesis of the complete RTL of this machine, if it exists. It does not enter `total`, which
    # has the same method for every machine.
    whole: Figure | None = None

    @classmethod
    def from_architecture(cls, architecture: Architecture, *, table: str | None = None) -> Area:
        """Return the area of a machine by the table or estimator that it names, or by ``table``.

        Raises:
            GnomonError: if the machine names no table or estimator, or the table does not apply to
                it. An unknown area is never counted as zero.
        """
        name = table if table is not None else architecture.area
        if name is None:
            raise GnomonError(
                f"area of {architecture.name} is not known: it names no area table (key area)"
            )
        estimated = ask("area", name, architecture)
        if estimated is not None:
            parts = tuple(
                AreaPart(Figure(part, "estimate", area, f"estimator {name}", "", ()), 1, "1")
                for part, area in estimated.items()
            )
            return cls(architecture.name, name, parts, "what the estimator leaves out", "", {})
        entries, lines = load_area_table(name)
        for key, allowed in entries.conditions.items():
            found = format_value(architecture, key)
            if found not in [str(each) for each in allowed]:
                known = ", ".join(map(str, allowed))
                raise GnomonError(
                    f"area of {architecture.name} is not known: table {name} holds for {key} "
                    f"{known} ({lines.origin('conditions', key)}), not {found}"
                )
        figures = Figures(entries, lines, architecture)
        return cls(
            machine=architecture.name,
            table=name,
            parts=(
                *_list_core_parts(figures),
                *_list_vector_parts(figures),
                *_list_unit_parts(architecture),
            ),
            not_included=entries.not_included,
            device=entries.device.name,
            capacity={each: getattr(entries.device, each) for each in RESOURCES},
            whole=None if architecture.units else figures.whole(),
        )

    def caption(self) -> str:
        """Return a caption with machine, device and table."""
        return f"{self.machine}: area on {self.device}, table {self.table}"

    def frame(self) -> pd.DataFrame:
        """Return one row per part: columns ``part``, ``count``, ``kind``, and each resource."""
        rows = [
            (part.figure.name, part.count, part.figure.kind,
             *(part.resources.of(name).value for name in RESOURCES))
            for part in self.parts
        ]  # fmt: skip
        return typed(("part", "count", "kind", *RESOURCES), rows)

    @property
    def total(self) -> Resources:
        """Sum of all parts."""
        return sum((part.resources for part in self.parts), NO_RESOURCES)

    def group(self, name: str) -> Resources:
        """Return the sum of the parts of ``core``, ``vcu`` or ``scratchpad``."""
        own = (part.resources for part in self.parts if part.group == name)
        return sum(own, NO_RESOURCES)

    def of_kind(self, kind: Kind, resource: Resource) -> Interval:
        """Return the amount of one resource that comes from figures of one kind."""
        own = (part.resources for part in self.parts if part.figure.kind == kind)
        return sum(own, NO_RESOURCES).of(resource)

    def to_json(self) -> dict[str, Any]:
        """Return totals, device and parts with their sources as JSON-compatible data."""
        whole = self.whole and to_json_data(self.whole.resources) | json_attributes(
            self.whole, "source origins"
        )
        return {
            "machine": self.machine,
            "table": self.table,
            "total": to_json_data(self.total),
            "device": {"name": self.device, **self.capacity},
            "by_kind_lut": {kind: self.of_kind(kind, "lut").value for kind in KINDS},
            "not_included": self.not_included,
            "whole": whole,
            "parts": [
                {
                    "part": part.figure.name,
                    **json_attributes(part, "count counted"),
                    "kind": part.figure.kind,
                    "each": to_json_data(part.figure.resources),
                    "all": to_json_data(part.resources),
                    **json_attributes(part.figure, "source reasoning origins"),
                }
                for part in self.parts
            ],
        }


def _list_unit_parts(architecture: Architecture) -> Iterator[AreaPart]:
    """Yield the units of a machine, by their synthesis.

    Raises:
        GnomonError: if a unit was not synthesized with its parameters.
    """
    for unit in architecture.units:
        found = unit.area
        if isinstance(found, str):
            hint = f" ({unit.command} synthesizes it)" if unit.rtl else ""
            raise GnomonError(
                f"area of {architecture.name} is not known: unit {unit.name}: {found}{hint}"
            )
        counts = (getattr(found, name) for name in RESOURCES)
        resources = Resources(
            *(Interval(count, count, count, name.upper())
              for name, count in zip(RESOURCES, counts, strict=True))
        )  # fmt: skip
        reasoning = "synthesis of the unit alone, without its share of the result multiplexer"
        figure = Figure(
            f"unit.{unit.name}", "synthesised", resources, found.tool, reasoning, (found.origin,)
        )
        vcu = architecture.vcu
        if unit.is_vector and vcu is not None:  # the figure is that of one lane
            sets = _count_sets(architecture)
            counted = f"{_format_count(vcu.simd, 'lane')} x {_format_count(sets, 'set')}"
            yield AreaPart(figure, vcu.simd * sets, counted)
        else:
            yield AreaPart(figure, 1, "1")


def _count_sets(architecture: Architecture) -> int:
    """Return the number of sets of functional units of the vector unit."""
    vcu = architecture.vcu
    return architecture.core.harts if vcu is not None and vcu.sharing == "replicated" else 1


def list_area_keys() -> tuple[Key, ...]:
    """Return every key of the file of an area table."""
    return keys_of(AreaTable)


def _list_core_parts(figures: Figures) -> Iterator[AreaPart]:
    core = figures.architecture.core
    assert core.divider is not None  # the schema requires one with core.model t13
    whole = figures.part("core")
    inside = figures.divider(figures.table.core_includes_divider, "core.divider")
    own, taken = whole.resources, inside.resources
    rest = replace(own, lut=own.lut.less(taken.lut.value), ff=own.ff.less(taken.ff.value))
    origins = whole.origins + inside.origins[:1]
    without = replace(whole, resources=rest, origins=origins)
    yield AreaPart(without, 1, f"{HARTS_OF_CORE} harts, no divider")
    yield AreaPart(figures.divider(core.divider, "core.divider"), 1, "core")
    if further := core.harts - HARTS_OF_CORE:
        yield AreaPart(figures.part("core.hart"), further, f"harts beyond {HARTS_OF_CORE}")


def _list_vector_parts(figures: Figures) -> Iterator[AreaPart]:
    vcu, harts = figures.architecture.vcu, figures.architecture.core.harts
    if vcu is None:
        return

    def part(name: str, count: int, counted: str) -> AreaPart:
        return AreaPart(figures.part(name), count, counted)

    lanes, pads = vcu.simd, vcu.scratchpads
    controls = 1 if vcu.sharing == "shared" else harts
    sets = _count_sets(figures.architecture)
    of_control, of_set = _format_count(controls, "unit"), _format_count(sets, "set")
    of_lane, of_unit = (f"{_format_count(lanes, 'lane')} x {each}" for each in (of_control, of_set))
    yield part("vcu.control", controls, of_control)
    yield part("vcu.lane", lanes * controls, of_lane)
    for name in ("adder", "multiplier", "shifter", "comparator"):
        yield part(f"vcu.{name}", lanes * sets, of_unit)
    yield part("vcu.accumulator", sets, of_set)
    if vcu.sharing == "multithreaded":
        counted = f"{_format_count(lanes, 'lane')} x {harts - 1} harts beyond the first"
        yield part("vcu.shared_units", lanes * (harts - 1), counted)
    if "kps" in vcu.extensions:
        yield part("vcu.product_high", lanes * sets, of_unit)
        if vcu.postscale_shift == "mpsclfac":
            yield part("vcu.post_scale", lanes * sets, of_unit)
    if vcu.divider is not None:
        divider = figures.divider(vcu.divider, "vcu.divider")
        wide = "kdivps" in vcu.extensions
        yield AreaPart(figures.widened(divider) if wide else divider, lanes * sets, of_unit)
        yield part("vcu.divider_signs", lanes * sets, of_unit)
    banks = pads.count * lanes * controls
    of_bank = f"{_format_count(pads.count, 'pad')} x {_format_count(lanes, 'bank')} x {of_control}"
    halves = count_half_blocks(pads.size // (4 * lanes))
    counted = f"{of_bank} x {_format_count(halves, 'half block')}"
    yield part("scratchpad.interface", controls, of_control)
    yield part("scratchpad.interface_registers", lanes * controls, of_lane)
    yield part("scratchpad.bank_logic", banks, of_bank)
    yield part("scratchpad.bank", banks * halves, counted)


def count_half_blocks(words: int) -> int:
    """Return the half blocks of a bank of 32-bit words: one up to 512 words, then whole blocks."""
    return 1 if words <= _WORDS_PER_BLOCK // 2 else 2 * math.ceil(words / _WORDS_PER_BLOCK)


def _format_count(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
