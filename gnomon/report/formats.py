"""What a number format costs an embedded learner: regret compared with that of float."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import pandas as pd

LARGEST_LOSS: Final = 1.02
"""Regret over that of float that counts as none lost."""


def lossless_bits(ratios: pd.Series[Any]) -> int | None:
    """The fraction bits from which on none loses more than 2 %; None: the most lose.

    A coarse format that is lucky does not count if a finer one fails.

    Args:
        ratios: of regret to that of float, by fraction bits; several of one format are one each.
    """
    worst = ratios.groupby(level=0).max().sort_index(ascending=False)
    kept = worst.index[(worst <= LARGEST_LOSS).cummin()]
    return int(kept[-1]) if len(kept) else None
