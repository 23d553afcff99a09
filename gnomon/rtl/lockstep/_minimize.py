"""A failing case made small: harts, rounds, items and at last single words are taken away."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from gnomon.rtl.bare_metal import smallest
from gnomon.rtl.lockstep._case import Case, Item

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
    tries = 0

    def still(candidate: Case) -> bool:
        """Whether a candidate fails; the case is that one then."""
        nonlocal case, tries
        if tries >= most_tries:
            return False
        tries += 1
        found = fails(candidate)
        case = candidate if found else case
        return found

    def with_items(hart: int, items: Sequence[Item]) -> bool:
        return still(case.with_items(hart, items))

    def with_words(hart: int, number: int, words: tuple[int, ...]) -> bool:
        items = list(case.bodies[hart].items)
        items[number] = replace(items[number], words=words)
        return with_items(hart, items)

    while len(case.bodies) > 1 and still(replace(case, bodies=case.bodies[:-1])):
        pass
    for hart, body in enumerate(case.bodies):
        if body.loops > 1:
            still(case.once(hart))
    before = -1
    while before != case.size and tries < most_tries:
        before = case.size
        for hart in range(len(case.bodies)):
            smallest(case.bodies[hart].items, partial(with_items, hart))
    complete = tries < most_tries
    for hart in range(len(case.bodies)):
        for number, item in enumerate(case.bodies[hart].items):
            smallest(item.words, partial(with_words, hart, number), least=1)
    return Minimized(case, tries, complete)
