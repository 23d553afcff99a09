"""Minimization of a failing case: remove harts, loop rounds, items and finally single words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from gnomon.rtl.bare_metal import smallest
from gnomon.rtl.lockstep._case import Case, Item

DEFAULT_TRIES = 150


@dataclass(frozen=True, slots=True)
class Minimized:
    """The smallest case found and the number of tries; ``complete``: no item can be removed."""

    case: Case
    tries: int
    complete: bool

    @property
    def instructions(self) -> int:
        """Number of words in its items."""
        return sum(len(item.words) for body in self.case.bodies for item in body.items)


def minimize(
    case: Case, fails: Callable[[Case], bool], *, most_tries: int = DEFAULT_TRIES
) -> Minimized:
    """Minimize a failing case; every intermediate case still fails.

    The search removes harts and loop rounds, then items in halves, quarters and so on down to
    single ones (delta debugging), then words of the remaining items. It is deterministic.

    Args:
        case: failing case.
        fails: function that returns whether a candidate fails in the same way; it must return
            False for a candidate that terminates in another way.
        most_tries: largest number of candidates. If it is reached, the result still fails.
    """
    tries = 0

    def accept(candidate: Case) -> bool:
        """Return whether a candidate fails; if so, continue with it."""
        nonlocal case, tries
        if tries >= most_tries:
            return False
        tries += 1
        found = fails(candidate)
        case = candidate if found else case
        return found

    def with_items(hart: int, items: Sequence[Item]) -> bool:
        return accept(case.with_items(hart, items))

    def with_words(hart: int, number: int, words: tuple[int, ...]) -> bool:
        items = list(case.bodies[hart].items)
        items[number] = replace(items[number], words=words)
        return with_items(hart, items)

    while len(case.bodies) > 1 and accept(replace(case, bodies=case.bodies[:-1])):
        pass
    for hart, body in enumerate(case.bodies):
        if body.loops > 1:
            accept(case.once(hart))
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
