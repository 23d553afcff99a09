"""A failing case made small: harts, rounds, items and at last single words are taken away."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from gnomon.rtl.bare import smallest
from gnomon.rtl.lockstep._case import Case

DEFAULT_TRIES = 150


@dataclass(frozen=True, slots=True)
class Minimized:
    """The smallest case found, after how many tries; ``complete``: no single item can go."""

    case: Case
    tries: int
    complete: bool

    @property
    def instructions(self) -> int:
        """How many words its items have."""
        return sum(len(item.words) for body in self.case.bodies for item in body.items)


def minimize(
    case: Case, fails: Callable[[Case], bool], *, most_tries: int = DEFAULT_TRIES
) -> Minimized:
    """Take parts away from a case that fails while it goes on failing.

    First whole harts and rounds, then items in halves, quarters and so on down to single ones
    (delta debugging), then words of the items that are left. The same case and the same answers
    give the same result.

    Args:
        case: one that fails.
        fails: whether a smaller one does; a candidate that runs into another end must say no.
        most_tries: candidates to try; the result of a cut search still fails.
    """
    search = _Search(case, fails, most_tries)
    search.harts()
    before = -1
    while before != search.case.size and search.tries < most_tries:
        before = search.case.size
        for hart in range(len(search.case.bodies)):
            search.items(hart)
    complete = search.tries < most_tries
    for hart in range(len(search.case.bodies)):
        search.words(hart)
    return Minimized(search.case, search.tries, complete)


class _Search:
    def __init__(self, case: Case, fails: Callable[[Case], bool], most_tries: int) -> None:
        self.case, self.fails, self.most_tries = case, fails, most_tries
        self.tries = 0

    def still(self, candidate: Case) -> bool:
        """Whether a candidate fails; the case is that one then."""
        if self.tries >= self.most_tries:
            return False
        self.tries += 1
        if not self.fails(candidate):
            return False
        self.case = candidate
        return True

    def harts(self) -> None:
        while len(self.case.bodies) > 1 and self.still(self.case.without_last_hart()):
            pass
        for hart, body in enumerate(self.case.bodies):
            if body.loops > 1:
                self.still(self.case.once(hart))

    def items(self, hart: int) -> None:
        smallest(
            self.case.bodies[hart].items,
            lambda items: self.still(self.case.with_items(hart, items)),
        )

    def words(self, hart: int) -> None:
        for number, item in enumerate(self.case.bodies[hart].items):
            smallest(item.words, partial(self._still_with, hart, number), least=1)

    def _still_with(self, hart: int, number: int, words: tuple[int, ...]) -> bool:
        items = list(self.case.bodies[hart].items)
        items[number] = replace(items[number], words=words)
        return self.still(self.case.with_items(hart, items))
