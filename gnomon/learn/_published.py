"""What the paper says about the learners in floating point: to be compared with."""

from __future__ import annotations

import csv
from dataclasses import dataclass

from gnomon.base.content import content
from gnomon.base.files import read_text


@dataclass(frozen=True, slots=True)
class Published:
    """One number of the paper's text.

    Attributes:
        value: the number, in ``unit``.
        meaning: how the text qualifies it.
        where: section and figure.
    """

    value: float
    unit: str
    meaning: str
    where: str


def published() -> dict[str, Published]:
    """The numbers by name, from ``models/published/linucb-float.csv``."""
    text = read_text(content("models", "published", "linucb-float.csv"))
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {
        row["quantity"]: Published(float(row["value"]), row["unit"], row["meaning"], row["where"])
        for row in csv.DictReader(lines)
    }
