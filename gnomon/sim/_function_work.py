"""The work of a run by function, each without what it calls.

Issues and cycles are counted per instruction word, so most of it is exact. Lengths of vectors and
retries are counted per instruction of the whole run: a function gets its share by issues. Slots of
sleeping harts go to the functions that run beside them. All parts sum to the work of the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.isa import INSTRUCTIONS
from gnomon.sim import _ops as op
from gnomon.sim._tables import pack
from gnomon.sim._work import NAMES, TO_UNIT, VECTOR_EMPTY, VectorCount, Work, kinds_of

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.program import Program
    from gnomon.sim._run import Run
    from gnomon.sim._work import Array

NO_FUNCTION = "?"
"""Code that no function covers, and cycles before the first issue."""


def function_work(run: Run, program: Program, architecture: Architecture) -> dict[str, Work]:
    """Split the work of a run by function, in the order of their addresses."""
    profile = run.profile
    hit = np.flatnonzero(profile.issues.sum(axis=0))
    memory = np.frombuffer(run.instruction_memory, dtype="<u4")
    first = (profile.base_address - int(architecture.memory.instruction.base)) // 4
    entries = pack(memory[first + hit].astype(np.uint32), architecture)
    kinds = kinds_of(entries)
    issues = profile.issues.sum(axis=0)[hit]
    cycles = profile.cycles.sum(axis=0)[hit]
    waits = np.maximum(cycles - issues * (1 + ((entries >> 24) & 0xFF)), 0)
    names = [_function(program, profile.base_address + 4 * int(index)) for index in hit]
    groups = list(dict.fromkeys(names)) or [NO_FUNCTION]
    place = {name: number for number, name in enumerate(groups)}
    of = np.array([place[name] for name in names], dtype=np.int64)

    table = np.zeros((len(groups), len(NAMES)), dtype=np.int64)
    np.add.at(table, (of, kinds), issues)
    # Sleepers issue their wfi again and again; these slots are not instructions.
    asleep = sum(run.work.parked_slots)
    table[:, op.WFI] -= split(asleep, table[:, op.WFI])
    to_unit = np.isin(kinds, [row.number for row in INSTRUCTIONS if row.timing_class == "kdsp"])
    tries = np.bincount(of[to_unit], weights=issues[to_unit], minlength=len(groups))
    awake = table.sum(axis=1)
    executed = _vectors(run.work, table)
    own = np.bincount(of, weights=cycles, minlength=len(groups)).astype(np.int64)
    own -= split(asleep, np.bincount(of[kinds == op.WFI], weights=cycles[kinds == op.WFI],
                                     minlength=len(groups)).astype(np.int64))  # fmt: skip
    own += split(asleep, awake)
    own[place.get(NO_FUNCTION, 0)] += run.wall_cycles - int(own.sum())
    parked = [split(slots, awake) for slots in run.work.parked_slots]
    empty = run.work.instructions.get(VECTOR_EMPTY, 0)
    shared = {
        "retries": split(run.work.retries, tries.astype(np.int64)),
        "empty": split(empty, table[:, TO_UNIT].sum(axis=1)),
        "waits": split(run.work.waiting_cycles, np.bincount(
            of, weights=waits, minlength=len(groups)).astype(np.int64)),
    }  # fmt: skip
    works = {}
    for number, name in enumerate(groups):
        instructions: dict[str, int] = {}
        for kind in np.flatnonzero(table[number]):
            if kind not in TO_UNIT:
                label = NAMES[kind]
                count = int(table[number, kind])
                instructions[label] = instructions.get(label, 0) + count
        if shared["empty"][number]:
            instructions[VECTOR_EMPTY] = int(shared["empty"][number])
        works[name] = Work(
            wall_cycles=int(own[number]),
            instructions=instructions,
            vector=executed[number],
            retries=int(shared["retries"][number]),
            parked_slots=tuple(int(slots[number]) for slots in parked),
            waiting_cycles=int(shared["waits"][number]),
        )
    return works


def issued_kinds(run: Run, architecture: Architecture) -> list[str]:
    """What each executed instruction word counts as in ``Work``, in the order of addresses."""
    hit = np.flatnonzero(run.profile.issues.sum(axis=0))
    memory = np.frombuffer(run.instruction_memory, dtype="<u4")
    first = (run.profile.base_address - int(architecture.memory.instruction.base)) // 4
    entries = pack(memory[first + hit].astype(np.uint32), architecture)
    return [NAMES[kind] for kind in kinds_of(entries).tolist()]


def split(total: int, weights: Array) -> Array:
    """Whole numbers that sum to ``total``, in proportion to weights, largest remainders first.

    Without any weight the first one takes all.
    """
    whole = int(weights.sum())
    parts = np.zeros(len(weights), dtype=np.int64)
    if whole <= 0:
        parts[0] = total
        return parts
    # Python's integers: counts of long runs times counts leave 64 bits.
    exact = [total * int(weight) for weight in weights]
    parts[:] = [value // whole for value in exact]
    rest = sorted(range(len(weights)), key=lambda k: (-(exact[k] % whole), k))
    for index in rest[: total - int(parts.sum())]:
        parts[index] += 1
    return parts


def _vectors(work: Work, table: Array) -> list[dict[str, VectorCount]]:
    found: list[dict[str, VectorCount]] = [{} for _ in table]
    for name, count in work.vector.items():
        weights = table[:, NAMES.index(name)]
        columns = [split(part, weights) for part in (count.issued, count.size_bytes, count.narrow)]
        for number, (issued, size_bytes, narrow) in enumerate(zip(*columns, strict=True)):
            if issued or size_bytes:
                found[number][name] = VectorCount(int(issued), int(size_bytes), int(narrow))
    return found


def _function(program: Program, address: int) -> str:
    function = program.function_at(address)
    return function.name if function else NO_FUNCTION
