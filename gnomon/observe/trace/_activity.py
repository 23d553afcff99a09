"""What a recording says about switching: plain data, one row per bit, grouped into signals.

A toggle is a change of one bit from 0 to 1 or from 1 to 0 between two settled values; the settled
value is the last one of an instant. Changes from or to x and z are not toggles. Times are counted
in units of the recording's timescale, which is a whole number of femtoseconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.units import Hertz  # noqa: TC001 - part of a public signature

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


FEMTOSECONDS_PER_SECOND = 10**15
UNITS_FS = {"s": 10**15, "ms": 10**12, "us": 10**9, "ns": 10**6, "ps": 10**3, "fs": 1}
_TIMESCALE = re.compile(r"(1|10|100)\s*(s|ms|us|ns|ps|fs)", re.ASCII)
_MOMENT = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,15})?)\s*([A-Za-zµ]+)")


def parse_timescale(text: str) -> int | None:
    """Femtoseconds of ``1 ns``, ``10ps`` …; None if it is not a timescale."""
    match = _TIMESCALE.fullmatch(text)
    return None if match is None else int(match[1]) * UNITS_FS[match[2]]


def format_timescale(timescale_fs: int) -> str:
    """``1 ns`` for a million femtoseconds."""
    unit, scale = next(pair for pair in UNITS_FS.items() if timescale_fs % pair[1] == 0)
    return f"{timescale_fs // scale} {unit}"


def parse_moment(option: str, text: str, clock: Hertz | None) -> Fraction:
    """Femtoseconds since the start of time of ``12.5 us`` or, with a clock, ``500 cycles``.

    Raises:
        GnomonError: no number with a unit, or cycles where no clock is known.
    """
    units = ", ".join((*UNITS_FS, "cycles"))
    match = _MOMENT.fullmatch(text.strip())
    if match is None:
        raise GnomonError(
            f"{option} needs a time and its unit, as in '10 us'; got {text!r} (units: {units})"
        )
    number, unit = match.groups()
    if unit == "cycles":
        if clock is None:
            raise GnomonError(f"{option} {text!r} needs a clock: give --arch or --clock")
        return Fraction(number) * FEMTOSECONDS_PER_SECOND / clock
    unit = "us" if unit == "µs" else unit
    if unit not in UNITS_FS:
        raise GnomonError(
            f"{option}: {unit!r} in {text!r} is not a unit of time (units: {units}"
            f"{did_you_mean(unit, (*UNITS_FS, 'cycles'))})"
        )
    return Fraction(number) * UNITS_FS[unit]


Format = Literal["vcd", "fst", "saif", "model"]
"""Where the activity is from; ``model``: from a run of the simulator."""

STATES = ("t0", "t1", "tx", "tz", "tb")
"""Columns of ``Activity.state_times``: time at 0, at 1, unknown, floating, driven twice."""

Counts = npt.NDArray[np.int64]


def path_of(scope: tuple[str, ...]) -> str:
    """An instance as users write it: names with slashes between."""
    return "/".join(scope)


@dataclass(frozen=True, slots=True)
class Signal:
    """One net, under the first name it has in the recording.

    Bit ``i`` of it, the least significant first, is row ``first_bit + i`` of the tables.
    ``aliases`` are further names of the same net: they are not counted again.
    """

    scope: tuple[str, ...]
    name: str
    width_bits: int
    first_bit: int
    left_index: int | None = None
    right_index: int | None = None
    aliases: int = 0

    @property
    def instance(self) -> str:
        """The path of the instance."""
        return path_of(self.scope)

    @property
    def label(self) -> str:
        """The name with its range, as declared."""
        if self.left_index is None:
            return self.name
        if self.left_index == self.right_index and self.width_bits == 1:
            return f"{self.name}[{self.left_index}]"
        return f"{self.name}[{self.left_index}:{self.right_index}]"

    def bit_names(self) -> Iterator[str]:
        """The name of every bit, the least significant first."""
        if self.left_index is None or self.right_index is None:
            if self.width_bits == 1:
                yield self.name
                return
            left, right = self.width_bits - 1, 0
        else:
            left, right = self.left_index, self.right_index
        step = 1 if left >= right else -1
        for bit in range(self.width_bits):
            yield f"{self.name}[{right + step * bit}]"


@dataclass(frozen=True, slots=True)
class ClockSeen:
    """What the recording shows of one net that is a clock.

    ``period_units`` is measured between its first and last rising edge, or is the duration over
    the number of periods where only totals are known.
    """

    net: str
    toggles: int
    period_units: Fraction | None
    exact_edges: bool


@dataclass(frozen=True, slots=True, eq=False)
class Activity:
    """Toggles and time per state of every bit of a recording, or of a window of it.

    ``toggles`` has shape (bits,), ``state_times`` shape (bits, 5) in the order of ``STATES``; each
    row of it sums to ``duration``. ``start`` and ``end`` are in timescale units of
    ``timescale_fs`` femtoseconds. ``left_out`` counts what the recording has and this leaves out.
    """

    source: str
    format: Format
    timescale_fs: int
    start: int
    end: int
    signals: tuple[Signal, ...]
    toggles: Counts
    state_times: Counts
    left_out: Mapping[str, int]
    clock: ClockSeen | None = None

    @property
    def duration(self) -> int:
        """Length in timescale units."""
        return self.end - self.start

    @property
    def duration_seconds(self) -> Fraction:
        """Length in seconds, exact."""
        return Fraction(self.duration * self.timescale_fs, FEMTOSECONDS_PER_SECOND)

    def cycles(self, clock_hz: int) -> Fraction:
        """Length in periods of a clock, exact and so not always whole."""
        return self.duration_seconds * clock_hz

    def signal_toggles(self, signal: Signal) -> int:
        """Toggles of all bits of a signal."""
        rows = slice(signal.first_bit, signal.first_bit + signal.width_bits)
        return int(self.toggles[rows].sum())

    def signal_times(self, signal: Signal) -> tuple[int, ...]:
        """Times per state, in the order of ``STATES``, summed over the bits of a signal."""
        rows = slice(signal.first_bit, signal.first_bit + signal.width_bits)
        return tuple(int(value) for value in self.state_times[rows].sum(axis=0))

    def to_json(self) -> dict[str, Any]:
        """The head of what ``gnomon power activity --json`` prints."""
        return {
            "source": self.source,
            "format": self.format,
            "timescale": format_timescale(self.timescale_fs),
            "start": self.start,
            "end": self.end,
            "duration": self.duration,
            "duration_s": float(self.duration_seconds),
            "signals": len(self.signals),
            "bits": len(self.toggles),
            "toggles": int(self.toggles.sum()),
            "left_out": dict(self.left_out),
        }


@dataclass(frozen=True, slots=True)
class InstanceActivity:
    """One instance: its own nets, and its toggles with those of all instances below it.

    ``times`` are in the order of ``STATES``, summed over the bits of its own nets.
    """

    instance: str
    signals: int
    bits: int
    toggles: int
    toggles_with_below: int
    times: tuple[int, ...]


def by_instance(activity: Activity) -> tuple[InstanceActivity, ...]:
    """Activity per instance, in the order of the recording; parents without nets are there too."""
    scopes = dict.fromkeys(
        signal.scope[:depth]
        for signal in activity.signals
        for depth in range(min(1, len(signal.scope)), len(signal.scope) + 1)
    )
    order = {scope: row for row, scope in enumerate(scopes)}
    owner = np.array([order[signal.scope] for signal in activity.signals], dtype=np.int64)
    bits = np.repeat(owner, [signal.width_bits for signal in activity.signals])
    # Not bincount: it adds in floating point, and counts must stay exact.
    sums = np.zeros((len(order), 2 + len(STATES)), dtype=np.int64)
    counted = (np.ones_like(bits), activity.toggles, activity.state_times)
    np.add.at(sums, bits, np.column_stack(counted))
    signals = np.bincount(owner, minlength=len(order)).tolist()
    inclusive = sums[:, 1].tolist()
    # Children stand behind their parents, so one pass from the back hands everything up.
    for scope, row in reversed(order.items()):
        if len(scope) > 1:
            inclusive[order[scope[:-1]]] += inclusive[row]
    return tuple(
        InstanceActivity(
            path_of(scope), signals[row], own[0], own[1], inclusive[row], tuple(own[2:])
        )
        for (scope, row), own in zip(order.items(), sums.tolist(), strict=True)
    )
