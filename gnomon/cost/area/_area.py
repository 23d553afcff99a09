"""What a machine takes on an FPGA: its parts, how many of each, and their sum."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from gnomon.base.errors import GnomonError
from gnomon.base.frames import Framed, frame
from gnomon.cost.area._synthesis import (
    divider_figure,
    synthesised_figure,
    value_text,
    whole_figure,
    widened,
)
from gnomon.cost.area._table import (
    KINDS,
    NO_RESOURCES,
    RESOURCES,
    Figure,
    Resources,
    area_table,
    one_paragraph,
    part_figure,
)
from gnomon.cost.estimators import ask

if TYPE_CHECKING:
    import pandas as pd

    from gnomon.arch import Architecture
    from gnomon.base.interval import Interval
    from gnomon.base.tables import YamlTable
    from gnomon.cost.area._table import AreaTable, Kind, Resource

HARTS_OF_CORE = 3
"""What the published core has; each further one is a part of its own."""
_WORDS_PER_BLOCK = 1024  # of 32 bits in 36 Kbit


@dataclass(frozen=True, slots=True)
class AreaPart:
    """A part of a machine and how often it is there."""

    figure: Figure  # of one instance
    count: int  # how many instances; for memories, half blocks
    counted: str  # how the count came to be, such as `4 lanes x 1 unit`

    @property
    def group(self) -> str:
        """``core``, ``vcu`` or ``scratchpad``."""
        return self.figure.name.partition(".")[0]

    @property
    def resources(self) -> Resources:
        """Of all instances."""
        return self.figure.resources * self.count


@dataclass(frozen=True, slots=True)
class Area(Framed):
    """Primitives of a machine."""

    KINDS: ClassVar = KINDS

    machine: str  # its name
    table: str  # name of the area table
    parts: tuple[AreaPart, ...]  # all of them; `total` is their sum
    not_included: str  # what the figures leave out
    device: str  # the FPGA of the table; empty where an estimator of a package says the area
    capacity: dict[Resource, int]  # what that FPGA has
    # what synthesis made of all of our RTL of this machine, where that was done. It is no part of
    # `total`, which is made in the same way for every machine.
    whole: Figure | None = None

    def caption(self) -> str:
        """Machine and device."""
        return f"{self.machine}: area on {self.device}, table {self.table}"

    def frame(self) -> pd.DataFrame:
        """One row per part: columns ``part``, ``count``, ``kind``, and each resource."""
        rows = [
            (part.figure.name, part.count, part.figure.kind,
             *(part.resources.of(name).value for name in RESOURCES))
            for part in self.parts
        ]  # fmt: skip
        return frame(("part", "count", "kind", *RESOURCES), rows)

    @property
    def total(self) -> Resources:
        """Sum of all parts."""
        return sum((part.resources for part in self.parts), NO_RESOURCES)

    def group(self, name: str) -> Resources:
        """Sum of the parts of ``core``, ``vcu`` or ``scratchpad``."""
        own = (part.resources for part in self.parts if part.group == name)
        return sum(own, NO_RESOURCES)

    def of_kind(self, kind: Kind, resource: Resource) -> Interval:
        """How much of one resource stands on figures of one kind."""
        own = (part.resources for part in self.parts if part.figure.kind == kind)
        return sum(own, NO_RESOURCES).of(resource)

    def to_json(self) -> dict[str, Any]:
        """Plain values: totals, shares of the device, parts with their sources."""
        return {
            "machine": self.machine,
            "table": self.table,
            "total": _plain(self.total),
            "device": {"name": self.device, **self.capacity},
            "by_kind_lut": {kind: self.of_kind(kind, "lut").value for kind in KINDS},
            "not_included": self.not_included,
            "whole": None
            if self.whole is None
            else {
                **_plain(self.whole.resources),
                "source": self.whole.source,
                "origins": list(self.whole.origins),
            },
            "parts": [
                {
                    "part": part.figure.name,
                    "count": part.count,
                    "counted": part.counted,
                    "kind": part.figure.kind,
                    "each": _plain(part.figure.resources),
                    "all": _plain(part.resources),
                    "source": part.figure.source,
                    "reasoning": part.figure.reasoning,
                    "origins": list(part.figure.origins),
                }
                for part in self.parts
            ],
        }


def _plain(resources: Resources) -> dict[str, dict[str, float]]:
    return {name: resources.of(name).to_json() for name in RESOURCES}


def area(architecture: Architecture, *, table: str | None = None) -> Area:
    """Area of a machine by the table or the estimator that it names, or by ``table``.

    Raises:
        GnomonError: it names none, or the table does not hold for this machine. Nothing is ever
            counted as zero because it is not known.
    """
    name = table if table is not None else architecture.area
    if name is None:
        raise GnomonError(
            f"area of {architecture.name} is not known: it names no area table (key area)"
        )
    estimated = ask("area", name, architecture)
    if estimated is not None:
        figures = (Figure(part, "estimate", said, f"estimator {name}", "", ())
                   for part, said in estimated.items())  # fmt: skip
        parts = tuple(AreaPart(figure, 1, "1") for figure in figures)
        return Area(architecture.name, name, parts, "what the estimator leaves out", "", {})
    entries, lines = area_table(name)
    for key, allowed in entries.conditions.items():
        found = value_text(architecture, key)
        if found not in [str(each) for each in allowed]:
            raise GnomonError(
                f"area of {architecture.name} is not known: table {name} holds for {key} "
                f"{', '.join(map(str, allowed))} ({lines.origin('conditions', key)}), not {found}"
            )
    machine = _Machine(architecture, entries, lines)
    parts = machine.core() + (machine.vector_unit() if architecture.vcu is not None else ())
    return Area(
        machine=architecture.name,
        table=name,
        parts=parts,
        not_included=one_paragraph(entries.not_included),
        device=entries.device.name,
        capacity={each: getattr(entries.device, each) for each in RESOURCES},
        whole=whole_figure(entries, lines, architecture),
    )


@dataclass(frozen=True, slots=True)
class _Machine:
    architecture: Architecture
    table: AreaTable
    lines: YamlTable

    def part(self, name: str, count: int, counted: str) -> AreaPart:
        if name in self.table.synthesis.parts:
            figure = synthesised_figure(self.table, self.lines, name, self.architecture)
        else:
            figure = part_figure(self.table, self.lines, name)
        return AreaPart(figure, count, counted)

    def core(self) -> tuple[AreaPart, ...]:
        core = self.architecture.core
        assert core.divider is not None  # the schema asks for one with core.model t13
        whole = part_figure(self.table, self.lines, "core")
        included = self.table.core_includes_divider
        inside = divider_figure(self.table, self.lines, included, "core.divider")
        own = whole.resources
        rest = replace(
            whole,
            resources=replace(
                own,
                lut=own.lut.less(inside.resources.lut.value),
                ff=own.ff.less(inside.resources.ff.value),
            ),
            origins=whole.origins + inside.origins[:1],
        )
        parts = [
            AreaPart(rest, 1, f"{HARTS_OF_CORE} harts, no divider"),
            AreaPart(
                divider_figure(self.table, self.lines, core.divider, "core.divider"), 1, "core"
            ),
        ]
        further = core.harts - HARTS_OF_CORE
        if further:
            parts.append(self.part("core.hart", further, f"harts beyond {HARTS_OF_CORE}"))
        return tuple(parts)

    def vector_unit(self) -> tuple[AreaPart, ...]:
        vcu = self.architecture.vcu
        assert vcu is not None
        harts, lanes = self.architecture.core.harts, vcu.simd
        controls = 1 if vcu.sharing == "shared" else harts
        units = harts if vcu.sharing == "replicated" else 1
        of_control = _plural(controls, "unit")
        of_lane = f"{_plural(lanes, 'lane')} x {of_control}"
        of_unit = f"{_plural(lanes, 'lane')} x {_plural(units, 'set')}"
        parts = [
            self.part("vcu.control", controls, of_control),
            self.part("vcu.lane", lanes * controls, of_lane),
            *(
                self.part(f"vcu.{name}", lanes * units, of_unit)
                for name in ("adder", "multiplier", "shifter", "comparator")
            ),
            self.part("vcu.accumulator", units, _plural(units, "set")),
        ]
        if vcu.sharing == "multithreaded":
            parts.append(
                self.part(
                    "vcu.shared_units",
                    lanes * (harts - 1),
                    f"{_plural(lanes, 'lane')} x {harts - 1} harts beyond the first",
                )
            )
        if "kps" in vcu.extensions:
            parts.append(self.part("vcu.product_high", lanes * units, of_unit))
            if vcu.postscale_shift == "mpsclfac":
                parts.append(self.part("vcu.post_scale", lanes * units, of_unit))
        if vcu.divider is not None:
            figure = divider_figure(self.table, self.lines, vcu.divider, "vcu.divider")
            if "kdivps" in vcu.extensions:
                figure = widened(self.table, self.lines, figure)
            parts.append(AreaPart(figure, lanes * units, of_unit))
            parts.append(self.part("vcu.divider_signs", lanes * units, of_unit))
        pads = vcu.scratchpads
        banks = pads.count * lanes * controls
        of_bank = f"{_plural(pads.count, 'pad')} x {_plural(lanes, 'bank')} x {of_control}"
        halves = half_blocks(pads.size // (4 * lanes))
        parts += [
            self.part("scratchpad.interface", controls, of_control),
            self.part("scratchpad.interface_registers", lanes * controls, of_lane),
            self.part("scratchpad.bank_logic", banks, of_bank),
            self.part(
                "scratchpad.bank", banks * halves, f"{of_bank} x {_plural(halves, 'half block')}"
            ),
        ]
        return tuple(parts)


def half_blocks(words: int) -> int:
    """Half blocks of a bank of 32-bit words: one up to 512 words, then whole blocks."""
    return 1 if words <= _WORDS_PER_BLOCK // 2 else 2 * math.ceil(words / _WORDS_PER_BLOCK)


def _plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
