"""Streaming reader of VCD: memory scales with the number of bits, not with the length.

Python reads the declarations, C the value changes (``_vcd_scan.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import NoReturn

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.observe.trace._activity import (
    ClockSeen,
    Counts,
    Format,
    NetActivity,
    Signal,
    path_of,
    quoted,
)
from gnomon.observe.trace._selection import EVERYTHING, Selection
from gnomon.observe.trace._source import RecordingStream
from gnomon.observe.trace._vcd_header import EXTENDED, Header
from gnomon.observe.trace._vcd_scan import ERRORS, Array, Scan

CHUNK_BYTES = 4 << 20
_NO_END = 1 << 62


def read_vcd(
    source: RecordingStream,
    selection: Selection = EVERYTHING,
    *,
    origin: Format = "vcd",
    chunk_bytes: int = CHUNK_BYTES,
) -> NetActivity:
    """Read the toggles and times of every selected bit in one pass.

    Raises:
        GnomonError: if the file is malformed, with its line, or nothing is selected.
    """
    return _Scanner(source, Header(source, selection.timescale_fs), selection).read(
        origin, chunk_bytes
    )


class _Scanner:
    def __init__(self, source: RecordingStream, header: Header, selection: Selection) -> None:
        self._source = source
        self._header = header
        self._selection = selection
        self._clock_label = ""
        clock = self._find_clock() if selection.clock_net or selection.find_clock else -1
        self._signals, net_bit, width = self._select(clock)
        self._scan = Scan([net.code for net in header.nets], net_bit, width)
        self._clock_bit = int(net_bit[clock]) if clock >= 0 else -1
        self._st = self._scan.state
        self._st["line"], self._st["clock_net"] = header.line, clock
        unit = header.timescale_fs
        if not unit and not selection.whole:
            raise GnomonError(
                f"{source.name}: has no $timescale, so its times have no unit; --from and --to"
                " need --timescale, as in --timescale '1 ns'"
            )
        if selection.from_fs is not None:
            self._st["from"] = min(ceil(selection.from_fs / unit), _NO_END - 1)
        end = selection.to_fs
        self._st["to"] = _NO_END if end is None else min(ceil(end / unit), _NO_END)

    def _select(self, clock: int) -> tuple[tuple[Signal, ...], Counts, Counts]:
        """Assign bits to the counted nets, and last to an uncounted clock."""
        signals: list[Signal] = []
        nets = self._header.nets
        net_bit = np.full(len(nets), -1, dtype=np.int64)
        width = np.array([net.width_bits for net in nets], dtype=np.int64)
        first = 0
        for row, net in enumerate(nets):
            if not net.counted:
                net_bit[row] = -2
                continue
            inside = [name for name in net.names if self._selection.takes(name[0])]
            if not inside:
                continue
            path, name, left, right = inside[0]
            signals.append(
                Signal(path, name, net.width_bits, first, left, right, len(net.names) - 1)
            )
            net_bit[row] = first
            first += net.width_bits
        if not signals:
            recorded = (name[0] for net in nets if net.counted for name in net.names)
            if self._selection.scope is not None:
                raise self._selection.refuse(self._source.name, recorded)
            raise GnomonError(f"{self._source.name}: declares no net with bits that could toggle")
        if clock >= 0 and net_bit[clock] < 0:
            net_bit[clock] = first
        return tuple(signals), net_bit, width

    def _find_clock(self) -> int:
        """Return the row of the clock, -1 if there is none; unnamed clocks are outermost nets."""
        named = bool(self._selection.clock_net)
        one_bit = [
            (row, net.names)
            for row, net in enumerate(self._header.nets)
            if net.counted and net.width_bits == 1
        ]
        nets = (
            (scope, name if left is None or not named else f"{name}[{left}]", row)
            for row, names in one_bit
            for scope, name, left, _ in (
                names if named else [min(names, key=lambda each: len(each[0]))]
            )
        )
        found = self._selection.find_clock_net(self._source.name, nets, what="one-bit net")
        self._clock_label, row = found or ("", -1)
        return row

    def read(self, origin: Format, chunk_bytes: int) -> NetActivity:
        rest = np.frombuffer(self._header.rest, dtype=np.uint8)
        widest = max(net.width_bits for net in self._header.nets)
        size = max(chunk_bytes, 2 * widest + 256)
        buffer: Array = np.empty(size if len(rest) <= size else len(rest) + 256, dtype=np.uint8)
        held = len(rest)
        buffer[:held] = rest
        final = False
        while True:
            done = self._scan.read(buffer, held, final=final)
            if self._scan.error != "none":
                self._fail(self._describe_problem(buffer[:held]))
            if self._st["stopped"] or final:
                break
            if done == 0 and held == len(buffer):
                self._fail(f"a word of more than {held} bytes: no declared net is that wide")
            buffer[: held - done] = buffer[done:held]
            held -= done
            more = self._source.read(len(buffer) - held)
            buffer.data[held : held + len(more)] = more
            held += len(more)
            final = not more
        block = int(self._st["block_line"])
        if final and block:
            self._fail(f"the file ends before the $end of the block of line {block}")
        return self._finish(origin)

    def _fail(self, message: str) -> NoReturn:
        raise GnomonError(f"{self._source.name}:{int(self._st['line'])}: {message}")

    def _describe_problem(self, buffer: Array) -> str:
        """Describe the error in the command that stopped the scanner."""
        st, error = self._st, self._scan.error
        first = int(st["error_at"])
        data = buffer[first : first + 80].tobytes().split()[0]
        word = data.decode("ascii", errors="backslashreplace")
        shown = quoted(word)
        if (error == "word" and word[:1] in {"p", "P"}) or word.startswith("$dumpports"):
            return f"{shown}: {EXTENDED}"
        if error == "code" and word[:1] in _VALUES and len(word) > 1:
            return f"identifier code {word[1:40]!r} of {shown} is declared by no $var"
        net = self._header.nets[int(st["error_net"])]
        scope, name, _, _ = net.names[0]
        return ERRORS[error].format(
            shown=shown,
            time=int(st["time"]),
            net=f"{path_of((*scope, name))} of line {net.line}",
            width=net.width_bits,
        )

    def _finish(self, origin: Format) -> NetActivity:
        st, name, unit = self._st, self._source.name, self._header.timescale_fs
        last = int(st["time"])
        if last < 0:
            self._fail("no time mark such as #0: nothing is recorded")
        start = int(max(st["start"], st["from"]))
        end = int(st["to"]) if st["stopped"] else last
        if self._selection.to_fs is not None and not st["stopped"] and last < st["to"]:
            raise GnomonError(
                f"{name}: --to is at {int(st['to'])}, the recording ends at {last} "
                f"(in units of {unit} fs)"
            )
        if start >= end:
            raise GnomonError(
                f"{name}: nothing to count: it records {int(st['start'])} to {last}, the window "
                f"is {start} to {end} (in units of {unit} fs)"
            )
        scan = self._scan
        times = scan.times
        times[np.arange(len(times)), scan.now] += end - np.maximum(scan.since, start)
        clock = self._measure_clock()
        counted = sum(signal.width_bits for signal in self._signals)
        assert (times.sum(axis=1) == end - start).all()
        return NetActivity(
            source=name, format=origin, timescale_fs=unit, start=start, end=end,
            signals=self._signals, toggles=scan.toggles[:counted], state_times=times[:counted],
            left_out=self._header.left_out, clock=clock,
        )  # fmt: skip

    def _measure_clock(self) -> ClockSeen | None:
        st = self._st
        if st["clock_net"] < 0:
            return None
        period = period_of(self._scan.intervals)
        if period is None and not self._selection.clock_net:
            return None
        toggles = int(self._scan.toggles[self._clock_bit])
        return ClockSeen(self._clock_label, toggles, period, exact_edges=True)


def period_of(intervals: Mapping[int, int]) -> Fraction | None:
    """Return the period of a clock from a histogram of times between rising edges.

    The period is the mean of the times near the most frequent one, because test benches round
    edges to their timescale. Longer times come from a gated clock. If they are frequent and not a
    multiple of the period, the clock is irregular and the mean of all times is returned.
    None: there are no times.
    """
    if not intervals:
        return None
    usual = max(intervals, key=lambda length: (intervals[length], -length))
    near = [
        each for each in intervals
        if abs(each - usual) <= 1 or (2 * usual < 3 * each and 2 * each < 3 * usual)
    ]  # fmt: skip
    counted = sum(intervals[each] for each in near)
    period = Fraction(sum(each * intervals[each] for each in near), counted)
    odd = [
        each for each in intervals.keys() - set(near)
        if each < usual or abs(each - round(each / period) * period) > 1 + each * _DRIFT
    ]  # fmt: skip
    if _RARE * sum(intervals[each] for each in odd) <= counted:
        return period
    total = sum(length * count for length, count in intervals.items())
    return Fraction(total, sum(intervals.values()))


_DRIFT = Fraction(1, 1000)  # of the phase of a clock that stops
_RARE = 20  # least ratio of regular to irregular intervals
_VALUES = frozenset("01xXzZuUwWlLhH-")
