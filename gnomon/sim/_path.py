"""The path of a run, recorded once: the events that its timing depends on.

With one hart awake, timing never changes the results of a program, and most of its timing is
static. The exceptions are a few events: vector instructions, transfers, the first load or store
after a transfer, divisions. The recorder (``engine/record.c``) runs the program with all units idle
at every event, and notes each event with its cycle and operands. The path is then priced for other
machines.

Programs whose results may depend on timing are rejected: several harts awake, counters, interrupts,
traps, self-modifying code, vector instructions that write operands they still read. Reads of the
clock register are not detected directly. So every path runs twice, the second time with delays at
the events: a program that uses the time then behaves differently.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.program import Program
from gnomon.sim._accounting import CAUSES
from gnomon.sim._codes import MAX_HARTS
from gnomon.sim._config import configuration
from gnomon.sim._latencies import lane_key, latency_tables
from gnomon.sim._library import function
from gnomon.sim._machine import Records
from gnomon.sim._recorder import Entries, NotPriceable, Recorder
from gnomon.sim._run import Region, RegionRun
from gnomon.sim._structs import MACHINE, MARK_TIME, NUMBERS, PATH
from gnomon.sim._units import unit_tables
from gnomon.sim._unobserved import NEVER_OBSERVED, observed_fingerprint

_DELAY_SLOTS = 5

_ADDED = {
    "retries": "retry.vcu", "wait_lsu": "wait.lsu", "wait_vcu": "wait.vcu",
    "division": "execute.div",
}  # fmt: skip


PRICED_KEYS = (
    "core.divider", "core.divider_table", "vcu.divider", "vcu.divider_table", "vcu.sharing",
    "vcu.simd",
)  # fmt: skip
"""Keys in which a priced machine may differ from the recorded one, in addition to those that no
run observes."""


@dataclass(frozen=True, slots=True, eq=False)
class TimedPath:
    """A recorded path.

    ``lane_cycles``: of each pair, by divider; filled in when a path is priced.
    """

    architecture: Architecture  # the machine of the recording
    events: Records  # one record per event, see `engine/path_structs.h`
    pairs: Records  # dividends and divisors of vector divisions
    entries: Entries  # of each region and hart: the marks at start and end
    regions: Mapping[str, tuple[RegionRun, ...]]  # as recorded, without any wait or retry
    data_memory: bytes = field(repr=False)  # at the end of the run
    exit_code: int  # of the program
    lane_cycles: dict[bytes, npt.NDArray[np.int32]] = field(default_factory=dict, repr=False)

    @property
    def enclosed(self) -> bool:
        """Whether all events lie between the first and the last mark."""
        kinds = self.events["kind"]
        outer = kinds[[0, -1]] if len(kinds) else kinds
        return bool(len(kinds)) and bool((outer == NUMBERS["EVENT_MARK"]).all())

    def retime(self, architecture: Architecture) -> Mapping[str, tuple[RegionRun, ...]]:
        """Return the regions of the path on another machine, equal to a direct run there.

        No instruction is executed: ``engine/retime.c`` visits the events and tracks busy units.

        Raises:
            NotPriceable: if the machine differs from the recorded one in more than
                ``PRICED_KEYS``, or its timing changes a result.
        """
        keys = (*NEVER_OBSERVED, *PRICED_KEYS)
        recorded = observed_fingerprint(self.architecture, keys)
        if observed_fingerprint(architecture, keys) != recorded:
            raise NotPriceable(
                f"{architecture.name} differs from the machine of the recording in more than"
                f" {', '.join(PRICED_KEYS)}"
            )
        times = self._price(architecture)
        return {
            name: tuple(self._priced(times, run) for run in runs)
            for name, runs in self.regions.items()
        }

    def _price(self, architecture: Architecture) -> Records:
        """Return the times up to each mark on a machine that differs in ``PRICED_KEYS``."""
        arrays = {
            "cfg": configuration(architecture), **latency_tables(architecture),
            **unit_tables(architecture, MAX_HARTS),
        }  # fmt: skip
        machine, record = MACHINE.make(), PATH.make()
        MACHINE.point(machine, arrays)
        times = np.zeros((self.events["kind"] == NUMBERS["EVENT_MARK"]).sum(), MARK_TIME.dtype)
        arguments = machine.ctypes.data, record.ctypes.data
        divider = lane_key(arrays)
        known = self.lane_cycles.get(divider)
        lanes = np.zeros(len(self.pairs), dtype=np.int32) if known is None else known
        PATH.point(
            record,
            {"events": self.events, "pairs": self.pairs, "lane_cycles": lanes, "times": times},
        )
        record["event_count"] = len(self.events)
        if known is None:
            function("engine_lane_cycles")(*arguments)
            self.lane_cycles[divider] = lanes
        function("engine_retime")(*arguments)
        if record["held_sum"]:
            raise NotPriceable(
                "a sum waits for a transfer into the scratchpad of its result, and its value "
                "depends on the wait"
            )
        return times

    def _priced(self, times: Records, run: RegionRun) -> RegionRun:
        own = np.array(self.entries[run.name, run.hart])
        starts, ends = times[own[:, 0]], times[own[:, 1]]
        spans = {name: ends[name] - starts[name] for name in ("cycle", *_ADDED)}
        wall, retries, lsu, vcu, division = (int(span.sum()) for span in spans.values())
        lengths, counts = np.unique(spans["cycle"], return_counts=True)
        added = {cause: int(spans[name].sum()) for name, cause in _ADDED.items()}
        counters = {
            name: count
            for name in CAUSES
            if (count := run.counters.get(name, 0) + added.get(name, 0))
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


def record_path(
    program: Program,
    architecture: Architecture,
    regions: Sequence[Region],
    *,
    max_cycles: int,
) -> TimedPath:
    """Record the path of a program on a machine.

    Raises:
        NotPriceable: if the path cannot be priced on other machines; with the reason.
        GnomonError: if the program does not fit the machine.
    """
    core = architecture.core
    if core.model != "t13" or core.harts < 2 or not core.superscalar:
        raise NotPriceable("only the t13 with two harts or more, superscalar, is supported")
    speeds = {(each.waits, each.width, each.burst) for each in architecture.memory.regions.values()}
    if speeds and speeds != {(0, 32, 1)}:
        raise NotPriceable("the wait states of memory.regions depend on the address")
    vcu = architecture.vcu
    if vcu is not None and any(present for _, present in vcu.morph_quirks):
        raise NotPriceable("vector division with the defects of the Morph RTL is not supported")
    plain = Recorder(program, architecture, regions, max_cycles, delay_slots=0)
    plain.run()
    delayed = Recorder(program, architecture, regions, max_cycles, delay_slots=_DELAY_SLOTS)
    delayed.run()
    if not plain.same_function(delayed):
        raise NotPriceable("the program behaves differently when it is delayed")
    return TimedPath(
        architecture=architecture, events=plain.events, pairs=plain.pairs,
        entries=plain.entries, regions=plain.meter.result(),
        data_memory=plain.machine.data_memory(), exit_code=int(plain.machine.st["exit_code"]),
    )  # fmt: skip
