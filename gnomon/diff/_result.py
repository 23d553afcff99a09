"""What a comparison says: plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["instruction", "path", "cycle", "end"]
"""How two runs part: another word at the same pc, another pc or hart, the same instruction in
another cycle, or one of them has ended."""


@dataclass(frozen=True, slots=True)
class Issue:
    """One issue of one run."""

    cycle: int
    hart: int
    pc: int
    word: int
    function: str
    disassembly: str


@dataclass(frozen=True, slots=True)
class Change:
    """Cycles of a function in both runs; 0 where it is not."""

    function: str
    before_cycles: int
    after_cycles: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Two runs side by side.

    Attributes:
        names: of both.
        cycles: wall cycles of both.
        kind: how they part; None: they do not.
        first: the issues in which they part, of both; None where one has ended.
        before: the last issues that they share.
        changes: functions whose cycles differ, the largest change first.
    """

    names: tuple[str, str]
    cycles: tuple[int, int]
    kind: Kind | None
    first: tuple[Issue | None, Issue | None]
    before: tuple[Issue, ...]
    changes: tuple[Change, ...]


def kind_of(first: tuple[Issue | None, Issue | None]) -> Kind:
    """How two runs part at these issues."""
    a, b = first
    if a is None or b is None:
        return "end"
    if (a.hart, a.pc) != (b.hart, b.pc):
        return "path"
    return "instruction" if a.word != b.word else "cycle"


def changes_of(before: dict[str, int], after: dict[str, int]) -> tuple[Change, ...]:
    """Functions whose cycles differ."""
    names = dict.fromkeys([*before, *after])
    found = [Change(name, before.get(name, 0), after.get(name, 0)) for name in names]
    changed = [each for each in found if each.before_cycles != each.after_cycles]
    return tuple(
        sorted(changed, key=lambda c: (-abs(c.after_cycles - c.before_cycles), c.function))
    )
