"""When an accelerator reads, writes and is busy: shared, replicated and multithreaded."""

from __future__ import annotations

from dataclasses import dataclass

from tests.oracle.arbiter import UNITS, Arbiter, Request
from tests.oracle.config import BusyInterval, OracleConfig
from tests.oracle.vector_isa import VectorJob, VectorOp, bytes_per_beat

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
        own = {name for unit in config.vector_units for name in unit.op.units}
        parts = (*UNITS, *sorted(own.difference(UNITS)))
        multithreaded = config.sharing == "multithreaded"
        self._arbiter = Arbiter(config.accelerators, parts) if multithreaded else None
        self.last_busy = [_LONG_AGO] * config.accelerators
        # Last busy cycle of the last transfer, per accelerator and scratchpad.
        self.transfer_last = [[_LONG_AGO] * config.spm_count for _ in range(config.accelerators)]
        self.intervals: list[BusyInterval] = []

    def start(self, accelerator: int, job: VectorJob, issue: int) -> Schedule:
        """Accept an instruction at its issue cycle."""
        # As they are now: what comes later waits for this instruction.
        transfers = list(self.transfer_last[accelerator])
        schedules = [self._schedule(transfers, job, issue, issue)]
        if self._arbiter is None:
            self.last_busy[accelerator] = schedules[-1].last_busy
        else:

            def last_busy(first: int) -> int:
                schedules.append(self._schedule(transfers, job, issue, first))
                return schedules[-1].last_busy

            self._arbiter.issue(issue, Request(accelerator, job.op.units, last_busy))
            self._foresee(issue)
        schedule = schedules[-1]
        self.intervals.append(BusyInterval(accelerator, issue, self.last_busy[accelerator]))
        return schedule

    def start_nothing(self, accelerator: int, op: VectorOp, issue: int) -> None:
        """An instruction that traps or has no length asks for its functional units all the same."""
        if self._arbiter is not None:
            self._arbiter.issue(issue, Request(accelerator, op.units, None))
            self._foresee(issue)

    def _foresee(self, issue: int) -> None:
        assert self._arbiter is not None
        for index, last in enumerate(self._arbiter.last_busy()):
            if last is None:
                self.last_busy[index] = NEVER
            elif last >= issue:
                self.last_busy[index] = last

    def _schedule(self, transfers: list[int], job: VectorJob, issue: int, first: int) -> Schedule:
        """If the functional units are its own from cycle ``first`` on."""
        beat_bytes = bytes_per_beat(job.op, job.element_bits, self._simd)
        beats = -(-job.size_bytes // beat_bytes)
        first_read = max([first, *(transfers[spm] + 1 for spm in job.source_spms)])
        first_write = max(first_read + job.op.latency_cycles, transfers[job.rd[0]] + 1)
        return Schedule(issue, first_read, first_write, first_write + beats - 1)

    def hang(self, accelerator: int, issue: int) -> None:
        self.last_busy[accelerator] = NEVER
        self.intervals.append(BusyInterval(accelerator, issue, NEVER))
