"""Nets of a traced run, as activity and as VCD.

Nets below one instance named after the machine:

======================  ==============================================================
``clk``                 the clock: up at the beginning of a cycle, down in its middle
``execute/hart_H``      hart H holds the execute stage: from its issue to the next issue
``execute/issue``       an instruction enters the execute stage in this cycle
``execute/pc``          pc of the instruction in the execute stage, 32 bits
``execute/instruction`` its word, 32 bits; a try of a busy vector unit is a jump to itself
``transfer/busy``       the load-store unit moves vectors (kmemld, kmemstr, kbcastld)
``vcu_K/busy``          accelerator K works on a vector instruction
======================  ==============================================================

Before the first issue ``pc`` and ``instruction`` are unknown (x). In a VCD all nets except the
clock are unknown between two recorded windows. There are no further nets: the trace of a run lacks
operand buses, data memory addresses and units inside the vector unit. A net changes at the
beginning of a cycle and keeps its value for the whole cycle.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.base.files import writing
from gnomon.observe.trace._activity import (
    FEMTOSECONDS_PER_SECOND,
    STATES,
    UNITS_FS,
    ClockSeen,
    Counts,
    NetActivity,
    Signal,
    format_timescale,
)
from gnomon.sim import Run

_NOT_YET = 1 << 60  # a span that never ends: a vector unit that hangs
_UNKNOWN = -1
_BLOCK_CYCLES = 100_000
_CLOCK = "!"


@dataclass(frozen=True, slots=True)
class _Net:
    """A net: its values, the cycles in which they begin, and the value before the first one."""

    scope: str
    name: str
    width: int
    cycles: Counts
    values: Counts
    idle: int = 0

    def within(self, windows: Counts) -> _Net:
        """Return the net from the first window on, unknown between windows, real changes only."""
        first, gaps = windows[0, 0], windows[:-1, 1]
        cycles = np.concatenate([[first], np.maximum(self.cycles, first), gaps])
        values = np.concatenate([[self.idle], self.values, np.full(len(gaps), _UNKNOWN)])
        order = np.argsort(cycles, kind="stable")
        last = order[np.append(np.diff(cycles[order]) > 0, True)]
        changed = last[np.append(True, np.diff(values[last]) != 0)]
        return _Net(self.scope, self.name, self.width, cycles[changed], values[changed])

    def text(self, value: int, code: str) -> str:
        if self.width == 1:
            return f"{'x' if value == _UNKNOWN else value}{code}"
        return f"b{'x' if value == _UNKNOWN else format(value, 'b')} {code}"


def _list_nets(run: Run, architecture: Architecture) -> list[_Net]:
    """Return the nets of a traced run except the clock.

    Raises:
        GnomonError: if the run was not traced.
    """
    if run.trace is None or run.spans is None:
        raise GnomonError(f"{run.program}: the run was not traced; simulate with trace=True")
    rows = run.trace
    issued = rows["cycle"].astype(np.int64)
    nets = [
        _Net("execute", f"hart_{hart}", 1, issued, (rows["hart"] == hart).astype(np.int64))
        for hart in range(len(run.harts))
    ]
    nets.append(_Net("execute", "issue", 1, *_merge_spans(issued, issued + 1)))
    for name, column in (("pc", "pc"), ("instruction", "word")):
        nets.append(_Net("execute", name, 32, issued, rows[column].astype(np.int64), _UNKNOWN))
    if architecture.vcu is not None:
        for unit in range(-1, 1 if architecture.vcu.sharing == "shared" else len(run.harts)):
            mine = run.spans[run.spans["unit"] == unit]
            ends = np.minimum(mine["last"].astype(np.int64), _NOT_YET) + 1
            levels = _merge_spans(mine["start"].astype(np.int64), ends)
            nets.append(_Net("transfer" if unit < 0 else f"vcu_{unit}", "busy", 1, *levels))
    return nets


def _merge_spans(starts: Counts, ends: Counts) -> tuple[Counts, Counts]:
    """Return the changes of a net that is high in ``starts[k] <= cycle < ends[k]`` for any k."""
    if not len(starts):
        return starts, starts
    order = np.argsort(starts, kind="stable")
    starts, reach = starts[order], np.maximum.accumulate(ends[order])
    opens = np.flatnonzero(np.append(True, starts[1:] > reach[:-1]))
    falls = np.append(reach[opens[1:] - 1], reach[-1])
    return np.column_stack((starts[opens], falls)).ravel(), np.tile((1, 0), len(opens))


def _choose_timescale(clock_hz: int) -> tuple[int, Fraction]:
    """Return the coarsest timescale in fs that divides half a clock period, and the period."""
    period_fs = Fraction(FEMTOSECONDS_PER_SECOND, clock_hz)
    fitting = (UNITS_FS[u] for u in ("ns", "ps") if period_fs / (2 * UNITS_FS[u]) % 1 == 0)
    timescale = next(fitting, 1)
    return timescale, period_fs / timescale


def _name_top(machine: str) -> str:
    name = re.sub(r"[^A-Za-z0-9_]", "_", machine)
    return name if name[:1].isalpha() else f"machine_{name}"


def run_activity(
    run: Run, architecture: Architecture, *, first_cycle: int = 0, end_cycle: int | None = None
) -> NetActivity:
    """Return toggles and times of these nets in ``first_cycle`` <= cycle < ``end_cycle``.

    A change at ``first_cycle`` counts, except at cycle 0, before which nets have no value. Times
    are in a timescale of 1 ns, 1 ps or 1 fs that divides half a clock period. If a period is not a
    whole number of femtoseconds, each total is rounded once.

    Raises:
        GnomonError: if the run was not traced, or the cycles are not within the run.
    """
    nets = _list_nets(run, architecture)
    first, end = first_cycle, run.wall_cycles if end_cycle is None else end_cycle
    if not 0 <= first < end <= run.wall_cycles:
        raise GnomonError(
            f"{run.program}: cycles {first} to {end} are not a window of the run, which has "
            f"{run.wall_cycles} cycles"
        )
    top = _name_top(architecture.name)
    signals = [Signal((top,), "clk", 1, 0)]
    toggles = [2 * (end - first)]
    levels = [(Fraction(end - first, 2), 0)]  # cycles at 1, cycles unknown
    for net in nets:
        ends = (net.width - 1, 0) if net.width > 1 else (None, None)
        signals.append(Signal((top, net.scope), net.name, net.width, len(toggles), *ends))
        values = np.concatenate(([net.idle], net.values))
        stays = np.diff(np.concatenate(([first], np.clip(net.cycles, first, end), [end])))
        known = values != _UNKNOWN
        counted = known[1:] & known[:-1] & (net.cycles >= max(first, 1)) & (net.cycles < end)
        flips = (values[1:] ^ values[:-1])[counted]
        for bit in range(net.width):
            high = stays[known & (values >> bit & 1 == 1)].sum()
            toggles.append(int(np.count_nonzero(flips >> bit & 1)))
            levels.append((Fraction(int(high)), int(stays[~known].sum())))
    timescale, period = _choose_timescale(int(architecture.clock))
    start, stop = round(first * period), round(end * period)
    times = np.zeros((len(levels), len(STATES)), dtype=np.int64)
    for row, (high_cycles, odd) in enumerate(levels):
        times[row, 1] = min(round(high_cycles * period), stop - start)
        times[row, 2] = min(round(odd * period), stop - start - int(times[row, 1]))
    times[:, 0] = stop - start - times.sum(axis=1)
    return NetActivity(
        source=run.program,
        format="model",
        timescale_fs=timescale,
        start=start,
        end=stop,
        signals=tuple(signals),
        toggles=np.array(toggles, dtype=np.int64),
        state_times=times,
        left_out={},
        clock=ClockSeen(f"{top}/clk", toggles[0], period, exact_edges=True),
    )


def write_vcd(run: Run, architecture: Architecture, path: Path) -> None:
    """Write the nets of a traced run as VCD.

    Raises:
        GnomonError: if the run was not traced, never reached the window, or the file cannot be
            written.
    """
    whole = _list_nets(run, architecture)
    if not run.trace_windows:
        raise GnomonError(f"{run.program}: nothing was recorded: the run never reached the window")
    windows = np.array(run.trace_windows, dtype=np.int64)
    nets = {_encode_number(number): net.within(windows) for number, net in enumerate(whole, 1)}
    timescale, period = _choose_timescale(int(architecture.clock))
    first, end = int(windows[0, 0]), int(windows[-1, 1])
    with writing(path) as file:
        file.write(_format_header(architecture.name, nets, format_timescale(timescale)).encode())
        opening = [f"#{round(first * period)}", "$dumpvars", f"1{_CLOCK}"]
        opening += [net.text(int(net.values[0]), code) for code, net in nets.items()]
        file.write(("\n".join([*opening, "$end"]) + "\n").encode())
        for start in range(first, end, _BLOCK_CYCLES):
            stop = min(start + _BLOCK_CYCLES, end)
            file.write(_format_block(nets, period, start, stop, first).encode())
        file.write(f"#{round(end * period)}\n".encode())


def _encode_number(number: int) -> str:
    """Return the shortest identifier code of a net number, in ASCII 33 to 126."""
    text = ""
    number += 1
    while number:
        number -= 1
        text += chr(33 + number % 94)
        number //= 94
    return text


def _format_header(machine: str, nets: dict[str, _Net], timescale: str) -> str:
    lines = [f"$timescale {timescale} $end", f"$scope module {_name_top(machine)} $end"]
    lines.append(f"$var wire 1 {_CLOCK} clk $end")
    scope = ""
    for code, net in nets.items():
        if net.scope != scope:
            lines += ["$upscope $end"] * bool(scope)
            lines.append(f"$scope module {net.scope} $end")
            scope = net.scope
        span = f" [{net.width - 1}:0]" if net.width > 1 else ""
        lines.append(f"$var wire {net.width} {code} {net.name}{span} $end")
    lines += ["$upscope $end"] * (2 if scope else 1)
    return "\n".join([*lines, "$enddefinitions $end", ""])


def _format_block(
    nets: dict[str, _Net], period: Fraction, start: int, stop: int, first: int
) -> str:
    """Return all changes in ``start <= cycle < stop``, without the initial values at ``first``."""
    changes: dict[int, list[str]] = {}
    for code, net in nets.items():
        part = slice(*np.searchsorted(net.cycles, (max(start, first + 1), stop)).tolist())
        for cycle, value in zip(net.cycles[part].tolist(), net.values[part].tolist(), strict=True):
            changes.setdefault(cycle, []).append(net.text(value, code))
    numerator, denominator = period.numerator, period.denominator
    lines = []
    for cycle in range(start, stop):
        if cycle > first:
            lines.append(f"#{_divide_rounded(cycle * numerator, denominator)}\n1{_CLOCK}")
            lines += changes.get(cycle, ())
        lines.append(f"#{_divide_rounded((2 * cycle + 1) * numerator, 2 * denominator)}\n0{_CLOCK}")
    return "\n".join(lines) + "\n"


def _divide_rounded(numerator: int, denominator: int) -> int:
    return (2 * numerator + denominator) // (2 * denominator)
