"""The speed-ups that the paper's text states for its figures, to be compared with."""

from __future__ import annotations

import csv
from dataclasses import dataclass

from gnomon.base.content import content
from gnomon.base.files import read_text


@dataclass(frozen=True, slots=True)
class Stated:
    """One number of the text.

    Attributes:
        figure: 8, 9 or 11.
        subject: kernel or algorithm.
        platform: as in the published tables.
        variant: likewise; ``vcu`` in Figure 8.
        param: size; None if the text names no single one.
        speedup: the number.
        meaning: how the text qualifies it.
        where: section.
    """

    figure: int
    subject: str
    platform: str
    variant: str
    param: int | None
    speedup: float
    meaning: str
    where: str


def stated_speedups() -> tuple[Stated, ...]:
    """All of them, from ``models/published/linucb-figures.csv``.

    Raises:
        GnomonError: the file cannot be read.
    """
    text = read_text(content("models", "published", "linucb-figures.csv"))
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return tuple(
        Stated(
            int(row["figure"]),
            row["subject"],
            row["platform"],
            row["variant"],
            int(row["param"]) if row["param"] else None,
            float(row["speedup"]),
            row["meaning"],
            row["where"],
        )
        for row in csv.DictReader(lines)
    )


def stated_speedup(
    figure: int, subject: str, platform: str, variant: str, param: int
) -> Stated | None:
    """What the text states for one point, or for all sizes; None if nothing."""
    for one in stated_speedups():
        if (one.figure, one.subject, one.platform, one.variant) == (
            figure,
            subject,
            platform,
            variant,
        ) and one.param in (None, param):
            return one
    return None
