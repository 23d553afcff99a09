"""Instructions that the loop does not execute inline: everything but plain integer work.

The loop calls :func:`slow_step` for CSR, AMO, vector and system instructions, for loads and
stores outside data RAM, for illegal words and for interrupts. It leaves the extra cycles, the
next pc and the actual issue cycle in ``st``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gnomon.sim import _layout as at
from gnomon.sim import _ops as op
from gnomon.sim._csr import is_read_only, issued, read_csr, stored_value, update_pending, write_csr
from gnomon.sim._jit import compiled
from gnomon.sim._memory import (
    BUS_ERROR,
    BUS_FAULT,
    SWI_FIRST,
    in_swi_hole,
    read_word,
    write_word,
)
from gnomon.sim._tables import CLASS_OF
from gnomon.sim._transfer import transfer_issue
from gnomon.sim._trap import (
    all_stuck,
    link_harts,
    recount,
    return_from_trap,
    take_exception,
    take_interrupt,
    wake,
)
from gnomon.sim._vcu import vector_issue
from gnomon.sim._vcu_function import Words, signed32

State = npt.NDArray[np.int64]

_M32 = 0xFFFFFFFF
_STORE = at.CLASSES.index("store")

# What slow_step returns besides the STOP codes.
DONE = -1
WAITS = -2  # would issue after the limit: nothing has happened yet


@compiled
def _stall(  # noqa: PLR0917
    cfg: State, st: State, hs: State, acct: State, dyn: State,
    h: int, position: int, cycle: int, last: int, kind: int,
) -> int:  # fmt: skip
    """Wait in decode until the unit busy up to ``last`` is idle; returns the issue cycle."""
    waited = last + 2 - cycle
    if waited <= 0:
        return cycle
    acct[h, kind] += waited
    dyn[position] += waited
    # The cycles belong to the hart whose instruction is still in execute: the one before.
    hs[(h + 1) % cfg[at.C_HARTS], at.H_CHARGED] += waited
    return cycle + waited


@compiled
def _bad_address(  # noqa: PLR0917
    cfg: State, st: State, hs: State, decoded: State, regs: State, ram: Words,
    h: int, entry: int, cycle: int,
) -> int:  # fmt: skip
    """What the RTL leaves in mbadaddr after a misaligned trap: wires of the next instruction.

    Source: microarchitecture.md section 2, last rule (directed runs on the RTL).
    """
    k = (h + cfg[at.C_HARTS] - 1) % cfg[at.C_HARTS]
    if hs[k, at.H_PARKED]:
        return 0
    index = ((hs[k, at.H_PC] - cfg[at.C_IBASE]) & _M32) >> 2
    if index >= cfg[at.C_ISIZE] >> 2:
        return 0
    word = np.int64(ram[index]) & _M32
    opcode = word & 0x7F
    unit = 0 if cfg[at.C_SHARING] == 0 else k
    vcu_last = st[at.S_VCU0 + unit]
    lsu_busy = st[at.S_LSU_LAST] >= cycle
    lsu_type = opcode == 0x03 or opcode == 0x23 or opcode == 0x2F or opcode == 0x0B
    waits = lsu_type and lsu_busy
    if (opcode == 0x2F or opcode == 0x0B) and vcu_last >= cycle:
        waits = True
    if cfg[at.C_SERIAL]:
        for unit_of in range(cfg[at.C_HARTS]):
            waits = waits or st[at.S_VCU0 + unit_of] >= cycle
        waits = waits or lsu_busy
    if waits:
        return regs[h * at.REGISTER_STRIDE + ((entry >> 14) & 31)] & _M32
    if opcode == 0x2B and vcu_last >= cycle:
        return 0
    if (decoded[index] & 0xFF) == op.WFI and hs[k, at.H_MIE]:
        return 0
    base = regs[k * at.REGISTER_STRIDE + ((word >> 15) & 31)]
    if opcode == 0x03:
        base += signed32(word) >> 20
    elif opcode == 0x23:
        base += ((signed32(word) >> 25) << 5) | ((word >> 7) & 31)
    return base & _M32


@compiled
def _interrupt_register(  # noqa: PLR0917
    cfg: State, st: State, hs: State, acct: State, prof: State, target: int, value: int
) -> None:
    """Set or clear the software interrupt of a hart, and wake it if that was what it slept for."""
    hs[target, at.H_MSIP] = (value >> 3) & 1
    update_pending(st, hs, target)
    if hs[target, at.H_PARKED] and (st[at.S_PENDING] >> target) & 1:
        wake(cfg, st, hs, acct, prof, target)


@compiled
def _csr_step(  # noqa: PLR0917
    cfg: State, st: State, hs: State, regs: State, h: int, o: int, entry: int, cycle: int
) -> bool:
    """Execute a CSR instruction; False if the access is denied."""
    address = (entry >> 32) & 0xFFF
    field = (entry >> 14) & 31
    immediate = o == op.CSRRWI or o == op.CSRRSI or o == op.CSRRCI
    operand = field if immediate else regs[h * at.REGISTER_STRIDE + field] & _M32
    plain = o == op.CSRRW or o == op.CSRRWI
    writes = plain or field != 0
    if writes and is_read_only(cfg, address):
        return False
    old = read_csr(cfg, st, hs, h, address, cycle)
    if old < 0:
        return False
    if writes:
        if plain:
            value = operand
        else:
            stored = stored_value(cfg, st, hs, h, address, old, cycle)
            clears = o == op.CSRRC or o == op.CSRRCI
            value = stored & ~operand if clears else stored | operand
        write_csr(cfg, st, hs, h, address, value, cycle)
    regs[h * at.REGISTER_STRIDE + ((entry >> 8) & 63)] = signed32(old)
    return True


@compiled
def _load_step(  # noqa: PLR0917
    cfg: State, st: State, regs: State, ram: Words, h: int, o: int, entry: int, address: int,
    cycle: int,
) -> int:  # fmt: skip
    """A load anywhere; returns 0, a trap cause, or -1 for a fault."""
    if (o == op.LW and address & 3) or ((o == op.LH or o == op.LHU) and address & 1):
        return 4
    word, status = read_word(cfg, st, ram, address, cycle)
    if status != 0:
        return 5 if status == BUS_ERROR else -1
    value = word
    part = (word & _M32) >> (8 * (address & 3))
    if o == op.LB:
        value = ((part & 0xFF) ^ 0x80) - 0x80
    elif o == op.LBU:
        value = part & 0xFF
    elif o == op.LH:
        value = ((part & 0xFFFF) ^ 0x8000) - 0x8000
    elif o == op.LHU:
        value = part & 0xFFFF
    regs[h * at.REGISTER_STRIDE + ((entry >> 8) & 63)] = value
    return 0


@compiled
def _store_step(  # noqa: PLR0917
    cfg: State, st: State, ram: Words, table: State, printed: State,
    o: int, address: int, value: int, cycle: int,
) -> int:  # fmt: skip
    """A store anywhere; returns 0, a trap cause, or -1 for a fault."""
    if (o == op.SW and address & 3) or (o == op.SH and address & 1):
        return 6
    enables = 15 if o == op.SW else (3 if o == op.SH else 1)
    lane = address & 3
    status = write_word(
        cfg, st, ram, table, printed, address, (value & _M32) << (8 * lane), enables << lane, cycle
    )
    if status != 0:
        return 7 if status == BUS_ERROR else -1
    return 0


@compiled
def _amo_step(  # noqa: PLR0917
    cfg: State, st: State, regs: State, ram: Words, table: State, printed: State,
    h: int, entry: int, cycle: int,
) -> int:  # fmt: skip
    """Swap; the write half uses the byte enables of the last load or store decoded (quirk)."""
    base = h * at.REGISTER_STRIDE
    address = regs[base + ((entry >> 14) & 31)] & _M32
    value = regs[base + ((entry >> 19) & 31)] & _M32
    rd = (entry >> 8) & 63
    if address & 3:
        return 6 if rd == at.SINK else 4
    old, status = read_word(cfg, st, ram, address, cycle)
    if status == BUS_FAULT:
        return -1
    if status == BUS_ERROR:
        return 7 if rd == at.SINK else 5
    enables = st[at.S_AMO_ENABLES] if cfg[at.C_CORE_QUIRKS] & at.Q_AMO_ENABLES else 15
    write_cycle = cycle if rd == at.SINK else cycle + 2
    if write_word(cfg, st, ram, table, printed, address, value, enables, write_cycle) == BUS_FAULT:
        return -1
    regs[base + rd] = old
    return 0


@compiled
def slow_step(  # noqa: PLR0917
    cfg: State, st: State, hs: State, acct: State, dyn: State, prof: State,
    vstat: npt.NDArray[np.int64], table: State, decoded: State, regs: State, ram: Words,
    spm: Words, temp: Words, printed: State, spans: State,
    h: int, o: int, e: int, index: int, pc: int, cycle: int, limit: int, irq: bool,  # noqa: FBT001
) -> int:  # fmt: skip
    """Execute one instruction of hart ``h`` that would issue in ``cycle`` if nothing stalls it.

    Returns:
        DONE, WAITS, or a STOP code. ``st`` holds issue cycle, extra cycles and next pc.
    """
    t13 = cfg[at.C_IS_T13] != 0
    position = h * (cfg[at.C_ISIZE] >> 2) + index
    base = h * at.REGISTER_STRIDE
    rs1 = regs[base + ((e >> 14) & 31)]
    rs2 = regs[base + ((e >> 19) & 31)]
    imm = e >> 32
    b = (e >> 24) & 0xFF
    npc = (pc + 4) & _M32
    cause = 0
    value = 0  # what mtval reports on an ISA-clean core
    retry = False
    extra_slots = 0
    unit = 0 if cfg[at.C_SHARING] == 0 else h
    st[at.S_CYCLE] = cycle

    load = op.LB <= o <= op.LHU
    store = op.SB <= o <= op.SW
    transfer = o == op.KMEMLD or o == op.KMEMSTR or o == op.KBCASTLD
    vector = op.KADDV <= o <= op.KVCP
    waits_for_vcu = transfer or o == op.AMOSWAP or o == op.ILLEGAL_KMEM

    if t13:
        issue = cycle
        lsu = load or store or waits_for_vcu or o == op.LOAD_X0 or o == op.ILLEGAL_LSU
        if lsu and st[at.S_LSU_LAST] + 2 > issue:
            issue = st[at.S_LSU_LAST] + 2
        if waits_for_vcu and st[at.S_VCU0 + unit] + 2 > issue:
            issue = st[at.S_VCU0 + unit] + 2
            if issue > at.NEVER:
                return at.STOP_HANG
        if issue > limit:
            return WAITS
        if lsu:
            cycle = _stall(
                cfg, st, hs, acct, dyn, h, position, cycle, st[at.S_LSU_LAST], at.K_WAIT_LSU
            )
        if waits_for_vcu:
            cycle = _stall(
                cfg, st, hs, acct, dyn, h, position, cycle, st[at.S_VCU0 + unit], at.K_WAIT_VCU
            )

        st[at.S_CYCLE] = cycle

    if vector or o == op.ILLEGAL_KDSP:
        busy_until = st[at.S_VCU0 + unit]
        if busy_until >= cycle - 1:
            # The unit is busy: the instruction becomes a jump to itself and tries again one
            # rotation later. Alone in the rotation, all its tries are booked at once.
            retry = True
            pending = (st[at.S_PENDING] >> h) & 1
            if pending:
                irq = True
            else:
                tries = 1
                if busy_until >= at.NEVER:
                    hs[h, at.H_STUCK] = 1
                    if all_stuck(cfg, hs) and st[at.S_EXIT_CYCLE] < 0:
                        return at.STOP_HANG
                elif st[at.S_MULTI] == 0 and cfg[at.C_TRACING] == 0:
                    rotation = cfg[at.C_HARTS]
                    tries = (busy_until - cycle + 1) // rotation + 1
                    tries = max(1, min(tries, (limit - cycle) // rotation + 1))
                static = CLASS_OF[decoded[index] & 0xFF]
                acct[h, at.K_ISSUE + static] -= tries
                acct[h, at.K_RETRY] += tries
                hs[h, at.H_RETRIES] += tries
                prof[position] += tries - 1
                extra_slots = (tries - 1) * cfg[at.C_HARTS]
                npc = pc
                b = 0
    handler = 0
    if irq:
        if o == op.SW:
            # The store goes out before the interrupt is taken, and again after mret.
            cause = _store_step(
                cfg, st, ram, table, printed, o, (rs1 + imm) & _M32, rs2, cycle
            )
            if cause < 0:
                return at.STOP_FAULT
            st[at.S_LSU_LAST] = cycle
        if cause == 0:
            handler = take_interrupt(cfg, st, hs, decoded, h, pc, o == op.WFI)
            if handler < 0:
                return at.STOP_FAULT
            recount(acct, dyn, decoded, h, index, position, at.K_TRAP, 0)
            npc = handler
            b = 0
    elif retry:
        pass
    elif load:
        value = (rs1 + imm) & _M32
        cause = _load_step(cfg, st, regs, ram, h, o, e, value, cycle)
    elif store:
        value = (rs1 + imm) & _M32
        cause = _store_step(cfg, st, ram, table, printed, o, value, rs2, cycle)
        hole = o == op.SW and in_swi_hole(cfg, value)
        if hole and cause >= 0:
            target = (value - SWI_FIRST) >> 2
            quirk = cfg[at.C_CORE_QUIRKS] & at.Q_SWI_STALE
            if cause == 0:
                acct[h, at.K_EXTRA + _STORE] += 2
                dyn[position] += 2
            b = 2
            if cause != 0 or target >= cfg[at.C_HARTS]:
                target = st[at.S_SWI_TARGET] if quirk else -1
            else:
                st[at.S_SWI_TARGET] = target
            if target >= 0:
                _interrupt_register(cfg, st, hs, acct, prof, target, rs2)
        if t13 and cause == 0:
            st[at.S_LSU_LAST] = cycle
    elif o == op.LOAD_X0:
        b = 0
    elif o == op.AMOSWAP:
        value = rs1 & _M32
        cause = _amo_step(cfg, st, regs, ram, table, printed, h, e, cycle)
    elif transfer:
        rd = regs[base + ((e >> 8) & 63)]
        value = (rd if o == op.KMEMSTR else rs1) & _M32
        before = st[at.S_LSU_LAST]
        cause = transfer_issue(
            cfg, st, vstat, ram, spm, table, printed, h, o, rd, rs1, rs2, cycle
        )
        if cfg[at.C_TRACING] and st[at.S_LSU_LAST] != before:
            count = st[at.S_SPANS]
            spans[count, 0] = at.SPAN_LSU
            spans[count, 1] = cycle
            spans[count, 2] = st[at.S_LSU_LAST]
            st[at.S_SPANS] += 1
    elif vector:
        rd = regs[base + ((e >> 8) & 63)]
        before = st[at.S_VCU0 + unit]
        cause = vector_issue(cfg, st, hs, vstat, spm, temp, h, o, rd, rs1, rs2, cycle)
        if cfg[at.C_TRACING] and st[at.S_VCU0 + unit] != before:
            count = st[at.S_SPANS]
            spans[count, 0] = unit
            spans[count, 1] = cycle
            spans[count, 2] = st[at.S_VCU0 + unit]
            st[at.S_SPANS] += 1
    elif op.CSRRW <= o <= op.CSRRCI:
        value = (np.int64(ram[index])) & _M32
        if _csr_step(cfg, st, hs, regs, h, o, e, cycle):
            st[at.S_SWI_TARGET] = h
        else:
            cause = 2
    elif o == op.ECALL:
        cause = 11
    elif o == op.EBREAK:
        if t13:
            st[at.S_FAULT] = at.FAULT_EBREAK
            return at.STOP_FAULT
        cause = 3
        value = pc
    elif o == op.MRET:
        npc = return_from_trap(st, hs, h)
    elif o == op.WFI:
        if t13 and hs[h, at.H_MIE]:
            npc = pc
            recount(acct, dyn, decoded, h, index, position, at.K_PARKED, 0)
            hs[h, at.H_STUCK] = 1
            if all_stuck(cfg, hs) and st[at.S_EXIT_CYCLE] < 0:
                # Count this last slot, then stop: nothing can change any more.
                st[at.S_STOP] = at.STOP_HANG
            elif cfg[at.C_TRACING] == 0 and st[at.S_EXIT_CYCLE] < 0:
                hs[h, at.H_PARKED] = 1
                hs[h, at.H_STUCK] = 0
                hs[h, at.H_PC] = pc
                hs[h, at.H_PARK_ISSUED] = issued(cfg, st, h)
                link_harts(cfg, st, hs)
    elif op.JAL <= o <= op.BGEU:
        # Only an ISA-clean core comes here: the target is not aligned.
        cause = -2
        if o == op.JALR:
            value = (rs1 + imm) & ~1 & _M32
        else:
            value = (pc + imm) & _M32
    else:
        cause = 2
        value = imm & _M32

    if cause == -1:
        return at.STOP_FAULT
    if cause != 0:
        if cause == -2:
            cause = 0
        handler = take_exception(cfg, st, hs, decoded, h, pc, cause, value)
        if handler < 0:
            return at.STOP_FAULT
        if t13:
            if (cause == 4 or cause == 6) and cfg[at.C_CORE_QUIRKS] & at.Q_MBADADDR:
                hs[h, at.H_MBADADDR] = _bad_address(
                    cfg, st, hs, decoded, regs, ram, h, e, cycle
                )
            # A denied CSR access and a misaligned software interrupt still take their cycles.
            denied = op.CSRRW <= o <= op.CSRRCI
            b = 2 if denied or (store and b == 2) else 0
        recount(acct, dyn, decoded, h, index, position, at.K_TRAP, b)
        npc = handler
    st[at.S_CYCLE] = cycle + extra_slots
    st[at.S_B] = b
    st[at.S_NPC] = npc
    st[at.S_RETRY] = 1 if retry else 0
    st[at.S_EXTRA_SLOTS] = extra_slots
    st[at.S_MULTI] = 1 if hs[h, at.H_NEXT] != h else 0
    return DONE
