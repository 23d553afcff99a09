"""The issues of a run while it goes on, buffer by buffer, for those who need not keep them; and the
registers at one cycle of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.compiled import without_collection
from gnomon.sim import _layout as at
from gnomon.sim._engine import engine
from gnomon.sim._machine import Array, Machine, build_machine
from gnomon.sim._rare import execute_rare
from gnomon.sim._simulate import QUANTUM_CYCLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.arch import Architecture
    from gnomon.program import Program

_COLUMNS = 4  # cycle, hart, pc and word are the first ones
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
            yield machine.trace[:traced, :_COLUMNS].copy()


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
    first = hart * at.REGISTER_STRIDE
    return tuple(int(v) & 0xFFFF_FFFF for v in machine.regs[first : first + _REGISTERS])


def _stops(machine: Machine) -> Iterator[int]:
    """Run to the end; at each stop, how many rows of the trace are filled."""
    arguments = machine.engine_arguments()
    loop = engine(inorder=not machine.cfg[at.C_IS_T13], divides=machine.divides)
    st = machine.st
    tracing = machine.cfg[at.C_TRACING]
    stop = at.STOP_QUANTUM
    while stop in (at.STOP_QUANTUM, at.STOP_BUFFER, at.STOP_DECODE):
        if stop == at.STOP_QUANTUM:
            st[at.S_QUANTUM_END] = max(st[at.S_QUANTUM_END], st[at.S_CYCLE]) + QUANTUM_CYCLES
        with without_collection():
            stop = loop(*arguments)
        yield int(st[at.S_TRACED])
        st[at.S_PRINTED] = st[at.S_TRACED] = st[at.S_SPANS] = 0
        if stop == at.STOP_RARE:
            machine.cfg[at.C_TRACING] = 0  # who falls asleep is parked, as where nobody watches
            stop = execute_rare(machine) or at.STOP_BUFFER
            machine.cfg[at.C_TRACING] = tracing
        if stop == at.STOP_DECODE:
            machine.decode_stale()
