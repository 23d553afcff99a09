"""Figures 10 and 12: energy of a variant over that of the standard one, published and ours."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.base.frames import frame
from gnomon.content.reports.paper.published import CellKey, published_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from .cells import EnergyCell

TABLES = {2: ("Disjoint", "d"), 3: ("Hybrid", "f")}
FIGURES = {10: ("opt",), 12: ("std+vcu", "opt+vcu")}
"""Variants of each figure; Figure 12 is of the T13 alone."""

PLATFORMS = ("t13", "cortex-m4", "cortex-a72")
PLATFORM_READING = "left-out"


@dataclass(frozen=True, slots=True)
class Factor:
    """One point of Figure 10 or 12.

    Attributes:
        figure: 10 or 12.
        table: 2 or 3.
        platform: as in ``cells.csv``.
        variant: the one over ``std``.
        param: d or f.
        published: factor of the published energies; None where the table has none.
        hart: ours with published kinds of time, hart cycles; of the other platforms, their cells.
        wall: ours with wall time; the T13 alone.
    """

    figure: int
    table: int
    platform: str
    variant: str
    param: int
    published: float | None
    hart: float | None
    wall: float | None


def energy_factors(cells: Sequence[EnergyCell], platform_rows: str) -> tuple[Factor, ...]:
    """All points.

    Args:
        cells: of the T13.
        platform_rows: text of a ``cells.csv`` that holds the cells of the other platforms.
    """
    own = {
        (cell.cell.key.table, cell.cell.key.variant, cell.cell.key.param): cell for cell in cells
    }
    params = sorted({param for _, _, param in own})
    others = _other_energies(platform_rows)
    found = []
    for figure, variants in FIGURES.items():
        for table in TABLES:
            for platform in PLATFORMS if figure == 10 else ("t13",):
                for variant in variants:
                    for param in params:
                        ours: tuple[float | None, float | None]
                        if platform == "t13":
                            a, b = own[table, variant, param], own[table, "std", param]
                            ours = (
                                a.ours_uj("hart") / b.ours_uj("hart"),
                                a.ours_uj("wall") / b.ours_uj("wall"),
                            )
                        else:
                            top = others.get((platform, table, variant, param))
                            base = others.get((platform, table, "std", param))
                            ours = (top / base if top and base else None), None
                        printed = _published(table, platform, variant, param)
                        found.append(
                            Factor(figure, table, platform, variant, param, printed, *ours)
                        )
    return tuple(found)


def factors_rows(factors: Sequence[Factor]) -> pd.DataFrame:
    """All points as a table."""
    return frame(
        ["figure", "table", "platform", "variant", "param", "published", "ours", "ours_wall"],
        [
            [
                *(each.figure, each.table, each.platform, each.variant, each.param),
                *("" if v is None else f"{v:.4f}" for v in (each.published, each.hart, each.wall)),
            ]
            for each in factors
        ],
    )


def _published(table: int, platform: str, variant: str, param: int) -> float | None:
    published = published_cells()
    algorithm, name = TABLES[table]
    key = CellKey(table, algorithm, platform, variant, name, param, "energy")
    top, base = published.get(key), published.get(key._replace(variant="std"))
    return top / base if top and base else None


def _other_energies(text: str) -> dict[tuple[str, int, str, int], float]:
    found = {}
    for row in csv.DictReader(io.StringIO(text)):
        if row["metric"] == "energy" and row["reading"] == PLATFORM_READING:
            try:
                value = float(row["ours"])
            except ValueError:
                continue  # a cell that does not fit its board says so in words
            key = (row["platform"], int(row["table"]), row["variant"], int(row["param"]))
            found[key] = value
    return found
