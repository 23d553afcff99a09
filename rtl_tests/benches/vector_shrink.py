"""The shortest stream that still fails: delta debugging, then smaller instructions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

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

    part = max((len(stream.issues) - kept) // 2, 1)
    while True:
        start, shorter = kept, False
        while start < len(stream.issues):
            indices = [k for k in range(len(stream.issues)) if not start <= k < start + part]
            candidate = stream.kept(indices)
            if len(indices) > kept and await still(candidate):
                stream, shorter = candidate, True
            else:
                start += part
        if part == 1 and not shorter:
            break
        part = max(part // 2, 1)
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
