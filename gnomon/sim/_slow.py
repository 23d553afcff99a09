"""Instructions that the loop does not execute inline: everything but plain integer work.

The loop calls :func:`slow_step` for atomic, vector and CSR instructions, and for loads and stores
outside data RAM. It leaves the issue cycle, the extra cycles and the next pc in ``st``. What
programs do seldom (traps, interrupts, sleeping, most CSRs) it only prepares: the loop then
returns to Python, where :mod:`gnomon.sim._rare` executes it.
"""

from __future__ import annotations

from gnomon.base.compiled import State, Words, inner, int64
from gnomon.sim._accesses import amo_step, crosses, load_step, store_step
from gnomon.sim._layout import (
    C_BUS,
    C_CORE_QUIRKS,
    C_FETCH,
    C_HARTS,
    C_IS_T13,
    C_MISALIGNED,
    C_SHARING,
    C_SPM_SIZE,
    C_TRACING,
    CLASSES,
    D_PARKED,
    D_WAIT_LSU,
    D_WAIT_VCU,
    H_MIE,
    H_MVSIZE,
    H_STUCK,
    K_EXTRA,
    K_ISSUE,
    K_PARKED,
    K_WAIT_LSU,
    K_WAIT_VCU,
    NEVER,
    Q_AMO_ENABLES,
    RARE_CSR,
    RARE_INTERRUPT,
    RARE_MRET,
    RARE_REWRITTEN,
    RARE_SLEEP,
    RARE_SOFTWARE_INTERRUPT,
    RARE_TRAP,
    REGISTER_STRIDE,
    S_AMO_ENABLES,
    S_B,
    S_CAUSE,
    S_CYCLE,
    S_EXIT_CYCLE,
    S_EXTRA_SLOTS,
    S_LSU_LAST,
    S_NPC,
    S_PENDING,
    S_RARE,
    S_RETRY,
    S_REWRITTEN,
    S_VALUE,
    S_VCU0,
    S_VOID_CYCLE,
    S_WARNINGS,
    SINK,
    SPAN_LSU,
    STOP_FAULT,
    STOP_HANG,
    STOP_RARE,
    WARN_BEHIND_VOID,
)
from gnomon.sim._memory import in_swi_hole
from gnomon.sim._ops import (
    AMOSWAP,
    BGEU,
    CSRRCI,
    CSRRW,
    EBREAK,
    ECALL,
    ILLEGAL_KDSP,
    ILLEGAL_KMEM,
    ILLEGAL_LSU,
    JAL,
    JALR,
    KADDV,
    KBCASTLD,
    KMEMLD,
    KMEMSTR,
    KSVDIVPSRF,
    LB,
    LHU,
    LOAD_X0,
    MRET,
    SB,
    SH,
    SW,
    WFI,
)
from gnomon.sim._records import record_request, record_span
from gnomon.sim._tables import CLASS_OF
from gnomon.sim._transfer import transfer_issue
from gnomon.sim._vcu import vector_issue
from gnomon.sim._vcu_timing import void_issue
from gnomon.sim._vector_csr import vector_csr
from gnomon.sim._waits import all_stuck, retry, stall

_M32 = 0xFFFFFFFF
_SYSTEM = CLASSES.index("system")
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
    t13 = cfg[C_IS_T13] != 0
    position = (index << 3) | h
    lsu_spot = D_WAIT_LSU * len(prof) + position
    vcu_spot = D_WAIT_VCU * len(prof) + position
    base = h * REGISTER_STRIDE
    rs1 = regs[base + ((e >> 14) & 31)]
    rs2 = regs[base + ((e >> 19) & 31)]
    target = base + ((e >> 8) & 63)
    imm = e >> 32
    cause = 0
    rare = 0
    value = 0  # what mtval reports on an ISA-clean core
    unit = 0 if cfg[C_SHARING] == 0 else h
    st[S_CYCLE] = cycle
    st[S_B] = (e >> 24) & 0xFF
    st[S_NPC] = (pc + 4) & _M32
    st[S_RETRY] = 0
    st[S_EXTRA_SLOTS] = 0

    load = LB <= o <= LHU
    store = SB <= o <= SW
    transfer = o == KMEMLD or o == KMEMSTR or o == KBCASTLD
    vector = KADDV <= o <= KSVDIVPSRF
    waits_for_vcu = transfer or o == AMOSWAP or o == ILLEGAL_KMEM

    if load or store or waits_for_vcu or o == LOAD_X0 or o == ILLEGAL_LSU:
        issue = max(cycle, st[S_LSU_LAST] + 2)
        if waits_for_vcu:
            issue = max(issue, st[S_VCU0 + unit] + 2)
            if issue > NEVER and st[S_EXIT_CYCLE] < 0:
                return STOP_HANG
        if issue > limit:
            return WAITS
        if issue > cycle:
            cycle = stall(cfg, hs, acct, dyn, h, lsu_spot, cycle, st[S_LSU_LAST], int64(K_WAIT_LSU))
            if waits_for_vcu:
                busy = st[S_VCU0 + unit]
                cycle = stall(cfg, hs, acct, dyn, h, vcu_spot, cycle, busy, int64(K_WAIT_VCU))
            st[S_CYCLE] = cycle

    if vector and not t13:
        # No rotation to give the slot to: the core waits in decode.
        if st[S_VCU0 + unit] + 2 > limit:
            return STOP_HANG if st[S_VCU0 + unit] >= NEVER and st[S_EXIT_CYCLE] < 0 else WAITS
        cycle = stall(cfg, hs, acct, dyn, h, vcu_spot, cycle, st[S_VCU0 + unit], int64(K_WAIT_VCU))
        st[S_CYCLE] = cycle
    elif (vector or o == ILLEGAL_KDSP) and st[S_VCU0 + unit] >= cycle - 1:
        st[S_RETRY] = 1
        if (st[S_PENDING] >> h) & 1:
            irq = True
        else:
            if st[S_VCU0 + unit] >= NEVER:
                hs[h, H_STUCK] = 1
                if all_stuck(cfg, hs) and st[S_EXIT_CYCLE] < 0:
                    return STOP_HANG
            tries = retry(
                cfg, st, hs, acct, dyn, prof, e, h, position, st[S_VCU0 + unit], cycle, limit
            )
            st[S_EXTRA_SLOTS] = (tries - 1) * cfg[C_HARTS]
            st[S_CYCLE] = cycle + st[S_EXTRA_SLOTS]
            st[S_NPC] = pc
            st[S_B] = 0
            return DONE

    if irq and o != SW:
        rare = RARE_INTERRUPT
    elif load:
        value = (rs1 + imm) & _M32
        cause = load_step(cfg, st, regs, ram, o, target, value, cycle)
        if cfg[C_BUS] and (cause == 0 or cause == 5):
            record_request(st, bus, cycle, value, int64(0), int64(0))
    elif store:
        value = (rs1 + imm) & _M32
        cause = store_step(cfg, st, ram, table, printed, o, value, rs2, cycle)
        if cfg[C_BUS] and (cause == 0 or cause == 7):
            enables = int64(15 if o == SW else (3 if o == SH else 1)) << (value & 3)
            record_request(st, bus, cycle, value, enables, rs2 << (8 * (value & 3)))
        if t13 and cause == 0:
            st[S_LSU_LAST] = cycle
        if irq and cause == 0:
            # The store goes out before the interrupt is taken, and again after mret.
            rare = RARE_INTERRUPT
        elif o == SW and cause >= 0 and in_swi_hole(cfg, value):
            rare = RARE_SOFTWARE_INTERRUPT
    elif o == LOAD_X0:
        st[S_B] = 0
    elif o == AMOSWAP:
        value = rs1 & _M32
        enables = st[S_AMO_ENABLES] if cfg[C_CORE_QUIRKS] & Q_AMO_ENABLES else int64(15)
        cause = amo_step(cfg, st, regs, ram, table, printed, target, value, rs2 & _M32, cycle)
        if cfg[C_BUS] and (cause == 0 or cause == 5 or cause == 7):
            swaps = target & (REGISTER_STRIDE - 1) != SINK
            if swaps:
                record_request(st, bus, cycle, value, int64(0), int64(0))
            if cause != 5:
                record_request(st, bus, cycle + 2 if swaps else cycle, value, enables, rs2)
    elif transfer:
        rd = regs[target]
        value = (rd if o == KMEMSTR else rs1) & _M32
        before = st[S_LSU_LAST]
        cause = transfer_issue(
            cfg, st, vstat, ram, spm, table, printed, bus, h, o, rd, rs1, rs2, cycle
        )
        if cfg[C_TRACING] and st[S_LSU_LAST] != before:
            length = rs2 & (2 * cfg[C_SPM_SIZE] - 1)
            record_span(st, spans, int64(SPAN_LSU), cycle, st[S_LSU_LAST], rd, rs1, rs2, length)
    elif vector:
        before = st[S_VCU0 + unit]
        behind_void = t13 and cfg[C_SHARING] == 0 and cycle - st[S_VOID_CYCLE] <= _VOID_CYCLES
        cause = vector_issue(
            cfg, st, hs, vstat, laws, spm, temp, h, o, regs[target], rs1, rs2, cycle
        )
        hs[h, H_STUCK] = 0  # it may have been foreseen to wait for ever, and did not
        if cause > 0 or hs[h, H_MVSIZE] == 0:
            void_issue(cfg, st, h, o, cycle)
        elif behind_void:
            st[S_WARNINGS] |= WARN_BEHIND_VOID
        if cfg[C_TRACING] and st[S_VCU0 + unit] != before:
            length = hs[h, H_MVSIZE]
            record_span(st, spans, unit, cycle, st[S_VCU0 + unit], regs[target], rs1, rs2, length)
    elif CSRRW <= o <= CSRRCI:
        if not vector_csr(cfg, st, hs, regs, h, o, e):
            rare = RARE_CSR
    elif o == WFI:
        if t13 and hs[h, H_MIE]:
            if hs[h, H_STUCK] and (cfg[C_TRACING] != 0 or st[S_EXIT_CYCLE] >= 0):
                acct[h, K_ISSUE + _SYSTEM] -= 1
                acct[h, K_PARKED] += 1
                dyn[D_PARKED * len(prof) + position] += 1
                st[S_NPC] = pc
            else:
                rare = RARE_SLEEP
    elif o == MRET:
        rare = RARE_MRET
    elif o == ECALL:
        cause = 11
    elif o == EBREAK:
        cause = 3
        value = pc
    elif JAL <= o <= BGEU:
        # Only an ISA-clean core comes here: the target is not aligned.
        rare = RARE_TRAP
        value = ((rs1 if o == JALR else pc) + imm) & (_M32 - 1)
    else:
        cause = 2
        value = imm & _M32

    if cause < 0:
        return STOP_FAULT
    if cause == 0 and (load or store) and crosses(o, value):
        # The second access takes as long as the first, if nothing else is said.
        again = cfg[C_MISALIGNED]
        if again == 0:
            again = st[S_B] - cfg[C_FETCH] + 1
        st[S_B] += again
        acct[h, K_EXTRA + CLASS_OF[o]] += again
        dyn[position] += again
    if cause > 0 and rare == 0:
        rare = RARE_TRAP
    if rare == 0 and st[S_REWRITTEN] != 0:
        rare = RARE_REWRITTEN
    if rare != 0:
        st[S_RARE] = rare
        st[S_CAUSE] = cause
        st[S_VALUE] = value
        return STOP_RARE
    return DONE
