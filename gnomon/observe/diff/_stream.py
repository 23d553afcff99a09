"""One side of a comparison: executed instructions in chunks, comparison keys, cycles by function.

Two instructions are equal if address and word are equal. They are also equal if they have the same
offset in a function of the same name and the same effect. Targets of jumps, branches and auipc
pairs are compared by function and offset. Moved code is therefore equal. The cycle changes of the
functions sum to the change of the run.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.isa import Decoded, decode_word, fetched_words
from gnomon.program import Program
from gnomon.sim import IssuedRun, Run

Array: TypeAlias = npt.NDArray[np.int64]

CYCLE, HART, PC, WORD = range(4)
Chunk: TypeAlias = Array
"""Rows of cycle, hart, pc and word, without retries of a busy vector unit; one row per sleep."""

_RETRY = 0x6F  # word that a trace records for a retry
_WFI = 0x10500073
_UNKNOWN = -1
_M32 = 0xFFFF_FFFF

Names: TypeAlias = "dict[tuple[object, ...], int]"
"""Keys of instructions, shared by both sides."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison.

    ``keys``: returns a number per row; equal instructions of both sides have equal numbers.
    """

    title: str  # the program and its machine, or the file
    chunks: Iterator[Chunk]  # the instructions in issue order
    keys: Callable[[Array], Array]


@dataclass(slots=True)
class _Keys:
    """The keys of the instructions of one program."""

    program: Program
    base: int
    step_bytes: int
    names: Names
    static: Array
    keys: Array
    changed: dict[tuple[int, int], int] = field(default_factory=dict)

    def of(self, rows: Array) -> Array:
        """Return a key for each row of cycle, hart, pc and word."""
        index = ((rows[:, PC] - self.base) & _M32) // self.step_bytes
        keys: Array = self.keys[index]
        for each in np.unique(index[keys == _UNKNOWN]).tolist():
            place = self.base + self.step_bytes * each
            self.keys[each] = self._assign_key(place, int(self.static[each]))
        keys = self.keys[index]
        for row in np.flatnonzero(rows[:, WORD] != self.static[index]).tolist():
            where = (int(rows[row, PC]), int(rows[row, WORD]))  # self-modified code
            if where not in self.changed:
                self.changed[where] = self._assign_key(*where)
            keys[row] = self.changed[where]
        return keys

    def _assign_key(self, pc: int, word: int) -> int:
        """Return the key of an instruction by its place in a function and its effect."""
        act: object = word
        decoded = decode_word(word, compressed=self.step_bytes == 2)
        target = None if decoded is None else self._find_target(decoded, pc)
        if decoded is not None and target is not None:
            act = decoded.instruction.mnemonic, decoded.rd, decoded.rs1, decoded.rs2, target
        return self.names.setdefault((place_of(self.program, pc), act), len(self.names))

    def _find_target(self, decoded: Decoded, pc: int) -> tuple[str, int] | None:
        """Return the target of a jump or branch, or of an auipc with the next instruction."""
        if decoded.instruction.format in ("B", "J"):
            return place_of(self.program, (pc + decoded.imm) & _M32)
        start = pc if decoded.instruction.mnemonic == "auipc" else pc - 4
        upper, lower = self._decode_at(start), self._decode_at(start + 4)
        if upper is None or lower is None or upper.instruction.mnemonic != "auipc":
            return None
        if lower.instruction.format not in ("I", "S") or lower.rs1 != upper.rd:
            return None
        return place_of(self.program, (start + upper.imm + lower.imm) & _M32)

    def _decode_at(self, pc: int) -> Decoded | None:
        index = ((pc - self.base) & _M32) // self.step_bytes
        if index >= len(self.static):
            return None
        return decode_word(int(self.static[index]), compressed=self.step_bytes == 2)


def place_of(program: Program, pc: int) -> tuple[str, int]:
    """Return the function that holds an address and the offset in it; ``""`` if none does."""
    function = program.function_at(pc)
    return ("", pc) if function is None else (program.function_name(pc), pc - function.address)


def program_side(
    program: Program, architecture: Architecture, names: Names, max_cycles: int
) -> Side:
    """Return a program on a machine as a side; it is simulated while its chunks are read."""
    base = int(architecture.memory.instruction.base)
    words = int(architecture.memory.instruction.size) // 4
    memory = np.zeros(words, dtype=np.uint32)
    for segment in program.segments:
        start = segment.address - base
        if start >= 0 and segment.end <= base + 4 * words:
            first = -(-start // 4)
            text = segment.data[first * 4 - start :]
            text = text[: len(text) & -4]
            memory[first : first + len(text) // 4] = np.frombuffer(text, dtype="<u4")
    step = architecture.core.alignment_bytes
    places = np.arange(4 // step * words)
    static = fetched_words(memory, places, compressed=step == 2).astype(np.int64)
    keys = _Keys(program, base, step, names, static, np.full_like(places, _UNKNOWN))
    return Side(
        f"{program.name} on {architecture.name}",
        _filter_chunks(keys, iter(IssuedRun(program, architecture, max_cycles))),
        keys.of,
    )


def _filter_chunks(keys: _Keys, rows_of: Iterator[Array]) -> Iterator[Chunk]:
    asleep: dict[int, int] = {}
    for rows in rows_of:
        words = rows[:, WORD]
        drop = words == _RETRY
        if drop.any():
            drop &= keys.static[((rows[:, PC] - keys.base) & _M32) // keys.step_bytes] != _RETRY
        sleeps = np.flatnonzero(words == _WFI)
        if len(sleeps) or asleep:
            drop |= _find_continued_sleep(rows, sleeps, asleep)
        kept = rows[~drop] if drop.any() else rows
        if len(kept):
            yield kept


def _find_continued_sleep(
    rows: Array, sleeps: Array, asleep: dict[int, int]
) -> npt.NDArray[np.bool_]:
    """Return which slots continue a sleep of their hart; ``asleep``: pc by sleeping hart."""
    drop = np.zeros(len(rows), dtype=bool)
    for hart in np.unique(rows[:, HART]).tolist():
        mine = np.flatnonzero(rows[:, HART] == hart)
        is_sleep = np.isin(mine, sleeps)
        place = np.where(is_sleep, rows[mine, PC], -1)
        before = np.concatenate([[asleep.get(hart, -1)], place[:-1]])
        drop[mine] = is_sleep & (place == before)
        if place[-1] >= 0:
            asleep[hart] = int(place[-1])
        else:
            asleep.pop(hart, None)
    return drop


ASLEEP = "(asleep)"
"""Entry for slots of sleeping harts, which belong to none of the functions."""

BOOT = "(before the first instruction)"
OUTSIDE = "(not in the log)"
"""Entry for cycles before the first instruction of a log and between its windows."""


@dataclass(frozen=True, slots=True)
class FunctionChange:
    """Cycles of one function on both sides; None where a side lacks it."""

    name: str
    a_cycles: int | None
    b_cycles: int | None

    @property
    def change_cycles(self) -> int:
        return (self.b_cycles or 0) - (self.a_cycles or 0)


def totals_of(run: Run, program: Program) -> dict[str, int]:
    """Return the wall cycles of a run by function, without callees, summed over the harts.

    Raises:
        AssertionError: if the cycles do not sum to the run; a defect of gnomon.
    """
    profile = run.profile
    parked = profile.parts["parked"].sum(axis=0)
    cycles = profile.cycles.sum(axis=0) - parked
    functions: dict[str, int] = defaultdict(int)
    for index in np.flatnonzero(cycles).tolist():
        functions[program.function_name(profile.address(index))] += int(cycles[index])
    functions |= {ASLEEP: int(parked.sum()), BOOT: run.counters.get("boot", 0)}
    if sum(functions.values()) != run.wall_cycles:
        raise AssertionError(
            f"{sum(functions.values())} cycles by function, {run.wall_cycles} in all"
        )
    return functions


def changes(a: Mapping[str, int], b: Mapping[str, int]) -> tuple[FunctionChange, ...]:
    """Return the functions whose cycles changed, the largest change first.

    Entries for sleep, boot and unrecorded cycles come last.
    """
    found = [FunctionChange(name, a.get(name), b.get(name)) for name in dict.fromkeys([*a, *b])]

    def order(each: FunctionChange) -> tuple[bool, int, str]:
        return each.name in (ASLEEP, BOOT, OUTSIDE), -abs(each.change_cycles), each.name

    return tuple(sorted((each for each in found if each.change_cycles), key=order))
