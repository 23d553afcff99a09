"""A recorded path priced on another machine: the same run, cycle for cycle, without executing it.

``engine/retime.c`` walks the events of a path and keeps what is in flight.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.sim import _events
from gnomon.sim._accounting import CAUSES
from gnomon.sim._config import configuration, latency_tables
from gnomon.sim._library import function
from gnomon.sim._path import NotPriceable, TimedPath
from gnomon.sim._state import MACHINE
from gnomon.sim._unobserved import NEVER_OBSERVED, observed_fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from gnomon.arch import Architecture
    from gnomon.sim._machine import Records
    from gnomon.sim._run import RegionRun

PRICED = (
    "core.divider", "core.divider_table", "vcu.divider", "vcu.divider_table", "vcu.sharing",
    "vcu.simd",
)  # fmt: skip
"""Keys in which the priced machine may differ from the recorded one, and those never observed."""

_ADDED = {
    "retries": "retry.vcu",
    "wait_lsu": "wait.lsu",
    "wait_vcu": "wait.vcu",
    "division": "execute.div",
}


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
    times = price(path, architecture)
    return {
        name: tuple(_priced(path, times, run) for run in runs)
        for name, runs in path.regions.items()
    }


def price(path: TimedPath, architecture: Architecture) -> Records:
    """What a machine that differs in what is ``PRICED`` has done up to each mark.

    Raises:
        NotPriceable: its timing changes a result.
    """
    arrays: dict[str, npt.NDArray[Any]] = {
        "cfg": configuration(architecture),
        "laws": latency_tables(architecture),
    }
    machine, record = MACHINE.make(), _events.PATH.make()
    MACHINE.point(machine, arrays)
    machine["law_entries"] = arrays["laws"].shape[1]
    times = np.zeros((path.events["kind"] == _events.EVENT_MARK).sum(), _events.MARK_TIME.dtype)
    arguments = machine.ctypes.data, record.ctypes.data
    cfg = arrays["cfg"]
    divider = (*(int(cfg[name]) for name in ("vdiv_law", "vdiv_first", "vdiv_second")),
               arrays["laws"][1].tobytes())  # fmt: skip
    known = path.lane_cycles.get(divider)
    lanes = np.zeros(len(path.pairs), dtype=np.int32) if known is None else known
    _events.PATH.point(
        record, {"events": path.events, "pairs": path.pairs, "lane_cycles": lanes, "times": times}
    )
    record["event_count"] = len(path.events)
    if known is None:
        function("engine_lane_cycles")(*arguments)
        path.lane_cycles[divider] = lanes
    function("engine_retime")(*arguments)
    if record["held_sum"]:
        raise NotPriceable(
            "a sum waits for a transfer into the scratchpad of its result, and its value depends "
            "on that"
        )
    return times


def _priced(path: TimedPath, times: Records, run: RegionRun) -> RegionRun:
    own = [each for each in path.entries if (each.region, each.hart) == (run.name, run.hart)]
    marks = times[[each.start for each in own]], times[[each.end for each in own]]
    spans = {name: marks[1][name] - marks[0][name] for name in ("cycle", *_ADDED)}
    wall, retries, lsu, vcu, division = (int(span.sum()) for span in spans.values())
    lengths, counts = np.unique(spans["cycle"], return_counts=True)
    added = {cause: int(spans[name].sum()) for name, cause in _ADDED.items()}
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
