"""Traps, interrupts, and harts that sleep.

Source: microarchitecture.md section 3 (traps and software interrupts exact in 20 random programs).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gnomon.sim import _layout as at
from gnomon.sim import _ops as op
from gnomon.sim._csr import issued, status_value, update_pending
from gnomon.sim._jit import compiled
from gnomon.sim._tables import CLASS_OF

State = npt.NDArray[np.int64]

_M32 = 0xFFFFFFFF
_SYSTEM = at.CLASSES.index("system")
_REPEATS_ALLOWED = 64  # the same trap at the same pc without an mret in between


@compiled
def recount(  # noqa: PLR0917
    acct: State, dyn: State, decoded: State, h: int, index: int, position: int, kind: int, b: int
) -> None:
    """Book an issue under ``kind`` with ``b`` extra cycles instead of its static class.

    The loop counts issues per pc; their class and static cycles are added at the end of the run.
    """
    entry = decoded[index]
    static = CLASS_OF[entry & 0xFF]
    static_b = (entry >> 24) & 0xFF
    acct[h, at.K_ISSUE + static] -= 1
    acct[h, at.K_EXTRA + static] -= static_b
    acct[h, kind] += 1 + b
    dyn[position] += b - static_b


@compiled
def enter_handler(cfg: State, st: State, hs: State, decoded: State, h: int, pc: int) -> int:
    """Redirect a hart to its handler; returns the handler's pc, or -1 where that cannot work."""
    handler = hs[h, at.H_MTVEC]
    index = ((handler - cfg[at.C_IBASE]) & _M32) >> 2
    hs[h, at.H_STUCK] = 0
    missing = index >= cfg[at.C_ISIZE] >> 2
    if not missing:
        target = decoded[index] & 0xFF
        missing = target == op.ILLEGAL or target == op.NO_FETCH
    if missing:
        st[at.S_FAULT] = at.FAULT_NO_HANDLER
        st[at.S_FAULT_ADDRESS] = handler
        return -1
    cause = hs[h, at.H_MCAUSE]
    if hs[h, at.H_TRAP_PC] == pc and hs[h, at.H_TRAP_CAUSE] == cause:
        hs[h, at.H_TRAP_REPEATS] += 1
        if hs[h, at.H_TRAP_REPEATS] > _REPEATS_ALLOWED:
            st[at.S_FAULT] = at.FAULT_TRAP_LOOP
            st[at.S_FAULT_ADDRESS] = pc
            return -1
    else:
        hs[h, at.H_TRAP_PC] = pc
        hs[h, at.H_TRAP_CAUSE] = cause
        hs[h, at.H_TRAP_REPEATS] = 1
    return handler


@compiled
def take_exception(  # noqa: PLR0917
    cfg: State, st: State, hs: State, decoded: State, h: int, pc: int, cause: int, value: int
) -> int:
    """Enter the handler for a synchronous trap; ``value`` is what an ISA-clean core reports."""
    hs[h, at.H_MESTATUS] = status_value(cfg, hs, h)
    hs[h, at.H_MEPC] = pc
    hs[h, at.H_MCAUSE] = cause
    hs[h, at.H_MPIE] = 1 if cfg[at.C_CORE_QUIRKS] & at.Q_TRAP_MPIE else hs[h, at.H_MIE]
    hs[h, at.H_MIE] = 0
    if not cfg[at.C_IS_T13]:
        hs[h, at.H_MBADADDR] = value & _M32
    update_pending(st, hs, h)
    return enter_handler(cfg, st, hs, decoded, h, pc)


@compiled
def take_interrupt(  # noqa: PLR0917
    cfg: State, st: State, hs: State, decoded: State, h: int, pc: int, from_wfi: bool  # noqa: FBT001
) -> int:
    """Enter the handler for a software interrupt, which clears its pending bit."""
    hs[h, at.H_MESTATUS] = status_value(cfg, hs, h)
    hs[h, at.H_MEPC] = pc
    hs[h, at.H_MCAUSE] = 0xC0000003 if from_wfi else 0x80000003
    hs[h, at.H_MPIE] = hs[h, at.H_MIE]
    hs[h, at.H_MIE] = 0
    hs[h, at.H_MSIP] = 0
    update_pending(st, hs, h)
    hs[h, at.H_TRAP_REPEATS] = 0
    return enter_handler(cfg, st, hs, decoded, h, pc)


@compiled
def return_from_trap(st: State, hs: State, h: int) -> int:
    """Mret: the pc to go on at, behind the wfi that an interrupt ended."""
    hs[h, at.H_MIE] = hs[h, at.H_MPIE]
    hs[h, at.H_MPIE] = 1
    hs[h, at.H_TRAP_REPEATS] = 0
    update_pending(st, hs, h)
    skip = 4 if (hs[h, at.H_MCAUSE] >> 30) == 3 else 0
    return (hs[h, at.H_MEPC] + skip) & _M32


@compiled
def link_harts(cfg: State, st: State, hs: State) -> None:
    """For each hart, find the next one that is awake, and the parked slots before it."""
    harts = cfg[at.C_HARTS]
    for h in range(harts):
        gap = 0
        k = (h + harts - 1) % harts
        while k != h and hs[k, at.H_PARKED]:
            gap += 1
            k = (k + harts - 1) % harts
        hs[h, at.H_NEXT] = k
        hs[h, at.H_GAP] = gap


@compiled
def book_parked(cfg: State, st: State, hs: State, acct: State, prof: State, k: int) -> None:
    """Count the slots a parked hart has used so far: each is a wfi that went nowhere."""
    slots = issued(cfg, st, k) - hs[k, at.H_PARK_ISSUED]
    hs[k, at.H_PARK_ISSUED] += slots
    acct[k, at.K_PARKED] += slots
    acct[k, at.K_ISSUE + _SYSTEM] -= slots
    words = cfg[at.C_ISIZE] >> 2
    index = ((hs[k, at.H_PC] - cfg[at.C_IBASE]) & _M32) >> 2
    prof[k * words + index] += slots


@compiled
def wake(cfg: State, st: State, hs: State, acct: State, prof: State, k: int) -> None:
    """Put a hart back into the rotation."""
    book_parked(cfg, st, hs, acct, prof, k)
    hs[k, at.H_PARKED] = 0
    link_harts(cfg, st, hs)


@compiled
def all_stuck(cfg: State, hs: State) -> bool:
    """No hart will ever do anything but repeat its instruction."""
    for k in range(cfg[at.C_HARTS]):
        if not (hs[k, at.H_PARKED] or hs[k, at.H_STUCK]):
            return False
    return True
