"""The recorder of a path: one run that notes its events, and rejects what cannot be priced.

All units are idle at every event, so the events are those of any machine with other timing
(``engine/record.c``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.program import Program
from gnomon.sim import _codes as at
from gnomon.sim import _ops, _texts
from gnomon.sim._machine import Records
from gnomon.sim._regions import RegionMeter
from gnomon.sim._reset import build_machine
from gnomon.sim._run import Region
from gnomon.sim._structs import EVENT, NUMBERS, PAIR, PATH

_ENDLESS_QUANTUM = 1 << 56
_FIRST_ROWS = 1 << 14

Entries = dict[tuple[str, int], list[tuple[int, int]]]


class NotPriceable(GnomonError):  # noqa: N818 - a rejection, not a malfunction
    """A run whose timing may change its results, or is not supported."""


class Recorder:
    """One run that notes its events."""

    def __init__(
        self,
        program: Program,
        architecture: Architecture,
        regions: Sequence[Region],
        max_cycles: int,
        *,
        delay_slots: int,
    ) -> None:
        machine = build_machine(program, architecture, tracing=False, max_cycles=max_cycles)
        machine.cfg["stop_at_rare"] = 1
        machine.st["quantum_end"] = _ENDLESS_QUANTUM
        self.machine = machine
        self.meter = RegionMeter(machine, regions)
        # Of each region and hart: the marks at the start and the end of each entry.
        self.entries: Entries = {}
        self._open: dict[tuple[str, int], int] = {}
        self._events_before = 0
        operation = machine.decoded["op"]
        # The loop executes divisions; the engine notes other events where it executes them.
        self._divides = np.isin(operation, _ops.DIVISIONS)
        words = np.flatnonzero(self._divides)
        machine.marks.update(words.tolist())
        machine.table["op"][words] = _ops.MARKED
        longest = int(machine.cfg["spm_size"]) // 4
        self._arrays: dict[str, npt.NDArray[Any]] = {
            "events": np.empty(_FIRST_ROWS, dtype=EVENT.dtype),
            "pairs": np.empty(_FIRST_ROWS + longest, dtype=PAIR.dtype),
            "regions": np.zeros(len(operation), dtype=np.uint8),
        }
        self._record = PATH.make()
        self._path = self._record[()]
        self._path["delay_slots"] = delay_slots
        self._point()
        self._show_regions()

    @property
    def events(self) -> Records:
        return self._arrays["events"][: self._path["event_count"]]

    @property
    def pairs(self) -> Records:
        return self._arrays["pairs"][: self._path["pair_count"]]

    def _point(self) -> None:
        PATH.point(self._record, self._arrays)
        self._path["event_rows"] = len(self._arrays["events"])
        self._path["pair_rows"] = len(self._arrays["pairs"])

    def _make_room(self) -> None:
        """Make room: the next events need fewer rows than a scratchpad has words."""
        if self._path["delay_slots"]:  # only the number of events of this run is needed
            self._events_before += int(self._path["event_count"])
            self._path["event_count"] = self._path["pair_count"] = 0
            return
        longest = int(self.machine.cfg["spm_size"]) // 4
        for name, used in (("events", "event_count"), ("pairs", "pair_count")):
            rows = int(self._path[used])
            if len(self._arrays[name]) < rows + longest + 2:
                larger = np.empty(4 * (rows + longest), dtype=self._arrays[name].dtype)
                larger[:rows] = self._arrays[name][:rows]
                self._arrays[name] = larger
        self._point()

    def _show_regions(self) -> None:
        """Copy to the engine which marks belong to regions."""
        self._arrays["regions"][:] = 0
        self._arrays["regions"][self.meter.marked_words()] = 1

    def run(self) -> None:
        machine, st = self.machine, self.machine.st
        while True:
            stop = machine.execute("engine_record", self._record.ctypes.data)
            self.meter.after_engine()
            st["printed"] = 0
            if stop == at.STOP_EXIT:
                return
            if stop == at.STOP_BUFFER:
                self._make_room()
            elif stop == at.STOP_MARK:
                self._at_mark(int(self._path["marks"]) - 1)
            elif stop == at.STOP_RARE:
                raise NotPriceable("the program reads counters, traps or takes interrupts")
            elif stop == NUMBERS["REFUSED"]:
                raise NotPriceable(
                    dict(enumerate(_texts.REFUSALS.values(), 1))[int(self._path["refusal"])]
                )
            else:
                raise NotPriceable("the run does not terminate, or rewrites its instructions")

    def same_function(self, other: Recorder) -> bool:
        mine, its = self.machine, other.machine
        return bool(
            mine.st["exit_code"] == its.st["exit_code"]
            and np.array_equal(mine.ram, its.ram)
            and np.array_equal(mine.issues(), its.issues())
            and self._event_count() == other._event_count()
        )

    def _event_count(self) -> int:
        return self._events_before + int(self._path["event_count"])

    def _at_mark(self, number: int) -> None:
        """Start and end regions at the mark ``number``."""
        machine = self.machine
        index = machine.word_index(int(machine.hs["pc"][machine.st["hart"]]))
        before = self.meter.open_entries()
        self.meter.at_mark()
        after = self.meter.open_entries()
        for key, opened in before.items():
            if after.get(key) is not opened:
                self.entries.setdefault(key, []).append((self._open.pop(key), number))
        for key, opened in after.items():
            if before.get(key) is not opened:
                self._open[key] = number
        if self._divides[index]:
            machine.mark(index)  # the region may have ended and removed its mark
        self._show_regions()
