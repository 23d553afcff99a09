"""Figures 10 and 12: energy of a variant over that of the standard one, published and ours."""

from __future__ import annotations

import io
from typing import Final

import pandas as pd

from gnomon.base.frames import worded
from gnomon.content.reports.paper.published import published_cells

TABLES = {2: ("Disjoint", "d"), 3: ("Hybrid", "f")}
FIGURES: Final = {"opt": 10, "std+vcu": 12, "opt+vcu": 12}
"""The figure that shows a variant; Figure 12 is of the T13 alone."""

PLATFORMS = ("t13", "cortex-m4", "cortex-a72")
PLATFORM_READING = "left-out"
_POINT = ["table", "platform", "variant", "param"]
_ENERGIES = ["published", "ours", "ours_wall"]


def energy_factors(cells: pd.DataFrame, platform_rows: str) -> pd.DataFrame:
    """All points, one row each: factors over std, NaN where one of both is not known.

    Args:
        cells: of the T13; ``ours`` is of hart cycles, as published, ``ours_wall`` of wall time.
        platform_rows: text of a ``cells.csv`` that holds the cells of the other platforms.
    """
    own = cells.rename(columns={"hart_uj": "ours", "wall_uj": "ours_wall"})
    own = own[[*_POINT, "ours", "ours_wall"]]
    others = pd.read_csv(io.StringIO(platform_rows))
    others = others[(others["metric"] == "energy") & (others["reading"] == PLATFORM_READING)]
    # A cell that does not fit its board says so in words.
    others = others.assign(ours=pd.to_numeric(others["ours"], errors="coerce"))
    printed = [
        (key.table, key.platform, key.variant, key.param, energy)
        for key, energy in published_cells().items()
        if key.metric == "energy"
    ]
    every = pd.concat([own, others[others["param"].isin(own["param"])][[*_POINT, "ours"]]])
    every = every.merge(pd.DataFrame(printed, columns=[*_POINT, "published"]), "left", _POINT)
    std = every[every["variant"] == "std"].drop(columns="variant")
    over = every[every["variant"] != "std"].merge(
        std, "left", ["table", "platform", "param"], suffixes=("", "_std")
    )
    factors = {name: over[name] / over[f"{name}_std"] for name in _ENERGIES}
    order = {name: at for at, name in enumerate((*PLATFORMS, *FIGURES))}
    found = over[_POINT].assign(figure=over["variant"].map(FIGURES), **factors)
    found = found.sort_values(
        ["figure", *_POINT], key=lambda column: column.replace(order).astype(int)
    )
    return found[["figure", *_POINT, *_ENERGIES]]


def factors_rows(factors: pd.DataFrame) -> pd.DataFrame:
    """``figures10-12.csv``."""
    return worded(factors, dict.fromkeys(_ENERGIES, ".4f"))
