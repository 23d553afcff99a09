"""Counting: how many measured rows were compared, how many differ, and the worst."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Tally:
    """Rows compared and rows that differ. A row counts once, however many of its columns do.

    The worst is the row whose numbers are furthest off; a difference that is no number, such as
    another word, comes before all of them.
    """

    def __init__(self) -> None:
        self.compared = 0
        self.mismatches = 0
        self.worst: str | None = None
        self._most = -1.0

    def row(self, where: str, expected: Mapping[str, str], got: Mapping[str, object]) -> None:
        """Compare the columns in ``got`` with those of a measured row."""
        self.compared += 1
        wrong = {name: str(value) for name, value in got.items() if str(value) != expected[name]}
        if not wrong:
            return
        self.mismatches += 1
        for name, value in wrong.items():
            off = _distance(value, expected[name])
            if off > self._most:
                self._most = off
                self.worst = f"{where}: {name} {value}, measured {expected[name]}"

    def number(self, where: str, got: int, measured: int) -> None:
        """Compare one number."""
        self.row(where, {"cycles": str(measured)}, {"cycles": got})

    def between(self, where: str, low: int, measured: int, high: int) -> None:
        """Hold a measured number against the two bounds that the model gives for it."""
        nearest = min(max(measured, low), high)
        self.number(where, nearest, measured)


def _distance(value: str, expected: str) -> float:
    try:
        return abs(int(value) - int(expected))
    except ValueError:
        return float("inf")
