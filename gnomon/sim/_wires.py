"""What mbadaddr holds after a misaligned trap of the T13: not the address, but stray wires.

Source: microarchitecture.md section 2, last rule (directed runs on the RTL). One cycle after the
issue of the trapping instruction the register takes the LSU's address wires. They belong to the
next instruction in rotation if that has entered execute, else to the trapping one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.sim import _layout as at
from gnomon.sim import _ops as op

if TYPE_CHECKING:
    from gnomon.sim._machine import Machine

_M32 = 0xFFFFFFFF
_LOAD, _STORE, _AMO, _KMEM, _KDSP = 0x03, 0x23, 0x2F, 0x0B, 0x2B


def address_wires(machine: Machine, h: int, pc: int) -> int:
    """The address wires one cycle after hart ``h`` trapped at ``pc``."""
    st, hs, cfg = machine.st, machine.hs, machine.cfg
    cycle = int(st[at.S_CYCLE])
    k = (h - 1) % machine.harts
    if hs[k, at.H_PARKED]:
        return 0
    next_pc = int(hs[k, at.H_PC])
    offset = (next_pc - int(cfg[at.C_IBASE])) & _M32
    if offset >= cfg[at.C_ISIZE]:
        return 0
    word = int(machine.ram[offset >> 2]) & _M32
    opcode = word & 0x7F
    lsu_busy = bool(st[at.S_LSU_LAST] >= cycle)
    units = [int(st[at.S_VCU0 + unit]) for unit in range(machine.harts)]
    vcu_busy = units[0 if cfg[at.C_SHARING] == 0 else k] >= cycle
    waits = lsu_busy and opcode in (_LOAD, _STORE, _AMO, _KMEM)
    waits |= vcu_busy and opcode in (_AMO, _KMEM)
    if cfg[at.C_SERIAL]:
        waits |= lsu_busy or max(units) >= cycle
    if waits:
        own_word = int(machine.ram[machine.word_index(pc)])
        return int(machine.regs[h * at.REGISTER_STRIDE + ((own_word >> 15) & 31)]) & _M32
    if opcode == _KDSP and vcu_busy:
        return 0  # a retry
    if machine.current_entry(offset >> 2) & 0xFF == op.WFI and hs[k, at.H_MIE]:
        return 0
    base = int(machine.regs[k * at.REGISTER_STRIDE + ((word >> 15) & 31)])
    signed = (word ^ 0x80000000) - 0x80000000
    if opcode == _LOAD:
        base += signed >> 20
    elif opcode == _STORE:
        base += ((signed >> 25) << 5) | ((word >> 7) & 31)
    return base & _M32
