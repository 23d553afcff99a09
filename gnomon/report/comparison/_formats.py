"""How many fraction bits each learner needs in each problem, and what fewer would save."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.report.comparison._regret import regrets_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.report.comparison._problems import Given
    from gnomon.report.comparison._regret import Entry

_MOST_RATIO = 1.02


@dataclass(frozen=True, slots=True)
class FormatRegret:
    """One implementation in one problem in one format.

    Attributes:
        problem: its name.
        learner: its name.
        line: code line.
        variant: which implementation.
        fraction_bits: binary digits behind the point.
        regret: mean over the training runs, over that of the uniform player.
    """

    problem: str
    learner: str
    line: str
    variant: str
    fraction_bits: int
    regret: float


def has_formats(entry: Entry) -> bool:
    """Whether it computes with any number of fraction bits; corrections are as without them."""
    variant = entry.variant
    return not variant.vector and variant.fraction_bits is None and not variant.correction_period


def format_regrets(
    entry: Entry, runs: Sequence[Given], format_bits: Sequence[int]
) -> list[FormatRegret]:
    """By the host build, in the order of the formats."""
    return [
        FormatRegret(
            entry.problem.name,
            entry.learner.name,
            entry.variant.line,
            entry.variant.name,
            bits,
            float(np.mean(regrets_of(entry, runs, fraction_bits=bits))),
        )
        for bits in format_bits
    ]


def least_bits(formats: Sequence[FormatRegret]) -> int | None:
    """Of one implementation in one problem: fewest bits from which on none loses more than 2 %.

    That is against the most bits; None if already the next fewer lose more.
    """
    ordered = sorted(formats, key=lambda each: -each.fraction_bits)
    found = None
    for each in ordered[1:]:
        if each.regret > _MOST_RATIO * ordered[0].regret:
            break
        found = each.fraction_bits
    return found
