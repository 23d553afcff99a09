"""How a run ended, in words: its end, the reason, warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.sim import _codes as at
from gnomon.sim import _ops as op

if TYPE_CHECKING:
    from gnomon.program import Program
    from gnomon.sim._machine import Machine
    from gnomon.sim._run import Halted

_FAULTS = {
    at.FAULT_FETCH: "fetch outside the instruction memory at 0x{address:08X}",
    at.FAULT_LOAD: "load from 0x{address:08X}, where the machine has no memory",
    at.FAULT_STORE: "store to 0x{address:08X}, where the machine has no memory",
    at.FAULT_NO_HANDLER: "trap, and no handler at mtvec = 0x{address:08X} ({cause})",
    at.FAULT_TRAP_LOOP: "the same trap repeats without progress ({cause})",
    at.FAULT_EBREAK: "ebreak: the machine enters debug mode and stops",
    at.FAULT_SPM: (
        "vector access to 0x{address:08X}, where there is no scratchpad; this machine does not "
        "trap on it and its result is undefined"
    ),
    at.FAULT_SPM_ALIGN: (
        "vector address 0x{address:08X} is not a multiple of 4; the machine does not trap on it "
        "and its result is undefined"
    ),
    at.FAULT_NARROW: (
        "vector division or post-scaled product with 8- or 16-bit elements, which has no hardware"
    ),
    at.FAULT_LOST_REQUEST: (
        "misaligned sw to the software-interrupt register at 0x{address:08X}, behind a CSR access "
        "of the same hart: the machine waits for ever for a CSR request that the trap took away"
    ),
    at.FAULT_MVTYPE: "vector instruction with MVTYPE = 3, which is undefined",
}

_WARNINGS = {
    at.WARN_HPM: "the program reads an mhpmcounter; they read 0, what they count is not modelled",
    at.WARN_MVTYPE_MIX: (
        "a hart other than 0 multiplies 16- or 32-bit elements while MVTYPE of hart 0 is 8-bit; "
        "the machine returns wrong data there, the simulator the intended ones"
    ),
    at.WARN_PARTIAL_WORD: (
        "a kmemld of less than 4 bytes leaves unpredictable upper bytes in its scratchpad word"
    ),
    at.WARN_BROADCAST_OVERLAP: (
        "a kbcastld started while a vector unit was busy; that timing is not exact"
    ),
    at.WARN_HELD_SUM: (
        "a kvred, kdotp or kdotpps waited for a transfer into the scratchpad of its result; the "
        "machine loses a part of the sum then, and so does the simulator "
        "(vcu.quirks.held_reduction_loses_beats)"
    ),
    at.WARN_BEHIND_VOID: (
        "a vector instruction came at most 7 cycles behind one of another hart that trapped or had "
        "MVSIZE 0; a shared unit may start it early, with wrong operands; the simulator does not"
    ),
    at.WARN_STALE_REQUEST: (
        "a vector instruction that trapped or had MVSIZE 0 found a functional unit of the "
        "multithreaded vector unit busy; the machine keeps its request, and later instructions "
        "wait for it, for ever in the worst case; so they do in the simulator"
    ),
    at.WARN_CARRY: (
        "a vector write waited for a transfer while another hart used the adder of the "
        "multithreaded vector unit; the machine gives the adder the waiting hart's carries there "
        "and may compute wrong sums, the simulator the right ones"
    ),
    at.WARN_SWI_REGISTER: (
        "a sw to a software-interrupt register has bits 4:0 of its offset set; the machine writes "
        "a CSR's value to the register they name, and so does the simulator: put the whole address "
        "in a register (core.quirks.swi_store_writes_register)"
    ),
    at.WARN_SCALAR_BESIDE: (
        "a ksvaddsc or ksvmulsc has its scalar in the scratchpad of its vector; the machine reads "
        "wrong operands then, and so does the simulator (vcu.quirks.scalar_beside_vector)"
    ),
    at.WARN_LONG_TRANSFER: (
        "a transfer is longer than its scratchpad; the machine does not trap but goes on at the "
        "start of the scratchpad, and so does the simulator (vcu.quirks.long_transfer_wraps)"
    ),
    at.WARN_CODE_TRANSFER: (
        "a kmemstr writes into the instruction memory; in the simulator all of its words are there "
        "at once, the machine may have fetched some of them before"
    ),
    at.WARN_SIGNS: (
        "a kvred, kdotp or kdotpps of 8- or 16-bit elements met negative ones: bytes count as 0 to "
        "255, and what a beat sums is cut to 16 bits without sign, so the word that it leaves is "
        "no sum of signed numbers and depends on vcu.simd; use 32-bit elements"
    ),
}

UNLIKE_RTL = tuple(
    _WARNINGS[each]
    for each in (
        at.WARN_HPM, at.WARN_MVTYPE_MIX, at.WARN_PARTIAL_WORD, at.WARN_BROADCAST_OVERLAP,
        at.WARN_BEHIND_VOID, at.WARN_CARRY, at.WARN_CODE_TRANSFER,
    )
)  # fmt: skip
"""Warnings of what the RTL does otherwise than the simulator."""

_CAUSES = {
    0: "instruction address misaligned",
    2: "illegal instruction",
    3: "breakpoint",
    4: "load address misaligned",
    5: "load bus error",
    6: "store address misaligned",
    7: "store bus error",
    11: "ecall",
    0x100: "MVSIZE does not fit the element width",
    0x101: "operand is not in a scratchpad",
    0x102: "operand runs past the end of its scratchpad",
    0x103: "both sources are in the same scratchpad",
}


def warnings(machine: Machine) -> tuple[str, ...]:
    """What the program did that the machine and the simulator may not agree on, or few expect."""
    st = machine.st
    flags = int(st["warnings"])
    texts = [text for bit, text in _WARNINGS.items() if flags & bit]
    for what, effect in (("load", "read as 0"), ("store", "dropped")):
        if count := int(st[f"unmapped_{what}s"]):
            texts.append(
                f"{count:,} {what}{'s' * (count > 1)} where the machine has no memory, {effect},"
                f" the first at 0x{int(st[f'unmapped_{what}']) & 0xFFFF_FFFF:08X} (memory.unmapped:"
                " protocol)"
            )
    return tuple(texts)


def ending(machine: Machine, stop: int) -> tuple[Halted, int]:
    """How a run ended, and its last cycle."""
    st = machine.st
    if stop == at.STOP_EXIT:
        return "exit", int(st["exit_cycle"])
    if stop == at.STOP_HARD_LIMIT:
        return "max-cycles", int(machine.cfg["hard_limit"])
    halted: Halted = "hang" if stop == at.STOP_HANG else "fault"
    return halted, int(st["cycle"]) - 1


def _asleep(machine: Machine, h: int) -> bool:
    """In a wfi that no interrupt has ended."""
    hart = machine.hs[h]
    if not (hart["parked"] or hart["stuck"]):
        return False
    operation = machine.decoded["op"][machine.word_index(int(hart["pc"]))]
    return bool(operation == op.WFI) and not (int(machine.st["pending"]) >> h) & 1


def reason(machine: Machine, program: Program, halted: Halted) -> str:
    """Why a run ended otherwise than by itself, and where."""
    if halted == "exit":
        return ""
    st, hs = machine.st, machine.hs
    h = int(st["hart"])
    while _asleep(machine, h) and not all(_asleep(machine, k) for k in range(machine.harts)):
        h = (h - 1) % machine.harts  # while tracing, sleepers have their slots as well
    pc = int(hs["pc"][h])
    if st["stop"] == at.STOP_HANG:  # counted by the loop, which has gone on to the next hart
        h = int(st["last_hart"])
        pc = (int(machine.cfg["ibase"]) + 4 * int(st["last_index"])) & 0xFFFF_FFFF
    function = program.function_at(pc)
    where = f"hart {h} at pc 0x{pc:08X}" + (f" in {function.name}" if function else "")
    if halted == "max-cycles":
        return f"the cycle limit is reached, {where}"
    if halted == "hang" and st["vcu_last"].max() >= at.NEVER:
        return f"a vector unit that never finishes blocks every hart, last {where}"
    if halted == "hang":
        return f"no event can ever wake a hart, last {where}"
    cause = int(hs["mcause"][h])
    named = _CAUSES.get(cause, "software interrupt" if cause >> 31 else "unknown")
    text = _FAULTS[int(st["fault"])].format(
        address=int(st["fault_address"]) & 0xFFFF_FFFF,
        cause=f"mcause 0x{cause:X}, {named}, mepc 0x{int(hs['mepc'][h]):08X}",
    )
    return f"{where}: {text}"
