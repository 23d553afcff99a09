"""Predictions of the simulator for a stream: issue and busy cycles, traps, words written.

The model calls the functions of the engine for one instruction at a time.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon.arch import load_architecture
from gnomon.isa import find_instruction
from gnomon.program import Program
from gnomon.sim.parts import build_machine
from rtl_tests.benches import vector_stream as streams

TRANSFER_UNIT = -1
_FIRST_CYCLE = 4
_ILLEGAL = 2


class UndecidedError(Exception):
    """Error for an outcome that the rules do not define."""


@dataclass(frozen=True, slots=True)
class Place:
    """Words of a scratchpad (of one accelerator), or of memory (``accelerator`` is None)."""

    accelerator: int | None
    pad: int
    word: int
    count: int


@dataclass(frozen=True, slots=True)
class Expected:
    """Expected effect of one issued instruction. ``unit`` is None if rejected or without effect."""

    issue: streams.Issue
    cycle: int
    cause: int
    unit: int | None = None
    last_cycle: int = 0
    place: Place | None = None
    words: tuple[int, ...] = ()
    requests: int = 0
    in_flight: str = "nothing"  # a transfer at the time of issue: nothing, source, target, other
    others_busy: bool = False  # whether another accelerator is busy


class Model:
    """Machine without a core."""

    def __init__(self, config: streams.Config) -> None:
        self.config = config
        architecture = load_architecture("t13-simd1", overrides=config.overrides)
        nothing = Program(name="bench", elf=b"", entry=0, segments=())
        m = self._machine = build_machine(nothing, architecture, tracing=False, max_cycles=1)
        self._memory = m.ram[int(m.cfg["data_word0"]) :]
        self._long_ago = int(m.st["lsu_last"])

    def run(self, stream: streams.Stream) -> list[Expected]:
        """Predict every instruction of a stream from reset, in order.

        Raises:
            UndecidedError: if the rules do not define the outcome of an instruction.
        """
        m = self._machine
        m.st["lsu_last"] = m.st["transfer_last"] = self._long_ago
        m.st["vcu_last"][:] = self._long_ago
        m.st["transfer_spm"] = -1
        m.st["transfer_units"] = 0
        words = np.array(stream.memory, dtype=np.uint32).view(np.int32)
        self._memory[: self.config.memory_bytes // 4] = 0
        self._memory[: len(words)] = words
        cycle, told = _FIRST_CYCLE - 1, []
        for issue in stream.issues:
            cycle = self._issue_cycle(issue, cycle + 1)
            told.append(self._execute(issue, cycle))
        return told

    def scratchpad(self, accelerator: int, pad: int) -> list[int]:
        """Return the current words of one scratchpad."""
        return self._words(Place(accelerator, pad, 0, self.config.spm_bytes // 4))

    def _issue_cycle(self, issue: streams.Issue, earliest: int) -> int:
        st, accelerator = self._machine.st, self.config.accelerator(issue.hart)
        busy = [int(st["vcu_last"][accelerator])]
        if issue.transfer:
            busy.append(int(st["lsu_last"]))
            if issue.name == "kbcastld":
                busy += [int(st["vcu_last"][k]) for k in range(self.config.accelerators)]
        # One cycle between two instructions of a unit: the core checks a cycle before it issues.
        return max(earliest + max(issue.gap, 0), max(busy) + 2 + issue.gap)

    def _execute(self, issue: streams.Issue, cycle: int) -> Expected:
        if issue.name is None:
            return Expected(issue, cycle, _ILLEGAL)
        m, config = self._machine, self.config
        st = m.st
        accelerator = config.accelerator(issue.hart)
        in_flight = self._in_flight(issue, cycle)
        others = any(
            int(st["vcu_last"][k]) >= cycle for k in range(config.accelerators) if k != accelerator
        )
        o = find_instruction(issue.name).number
        operands = (issue.rd, issue.rs1, issue.rs2)
        before = int(st["bus_requests"])
        if issue.transfer:
            moved = issue.rs2 & (2 * config.spm_bytes - 1)
        else:
            moved = issue.mvsize
            hart = m.hs[issue.hart]
            hart["mvsize"], hart["mvtype"] = moved, issue.mvtype
            hart["mpsclfac"] = issue.mpsclfac
        if issue.transfer:
            cause = int(m.function("transfer_issue")(m.pointer, issue.hart, o, *operands, cycle))
        else:  # only vector instructions of units have a third operand
            execute = m.function("vector_issue")
            cause = int(execute(m.pointer, issue.hart, o, *operands, 0, cycle))
        if cause < 0:
            raise UndecidedError(f"{issue}: fault {int(st['fault'])}")
        if cause or not moved:
            return Expected(issue, cycle, cause, in_flight=in_flight, others_busy=others)
        unit = TRANSFER_UNIT if issue.transfer else accelerator
        last = int(st["lsu_last"] if issue.transfer else st["vcu_last"][accelerator])
        count = 1 if issue.name in streams.REDUCTIONS else (moved + 3) // 4
        if issue.name == "kmemstr":
            place = Place(None, 0, (issue.rd - streams.MEMORY_BASE) // 4, count)
        else:
            place = Place(accelerator, *self._pad_and_word(issue.rd), count)
        return Expected(
            issue, cycle, 0, unit, last, place, tuple(self._words(place)),
            int(st["bus_requests"]) - before, in_flight, others,
        )  # fmt: skip

    def _in_flight(self, issue: streams.Issue, cycle: int) -> str:
        st = self._machine.st
        accelerator = self.config.accelerator(issue.hart)
        if issue.transfer or int(st["transfer_last"]) < cycle:
            return "nothing"
        if not int(st["transfer_units"]) >> accelerator & 1:
            return "other"
        row, pad = streams.ROWS[str(issue.name)], int(st["transfer_spm"])
        sources = [issue.rs1] if row.rs1 == "spm_vector" else []
        if row.rs2 in {"spm_vector", "spm_scalar"}:
            sources.append(issue.rs2)
        if any(self._pad_and_word(source)[0] == pad for source in sources):
            return "source"
        return "target" if self._pad_and_word(issue.rd)[0] == pad else "other"

    def _pad_and_word(self, address: int) -> tuple[int, int]:
        pad, offset = divmod(address - streams.SPM_BASE, self.config.spm_bytes)
        return pad, offset // 4

    def _words(self, place: Place) -> list[int]:
        source: Any = self._memory
        start = place.word
        if place.accelerator is not None:
            source = self._machine.arrays["spm"]
            start += (
                (place.accelerator * self.config.spm_count + place.pad) * self.config.spm_bytes // 4
            )
        return source[start : start + place.count].view(np.uint32).tolist()
