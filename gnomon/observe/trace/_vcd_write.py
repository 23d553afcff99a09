"""A traced run as VCD: the nets of :mod:`gnomon.observe.trace._model`, cycle by cycle.

Values of a cycle change at its beginning; the clock rises there and falls in its middle. Before
the first issue ``pc`` and ``instruction`` are x, and between two recorded windows everything
but the clock is.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.base.files import writing
from gnomon.observe.trace._time import FEMTOSECONDS_PER_SECOND, UNITS_FS, format_timescale

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from gnomon.arch import Architecture
    from gnomon.sim import Run

    Array = npt.NDArray[np.int64]

_BLOCK_CYCLES = 100_000
_UNKNOWN = -1
_CLOCK = "!"


def write_vcd(run: Run, architecture: Architecture, path: Path) -> None:
    """Write the recorded windows of a run.

    Raises:
        GnomonError: the run was not traced, nothing was recorded, or the file cannot be written.
    """
    if run.trace is None or run.spans is None:
        raise GnomonError(f"{run.program}: the run was not traced; simulate with trace=True")
    if not run.trace_windows:
        raise GnomonError(
            f"{run.program}: nothing was recorded: the run never came into the window"
        )
    nets = _nets(run, architecture)
    period_fs = Fraction(FEMTOSECONDS_PER_SECOND, int(architecture.clock))
    timescale = next(
        (UNITS_FS[u] for u in ("ns", "ps") if period_fs / (2 * UNITS_FS[u]) % 1 == 0), 1
    )
    period = period_fs / timescale
    first, end = run.trace_windows[0][0], run.trace_windows[-1][1]
    with writing(path) as file:
        file.write(_header(architecture.name, nets, format_timescale(timescale)).encode())
        opening = [f"#{round(first * period)}", "$dumpvars", f"1{_CLOCK}"]
        opening += [net.text(net.at(first)) for net in nets]
        file.write(("\n".join([*opening, "$end"]) + "\n").encode())
        for start in range(first, end, _BLOCK_CYCLES):
            stop = min(start + _BLOCK_CYCLES, end)
            file.write(_block(nets, period, start, stop, first).encode())
        file.write(f"#{round(end * period)}\n".encode())


class _Net:
    """One net: cycles in which its value changes, and the values."""

    def __init__(self, scope: str, name: str, width: int, cycles: Array, values: Array) -> None:
        self.scope, self.name, self.width = scope, name, width
        changed = np.ones(len(values), dtype=bool)
        changed[1:] = values[1:] != values[:-1]
        self.cycles, self.values = cycles[changed], values[changed]
        self.code = ""

    def at(self, cycle: int) -> int:
        """Its value in a cycle."""
        place = int(np.searchsorted(self.cycles, cycle, side="right")) - 1
        return int(self.values[place]) if place >= 0 else _UNKNOWN

    def text(self, value: int) -> str:
        """A change to a value."""
        if self.width == 1:
            return f"{'x' if value == _UNKNOWN else value}{self.code}"
        return f"b{'x' if value == _UNKNOWN else format(value, 'b')} {self.code}"


def _nets(run: Run, architecture: Architecture) -> list[_Net]:
    assert run.trace is not None
    assert run.spans is not None
    rows, windows = run.trace, np.array(run.trace_windows, dtype=np.int64)
    issued = rows["cycle"].astype(np.int64)
    # Between windows nothing is known.
    inside = np.zeros(len(issued), dtype=bool)
    for first, end in windows.tolist():
        inside |= (issued >= first) & (issued < end)
    before = np.flatnonzero(~inside)
    held = np.union1d(before[before < len(issued)], np.flatnonzero(inside))
    rows, issued = rows[held], np.maximum(issued[held], windows[0, 0])
    gaps = windows[:-1, 1]
    nets = []

    def net(path: str, width: int, cycles: Array, values: Array, *, idle: int) -> None:
        """Add a net; ``idle`` is its value before its first change."""
        cycles = np.concatenate([[windows[0, 0]], cycles, gaps])
        values = np.concatenate([[idle], values, np.full(len(gaps), _UNKNOWN)])
        order = np.argsort(cycles, kind="stable")
        last = np.append(np.diff(cycles[order]) > 0, True)
        scope, _, name = path.partition("/")
        nets.append(_Net(scope, name, width, cycles[order][last], values[order][last]))

    for hart in range(len(run.harts)):
        holds = (rows["hart"] == hart).astype(np.int64)
        net(f"execute/hart_{hart}", 1, issued, holds, idle=0)
    real = rows["cycle"].astype(np.int64) >= windows[0, 0]
    pulses = issued[real]
    falls = np.setdiff1d(pulses + 1, pulses)
    levels = np.concatenate([np.ones(len(pulses)), np.zeros(len(falls))]).astype(np.int64)
    edges = np.concatenate([pulses, falls])
    order = np.argsort(edges, kind="stable")
    net("execute/issue", 1, edges[order], levels[order], idle=0)
    for name, column in (("pc", "pc"), ("instruction", "word")):
        values = rows[column].astype(np.int64)
        net(f"execute/{name}", 32, issued, values, idle=_UNKNOWN)
    if architecture.vcu is not None:
        units = 1 if architecture.vcu.sharing == "shared" else len(run.harts)
        for unit in range(-1, units):
            scope = "transfer" if unit < 0 else f"vcu_{unit}"
            cycles, values = _busy(run.spans[run.spans["unit"] == unit], windows)
            net(f"{scope}/busy", 1, cycles, values, idle=0)
    for number, each in enumerate(nets):
        each.code = _code(number + 1)
    return nets


def _busy(spans: npt.NDArray[np.void], windows: Array) -> tuple[Array, Array]:
    """Changes of a net that is high while any of the spans lasts, within the windows."""
    starts = np.maximum(spans["start"].astype(np.int64), windows[0, 0])
    ends = np.minimum(spans["last"].astype(np.int64) + 1, windows[-1, 1])
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], ends[order]
    if not len(starts):
        return starts, starts
    reach = np.maximum.accumulate(ends)
    opens = np.concatenate(([True], starts[1:] > reach[:-1]))
    rises = starts[opens]
    falls = np.append(reach[np.flatnonzero(opens)[1:] - 1], reach[-1])
    cycles = np.concatenate([rises, falls])
    values = np.concatenate([np.ones(len(rises)), np.zeros(len(falls))]).astype(np.int64)
    order = np.argsort(cycles, kind="stable")
    return cycles[order], values[order]


def _code(number: int) -> str:
    """The shortest identifier codes, ASCII 33 to 126."""
    text = ""
    number += 1
    while number:
        number -= 1
        text += chr(33 + number % 94)
        number //= 94
    return text


def _header(machine: str, nets: list[_Net], timescale: str) -> str:
    top = re.sub(r"[^A-Za-z0-9_]", "_", machine)
    top = top if top[:1].isalpha() else f"machine_{top}"
    lines = [f"$timescale {timescale} $end", f"$scope module {top} $end"]
    lines.append(f"$var wire 1 {_CLOCK} clk $end")
    scope = ""
    for net in nets:
        if net.scope != scope:
            lines += ["$upscope $end"] * bool(scope)
            lines.append(f"$scope module {net.scope} $end")
            scope = net.scope
        span = f" [{net.width - 1}:0]" if net.width > 1 else ""
        lines.append(f"$var wire {net.width} {net.code} {net.name}{span} $end")
    lines += ["$upscope $end"] * (2 if scope else 1)
    return "\n".join([*lines, "$enddefinitions $end", ""])


def _block(nets: list[_Net], period: Fraction, start: int, stop: int, first: int) -> str:
    """All changes in ``start <= cycle < stop``, behind those of the beginning."""
    changes: dict[int, list[str]] = {}
    for net in nets:
        low, high = np.searchsorted(net.cycles, (max(start, first + 1), stop)).tolist()
        for cycle, value in zip(
            net.cycles[low:high].tolist(), net.values[low:high].tolist(), strict=True
        ):
            changes.setdefault(cycle, []).append(net.text(value))
    numerator, denominator = period.numerator, period.denominator
    lines = []
    for cycle in range(start, stop):
        if cycle > first:
            lines.append(f"#{_rounded(cycle * numerator, denominator)}\n1{_CLOCK}")
            lines += changes.get(cycle, ())
        lines.append(f"#{_rounded((2 * cycle + 1) * numerator, 2 * denominator)}\n0{_CLOCK}")
    return "\n".join(lines) + "\n"


def _rounded(numerator: int, denominator: int) -> int:
    return (2 * numerator + denominator) // (2 * denominator)
