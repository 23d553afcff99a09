"""What the whole machine did in a span of time, by instruction: the input of energy models.

A snapshot is one vector of counts that only grow, so a span is the difference of two of them.
Counts are kept by the word that is at a pc now; where a program overwrites instructions that it
has executed, their earlier issues are counted under the new ones.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gnomon.isa import INSTRUCTIONS
from gnomon.sim import _ops as op
from gnomon.sim._accounting import WAITS
from gnomon.sim._codes import MAX_HARTS
from gnomon.sim._csr_numbers import MPSCLFAC, MVSIZE, MVTYPE
from gnomon.sim._state import VECTOR_STAT
from gnomon.sim._tables import pack

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gnomon.arch import Architecture
    from gnomon.program import Program
    from gnomon.sim._machine import Machine
    from gnomon.sim._run import Run


Array = npt.NDArray[np.int64]

CSR_READ, CSR_WRITE, CSR_VECTOR = "csr.read", "csr.write", "csr.vector"
VECTOR_EMPTY = "vector.empty"

_ROWS = len(INSTRUCTIONS)
_CSR_KINDS = (CSR_READ, CSR_WRITE, CSR_VECTOR)
_EXTRA_NAMES = {op.NOP: "nop", op.LOAD_X0: "load.x0", op.ILLEGAL: "illegal",
                op.ILLEGAL_LSU: "illegal"}  # fmt: skip
NAMES = (
    *(row.mnemonic for row in INSTRUCTIONS),
    *(_EXTRA_NAMES.get(number, "") for number in range(op.NOP, op.OP_COUNT)),
    *_CSR_KINDS,
)
_KINDS = len(NAMES)
_PARKED = _KINDS
_WAITS = _PARKED + MAX_HARTS
_RETRIES = _WAITS + 1
_VECTOR = _RETRIES + 1
_COLUMNS = VECTOR_STAT.dtype.itemsize // 8
_LENGTH = _VECTOR + _ROWS * _COLUMNS

_VECTOR_ROWS = [row.number for row in INSTRUCTIONS if row.timing_class in ("kdsp", "kmem")]
TO_UNIT = [*_VECTOR_ROWS, op.ILLEGAL_KDSP, op.ILLEGAL_KMEM]


@dataclass(frozen=True, slots=True)
class VectorCount:
    """Executions of one vector instruction or transfer.

    Attributes:
        issued: how many did work.
        size_bytes: their lengths, summed.
        narrow: how many of them had 8- or 16-bit elements; always 0 for transfers.
    """

    issued: int
    size_bytes: int
    narrow: int

    def __add__(self, other: VectorCount) -> VectorCount:
        """Of both."""
        return VectorCount(
            self.issued + other.issued,
            self.size_bytes + other.size_bytes,
            self.narrow + other.narrow,
        )

    def to_json(self) -> dict[str, int]:
        """Plain data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Work:
    """What all harts together did in a span of time.

    Attributes:
        wall_cycles: its length.
        instructions: issues by mnemonic, without ``vector``, retries and the slots of sleeping
            harts. Accesses to CSRs are ``csr.read``, ``csr.write``, and ``csr.vector`` for writes
            of MVSIZE, MVTYPE and MPSCLFAC; ``nop`` are integer instructions without a result;
            ``vector.empty`` vector instructions and transfers of length 0 or that trapped.
        vector: vector instructions and transfers that did work, by mnemonic.
        retries: issue slots lost to a busy vector unit.
        parked_slots: slots of sleeping harts, by hart.
        waiting_cycles: cycles in which the whole pipeline waited in decode.
    """

    wall_cycles: int
    instructions: Mapping[str, int]
    vector: Mapping[str, VectorCount]
    retries: int
    parked_slots: tuple[int, ...]
    waiting_cycles: int

    @classmethod
    def joined(cls, parts: Iterable[Work]) -> Work:
        """Several spans that do not overlap, such as the stages of a learner."""
        cycles = retries = waiting = 0
        instructions: Counter[str] = Counter()
        vector: dict[str, VectorCount] = {}
        parked: tuple[int, ...] = ()
        for part in parts:
            cycles += part.wall_cycles
            retries += part.retries
            waiting += part.waiting_cycles
            instructions.update(part.instructions)
            for name, each in part.vector.items():
                vector[name] = vector.get(name, VectorCount(0, 0, 0)) + each
            parked = tuple(map(sum, zip_longest(parked, part.parked_slots, fillvalue=0)))
        return cls(cycles, dict(instructions), vector, retries, parked, waiting)

    @property
    def awake_slots(self) -> int:
        """Issue slots of harts that do not sleep, retries included."""
        executed = sum(count.issued for count in self.vector.values())
        return sum(self.instructions.values()) + executed + self.retries

    def to_json(self) -> dict[str, Any]:
        """Plain data under the documented names."""
        return {
            "wall_cycles": self.wall_cycles,
            "instructions": dict(self.instructions),
            "vector": {name: count.to_json() for name, count in self.vector.items()},
            "retries": self.retries,
            "parked_slots": list(self.parked_slots),
            "waiting_cycles": self.waiting_cycles,
        }


def empty() -> Array:
    """The snapshot of a machine that has done nothing."""
    return np.zeros(_LENGTH, dtype=np.int64)


def kinds_of(entries: npt.NDArray[np.void]) -> Array:
    """What each entry counts as: its operation, or its kind of CSR access."""
    kinds = entries["op"].astype(np.int64)
    csr = (kinds >= op.CSRRW) & (kinds <= op.CSRRCI)
    writes = (kinds == op.CSRRW) | (kinds == op.CSRRWI) | (entries["rs1"] != 0)
    vector = np.isin(entries["imm"], (MVSIZE, MVTYPE, MPSCLFAC))
    access = np.where(writes, np.where(vector, 2, 1), 0)
    return np.where(csr, op.OP_COUNT + access, kinds)


def snapshot(machine: Machine) -> Array:
    """Counts up to now, of all harts."""
    first, last = machine.text
    harts = machine.harts
    result = empty()
    issues = machine.prof[:harts, first:last].sum(axis=0)
    hit = np.flatnonzero(issues)
    kinds = kinds_of(machine.decoded[first:last][hit])
    np.add.at(result, kinds, issues[hit])
    account = machine.acct[:harts]
    result[op.WFI] -= account["parked"].sum()
    result[_PARKED : _PARKED + harts] = account["parked"]
    for h in range(harts):
        if machine.hs["parked"][h]:
            result[_PARKED + h] += machine.issued(h) - machine.hs["park_issued"][h]
    result[_WAITS] = sum(account[name].sum() for name in WAITS)
    result[_RETRIES] = account["retry"].sum()
    vectors = machine.vstat[:harts].view(np.int64).reshape(harts, -1)
    result[_VECTOR:] = vectors.sum(axis=0)
    return result


def work_of(span: Array, wall_cycles: int, harts: int) -> Work:
    """Name the counts of a span."""
    table = span[_VECTOR:].view(VECTOR_STAT.dtype)
    vector = {
        NAMES[number]: VectorCount(
            int(table["issued"][number]),
            int(table["bytes"][number]),
            int(table["narrow"][number]),
        )
        for number in _VECTOR_ROWS
        if table["issued"][number]
    }
    retries = int(span[_RETRIES])
    instructions: dict[str, int] = {}
    for number in range(_KINDS):
        if span[number] and number not in TO_UNIT:
            name = NAMES[number]
            instructions[name] = instructions.get(name, 0) + int(span[number])
    executed = sum(count.issued for count in vector.values())
    idle = int(span[TO_UNIT].sum()) - retries - executed
    if idle:
        instructions[VECTOR_EMPTY] = idle
    return Work(
        wall_cycles=wall_cycles,
        instructions=instructions,
        vector=vector,
        retries=retries,
        parked_slots=tuple(int(n) for n in span[_PARKED : _PARKED + harts]),
        waiting_cycles=int(span[_WAITS]),
    )


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
    waits = np.maximum(cycles - issues * (1 + entries["extra"].astype(np.int64)), 0)
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
        for number, parts in enumerate(zip(*columns, strict=True)):
            if parts[0] or parts[1]:
                found[number][name] = VectorCount(*map(int, parts))
    return found


def _function(program: Program, address: int) -> str:
    function = program.function_at(address)
    return function.name if function else NO_FUNCTION
