"""What a number format costs an embedded learner: regret compared with that of float."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

LARGEST_LOSS: Final = 1.02
"""Regret over that of float that counts as none lost."""


def lossless_bits(
    formats: pd.DataFrame, choice: Mapping[str, Sequence[int]]
) -> dict[str, int | None]:
    """By variant, the fraction bits from which on none loses more than 2 %; None: the most lose.

    Args:
        formats: with the columns ``variant``, ``fraction_bits`` and ``ratio``, of regret.
        choice: fraction bits that were tried, by variant.
    """
    lossy = formats[formats["ratio"] > LARGEST_LOSS].groupby("variant")["fraction_bits"].max()
    return {
        name: next((each for each in bits if each > lossy.get(name, 0)), None)
        for name, bits in choice.items()
    }
