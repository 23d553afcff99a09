"""When an accelerator reads, writes and is busy: shared, replicated and multithreaded."""

from __future__ import annotations

from dataclasses import dataclass

from tests.oracle.config import BusyInterval, OracleConfig
from tests.oracle.vector_isa import VectorJob, bytes_per_beat

_LONG_AGO = -(10**9)
NEVER = 10**15  # the last busy cycle of an accelerator that hangs


@dataclass(frozen=True, slots=True)
class Schedule:
    issue: int
    first_read: int
    first_write: int
    last_busy: int


class VcuTiming:
    def __init__(self, config: OracleConfig) -> None:
        self._simd = config.simd
        self._multithreaded = config.sharing == "multithreaded"
        self.last_busy = [_LONG_AGO] * config.accelerators
        # Last busy cycle of the last transfer, per accelerator and scratchpad.
        self.transfer_last = [[_LONG_AGO] * config.spm_count for _ in range(config.accelerators)]
        self._unit_last: dict[str, int] = {}
        self.intervals: list[BusyInterval] = []

    def start(self, accelerator: int, job: VectorJob, issue: int) -> Schedule:
        """Accept an instruction at its issue cycle."""
        transfers = self.transfer_last[accelerator]
        beat_bytes = bytes_per_beat(job.op, job.element_bits, self._simd)
        beats = -(-job.size_bytes // beat_bytes)
        first_read = self._unit_start(job, issue)
        for spm in job.source_spms:
            first_read = max(first_read, transfers[spm] + 1)
        first_write = max(first_read + job.op.latency_cycles, transfers[job.rd[0]] + 1)
        last = first_write + beats - 1
        self.last_busy[accelerator] = last
        for unit in job.op.units:
            self._unit_last[unit] = last
        self.intervals.append(BusyInterval(accelerator, issue, last))
        return Schedule(issue, first_read, first_write, last)

    def _unit_start(self, job: VectorJob, issue: int) -> int:
        """The cycle from which the functional units are this instruction's own."""
        if not self._multithreaded:
            return issue
        free = [self._unit_last.get(unit, _LONG_AGO) + 2 for unit in job.op.units]
        if all(issue >= cycle for cycle in free):
            return issue
        return max(issue + 2, *free) + 1

    def hang(self, accelerator: int, issue: int) -> None:
        self.last_busy[accelerator] = NEVER
        self.intervals.append(BusyInterval(accelerator, issue, NEVER))
