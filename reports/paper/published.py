"""The published Tables 2 and 3, to be compared with."""

from __future__ import annotations

import csv
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.base.tables import read_csv_table

if TYPE_CHECKING:
    from collections.abc import Mapping

PUBLISHED_TABLES = ("models", "published", "linucb-tables.csv")


class CellKey(NamedTuple):
    """Which cell of which table."""

    table: int
    algorithm: str
    platform: str
    variant: str
    param_name: str
    param: int
    metric: str


def published_cells() -> Mapping[CellKey, int]:
    """All printed cells; those printed as N.A. are not there.

    Raises:
        GnomonError: the table cannot be read.
    """
    path = content(*PUBLISHED_TABLES)
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        raise GnomonError(f"{path}: cannot be read: {error.strerror}") from None
    return {
        CellKey(
            int(row["table"]),
            row["algorithm"],
            row["platform"],
            row["variant"],
            row["param_name"],
            int(row["param"]),
            row["metric"],
        ): int(row["value"])
        for row in rows
        if row["value"] != "N.A."
    }


@cache
def bands() -> Mapping[tuple[int, str], tuple[float, float]]:
    """Ratios of hart cycles that count as reproduced, by table and variant."""
    rows = (
        row.values for row in read_csv_table(content("models", "published", "linucb-bands.csv"))
    )
    return {
        (int(row["table"]), row["variant"]): (float(row["low"]), float(row["high"])) for row in rows
    }
