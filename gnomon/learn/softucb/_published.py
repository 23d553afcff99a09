"""Table 1 of the paper: to be compared with."""

from __future__ import annotations

import csv

from gnomon.base.content import content
from gnomon.base.files import read_text


def published_widths(quantity: str) -> dict[tuple[int, int], float]:
    """``beta_trained`` or ``beta_theory`` by d and T, from ``models/published/softucb.csv``."""
    text = read_text(content("models", "published", "softucb.csv"))
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {
        (int(row["d"]), int(row["T"])): float(row["value"])
        for row in csv.DictReader(lines)
        if row["quantity"] == quantity
    }
