"""A slow, plain reader of VCD: the same rules, nothing shared with the package.

It holds every value of every bit at every instant in dictionaries, and counts from those.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

_X = "x"
_LETTERS = {"u": "x", "w": "x", "-": "x", "l": "0", "h": "1"}


@dataclass
class Net:
    """One identifier code and what its bits did; bit 0 is the least significant."""

    names: list[str]
    width: int
    history: list[tuple[tuple[int, int], str]] = field(default_factory=list)
    """By time, and by how often the recording was suspended or resumed before."""


@dataclass
class Counted:
    """Per bit: toggles, and time at 0, 1, x, z."""

    toggles: list[int]
    times: list[dict[str, int]]


def read(text: str) -> tuple[dict[str, Net], int, int]:
    """Nets by identifier code, first and last time."""
    words = text.split()
    nets: dict[str, Net] = {}
    scope: list[str] = []
    time: int | None = None
    first: int | None = None
    early: list[tuple[str, str]] = []
    part = 0  # odd while the recording is suspended
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word in {"$scope", "$var", "$comment", "$timescale", "$date", "$version"}:
            end = words.index("$end", at)
            body = words[at:end]
            at = end + 1
            if word == "$scope":
                scope.append(body[1])
            elif word == "$var" and body[0] not in {"real", "event"}:
                name = "/".join([*scope, body[3].removeprefix("\\")])
                nets.setdefault(body[2], Net([], int(body[1]))).names.append(name)
        elif word == "$upscope":
            scope.pop()
        elif word == "$dumpoff":
            part += 1 - part % 2
            for code, net in nets.items():
                _change(nets, early, time, part, code, _X * net.width)
        elif word == "$dumpon":
            part += part % 2
        elif word.startswith("$"):
            pass
        elif word.startswith("#"):
            time = int(word[1:])
            if first is None:
                first = time
                for code, value in early:
                    _change(nets, [], time, 0, code, value)
        elif word[0] in "rR":
            at += 1
        elif word[0] in "bB":
            if not part % 2:
                _change(nets, early, time, part, words[at], word[1:])
            at += 1
        elif not part % 2:
            _change(nets, early, time, part, word[1:], word[0])
    assert first is not None
    assert time is not None
    return nets, first, time


def _change(
    nets: dict[str, Net],
    early: list[tuple[str, str]],
    time: int | None,
    part: int,
    code: str,
    digits: str,
) -> None:
    if time is None:
        early.append((code, digits))
        return
    if code not in nets:
        return
    net = nets[code]
    digits = "".join(_LETTERS.get(d, d) for d in digits.lower())
    fill = digits[0] if digits[0] in "xz" else "0"
    net.history.append(((time, part), digits.rjust(net.width, fill)[-net.width :]))


def count(net: Net, first: int, last: int, start: int, end: int | None) -> Counted:
    """Toggles at ``start <= t < end`` and times from ``start`` to ``end``; None: to the last."""
    settled = dict(net.history)  # the last of an instant stands, before and after a suspension
    stop = last if end is None else end
    result = Counted([], [])
    for bit in range(net.width):
        values = [(at, value[net.width - 1 - bit]) for (at, _), value in sorted(settled.items())]
        if not values or values[0][0] > first:
            values.insert(0, (first, _X))
        values.append((max(last, stop), values[-1][1]))
        toggles = 0
        times = dict.fromkeys("01xz", 0)
        before = values[0][1]
        for (time, value), (following, _) in itertools.pairwise(values):
            inside = start <= time and (end is None or time < end)
            toggles += inside and {before, value} == {"0", "1"}
            times[value] += max(0, min(following, stop) - max(time, start))
            before = value
        result.toggles.append(int(toggles))
        result.times.append(times)
    return result
