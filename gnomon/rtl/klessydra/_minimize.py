"""Make a failing case small: fewer harts, one round, fewer items, as long as it still fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.rtl.klessydra._case import Case, Item

DEFAULT_TRIES = 80


@dataclass(frozen=True, slots=True)
class Minimized:
    """The smallest case found, after how many tries; ``complete``: no single item can go."""

    case: Case
    tries: int
    complete: bool


def minimize(
    case: Case, fails: Callable[[Case], bool], *, most_tries: int = DEFAULT_TRIES
) -> Minimized:
    """Take parts away from a case that fails while it goes on failing.

    First whole harts and rounds, then items in halves, quarters and so on down to single ones
    (delta debugging). The same case and the same answers give the same result.

    Args:
        case: one that fails.
        fails: whether a smaller one does; a candidate that runs into another end must say no.
        most_tries: candidates to try; the result of a cut search still fails.
    """
    search = _Search(fails, most_tries)
    while len(case.bodies) > 1 and search.fails(case.without_last_hart()):
        case = case.without_last_hart()
    for hart in range(len(case.bodies)):
        if case.bodies[hart].loops > 1 and search.fails(case.once(hart)):
            case = case.once(hart)
    before = -1
    while before != case.size and search.left:
        before = case.size
        for hart in range(len(case.bodies)):
            case = search.reduce(case, hart)
    return Minimized(case, search.tries, complete=bool(search.left))


class _Search:
    def __init__(self, fails: Callable[[Case], bool], most_tries: int) -> None:
        self._fails = fails
        self._most = most_tries
        self.tries = 0

    @property
    def left(self) -> int:
        return self._most - self.tries

    def fails(self, case: Case) -> bool:
        if self.left <= 0:
            return False
        self.tries += 1
        return self._fails(case)

    def reduce(self, case: Case, hart: int) -> Case:
        items: tuple[Item, ...] = case.bodies[hart].items
        size = len(items)
        while size and self.left:
            start = 0
            while start < len(items) and self.left:
                shorter = items[:start] + items[start + size :]
                candidate = case.with_items(hart, shorter)
                if self.fails(candidate):
                    case, items = candidate, shorter
                else:
                    start += size
            size = min(size // 2, len(items))
        return case
