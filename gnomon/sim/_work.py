"""The work of the whole machine in a span of time, by instruction: the input of energy models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from gnomon.arch import Architecture
from gnomon.base.values import json_attributes, to_json_data
from gnomon.isa import INSTRUCTIONS
from gnomon.sim import _ops as op
from gnomon.sim._codes import BUSES


@dataclass(frozen=True, slots=True)
class VectorCount:
    """Executions of one vector instruction or transfer."""

    issued: int  # executions that did work
    size_bytes: int  # sum of their lengths
    narrow: int  # executions with 8- or 16-bit elements; always 0 for transfers

    def __add__(self, other: VectorCount) -> VectorCount:
        issued, size_bytes = self.issued + other.issued, self.size_bytes + other.size_bytes
        return VectorCount(issued, size_bytes, self.narrow + other.narrow)


@dataclass(frozen=True, slots=True)
class BusCount:
    """Traffic of a bus, such as a register read port or the operands of all lanes."""

    values: int  # number of values
    toggles: int  # sum of the bits in which consecutive values differ

    def __add__(self, other: BusCount) -> BusCount:
        return BusCount(self.values + other.values, self.toggles + other.toggles)


@dataclass(frozen=True, slots=True)
class AccessCount:
    """Accesses of a program to a device; one to two words counts twice."""

    reads: int  # number of reads
    writes: int  # number of writes

    def __add__(self, other: AccessCount) -> AccessCount:
        return AccessCount(self.reads + other.reads, self.writes + other.writes)


@dataclass(frozen=True, slots=True)
class Work:
    """The work of all harts together in a span of time."""

    wall_cycles: int  # its length
    # issues by mnemonic, without `vector`, retries and slots of sleeping harts. Accesses to CSRs
    # are `csr.read`, `csr.write`, and `csr.vector` for writes of MVSIZE, MVTYPE and MPSCLFAC; `nop`
    # are integer instructions without a result; `vector.empty` are vector instructions and
    # transfers that have length 0 or trapped.
    instructions: Mapping[str, int]
    vector: Mapping[
        str, VectorCount
    ]  # vector instructions and transfers that did work, by mnemonic
    retries: int  # issue slots lost to a busy vector unit
    parked_slots: tuple[int, ...]  # slots of sleeping harts, by hart; in order: cycles asleep
    waiting_cycles: int  # cycles in which the whole pipeline waited in decode
    buses: Mapping[str, BusCount] = field(default_factory=dict)  # empty if not counted
    accesses: Mapping[str, AccessCount] = field(default_factory=dict)  # by device, if there are any

    @classmethod
    def joined(cls, parts: Iterable[Work]) -> Work:
        """Return the sum of several disjoint spans, such as the stages of a learner."""
        parts = list(parts)
        instructions: Counter[str] = Counter()
        vector: dict[str, VectorCount] = {}
        accesses: dict[str, AccessCount] = {}
        for part in parts:
            for name, count in part.accesses.items():
                accesses[name] = accesses.get(name, AccessCount(0, 0)) + count
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
            accesses,
        )

    @property
    def awake_slots(self) -> int:
        """Issue slots of harts that do not sleep, retries included."""
        executed = sum(count.issued for count in self.vector.values())
        return sum(self.instructions.values()) + executed + self.retries

    def working_cycles(self, architecture: Architecture) -> int:
        """Return the cycles in which a unit works for this span, ``wall_cycles`` or more.

        Vector instructions and transfers of a function continue while other functions issue. They
        take at least one cycle per group of words that all lanes, or the data memory, process at
        once. The words are those on the buses if counted, else the lengths of the instructions.
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
        moved = {INSTRUCTIONS[number].mnemonic for number in op.TRANSFERS}
        transfers = sum(each.size_bytes for name, each in self.vector.items() if name in moved)
        vectors = sum(each.size_bytes for name, each in self.vector.items() if name not in moved)
        return max(self.wall_cycles, vectors // at_lanes, transfers // at_memory)

    def to_json(self) -> dict[str, Any]:
        """Return JSON-compatible data under the documented names."""
        result = json_attributes(
            self, "wall_cycles instructions vector retries parked_slots waiting_cycles"
        )
        for name in ("buses", "accesses"):
            if getattr(self, name):
                result[name] = to_json_data(getattr(self, name))
        return result
