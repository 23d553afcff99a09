"""Paired differences of a table, with their intervals and p corrected over the whole table."""

from typing import Any

import pandas as pd

from gnomon.learn.kernels import Floats

from .orders import LEVEL, holm, sign_flips
from .points import mean_of


def against(differences: Floats) -> dict[str, Any]:
    """Return mean, interval and the differences themselves, for :func:`correct_over_table`."""
    found = mean_of(differences.tolist())
    return {"difference": found.value, "low": found.low, "high": found.high,
            "differences": differences}  # fmt: skip


def correct_over_table(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return rows with ``p`` of their ``differences``, corrected by Holm over all of them.

    ``less`` and ``more`` state whether the mean difference is significant, and its sign.
    """
    if not rows:
        return pd.DataFrame()
    corrected = holm([sign_flips(row["differences"]) for row in rows]).tolist()
    return pd.DataFrame(
        {**{name: value for name, value in row.items() if name != "differences"}, "p": p,
         "less": p <= LEVEL and row["difference"] < 0, "more": p <= LEVEL and row["difference"] > 0}
        for row, p in zip(rows, corrected, strict=True)
    )  # fmt: skip
