"""What the whole machine did in a span of time, by instruction: the input of energy models.

A snapshot is one vector of counts that only grow, so a span is the difference of two of them.
Counts are kept by the word that is at a pc now; where a program overwrites instructions that it
has executed, their earlier issues are counted under the new ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.values import apportion, json_attributes, to_json_data
from gnomon.isa import Instruction, fetched_words
from gnomon.program import Program
from gnomon.sim import _ops as op
from gnomon.sim._accounting import WAITS
from gnomon.sim._codes import BUSES, MAX_HARTS
from gnomon.sim._machine import Machine
from gnomon.sim._run import Run
from gnomon.sim._structs import VECTOR_STAT
from gnomon.sim._tables import pack

Array = npt.NDArray[np.int64]

CSR_READ, CSR_WRITE, CSR_VECTOR = "csr.read", "csr.write", "csr.vector"
VECTOR_EMPTY = "vector.empty"

_ROWS = len(Instruction.ALL)
_CSR_KINDS = (CSR_READ, CSR_WRITE, CSR_VECTOR)
_EXTRA_NAMES = {op.NOP: "nop", op.LOAD_X0: "load.x0", op.ILLEGAL: "illegal",
                op.ILLEGAL_LSU: "illegal"}  # fmt: skip
_NAMES = (
    *(row.mnemonic for row in Instruction.ALL),
    *(_EXTRA_NAMES.get(number, "") for number in range(op.NOP, op.OP_COUNT)),
    *_CSR_KINDS,
)
_KINDS = len(_NAMES)
_PARKED = _KINDS
_WAITS = _PARKED + MAX_HARTS
_RETRIES = _WAITS + 1
_VECTOR = _RETRIES + 1
_COLUMNS = VECTOR_STAT.dtype.itemsize // 8
_TOGGLES = _VECTOR + _ROWS * _COLUMNS
WORK_COUNTS = _TOGGLES + 2 * len(BUSES)
"""Length of a snapshot."""

_VECTOR_ROWS = sorted([*op.TRANSFERS, *op.VECTOR])
_TO_UNIT = [*_VECTOR_ROWS, op.ILLEGAL_KDSP, op.ILLEGAL_KMEM]


@dataclass(frozen=True, slots=True)
class VectorCount:
    """Executions of one vector instruction or transfer."""

    issued: int  # how many did work
    size_bytes: int  # their lengths, summed
    narrow: int  # how many of them had 8- or 16-bit elements; always 0 for transfers

    def __add__(self, other: VectorCount) -> VectorCount:
        issued, size_bytes = self.issued + other.issued, self.size_bytes + other.size_bytes
        return VectorCount(issued, size_bytes, self.narrow + other.narrow)


@dataclass(frozen=True, slots=True)
class BusCount:
    """What a bus has carried, such as a register read port or the operands of all lanes."""

    values: int  # how many
    toggles: int  # bits in which they differ from the value before them, summed

    def __add__(self, other: BusCount) -> BusCount:
        return BusCount(self.values + other.values, self.toggles + other.toggles)


@dataclass(frozen=True, slots=True)
class Work:
    """What all harts together did in a span of time."""

    BUSES: ClassVar = BUSES
    """Where operand toggles are counted."""

    wall_cycles: int  # its length
    # issues by mnemonic, without `vector`, retries and slots of sleepers. Accesses to CSRs are
    # `csr.read`, `csr.write`, and `csr.vector` for writes of MVSIZE, MVTYPE and MPSCLFAC; `nop` are
    # integer instructions without a result; `vector.empty` vector instructions and transfers of
    # length 0 or that trapped.
    instructions: Mapping[str, int]
    vector: Mapping[
        str, VectorCount
    ]  # vector instructions and transfers that did work, by mnemonic
    retries: int  # issue slots lost to a busy vector unit
    parked_slots: tuple[int, ...]  # slots of sleeping harts, by hart
    waiting_cycles: int  # cycles in which the whole pipeline waited in decode
    buses: Mapping[str, BusCount] = field(default_factory=dict)  # empty where they were not counted

    @classmethod
    def joined(cls, parts: Iterable[Work]) -> Work:
        """Several spans that do not overlap, such as the stages of a learner."""
        parts = list(parts)
        instructions: Counter[str] = Counter()
        vector: dict[str, VectorCount] = {}
        for part in parts:
            instructions.update(part.instructions)
            for name, each in part.vector.items():
                vector[name] = vector.get(name, VectorCount(0, 0, 0)) + each
        counted = parts and all(part.buses for part in parts if part.wall_cycles)
        seen = [part.buses for part in parts if part.buses]
        buses = {name: sum((each[name] for each in seen), BusCount(0, 0)) for name in BUSES}
        return cls(
            sum(part.wall_cycles for part in parts),
            dict(instructions),
            vector,
            sum(part.retries for part in parts),
            tuple(map(sum, zip_longest(*(part.parked_slots for part in parts), fillvalue=0))),
            sum(part.waiting_cycles for part in parts),
            buses if counted else {},
        )

    @property
    def awake_slots(self) -> int:
        """Issue slots of harts that do not sleep, retries included."""
        executed = sum(count.issued for count in self.vector.values())
        return sum(self.instructions.values()) + executed + self.retries

    def working_cycles(self, architecture: Architecture) -> int:
        """Return the cycles in which something of this span works, ``wall_cycles`` or more.

        Vector instructions and transfers of a function work on while other functions issue. They
        take at least a cycle for the words that all lanes, or the data memory, handle at once:
        those that buses carried where they were counted, else by the lengths of the instructions.
        """
        vcu = architecture.vcu
        if vcu is None:
            return self.wall_cycles
        units = 1 if vcu.sharing == "shared" else architecture.core.harts
        at_lanes, at_memory = 4 * vcu.simd * units, architecture.memory.data.width // 8
        if self.buses:
            words = {name: each.values for name, each in self.buses.items()}
            lanes = max(words["lane_a"], words["lane_b"], words["scratchpad_write"],
                        words["scratchpad_read"] // 2)  # fmt: skip
            return max(self.wall_cycles, 4 * lanes // at_lanes, 4 * words["address"] // at_memory)
        moved = {_NAMES[number] for number in op.TRANSFERS}
        transfers = sum(each.size_bytes for name, each in self.vector.items() if name in moved)
        vectors = sum(each.size_bytes for name, each in self.vector.items() if name not in moved)
        return max(self.wall_cycles, vectors // at_lanes, transfers // at_memory)

    def to_json(self) -> dict[str, Any]:
        """Plain data under the documented names."""
        told = json_attributes(
            self, "wall_cycles instructions vector retries parked_slots waiting_cycles"
        )
        return told | ({"buses": to_json_data(self.buses)} if self.buses else {})

    @staticmethod
    def words(run: Run, architecture: Architecture) -> npt.NDArray[np.uint32]:
        """Return the instructions that took cycles, by address; 16 bits where compressed."""
        hit = run.profile.spent
        memory = np.frombuffer(run.instruction_memory, dtype="<u4").astype(np.uint32)
        first = -run.profile.place(int(architecture.memory.instruction.base))
        compressed = architecture.core.alignment_bytes == 2
        return fetched_words(memory, first + hit, compressed=compressed)

    @staticmethod
    def fetch_cycles(words: npt.NDArray[np.uint32], architecture: Architecture) -> Array:
        """Cycles that each instruction waits for the next one, taken branches aside."""
        return pack(words, architecture)["fetch"].astype(np.int64)

    @staticmethod
    def kinds(run: Run, architecture: Architecture) -> list[str]:
        """Return what each instruction word that took cycles counts as, by address."""
        return [_NAMES[kind] for kind in _executed(run, architecture)[1].tolist()]

    @classmethod
    def by_function(cls, run: Run, program: Program, architecture: Architecture) -> dict[str, Work]:
        """Split the work of a run by function, in the order of their addresses.

        Slots of sleeping harts, with their cycles and what they put on buses, belong to the
        functions that run beside them, by awake slots.
        """
        entries, kinds = _executed(run, architecture)
        profile, work = run.profile, run.work
        hit = profile.spent
        issues = profile.issues.sum(axis=0)[hit]
        slept = profile.parts["parked"].sum(axis=0)[hit]
        cycles = profile.cycles.sum(axis=0)[hit]
        waits = np.maximum(cycles - issues * (1 + entries["extra"].astype(np.int64)), 0)
        names = [program.function_name(profile.address(index)) for index in hit.tolist()]
        groups = list(dict.fromkeys(names)) or [program.NO_FUNCTION]
        place = {name: number for number, name in enumerate(groups)}
        of = np.array([place[name] for name in names], dtype=np.int64)
        table = np.zeros((len(groups), _KINDS), dtype=np.int64)
        np.add.at(table, (of, kinds), issues)

        def summed(values: Array, chosen: npt.NDArray[np.bool_]) -> Array:
            sums = np.bincount(of[chosen], weights=values[chosen], minlength=len(groups))
            return sums.astype(np.int64)

        # Sleepers issue their wfi again and again; these slots are not instructions.
        everywhere = np.ones(len(of), dtype=np.bool_)
        asleep = summed(slept, everywhere)
        table[:, op.WFI] -= asleep
        awake = table.sum(axis=1)
        own = summed(cycles, everywhere) - asleep + apportion(int(asleep.sum()), awake)
        own[place.get(program.NO_FUNCTION, 0)] += run.wall_cycles - int(own.sum())
        parked = np.array([apportion(slots, awake) for slots in work.parked_slots])
        empty = apportion(work.instructions.get(VECTOR_EMPTY, 0), table[:, _TO_UNIT].sum(axis=1))
        retries = apportion(work.retries, summed(issues, np.isin(kinds, op.VECTOR)))
        waiting = apportion(work.waiting_cycles, summed(waits, everywhere))
        executed = _vectors(work, table)
        carried = None if profile.buses is None else profile.buses[hit]
        buses = None if carried is None else _shared(carried, of, issues, slept, awake)
        return {
            name: cls(
                wall_cycles=int(own[number]),
                instructions=_named(table[number], int(empty[number])),
                vector=executed[number],
                retries=int(retries[number]),
                parked_slots=tuple(parked[:, number].tolist()),
                waiting_cycles=int(waiting[number]),
                buses={} if buses is None else _buses(buses[number]),
            )
            for number, name in enumerate(groups)
        }


def kinds_of(entries: npt.NDArray[np.void]) -> Array:
    """What each entry counts as: its operation, or its kind of CSR access."""
    kinds = entries["op"].astype(np.int64)
    csr = np.isin(kinds, op.CSR_ACCESSES)
    writes = (kinds == op.CSRRW) | (kinds == op.CSRRWI) | (entries["rs1"] != 0)
    vector = np.isin(entries["imm"], op.VECTOR_CSRS)
    access = np.where(writes, np.where(vector, 2, 1), 0)
    return np.where(csr, op.OP_COUNT + access, kinds)


def snapshot(machine: Machine) -> Array:
    first, last = machine.text
    harts = machine.harts
    result = np.zeros(WORK_COUNTS, dtype=np.int64)
    issues = machine.issues()[:, first:last].sum(axis=0)
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
    result[_VECTOR:_TOGGLES] = vectors.sum(axis=0)
    buses = machine.buses()
    if buses is not None:
        result[_TOGGLES:] = buses.sum(axis=0)
    return result


def _shared(carried: Array, of: Array, issues: Array, slept: Array, awake: Array) -> Array:
    """Return what buses carried by function: of sleeping harts by awake slots, else by word.

    Args:
        carried: by word and bus, those of sleepers at their ``wfi``.
        of: the function of each word.
        issues: slots of each word, those of sleepers included.
        slept: slots of sleepers at each word.
        awake: slots of each function without them.
    """
    result = np.zeros((len(awake), carried.shape[1]), dtype=np.int64)
    np.add.at(result, of, carried)
    for word in np.flatnonzero(slept).tolist():
        parts = np.array([int(slept[word]), int(issues[word] - slept[word])], dtype=np.int64)
        for bus, count in enumerate(carried[word].tolist()):
            asleep = int(apportion(count, parts)[0])
            result[of[word], bus] -= asleep
            result[:, bus] += apportion(asleep, awake)
    return result


def _buses(counts: Array) -> dict[str, BusCount]:
    values, toggles = counts.reshape(2, len(BUSES)).tolist()
    return dict(zip(BUSES, map(BusCount, values, toggles), strict=True))


def work_of(span: Array, wall_cycles: int, machine: Machine) -> Work:
    table = span[_VECTOR:_TOGGLES].view(VECTOR_STAT.dtype)
    vector = {
        _NAMES[number]: VectorCount(*(int(table[n][number]) for n in ("issued", "bytes", "narrow")))
        for number in _VECTOR_ROWS
        if table["issued"][number]
    }
    retries = int(span[_RETRIES])
    executed = sum(count.issued for count in vector.values())
    return Work(
        wall_cycles=wall_cycles,
        instructions=_named(span[:_KINDS], int(span[_TO_UNIT].sum()) - retries - executed),
        vector=vector,
        retries=retries,
        parked_slots=tuple(span[_PARKED : _PARKED + machine.harts].tolist()),
        waiting_cycles=int(span[_WAITS]),
        buses=_buses(span[_TOGGLES:]) if "toggles" in machine.arrays else {},
    )


def _named(counts: Array, empty: int) -> dict[str, int]:
    """Counts by kind under their names; those of the vector unit only where they did nothing."""
    found: dict[str, int] = {}
    for kind in np.flatnonzero(counts).tolist():
        if kind not in _TO_UNIT:
            found[_NAMES[kind]] = found.get(_NAMES[kind], 0) + int(counts[kind])
    return found | ({VECTOR_EMPTY: empty} if empty else {})


def _executed(run: Run, architecture: Architecture) -> tuple[npt.NDArray[np.void], Array]:
    """Return the words that took cycles as entries, and what each counts as."""
    entries = pack(Work.words(run, architecture), architecture)
    return entries, kinds_of(entries)


def _vectors(work: Work, table: Array) -> list[dict[str, VectorCount]]:
    found: list[dict[str, VectorCount]] = [{} for _ in table]
    for name, count in work.vector.items():
        weights = table[:, _NAMES.index(name)]
        columns = [
            apportion(part, weights) for part in (count.issued, count.size_bytes, count.narrow)
        ]
        for number, parts in enumerate(zip(*columns, strict=True)):
            if parts[0] or parts[1]:
                found[number][name] = VectorCount(*map(int, parts))
    return found
