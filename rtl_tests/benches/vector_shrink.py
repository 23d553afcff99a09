"""The shortest stream that still fails: delta debugging, then smaller instructions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gnomon.rtl.bare import taken_away
from rtl_tests.benches.vector_stream import BITS, Issue, Stream

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

_MOST_TRIES = 400


async def shortest(stream: Stream, kept: int, fails: Callable[[Stream], Awaitable[bool]]) -> Stream:
    """Take away and simplify instructions as long as the stream fails.

    The first ``kept`` ones stay: they fill the scratchpads.
    """
    tries = 0

    async def still(candidate: Stream) -> bool:
        nonlocal tries
        tries += 1
        return tries <= _MOST_TRIES and await fails(candidate)

    head = stream.issues[:kept]
    search = taken_away(stream.issues[kept:], least=1)
    try:
        issues = next(search)
        while True:
            candidate = replace(stream, issues=(*head, *issues))
            issues = search.send(await still(candidate))
    except StopIteration as end:
        stream = replace(stream, issues=(*head, *end.value))
    for index in range(kept, len(stream.issues)):
        simpler = True
        while simpler:
            simpler = False
            for issue in _simpler(stream.issues[index]):
                issues = (*stream.issues[:index], issue, *stream.issues[index + 1 :])
                if await still(replace(stream, issues=issues)):
                    stream, simpler = replace(stream, issues=issues), True
                    break
    return stream


def _simpler(issue: Issue) -> Iterator[Issue]:
    if issue.gap:
        yield replace(issue, gap=0)
    if issue.hart:
        yield replace(issue, hart=0)
    if issue.mpsclfac:
        yield replace(issue, mpsclfac=0)
    unit = BITS[issue.mvtype] // 8
    for smaller in (issue.mvsize // 2, issue.mvsize - unit):
        if smaller // unit * unit > 0:
            yield replace(issue, mvsize=smaller // unit * unit)
    if issue.transfer and issue.rs2 > 4:
        yield replace(issue, rs2=issue.rs2 // 8 * 4)
