"""Switching activity of a recording: plain data, one row per bit, grouped into signals.

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
"""Relative tolerance: test benches round half periods, so 150 MHz becomes 6666 or 6668 ps."""

FEMTOSECONDS_PER_SECOND = 10**15
UNITS_FS = {"s": 10**15, "ms": 10**12, "us": 10**9, "ns": 10**6, "ps": 10**3, "fs": 1}
_TIMESCALE = re.compile(r"(1|10|100)\s*(s|ms|us|ns|ps|fs)", re.ASCII)


def parse_timescale(text: str, fail: Callable[[str], NoReturn]) -> int:
    """Return the femtoseconds of ``1 ns``, ``10PS`` …; call ``fail`` with any other text."""
    match = _TIMESCALE.fullmatch(text.lower())
    if match is None:
        fail(f"expected a timescale of 1, 10 or 100 s, ms, us, ns, ps or fs, found {text!r}")
    return int(match[1]) * UNITS_FS[match[2]]


def format_timescale(timescale_fs: int) -> str:
    """Return ``1 ns`` for 1,000,000 femtoseconds; 0 stands for an unknown unit."""
    if not timescale_fs:
        return "units of no stated length"
    unit, scale = next(pair for pair in UNITS_FS.items() if timescale_fs % pair[1] == 0)
    return f"{timescale_fs // scale} {unit}"


Format = Literal["vcd", "fst", "saif", "model"]
"""Origin of the activity; ``model``: a run of the simulator."""

STATES = ("t0", "t1", "tx", "tz", "tb")
"""Columns of ``NetActivity.state_times``: time at 0, at 1, unknown, floating, driven twice."""

Counts = npt.NDArray[np.int64]


def path_of(scope: tuple[str, ...]) -> str:
    """Return the path of an instance: its names, separated by slashes."""
    return "/".join(scope)


def quoted(word: str | bytes) -> str:
    """Return a word of a recording, quoted and shortened for messages."""
    text = word if isinstance(word, str) else word.decode("ascii", errors="backslashreplace")
    return repr(text if len(text) <= 40 else text[:37] + "...")


@dataclass(frozen=True, slots=True)
class Signal:
    """One net, under its first name in the recording.

    Bit ``i``, the least significant first, is row ``first_bit + i`` of the tables. ``aliases`` is
    the number of further names of the net, which are not counted again.
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
        """Yield the name of every bit, the least significant first."""
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
    """The clock net of a recording.

    ``period_units`` is measured between rising edges. If a recording has only totals, it is the
    duration over the number of periods.
    """

    net: str
    toggles: int
    period_units: Fraction | None
    exact_edges: bool


@dataclass(frozen=True, slots=True, eq=False)
class NetActivity:
    """Toggles and time per state of every bit of a recording, or of a window of it.

    ``toggles`` has shape (bits,), ``state_times`` shape (bits, 5) in the order of ``STATES``. Each
    row of ``state_times`` sums to ``duration``. ``start`` and ``end`` are in units of
    ``timescale_fs`` femtoseconds; 0: neither the recording nor the user states the timescale.
    ``left_out`` counts omitted items by kind. ``of_ports``: the recording lists ports of instances
    and no nets, so one net may be counted in several instances.
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
        """Timescale unit as text, such as ``10 ps``."""
        return format_timescale(self.timescale_fs)

    @property
    def duration(self) -> int:
        """Length in timescale units."""
        return self.end - self.start

    @property
    def duration_seconds(self) -> Fraction:
        """Exact length in seconds; raises like :meth:`require_unit`."""
        self.require_unit()
        return Fraction(self.duration * self.timescale_fs, FEMTOSECONDS_PER_SECOND)

    def require_unit(self) -> None:
        """Check that times have a unit.

        Raises:
            GnomonError: if neither the recording nor the user states the timescale.
        """
        if not self.timescale_fs:
            raise GnomonError(
                f"{self.source}: has no $timescale, so its times have no unit; state it with "
                "--timescale, as in --timescale '1 ns'"
            )

    def cycles(self, clock_hz: int) -> Fraction:
        """Return the exact length in periods of a clock, which need not be whole."""
        return self.duration_seconds * clock_hz

    def signal_toggles(self, signal: Signal) -> int:
        """Return the toggles of all bits of a signal."""
        return int(self.toggles[signal.bits].sum())

    def signal_times(self, signal: Signal) -> tuple[int, ...]:
        """Return the times per state, in the order of ``STATES``, summed over bits of a signal."""
        return tuple(self.state_times[signal.bits].sum(axis=0).tolist())

    @property
    def clock_hz(self) -> Fraction | None:
        """Clock of the recording in Hz; None: unavailable."""
        if self.clock is None or not self.clock.period_units or not self.timescale_fs:
            return None
        return FEMTOSECONDS_PER_SECOND / (self.clock.period_units * self.timescale_fs)

    def check_clock(self, clock: Hertz, whose: str, cycles: int | None = None) -> Fraction | None:
        """Compare the clock of the recording with the expected one.

        NetActivity per second is toggles over time, so another clock would scale power silently.

        Args:
            clock: the expected clock.
            whose: the origin of that clock, such as ``t13-simd4``.
            cycles: length of the recording in cycles, if the user states it.

        Returns:
            The clock of the recording in Hz; None if it is unavailable.

        Raises:
            GnomonError: if the clocks differ, or the clock net has too few toggles.
        """
        if cycles is not None:
            mean_hz = Fraction(cycles) / self.duration_seconds
            what = f"{self.source}: its duration over {cycles} cycles"
            _compare(what, mean_hz, _TOLERANCE, clock, whose)
        seen = self.clock
        if seen is None:
            return None
        self.require_unit()
        measured = self.clock_hz
        if measured is None:
            raise GnomonError(
                f"{self.source}: clock net {seen.net} has {seen.toggles} toggles, too few for its "
                f"period; name another with --clock-net"
            )
        # Totals lack the time of the first edge; edges are rounded to a timescale unit.
        slack = _TOLERANCE + (0 if seen.exact_edges else Fraction(1, seen.toggles))
        _compare(f"{self.source}: clock net {seen.net}", measured, slack, clock, whose)
        return measured

    def rows(self, by: str, clock: Hertz | None = None) -> list[dict[str, Any]]:
        """Return one row per ``instance`` or ``signal``, in the order of the recording.

        Instances without own nets have rows too; ``toggles_with_below`` includes all instances
        below. Times are in timescale units, summed over bits; they sum to bits x duration.
        ``toggles_per_cycle`` needs a clock.
        """
        rows = self._list_instances() if by == "instance" else self._list_signals()
        if clock is not None:
            for row in rows:
                row["toggles_per_cycle"] = float(row["toggles"] / self.cycles(clock))
        return rows

    def _list_signals(self) -> list[dict[str, Any]]:
        return [
            {"instance": signal.instance, "signal": signal.label, "bits": signal.width_bits}
            | {"aliases": signal.aliases, "toggles": self.signal_toggles(signal)}
            | dict(zip(STATES, self.signal_times(signal), strict=True))
            for signal in self.signals
        ]

    def _list_instances(self) -> list[dict[str, Any]]:
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
        # Children follow their parents, so one reverse pass adds them to all ancestors.
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
        """Return the object that ``gnomon power activity --json`` prints."""
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
        """Return the rows as CSV."""
        rows = self.rows(by, clock)
        return csv_text(frame(list(rows[0]), [list(row.values()) for row in rows]))


def _compare(what: str, measured: Fraction, slack: Fraction, clock: Hertz, whose: str) -> None:
    if abs(measured / clock - 1) <= slack:
        return
    raise GnomonError(
        f"{what} gives {_format_clock(measured)}, {whose} gives {format_frequency(clock)}: "
        "activity of one clock must not be used for another"
    )


def _format_clock(clock_hz: Fraction) -> str:
    """Return a measured clock as text: exact if it is whole, else with five digits."""
    if clock_hz.denominator == 1:
        return format_frequency(int(clock_hz))
    for unit, scale in (("GHz", 10**9), ("MHz", 10**6), ("kHz", 10**3)):
        if clock_hz >= scale:
            return f"{float(clock_hz / scale):.5g} {unit}"
    return f"{float(clock_hz):.5g} Hz"
