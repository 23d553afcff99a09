"""What a recording says about switching: plain data, one row per bit, grouped into signals.

A toggle is a change of one bit from 0 to 1 or from 1 to 0 between two settled values; the settled
value is the last one of an instant. Changes from or to x and z are not toggles. Times are counted
in units of the recording's timescale, which is a whole number of femtoseconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NoReturn

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import GnomonError
from gnomon.base.frames import csv_text, frame
from gnomon.base.units import Hertz, format_frequency
from gnomon.base.values import json_attributes

_TOLERANCE = Fraction(1, 1000)
"""Test benches round half periods to their timescale: 150 MHz becomes 6666 or 6668 ps."""

FEMTOSECONDS_PER_SECOND = 10**15
UNITS_FS = {"s": 10**15, "ms": 10**12, "us": 10**9, "ns": 10**6, "ps": 10**3, "fs": 1}
_TIMESCALE = re.compile(r"(1|10|100)\s*(s|ms|us|ns|ps|fs)", re.ASCII)


def parse_timescale(text: str, fail: Callable[[str], NoReturn]) -> int:
    """Femtoseconds of ``1 ns``, ``10PS`` …; ``fail`` refuses what is no timescale."""
    match = _TIMESCALE.fullmatch(text.lower())
    if match is None:
        fail(f"expected a timescale of 1, 10 or 100 s, ms, us, ns, ps or fs, found {text!r}")
    return int(match[1]) * UNITS_FS[match[2]]


def format_timescale(timescale_fs: int) -> str:
    """``1 ns`` for a million femtoseconds; 0 are a unit that is not known."""
    if not timescale_fs:
        return "units of no stated length"
    unit, scale = next(pair for pair in UNITS_FS.items() if timescale_fs % pair[1] == 0)
    return f"{timescale_fs // scale} {unit}"


Format = Literal["vcd", "fst", "saif", "model"]
"""Where the activity is from; ``model``: from a run of the simulator."""

STATES = ("t0", "t1", "tx", "tz", "tb")
"""Columns of ``Activity.state_times``: time at 0, at 1, unknown, floating, driven twice."""

Counts = npt.NDArray[np.int64]


def path_of(scope: tuple[str, ...]) -> str:
    """An instance as users write it: names with slashes between."""
    return "/".join(scope)


def quoted(word: str | bytes) -> str:
    """A word of a recording for messages."""
    text = word if isinstance(word, str) else word.decode("ascii", errors="backslashreplace")
    return repr(text if len(text) <= 40 else text[:37] + "...")


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
        return path_of(self.scope)

    @property
    def bits(self) -> slice:
        return slice(self.first_bit, self.first_bit + self.width_bits)

    @property
    def label(self) -> str:
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
    ``timescale_fs`` femtoseconds, 0 where neither the recording nor the user states it.
    ``left_out`` counts what the recording has and this leaves out. ``of_ports``: the recording
    lists ports of instances and no nets, so one net may be counted in several instances.
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
    of_ports: bool = False

    @property
    def timescale(self) -> str:
        """The timescale unit for people, such as ``10 ps``."""
        return format_timescale(self.timescale_fs)

    @property
    def duration(self) -> int:
        """Length in timescale units."""
        return self.end - self.start

    @property
    def duration_seconds(self) -> Fraction:
        """Length in seconds, exact; raises as :meth:`require_unit` does."""
        self.require_unit()
        return Fraction(self.duration * self.timescale_fs, FEMTOSECONDS_PER_SECOND)

    def require_unit(self) -> None:
        """Check that times have a unit.

        Raises:
            GnomonError: neither the recording nor the user states it.
        """
        if not self.timescale_fs:
            raise GnomonError(
                f"{self.source}: has no $timescale, so that its times have no unit; say it with "
                "--timescale, as in --timescale '1 ns'"
            )

    def cycles(self, clock_hz: int) -> Fraction:
        """Length in periods of a clock, exact and so not always whole."""
        return self.duration_seconds * clock_hz

    def signal_toggles(self, signal: Signal) -> int:
        """Toggles of all bits of a signal."""
        return int(self.toggles[signal.bits].sum())

    def signal_times(self, signal: Signal) -> tuple[int, ...]:
        """Times per state, in the order of ``STATES``, summed over the bits of a signal."""
        return tuple(self.state_times[signal.bits].sum(axis=0).tolist())

    @property
    def clock_hz(self) -> Fraction | None:
        """The clock as the recording shows it, or None."""
        if self.clock is None or not self.clock.period_units or not self.timescale_fs:
            return None
        return FEMTOSECONDS_PER_SECOND / (self.clock.period_units * self.timescale_fs)

    def check_clock(self, clock: Hertz, whose: str, cycles: int | None = None) -> Fraction | None:
        """Compare the recording's clock with the one it is to be told for.

        Activity per second is toggles over time: a recording of another clock scales every power
        figure silently.

        Args:
            clock: the clock expected.
            whose: where that is from, such as ``t13-simd4``.
            cycles: length of the recording in cycles, if the user knows it.

        Returns:
            The clock of the recording in Hz; None if it shows none.

        Raises:
            GnomonError: they differ, or the clock net never or hardly moves.
        """
        if cycles is not None:
            told = Fraction(cycles) / self.duration_seconds
            what = f"{self.source}: its duration over {cycles} cycles"
            _compare(what, told, _TOLERANCE, clock, whose)
        seen = self.clock
        if seen is None:
            return None
        self.require_unit()
        measured = self.clock_hz
        if measured is None:
            raise GnomonError(
                f"{self.source}: clock net {seen.net} has {seen.toggles} toggles, too few to tell "
                f"its period; name another with --clock-net"
            )
        # Totals do not tell where the first edge is; edges are rounded to a timescale unit.
        slack = _TOLERANCE + (0 if seen.exact_edges else Fraction(1, seen.toggles))
        _compare(f"{self.source}: clock net {seen.net}", measured, slack, clock, whose)
        return measured

    def rows(self, by: str, clock: Hertz | None = None) -> list[dict[str, Any]]:
        """One row per ``instance`` or ``signal``, in the order of the recording.

        Instances without nets of their own are there too; ``toggles_with_below`` adds those of all
        instances below. Times are in timescale units, summed over bits: they add up to bits times
        the duration. ``toggles_per_cycle`` is there if a clock is known.
        """
        rows = self._by_instance() if by == "instance" else self._by_signal()
        if clock is not None:
            for row in rows:
                row["toggles_per_cycle"] = float(row["toggles"] / self.cycles(clock))
        return rows

    def _by_signal(self) -> list[dict[str, Any]]:
        return [
            {"instance": signal.instance, "signal": signal.label, "bits": signal.width_bits}
            | {"aliases": signal.aliases, "toggles": self.signal_toggles(signal)}
            | dict(zip(STATES, self.signal_times(signal), strict=True))
            for signal in self.signals
        ]

    def _by_instance(self) -> list[dict[str, Any]]:
        scopes = dict.fromkeys(
            signal.scope[:depth]
            for signal in self.signals
            for depth in range(min(1, len(signal.scope)), len(signal.scope) + 1)
        )
        order = {scope: row for row, scope in enumerate(scopes)}
        owner = np.array([order[signal.scope] for signal in self.signals], dtype=np.int64)
        bits = np.repeat(owner, [signal.width_bits for signal in self.signals])
        # Not bincount: it adds in floating point, and counts must stay exact.
        sums = np.zeros((len(order), 2 + len(STATES)), dtype=np.int64)
        np.add.at(sums, bits, np.column_stack((np.ones_like(bits), self.toggles, self.state_times)))
        signals = np.bincount(owner, minlength=len(order)).tolist()
        inclusive = sums[:, 1].tolist()
        # Children stand behind their parents, so one pass from the back hands everything up.
        for scope, row in reversed(order.items()):
            if len(scope) > 1:
                inclusive[order[scope[:-1]]] += inclusive[row]
        return [
            {"instance": path_of(scope), "signals": signals[row], "bits": bit_count}
            | {"toggles": toggles, "toggles_with_below": inclusive[row]}
            | dict(zip(STATES, times, strict=True))
            for (scope, row), (bit_count, toggles, *times) in zip(
                order.items(), sums.tolist(), strict=True
            )
        ]

    def to_json(self, by: str, clock: Hertz | None) -> dict[str, Any]:
        """The object that ``gnomon power activity --json`` prints."""
        measured = self.clock_hz
        names = "source format timescale start end duration left_out"
        return json_attributes(self, names) | {
            "entries": "ports" if self.of_ports else "nets",
            "duration_s": float(self.duration_seconds) if self.timescale_fs else None,
            "signals": len(self.signals),
            "bits": len(self.toggles),
            "toggles": int(self.toggles.sum()),
            "clock_hz": None if clock is None else int(clock),
            "cycles": None if clock is None else float(self.cycles(clock)),
            "clock_net": None if self.clock is None else self.clock.net,
            "clock_net_hz": None if measured is None else float(measured),
            f"by_{by}": self.rows(by, clock),
        }

    def to_csv(self, by: str, clock: Hertz | None) -> str:
        """The rows as CSV."""
        rows = self.rows(by, clock)
        return csv_text(frame(list(rows[0]), [list(row.values()) for row in rows]))


def _compare(what: str, measured: Fraction, slack: Fraction, clock: Hertz, whose: str) -> None:
    if abs(measured / clock - 1) <= slack:
        return
    raise GnomonError(
        f"{what} says {_shown(measured)}, {whose} says {format_frequency(clock)}: "
        "activity of one clock must not be told for another"
    )


def _shown(clock_hz: Fraction) -> str:
    """A measured clock: exact if it is whole, else to four digits."""
    if clock_hz.denominator == 1:
        return format_frequency(int(clock_hz))
    for unit, scale in (("GHz", 10**9), ("MHz", 10**6), ("kHz", 10**3)):
        if clock_hz >= scale:
            return f"{float(clock_hz / scale):.5g} {unit}"
    return f"{float(clock_hz):.5g} Hz"
