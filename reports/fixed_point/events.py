"""Departures of regret from float, the errors in a run, and the error that explains each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gnomon.learn.kernels import Floats
from gnomon.measure.learners import HostLearner
from gnomon.measure.regret import RegretCell as Cell

from .history import History, InverseError
from .host_run import STAGES, HostRun
from .layout import Layout

Group: TypeAlias = Literal["overflow", "underflow", "rounding"]
Cause: TypeAlias = Literal["overflow", "underflow", "rounding", "choices", ""]

GROUPS: tuple[Group, ...] = ("overflow", "underflow", "rounding")
"""In the order in which they explain: a number that wrapped is nowhere near its value."""

INVERSE_OFF = 0.02
"""Relative error of an inverse, or of theta = A^-1 b, that counts."""


@dataclass(frozen=True, slots=True)
class Event:
    """Deviation from exact arithmetic."""

    group: Group  # its possible cause
    name: str  # the observation
    round_number: int  # round of the first observation, from 1
    # earliest round of the event: the same, or, if models were inspected at checkpoints
    # only, the round after the checkpoint before
    earliest: int

    @property
    def exact(self) -> bool:
        return self.earliest == self.round_number


def find_events(
    cell: Cell, run: HostRun, history: History, layout: Layout | None,
    errors: Sequence[InverseError],
) -> tuple[Event, ...]:  # fmt: skip
    """Return all first events of a run, in the order of rounds."""
    found = [*_counted(run), *_of_inverses(errors)]
    if layout is not None:
        bits = cell.fraction_bits
        found += [
            Event("overflow", f"{what} outside the format", number, number)
            for what in layout.keeps
            if (number := history.out_of_range(what, bits))
        ]
        if layout.inverse_in_units and (number := history.below_one_unit(bits)):
            found.append(Event("underflow", "A^-1 below one unit", number, number))
    return tuple(sorted(found, key=lambda event: (event.round_number, event.name)))


def _counted(run: HostRun) -> Iterable[Event]:
    if not run.counts_overflows:
        return
    for kind, (number, stage) in zip(
        HostLearner.OVERFLOW_KINDS, run.first_overflows.tolist(), strict=True
    ):
        if number:
            group: Group = "rounding" if kind == "root of negative" else "overflow"
            yield Event(group, f"{kind} in {STAGES[stage]}", number, number)


def _of_inverses(errors: Sequence[InverseError]) -> Iterable[Event]:
    """Return, checkpoint by checkpoint, the first time that a condition holds."""
    seen: set[str] = set()
    before = 0
    for error in errors:
        for name, holds in (
            ("A^-1 off by 2 %", not error.relative <= INVERSE_OFF),
            ("A0^-1 off by 2 %", error.shared_relative is not None
             and not error.shared_relative <= INVERSE_OFF),
            ("theta off by 2 %", error.theta is not None and not error.theta <= INVERSE_OFF),
            ("A^-1 not positive", not error.smallest_eigenvalue > 0),
        ):  # fmt: skip
            if holds and name not in seen:
                seen.add(name)
                yield Event("rounding", name, error.round_number, before + 1)
        before = error.round_number


def cause(left_round: int, events: Iterable[Event]) -> Cause:
    """Return why regret left: the first group with an event that can precede that round.

    ``choices``: no event; rounded numbers change some arms, and the sum with them. Empty: regret
    never left.
    """
    if not left_round:
        return ""
    groups = {event.group for event in events if event.earliest <= left_round}
    return next((group for group in GROUPS if group in groups), "choices")


def explaining(left_round: int, events: Sequence[Event]) -> Event | None:
    """Return the earliest event of the group that ``cause`` gives."""
    group = cause(left_round, events)
    fitting = (e for e in events if e.group == group and e.earliest <= left_round)
    return next(fitting, None)


def first_of(group: Group, events: Iterable[Event]) -> int:
    """Return the round of the first event of a group; 0: none."""
    return min((event.round_number for event in events if event.group == group), default=0)


TOLERANCE = 0.02


def burn_in(rounds: int) -> int:
    """Return the rounds that ``first`` skips, as their sums are short: one in a hundred."""
    return rounds // 100


@dataclass(frozen=True, slots=True)
class Leave:
    """Departure of a sum over rounds from the same sum of float."""

    # the first round, after the burn-in, with the sum more than the tolerance off, on either side;
    # 0: none
    first: int
    for_good: int  # the first one from which on it stays off to the end; 0: within at the end
    ratio: float  # the sum over that of float, at the end

    @property
    def side(self) -> str:
        """Side on which it ended."""
        if not self.for_good:
            return "within"
        return "above" if self.ratio > 1 else "below"


def leave(own: Floats, reference: Floats) -> Leave:
    """Compare cumulative sums, one per round."""
    off = np.abs(own - reference) > TOLERANCE * np.abs(reference)
    late = np.flatnonzero(off[burn_in(len(own)) :])
    first = burn_in(len(own)) + int(late[0]) + 1 if len(late) else 0
    within = np.flatnonzero(~off)
    last_within = int(within[-1]) if len(within) else -1
    for_good = last_within + 2 if off[-1] else 0
    return Leave(first, for_good, float(own[-1] / reference[-1]) if reference[-1] else float("nan"))
