"""Accounting: every cycle has one cause; the engine's records become counters that sum up."""

from typing import Final

import numpy as np
import numpy.typing as npt

from gnomon.base.structs import only
from gnomon.isa import INSTRUCTIONS
from gnomon.sim import _ops as op
from gnomon.sim._codes import CLASSES
from gnomon.sim._machine import Machine
from gnomon.sim._run import HartRun, Profile, VectorWork
from gnomon.sim._structs import ACCOUNT
from gnomon.sim._units import number_instructions

Array = npt.NDArray[np.int64]

CAUSES: Final = (
    *(f"issue.{name}" for name in CLASSES),
    *(f"execute.{name}" for name in CLASSES),
    "wait.lsu",
    "wait.vcu",
    "retry.vcu",
    "trap",
    "parked",
    "wait.operand",
    "wait.fetch",
    "wait.icache",
    "wait.dcache",
    "wait.device",
)
"""Causes of a hart's cycles, in the order of an account.

``issue``: the issue slot, by class; ``execute``: further cycles in execute; ``wait``: held in
decode, for a functional unit, a result or the next instruction, or waiting for a line of a cache
or a device; ``retry``: slots lost to a busy vector unit; ``parked``: slots of a sleeping hart, or
cycles of a sleeping in-order core.
"""

WAITS: Final = (
    "wait_lsu", "wait_vcu", "wait_operand", "wait_fetch", "wait_icache", "wait_dcache",
    "wait_device",
)  # fmt: skip
"""Fields of an account that are waits."""

assert len(CAUSES) == ACCOUNT.dtype.itemsize // 8


def settle(machine: Machine) -> None:
    machine.function("engine_settle")(machine.pointer)


def cut_at(machine: Machine, last_cycle: int) -> None:
    """Remove the cycles that the engine attributed beyond the end of the run; add missing ones.

    The loop attributes all execute cycles of an instruction, and the parked slots after it, at
    once. A run that ends by a limit, or by a store that leaves the bus later than its issue, ends
    before the last of these cycles.
    """
    st, hs = machine.st, machine.hs
    if not st["slots"]:
        return  # the run ends before the first issue
    cycle, gap = int(st["cycle"]), int(st["last_gap"])
    late_slots = min(gap, cycle - 1 - last_cycle)
    if late_slots > 0:
        st["slots"] -= late_slots
    over = cycle - gap - 1 - last_cycle
    if over > 0:
        _give_back(machine, int(st["last_hart"]), int(st["last_index"]), over)
    missing = last_cycle + 1 - cycle
    if missing > 0:
        waiting = int(st["hart"])
        _book_waits(machine, waiting, machine.word_index(int(hs["pc"][waiting])), missing)
        hs["charged"][(waiting + 1) % machine.harts] += missing


def _give_back(machine: Machine, h: int, index: int, over: int) -> None:
    """Remove ``over`` cycles from the end of an instruction: first the waits after it."""
    st, account = machine.st, machine.acct[h]
    spot, flow = machine.dyn[h, index], machine.flow[h, index]
    entry = machine.decoded[index]
    of_wait = min(over, int(st["last_wait"]))
    wait = "wait_vcu" if st["last_wait_vcu"] else "wait_lsu"
    waited = int(only(machine.arrays["fetch"])["waited"]) if "fetch" in machine.arrays else 0
    trapped = st["cycle"] - st["last_gap"] - st["last_wait"] - waited == st["trap_end"]
    fetch = int(entry["fetch"])
    if entry["latency"]:
        fetch = int(st["operand_wait"])
    if st["jumped"]:
        fetch += int(machine.cfg["taken_fetch"])
    if st["jumped"] or entry["op"] in (op.JAL, op.JALR, op.MRET):
        fetch += _split_wait(machine, machine.word_index(int(machine.hs["pc"][h])))
    if trapped:
        fetch = int(machine.cfg["fetch"] + machine.cfg["redirect"])
    missed = refilled = slept = of_device = 0
    if "fetch" in machine.arrays:
        missed = int(only(machine.arrays["fetch"])["missed"])
    if machine.architecture.computes_fetch:
        fetch = waited - missed
    of_icache = min(over - of_wait, missed)
    over_fetch = over - of_wait - of_icache
    of_fetch = min(over_fetch, fetch)
    if st["cycle"] - st["last_gap"] - st["last_wait"] - waited == st["sleep_end"]:
        slept = min(over_fetch - of_fetch, int(st["slept"]))
    if st["cycle"] - st["last_gap"] - st["last_wait"] - waited == st["device_end"]:
        of_device = min(over_fetch - of_fetch, int(st["of_device"]))
    if "dcache" in machine.arrays and entry["op"] in op.LOADS and not trapped:
        refilled = min(over_fetch - of_fetch - of_device, int(st["refilled"]))
    rest = over_fetch - of_fetch - slept - refilled - of_device
    for name, cycles in (
        (wait, of_wait), ("wait_icache", of_icache), ("wait_fetch", of_fetch), ("parked", slept),
        ("wait_dcache", refilled), ("wait_device", of_device),
    ):  # fmt: skip
        account[name] -= cycles
        spot[name] -= cycles
    if trapped:
        account["trap"] -= rest
        spot["trap"] -= rest
    else:
        flow["execute"] -= rest
    machine.hs["charged"][h] -= of_wait
    machine.hs["own_extra"][h] -= over - of_wait


def _split_wait(machine: Machine, goal: int) -> int:
    """Return the extra cycles of a jump to an instruction that lies in two words."""
    if goal % 2 == 0 or goal >= len(machine.decoded) or machine.decoded["at"][goal] != 4:
        return 0
    return int(machine.cfg["split_target"])


def _book_waits(machine: Machine, h: int, place: int, cycles: int) -> None:
    """Attribute the cycles in which an instruction that never issues has waited, in order."""
    st = machine.st
    entries, operation = machine.decoded, int(machine.decoded["op"][place])
    now = int(st["cycle"])
    ready = machine.function("engine_operands_ready")(
        machine.pointer, entries[place : place + 1].ctypes.data
    )
    for_operand = min(cycles, max(0, ready - now))
    cycles -= for_operand
    # A vector instruction waits only for the vector unit.
    free = int(st["lsu_last"]) + 2 if operation not in op.VECTOR else 0
    for_lsu = min(cycles, max(0, free - now - for_operand))
    queue = machine.architecture.core.fetch
    if queue is not None and queue.port == "shared":
        for_lsu = cycles  # for the port; there is no vector unit
    waits = {"wait_operand": for_operand, "wait_lsu": for_lsu, "wait_vcu": cycles - for_lsu}
    for name, waited in waits.items():
        machine.acct[name][h] += waited
        machine.dyn[name][h, place] += waited


def sum_causes(machine: Machine) -> Array:
    """Return cycles by hart and cause, of shape (harts, causes); parked harts must be settled."""
    first, last = machine.text
    entries = machine.decoded[first:last]
    kinds = op.CLASS_OF[entries["op"]]
    fetch = entries["fetch"].astype(np.int64)
    extra = entries["extra"] - fetch
    result = machine.causes.copy()
    classes = len(CLASSES)
    execute = machine.flow["execute"][:, first:last]
    for h, issues in enumerate(machine.issues()[:, first:last]):
        hit = np.flatnonzero(issues | execute[h])
        result[h, :classes] += _sum_by_class(kinds[hit], issues[hit])
        further = issues[hit] * extra[hit] + execute[h, hit]
        result[h, classes : 2 * classes] += _sum_by_class(kinds[hit], further)
        result[h, CAUSES.index("wait.fetch")] += int((issues[hit] * fetch[hit]).sum())
    return result


def _sum_by_class(kinds: Array, values: Array) -> Array:
    sums = np.zeros(len(CLASSES), dtype=np.int64)
    np.add.at(sums, kinds, values)
    return sums


def name_causes(values: Array, prefix: str = "") -> dict[str, int]:
    """Return the nonzero causes of one hart by name."""
    return {
        f"{prefix}{name}": int(value) for name, value in zip(CAUSES, values, strict=True) if value
    }


def summarize_hart(machine: Machine, h: int) -> HartRun:
    slots, retries = machine.issued(h), int(machine.hs["retries"][h])
    return HartRun(slots, slots - retries, retries, machine.hart_cycles(h))


def collect_counters(machine: Machine, total_cycles: int) -> dict[str, int]:
    """Return all causes of a run by name; fail if they do not sum to the total."""
    first_issue = 2 if machine.cfg["is_t13"] else 0
    boot = min(first_issue, total_cycles)
    parts = {"boot": boot} if boot else {}
    table = sum_causes(machine)
    for h in range(machine.harts):
        parts |= name_causes(table[h], f"hart{h}.")
    held = sum(machine.hart_cycles(h) for h in range(machine.harts))
    if sum(parts.values()) != total_cycles or held + boot != total_cycles or table.min() < 0:
        raise AssertionError(
            f"cycle accounting is wrong: causes sum to {sum(parts.values())}, harts hold "
            f"{held} + {boot}, the run has {total_cycles} cycles"
        )
    return parts


def collect_vector_work(machine: Machine) -> tuple[VectorWork, ...]:
    names = {row.number: row.mnemonic for row in INSTRUCTIONS} | {
        number: each.mnemonic
        for number, (_, each) in number_instructions(machine.architecture).items()
        if each.vector is not None
    }
    return tuple(
        VectorWork(h, name, *(int(v) for v in machine.vstat[h, number].tolist()[:4]))
        for h in range(machine.harts)
        for number, name in names.items()
        if machine.vstat["issued"][h, number]
    )


def build_profile(machine: Machine) -> Profile:
    """Return issues and cycles per instruction word of the program text."""
    first, last = machine.text
    entries = machine.decoded[first:last]
    fetch = entries["fetch"].astype(np.int64)
    extra = entries["extra"] - fetch
    issues = machine.issues()[:, first:last]
    dynamic = machine.dyn[: machine.harts, first:last]
    trapped = dynamic["trapped"]
    # A sleeping hart of a rotation issues its wfi again; an in-order core does not.
    again = dynamic["parked"] if machine.cfg["is_t13"] else np.zeros_like(issues)
    parts = {
        "issue": issues - dynamic["retry"] - again - trapped,
        "execute": issues * extra + machine.flow["execute"][: machine.harts, first:last],
        "wait.lsu": dynamic["wait_lsu"].copy(),
        "wait.vcu": dynamic["wait_vcu"].copy(),
        "retry.vcu": dynamic["retry"].copy(),
        "trap": trapped + dynamic["trap"],
        "parked": dynamic["parked"].copy(),
        "wait.operand": dynamic["wait_operand"].copy(),
        "wait.fetch": issues * fetch + dynamic["wait_fetch"],
    }
    for name in ("icache", "dcache"):
        if getattr(machine.architecture.memory.caches, name) is not None:
            parts[f"wait.{name}"] = dynamic[f"wait_{name}"].copy()
    if any(each.waits is not None for each in machine.architecture.devices.values()):
        parts["wait.device"] = dynamic["wait_device"].copy()
    return Profile(
        base_address=int(machine.cfg["ibase"]) + (first << int(machine.cfg["ishift"])),
        step_bytes=1 << int(machine.cfg["ishift"]),
        issues=issues,
        cycles=sum(parts.values(), np.zeros_like(issues)),
        parts=parts,
        buses=machine.buses(),
    )
