"""What a simulation of a core brings back, and the words of a program as one takes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError
from gnomon.program import Program
from gnomon.rtl.setting import Setting
from gnomon.sim import Run

Ended = Literal["exit", "difference", "cycle limit"]

Issue = tuple[int, int | str, int | str, int | str]
"""Cycle, hart, pc, word; text where the core shows undefined bits."""

BusRequest = tuple[int, str, str, str]
"""Cycle, byte enables (0 = read), address, data; hexadecimal, X where bits are undefined."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What the RTL did. ``memory``: words that are not zero at the exit, by address."""

    ended: Ended
    cycle: int
    issues: tuple[Issue, ...]
    bus: tuple[BusRequest, ...]
    memory: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a compiled simulation did, as tables: it is compared whole, and read where it differs.

    ``issues``: cycle, hart, pc, word; ``bus``: cycle, byte enables (0 = read), address, data.
    ``memory`` is the instruction memory with the data memory behind it, at the exit.
    """

    ended: Ended
    cycle: int
    issues: npt.NDArray[np.uint32]
    bus: npt.NDArray[np.uint32]
    memory: bytes

    def equals(self, run: Run) -> bool:
        """Every issue, every request and both memories are those of a run."""
        assert run.trace is not None
        assert run.bus is not None
        return (
            self.ended == "exit"
            and np.array_equal(self.issues, _table(run.trace))
            and np.array_equal(self.bus, _table(run.bus))
            and self.memory == run.instruction_memory + run.data_memory
        )

    def rows(self, architecture: Architecture) -> Observed:
        """The same as rows of numbers and text."""
        memory = architecture.memory
        size = int(memory.instruction.size)
        held = nonzero(self.memory[:size], memory.instruction.base)
        held |= nonzero(self.memory[size:], memory.data.base)
        return Observed(
            self.ended,
            self.cycle,
            tuple((cycle, hart, pc, word) for cycle, hart, pc, word in self.issues.tolist()),
            tuple(bus_rows(self.bus)),
            {address: f"{word:08X}" for address, word in held.items()},
        )


def nonzero(memory: bytes, base: int) -> dict[int, int]:
    """The words of a memory that are not zero, by address."""
    words = np.frombuffer(memory, dtype="<u4")
    places = np.flatnonzero(words)
    return dict(zip((base + 4 * places).tolist(), words[places].tolist(), strict=True))


def bus_rows(requests: npt.NDArray[Any]) -> list[BusRequest]:
    """Requests of a run or a recording as rows."""
    return [
        (cycle, f"{enables:X}", f"{address:08X}", f"{data:08X}")
        for cycle, enables, address, data in requests.tolist()
    ]


def _table(rows: npt.NDArray[np.void]) -> npt.NDArray[np.uint32]:
    assert rows.dtype.names is not None
    columns = [rows[name].astype(np.int64) & 0xFFFF_FFFF for name in rows.dtype.names[:4]]
    return np.stack(columns, axis=1).astype(np.uint32)


def seen_digest(run: Run) -> str:
    """Of all that is compared: issues, requests, exit and memory, 16 hexadecimal digits.

    Whoever has no RTL can tell with it whether a simulator still does what the RTL once did.
    """
    assert run.trace is not None
    assert run.bus is not None
    memory = run.instruction_memory + run.data_memory
    return digest((run.exit_cycle, _table(run.trace), _table(run.bus), memory))[:16]


def words_of(program: Program) -> dict[int, int]:
    """The words of a program that are not zero, by address, in order."""
    words: dict[int, int] = {}
    for segment in program.segments:
        lead = segment.address & 3
        data = bytes(lead) + segment.data
        held = nonzero(data + bytes(-len(data) % 4), segment.address - lead)
        for address, word in held.items():
            words[address] = words.get(address, 0) | word
    return dict(sorted(words.items()))


def program_words(program: Program) -> str:
    """The same as text: "address word" per line, hexadecimal."""
    return "".join(f"{address:08X} {word:08X}\n" for address, word in words_of(program).items())


def memories_of(
    program: Program, architecture: Architecture
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Words of the instruction and of the data memory that hold a program.

    Raises:
        GnomonError: a word of it is in neither, or the two are one memory.
    """
    memory = architecture.memory
    if memory.is_one:
        raise GnomonError(f"{architecture.name}: the RTL has no memory for both code and data")
    places = (memory.instruction, memory.data)
    code, data = (np.zeros(int(each.size) // 4, dtype=np.uint32) for each in places)
    for address, word in words_of(program).items():
        for place, words in zip(places, (code, data), strict=True):
            if 0 <= address - place.base < place.size:
                words[(address - place.base) // 4] = word
                break
        else:
            raise GnomonError(f"{program.name}: {address:#x} is in neither memory")
    return code, data


@dataclass(frozen=True, slots=True)
class Job:
    """What a core is to simulate: up to the exit, a difference, or a last cycle.

    Attributes:
        program: what to run.
        machine: the model.
        setting: its own, as the core has it.
        folder: where the simulation runs; its files stay there.
        expected: issues of the model: cycle, hart, pc, word. It may be looked at or not: a
            simulation that goes on behind a difference is compared too.
        last_cycle: when to give up.
    """

    program: Program
    machine: Architecture
    setting: Setting
    folder: Path
    expected: Sequence[Sequence[int]]
    last_cycle: int
