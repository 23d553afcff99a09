"""Where the cycles of two runs went, function by function: parts that sum to the change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.sim import NO_FUNCTION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.program import Program
    from gnomon.sim import Run

ASLEEP = "(asleep)"
"""Slots of sleeping harts, which are no function's."""

BOOT = "(before the first instruction)"


@dataclass(frozen=True, slots=True)
class Totals:
    """The cycles of one side by function; they sum to ``cycles``."""

    cycles: int
    functions: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class FunctionChange:
    """A function; None where a side does not have it."""

    name: str
    a_cycles: int | None
    b_cycles: int | None

    @property
    def change_cycles(self) -> int:
        """B less A."""
        return (self.b_cycles or 0) - (self.a_cycles or 0)


def totals_of(run: Run, program: Program) -> Totals:
    """The wall cycles of a run by function, each without what it calls, of all harts together.

    Raises:
        AssertionError: they do not sum to the run; a defect of gnomon.
    """
    profile = run.profile
    parked = profile.parts["parked"].sum(axis=0)
    cycles = profile.cycles.sum(axis=0) - parked
    functions: dict[str, int] = {}
    for index in np.flatnonzero(cycles).tolist():
        function = program.function_at(profile.base_address + 4 * index)
        name = function.name if function else NO_FUNCTION
        functions[name] = functions.get(name, 0) + int(cycles[index])
    functions |= {ASLEEP: int(parked.sum()), BOOT: run.counters.get("boot", 0)}
    if sum(functions.values()) != run.wall_cycles:
        raise AssertionError(
            f"{sum(functions.values())} cycles by function, {run.wall_cycles} in all"
        )
    return Totals(run.wall_cycles, functions)


def changes(a: Totals, b: Totals) -> tuple[FunctionChange, ...]:
    """Functions whose cycles changed, the largest change first; what is no function's last."""
    names = dict.fromkeys([*a.functions, *b.functions])
    found = [FunctionChange(name, a.functions.get(name), b.functions.get(name)) for name in names]
    changed = [each for each in found if each.change_cycles]
    return tuple(sorted(changed, key=_order))


def _order(change: FunctionChange) -> tuple[bool, int, str]:
    return change.name in (ASLEEP, BOOT), -abs(change.change_cycles), change.name
