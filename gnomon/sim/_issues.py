"""The issues of a run while it goes on, buffer by buffer, for those who need not keep them; and the
registers at one cycle of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.sim import _codes as at
from gnomon.sim._reset import build_machine
from gnomon.sim._simulate import QUANTUM_CYCLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.arch import Architecture
    from gnomon.program import Program
    from gnomon.sim._machine import Array, Machine

_COLUMNS = ("cycle", "hart", "pc", "word")
_REGISTERS = 32


def issues(program: Program, architecture: Architecture, max_cycles: int) -> Iterator[Array]:
    """Run a program and yield its issues in order.

    Yields:
        Rows of cycle, hart, pc and word, as in ``TRACE_DTYPE`` but all int64. Tries of a busy
        vector unit are among them, slots of sleeping harts are not: those stay parked.

    Raises:
        GnomonError: the program does not fit the machine.
    """
    machine = build_machine(program, architecture, tracing=True, hard_limit=max_cycles - 1)
    for traced in _stops(machine):
        if traced:
            rows = machine.arrays["trace"][:traced]
            yield np.column_stack([rows[name] for name in _COLUMNS])


def registers_before(
    program: Program, architecture: Architecture, cycle: int, hart: int
) -> tuple[int, ...]:
    """The registers x0 to x31 of a hart, unsigned, before what issues in ``cycle`` or later.

    Raises:
        GnomonError: the program does not fit the machine.
    """
    machine = build_machine(program, architecture, tracing=False, hard_limit=cycle - 1)
    for _ in _stops(machine):
        pass
    return tuple(machine.regs[hart, :_REGISTERS].tolist())


def _stops(machine: Machine) -> Iterator[int]:
    """Run to the end; at each stop, how many rows of the trace are filled."""
    st = machine.st
    machine.cfg["keep_slots"] = False  # who falls asleep is parked, as where nobody watches
    stop = at.STOP_QUANTUM
    while stop in (at.STOP_QUANTUM, at.STOP_BUFFER, at.STOP_DECODE):
        if stop == at.STOP_QUANTUM:
            st["quantum_end"] = max(int(st["quantum_end"]), int(st["cycle"])) + QUANTUM_CYCLES
        stop = machine.run()
        yield int(st["traced"])
        st["printed"] = st["traced"] = st["spans"] = 0
        if stop == at.STOP_DECODE:
            machine.decode_stale()
