"""The core: one hart after the other in strict rotation, one instruction per slot.

The pass of the loop for one slot finds the cycle in which the instruction waiting in the decode
stage enters the execute stage, then executes it at once. All later effects in time (busy units,
delayed writes) are kept as cycle numbers by the units.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.oracle.buses import Buses
from tests.oracle.config import OracleConfig, OracleError, OracleRun
from tests.oracle.counters import Counters, Occupancy
from tests.oracle.csrs import CsrFile
from tests.oracle.decode import AMO, KMEM, LOAD, RETRY_WORD, STORE, Decoded, decode
from tests.oracle.execute import Executor
from tests.oracle.lsu import Lsu
from tests.oracle.memory import Memory
from tests.oracle.scratchpads import Scratchpads
from tests.oracle.vcu_timing import VcuTiming

if TYPE_CHECKING:
    from collections.abc import Iterable

_FIRST_ISSUE = 2  # cycle 0 requests the first instruction, cycle 1 decodes it
_LSU_OPCODES = {LOAD, STORE, AMO, KMEM}
_VCU_OPCODES = {AMO, KMEM}


class Oracle:
    """One configuration. ``run`` starts from reset every time."""

    def __init__(self, config: OracleConfig) -> None:
        self.config = config

    def run(
        self,
        segments: Iterable[tuple[int, bytes]],
        max_cycles: int = 10_000_000,
        *,
        trace: bool = True,
    ) -> OracleRun:
        """Run until the exit store or, with ``halted`` False, until ``max_cycles``.

        Raises:
            OracleError: the program leaves the instruction memory, or meets a case that the
                rules do not decide.
        """
        machine = _Machine(self.config, segments)
        return machine.run(max_cycles, trace=trace)


class _Machine:
    def __init__(self, config: OracleConfig, segments: Iterable[tuple[int, bytes]]) -> None:
        self.config = config
        self.memory = Memory(config, segments)
        spms = Scratchpads(config)
        self.vcu = VcuTiming(config)
        self.buses = Buses()
        self.memory.put = self.buses.put
        self.lsu = Lsu(config, self.memory, spms, self.vcu, self.buses)
        self.occupancy = Occupancy(config.harts)
        counters = Counters(config.harts, count_all=config.count_all, occupancy=self.occupancy)
        self.memory.requested = counters.events.happens
        self.csrs = CsrFile(config, counters)
        self.executor = Executor(config, self.csrs, self.lsu, spms, self.vcu, self.buses)
        self.pc = [config.reset_pc] * config.harts
        self.retries = [0] * config.harts
        self._branch: list[int | None] = [None] * config.harts  # pc, if the last one is a branch

    def run(self, max_cycles: int, *, trace: bool) -> OracleRun:
        rows: list[tuple[int, int, int, int]] = []
        first_fetch_is_repeated = True
        hart, issue, extra = self.config.harts - 1, _FIRST_ISSUE - 1, 0
        asleep = [False] * self.config.harts
        misaligned: tuple[int, int] | None = None  # hart and issue of a trap that sets mbadaddr
        while True:
            pc = self.pc[hart]
            # Requested when the instruction before it left the decode stage.
            d = decode(self.memory.fetch(pc, issue - 1))
            if self.config.vector_unit(d.word) is not None:
                d = replace(d, kind="kdsp")
            decode_leaves = self._decode_leaves(d, hart, issue + extra)
            issue = decode_leaves + 1
            end = self.memory.exit_cycle if self.memory.exit_cycle is not None else max_cycles
            if issue > end:
                break
            behind = d  # a retry has the registers of the instruction that it stands for
            retry = d.kind == "kdsp" and self._vcu_busy(hart, decode_leaves)
            if retry:
                d = decode(RETRY_WORD)
                self.retries[hart] += 1
            self.occupancy.issue(hart, issue)
            if trace:
                rows.append((issue, hart, pc, d.word))
            if misaligned is not None:
                self._set_mbadaddr(misaligned, hart, behind, issue)
            ports = (pc, behind.word, self.executor.registers[hart])
            skipped = self._find_skipped(hart, pc, behind)
            if d.name != "wfi":
                self.buses.issue(*ports, asleep=False, skipped=skipped)
            outcome = self.executor.execute(d, hart, pc, issue)
            stays = d.name == "wfi" and outcome.next_pc == pc
            if d.name == "wfi":
                waits = stays and asleep[hart]
                self.buses.issue(*ports, asleep=waits, skipped=skipped)
            asleep[hart] = stays
            extra = outcome.extra_cycles
            misaligned = (hart, issue) if outcome.misaligned else None
            if outcome.misaligned:
                self.csrs.hart[hart].mbadaddr = self.executor.registers[hart][d.rs1]
            if first_fetch_is_repeated:
                # The boot word is fetched twice: unless it redirects, it runs once more.
                first_fetch_is_repeated = False
                if outcome.next_pc == pc + 4:
                    outcome.next_pc = pc
            self.pc[hart] = outcome.next_pc
            hart = (hart - 1) % self.config.harts
        return self._result(rows, end)

    def _find_skipped(self, hart: int, pc: int, d: Decoded) -> int | None:
        """The word after the branch that was taken to this instruction."""
        branch, self._branch[hart] = self._branch[hart], pc if d.kind == "branch" else None
        if branch is None or pc in (branch, branch + 4):
            return None
        return self.memory.peek(branch + 4)

    def _decode_leaves(self, d: Decoded, hart: int, earliest: int) -> int:
        """The first cycle in which the decode stage is not stalled."""
        cycle = earliest
        if self.config.superscalar:
            if d.opcode in _LSU_OPCODES:
                cycle = max(cycle, self.lsu.last_busy + 1)
            if d.opcode in _VCU_OPCODES:
                own = self.config.accelerator(hart)
                cycle = max(cycle, self.vcu.last_busy[own] + 1)
            return cycle
        return max(cycle, self.lsu.last_busy + 1, max(self.vcu.last_busy) + 1)

    def _vcu_busy(self, hart: int, cycle: int) -> bool:
        return cycle <= self.vcu.last_busy[self.config.accelerator(hart)]

    def _set_mbadaddr(self, misaligned: tuple[int, int], hart: int, d: Decoded, issue: int) -> None:
        """Give mbadaddr the address wires of the next instruction, if there is one."""
        trapped_hart, trapped_issue = misaligned
        if issue != trapped_issue + 1:
            return
        base = self.executor.registers[hart][d.rs1]
        offset = d.imm if d.kind in {"load", "store"} else 0
        self.csrs.hart[trapped_hart].mbadaddr = (base + offset) & 0xFFFF_FFFF

    def _result(self, rows: list[tuple[int, int, int, int]], end: int) -> OracleRun:
        if end < _FIRST_ISSUE:
            raise OracleError(f"max_cycles must be at least {_FIRST_ISSUE}, not {end}")
        harts = range(self.config.harts)
        issued = self.occupancy.issues
        return OracleRun(
            exit_code=self.memory.exit_code,
            exit_cycle=end,
            halted=self.memory.exit_cycle is not None,
            issued=tuple(issued),
            retries=tuple(self.retries),
            retired=tuple(issued[h] - self.retries[h] for h in harts),
            hart_cycles=tuple(self.occupancy.held_until(h, end) for h in harts),
            printed=tuple(self.memory.printed),
            data_ram_crc32=self.memory.data_crc32(),
            data_ram=self.memory.data(),
            transfer_bus_requests=self.lsu.bus_requests,
            trace=rows,
            lsu_intervals=self.lsu.intervals,
            vcu_intervals=self.vcu.intervals,
            buses=dict(self.buses.counts),
        )
