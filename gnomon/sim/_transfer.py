"""Transfers between memory and scratchpads: kmemld, kmemstr, kbcastld.

Source: microarchitecture.md sections 1, 4 and 7. No load, store or other transfer can run while
one is in flight, so moving the data at issue is exact.
"""

from __future__ import annotations

from gnomon.base.compiled import State, Words, inner, int64
from gnomon.sim._layout import (
    C_BUS,
    C_DBASE,
    C_DSIZE,
    C_HARTS,
    C_SHARING,
    C_SPM_BASE,
    C_SPM_COUNT,
    C_SPM_SIZE,
    C_VCU_QUIRKS,
    FAULT_SPM,
    Q_PARTIAL_WORD,
    S_BUS_REQUESTS,
    S_FAULT,
    S_FAULT_ADDRESS,
    S_LSU_LAST,
    S_LSU_WORD,
    S_VCU0,
    S_WARNINGS,
    S_XFER_LAST,
    S_XFER_SPM,
    S_XFER_UNITS,
    V_BEATS,
    V_BUSY,
    V_BYTES,
    V_ISSUED,
    WARN_BROADCAST_OVERLAP,
    WARN_PARTIAL_WORD,
)
from gnomon.sim._memory import BUS_FAULT, SWI_FIRST, SWI_LAST, ram_word, read_word, write_word
from gnomon.sim._ops import KBCASTLD, KMEMSTR
from gnomon.sim._records import record_request
from gnomon.sim._vcu import TRAP_NOT_SPM, TRAP_OVERRUN, scratchpad
from gnomon.sim._vcu_function import signed32

_M32 = 0xFFFFFFFF
_TRAP_LOAD_MISALIGNED = 4
_TRAP_STORE_MISALIGNED = 6


@inner
def _copy_is_plain(cfg: State, address: int, words: int) -> bool:
    """All words in one RAM, none a device register, none an instruction."""
    offset = (address - cfg[C_DBASE]) & _M32
    return offset + 4 * words <= cfg[C_DSIZE] and (
        address > SWI_LAST or address + 4 * words <= SWI_FIRST
    )


@inner
def _record(
    st: State, bus: State, spm: Words, store: int, d: int, address: int, words: int, cycle: int,
) -> None:  # fmt: skip
    """Record the requests of a transfer: a store has one every other cycle, a load one too many.

    ``store`` is 1 or 0: a truth value would be compiled twice.
    """
    for k in range(words if store != 0 else words + 1):
        at = cycle + 1 + (2 * k if store != 0 else k)
        enables = int64(15 if store != 0 else 0)
        data = int64(spm[d + k] if store != 0 else 0)
        record_request(st, bus, at, (address + 4 * k) & _M32, enables, data)


@inner
def transfer_issue(
    cfg: State, st: State, vstat: State, ram: Words, spm: Words,
    table: State, printed: State, bus: State,
    h: int, o: int, rd: int, rs1: int, rs2: int, cycle: int,
) -> int:  # fmt: skip
    """Execute a transfer; returns 0, a trap cause, or -1 with the fault in ``st``."""
    size = cfg[C_SPM_SIZE]
    n = rs2 & (2 * size - 1)
    if n == 0:
        return 0
    store = o == KMEMSTR
    local = rs1 if store else rd
    address = (rd if store else rs1) & _M32
    pad = scratchpad(cfg, local)
    if pad == -1:
        return TRAP_NOT_SPM
    if pad < 0:
        st[S_FAULT] = FAULT_SPM
        st[S_FAULT_ADDRESS] = local & _M32
        return -1
    if address & 3:
        return _TRAP_STORE_MISALIGNED if store else _TRAP_LOAD_MISALIGNED
    offset = (local - cfg[C_SPM_BASE]) & (size - 1)
    if offset + n > size:
        return TRAP_OVERRUN
    words = (n + 3) >> 2
    shared = cfg[C_SHARING] == 0
    unit = 0 if shared else h
    units = 1 << unit
    first_unit = unit
    last_unit = unit
    if o == KBCASTLD and not shared:
        units = (1 << cfg[C_HARTS]) - 1
        first_unit = 0
        last_unit = cfg[C_HARTS] - 1
        for other in range(cfg[C_HARTS]):
            if st[S_VCU0 + other] >= cycle:
                st[S_WARNINGS] |= WARN_BROADCAST_OVERLAP
    words_each = size >> 2
    row = pad * words_each + (offset >> 2)
    stride = cfg[C_SPM_COUNT] * words_each
    d = unit * stride + row
    plain = _copy_is_plain(cfg, address, words)
    if store:
        if plain:
            m = ram_word(cfg, address)
            for k in range(words):
                ram[m + k] = spm[d + k]
        else:
            for k in range(words):
                value = int64(spm[d + k])
                if (
                    write_word(
                        cfg, st, ram, table, printed, (address + 4 * k) & _M32, value, int64(15),
                        cycle + 1 + 2 * k,
                    )
                    == BUS_FAULT
                ):  # fmt: skip
                    return -1
        if cfg[C_BUS]:
            _record(st, bus, spm, int64(1), d, address, words, cycle)
        last = cycle + 2 * words
        st[S_BUS_REQUESTS] += words
    else:
        previous = st[S_LSU_WORD]
        for k in range(words):
            if plain:
                value = int64(ram[ram_word(cfg, address) + k])
            else:
                value, status = read_word(cfg, st, ram, (address + 4 * k) & _M32, cycle + 1 + k)
                if status == BUS_FAULT:
                    return -1
            left = n - 4 * k
            if left < 4 and cfg[C_VCU_QUIRKS] & Q_PARTIAL_WORD:
                # Upper bytes of a last partial word repeat those of the word before.
                if k == 0:
                    st[S_WARNINGS] |= WARN_PARTIAL_WORD
                mask = (1 << (8 * left)) - 1
                value = signed32((value & mask) | (previous & ~mask))
            previous = value
            for each in range(first_unit, last_unit + 1):
                spm[each * stride + row + k] = value
        st[S_LSU_WORD] = previous
        if cfg[C_BUS]:
            _record(st, bus, spm, int64(0), d, address, words, cycle)
        last = cycle + words + 1
        st[S_BUS_REQUESTS] += words + 1
    st[S_LSU_LAST] = last
    st[S_XFER_LAST] = last
    st[S_XFER_SPM] = pad
    st[S_XFER_UNITS] = units
    vstat[h, o, V_ISSUED] += 1
    vstat[h, o, V_BEATS] += words
    vstat[h, o, V_BYTES] += n
    vstat[h, o, V_BUSY] += last - cycle + 1
    return 0
