"""A traced run as instructions with their stages, shared by the writers of pipeline views.

Retries of a busy vector unit and the final issue are one instruction. The slots of a sleeping hart
are one sleep. Instructions are in the order of their first slot.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.isa import decode_word, disassemble, find_instruction
from gnomon.program import Program
from gnomon.sim import WAIT_CAUSES, Run, compute_fetch_cycles

Array = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

WAITS = ("wait.operand", "wait.lsu", "wait.vcu")
"""Waits in decode, in the order in which they come."""

_JUMP_TO_ITSELF = 0x6F
_WFI = find_instruction("wfi").match


@dataclass(frozen=True, slots=True)
class Text:
    """Texts of an instruction."""

    mnemonic: str
    disassembly: str
    timing_class: str
    function: str


@dataclass(frozen=True, eq=False)
class Timeline:
    """Instructions of the recorded windows; all arrays have one element for each."""

    run: Run
    program: Program
    first_cycle: int  # of the first window
    end_cycle: int  # of the last one
    t13: bool  # the machine has the pipeline of the T13; else only execute is modeled
    serial: bool  # waits follow execute instead of preceding it
    shared_vector_unit: bool  # all harts share one vector unit
    hart: Array
    pc: Array
    word: Array
    first: Array  # cycle of the first slot; before `issue` if a busy vector unit rejected it
    issue: Array  # cycle of its final entry into execute
    end: Array  # first cycle after execute
    fetch: Array  # wait for the next instruction after execute, in cycles (in-order cores)
    before: Array  # issue cycle of the slot before `first`, of any hart; -1 = none recorded
    before_that: Array  # issue cycle of the slot before `before`
    sleeps: Mask  # whether it is a sleep, from `first` to `end`
    slots: Array  # number of issue slots
    traps: Mask  # whether it became a trap
    waits: dict[str, Array]  # cycles by cause
    span: Array  # row in `Run.spans` of the busy interval that it started; -1 = none

    def __len__(self) -> int:
        return len(self.hart)

    @cached_property
    def enters(self) -> Array:
        """First cycle of execute, or of the sleep."""
        return np.where(self.sleeps, self.first, self.issue)

    @cached_property
    def again(self) -> Array:
        """Instructions that a busy vector unit rejected at first."""
        return np.flatnonzero((self.first < self.issue) & ~self.sleeps)

    @cached_property
    def waited(self) -> Array:
        """Sum of all waits in decode, in cycles."""
        return np.asarray(np.sum(list(self.waits.values()), axis=0), dtype=np.int64)

    def wait_spans(self) -> Iterator[tuple[str, Array, Array]]:
        """Yield each cause of waits in decode with the first cycle of the wait and after it."""
        place = self.end if self.serial else self.first - self.waited
        for name, cycles in self.waits.items():
            yield name, place, place + cycles
            place = place + cycles

    @cached_property
    def kinds(self) -> tuple[Array, Array]:
        """One example of each pair of pc and word, and the number of the pair per instruction."""
        pairs = self.pc.astype(np.int64) << 32 | self.word.astype(np.int64)
        _, examples, kind = np.unique(pairs, return_index=True, return_inverse=True)
        return examples.astype(np.int64), kind.astype(np.int64)

    @cached_property
    def texts(self) -> list[Text]:
        """Texts of each instruction."""
        examples, kind = self.kinds
        found = [self._describe_word(int(self.pc[k]), int(self.word[k])) for k in examples.tolist()]
        return [found[k] for k in kind.tolist()]

    def _describe_word(self, pc: int, word: int) -> Text:
        units = self.run.architecture.unit_rows
        decoded = decode_word(word, compressed=True, units=units)
        row = decoded.instruction if decoded is not None else None
        return Text(
            mnemonic=row.mnemonic if row else "illegal",
            disassembly=disassemble(word, pc, units=units),
            timing_class=row.timing_class if row else "illegal",
            function=self.program.function_name(pc),
        )

    def is_of_class(self, *names: str) -> Mask:
        """Return whether each instruction has one of these timing classes."""
        examples, kind = self.kinds
        found = [self.texts[k].timing_class in names for k in examples.tolist()]
        return np.array(found, dtype=bool)[kind]


def check_traced(run: Run) -> None:
    """Check that a run was traced and reached its window.

    Raises:
        GnomonError: if it was not, or did not.
    """
    if run.trace is None or run.extra_cycles is None or run.waits is None:
        raise GnomonError(f"{run.program}: the run was not traced; simulate with trace=True")
    if not run.trace_windows:
        raise GnomonError(
            f"{run.program}: nothing was recorded: the run, of {run.wall_cycles} cycles, never"
            " reached the window"
        )


@dataclass(frozen=True, eq=False, slots=True)
class Slots:
    """Issue slots; all arrays have one element per slot."""

    issued: Array  # wall cycle
    hart: Array
    pc: Array
    word: Array  # instruction word; of a rejected slot, the word that was tried
    tries: Mask  # whether a busy vector unit rejected it
    asleep: Mask
    traps: Mask
    fetch: Array  # wait for the next instruction after execute, in cycles
    end: Array  # first cycle after execute
    by_cause: dict[str, Array]  # waits in cycles


def read_slots(run: Run, architecture: Architecture, first: int, stop: int) -> Slots:
    """Return the slots ``first`` up to, not including, ``stop`` of a traced run."""
    assert run.trace is not None
    assert run.extra_cycles is not None
    assert run.waits is not None
    rows = run.trace[first:stop]
    issued = rows["cycle"].astype(np.int64)
    pc, word = rows["pc"].astype(np.int64), rows["word"].astype(np.int64)
    memory = np.frombuffer(run.instruction_memory, dtype="<u4")
    index = (pc - int(architecture.memory.instruction.base)) // 4
    there = memory[np.clip(index, 0, len(memory) - 1)].astype(np.int64)
    tries = (word == _JUMP_TO_ITSELF) & (there != _JUMP_TO_ITSELF)
    if architecture.core.model != "t13":
        tries[:] = False  # instructions wait instead of being retried
    places = run.waits["issue"]
    waits = run.waits[bisect_left(places, first) : bisect_left(places, stop)]
    by_cause = {name: np.zeros(len(rows), dtype=np.int64) for name in WAIT_CAUSES}
    for number, name in enumerate(WAIT_CAUSES):
        chosen = waits[waits["cause"] == number]
        by_cause[name][chosen["issue"].astype(np.int64) - first] = chosen["cycles"]
    traps = by_cause["trap"] != 0
    words, which = np.unique(np.where(tries, there, word), return_inverse=True)
    fetch = compute_fetch_cycles(words.astype(np.uint32), architecture)[which]
    fetch += by_cause["wait.fetch"]
    return Slots(
        issued=issued,
        hart=rows["hart"].astype(np.int64),
        pc=pc,
        word=np.where(tries, there, word),
        tries=tries,
        asleep=(words == _WFI)[which] & ~traps,
        traps=traps,
        fetch=fetch,
        end=issued + 1 + run.extra_cycles[first:stop].astype(np.int64) - fetch,
        by_cause=by_cause,
    )


def build_timeline(run: Run, architecture: Architecture, program: Program) -> Timeline:
    """Return the instructions of a traced run.

    Raises:
        GnomonError: if the run was not traced or never reached the window.
    """
    check_traced(run)
    assert run.trace is not None
    first_cycle, end_cycle = run.trace_windows[0][0], run.trace_windows[-1][1]
    slots_ = read_slots(run, architecture, 0, len(run.trace))
    issued, hart, pc = slots_.issued, slots_.hart, slots_.pc
    tries, asleep, end, by_cause = slots_.tries, slots_.asleep, slots_.end, slots_.by_cause
    count = len(issued)
    before = np.concatenate([[-1, -1], issued])[1 : count + 1]
    before_that = np.concatenate([[-1, -1], issued])[:count]

    # A slot may continue the previous slot of its hart: the same instruction or the same sleep.
    starts = np.ones(count, dtype=bool)
    last = np.ones(count, dtype=bool)
    group = np.zeros(count, dtype=np.int64)
    for h in range(len(run.harts)):
        mine = np.flatnonzero(hart == h)
        same = pc[mine][1:] == pc[mine][:-1]
        again = same & (tries[mine][:-1] | (asleep[mine][:-1] & asleep[mine][1:]))
        starts[mine[1:]] = ~again
        last[mine[:-1]] = ~again
        # A group is identified by its first slot.
        opening = mine[starts[mine]]
        group[mine] = opening[np.cumsum(starts[mine]) - 1]
    inside = last & (end > first_cycle) & (issued < end_cycle)
    chosen = np.flatnonzero(inside)
    chosen = chosen[np.argsort(group[chosen], kind="stable")]
    head = group[chosen]
    slots = np.bincount(group, minlength=count)[head] if count else head
    assert run.spans is not None
    spans = {int(cycle): row for row, cycle in enumerate(run.spans["start"].tolist())}
    span_of = np.array([spans.get(cycle, -1) for cycle in issued[chosen].tolist()], dtype=np.int64)
    waits = {}
    for name in WAITS:
        # Of several tries, only the first can wait; sums cover the whole instruction.
        waits[name] = by_cause[name][chosen] + np.where(head != chosen, by_cause[name][head], 0)
    return Timeline(
        run=run,
        program=program,
        first_cycle=first_cycle,
        end_cycle=end_cycle,
        t13=architecture.core.model == "t13",
        serial=architecture.core.model == "t13" and not architecture.core.superscalar,
        shared_vector_unit=architecture.vcu is not None and architecture.vcu.sharing == "shared",
        hart=hart[chosen],
        pc=pc[chosen],
        word=slots_.word[chosen],
        first=issued[head],
        issue=issued[chosen],
        end=end[chosen],
        fetch=slots_.fetch[chosen],
        before=before[head],
        before_that=before_that[head],
        sleeps=asleep[chosen],
        slots=slots,
        traps=slots_.traps[chosen],
        waits=waits,
        span=np.where(tries[chosen], -1, span_of),
    )
