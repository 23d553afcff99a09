"""Loads, stores and swaps anywhere: outside data RAM, misaligned, refused.

Each returns 0, the cause of its trap, or -1 for a fault.
"""

from __future__ import annotations

from gnomon.base.compiled import State, Words, inner, int64
from gnomon.sim import _layout as at
from gnomon.sim._memory import BUS_ERROR, BUS_FAULT, read_word, write_word
from gnomon.sim._ops import LB, LBU, LH, LHU, LW, SH, SW
from gnomon.sim._vcu_function import signed32

_M32 = 0xFFFFFFFF


@inner
def crosses(o: int, address: int) -> bool:
    """A misaligned access that needs two words."""
    size = 4 if o == LW or o == SW else (2 if o == LH or o == LHU or o == SH else 1)
    return (address & 3) + size > 4


@inner
def load_step(
    cfg: State, st: State, regs: State, ram: Words, o: int, target: int, address: int, cycle: int
) -> int:
    """A load anywhere; returns 0, a trap cause, or -1 for a fault."""
    misaligned = (o == LW and address & 3) or ((o == LH or o == LHU) and address & 1)
    if misaligned and not cfg[at.C_SPLIT]:
        return 4
    word, status = read_word(cfg, st, ram, address, cycle)
    if status != 0:
        return 5 if status == BUS_ERROR else -1
    lane = address & 3
    part = (word & _M32) >> (8 * lane)
    if misaligned and crosses(o, address):
        word, status = read_word(cfg, st, ram, ((address | 3) + 1) & _M32, cycle)
        if status != 0:
            return 5 if status == BUS_ERROR else -1
        part |= (word & _M32) << (32 - 8 * lane)
    value = signed32(part)
    if o == LB:
        value = ((part & 0xFF) ^ 0x80) - 0x80
    elif o == LBU:
        value = part & 0xFF
    elif o == LH:
        value = ((part & 0xFFFF) ^ 0x8000) - 0x8000
    elif o == LHU:
        value = part & 0xFFFF
    regs[target] = value
    return 0


@inner
def store_step(
    cfg: State, st: State, ram: Words, table: State, printed: State,
    o: int, address: int, value: int, cycle: int,
) -> int:  # fmt: skip
    """A store anywhere; returns 0, a trap cause, or -1 for a fault."""
    misaligned = (o == SW and address & 3) or (o == SH and address & 1)
    if misaligned and not cfg[at.C_SPLIT]:
        return 6
    enables = 15 if o == SW else (3 if o == SH else 1)
    lane = address & 3
    lanes = (value & _M32) << (8 * lane)
    status = write_word(
        cfg, st, ram, table, printed, address, lanes & _M32, (enables << lane) & 15, cycle
    )
    if status == 0 and enables << lane > 15:
        beyond = ((address | 3) + 1) & _M32
        status = write_word(
            cfg, st, ram, table, printed, beyond, lanes >> 32, enables << lane >> 4, cycle
        )
    if status != 0:
        return 7 if status == BUS_ERROR else -1
    return 0


@inner
def amo_step(
    cfg: State, st: State, regs: State, ram: Words, table: State, printed: State,
    target: int, address: int, value: int, cycle: int,
) -> int:  # fmt: skip
    """Swap; the write half uses the byte enables of the last load or store decoded (quirk)."""
    discard = target & (at.REGISTER_STRIDE - 1) == at.SINK
    if address & 3:
        return 6 if discard else 4
    old, status = read_word(cfg, st, ram, address, cycle)
    if status == BUS_FAULT:
        return -1
    if status == BUS_ERROR:
        return 7 if discard else 5
    enables = st[at.S_AMO_ENABLES] if cfg[at.C_CORE_QUIRKS] & at.Q_AMO_ENABLES else int64(15)
    write_cycle = cycle if discard else cycle + 2
    if write_word(cfg, st, ram, table, printed, address, value, enables, write_cycle) == BUS_FAULT:
        return -1
    regs[target] = old
    return 0
