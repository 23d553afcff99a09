"""Control and status registers, but for those of the vector unit, which the loop handles.

Source: microarchitecture.md section 2; for an ISA-clean core the RISC-V privileged specification.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gnomon.sim import _csr_numbers as csr
from gnomon.sim import _layout as at
from gnomon.sim._counters import mcycle, minstret, write_mcycle, write_minstret, write_pcer

State = npt.NDArray[np.int64]

_M32 = 0xFFFFFFFF
_MCAUSE_MASK = 0x8000011F
_MISA_RV32IM = 0x40001100
_CPU_ID = 0x100
_IMPLEMENTATION_ID = 0x8000
_EVENT_COUNTERS = frozenset(base + k for base in (0xB00, 0x320) for k in (3, 6, 7, 8, 9, 10))


def status_value(hs: State, h: int) -> int:
    """What mstatus reads: MIE, MPIE, and machine mode in MPP."""
    return (int(hs[h, at.H_MIE]) << 3) | (int(hs[h, at.H_MPIE]) << 7) | 0x1800


def update_pending(st: State, hs: State, h: int) -> None:
    """Recompute the bit that makes the loop look for an interrupt of hart ``h``."""
    if hs[h, at.H_MIE] and hs[h, at.H_MSIP]:
        st[at.S_PENDING] |= 1 << h
    else:
        st[at.S_PENDING] &= ~(1 << h)


def is_read_only(cfg: State, address: int) -> bool:
    """Registers whose write is an illegal instruction."""
    if cfg[at.C_IS_T13]:
        return address in (csr.MHARTID, csr.MCPUID, csr.MIMPID, csr.MIRQ)
    return (address >> 10) == 3


def read_csr(cfg: State, st: State, hs: State, h: int, address: int) -> int | None:
    """Value of a register as 32 bits, or None if the machine has none there and traps."""
    common = {
        csr.MSTATUS: lambda: status_value(hs, h),
        csr.MTVEC: lambda: int(hs[h, at.H_MTVEC]),
        csr.MEPC: lambda: int(hs[h, at.H_MEPC]),
        csr.MCAUSE: lambda: int(hs[h, at.H_MCAUSE]),
        csr.MBADADDR: lambda: int(hs[h, at.H_MBADADDR]),
        csr.MIP: lambda: int(hs[h, at.H_MSIP]) << 3,
        csr.MHARTID: lambda: h,
        csr.MCYCLE: lambda: mcycle(cfg, st, hs, h),
        csr.MCYCLEH: lambda: mcycle(cfg, st, hs, h) >> 32,
        csr.MINSTRET: lambda: minstret(cfg, st, hs, h),
        # The stored value is one higher than what minstret reads.
        csr.MINSTRETH: lambda: (minstret(cfg, st, hs, h) + int(cfg[at.C_IS_T13])) >> 32,
    }
    t13 = {
        csr.PCER: lambda: int(hs[h, at.H_PCER]),
        csr.MESTATUS: lambda: int(hs[h, at.H_MESTATUS]),
        csr.MCPUID: lambda: _CPU_ID,
        csr.MIMPID: lambda: _IMPLEMENTATION_ID,
        csr.MIRQ: lambda: 0,
    }
    clean = {
        csr.MSCRATCH: lambda: int(hs[h, at.H_MSCRATCH]),
        csr.MIE: lambda: int(hs[h, at.H_MIE_REGISTER]),
        csr.MISA: lambda: _MISA_RV32IM,
        csr.MSTATUSH: lambda: 0,
        csr.CYCLE: common[csr.MCYCLE],
        csr.CYCLEH: common[csr.MCYCLEH],
        csr.INSTRET: common[csr.MINSTRET],
        csr.INSTRETH: common[csr.MINSTRETH],
        csr.MVENDORID: lambda: 0,
        csr.MARCHID: lambda: 0,
        0xF13: lambda: 0,
    }
    registers = common | (t13 if cfg[at.C_IS_T13] else clean)
    if address in registers:
        return registers[address]() & _M32
    if cfg[at.C_IS_T13] and address in _EVENT_COUNTERS:
        st[at.S_WARNINGS] |= at.WARN_HPM  # they exist; what they count is not modelled
        return 0
    return 0 if cfg[at.C_CORE_QUIRKS] & at.Q_UNKNOWN_CSR else None


def write_csr(cfg: State, st: State, hs: State, h: int, address: int, value: int) -> None:
    """Write a register; writes to those that cannot be written are ignored, as in the machine."""
    t13 = bool(cfg[at.C_IS_T13])
    value &= _M32
    if address == csr.MSTATUS:
        hs[h, at.H_MIE] = (value >> 3) & 1
        hs[h, at.H_MPIE] = (value >> 7) & 1
        update_pending(st, hs, h)
    elif address == csr.MTVEC:
        hs[h, at.H_MTVEC] = value if t13 else value & ~3
    elif address == csr.MEPC:
        hs[h, at.H_MEPC] = value if t13 else value & ~3
    elif address == csr.MCAUSE:
        hs[h, at.H_MCAUSE] = value & _MCAUSE_MASK if t13 else value
    elif address == csr.MCYCLE:
        high = mcycle(cfg, st, hs, h) >> 32
        write_mcycle(cfg, st, hs, h, (high << 32) | value)
    elif address == csr.MCYCLEH:
        low = mcycle(cfg, st, hs, h) & _M32
        write_mcycle(cfg, st, hs, h, ((value & 0x7FFFFFFF) << 32) | low)
    elif address == csr.MINSTRET:
        high = max(minstret(cfg, st, hs, h), 0) >> 32
        write_minstret(cfg, st, hs, h, (high << 32) | value)
    elif address == csr.MINSTRETH:
        low = (minstret(cfg, st, hs, h) + int(t13)) & _M32
        write_minstret(cfg, st, hs, h, ((value & 0x7FFFFFFF) << 32) | low)
    elif t13:
        if address == csr.MIP:
            hs[h, at.H_MSIP] = (value >> 3) & 1
            update_pending(st, hs, h)
        elif address == csr.PCER:
            write_pcer(cfg, st, hs, h, value)
        elif address == csr.MESTATUS:
            hs[h, at.H_MESTATUS] = value
    elif address == csr.MBADADDR:
        hs[h, at.H_MBADADDR] = value
    elif address == csr.MSCRATCH:
        hs[h, at.H_MSCRATCH] = value
    elif address == csr.MIE:
        hs[h, at.H_MIE_REGISTER] = value & 0x888


def stored_value(cfg: State, st: State, hs: State, h: int, address: int, read: int) -> int:
    """The value that set and clear forms act on, where it differs from the one that is read."""
    if address == csr.MINSTRET and cfg[at.C_IS_T13]:
        return (minstret(cfg, st, hs, h) + 1) & _M32
    return read
