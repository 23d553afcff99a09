"""A traced run as instructions with their stages: what the writers of pipeline views share.

Tries of a busy vector unit are one instruction with its success, and the slots of a sleeping hart
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
    """What an instruction is called."""

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
    t13: bool  # the machine has the pipeline of the T13; else only execute is known
    serial: bool  # waits stand behind execute, not before it
    shared_vector_unit: bool  # there is one for all harts
    hart: Array  # who, where and what
    pc: Array
    word: Array
    first: Array  # first slot; before `issue` where a busy vector unit made it try again
    issue: Array  # cycle in which it enters execute for good
    end: Array  # first cycle after its stay in execute
    fetch: Array  # cycles it then waits for the next instruction (in-order cores)
    before: Array  # issue cycle of the slot before its first one, of any hart; -1 = none recorded
    before_that: Array  # the one before that
    sleeps: Mask  # it is a sleep, from `first` to `end`
    slots: Array  # issue slots that it took
    traps: Mask  # it became a trap
    waits: dict[str, Array]  # cycles by cause
    span: Array  # row of the busy interval it started, in `Run.spans`; -1 = none

    def __len__(self) -> int:
        return len(self.hart)

    @cached_property
    def enters(self) -> Array:
        """First cycle in execute, or of the sleep."""
        return np.where(self.sleeps, self.first, self.issue)

    @cached_property
    def again(self) -> Array:
        """Instructions that a busy vector unit turned away at first."""
        return np.flatnonzero((self.first < self.issue) & ~self.sleeps)

    @cached_property
    def waited(self) -> Array:
        """Cycles of all waits in decode together."""
        return np.asarray(np.sum(list(self.waits.values()), axis=0), dtype=np.int64)

    def wait_spans(self) -> Iterator[tuple[str, Array, Array]]:
        """Every wait in decode: its cause, and its first cycle and the first one after it."""
        place = self.end if self.serial else self.first - self.waited
        for name, cycles in self.waits.items():
            yield name, place, place + cycles
            place = place + cycles

    @cached_property
    def kinds(self) -> tuple[Array, Array]:
        """One instruction of each pc and word that occur; and, of each, which of these it is."""
        pairs = self.pc.astype(np.int64) << 32 | self.word.astype(np.int64)
        _, examples, kind = np.unique(pairs, return_index=True, return_inverse=True)
        return examples.astype(np.int64), kind.astype(np.int64)

    @cached_property
    def texts(self) -> list[Text]:
        """What each instruction is called."""
        examples, kind = self.kinds
        found = [self._text(int(self.pc[k]), int(self.word[k])) for k in examples.tolist()]
        return [found[k] for k in kind.tolist()]

    def _text(self, pc: int, word: int) -> Text:
        decoded = decode_word(word, compressed=True)
        row = decoded.instruction if decoded is not None else None
        return Text(
            mnemonic=row.mnemonic if row else "illegal",
            disassembly=disassemble(word, pc),
            timing_class=row.timing_class if row else "illegal",
            function=self.program.function_name(pc),
        )

    def classes(self, *names: str) -> Mask:
        examples, kind = self.kinds
        found = [self.texts[k].timing_class in names for k in examples.tolist()]
        return np.array(found, dtype=bool)[kind]


def check_traced(run: Run) -> None:
    """Refuse a run of which nothing was recorded."""
    if run.trace is None or run.extra_cycles is None or run.waits is None:
        raise GnomonError(f"{run.program}: the run was not traced; simulate with trace=True")
    if not run.trace_windows:
        raise GnomonError(
            f"{run.program}: nothing was recorded: the run, of {run.wall_cycles} cycles, never"
            " came into the window"
        )


@dataclass(frozen=True, eq=False, slots=True)
class Slots:
    """Issue slots one by one; all arrays have one element for each."""

    issued: Array  # cycle
    hart: Array
    pc: Array
    word: Array  # of a try: what is tried
    tries: Mask  # a busy vector unit turned it away
    asleep: Mask
    traps: Mask
    fetch: Array  # cycles it waits behind its stay in execute for the next instruction
    end: Array  # first cycle after its stay in execute
    by_cause: dict[str, Array]  # waits


def facts(run: Run, architecture: Architecture, first: int, stop: int) -> Slots:
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
        tries[:] = False  # an instruction waits, and is not tried again
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


def timeline(run: Run, architecture: Architecture, program: Program) -> Timeline:
    check_traced(run)
    assert run.trace is not None
    first_cycle, end_cycle = run.trace_windows[0][0], run.trace_windows[-1][1]
    slots_ = facts(run, architecture, 0, len(run.trace))
    issued, hart, pc = slots_.issued, slots_.hart, slots_.pc
    tries, asleep, end, by_cause = slots_.tries, slots_.asleep, slots_.end, slots_.by_cause
    count = len(issued)
    before = np.concatenate([[-1, -1], issued])[1 : count + 1]
    before_that = np.concatenate([[-1, -1], issued])[:count]

    # A slot goes on with what the hart did in its slot before: the same try, or the same sleep.
    starts = np.ones(count, dtype=bool)
    last = np.ones(count, dtype=bool)
    group = np.zeros(count, dtype=np.int64)
    for h in range(len(run.harts)):
        mine = np.flatnonzero(hart == h)
        same = pc[mine][1:] == pc[mine][:-1]
        again = same & (tries[mine][:-1] | (asleep[mine][:-1] & asleep[mine][1:]))
        starts[mine[1:]] = ~again
        last[mine[:-1]] = ~again
        # Group numbers are given below, over all harts in the order of first slots.
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
        # Of tries, the first one waits, if any; sums are of the whole instruction.
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
