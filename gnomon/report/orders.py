"""Orders that result pages claim, and contradictions between pages.

A table of claims has a row per order, with the columns ``better``, ``worse`` (names of what is
compared), ``exception`` (a page whose opposite order the row names as general, or empty), and
conditions: all other columns except ``problem`` and ``basis``. A condition is a number, a range
``low..high``, names separated by `` | ``, or empty: any.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from gnomon.base.tables import read_csv_table

_OTHER = ("better", "worse", "exception", "problem", "basis")


@dataclass(frozen=True, slots=True)
class ClaimedOrder:
    """One order of a page: ``better`` has less regret than ``worse`` under the conditions."""

    page: str
    better: str
    worse: str
    where: Mapping[str, str] = field(repr=False)
    exception: str = ""

    def overlaps(self, other: "ClaimedOrder") -> bool:
        """Return whether some conditions belong to both."""
        return all(_share(value, other.where.get(name, "")) for name, value in self.where.items())

    def contradicts(self, other: "ClaimedOrder") -> bool:
        """Return whether the orders are opposite where both apply, and neither is an exception."""
        opposite = (self.better, self.worse) == (other.worse, other.better)
        named = self.exception == other.page or other.exception == self.page
        return opposite and not named and self.overlaps(other)


def read_claimed_orders(path: Path) -> list[ClaimedOrder]:
    """Return the claims of a page, whose name is that of the folder."""
    return [
        ClaimedOrder(
            path.parent.name, row.values["better"], row.values["worse"],
            {name: value for name, value in row.values.items() if name not in _OTHER},
            row.values.get("exception", ""),
        )
        for row in read_csv_table(path)
    ]  # fmt: skip


def contradictions(claims: Iterable[ClaimedOrder]) -> list[tuple[ClaimedOrder, ClaimedOrder]]:
    """Return all pairs of claims that contradict each other."""
    by_pair: dict[frozenset[str], list[ClaimedOrder]] = {}
    for each in claims:
        by_pair.setdefault(frozenset((each.better, each.worse)), []).append(each)
    return [
        (one, other)
        for own in by_pair.values()
        for one, other in combinations(own, 2)
        if one.contradicts(other)
    ]


def _share(one: str, other: str) -> bool:
    """Return whether two conditions have a common value."""
    if not one or not other:
        return True
    first, second = _range(one), _range(other)
    if first and second:
        return first[0] <= second[1] and second[0] <= first[1]
    return bool(set(one.split(" | ")) & set(other.split(" | ")))


def _range(text: str) -> tuple[float, float] | None:
    """Return the ends of a range or of a number; None: names."""
    low, _, high = text.partition("..")
    try:
        return float(low), float(high or low)
    except ValueError:
        return None
