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

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from gnomon.base.compiled import State, Words, entry_point, inner, int64, rebound
from gnomon.sim import _layout as at
from gnomon.sim import _ops as op
from gnomon.sim._inorder import operands_ready
from gnomon.sim._no_divide import scalar_divide_cycles
from gnomon.sim._slow import DONE, WAITS, slow_step
from gnomon.sim._tables import CLASS_OF, INTERRUPTIBLE
from gnomon.sim._vcu import vector_issue
from gnomon.sim._vcu_function import signed32

if TYPE_CHECKING:
    from collections.abc import Callable

INORDER = False
"""What the loop is compiled for: the T13, or with True an in-order core. The compiler drops the
lines of the other, so neither pays for them."""

_M32 = 0xFFFFFFFF
_MUL = at.CLASSES.index("mul")
_BRANCH = at.CLASSES.index("branch")
_DIVISION = at.CLASSES.index("div")
_VECTOR = CLASS_OF[op.KADDV]


@inner
def _divide(x: int, y: int) -> int:
    """Signed division of RISC-V: towards zero, -1 for a zero divisor."""
    if y == 0:
        return -1
    quotient = abs(x) // abs(y)
    return -quotient if (x < 0) != (y < 0) else quotient


@inner
def _long_division(
    cfg: State, laws: State, acct: State, dyn: State, h: int, spot: int, x: int, y: int, signed: int
) -> int:
    """Book the cycles of a division by a divider that depends on its operands."""
    extra = scalar_divide_cycles(cfg, laws, x, y, signed) - 1
    acct[h, at.K_EXTRA + _DIVISION] += extra
    dyn[spot] += extra
    return extra


@inner
def _wait_for_lsu(
    hs: State, acct: State, dyn: State, harts: int, h: int, spot: int, cycle: int, lsu_last: int
) -> int:
    """Book the wait of a load or store behind a busy LSU; returns its issue cycle."""
    waited = lsu_last + 2 - cycle
    acct[h, at.K_WAIT_LSU] += waited
    dyn[spot] += waited
    # The cycles belong to the hart whose instruction is still in execute: the one before.
    hs[(h + 1) % harts, at.H_CHARGED] += waited
    return cycle + waited


_operands_ready = inner(operands_ready)


@inner
def _wait_for_operands(
    hs: State, acct: State, dyn: State, h: int, spot: int, cycle: int, ready: int
) -> int:
    """Book the wait of an instruction for what it reads; returns its issue cycle."""
    waited = ready - cycle
    acct[h, at.K_WAIT_OPERAND] += waited
    dyn[spot] += waited
    hs[h, at.H_CHARGED] += waited
    return cycle + waited


@inner
def _further_cycles(acct: State, dyn: State, h: int, spot: int, kind: int, cycles: int) -> int:
    """Book execute cycles that depend on the operands; returns them."""
    acct[h, at.K_EXTRA + kind] += cycles
    dyn[spot] += cycles
    return cycles


@inner
def _bits_beyond_first(value: int) -> int:
    """Length of a word read without sign, without its first bit; 0 for 0."""
    rest = (value & _M32) >> 1
    bits = 0
    while rest != 0:
        rest >>= 1
        bits += 1
    return bits


@entry_point
def run_until(
    cfg: State, st: State, hs: State, acct: State, dyn: State, prof: State,
    vstat: State, laws: State, table: State, decoded: State, regs: State,
    ram: Words, ram16: Words, ram8: Words,
    spm: Words, temp: Words, printed: State, spans: State, trace: State, bus: State, calls: State,
) -> int:  # fmt: skip
    """Run until an instruction would issue after the quantum, or something needs Python.

    Returns:
        A STOP code. All state is in the arrays; calling again goes on exactly there.
    """
    serial = cfg[at.C_SERIAL] != 0
    tracing = cfg[at.C_TRACING] != 0
    recording = cfg[at.C_BUS] != 0
    bus_full = len(bus) - (cfg[at.C_SPM_SIZE] >> 2) - 4  # the longest transfer still fits
    harts = cfg[at.C_HARTS]
    plane = len(prof)  # of dyn
    ibase = cfg[at.C_IBASE]
    words = cfg[at.C_ISIZE] >> 2
    dbase = cfg[at.C_DBASE]
    dsize = cfg[at.C_DSIZE]
    dword0 = cfg[at.C_DWORD0] & 0x3FFFFFFF
    taken = cfg[at.C_BRANCH_TAKEN]
    variable = cfg[at.C_DIV_VARIABLE] != 0
    replicated = cfg[at.C_SHARING] != 0
    misaligned = 0 if cfg[at.C_CORE_QUIRKS] & at.Q_FETCH_ALIGN else 3
    boot_repeat = cfg[at.C_CORE_QUIRKS] & at.Q_BOOT_REPEAT != 0 and st[at.S_SLOTS] == 0

    limit = min(st[at.S_QUANTUM_END], cfg[at.C_HARD_LIMIT])
    if st[at.S_EXIT_CYCLE] >= 0:
        limit = min(limit, st[at.S_EXIT_CYCLE])
    cycle = st[at.S_CYCLE]
    h = st[at.S_HART]
    slots = st[at.S_SLOTS]
    lsu_last = st[at.S_LSU_LAST]
    prepared = st[at.S_PREPARED] != 0
    alert = -1 if prepared else st[at.S_PENDING]
    enables = st[at.S_AMO_ENABLES]
    stepping = st[at.S_STEP_OVER] != 0
    watching = cfg[at.C_CALLS] != 0 and st[at.S_WATCH] != 0
    special = serial or tracing or boot_repeat or stepping or watching
    multi = st[at.S_MULTI] != 0
    plain = not (special or multi)
    gap = hs[h, at.H_GAP]
    pc = hs[h, at.H_PC]
    own_extra = hs[h, at.H_OWN_EXTRA]
    base = (h & 7) * at.REGISTER_STRIDE
    lane = h & 7
    last_gap = st[at.S_GAP]
    last_hart = st[at.S_LAST_HART]
    last_index = st[at.S_LAST_INDEX]
    traced = st[at.S_TRACED]
    stop = at.STOP_QUANTUM
    if INORDER:
        operand_plane = at.D_WAIT_OPERAND * plane
        fetch_plane = at.D_WAIT_FETCH * plane
        fetch = cfg[at.C_FETCH]
        redirect = cfg[at.C_REDIRECT]
        load_use = cfg[at.C_LOAD_USE]
        mul_use = cfg[at.C_MUL_USE]
        mul_per_bit = cfg[at.C_MUL_PER_BIT]
        div_zero = cfg[at.C_DIV_ZERO]
        ready_last = st[at.S_READY_LAST]
        last_jumped = st[at.S_JUMPED] != 0

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
            if o != op.WATCHED and not stepping:
                stop = at.STOP_MARK
                break
            if o >= op.WATCHED:
                watching = True
                special = True
                plain = False
            e = decoded[index]
            o = e & 0xFF
        b = (e >> 24) & 0xFF
        value = 0
        npc = (pc + 4) & _M32
        slow = False
        jumped = False
        irq = False
        if INORDER:
            use = int64(0)  # cycles from the end of this instruction until its result is there
            if cycle < ready_last:
                ready = _operands_ready(st, e)
                if ready > limit:
                    break
                if ready > cycle:
                    cycle = _wait_for_operands(
                        hs, acct, dyn, h, operand_plane + ((index << 3) | lane), cycle, ready
                    )
                if not op.KMEMLD <= o <= op.KSVDIVPSRF:
                    st[at.S_READY0 + ((e >> 8) & 63)] = 0  # whoever reads it now reads a newer one
        if alert != 0 and (prepared or ((alert >> h) & 1 and INTERRUPTIBLE[o])):
            slow = True
            irq = True
        elif o == op.ADDI:
            value = regs[base + ((e >> 14) & 31)] + (e >> 32)
        elif o == op.ADD:
            value = regs[base + ((e >> 14) & 31)] + regs[base + ((e >> 19) & 31)]
        elif o == op.LW:
            offset = (regs[base + ((e >> 14) & 31)] + (e >> 32) - dbase) & _M32
            if offset < dsize and offset & 3 == 0:
                if lsu_last + 2 > cycle:
                    if lsu_last + 2 > limit:
                        break
                    cycle = _wait_for_lsu(
                        hs, acct, dyn, harts, h, plane + ((index << 3) | lane), cycle, lsu_last
                    )
                value = int64(ram[dword0 + (offset >> 2)])
                enables = 15
                if INORDER:
                    use = load_use
            else:
                slow = True
        elif o == op.SW:
            offset = (regs[base + ((e >> 14) & 31)] + (e >> 32) - dbase) & _M32
            if offset < dsize and offset & 3 == 0:
                if lsu_last + 2 > cycle:
                    if lsu_last + 2 > limit:
                        break
                    cycle = _wait_for_lsu(
                        hs, acct, dyn, harts, h, plane + ((index << 3) | lane), cycle, lsu_last
                    )
                ram[dword0 + (offset >> 2)] = regs[base + ((e >> 19) & 31)]
                enables = 15
                if not INORDER:
                    lsu_last = cycle
            else:
                slow = True
        elif o == op.BEQ:
            if regs[base + ((e >> 14) & 31)] == regs[base + ((e >> 19) & 31)]:
                npc = (pc + (e >> 32)) & _M32
                jumped = True
        elif o == op.BNE:
            if regs[base + ((e >> 14) & 31)] != regs[base + ((e >> 19) & 31)]:
                npc = (pc + (e >> 32)) & _M32
                jumped = True
        elif o == op.BLT:
            if regs[base + ((e >> 14) & 31)] < regs[base + ((e >> 19) & 31)]:
                npc = (pc + (e >> 32)) & _M32
                jumped = True
        elif o == op.BGE:
            if regs[base + ((e >> 14) & 31)] >= regs[base + ((e >> 19) & 31)]:
                npc = (pc + (e >> 32)) & _M32
                jumped = True
        elif o == op.BLTU:
            if (regs[base + ((e >> 14) & 31)] & _M32) < (regs[base + ((e >> 19) & 31)] & _M32):
                npc = (pc + (e >> 32)) & _M32
                jumped = True
        elif o == op.BGEU:
            if (regs[base + ((e >> 14) & 31)] & _M32) >= (regs[base + ((e >> 19) & 31)] & _M32):
                npc = (pc + (e >> 32)) & _M32
                jumped = True
        elif o == op.JAL:
            npc = (pc + (e >> 32)) & _M32
            value = pc + 4
            slow = (npc & misaligned) != 0
        elif o == op.JALR:
            npc = (regs[base + ((e >> 14) & 31)] + (e >> 32)) & (_M32 - 1)
            value = pc + 4
            slow = (npc & misaligned) != 0
        elif o == op.SLLI:
            value = regs[base + ((e >> 14) & 31)] << ((e >> 32) & 31)
        elif o == op.SRLI:
            value = (regs[base + ((e >> 14) & 31)] & _M32) >> ((e >> 32) & 31)
        elif o == op.SRAI:
            value = regs[base + ((e >> 14) & 31)] >> ((e >> 32) & 31)
        elif o == op.ANDI:
            value = regs[base + ((e >> 14) & 31)] & (e >> 32)
        elif o == op.ORI:
            value = regs[base + ((e >> 14) & 31)] | (e >> 32)
        elif o == op.XORI:
            value = regs[base + ((e >> 14) & 31)] ^ (e >> 32)
        elif o == op.LUI:
            value = e >> 32
        elif o == op.AUIPC:
            value = pc + (e >> 32)
        elif o == op.SUB:
            value = regs[base + ((e >> 14) & 31)] - regs[base + ((e >> 19) & 31)]
        elif o == op.AND:
            value = regs[base + ((e >> 14) & 31)] & regs[base + ((e >> 19) & 31)]
        elif o == op.OR:
            value = regs[base + ((e >> 14) & 31)] | regs[base + ((e >> 19) & 31)]
        elif o == op.XOR:
            value = regs[base + ((e >> 14) & 31)] ^ regs[base + ((e >> 19) & 31)]
        elif o == op.SLL:
            value = regs[base + ((e >> 14) & 31)] << (regs[base + ((e >> 19) & 31)] & 31)
        elif o == op.SRL:
            value = (regs[base + ((e >> 14) & 31)] & _M32) >> (regs[base + ((e >> 19) & 31)] & 31)
        elif o == op.SRA:
            value = regs[base + ((e >> 14) & 31)] >> (regs[base + ((e >> 19) & 31)] & 31)
        elif o == op.SLT:
            value = int64(regs[base + ((e >> 14) & 31)] < regs[base + ((e >> 19) & 31)])
        elif o == op.SLTU:
            value = int64(
                (regs[base + ((e >> 14) & 31)] & _M32) < (regs[base + ((e >> 19) & 31)] & _M32)
            )
        elif o == op.SLTI:
            value = int64(regs[base + ((e >> 14) & 31)] < (e >> 32))
        elif o == op.SLTIU:
            value = int64((regs[base + ((e >> 14) & 31)] & _M32) < ((e >> 32) & _M32))
        elif o == op.MUL:
            y = regs[base + ((e >> 19) & 31)]
            value = regs[base + ((e >> 14) & 31)] * y
            if INORDER:
                use = mul_use
                if mul_per_bit != 0:
                    steps = mul_per_bit * _bits_beyond_first(y)
                    b += _further_cycles(acct, dyn, h, (index << 3) | lane, int64(_MUL), steps)
        elif o == op.MULH:
            value = (regs[base + ((e >> 14) & 31)] * regs[base + ((e >> 19) & 31)]) >> 32
            if INORDER:
                use = mul_use
        elif o == op.MULHSU:
            value = (regs[base + ((e >> 14) & 31)] * (regs[base + ((e >> 19) & 31)] & _M32)) >> 32
            if INORDER:
                use = mul_use
        elif o == op.MULHU:
            if INORDER:
                use = mul_use
            x = regs[base + ((e >> 14) & 31)]
            y = regs[base + ((e >> 19) & 31)]
            # In two halves, so that no product leaves the signed 64-bit range.
            low = (x & _M32) * (y & 0xFFFF)
            value = ((x & _M32) * ((y >> 16) & 0xFFFF) + (low >> 16)) >> 16
        elif o == op.DIV:
            x = regs[base + ((e >> 14) & 31)]
            y = regs[base + ((e >> 19) & 31)]
            value = _divide(x, y)
            if variable:
                b += _long_division(cfg, laws, acct, dyn, h, (index << 3) | lane, x, y, int64(1))
            if INORDER and y == 0 and div_zero != 0:
                b += _further_cycles(acct, dyn, h, (index << 3) | lane, int64(_DIVISION), div_zero)
        elif o == op.REM:
            x = regs[base + ((e >> 14) & 31)]
            y = regs[base + ((e >> 19) & 31)]
            value = x if y == 0 else x - _divide(x, y) * y
            if variable:
                b += _long_division(cfg, laws, acct, dyn, h, (index << 3) | lane, x, y, int64(1))
            if INORDER and y == 0 and div_zero != 0:
                b += _further_cycles(acct, dyn, h, (index << 3) | lane, int64(_DIVISION), div_zero)
        elif o == op.DIVU:
            x = regs[base + ((e >> 14) & 31)]
            y = regs[base + ((e >> 19) & 31)]
            value = -1 if y == 0 else (x & _M32) // (y & _M32)
            if variable:
                b += _long_division(cfg, laws, acct, dyn, h, (index << 3) | lane, x, y, int64(0))
            if INORDER and y == 0 and div_zero != 0:
                b += _further_cycles(acct, dyn, h, (index << 3) | lane, int64(_DIVISION), div_zero)
        elif o == op.REMU:
            x = regs[base + ((e >> 14) & 31)]
            y = regs[base + ((e >> 19) & 31)]
            value = x if y == 0 else (x & _M32) % (y & _M32)
            if variable:
                b += _long_division(cfg, laws, acct, dyn, h, (index << 3) | lane, x, y, int64(0))
            if INORDER and y == 0 and div_zero != 0:
                b += _further_cycles(acct, dyn, h, (index << 3) | lane, int64(_DIVISION), div_zero)
        elif o == op.LBU or o == op.LB or o == op.LHU or o == op.LH or o == op.SB or o == op.SH:
            y = regs[base + ((e >> 19) & 31)]
            offset = (regs[base + ((e >> 14) & 31)] + (e >> 32) - dbase) & _M32
            half = o == op.LH or o == op.LHU or o == op.SH
            if offset < dsize and not (half and offset & 1) and lsu_last + 2 <= cycle:
                place = 4 * dword0 + offset
                if o == op.LBU:
                    value = int64(ram8[place]) & 0xFF
                elif o == op.LB:
                    value = int64(ram8[place])
                elif o == op.LHU:
                    value = int64(ram16[place >> 1]) & 0xFFFF
                elif o == op.LH:
                    value = int64(ram16[place >> 1])
                else:
                    if half:
                        ram16[place >> 1] = ((y & 0xFFFF) ^ 0x8000) - 0x8000
                    else:
                        ram8[place] = ((y & 0xFF) ^ 0x80) - 0x80
                    if not INORDER:
                        lsu_last = cycle
                enables = 3 if half else 1
                if INORDER and o <= op.LHU:
                    use = load_use
            else:
                slow = True
        elif o == op.NOP or o == op.FENCE or o == op.FENCE_I:
            pass
        else:
            slow = True

        if INORDER:
            last_jumped = jumped
            if jumped:
                # A taken branch costs extra, and its target must be aligned.
                if npc & misaligned:
                    slow = True
                else:
                    b += taken + redirect
                    acct[h, at.K_EXTRA + _BRANCH] += taken
                    acct[h, at.K_WAIT_FETCH] += redirect
                    dyn[(index << 3) | lane] += taken
                    dyn[fetch_plane + ((index << 3) | lane)] += redirect
        if not slow:
            regs[base + ((e >> 8) & 63)] = signed32(value)
            if INORDER and use != 0:
                ready = cycle + b + 1 - fetch + use
                st[at.S_READY0 + ((e >> 8) & 63)] = ready
                ready_last = max(ready_last, ready)
            if plain:
                # One hart awake and nobody watching: the short way round.
                prof[(index << 3) | lane] += 1
                own_extra += b
                slots += 1 + gap
                last_index = index
                last_gap = gap
                last_hart = h
                cycle += b + 1 + gap
                pc = npc
                continue
        elif (
            op.KADDV <= o <= op.KSVDIVPSRF
            and multi
            and alert == 0
            and not special
            and cycle - 1 <= st[at.S_VCU0 + (h if replicated else 0)] < at.NEVER
        ):
            # One try of a busy vector unit, without the cost of a call.
            acct[h, at.K_ISSUE + _VECTOR] -= 1
            acct[h, at.K_RETRY] += 1
            dyn[at.D_RETRY * plane + ((index << 3) | lane)] += 1
            hs[h, at.H_RETRIES] += 1
            npc = pc
            b = int64(0)
        else:
            # Hand over what the slow path reads, execute, and take over what it changed.
            st[at.S_LSU_LAST] = lsu_last
            st[at.S_AMO_ENABLES] = enables
            st[at.S_MULTI] = 1 if multi else 0
            if prepared:
                outcome = DONE
                prepared = False
            else:
                if INORDER and op.LB <= o <= op.LHU:
                    use = load_use
                outcome = slow_step(
                    cfg, st, hs, acct, dyn, prof, vstat, laws, table, regs, ram, spm, temp, printed,
                    spans, bus, h, o, e, index, pc, cycle, limit, irq,
                )  # fmt: skip
            if outcome == WAITS:
                break
            if outcome != DONE:
                stop = outcome
                lsu_last = st[at.S_LSU_LAST]
                cycle = st[at.S_CYCLE]
                break
            cycle = st[at.S_CYCLE]
            b = st[at.S_B]
            npc = st[at.S_NPC]
            slots += st[at.S_EXTRA_SLOTS]
            if INORDER and use != 0:
                ready = cycle + b + 1 - fetch + use
                st[at.S_READY0 + ((e >> 8) & 63)] = ready
                ready_last = max(ready_last, ready)
            lsu_last = st[at.S_LSU_LAST]
            alert = st[at.S_PENDING]
            multi = hs[h, at.H_NEXT] != h
            gap = hs[h, at.H_GAP]
            if op.LB <= o <= op.SW:
                size = (o - op.LB) if o <= op.LHU else (o - op.SB)
                enables = 15 if size == 2 else (3 if size == 1 or size == 4 else 1)
            if st[at.S_EXIT_CYCLE] >= 0:
                limit = min(limit, st[at.S_EXIT_CYCLE])
            # Leave after this turn if the run is over or a buffer is nearly full.
            stop = st[at.S_STOP]
            if st[at.S_PRINTED] > len(printed) // 2 or st[at.S_SPANS] > len(spans) - 2:
                stop = at.STOP_BUFFER

        prof[(index << 3) | lane] += 1
        own_extra += b
        slots += 1 + gap
        last_index = index
        last_gap = gap
        last_hart = h
        if special:
            if stepping:
                stepping = False
                # Tries of a vector instruction are booked at once; the first one counts here.
                st[at.S_MARK_CYCLE] = cycle - st[at.S_EXTRA_SLOTS] if slow else cycle
            if boot_repeat:
                # The first fetch is made twice: without a jump its word is executed twice.
                if npc == ((pc + 4) & _M32) and not (op.JAL <= o <= op.BGEU):
                    npc = pc
                boot_repeat = False
            special = serial or tracing
            if tracing:
                trace[traced, at.T_CYCLE] = cycle
                trace[traced, at.T_HART] = h
                trace[traced, at.T_PC] = pc
                retried = slow and st[at.S_RETRY] != 0
                trace[traced, at.T_WORD] = 0x6F if retried else np.int64(ram[index]) & _M32
                trace[traced, at.T_EXTRA] = b
                trace[traced, at.T_WAITS] = acct[h, at.K_WAIT_LSU]
                trace[traced, at.T_WAITS + 1] = acct[h, at.K_WAIT_VCU]
                trace[traced, at.T_WAITS + 2] = acct[h, at.K_WAIT_OPERAND]
                trace[traced, at.T_WAITS + 3] = acct[h, at.K_WAIT_FETCH]
                trace[traced, at.T_WAITS + 4] = acct[h, at.K_TRAP]
                traced += 1
                if recording:
                    if op.LB <= o <= op.SW and not slow:
                        row = st[at.S_BUS_ROWS]
                        lane_shift = 8 * (offset & 3)
                        bus[row, at.B_CYCLE] = cycle
                        bus[row, at.B_ADDRESS] = (offset + dbase) & (_M32 - 3)
                        bus[row, at.B_ENABLES] = 0
                        bus[row, at.B_DATA] = 0
                        if o >= op.SB:
                            stored = regs[base + ((e >> 19) & 31)] << lane_shift
                            bus[row, at.B_ENABLES] = enables << (offset & 3)
                            bus[row, at.B_DATA] = stored & _M32
                        st[at.S_BUS_ROWS] += 1
                    if st[at.S_BUS_ROWS] > bus_full and stop == at.STOP_QUANTUM:
                        stop = at.STOP_BUFFER
                if traced >= len(trace) and stop == at.STOP_QUANTUM:
                    stop = at.STOP_BUFFER
            if serial:
                # A busy LSU or VCU holds up whatever comes next.
                busy = lsu_last
                kind = at.K_WAIT_LSU
                for unit in range(harts):
                    if st[at.S_VCU0 + unit] > busy:
                        busy = st[at.S_VCU0 + unit]
                        kind = at.K_WAIT_VCU
                waited = max(busy + 1 - (cycle + b), 0)
                if busy >= at.NEVER:
                    stop = at.STOP_HANG
                    st[at.S_STOP] = at.STOP_HANG
                    waited = 0
                    slots -= gap
                    gap = int64(0)
                acct[h, kind] += waited
                dyn[(at.D_WAIT_LSU + kind - at.K_WAIT_LSU) * plane + ((index << 3) | lane)] += (
                    waited
                )
                hs[h, at.H_CHARGED] += waited
                st[at.S_LAST_WAIT] = waited
                st[at.S_LAST_WAIT_KIND] = kind
                cycle += waited
                if tracing:
                    trace[traced - 1, at.T_WAITS + kind - at.K_WAIT_LSU] = acct[h, kind]
            if watching:
                watching = False
                row = st[at.S_CALLS]
                calls[row, at.R_HART] = h
                calls[row, at.R_INDEX] = index
                calls[row, at.R_NPC] = npc
                calls[row, at.R_SLOTS] = slots - gap
                waits = acct[h, at.K_WAIT_LSU] + acct[h, at.K_WAIT_VCU] + acct[h, at.K_WAIT_OPERAND]
                calls[row, at.R_BEYOND] = own_extra + waits
                calls[row, at.R_STACK] = regs[base + 2] & _M32
                calls[row, at.R_KIND] = st[at.S_WATCH]
                st[at.S_WATCH] = 0
                st[at.S_CALLS] = row + 1
                if row + 2 > len(calls) and stop == at.STOP_QUANTUM:
                    stop = at.STOP_BUFFER
        cycle += b + 1 + gap
        if multi:
            hs[h, at.H_PC] = npc
            hs[h, at.H_OWN_EXTRA] = own_extra
            h = hs[h, at.H_NEXT]
            gap = hs[h, at.H_GAP]
            multi = hs[h, at.H_NEXT] != h
            pc = hs[h, at.H_PC]
            own_extra = hs[h, at.H_OWN_EXTRA]
            base = (h & 7) * at.REGISTER_STRIDE
            lane = h & 7
        else:
            pc = npc
        plain = not (special or multi)
        if stop != at.STOP_QUANTUM:
            break

    if stop == at.STOP_QUANTUM:
        if st[at.S_EXIT_CYCLE] >= 0 and limit == st[at.S_EXIT_CYCLE]:
            stop = at.STOP_EXIT
        elif limit == cfg[at.C_HARD_LIMIT]:
            stop = at.STOP_HARD_LIMIT
    hs[h, at.H_PC] = pc
    hs[h, at.H_OWN_EXTRA] = own_extra
    st[at.S_CYCLE] = cycle
    st[at.S_PREPARED] = 0
    st[at.S_HART] = h
    st[at.S_SLOTS] = slots
    st[at.S_LSU_LAST] = lsu_last
    st[at.S_AMO_ENABLES] = enables
    st[at.S_STEP_OVER] = 1 if stepping else 0
    st[at.S_MULTI] = 1 if multi else 0
    st[at.S_GAP] = last_gap
    st[at.S_LAST_HART] = last_hart
    st[at.S_LAST_INDEX] = last_index
    st[at.S_TRACED] = traced
    if INORDER:
        st[at.S_READY_LAST] = ready_last
        st[at.S_JUMPED] = 1 if last_jumped else 0
    return stop


@cache
def engine(*, inorder: bool, divides: bool) -> Callable[..., int]:
    """The loop for one kind of machine, compiled at its first use.

    Args:
        inorder: an in-order core, not a T13.
        divides: vector division, or a scalar divider that depends on its operands.
    """
    if not inorder and not divides:
        return run_until
    changed: dict[str, object] = {"INORDER": inorder}
    if divides:
        from gnomon.sim import _divide

        vector = inner(
            rebound(
                vector_issue,
                divide_vector=_divide.divide_vector,
                narrow_division=_divide.narrow_division,
                scaled_products=_divide.scaled_products,
            )
        )
        division = rebound(_long_division, scalar_divide_cycles=_divide.scalar_divide_cycles)
        changed |= {
            "slow_step": inner(rebound(slow_step, vector_issue=vector)),
            "_long_division": inner(division),
        }
    variant = ("inorder" if inorder else "") + ("dividing" if divides else "")
    return entry_point(rebound(run_until, **changed), variant=variant)
