"""The end of a run as text: its kind, the reason, warnings."""

from typing import Literal

from gnomon.program import Program
from gnomon.sim import _codes as at
from gnomon.sim import _ops as op
from gnomon.sim import _texts
from gnomon.sim._devices import list_mapped
from gnomon.sim._illegal import why_illegal
from gnomon.sim._machine import Machine

Halted = Literal["exit", "max-cycles", "hang", "fault"]
"""Kind of the end of a run. ``hang``: no event can wake a hart."""

UNLIKE_RTL = tuple(
    _texts.WARNINGS[each]
    for each in ("HPM", "MVTYPE_MIX", "PARTIAL_WORD", "BROADCAST_OVERLAP", "BEHIND_VOID", "CARRY",
                 "CODE_TRANSFER", "UNWRITTEN", "STALE_RESULT")
)  # fmt: skip
"""Warnings that the RTL may behave differently from the simulator."""


def collect_warnings(machine: Machine) -> tuple[str, ...]:
    """Return warnings about behavior that machine and simulator may not share, or is unusual."""
    st = machine.st
    flags = int(st["warnings"])
    texts = [text for bit, text in enumerate(_texts.WARNINGS.values()) if flags >> bit & 1]
    for what, effect in (("load", "read as 0"), ("store", "dropped")):
        if count := int(st[f"unmapped_{what}s"]):
            texts.append(
                f"{count:,} {what}{'s' * (count > 1)} where the machine has no memory, {effect},"
                f" the first at 0x{int(st[f'unmapped_{what}']) & 0xFFFF_FFFF:08X} (memory.unmapped:"
                " protocol)"
            )
    return tuple(texts)


def find_ending(machine: Machine, stop: int) -> tuple[Halted, int]:
    st = machine.st
    if stop == at.STOP_EXIT:
        return "exit", int(st["exit_cycle"])
    if stop == at.STOP_HARD_LIMIT:
        return "max-cycles", int(machine.cfg["hard_limit"])
    halted: Halted = "hang" if stop == at.STOP_HANG else "fault"
    return halted, int(st["cycle"]) - 1


def _is_asleep(machine: Machine, h: int) -> bool:
    """Return whether a hart is in a wfi that no interrupt has ended."""
    hart = machine.hs[h]
    if not (hart["parked"] or hart["stuck"]):
        return False
    operation = machine.decoded["op"][machine.word_index(int(hart["pc"]))]
    return bool(operation == op.WFI) and not (int(machine.st["pending"]) >> h) & 1


def _describe_request(machine: Machine) -> str:
    """Return which device requests the interrupt that was taken last; empty: none."""
    cause = int(machine.hs["mcause"][0])
    if "devices" not in machine.arrays or not cause >> 31:
        return ""
    bit = 1 << (cause & 31)
    for number, name in enumerate(list_mapped(machine.architecture)):
        level = machine.function("engine_device_level")(machine.pointer, number)
        if level & int(machine.hs["mie_register"][0]) & bit:
            return f"; the {_texts.CAUSES[cause]} of device {name} was taken and is still requested"
    return ""


def name_device(machine: Machine, number: int) -> str:
    """Return the name of a device with addresses."""
    names = list_mapped(machine.architecture)
    return names[number] if number < len(names) else ""


def describe_reason(machine: Machine, program: Program, halted: Halted) -> str:
    if halted == "exit":
        return ""
    st, hs = machine.st, machine.hs
    h = int(st["hart"])
    while _is_asleep(machine, h) and not all(_is_asleep(machine, k) for k in range(machine.harts)):
        h = (h - 1) % machine.harts  # while tracing, sleeping harts have their slots as well
    pc = int(hs["pc"][h])
    if st["stop"] == at.STOP_HANG:  # the loop found the hang after it switched to the next hart
        h = int(st["last_hart"])
        pc = (int(machine.cfg["ibase"]) + 4 * int(st["last_index"])) & 0xFFFF_FFFF
    function = program.function_at(pc)
    where = f"hart {h} at pc 0x{pc:08X}" + (f" in {function.name}" if function else "")
    if halted == "max-cycles":
        return f"the cycle limit is reached, {where}{_describe_request(machine)}"
    if halted == "hang" and st["vcu_last"].max() >= at.NEVER:
        return f"a vector unit that never finishes blocks every hart, last {where}"
    if halted == "hang":
        return f"no event can ever wake a hart, last {where}"
    cause = int(hs["mcause"][h])
    named = _texts.CAUSES.get(cause, "unknown")
    fault = [*_texts.FAULTS.values()][int(st["fault"]) - 1]
    text = fault.format(
        address=int(st["fault_address"]) & 0xFFFF_FFFF,
        cause=f"mcause 0x{cause:X}, {named}, mepc 0x{int(hs['mepc'][h]):08X}",
        device=name_device(machine, int(st["fault_device"])),
    )
    if cause == at.ILLEGAL_INSTRUCTION and "{cause}" in fault:
        place = machine.word_index(int(hs["mepc"][h]))
        if place < machine.text[1]:
            text += f"; {why_illegal(machine.instruction(place), machine.architecture)}"
    return f"{where}: {text}"
