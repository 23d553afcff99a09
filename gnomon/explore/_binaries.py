"""Axes of the build without effect: values at which all binaries are equal."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gnomon.arch.keys import written
from gnomon.explore._result import SweepResult
from gnomon.explore.settings import COMPILED, Value

BINARY = "binary"
"""Name of the fact that identifies the program of an outcome: first digits of its SHA-256."""


@dataclass(frozen=True, slots=True)
class SameBinary:
    """Values of one axis of the build that give equal binaries in all comparisons."""

    axis: str  # its name
    values: tuple[Value, ...]  # two or more, in the order of the axis
    whole: bool  # these are all values of the axis
    lines: int  # combinations of the other axes at which they were compared

    @property
    def sentence(self) -> str:
        """Sentence for a report."""
        values = ", ".join(map(written, self.values))
        if self.whole:
            return f"{self.axis} changes nothing in the binary, which is the same at {values}"
        return f"{self.axis}: the binary is the same at {values}"

    def to_json(self) -> dict[str, Any]:
        """Return the values as JSON-compatible data."""
        return {
            "axis": self.axis,
            "values": [*map(written, self.values)],
            "whole": self.whole,
            "lines": self.lines,
        }


def find_same_binaries(result: SweepResult) -> tuple[SameBinary, ...]:
    """Return the values of axes of the build that give equal binaries at all points."""
    found = []
    if not any(axis.name in COMPILED for axis in result.sweep.axes):
        return ()
    points = result.points
    binaries = zip(points.numbers.tolist(), points.told(lambda each: each.facts.get(BINARY)),
                   strict=True)  # fmt: skip
    known = [(result.sweep.point(index), str(each)) for index, each in binaries if each is not None]
    for place, axis in enumerate(result.sweep.axes):
        if axis.name not in COMPILED:
            continue
        lines: dict[tuple[Value, ...], dict[Value, str]] = defaultdict(dict)
        for values, binary in known:
            lines[values[:place] + values[place + 1 :]][values[place]] = binary
        # A value joins the first earlier value that agrees on every line with both values.
        groups: list[list[Value]] = []
        for value in axis.values:
            home = next(
                (group for group in groups if _agree(lines.values(), group[0], value)), None
            )
            if home is None:
                groups.append([value])
            else:
                home.append(value)
        for group in groups:
            if len(group) > 1:
                compared = sum(all(value in line for value in group) for line in lines.values())
                whole = len(group) == len(axis.values)
                found.append(SameBinary(axis.name, tuple(group), whole, compared))
    return tuple(found)


def _agree(lines: Iterable[Mapping[Value, str]], first: Value, second: Value) -> bool:
    """Return whether both values were compared, and never differed."""
    both = [line for line in lines if first in line and second in line]
    return bool(both) and all(line[first] == line[second] for line in both)
