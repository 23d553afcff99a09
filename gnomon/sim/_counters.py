"""mcycle and minstret: values kept as a base to subtract from a clock, so they cost nothing.

Source: microarchitecture.md section 2. The clock of mcycle is the cycle number (count_all = 1) or
the cycles in which the hart holds the execute stage (count_all = 0). The clock of minstret is the
number of issues, of all harts or of this one. On the T13 a write to PCER or to a counter acts
from two cycles after its issue, and minstret is stored one higher than it reads.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gnomon.sim import _layout as at

State = npt.NDArray[np.int64]

_PCER_MASK = 0x3E7
_COUNT_CYCLES = 1
_COUNT_ISSUES = 2


def issued(cfg: State, st: State, h: int) -> int:
    """Issue slots hart ``h`` has had: strict rotation T-1 … 0, so the total says it."""
    return (int(st[at.S_SLOTS]) + h) // int(cfg[at.C_HARTS])


def own_cycles(cfg: State, st: State, hs: State, h: int) -> int:
    """Cycles in which hart ``h`` has held the execute stage before the present instruction."""
    return issued(cfg, st, h) + int(hs[h, at.H_OWN_EXTRA]) + int(hs[h, at.H_CHARGED])


def _cycle_clock(cfg: State, st: State, hs: State, h: int) -> int:
    return int(st[at.S_CYCLE]) if cfg[at.C_COUNT_ALL] else own_cycles(cfg, st, hs, h)


def _issue_clock(cfg: State, st: State, h: int) -> int:
    """Issues including the instruction that reads; the engine has counted those before it."""
    return (int(st[at.S_SLOTS]) if cfg[at.C_COUNT_ALL] else issued(cfg, st, h)) + 1


def mcycle(cfg: State, st: State, hs: State, h: int) -> int:
    """What hart ``h`` reads from mcycle and mcycleh now."""
    if hs[h, at.H_PCER] & _COUNT_CYCLES:
        return _cycle_clock(cfg, st, hs, h) - int(hs[h, at.H_CYC_BASE])
    return int(hs[h, at.H_CYC_VALUE])


def minstret(cfg: State, st: State, hs: State, h: int) -> int:
    """What hart ``h`` reads from minstret now; -1 before it ever counted on a T13."""
    if hs[h, at.H_PCER] & _COUNT_ISSUES:
        return _issue_clock(cfg, st, h) - int(hs[h, at.H_INS_BASE])
    return int(hs[h, at.H_INS_VALUE])


def write_pcer(cfg: State, st: State, hs: State, h: int, value: int) -> None:
    """Start and stop counters."""
    old = int(hs[h, at.H_PCER])
    new = value & _PCER_MASK
    clock = _cycle_clock(cfg, st, hs, h)
    issues = _issue_clock(cfg, st, h)
    if new & ~old & _COUNT_CYCLES:
        hs[h, at.H_CYC_BASE] = clock + 1 - hs[h, at.H_CYC_VALUE]
    if old & ~new & _COUNT_CYCLES:
        hs[h, at.H_CYC_VALUE] = clock - hs[h, at.H_CYC_BASE] + 1
    if new & ~old & _COUNT_ISSUES:
        hs[h, at.H_INS_BASE] = issues - hs[h, at.H_INS_VALUE]
    if old & ~new & _COUNT_ISSUES:
        hs[h, at.H_INS_VALUE] = issues - hs[h, at.H_INS_BASE]
    hs[h, at.H_PCER] = new


def write_mcycle(cfg: State, st: State, hs: State, h: int, value: int) -> None:
    """Set the cycle counter; with count_all = 1 all other counting harts lose a cycle (quirk)."""
    hs[h, at.H_CYC_VALUE] = value
    hs[h, at.H_CYC_BASE] = _cycle_clock(cfg, st, hs, h) + 1 - value
    if cfg[at.C_COUNT_ALL] and cfg[at.C_CORE_QUIRKS] & at.Q_COUNTER_WRITE:
        for other in range(int(cfg[at.C_HARTS])):
            if other != h and hs[other, at.H_PCER] & _COUNT_CYCLES:
                hs[other, at.H_CYC_BASE] += 1


def write_minstret(cfg: State, st: State, hs: State, h: int, value: int) -> None:
    """Set the stored instruction counter, which the next instruction reads as ``value``."""
    hs[h, at.H_INS_VALUE] = value - 1
    hs[h, at.H_INS_BASE] = _issue_clock(cfg, st, h) + 1 - value
