"""Figures 9 and 11 as points: cycles of a cell and its speed-up over the standard program."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

from gnomon.bench.learners import LINES

from .cells import FITTED_D, READINGS
from .published import TABLES, CellKey, published_cells, stated_speedup

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .cells import Cells

PLATFORMS = {"t13": "Klessydra-T13", "cortex-m4": "Cortex-M4", "cortex-a72": "Cortex-A72"}
VARIANTS_OF = {9: ("std", "opt"), 11: ("std", "std+vcu", "opt+vcu")}
PLATFORMS_OF = {9: tuple(PLATFORMS), 11: ("t13",)}

COLUMNS = (
    "algorithm", "d", "param_name", "param", "platform", "variant", "line", "reading",
    "published_cycles", "published_speedup", "stated_speedup", "cycles", "speedup", "ratio",
    "note",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SpeedupPoint:
    """One point of Figure 9 or 11; speed-ups are over std, of the same platform and reading.

    Attributes:
        key: the cell of Table 2 or 3.
        d: features of a context: of a disjoint learner the size itself, of a hybrid one ours.
        line: ``published``, ``paper`` or ``tuned``.
        reading: ``hart`` or ``wall``; empty if published.
        published_cycles: of the cell.
        published_speedup: of the table.
        stated_speedup: of the text; None if it names no number here.
        cycles: ours; None if published, or if it cannot run.
        speedup: ours, over std of the paper line.
        note: why there is none of ours.
    """

    key: CellKey
    d: int
    line: str
    reading: str
    published_cycles: int
    published_speedup: float
    stated_speedup: float | None
    cycles: int | None = None
    speedup: float | None = None
    note: str = ""

    def to_row(self) -> tuple[object, ...]:
        """In the order of ``COLUMNS``."""
        key = self.key
        ratio = self.speedup / self.published_speedup if self.speedup is not None else None
        return (
            *(key.algorithm, self.d, key.param_name, key.param, key.platform, key.variant),
            *(self.line, self.reading, self.published_cycles, f"{self.published_speedup:.4f}"),
            "" if self.stated_speedup is None else f"{self.stated_speedup:g}",
            "" if self.cycles is None else self.cycles,
            "" if self.speedup is None else f"{self.speedup:.4f}",
            "" if ratio is None else f"{ratio:.4f}",
            self.note,
        )


def speedup_points(figure: int, cells: Cells, params: Sequence[int]) -> tuple[SpeedupPoint, ...]:
    """All points of a figure: the published ones of a table first, then ours by line."""
    published = published_cells()
    points = []
    for table in TABLES:
        for platform in PLATFORMS_OF[figure]:
            for variant in VARIANTS_OF[figure]:
                for param in params:
                    key = _key(table, platform, variant, param)
                    if key in published:
                        d = param if table == 2 else FITTED_D
                        points.append(_point(figure, key, d, published))
        points += _ours(figure, table, cells, params, published)
    return tuple(points)


def _key(table: int, platform: str, variant: str, param: int) -> CellKey:
    algorithm, _, param_name = TABLES[table]
    return CellKey(table, algorithm, platform, variant, param_name, param, "cycles")


def _ours(
    figure: int,
    table: int,
    cells: Cells,
    params: Sequence[int],
    published: Mapping[CellKey, int],
) -> list[SpeedupPoint]:
    runs = {(cell.key, cell.line, cell.d): cell for cell in cells.cells}
    refused = {(one.key, one.line, one.d): one.reason for one in cells.refusals}
    of_table = {d for key, _, d in (*runs, *refused) if key.table == table}
    points = []
    for d in sorted(of_table, key=lambda d: d or 0):
        for line, variant, param in product(LINES, VARIANTS_OF[figure], params):
            key = _key(table, "t13", variant, param)
            cell, reason = runs.get((key, line, d)), refused.get((key, line, d), "")
            if cell is None and not reason:
                continue  # the line has no such variant
            for reading in READINGS:
                point = _point(figure, key, d or param, published, line=line, reading=reading)
                if cell is None:
                    points.append(replace(point, note=reason))
                    continue
                cycles = cell.ours(reading)
                speedup = cells.paper(cell, "std").ours(reading) / cycles
                points.append(replace(point, cycles=cycles, speedup=speedup))
    return points


def _point(
    figure: int,
    key: CellKey,
    d: int,
    published: Mapping[CellKey, int],
    *,
    line: str = "published",
    reading: str = "",
) -> SpeedupPoint:
    stated = stated_speedup(figure, key.algorithm, key.platform, key.variant, key.param)
    return SpeedupPoint(
        key=key,
        d=d,
        line=line,
        reading=reading,
        published_cycles=published[key],
        published_speedup=published[key._replace(variant="std")] / published[key],
        stated_speedup=stated.speedup if stated else None,
    )
