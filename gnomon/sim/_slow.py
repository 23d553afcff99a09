"""Instructions that the loop does not execute inline: everything but plain integer work.

The loop calls :func:`slow_step` for atomic, vector and CSR instructions, and for loads and stores
outside data RAM. It leaves the issue cycle, the extra cycles and the next pc in ``st``. What
programs do seldom (traps, interrupts, sleeping, most CSRs) it only prepares: the loop then
returns to Python, where :mod:`gnomon.sim._rare` executes it.
"""

from __future__ import annotations

from gnomon.base.compiled import State, Words, inner, int64
from gnomon.sim import _layout as at
from gnomon.sim import _ops as op
from gnomon.sim._accesses import amo_step, crosses, load_step, store_step
from gnomon.sim._memory import in_swi_hole
from gnomon.sim._records import record_request, record_span
from gnomon.sim._tables import CLASS_OF
from gnomon.sim._transfer import transfer_issue
from gnomon.sim._vcu import vector_issue
from gnomon.sim._vcu_timing import void_issue
from gnomon.sim._vector_csr import vector_csr
from gnomon.sim._waits import all_stuck, retry, stall

_M32 = 0xFFFFFFFF
_SYSTEM = at.CLASSES.index("system")
_VOID_CYCLES = 7  # how long a shared unit works on what an instruction without effect had asked for

# What slow_step returns besides the STOP codes.
DONE = -1
WAITS = -2  # would issue after the limit: nothing has happened yet


@inner
def slow_step(
    cfg: State, st: State, hs: State, acct: State, dyn: State, prof: State,
    vstat: State, laws: State, table: State, regs: State, ram: Words,
    spm: Words, temp: Words, printed: State, spans: State, bus: State,
    h: int, o: int, e: int, index: int, pc: int, cycle: int, limit: int, irq: bool,
) -> int:  # fmt: skip
    """Execute one instruction of hart ``h`` that would issue in ``cycle`` if nothing stalls it.

    Returns:
        DONE, WAITS, or a STOP code. ``st`` holds issue cycle, extra cycles and next pc.
    """
    t13 = cfg[at.C_IS_T13] != 0
    position = (index << 3) | h
    lsu_spot = at.D_WAIT_LSU * len(prof) + position
    vcu_spot = at.D_WAIT_VCU * len(prof) + position
    base = h * at.REGISTER_STRIDE
    rs1 = regs[base + ((e >> 14) & 31)]
    rs2 = regs[base + ((e >> 19) & 31)]
    target = base + ((e >> 8) & 63)
    imm = e >> 32
    cause = 0
    rare = 0
    value = 0  # what mtval reports on an ISA-clean core
    unit = 0 if cfg[at.C_SHARING] == 0 else h
    st[at.S_CYCLE] = cycle
    st[at.S_B] = (e >> 24) & 0xFF
    st[at.S_NPC] = (pc + 4) & _M32
    st[at.S_RETRY] = 0
    st[at.S_EXTRA_SLOTS] = 0

    load = op.LB <= o <= op.LHU
    store = op.SB <= o <= op.SW
    transfer = o == op.KMEMLD or o == op.KMEMSTR or o == op.KBCASTLD
    vector = op.KADDV <= o <= op.KSVDIVPSRF
    waits_for_vcu = transfer or o == op.AMOSWAP or o == op.ILLEGAL_KMEM

    if load or store or waits_for_vcu or o == op.LOAD_X0 or o == op.ILLEGAL_LSU:
        issue = max(cycle, st[at.S_LSU_LAST] + 2)
        if waits_for_vcu:
            issue = max(issue, st[at.S_VCU0 + unit] + 2)
            if issue > at.NEVER and st[at.S_EXIT_CYCLE] < 0:
                return at.STOP_HANG
        if issue > limit:
            return WAITS
        if issue > cycle:
            cycle = stall(
                cfg, hs, acct, dyn, h, lsu_spot, cycle, st[at.S_LSU_LAST], int64(at.K_WAIT_LSU)
            )
            if waits_for_vcu:
                busy = st[at.S_VCU0 + unit]
                cycle = stall(cfg, hs, acct, dyn, h, vcu_spot, cycle, busy, int64(at.K_WAIT_VCU))
            st[at.S_CYCLE] = cycle

    if vector and not t13:
        # No rotation to give the slot to: the core waits in decode.
        if st[at.S_VCU0 + unit] + 2 > limit:
            return (
                at.STOP_HANG
                if st[at.S_VCU0 + unit] >= at.NEVER and st[at.S_EXIT_CYCLE] < 0
                else WAITS
            )
        cycle = stall(
            cfg, hs, acct, dyn, h, vcu_spot, cycle, st[at.S_VCU0 + unit], int64(at.K_WAIT_VCU)
        )
        st[at.S_CYCLE] = cycle
    elif (vector or o == op.ILLEGAL_KDSP) and st[at.S_VCU0 + unit] >= cycle - 1:
        st[at.S_RETRY] = 1
        if (st[at.S_PENDING] >> h) & 1:
            irq = True
        else:
            if st[at.S_VCU0 + unit] >= at.NEVER:
                hs[h, at.H_STUCK] = 1
                if all_stuck(cfg, hs) and st[at.S_EXIT_CYCLE] < 0:
                    return at.STOP_HANG
            tries = retry(
                cfg, st, hs, acct, dyn, prof, e, h, position, st[at.S_VCU0 + unit], cycle, limit
            )
            st[at.S_EXTRA_SLOTS] = (tries - 1) * cfg[at.C_HARTS]
            st[at.S_CYCLE] = cycle + st[at.S_EXTRA_SLOTS]
            st[at.S_NPC] = pc
            st[at.S_B] = 0
            return DONE

    if irq and o != op.SW:
        rare = at.RARE_INTERRUPT
    elif load:
        value = (rs1 + imm) & _M32
        cause = load_step(cfg, st, regs, ram, o, target, value, cycle)
        if cfg[at.C_BUS] and (cause == 0 or cause == 5):
            record_request(st, bus, cycle, value, int64(0), int64(0))
    elif store:
        value = (rs1 + imm) & _M32
        cause = store_step(cfg, st, ram, table, printed, o, value, rs2, cycle)
        if cfg[at.C_BUS] and (cause == 0 or cause == 7):
            enables = int64(15 if o == op.SW else (3 if o == op.SH else 1)) << (value & 3)
            record_request(st, bus, cycle, value, enables, rs2 << (8 * (value & 3)))
        if t13 and cause == 0:
            st[at.S_LSU_LAST] = cycle
        if irq and cause == 0:
            # The store goes out before the interrupt is taken, and again after mret.
            rare = at.RARE_INTERRUPT
        elif o == op.SW and cause >= 0 and in_swi_hole(cfg, value):
            rare = at.RARE_SOFTWARE_INTERRUPT
    elif o == op.LOAD_X0:
        st[at.S_B] = 0
    elif o == op.AMOSWAP:
        value = rs1 & _M32
        enables = st[at.S_AMO_ENABLES] if cfg[at.C_CORE_QUIRKS] & at.Q_AMO_ENABLES else int64(15)
        cause = amo_step(cfg, st, regs, ram, table, printed, target, value, rs2 & _M32, cycle)
        if cfg[at.C_BUS] and (cause == 0 or cause == 5 or cause == 7):
            swaps = target & (at.REGISTER_STRIDE - 1) != at.SINK
            if swaps:
                record_request(st, bus, cycle, value, int64(0), int64(0))
            if cause != 5:
                record_request(st, bus, cycle + 2 if swaps else cycle, value, enables, rs2)
    elif transfer:
        rd = regs[target]
        value = (rd if o == op.KMEMSTR else rs1) & _M32
        before = st[at.S_LSU_LAST]
        cause = transfer_issue(
            cfg, st, vstat, ram, spm, table, printed, bus, h, o, rd, rs1, rs2, cycle
        )
        if cfg[at.C_TRACING] and st[at.S_LSU_LAST] != before:
            length = rs2 & (2 * cfg[at.C_SPM_SIZE] - 1)
            record_span(
                st, spans, int64(at.SPAN_LSU), cycle, st[at.S_LSU_LAST], rd, rs1, rs2, length
            )
    elif vector:
        before = st[at.S_VCU0 + unit]
        behind_void = t13 and cfg[at.C_SHARING] == 0 and cycle - st[at.S_VOID_CYCLE] <= _VOID_CYCLES
        cause = vector_issue(
            cfg, st, hs, vstat, laws, spm, temp, h, o, regs[target], rs1, rs2, cycle
        )
        hs[h, at.H_STUCK] = 0  # it may have been foreseen to wait for ever, and did not
        if cause > 0 or hs[h, at.H_MVSIZE] == 0:
            void_issue(cfg, st, h, o, cycle)
        elif behind_void:
            st[at.S_WARNINGS] |= at.WARN_BEHIND_VOID
        if cfg[at.C_TRACING] and st[at.S_VCU0 + unit] != before:
            length = hs[h, at.H_MVSIZE]
            record_span(
                st, spans, unit, cycle, st[at.S_VCU0 + unit], regs[target], rs1, rs2, length
            )
    elif op.CSRRW <= o <= op.CSRRCI:
        if not vector_csr(cfg, st, hs, regs, h, o, e):
            rare = at.RARE_CSR
    elif o == op.WFI:
        if t13 and hs[h, at.H_MIE]:
            if hs[h, at.H_STUCK] and (cfg[at.C_TRACING] != 0 or st[at.S_EXIT_CYCLE] >= 0):
                acct[h, at.K_ISSUE + _SYSTEM] -= 1
                acct[h, at.K_PARKED] += 1
                dyn[at.D_PARKED * len(prof) + position] += 1
                st[at.S_NPC] = pc
            else:
                rare = at.RARE_SLEEP
    elif o == op.MRET:
        rare = at.RARE_MRET
    elif o == op.ECALL:
        cause = 11
    elif o == op.EBREAK:
        cause = 3
        value = pc
    elif op.JAL <= o <= op.BGEU:
        # Only an ISA-clean core comes here: the target is not aligned.
        rare = at.RARE_TRAP
        value = ((rs1 if o == op.JALR else pc) + imm) & (_M32 - 1)
    else:
        cause = 2
        value = imm & _M32

    if cause < 0:
        return at.STOP_FAULT
    if cause == 0 and (load or store) and crosses(o, value):
        # The second access takes as long as the first, if nothing else is said.
        again = cfg[at.C_MISALIGNED]
        if again == 0:
            again = st[at.S_B] - cfg[at.C_FETCH] + 1
        st[at.S_B] += again
        acct[h, at.K_EXTRA + CLASS_OF[o]] += again
        dyn[position] += again
    if cause > 0 and rare == 0:
        rare = at.RARE_TRAP
    if rare == 0 and st[at.S_REWRITTEN] != 0:
        rare = at.RARE_REWRITTEN
    if rare != 0:
        st[at.S_RARE] = rare
        st[at.S_CAUSE] = cause
        st[at.S_VALUE] = value
        return at.STOP_RARE
    return DONE
