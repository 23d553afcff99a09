"""Results of a simulation of a core, and programs as words for its memories."""

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
class RtlRun:
    """The events of an RTL run. ``memory``: nonzero words at the exit, by address."""

    ended: Ended
    cycle: int
    issues: tuple[Issue, ...]
    bus: tuple[BusRequest, ...]
    memory: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Recorded:
    """The events of a compiled simulation, as tables that are compared as a whole.

    ``issues``: cycle, hart, pc, word; ``bus``: cycle, byte enables (0 = read), address, data.
    ``memory``: instruction memory followed by data memory, at the exit. ``units``: of each
    instruction of a unit the cycles of start and end, hart (+ 256 if the result has undefined
    bits), word, a, b, c, result; None: not recorded.
    """

    ended: Ended
    cycle: int
    issues: npt.NDArray[np.uint32]
    bus: npt.NDArray[np.uint32]
    memory: bytes
    units: npt.NDArray[np.uint32] | None = None

    def equals(self, run: Run) -> bool:
        """Return whether every issue, every request and both memories equal those of a run."""
        assert run.trace is not None
        assert run.bus is not None
        return (
            self.ended == "exit"
            and np.array_equal(self.issues, _table(run.trace))
            and np.array_equal(self.bus, _table(run.bus))
            and self.memory == run.instruction_memory + run.data_memory
        )

    def rows(self, architecture: Architecture) -> RtlRun:
        """Return the events as rows of numbers and text."""
        memory = architecture.memory
        size = int(memory.instruction.size)
        held = nonzero(self.memory[:size], memory.instruction.base)
        held |= nonzero(self.memory[size:], memory.data.base)
        return RtlRun(
            self.ended,
            self.cycle,
            tuple((cycle, hart, pc, word) for cycle, hart, pc, word in self.issues.tolist()),
            tuple(bus_rows(self.bus)),
            {address: f"{word:08X}" for address, word in held.items()},
        )


def nonzero(memory: bytes, base: int) -> dict[int, int]:
    """Return the nonzero 32-bit words of a memory, by address."""
    words = np.frombuffer(memory, dtype="<u4")
    places = np.flatnonzero(words)
    return dict(zip((base + 4 * places).tolist(), words[places].tolist(), strict=True))


def bus_rows(requests: npt.NDArray[Any]) -> list[BusRequest]:
    """Return the bus requests of a run or a recording as rows."""
    return [
        (cycle, f"{enables:X}", f"{address:08X}", f"{data:08X}")
        for cycle, enables, address, data in requests.tolist()
    ]


def _table(rows: npt.NDArray[np.void]) -> npt.NDArray[np.uint32]:
    assert rows.dtype.names is not None
    columns = [rows[name].astype(np.int64) & 0xFFFF_FFFF for name in rows.dtype.names[:4]]
    return np.stack(columns, axis=1).astype(np.uint32)


def seen_digest(run: Run) -> str:
    """Return the digest of issues, requests, exit cycle and memory, as 16 hexadecimal digits.

    With it, a simulator can be compared with a recorded RTL run without the RTL.
    """
    assert run.trace is not None
    assert run.bus is not None
    memory = run.instruction_memory + run.data_memory
    return digest((run.exit_cycle, _table(run.trace), _table(run.bus), memory))[:16]


def words_of(program: Program) -> dict[int, int]:
    """Return the nonzero 32-bit words of a program, by address, in order."""
    words: dict[int, int] = {}
    for segment in program.segments:
        lead = segment.address & 3
        data = bytes(lead) + segment.data
        held = nonzero(data + bytes(-len(data) % 4), segment.address - lead)
        for address, word in held.items():
            words[address] = words.get(address, 0) | word
    return dict(sorted(words.items()))


def program_words(program: Program) -> str:
    """Return the nonzero words of a program as lines "address word", hexadecimal."""
    return "".join(f"{address:08X} {word:08X}\n" for address, word in words_of(program).items())


def memories_of(
    program: Program, architecture: Architecture
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Return the words of instruction memory and data memory that hold a program.

    Raises:
        GnomonError: if a word is in neither memory, or the machine has one memory for both.
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
    """A simulation task for a core: run up to the exit, a difference, or a last cycle.

    Attributes:
        program: program to run.
        machine: machine of the model.
        setting: hardware setting of the core.
        folder: folder of the simulation; its files stay there.
        expected: issues of the model: cycle, hart, pc, word. A core may ignore them and continue
            after a difference.
        last_cycle: cycle limit.
    """

    program: Program
    machine: Architecture
    setting: Setting
    folder: Path
    expected: Sequence[Sequence[int]]
    last_cycle: int
