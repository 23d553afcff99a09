"""Every cycle to one cause: from the engine's arrays to named counters that sum to the total."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from gnomon.sim._machine import Machine

from gnomon.isa import INSTRUCTIONS
from gnomon.sim import _layout as at
from gnomon.sim import _ops as op
from gnomon.sim._counters import issued, own_cycles
from gnomon.sim._inorder import fetch_cycles, operands_ready
from gnomon.sim._rare import book_parked
from gnomon.sim._run import HartRun, Profile, VectorWork
from gnomon.sim._tables import CLASS_OF

Array = npt.NDArray[np.int64]

CAUSES = (
    *(f"issue.{name}" for name in at.CLASSES),
    *(f"execute.{name}" for name in at.CLASSES),
    "wait.lsu",
    "wait.vcu",
    "retry.vcu",
    "trap",
    "parked",
    "wait.operand",
    "wait.fetch",
)
"""Causes of a hart's cycles. ``issue``: the issue slot, by class; ``execute``: further cycles in
execute; ``wait``: held in decode, for a unit, for a result or for the next instruction; ``retry``:
slots lost to a busy vector unit; ``parked``: slots of a sleeping hart."""

assert len(CAUSES) == at.K_COUNT


def settle(machine: Machine) -> None:
    """Book the slots of parked harts up to now."""
    for h in range(machine.harts):
        if machine.hs[h, at.H_PARKED]:
            book_parked(machine, h)


def cut_at(machine: Machine, last_cycle: int) -> None:
    """Give back what the engine booked beyond the last cycle of the run, and add what is missing.

    The loop books an instruction's whole stay in execute, and the parked slots behind it, at
    once. A run that ends by a limit, or by a store that leaves the bus later than its issue, ends
    in the middle of that.
    """
    st, hs, acct, dyn = machine.st, machine.hs, machine.acct, machine.dyn
    if not st[at.S_SLOTS]:
        return  # it ends before the first issue
    h, index = int(st[at.S_LAST_HART]), int(st[at.S_LAST_INDEX])
    late_slots = min(int(st[at.S_GAP]), int(st[at.S_CYCLE]) - 1 - last_cycle)
    if late_slots > 0:
        st[at.S_SLOTS] -= late_slots
    over = int(st[at.S_CYCLE]) - int(st[at.S_GAP]) - 1 - last_cycle
    if over > 0:
        of_wait = min(over, int(st[at.S_LAST_WAIT]))
        if of_wait:
            acct[h, st[at.S_LAST_WAIT_KIND]] -= of_wait
            dyn[at.PLANE_OF_WAIT[int(st[at.S_LAST_WAIT_KIND])], index, h] -= of_wait
        hs[h, at.H_CHARGED] -= of_wait
        trapped = st[at.S_CYCLE] - st[at.S_GAP] - st[at.S_LAST_WAIT] == st[at.S_TRAP_END]
        operation = int(machine.decoded[index] & 0xFF)
        fetch = fetch_cycles(machine.cfg, operation)
        if trapped or st[at.S_JUMPED]:
            fetch = int(machine.cfg[at.C_FETCH] + machine.cfg[at.C_REDIRECT])
        of_fetch = min(over - of_wait, fetch)
        acct[h, at.K_WAIT_FETCH] -= of_fetch
        dyn[at.D_WAIT_FETCH, index, h] -= of_fetch
        kind = at.K_TRAP if trapped else at.K_EXTRA + CLASS_OF[operation]
        acct[h, kind] -= over - of_wait - of_fetch
        dyn[at.D_TRAP if trapped else at.D_EXECUTE, index, h] -= over - of_wait - of_fetch
        hs[h, at.H_OWN_EXTRA] -= over - of_wait
    missing = last_cycle + 1 - int(st[at.S_CYCLE])
    if missing > 0:
        waiting = int(st[at.S_HART])
        place = machine.word_index(int(hs[waiting, at.H_PC]))
        _book_waits(machine, waiting, place, missing)
        hs[(waiting + 1) % machine.harts, at.H_CHARGED] += missing


def _book_waits(machine: Machine, h: int, place: int, cycles: int) -> None:
    """Book the cycles in which an instruction that never issues has waited, in their order."""
    st, acct = machine.st, machine.acct
    entry = int(machine.decoded[place])
    now = int(st[at.S_CYCLE])
    for_operand = min(cycles, max(0, operands_ready(st, entry) - now))
    cycles -= for_operand
    # A vector instruction waits for the vector unit alone.
    free = int(st[at.S_LSU_LAST]) + 2 if not op.KADDV <= entry & 0xFF <= op.KSVDIVPSRF else 0
    for_lsu = min(cycles, max(0, free - now - for_operand))
    for kind, waited in (
        (at.K_WAIT_OPERAND, for_operand),
        (at.K_WAIT_LSU, for_lsu),
        (at.K_WAIT_VCU, cycles - for_lsu),
    ):
        acct[h, kind] += waited
        machine.dyn[at.PLANE_OF_WAIT[kind], place, h] += waited


def causes(machine: Machine) -> Array:
    """Cycles by hart and cause, of shape (harts, causes); parked harts must be settled."""
    first, last = machine.text
    entries = machine.decoded[first:last]
    kinds = CLASS_OF[entries & 0xFF]
    fetch = fetch_cycles(machine.cfg, entries & 0xFF)
    extra = ((entries >> 24) & 0xFF) - fetch
    result = machine.acct[: machine.harts].copy()
    classes = len(at.CLASSES)
    for h in range(machine.harts):
        issues = machine.prof[first:last, h]
        hit = np.flatnonzero(issues)
        result[h, :classes] += _sum_by_class(kinds[hit], issues[hit])
        result[h, classes : 2 * classes] += _sum_by_class(kinds[hit], issues[hit] * extra[hit])
        result[h, at.K_WAIT_FETCH] += int((issues[hit] * fetch[hit]).sum())
    return result


def _sum_by_class(kinds: Array, values: Array) -> Array:
    sums = np.zeros(len(at.CLASSES), dtype=np.int64)
    np.add.at(sums, kinds, values)
    return sums


def named(values: Array, prefix: str = "") -> dict[str, int]:
    """Nonzero causes of one hart under their names."""
    return {
        f"{prefix}{name}": int(value) for name, value in zip(CAUSES, values, strict=True) if value
    }


def hart_cycles(machine: Machine, h: int) -> int:
    """Cycles in which the hart has held the execute stage."""
    return own_cycles(machine.cfg, machine.st, machine.hs, h)


def hart_run(machine: Machine, h: int) -> HartRun:
    """The totals of one hart."""
    slots = issued(machine.cfg, machine.st, h)
    retries = int(machine.hs[h, at.H_RETRIES])
    return HartRun(
        issued=slots,
        retired=slots - retries,
        vcu_retries=retries,
        hart_cycles=hart_cycles(machine, h),
    )


def counters(machine: Machine, total_cycles: int) -> dict[str, int]:
    """All causes of a run by name. The parts sum to the total, or the engine is wrong.

    Raises:
        AssertionError: if they do not; this is a defect of gnomon, not of the program.
    """
    first_issue = 2 if machine.cfg[at.C_IS_T13] else 0
    boot = min(first_issue, total_cycles)
    parts = {"boot": boot} if boot else {}
    table = causes(machine)
    for h in range(machine.harts):
        parts |= named(table[h], f"hart{h}.")
    held = sum(hart_cycles(machine, h) for h in range(machine.harts))
    if sum(parts.values()) != total_cycles or held + boot != total_cycles or table.min() < 0:
        raise AssertionError(
            f"cycle accounting is wrong: causes sum to {sum(parts.values())}, harts hold "
            f"{held} + {boot}, the run has {total_cycles} cycles"
        )
    return parts


def vector_work(machine: Machine) -> tuple[VectorWork, ...]:
    """Work of vector unit and transfer engine, by hart and instruction."""
    return tuple(
        VectorWork(h, row.mnemonic, *(int(v) for v in machine.vstat[h, row.number, : at.V_NARROW]))
        for h in range(machine.harts)
        for row in INSTRUCTIONS
        if machine.vstat[h, row.number, at.V_ISSUED]
    )


def profile(machine: Machine) -> Profile:
    """Issues and cycles per instruction word of the program text."""
    first, last = machine.text
    entries = machine.decoded[first:last]
    extra = (entries >> 24) & 0xFF
    fetch = fetch_cycles(machine.cfg, entries & 0xFF)
    issues = machine.prof[first:last, : machine.harts].T.copy()
    dynamic = machine.dyn[:, first:last, : machine.harts].transpose(0, 2, 1)
    trapped = dynamic[at.D_TRAPPED]
    parts = {
        "issue": issues - dynamic[at.D_RETRY] - dynamic[at.D_PARKED] - trapped,
        "execute": issues * (extra - fetch) + dynamic[at.D_EXECUTE],
        "wait.lsu": dynamic[at.D_WAIT_LSU].copy(),
        "wait.vcu": dynamic[at.D_WAIT_VCU].copy(),
        "retry.vcu": dynamic[at.D_RETRY].copy(),
        "trap": trapped + dynamic[at.D_TRAP],
        "parked": dynamic[at.D_PARKED].copy(),
        "wait.operand": dynamic[at.D_WAIT_OPERAND].copy(),
        "wait.fetch": issues * fetch + dynamic[at.D_WAIT_FETCH],
    }
    return Profile(
        base_address=int(machine.cfg[at.C_IBASE]) + 4 * first,
        issues=issues,
        cycles=issues * (1 + extra) + dynamic[: at.D_CYCLES].sum(axis=0),
        parts=parts,
    )
