"""``gnomon validate published``: the cells of the paper, ours next to the printed ones.

Not an equality. A cell in hart cycles counts as reproduced inside a band that was fixed before the
first comparison; the others are only counted and their worst ratio told.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.base.tables import read_csv_table
from gnomon.rtl.validate._record import Record, Row

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

COMMAND = "gnomon validate published"
TABLES = ("models", "published", "linucb-tables.csv")
BANDS = ("models", "published", "linucb-bands.csv")
KEYS = ("table", "algorithm", "platform", "variant", "param_name", "param", "metric")
TOOL = "/".join(TABLES)
CELLS = ("reports", "paper", "cells.csv")


def check_published(cells: Path | None = None) -> tuple[Record, ...]:
    """The cycle cells of Tables 2 and 3 on the T13 (paper), a row per table and variant.

    Ours are those of ``reports/paper/cells.csv``, made by ``gnomon report paper --part cells``;
    printed ones are read from ``models/published``, and the file must agree on them.

    Args:
        cells: another file of cells.

    Raises:
        GnomonError: there is no such file (a wheel), or it holds other published figures.
    """
    path = content(*CELLS) if cells is None else cells
    if not path.is_file():
        raise GnomonError(
            f"{path}: no such file; our cells are in a checkout of gnomon, not in the wheel"
        )
    printed = {_key(row.values): row.values["value"] for row in read_csv_table(content(*TABLES))}
    bands = {
        (row.values["table"], row.values["variant"]): (
            float(row.values["low"]),
            float(row.values["high"]),
        )
        for row in read_csv_table(content(*BANDS))
    }
    groups: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for row in read_csv_table(path):
        values = row.values
        if not _is_compared(values):
            continue
        known = printed.get(_key(values))
        if known != values["published"]:
            raise GnomonError(
                f"{row.origin}: published is {values['published']}, but {TOOL} has"
                f" {known or 'no such cell'}"
            )
        where = f"{values['param_name']} = {values['param']}"
        ratio = int(values["ours"]) / int(known)
        groups.setdefault((values["table"], values["variant"]), []).append((where, ratio))
    return tuple(
        Record(_row(*key, bands[key], ratios), COMMAND, "", TOOL) for key, ratios in groups.items()
    )


def _key(values: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(values[name] for name in KEYS)


def _is_compared(values: Mapping[str, str]) -> bool:
    wanted = {"platform": "t13", "metric": "cycles", "line": "paper", "reading": "hart"}
    return all(values[name] == value for name, value in wanted.items()) and (
        "(" not in values["param_name"]  # Table 3 with the d of the text, which its counts refute
    )


def _row(
    table: str, variant: str, band: tuple[float, float], ratios: list[tuple[str, float]]
) -> Row:
    low, high = band
    where, worst = max(ratios, key=lambda item: abs(log(item[1])))
    return Row(
        f"Table {table}, {variant}: hart cycles, ours over published {low:.2f}..{high:.2f}",
        "published",
        len(ratios),
        sum(not low <= ratio <= high for _, ratio in ratios),
        f"ratio {worst:.3f} at {where}",
        "within band",
    )
