"""The issues of a run while it executes, without a trace in memory; and its registers."""

from collections.abc import Iterator

import numpy as np

from gnomon.arch import Architecture
from gnomon.program import Program
from gnomon.sim import _codes as at
from gnomon.sim._host import Host
from gnomon.sim._machine import Array
from gnomon.sim._reset import build_machine
from gnomon.sim._simulate import QUANTUM_CYCLES

_COLUMNS = ("cycle", "hart", "pc", "word")
_REGISTERS = 32


class IssuedRun:
    """A run up to its end or ``max_cycles``; iterate it only once."""

    def __init__(self, program: Program, architecture: Architecture, max_cycles: int) -> None:
        self._machine = build_machine(
            program, architecture, tracing=True, max_cycles=max_cycles, everywhere=True
        )
        self._host = Host(self._machine, program, bytearray())

    def __iter__(self) -> Iterator[Array]:
        """Yield the issues in order, buffer by buffer.

        Yields:
            Rows of cycle, hart, pc and word, as in ``TRACE_DTYPE`` but all int64. Retries of a
            busy vector unit are included; slots of sleeping harts are not, as these stay parked.
        """
        machine, st = self._machine, self._machine.st
        machine.cfg["keep_slots"] = False  # park sleeping harts, as without a trace
        stop = at.STOP_QUANTUM
        while stop in (at.STOP_QUANTUM, at.STOP_BUFFER, at.STOP_DECODE, at.STOP_HOST):
            if stop == at.STOP_QUANTUM:
                st["quantum_end"] = max(int(st["quantum_end"]), int(st["cycle"])) + QUANTUM_CYCLES
            stop = machine.run()
            if st["traced"]:
                rows = machine.arrays["trace"][: st["traced"]]
                yield np.column_stack([rows[name] for name in _COLUMNS])
            st["printed"] = st["traced"] = st["spans"] = 0
            if stop == at.STOP_DECODE:
                machine.decode_stale()
            elif stop == at.STOP_HOST:
                stop = self._host.answer()

    def registers(self, hart: int) -> tuple[int, ...]:
        """Return the registers x0 to x31 of a hart at the end, unsigned; runs to the end."""
        self._machine.cfg["tracing"] = False
        for _ in self:
            pass
        return tuple(self._machine.regs[hart, :_REGISTERS].tolist())
