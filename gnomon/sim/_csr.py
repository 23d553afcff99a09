"""Control and status registers, and the counters behind them.

Source: microarchitecture.md section 2. Counters are kept as a base to subtract from a clock, so
they cost nothing while they run. The clock of mcycle is the cycle number (count_all = 1) or the
cycles in which the hart holds the execute stage (count_all = 0); the clock of minstret is the
number of issues, of all harts or of this one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gnomon.isa import CSRS
from gnomon.sim import _layout as at
from gnomon.sim._jit import compiled

State = npt.NDArray[np.int64]

_M32 = 0xFFFFFFFF
_PCER_MASK = 0x3E7
_MCAUSE_MASK = 0x8000011F

_ADDRESS = {csr.name: csr.address for csr in CSRS}

MVSIZE = _ADDRESS["mvsize"]
MVTYPE = _ADDRESS["mvtype"]
MPSCLFAC = _ADDRESS["mpsclfac"]
MSTATUS = _ADDRESS["mstatus"]
MTVEC = _ADDRESS["mtvec"]
MEPC = _ADDRESS["mepc"]
MCAUSE = _ADDRESS["mcause"]
MIP = _ADDRESS["mip"]
MBADADDR = _ADDRESS["mbadaddr"]
PCER = _ADDRESS["pcer"]
MCYCLE = _ADDRESS["mcycle"]
MCYCLEH = _ADDRESS["mcycleh"]
MINSTRET = _ADDRESS["minstret"]
MINSTRETH = _ADDRESS["minstreth"]
MHARTID = _ADDRESS["mhartid"]
MESTATUS = _ADDRESS["mestatus"]
MIRQ = _ADDRESS["mirq"]


@compiled
def issued(cfg: State, st: State, h: int) -> int:
    """Issue slots hart ``h`` has had, the current one included: strict rotation T-1 … 0."""
    return (st[at.S_SLOTS] + h) // cfg[at.C_HARTS]


@compiled
def own_cycles(cfg: State, st: State, hs: State, h: int) -> int:
    """Cycles in which hart ``h`` has held the execute stage before its current instruction."""
    return issued(cfg, st, h) - 1 + hs[h, at.H_OWN_EXTRA] + hs[h, at.H_CHARGED]


@compiled
def _cycle_clock(cfg: State, st: State, hs: State, h: int, cycle: int) -> int:
    return cycle if cfg[at.C_COUNT_ALL] else own_cycles(cfg, st, hs, h)


@compiled
def _issue_clock(cfg: State, st: State, h: int) -> int:
    return st[at.S_SLOTS] if cfg[at.C_COUNT_ALL] else issued(cfg, st, h)


@compiled
def _mcycle(cfg: State, st: State, hs: State, h: int, cycle: int) -> int:
    if hs[h, at.H_PCER] & 1:
        return _cycle_clock(cfg, st, hs, h, cycle) - hs[h, at.H_CYC_BASE]
    return hs[h, at.H_CYC_VALUE]


@compiled
def _minstret(cfg: State, st: State, hs: State, h: int) -> int:
    if hs[h, at.H_PCER] & 2:
        return _issue_clock(cfg, st, h) - hs[h, at.H_INS_BASE]
    return hs[h, at.H_INS_VALUE]


@compiled
def status_value(cfg: State, hs: State, h: int) -> int:
    """What mstatus reads: MIE, MPIE, and machine mode in MPP."""
    return (hs[h, at.H_MIE] << 3) | (hs[h, at.H_MPIE] << 7) | 0x1800


@compiled
def update_pending(st: State, hs: State, h: int) -> None:
    """Recompute the bit that makes the loop look for an interrupt of hart ``h``."""
    if hs[h, at.H_MIE] and hs[h, at.H_MSIP]:
        st[at.S_PENDING] |= 1 << h
    else:
        st[at.S_PENDING] &= ~(1 << h)


@compiled
def is_read_only(cfg: State, address: int) -> bool:
    """Registers whose write is an illegal instruction."""
    if cfg[at.C_IS_T13]:
        return address == MHARTID or address == 0xF00 or address == 0xF01 or address == MIRQ
    return (address >> 10) == 3


@compiled
def _is_event_counter(address: int) -> bool:
    low = address & 0x1F
    return (address - low == 0xB00 or address - low == 0x320) and (low == 3 or 6 <= low <= 10)


@compiled
def read_csr(cfg: State, st: State, hs: State, h: int, address: int, cycle: int) -> int:
    """Value of a register; -1 if this machine has none at the address."""
    if address == MSTATUS:
        return status_value(cfg, hs, h)
    if address == MTVEC:
        return hs[h, at.H_MTVEC]
    if address == MEPC:
        return hs[h, at.H_MEPC]
    if address == MCAUSE:
        return hs[h, at.H_MCAUSE]
    if address == MBADADDR:
        return hs[h, at.H_MBADADDR]
    if address == MIP:
        return hs[h, at.H_MSIP] << 3
    if address == MHARTID:
        return h
    if address == MCYCLE:
        return _mcycle(cfg, st, hs, h, cycle) & _M32
    if address == MCYCLEH:
        return (_mcycle(cfg, st, hs, h, cycle) >> 32) & _M32
    if address == MINSTRET:
        return _minstret(cfg, st, hs, h) & _M32
    if address == MINSTRETH:
        return (_minstret(cfg, st, hs, h) >> 32) & _M32
    if cfg[at.C_HAS_VCU]:
        if address == MVSIZE:
            return hs[h, at.H_MVSIZE]
        if address == MVTYPE:
            return hs[h, at.H_MVTYPE] << 2
        if address == MPSCLFAC:
            return hs[h, at.H_MPSCLFAC]
    if cfg[at.C_IS_T13]:
        if address == PCER:
            return hs[h, at.H_PCER]
        if address == MESTATUS:
            return hs[h, at.H_MESTATUS]
        if address == 0xF00:
            return 0x100
        if address == 0xF01:
            return 0x8000
        if address == MIRQ:
            return 0
        if _is_event_counter(address):
            st[at.S_WARNINGS] |= at.WARN_HPM  # they exist; what they count is not modelled
            return 0
    else:
        if address == 0x340:
            return hs[h, at.H_MSCRATCH]
        if address == 0x304:
            return hs[h, at.H_MIE_REGISTER]
        if address == 0x301:
            return 0x40001100  # misa: RV32IM
        if address == 0xC00:
            return _mcycle(cfg, st, hs, h, cycle) & _M32
        if address == 0xC80:
            return (_mcycle(cfg, st, hs, h, cycle) >> 32) & _M32
        if address == 0xC02:
            return _minstret(cfg, st, hs, h) & _M32
        if address == 0xC82:
            return (_minstret(cfg, st, hs, h) >> 32) & _M32
        if address == 0xF11 or address == 0xF12 or address == 0xF13 or address == 0x310:
            return 0
    return 0 if cfg[at.C_CORE_QUIRKS] & at.Q_UNKNOWN_CSR else -1


@compiled
def _write_pcer(cfg: State, st: State, hs: State, h: int, value: int, cycle: int) -> None:
    """Start and stop counters; a write acts from two cycles after its issue."""
    old = hs[h, at.H_PCER]
    new = value & _PCER_MASK
    clock = _cycle_clock(cfg, st, hs, h, cycle)
    issues = _issue_clock(cfg, st, h)
    if new & 1 and not old & 1:
        hs[h, at.H_CYC_BASE] = clock + 1 - hs[h, at.H_CYC_VALUE]
    if old & 1 and not new & 1:
        hs[h, at.H_CYC_VALUE] = clock - hs[h, at.H_CYC_BASE] + 1
    if new & 2 and not old & 2:
        hs[h, at.H_INS_BASE] = issues + 1 - hs[h, at.H_INS_VALUE]
    if old & 2 and not new & 2:
        hs[h, at.H_INS_VALUE] = issues - hs[h, at.H_INS_BASE] + 1
    hs[h, at.H_PCER] = new


@compiled
def _write_mcycle(cfg: State, st: State, hs: State, h: int, value: int, cycle: int) -> None:
    hs[h, at.H_CYC_VALUE] = value
    hs[h, at.H_CYC_BASE] = _cycle_clock(cfg, st, hs, h, cycle) + 1 - value
    if cfg[at.C_COUNT_ALL] and cfg[at.C_CORE_QUIRKS] & at.Q_COUNTER_WRITE:
        for other in range(cfg[at.C_HARTS]):
            if other != h and hs[other, at.H_PCER] & 1:
                hs[other, at.H_CYC_BASE] += 1


@compiled
def _write_minstret(cfg: State, st: State, hs: State, h: int, value: int) -> None:
    hs[h, at.H_INS_VALUE] = value
    hs[h, at.H_INS_BASE] = _issue_clock(cfg, st, h) + 1 - value


@compiled
def write_csr(  # noqa: PLR0917
    cfg: State, st: State, hs: State, h: int, address: int, value: int, cycle: int
) -> None:
    """Write a register that exists; writes to the others are ignored, as in the machine."""
    value &= _M32
    if address == MSTATUS:
        hs[h, at.H_MIE] = (value >> 3) & 1
        hs[h, at.H_MPIE] = (value >> 7) & 1
        update_pending(st, hs, h)
    elif address == MTVEC:
        hs[h, at.H_MTVEC] = value if cfg[at.C_IS_T13] else value & ~3
    elif address == MEPC:
        hs[h, at.H_MEPC] = value if cfg[at.C_IS_T13] else value & ~3
    elif address == MCAUSE:
        hs[h, at.H_MCAUSE] = value & _MCAUSE_MASK if cfg[at.C_IS_T13] else value
    elif address == MCYCLE:
        high = _mcycle(cfg, st, hs, h, cycle) >> 32
        _write_mcycle(cfg, st, hs, h, (high << 32) | value, cycle)
    elif address == MCYCLEH:
        low = _mcycle(cfg, st, hs, h, cycle) & _M32
        _write_mcycle(cfg, st, hs, h, ((value & 0x7FFFFFFF) << 32) | low, cycle)
    elif address == MINSTRET:
        high = _minstret(cfg, st, hs, h) >> 32
        _write_minstret(cfg, st, hs, h, (high << 32) | value)
    elif address == MINSTRETH:
        low = _minstret(cfg, st, hs, h) & _M32
        _write_minstret(cfg, st, hs, h, ((value & 0x7FFFFFFF) << 32) | low)
    elif cfg[at.C_IS_T13]:
        if address == MIP:
            hs[h, at.H_MSIP] = (value >> 3) & 1
            update_pending(st, hs, h)
        elif address == PCER:
            _write_pcer(cfg, st, hs, h, value, cycle)
        elif address == MESTATUS:
            hs[h, at.H_MESTATUS] = value
        elif cfg[at.C_HAS_VCU]:
            if address == MVSIZE:
                hs[h, at.H_MVSIZE] = value & (2 * cfg[at.C_SPM_SIZE] - 1)
            elif address == MVTYPE:
                hs[h, at.H_MVTYPE] = value & 3
            elif address == MPSCLFAC:
                hs[h, at.H_MPSCLFAC] = value & 31
    elif address == MBADADDR:
        hs[h, at.H_MBADADDR] = value
    elif address == 0x340:
        hs[h, at.H_MSCRATCH] = value
    elif address == 0x304:
        hs[h, at.H_MIE_REGISTER] = value & 0x888


@compiled
def stored_value(
    cfg: State, st: State, hs: State, h: int, address: int, old: int, cycle: int
) -> int:
    """The value that set and clear forms act on, where it differs from the one that is read."""
    if address == MVTYPE and cfg[at.C_HAS_VCU]:
        return hs[h, at.H_MVTYPE]
    if address == MINSTRET and cfg[at.C_IS_T13]:
        return (_minstret(cfg, st, hs, h) + 1) & _M32
    return old
