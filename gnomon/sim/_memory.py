"""The data bus: RAM, the program protocol's registers, everything else.

Source: reference README, "Program protocol". Fast paths for aligned accesses to data RAM are in
the loop itself; what comes here is the rest.
"""

from __future__ import annotations

from gnomon.base.compiled import State, Words, inner, int64
from gnomon.sim import _layout as at
from gnomon.sim._ops import ILLEGAL_KDSP, KADDV, KSVDIVPSRF, MARKED, STALE, WFI
from gnomon.sim._vcu_function import signed32

_M32 = 0xFFFFFFFF
EXIT_ADDRESS = 0x1A10FFF0
PRINT_ADDRESS = 0x1A10FFF4
CYCLE_ADDRESS = 0x1A10FFF8
SWI_FIRST = 0xFF00
SWI_LAST = 0xFFFF

BUS_OK = 0
BUS_ERROR = 1
BUS_FAULT = 2


@inner
def bus_error(cfg: State, address: int) -> bool:
    """Addresses that answer with an error under the program protocol."""
    return cfg[at.C_PROTOCOL] != 0 and (address >> 16) == 0xDEAD


@inner
def in_swi_hole(cfg: State, address: int) -> bool:
    """The software-interrupt registers, which hide the RAM below from writes."""
    return cfg[at.C_IS_T13] != 0 and SWI_FIRST <= address <= SWI_LAST


@inner
def ram_word(cfg: State, address: int) -> int:
    """Index of a RAM word, or -1 outside the memories."""
    offset = (address - cfg[at.C_DBASE]) & _M32
    if offset < cfg[at.C_DSIZE]:
        return int(cfg[at.C_DWORD0] + (offset >> 2))
    offset = (address - cfg[at.C_IBASE]) & _M32
    if offset < cfg[at.C_ISIZE]:
        return int(offset >> 2)
    return -1


@inner
def read_word(cfg: State, st: State, ram: Words, address: int, cycle: int) -> tuple[int, int]:
    """Read the aligned word around an address; returns value and bus status."""
    index = ram_word(cfg, address)
    if index >= 0:
        return int64(ram[index]), BUS_OK
    if bus_error(cfg, address):
        return 0, BUS_ERROR
    if (address & ~3) == CYCLE_ADDRESS:
        return signed32(cycle), BUS_OK
    if cfg[at.C_PROTOCOL] or (address & ~3) == EXIT_ADDRESS or (address & ~3) == PRINT_ADDRESS:
        return 0, BUS_OK
    st[at.S_FAULT] = at.FAULT_LOAD
    st[at.S_FAULT_ADDRESS] = address & _M32
    return 0, BUS_FAULT


@inner
def write_word(
    cfg: State, st: State, ram: Words, table: State, printed: State,
    address: int, value: int, enables: int, cycle: int,
) -> int:  # fmt: skip
    """Write the enabled bytes (bit 0 = lowest) of the aligned word around an address.

    ``value`` is already in its byte lanes. Returns the bus status.
    """
    if in_swi_hole(cfg, address):
        return BUS_OK
    index = ram_word(cfg, address)
    if index >= 0:
        mask = 0
        for byte in range(4):
            if (enables >> byte) & 1:
                mask |= 0xFF << (8 * byte)
        ram[index] = signed32((int64(ram[index]) & ~mask) | (value & mask))
        if index < cfg[at.C_DWORD0]:
            old = table[index] & 0xFF
            if old == WFI or KADDV <= old <= KSVDIVPSRF or old == ILLEGAL_KDSP or old >= MARKED:
                st[at.S_REWRITTEN] = 1
            table[index] = STALE
        return BUS_OK
    if bus_error(cfg, address):
        return BUS_ERROR
    word = address & ~3
    if word == EXIT_ADDRESS:
        if st[at.S_EXIT_CYCLE] < 0:
            st[at.S_EXIT_CYCLE] = cycle
            st[at.S_EXIT_CODE] = value & _M32
        return BUS_OK
    if word == PRINT_ADDRESS:
        printed[st[at.S_PRINTED]] = value & _M32
        st[at.S_PRINTED] += 1
        return BUS_OK
    if cfg[at.C_PROTOCOL] or word == CYCLE_ADDRESS:
        return BUS_OK
    st[at.S_FAULT] = at.FAULT_STORE
    st[at.S_FAULT_ADDRESS] = address & _M32
    return BUS_FAULT
