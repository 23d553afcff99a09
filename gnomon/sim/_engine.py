"""The loop: function and timing of one instruction per turn, as fast as a loop can.

One turn issues one instruction. ``cycle`` is the issue cycle it would have if nothing stalls it.
With one hart awake the loop stays on that hart and steps over the parked slots in one addition;
with several it follows the rotation. Plain integer work, branches and accesses to data RAM are
done here; the rest goes to :func:`gnomon.sim._slow.slow_step`.

Issue recurrence, source: microarchitecture.md section 1. Let an instruction enter execute in
cycle I and stay b extra cycles. The next one in rotation enters in c + 1, where c >= I + b is
the first cycle in which decode does not wait for the LSU or its vector unit.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gnomon.sim import _layout as at
from gnomon.sim import _ops as op
from gnomon.sim._jit import compiled
from gnomon.sim._slow import DONE, WAITS, slow_step
from gnomon.sim._tables import INTERRUPTIBLE
from gnomon.sim._vcu_function import Words, signed32

State = npt.NDArray[np.int64]

_M32 = 0xFFFFFFFF
_BRANCH = at.CLASSES.index("branch")


@compiled
def run_until(  # noqa: PLR0917
    cfg: State, st: State, hs: State, acct: State, dyn: State, prof: State,
    vstat: npt.NDArray[np.int64], table: State, decoded: State, regs: State,
    ram: Words, ram16: npt.NDArray[np.int16], ram8: npt.NDArray[np.int8],
    spm: Words, temp: Words, printed: State, spans: State, trace: npt.NDArray[np.int64],
    quantum_end: int,
) -> int:  # fmt: skip
    """Run until an instruction would issue after ``quantum_end``, or something needs Python.

    Returns:
        A STOP code. All state is in the arrays; calling again goes on exactly there.
    """
    t13 = cfg[at.C_IS_T13] != 0
    serial = cfg[at.C_SERIAL] != 0
    tracing = cfg[at.C_TRACING] != 0
    harts = cfg[at.C_HARTS]
    ibase = cfg[at.C_IBASE]
    words = cfg[at.C_ISIZE] >> 2
    dbase = cfg[at.C_DBASE]
    dsize = cfg[at.C_DSIZE]
    dword0 = cfg[at.C_DWORD0]
    taken = cfg[at.C_BRANCH_TAKEN]
    misaligned = 0 if cfg[at.C_CORE_QUIRKS] & at.Q_FETCH_ALIGN else 3
    boot_repeat = cfg[at.C_CORE_QUIRKS] & at.Q_BOOT_REPEAT != 0 and st[at.S_SLOTS] == 0
    special = serial or tracing or boot_repeat

    limit = min(quantum_end, cfg[at.C_HARD_LIMIT])
    if st[at.S_EXIT_CYCLE] >= 0:
        limit = min(limit, st[at.S_EXIT_CYCLE])
    cycle = st[at.S_CYCLE]
    h = st[at.S_HART]
    slots = st[at.S_SLOTS]
    lsu_last = st[at.S_LSU_LAST]
    pending = st[at.S_PENDING]
    enables = st[at.S_AMO_ENABLES]
    stepping = st[at.S_STEP_OVER] != 0
    multi = st[at.S_MULTI] != 0
    gap = hs[h, at.H_GAP]
    pc = hs[h, at.H_PC]
    own_extra = hs[h, at.H_OWN_EXTRA]
    base = h * at.REGISTER_STRIDE
    profile = h * words
    last_gap = st[at.S_GAP]
    last_end = st[at.S_LAST_END]
    last_hart = st[at.S_LAST_HART]
    last_index = st[at.S_LAST_INDEX]
    issued_at = st[at.S_ISSUED_AT]
    traced = st[at.S_TRACED]
    stop = at.STOP_QUANTUM

    while cycle <= limit:
        index = ((pc - ibase) & _M32) >> 2
        if index >= words:
            st[at.S_FAULT] = at.FAULT_FETCH
            st[at.S_FAULT_ADDRESS] = pc
            stop = at.STOP_FAULT
            break
        e = table[index]
        o = e & 0xFF
        if o >= op.STALE:
            if o == op.STALE:
                stop = at.STOP_DECODE
                break
            if not stepping:
                stop = at.STOP_MARK
                break
            e = decoded[index]
            o = e & 0xFF
        b = (e >> 24) & 0xFF
        npc = (pc + 4) & _M32
        slow = False
        waits = False
        irq = False
        if pending != 0 and (pending >> h) & 1 and INTERRUPTIBLE[o]:
            slow = True
            irq = True
        elif o == op.ADDI:
            regs[base + ((e >> 8) & 63)] = signed32(regs[base + ((e >> 14) & 31)] + (e >> 32))
        elif o == op.ADD:
            regs[base + ((e >> 8) & 63)] = signed32(
                regs[base + ((e >> 14) & 31)] + regs[base + ((e >> 19) & 31)]
            )
        elif o == op.LW:
            offset = (regs[base + ((e >> 14) & 31)] + (e >> 32) - dbase) & _M32
            if offset < dsize and offset & 3 == 0:
                if lsu_last + 2 > cycle:
                    if lsu_last + 2 > limit:
                        waits = True
                    else:
                        waited = lsu_last + 2 - cycle
                        acct[h, at.K_WAIT_LSU] += waited
                        dyn[profile + index] += waited
                        hs[(h + 1) % harts, at.H_CHARGED] += waited
                        cycle += waited
                if not waits:
                    regs[base + ((e >> 8) & 63)] = np.int64(ram[dword0 + (offset >> 2)])
                    enables = 15
            else:
                slow = True
        elif o == op.SW:
            offset = (regs[base + ((e >> 14) & 31)] + (e >> 32) - dbase) & _M32
            if offset < dsize and offset & 3 == 0:
                if lsu_last + 2 > cycle:
                    if lsu_last + 2 > limit:
                        waits = True
                    else:
                        waited = lsu_last + 2 - cycle
                        acct[h, at.K_WAIT_LSU] += waited
                        dyn[profile + index] += waited
                        hs[(h + 1) % harts, at.H_CHARGED] += waited
                        cycle += waited
                if not waits:
                    ram[dword0 + (offset >> 2)] = regs[base + ((e >> 19) & 31)]
                    enables = 15
                    if t13:
                        lsu_last = cycle
            else:
                slow = True
        elif op.BEQ <= o <= op.BGEU:
            x = regs[base + ((e >> 14) & 31)]
            y = regs[base + ((e >> 19) & 31)]
            if o == op.BEQ:
                jump = x == y
            elif o == op.BNE:
                jump = x != y
            elif o == op.BLT:
                jump = x < y
            elif o == op.BGE:
                jump = x >= y
            elif o == op.BLTU:
                jump = (x & _M32) < (y & _M32)
            else:
                jump = (x & _M32) >= (y & _M32)
            if jump:
                npc = (pc + (e >> 32)) & _M32
                if taken:
                    b += taken
                    acct[h, at.K_EXTRA + _BRANCH] += taken
                    dyn[profile + index] += taken
                if npc & misaligned:
                    slow = True
        elif o == op.JAL:
            npc = (pc + (e >> 32)) & _M32
            if npc & misaligned:
                slow = True
            else:
                regs[base + ((e >> 8) & 63)] = signed32(pc + 4)
        elif o == op.JALR:
            npc = (regs[base + ((e >> 14) & 31)] + (e >> 32)) & (_M32 - 1)
            if npc & misaligned:
                slow = True
            else:
                regs[base + ((e >> 8) & 63)] = signed32(pc + 4)
        elif o == op.SLLI:
            regs[base + ((e >> 8) & 63)] = signed32(
                (regs[base + ((e >> 14) & 31)] & _M32) << ((e >> 32) & 31)
            )
        elif o == op.SRLI:
            regs[base + ((e >> 8) & 63)] = signed32(
                (regs[base + ((e >> 14) & 31)] & _M32) >> ((e >> 32) & 31)
            )
        elif o == op.SRAI:
            regs[base + ((e >> 8) & 63)] = regs[base + ((e >> 14) & 31)] >> ((e >> 32) & 31)
        elif o == op.ANDI:
            regs[base + ((e >> 8) & 63)] = regs[base + ((e >> 14) & 31)] & (e >> 32)
        elif o == op.ORI:
            regs[base + ((e >> 8) & 63)] = regs[base + ((e >> 14) & 31)] | (e >> 32)
        elif o == op.XORI:
            regs[base + ((e >> 8) & 63)] = regs[base + ((e >> 14) & 31)] ^ (e >> 32)
        elif o == op.LUI:
            regs[base + ((e >> 8) & 63)] = e >> 32
        elif o == op.AUIPC:
            regs[base + ((e >> 8) & 63)] = signed32(pc + (e >> 32))
        elif o == op.SUB:
            regs[base + ((e >> 8) & 63)] = signed32(
                regs[base + ((e >> 14) & 31)] - regs[base + ((e >> 19) & 31)]
            )
        elif o == op.AND:
            regs[base + ((e >> 8) & 63)] = (
                regs[base + ((e >> 14) & 31)] & regs[base + ((e >> 19) & 31)]
            )
        elif o == op.OR:
            regs[base + ((e >> 8) & 63)] = (
                regs[base + ((e >> 14) & 31)] | regs[base + ((e >> 19) & 31)]
            )
        elif o == op.XOR:
            regs[base + ((e >> 8) & 63)] = (
                regs[base + ((e >> 14) & 31)] ^ regs[base + ((e >> 19) & 31)]
            )
        elif o == op.SLL:
            regs[base + ((e >> 8) & 63)] = signed32(
                (regs[base + ((e >> 14) & 31)] & _M32) << (regs[base + ((e >> 19) & 31)] & 31)
            )
        elif o == op.SRL:
            regs[base + ((e >> 8) & 63)] = signed32(
                (regs[base + ((e >> 14) & 31)] & _M32) >> (regs[base + ((e >> 19) & 31)] & 31)
            )
        elif o == op.SRA:
            regs[base + ((e >> 8) & 63)] = regs[base + ((e >> 14) & 31)] >> (
                regs[base + ((e >> 19) & 31)] & 31
            )
        elif o == op.SLT:
            less = regs[base + ((e >> 14) & 31)] < regs[base + ((e >> 19) & 31)]
            regs[base + ((e >> 8) & 63)] = 1 if less else 0
        elif o == op.SLTU:
            less = (regs[base + ((e >> 14) & 31)] & _M32) < (regs[base + ((e >> 19) & 31)] & _M32)
            regs[base + ((e >> 8) & 63)] = 1 if less else 0
        elif o == op.SLTI:
            regs[base + ((e >> 8) & 63)] = 1 if regs[base + ((e >> 14) & 31)] < (e >> 32) else 0
        elif o == op.SLTIU:
            less = (regs[base + ((e >> 14) & 31)] & _M32) < ((e >> 32) & _M32)
            regs[base + ((e >> 8) & 63)] = 1 if less else 0
        elif o == op.MUL:
            regs[base + ((e >> 8) & 63)] = signed32(
                regs[base + ((e >> 14) & 31)] * regs[base + ((e >> 19) & 31)]
            )
        elif o == op.MULH:
            regs[base + ((e >> 8) & 63)] = (
                regs[base + ((e >> 14) & 31)] * regs[base + ((e >> 19) & 31)]
            ) >> 32
        elif o == op.MULHSU:
            regs[base + ((e >> 8) & 63)] = (
                regs[base + ((e >> 14) & 31)] * (regs[base + ((e >> 19) & 31)] & _M32)
            ) >> 32
        elif o == op.MULHU:
            # In two halves, so that no product leaves the signed 64-bit range.
            x = regs[base + ((e >> 14) & 31)] & _M32
            y = regs[base + ((e >> 19) & 31)] & _M32
            high = x * (y >> 16) + ((x * (y & 0xFFFF)) >> 16)
            regs[base + ((e >> 8) & 63)] = signed32(high >> 16)
        elif o == op.DIV or o == op.REM:
            x = regs[base + ((e >> 14) & 31)]
            y = regs[base + ((e >> 19) & 31)]
            if y == 0:
                result = -1 if o == op.DIV else x
            else:
                # Round towards zero, whatever the language does.
                quotient = abs(x) // abs(y)
                if (x < 0) != (y < 0):
                    quotient = -quotient
                result = quotient if o == op.DIV else x - quotient * y
            regs[base + ((e >> 8) & 63)] = signed32(result)
        elif o == op.DIVU or o == op.REMU:
            x = regs[base + ((e >> 14) & 31)] & _M32
            y = regs[base + ((e >> 19) & 31)] & _M32
            if y == 0:
                result = _M32 if o == op.DIVU else x
            else:
                result = x // y if o == op.DIVU else x % y
            regs[base + ((e >> 8) & 63)] = signed32(result)
        elif (op.LB <= o <= op.LHU) or (op.SB <= o <= op.SH):
            offset = (regs[base + ((e >> 14) & 31)] + (e >> 32) - dbase) & _M32
            half = o == op.LH or o == op.LHU or o == op.SH
            if offset < dsize and not (half and offset & 1) and lsu_last + 2 <= cycle:
                place = 4 * dword0 + offset
                if o == op.LBU:
                    regs[base + ((e >> 8) & 63)] = np.int64(ram8[place]) & 0xFF
                elif o == op.LB:
                    regs[base + ((e >> 8) & 63)] = np.int64(ram8[place])
                elif o == op.LHU:
                    regs[base + ((e >> 8) & 63)] = np.int64(ram16[place >> 1]) & 0xFFFF
                elif o == op.LH:
                    regs[base + ((e >> 8) & 63)] = np.int64(ram16[place >> 1])
                else:
                    value = regs[base + ((e >> 19) & 31)]
                    if half:
                        ram16[place >> 1] = ((value & 0xFFFF) ^ 0x8000) - 0x8000
                    else:
                        ram8[place] = ((value & 0xFF) ^ 0x80) - 0x80
                    if t13:
                        lsu_last = cycle
                enables = 3 if half else 1
            else:
                slow = True
        elif o == op.NOP or o == op.FENCE or o == op.FENCE_I:
            pass
        else:
            slow = True

        retried = False
        if slow:
            # Flush what the slow path reads, execute, and take over what it changed.
            st[at.S_SLOTS] = slots + 1
            st[at.S_LSU_LAST] = lsu_last
            st[at.S_AMO_ENABLES] = enables
            st[at.S_MULTI] = 1 if multi else 0
            hs[h, at.H_OWN_EXTRA] = own_extra
            outcome = slow_step(
                cfg, st, hs, acct, dyn, prof, vstat, table, decoded, regs, ram, spm, temp,
                printed, spans, h, o, e, index, pc, cycle, limit, irq,
            )  # fmt: skip
            if outcome == WAITS:
                waits = True
            elif outcome != DONE:
                stop = outcome
                cycle = st[at.S_CYCLE]
                break
            else:
                cycle = st[at.S_CYCLE]
                b = st[at.S_B]
                npc = st[at.S_NPC]
                slots += st[at.S_EXTRA_SLOTS]
                retried = st[at.S_RETRY] != 0
                lsu_last = st[at.S_LSU_LAST]
                pending = st[at.S_PENDING]
                multi = st[at.S_MULTI] != 0
                gap = hs[h, at.H_GAP]
                if op.LB <= o <= op.SW:
                    size = (o - op.LB) if o <= op.LHU else (o - op.SB)
                    enables = 15 if size == 2 else (3 if size == 1 or size == 4 else 1)
                if st[at.S_EXIT_CYCLE] >= 0:
                    limit = min(limit, st[at.S_EXIT_CYCLE])
        if waits:
            break

        prof[profile + index] += 1
        own_extra += b
        slots += 1
        issued_at = cycle
        last_hart = h
        last_index = index
        if special:
            if boot_repeat:
                # The first fetch is made twice: without a jump its word is executed twice.
                if npc == ((pc + 4) & _M32) and not (op.JAL <= o <= op.BGEU):
                    npc = pc
                boot_repeat = False
                special = serial or tracing
            if tracing:
                trace[traced, 0] = cycle
                trace[traced, 1] = h
                trace[traced, 2] = pc
                trace[traced, 3] = 0x6F if retried else np.int64(ram[index]) & _M32
                traced += 1
        last_end = cycle + b + 1
        if serial:
            # A busy LSU or VCU holds up whatever comes next.
            busy = lsu_last
            kind = at.K_WAIT_LSU
            for unit in range(harts):
                if st[at.S_VCU0 + unit] > busy:
                    busy = st[at.S_VCU0 + unit]
                    kind = at.K_WAIT_VCU
            if busy + 2 > last_end:
                if busy >= at.NEVER:
                    stop = at.STOP_HANG
                    st[at.S_STOP] = at.STOP_HANG
                    busy = last_end - 2
                waited = busy + 2 - last_end
                acct[h, kind] += waited
                dyn[profile + index] += waited
                hs[h, at.H_CHARGED] += waited
                st[at.S_LAST_WAIT] = waited
                st[at.S_LAST_WAIT_KIND] = kind
                last_end += waited
            else:
                st[at.S_LAST_WAIT] = 0
        last_gap = gap
        slots += gap
        cycle = last_end + gap
        if multi:
            hs[h, at.H_PC] = npc
            hs[h, at.H_OWN_EXTRA] = own_extra
            h = hs[h, at.H_NEXT]
            gap = hs[h, at.H_GAP]
            multi = hs[h, at.H_NEXT] != h
            pc = hs[h, at.H_PC]
            own_extra = hs[h, at.H_OWN_EXTRA]
            base = h * at.REGISTER_STRIDE
            profile = h * words
        else:
            pc = npc
        if stepping:
            stepping = False
            st[at.S_MARK_CYCLE] = issued_at
        if st[at.S_STOP] != 0:
            stop = st[at.S_STOP]
            st[at.S_STOP] = 0
            break
        if tracing and traced >= len(trace):
            stop = at.STOP_BUFFER
            break
        if slow and (st[at.S_PRINTED] > len(printed) // 2 or st[at.S_SPANS] > len(spans) - 2):
            stop = at.STOP_BUFFER
            break

    if stop == at.STOP_QUANTUM:
        if st[at.S_EXIT_CYCLE] >= 0 and limit == st[at.S_EXIT_CYCLE]:
            stop = at.STOP_EXIT
        elif limit == cfg[at.C_HARD_LIMIT]:
            stop = at.STOP_HARD_LIMIT
    hs[h, at.H_PC] = pc
    hs[h, at.H_OWN_EXTRA] = own_extra
    st[at.S_CYCLE] = cycle
    st[at.S_HART] = h
    st[at.S_SLOTS] = slots
    st[at.S_LSU_LAST] = lsu_last
    st[at.S_AMO_ENABLES] = enables
    st[at.S_STEP_OVER] = 1 if stepping else 0
    st[at.S_MULTI] = 1 if multi else 0
    st[at.S_GAP] = last_gap
    st[at.S_LAST_END] = last_end
    st[at.S_LAST_HART] = last_hart
    st[at.S_LAST_INDEX] = last_index
    st[at.S_ISSUED_AT] = issued_at
    st[at.S_TRACED] = traced
    return stop
