"""A recorded path priced on another machine: the same run, cycle for cycle, without executing it.

The loop walks the events of a path and keeps what is in flight. ``delta`` is by how much the
machine is later than the recording, in which every unit was idle. Rules as in the engine: the
schedule of the vector unit is the engine's own function.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gnomon.arch.dividers import START_UP_CYCLES, lane_cycles, step_cycles
from gnomon.base.compiled import State, entry_point, int64
from gnomon.sim import _layout as at
from gnomon.sim._accounting import CAUSES
from gnomon.sim._divide import scalar_divide_cycles
from gnomon.sim._machine import Array, machine_arrays
from gnomon.sim._path import (
    DIVIDE,
    DIVISION,
    E_A,
    E_B,
    E_C,
    E_CYCLE,
    E_D,
    E_E,
    E_F,
    E_KIND,
    MARK,
    MEMORY,
    TRANSFER,
    VECTOR,
    NotPriceable,
    TimedPath,
)
from gnomon.sim._unobserved import NEVER_OBSERVED, observed_fingerprint
from gnomon.sim._vcu_function import is_reduction
from gnomon.sim._vcu_timing import bytes_per_beat, schedule, start_up

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.arch import Architecture
    from gnomon.sim._run import RegionRun

PRICED = (
    "core.divider", "core.divider_table", "vcu.divider", "vcu.divider_table", "vcu.sharing",
    "vcu.simd",
)  # fmt: skip
"""Keys in which the priced machine may differ from the recorded one, and those never observed."""

M_CYCLE, M_RETRIES, M_LSU, M_VCU, M_DIVISION = range(5)
_IDLE = -(1 << 40)


@entry_point
def price_events(
    cfg: State, st: State, laws: State, events: State, operands: State, marks: State
) -> int:
    """Walk the events; fill a row of ``marks`` for each mark. Returns the final delta."""
    harts = cfg[at.C_HARTS]
    lanes = cfg[at.C_SIMD]
    delta = int64(0)
    retries = int64(0)
    lsu = int64(0)
    vcu = int64(0)
    division = int64(0)
    for row in range(len(events)):
        kind = events[row, E_KIND]
        cycle = events[row, E_CYCLE] + delta
        if kind == MARK:
            number = events[row, E_A]
            issue = cycle
            if row + 1 < len(events) and events[row + 1, E_CYCLE] == events[row, E_CYCLE]:
                # The marked instruction is an event itself: it may wait before it issues.
                after = events[row + 1, E_KIND]
                if after == MEMORY or after == TRANSFER:
                    issue = max(issue, st[at.S_LSU_LAST] + 2)
                if after == TRANSFER:
                    issue = max(issue, st[at.S_VCU0] + 2)
            marks[number, M_CYCLE] = issue
            marks[number, M_RETRIES] = retries
            marks[number, M_LSU] = lsu
            marks[number, M_VCU] = vcu
            marks[number, M_DIVISION] = division
        elif kind == MEMORY:
            waited = max(st[at.S_LSU_LAST] + 2 - cycle, 0)
            lsu += waited
            delta += waited
        elif kind == DIVISION:
            taken = scalar_divide_cycles(
                cfg, laws, events[row, E_A], events[row, E_B], events[row, E_C]
            )
            extra = taken - 1 - events[row, E_D]
            division += extra
            delta += extra
        elif kind == TRANSFER:
            waited = max(st[at.S_LSU_LAST] + 2 - cycle, 0)
            lsu += waited
            cycle += waited
            held = max(st[at.S_VCU0] + 2 - cycle, 0)
            vcu += held
            cycle += held
            delta += waited + held
            words = events[row, E_A]
            if words > 0:
                last = cycle + (2 * words if events[row, E_C] else words + 1)
                st[at.S_LSU_LAST] = last
                st[at.S_XFER_LAST] = last
                st[at.S_XFER_SPM] = events[row, E_B]
                st[at.S_XFER_UNITS] = 1
        elif kind == VECTOR or kind == DIVIDE:
            if st[at.S_VCU0] >= cycle - 1:
                tries = (st[at.S_VCU0] - cycle + 1) // harts + 1
                retries += tries
                cycle += tries * harts
                delta += tries * harts
            o = events[row, E_A]
            size = events[row, E_B]
            if size == 0:
                continue
            if kind == VECTOR:
                beat = bytes_per_beat(cfg, o, int64(2))
                to_write = int64(start_up(o))
                after_write = (size + beat - 1) // beat - 1
            else:
                first_pair = events[row, E_E]
                words = size // 4
                busy = int64(START_UP_CYCLES)
                to_write = int64(0)
                for first in range(0, words, lanes):
                    slowest = int64(0)
                    for k in range(first, min(first + lanes, words)):
                        slowest = max(
                            slowest,
                            lane_cycles(
                                cfg[at.C_VDIV_LAW],
                                cfg[at.C_VDIV_FIRST],
                                cfg[at.C_VDIV_SECOND],
                                laws[1],
                                operands[first_pair + k, 0],
                                operands[first_pair + k, 1],
                                events[row, E_F],
                            ),
                        )
                    busy += step_cycles(slowest)
                    if first == 0:
                        to_write = busy - 1
                after_write = busy - to_write - 1
            first_read, first_write, _ = schedule(
                cfg, st, o, int64(0), cycle, to_write, after_write, events[row, E_C],
                events[row, E_D],
            )  # fmt: skip
            if (
                is_reduction(o)
                and after_write > 0
                and first_write - first_read > to_write
                and cfg[at.C_VCU_QUIRKS] & at.Q_HELD_SUM
            ):
                st[at.S_WARNINGS] |= at.WARN_HELD_SUM
    return int(delta)


def retime(path: TimedPath, architecture: Architecture) -> Mapping[str, tuple[RegionRun, ...]]:
    """The regions of a path on another machine, as a direct run there gives them.

    Raises:
        NotPriceable: the machine differs from the recorded one in more than ``PRICED`` names, or
            its timing changes a result.
    """
    keys = (*NEVER_OBSERVED, *PRICED)
    if observed_fingerprint(architecture, keys) != observed_fingerprint(path.architecture, keys):
        raise NotPriceable(
            f"{architecture.name} differs from the machine of the recording in more than"
            f" {', '.join(PRICED)}"
        )
    cfg, laws = machine_arrays(architecture)
    st = np.zeros(at.S_COUNT, dtype=np.int64)
    st[at.S_LSU_LAST] = st[at.S_XFER_LAST] = _IDLE
    st[at.S_VCU0 : at.S_VCU0 + at.MAX_HARTS] = _IDLE
    st[at.S_XFER_SPM] = -1
    marks = np.zeros((int((path.events[:, E_KIND] == MARK).sum()), 5), dtype=np.int64)
    price_events(cfg, st, laws, path.events, path.operands, marks)
    if st[at.S_WARNINGS] & at.WARN_HELD_SUM:
        raise NotPriceable(
            "a sum waits for a transfer into the scratchpad of its result, and its value depends "
            "on that"
        )
    return {
        name: tuple(_priced(path, marks, run) for run in runs)
        for name, runs in path.regions.items()
    }


def _priced(path: TimedPath, marks: Array, run: RegionRun) -> RegionRun:
    spans = np.array([
        marks[entry.end] - marks[entry.start]
        for entry in path.entries
        if (entry.region, entry.hart) == (run.name, run.hart)
    ])  # fmt: skip
    wall, retries, lsu, vcu, division = (int(value) for value in spans.sum(axis=0))
    lengths, counts = np.unique(spans[:, 0], return_counts=True)
    added = {"retry.vcu": retries, "wait.lsu": lsu, "wait.vcu": vcu, "execute.div": division}
    counters = {
        name: count for name in CAUSES if (count := run.counters.get(name, 0) + added.get(name, 0))
    }
    parked = tuple(
        slots if hart == run.hart else slots + retries
        for hart, slots in enumerate(run.work.parked_slots)
    )
    work = replace(
        run.work,
        wall_cycles=wall,
        retries=run.work.retries + retries,
        parked_slots=parked,
        waiting_cycles=run.work.waiting_cycles + lsu + vcu,
    )
    return replace(
        run,
        wall_cycles=wall,
        hart_cycles=run.hart_cycles + retries + division,
        issued=run.issued + retries,
        counters=counters,
        work=work,
        lengths=dict(zip(lengths.tolist(), counts.tolist(), strict=True)),
    )
