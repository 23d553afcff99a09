"""What the loop leaves to Python: traps, interrupts, sleep and waking, most CSR accesses.

The compiled part has accounted for stalls and has put issue cycle, extra cycles and next pc in
``st``. The functions here change what is different, and the loop takes the result over as if it
had executed the instruction itself.
Source: microarchitecture.md sections 2 and 3 (exact in 20 random programs under interrupts).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.sim import _layout as at
from gnomon.sim import _ops as op
from gnomon.sim._counters import issued
from gnomon.sim._csr import (
    is_read_only,
    read_csr,
    status_value,
    stored_value,
    update_pending,
    write_csr,
)
from gnomon.sim._inorder import fetch_cycles
from gnomon.sim._memory import SWI_FIRST
from gnomon.sim._tables import CLASS_OF
from gnomon.sim._wires import address_wires

if TYPE_CHECKING:
    from gnomon.sim._machine import Machine

_M32 = 0xFFFFFFFF
_SYSTEM = at.CLASSES.index("system")
_STORE = at.CLASSES.index("store")
_REPEATS_ALLOWED = 64  # the same trap at the same pc without an mret in between
_ILLEGAL_INSTRUCTION = 2
_MISALIGNED = (4, 6)
_CSR_EXTRA_CYCLES = 2
_SWI_EXTRA_CYCLES = 2


def execute_rare(machine: Machine) -> int | None:
    """Execute the instruction the loop stopped at.

    Returns:
        None to go on, or the STOP code that ends the run.
    """
    st = machine.st
    kind = int(st[at.S_RARE])
    h = int(st[at.S_HART])
    pc = int(machine.hs[h, at.H_PC])
    stop = None
    if st[at.S_REWRITTEN]:
        _wake_rewritten(machine)
    if kind == at.RARE_INTERRUPT:
        stop = _interrupt(machine, h, pc)
    elif kind == at.RARE_CSR:
        if not _csr_access(machine, h, pc):
            st[at.S_CAUSE] = _ILLEGAL_INSTRUCTION
            st[at.S_VALUE] = int(machine.ram[machine.word_index(pc)]) & _M32
            stop = _exception(machine, h, pc, extra=int(st[at.S_B]))
    elif kind == at.RARE_MRET:
        _return_from_trap(machine, h)
    elif kind == at.RARE_SLEEP:
        stop = _sleep(machine, h, pc)
    elif kind == at.RARE_SOFTWARE_INTERRUPT:
        stop = _software_interrupt_store(machine, h, pc)
    elif kind == at.RARE_TRAP:
        stop = _exception(machine, h, pc, extra=0)
    st[at.S_PREPARED] = 1
    return stop


def _wake_rewritten(machine: Machine) -> None:
    """A hart that repeats an instruction goes on where another one is written over it."""
    st, hs = machine.st, machine.hs
    st[at.S_REWRITTEN] = 0
    for k in range(machine.harts):
        if not (hs[k, at.H_PARKED] or hs[k, at.H_STUCK]):
            continue
        if machine.table[machine.word_index(int(hs[k, at.H_PC]))] & 0xFF == op.STALE:
            if hs[k, at.H_PARKED]:
                book_parked(machine, k, slots_before=1)
            hs[k, at.H_PARKED] = hs[k, at.H_STUCK] = 0
    link_harts(machine)


def _rebook(machine: Machine, h: int, index: int, kind: int, extra: int) -> None:
    """Book an issue under ``kind`` with its extra cycles instead of its static class.

    The loop counts issues per pc; their class and static cycles are added at the end of the run.
    """
    entry = int(machine.decoded[index])
    static = CLASS_OF[entry & 0xFF]
    static_extra = (entry >> 24) & 0xFF
    # The wait for the next instruction is an in-order core's, and is booked as such.
    static_fetch = fetch_cycles(machine.cfg, entry & 0xFF)
    fetch = int(machine.cfg[at.C_FETCH] + machine.cfg[at.C_REDIRECT])
    machine.acct[h, at.K_ISSUE + static] -= 1
    machine.acct[h, at.K_EXTRA + static] -= static_extra - static_fetch
    machine.acct[h, kind] += 1 + extra - fetch
    machine.acct[h, at.K_WAIT_FETCH] += fetch - static_fetch
    machine.dyn[at.D_EXECUTE, index, h] -= static_extra - static_fetch
    machine.dyn[at.D_WAIT_FETCH, index, h] += fetch - static_fetch
    if kind == at.K_TRAP:
        machine.dyn[at.D_TRAPPED, index, h] += 1
        machine.dyn[at.D_TRAP, index, h] += extra - fetch
    else:
        machine.dyn[at.D_PARKED, index, h] += 1 + extra - fetch


def _exception(machine: Machine, h: int, pc: int, extra: int) -> int | None:
    """A synchronous trap. MPIE is set whatever MIE was (quirk); the handler costs nothing."""
    st, hs, cfg = machine.st, machine.hs, machine.cfg
    cause, value = int(st[at.S_CAUSE]), int(st[at.S_VALUE])
    quirks = int(cfg[at.C_CORE_QUIRKS])
    t13 = bool(cfg[at.C_IS_T13])
    operation = int(machine.decoded[machine.word_index(pc)]) & 0xFF
    if operation == op.EBREAK and t13:
        st[at.S_FAULT] = at.FAULT_EBREAK
        return at.STOP_FAULT
    if not t13:
        # Without a rotation to hide it, a trap costs what its instruction costs, and the fetch of
        # the handler.
        redirect = int(cfg[at.C_FETCH] + cfg[at.C_REDIRECT]) - fetch_cycles(cfg, operation)
        extra = int(st[at.S_B]) + redirect
    hs[h, at.H_MESTATUS] = status_value(hs, h)
    hs[h, at.H_MEPC] = pc
    hs[h, at.H_MCAUSE] = cause
    hs[h, at.H_MPIE] = 1 if quirks & at.Q_TRAP_MPIE else hs[h, at.H_MIE]
    hs[h, at.H_MIE] = 0
    if not t13:
        hs[h, at.H_MBADADDR] = value & _M32
    elif cause in _MISALIGNED:
        hs[h, at.H_MBADADDR] = address_wires(machine, h, pc) if quirks & at.Q_MBADADDR else value
    update_pending(st, hs, h)
    return _enter_handler(machine, h, pc, extra)


def _interrupt(machine: Machine, h: int, pc: int) -> int | None:
    """A software interrupt takes the slot of the instruction it discards, and clears its bit."""
    st, hs = machine.st, machine.hs
    index = machine.word_index(pc)
    asleep = (int(machine.decoded[index]) & 0xFF) == op.WFI
    hs[h, at.H_MESTATUS] = status_value(hs, h)
    hs[h, at.H_MEPC] = pc
    hs[h, at.H_MCAUSE] = 0xC0000003 if asleep else 0x80000003
    hs[h, at.H_MPIE] = hs[h, at.H_MIE]
    hs[h, at.H_MIE] = 0
    hs[h, at.H_MSIP] = 0
    hs[h, at.H_TRAP_REPEATS] = 0
    update_pending(st, hs, h)
    stop = _enter_handler(machine, h, pc, 0)
    if stop is None:
        hs[h, at.H_RETRIES] += st[at.S_RETRY]  # a busy vector unit had made it a retry before
    return stop


def _enter_handler(machine: Machine, h: int, pc: int, extra: int) -> int | None:
    """Redirect the hart to its handler, if there is one and it makes progress.

    Only then the trap is booked: one that ends the run does not count as executed.
    """
    st, hs = machine.st, machine.hs
    handler = int(hs[h, at.H_MTVEC])
    hs[h, at.H_STUCK] = 0
    offset = (handler - int(machine.cfg[at.C_IBASE])) & _M32
    if offset >= machine.cfg[at.C_ISIZE] or (
        machine.current_entry(offset >> 2) & 0xFF == op.ILLEGAL
    ):
        st[at.S_FAULT] = at.FAULT_NO_HANDLER
        st[at.S_FAULT_ADDRESS] = handler
        return at.STOP_FAULT
    if hs[h, at.H_TRAP_PC] == pc and hs[h, at.H_TRAP_CAUSE] == hs[h, at.H_MCAUSE]:
        hs[h, at.H_TRAP_REPEATS] += 1
        if hs[h, at.H_TRAP_REPEATS] > _REPEATS_ALLOWED:
            st[at.S_FAULT] = at.FAULT_TRAP_LOOP
            st[at.S_FAULT_ADDRESS] = pc
            return at.STOP_FAULT
    else:
        hs[h, at.H_TRAP_PC] = pc
        hs[h, at.H_TRAP_CAUSE] = hs[h, at.H_MCAUSE]
        hs[h, at.H_TRAP_REPEATS] = 1
    index = machine.word_index(pc)
    _rebook(machine, h, index, at.K_TRAP, extra)
    machine.extend_text(index, index + 1)
    st[at.S_B] = extra
    st[at.S_TRAP_END] = int(st[at.S_CYCLE]) + extra + 1
    st[at.S_NPC] = handler
    st[at.S_WATCH] = at.CALL_TRAP
    return None


def _return_from_trap(machine: Machine, h: int) -> None:
    """Mret goes on behind a wfi that an interrupt ended, else at mepc."""
    st, hs = machine.st, machine.hs
    hs[h, at.H_MIE] = hs[h, at.H_MPIE]
    hs[h, at.H_MPIE] = 1
    hs[h, at.H_TRAP_REPEATS] = 0
    update_pending(st, hs, h)
    skip = 4 if machine.cfg[at.C_IS_T13] and int(hs[h, at.H_MCAUSE]) >> 30 == 3 else 0
    st[at.S_NPC] = (int(hs[h, at.H_MEPC]) + skip) & _M32
    st[at.S_WATCH] = at.CALL_TRAP_RETURN


def _csr_access(machine: Machine, h: int, pc: int) -> bool:
    """Read and write a register; False if the access is denied."""
    cfg, st, hs = machine.cfg, machine.st, machine.hs
    entry = int(machine.decoded[machine.word_index(pc)])
    operation, address, field = entry & 0xFF, (entry >> 32) & 0xFFF, (entry >> 14) & 31
    base = h * at.REGISTER_STRIDE
    st[at.S_SWI_TARGET] = h  # even if it is denied: the access is what the RTL remembers
    immediate = operation in (op.CSRRWI, op.CSRRSI, op.CSRRCI)
    operand = field if immediate else int(machine.regs[base + field]) & _M32
    plain = operation in (op.CSRRW, op.CSRRWI)
    writes = plain or field != 0
    if writes and is_read_only(cfg, address):
        return False
    old = read_csr(cfg, st, hs, h, address)
    if old is None:
        return False
    if writes:
        value = operand
        if not plain:
            stored = stored_value(cfg, st, hs, h, address, old)
            clears = operation in (op.CSRRC, op.CSRRCI)
            value = stored & ~operand if clears else stored | operand
        write_csr(cfg, st, hs, h, address, value)
    machine.regs[base + ((entry >> 8) & 63)] = (old ^ 0x80000000) - 0x80000000
    hs[h, at.H_CSR_READ] = old
    return True


def _sleep(machine: Machine, h: int, pc: int) -> int | None:
    """Wfi with interrupts on: the hart re-executes it in every slot until one is pending.

    Unless every slot is wanted in a trace, the hart is taken out of the rotation.
    """
    st, hs = machine.st, machine.hs
    st[at.S_NPC] = pc
    hs[h, at.H_STUCK] = 1
    exiting = st[at.S_EXIT_CYCLE] >= 0
    others_stuck = all(hs[k, at.H_PARKED] or hs[k, at.H_STUCK] for k in range(machine.harts))
    _rebook(machine, h, machine.word_index(pc), at.K_PARKED, 0)
    if others_stuck and not exiting:
        st[at.S_STOP] = at.STOP_HANG  # count this last slot and none behind it, then stop
        hs[h, at.H_GAP] = 0
    elif not machine.cfg[at.C_TRACING] and not exiting:
        hs[h, at.H_PARKED] = 1
        hs[h, at.H_STUCK] = 0
        st[at.S_SLOTS] += 1
        hs[h, at.H_PARK_ISSUED] = issued(machine.cfg, st, h)
        st[at.S_SLOTS] -= 1
        link_harts(machine)
    return None


def _software_interrupt_store(machine: Machine, h: int, pc: int) -> int | None:
    """A store to the software-interrupt registers, legal or misaligned."""
    st, hs, cfg = machine.st, machine.hs, machine.cfg
    index = machine.word_index(pc)
    entry = int(machine.decoded[index])
    value = int(machine.regs[h * at.REGISTER_STRIDE + ((entry >> 19) & 31)])
    target = (int(st[at.S_VALUE]) - SWI_FIRST) >> 2
    misaligned = st[at.S_CAUSE] != 0
    if misaligned or target >= machine.harts:
        stale = cfg[at.C_CORE_QUIRKS] & at.Q_SWI_STALE
        target = int(st[at.S_SWI_TARGET]) if stale else -1
    else:
        st[at.S_SWI_TARGET] = target
    if misaligned and target == h:
        # The CSR unit serves the hart's trap, drops the request of the same cycle, and the execute
        # stage waits for its answer (RTL-CSR_Unit.vhd, CSR_unit_op; seen in a directed run).
        st[at.S_FAULT] = at.FAULT_LOST_REQUEST
        st[at.S_FAULT_ADDRESS] = int(st[at.S_VALUE])
        return at.STOP_FAULT
    if target >= 0:
        hs[target, at.H_CSR_READ] = int(hs[target, at.H_MSIP]) << 3
        hs[target, at.H_MSIP] = (value >> 3) & 1
        update_pending(st, hs, target)
        if hs[target, at.H_PARKED] and (int(st[at.S_PENDING]) >> target) & 1:
            book_parked(machine, target, slots_before=1)
            hs[target, at.H_PARKED] = 0
            link_harts(machine)
    register = (entry >> 32) & 31
    if register and cfg[at.C_CORE_QUIRKS] & at.Q_SWI_REGISTER:
        read = int(hs[h, at.H_CSR_READ])
        machine.regs[h * at.REGISTER_STRIDE + register] = (read ^ 0x80000000) - 0x80000000
        st[at.S_WARNINGS] |= at.WARN_SWI_REGISTER
    if misaligned:
        return _exception(machine, h, pc, extra=_SWI_EXTRA_CYCLES)
    machine.acct[h, at.K_EXTRA + _STORE] += _SWI_EXTRA_CYCLES
    machine.dyn[at.D_EXECUTE, index, h] += _SWI_EXTRA_CYCLES
    st[at.S_B] = _SWI_EXTRA_CYCLES
    return None


def link_harts(machine: Machine) -> None:
    """For each hart, find the next one that is awake, and the parked slots before it."""
    hs, harts = machine.hs, machine.harts
    for h in range(harts):
        gap = 0
        k = (h - 1) % harts
        while k != h and hs[k, at.H_PARKED]:
            gap += 1
            k = (k - 1) % harts
        hs[h, at.H_NEXT] = k
        hs[h, at.H_GAP] = gap


def book_parked(machine: Machine, k: int, *, slots_before: int = 0) -> None:
    """Count the slots a parked hart has used so far: each is a wfi that went nowhere.

    ``slots_before`` is 1 while an instruction executes that the engine has not counted yet.
    """
    st, hs = machine.st, machine.hs
    st[at.S_SLOTS] += slots_before
    slots = issued(machine.cfg, st, k) - int(hs[k, at.H_PARK_ISSUED])
    st[at.S_SLOTS] -= slots_before
    hs[k, at.H_PARK_ISSUED] += slots
    machine.acct[k, at.K_PARKED] += slots
    machine.acct[k, at.K_ISSUE + _SYSTEM] -= slots
    index = machine.word_index(int(hs[k, at.H_PC]))
    machine.prof[index, k] += slots
    machine.dyn[at.D_PARKED, index, k] += slots


def wake_slots(machine: Machine) -> None:
    """Give every parked hart its slots again: from now on each one is wanted in a trace."""
    st, hs = machine.st, machine.hs
    for k in range(machine.harts):
        if hs[k, at.H_PARKED]:
            book_parked(machine, k)
            hs[k, at.H_PARKED] = 0
            hs[k, at.H_STUCK] = 1
    link_harts(machine)
    h = int(st[at.S_HART])
    st[at.S_MULTI] = hs[h, at.H_NEXT] != h
