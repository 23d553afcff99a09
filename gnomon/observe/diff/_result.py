"""Both runs compared: instructions, cycles, outcome, functions."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from gnomon.arch import Architecture
from gnomon.isa import decode_word, disassemble
from gnomon.observe.diff._compare import Difference, Found, Issue, compare
from gnomon.observe.diff._log import LogReader
from gnomon.observe.diff._stream import (
    FunctionChange,
    Names,
    Side,
    changes,
    place_of,
    program_side,
    totals_of,
)
from gnomon.program import Program
from gnomon.sim import IssuedRun, Run, simulate
from gnomon.sim.crash import bad_end

Differs = Literal["instructions", "timing", "data", "nothing"]
"""What differs first of all: the strongest of these."""


@dataclass(frozen=True, slots=True)
class Labels:
    """How to tell the instructions of one side."""

    title: str
    place: Callable[[int], str]
    text: Callable[[int, int], str]

    def tell(self, issue: Issue) -> dict[str, Any]:
        place, text = self.place(issue.pc), self.text(issue.pc, issue.word)
        return asdict(issue) | {"place": place, "text": text}


@dataclass(frozen=True, slots=True)
class Result:
    """Two runs compared."""

    a: Labels  # how each side is told
    b: Labels
    found: Found  # the first differences
    why: str  # what made the first difference, in words; empty: not known
    a_cycles: int  # wall cycles; of logs, up to the end of the last instruction
    b_cycles: int
    # whose cycles changed; the changes sum to that of the whole
    functions: tuple[FunctionChange, ...]
    # what differs of the results, by name: exit code, words printed, memory
    outcome: Mapping[str, tuple[str, str]]
    # how each run ended that did not come to its end by itself; not known of logs
    a_bad_end: str | None = None
    b_bad_end: str | None = None

    @property
    def differs(self) -> Differs:
        """The strongest difference."""
        if self.found.difference is not None:
            return "instructions"
        if self.found.timing is not None or self.a_cycles != self.b_cycles:
            return "timing"
        return "data" if self.outcome else "nothing"

    @property
    def same(self) -> bool:
        """No difference, and both came to their end."""
        return self.differs == "nothing" and self.a_bad_end is None and self.b_bad_end is None

    def to_json(self) -> dict[str, Any]:
        """Plain data."""

        def sides(at: Difference | None, **more: str) -> dict[str, Any] | None:
            if at is None:
                return None
            told = [issue and side.tell(issue) for side, issue in ((self.a, at.a), (self.b, at.b))]
            return {"hart": at.hart, "a": told[0], "b": told[1]} | more

        return {
            "a": {"title": self.a.title, "cycles": self.a_cycles, "bad_end": self.a_bad_end},
            "b": {"title": self.b.title, "cycles": self.b_cycles, "bad_end": self.b_bad_end},
            "differs": self.differs,
            "same_instructions": self.found.compared,
            "instruction": sides(self.found.difference, why=self.why),
            "timing": sides(self.found.timing),
            "functions": [
                asdict(each) | {"change_cycles": each.change_cycles} for each in self.functions
            ],
            "outcome": {name: {"a": a, "b": b} for name, (a, b) in self.outcome.items()},
        }


def compare_logs(path_a: Path, path_b: Path, *, context: int = 5) -> Result:
    """Compare two issue logs, by address and word.

    Raises:
        GnomonError: one is not a log, with its line.
    """
    a, b = LogReader(path_a), LogReader(path_b)
    sides = [Side(str(each.path), each.chunks(), each.keys) for each in (a, b)]
    found = compare(sides[0], sides[1], context)
    for side in sides:
        deque(side.chunks, maxlen=0)  # the rest is needed for its cycles
    return Result(
        _log_labels(a), _log_labels(b), found, "", sum(a.cycles.values()),
        sum(b.cycles.values()), changes(a.cycles, b.cycles), {},
    )  # fmt: skip


def compare_programs(
    a: tuple[Program, Architecture],
    b: tuple[Program, Architecture],
    *,
    max_cycles: int,
    context: int = 5,
    suffixes: tuple[str, str] = ("", ""),
) -> Result:
    """Run both programs and compare them; ``suffixes`` are added to what the sides are called.

    Raises:
        GnomonError: a program does not fit its machine.
    """
    names: Names = {}
    sides = [program_side(*each, names, max_cycles) for each in (a, b)]
    found = compare(sides[0], sides[1], context)
    runs = [simulate(*each, max_cycles=max_cycles) for each in (a, b)]
    totals = [totals_of(run, each[0]) for run, each in zip(runs, (a, b), strict=True)]
    labels = [
        _labels(f"{side.title}{suffix}", each[0])
        for side, suffix, each in zip(sides, suffixes, (a, b), strict=True)
    ]
    return Result(
        labels[0], labels[1], found, _why(found, a, b, labels),
        runs[0].wall_cycles, runs[1].wall_cycles, changes(*totals), _outcome(*runs),
        *(bad_end(run, each[0]) for run, each in zip(runs, (a, b), strict=True)),
    )  # fmt: skip


def _log_labels(log: LogReader) -> Labels:
    return Labels(
        str(log.path),
        lambda pc: log.names.get(pc, "?"),
        lambda pc, word: log.texts.get((pc, word), ""),
    )


def _labels(title: str, program: Program) -> Labels:
    def place(pc: int) -> str:
        name, offset = place_of(program, pc)
        return f"{name}+0x{offset:x}" if name else "?"

    return Labels(title, place, lambda pc, word: disassemble(word, pc))


def _outcome(a: Run, b: Run) -> dict[str, tuple[str, str]]:
    """What differs of the results; of what is printed, from there on."""
    found = {
        "end": (a.halted, b.halted),
        "exit code": (str(a.exit_code), str(b.exit_code)),
        "words printed": _from_first(list(a.printed), list(b.printed), 8),
        "console": _from_first(a.console, b.console, 80),
        "data memory, CRC-32": (a.memory_crc32["data"], b.memory_crc32["data"]),
    }
    return {name: pair for name, pair in found.items() if pair[0] != pair[1]}


def _from_first(a: Sequence[Any], b: Sequence[Any], most: int) -> tuple[str, str]:
    """Two sequences from their first difference on; the same text twice if there is none."""
    if a == b:
        return "", ""
    pairs = enumerate(zip(a, b, strict=False))
    at = next((n for n, (one, other) in pairs if one != other), min(len(a), len(b)))
    one, other = (f"{len(each):,}, from {at:,} on {each[at : at + most]!r}" for each in (a, b))
    return one, other


def _why(
    found: Found,
    a: tuple[Program, Architecture],
    b: tuple[Program, Architecture],
    labels: list[Labels],
) -> str:
    """What made the first difference: another word, or values that a jump decided by."""
    difference = found.difference
    if difference is None:
        return ""
    if difference.a is None or difference.b is None:
        which = "A" if difference.a is None else "B"
        return f"{which} ends here"
    if labels[0].place(difference.a.pc) == labels[1].place(difference.b.pc):
        return "another instruction at the same place"
    if not difference.before:
        return "another place to start from"
    last = difference.before[-1]
    decoded = decode_word(last[0].word, compressed=True)
    text = labels[0].text(last[0].pc, last[0].word)
    if decoded is None or decoded.instruction.timing_class not in ("branch", "jump"):
        return f"another path after {text}: a trap, an interrupt, or code that has moved"
    values = []
    for side, issue in zip((a, b), last, strict=True):
        registers = IssuedRun(*side, max_cycles=issue.cycle).registers(difference.hart)
        values.append([f"{name} = 0x{registers[k]:x}" for name, k in decoded.read.items()])
    if values[0] == values[1]:
        return f"another path after {text}, with the same operands"
    return f"another path: {text} with {', '.join(values[0])} in A, {', '.join(values[1])} in B"
