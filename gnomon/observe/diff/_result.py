"""ComparisonResult of a comparison of two runs: instructions, cycles, outcome, functions."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from gnomon.arch import Architecture
from gnomon.isa import Instruction, decode_word, disassemble
from gnomon.observe.diff._compare import Comparison, InstructionDifference, Issue, compare
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
"""Kinds of difference, the strongest first."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Texts for the instructions of one side."""

    title: str
    place: Callable[[int], str]
    text: Callable[[int, int], str]

    def to_json(self, issue: Issue) -> dict[str, Any]:
        """Return an instruction with its place and disassembly as JSON-compatible data."""
        place, text = self.place(issue.pc), self.text(issue.pc, issue.word)
        return asdict(issue) | {"place": place, "text": text}


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """Differences between two runs."""

    a: Labels  # texts for each side
    b: Labels
    found: Comparison  # the first differences
    why: str  # cause of the first difference in words; empty: unavailable
    a_cycles: int  # wall cycles; for logs, up to the end of the last instruction
    b_cycles: int
    # functions whose cycles changed; their changes sum to the change of the run
    functions: tuple[FunctionChange, ...]
    # differing results by name: exit code, words printed, memory
    outcome: Mapping[str, tuple[str, str]]
    # reason why a run terminated without an exit; None: it exited, or the side is a log
    a_bad_end: str | None = None
    b_bad_end: str | None = None

    @property
    def differs(self) -> Differs:
        """Kind of the strongest difference."""
        if self.found.difference is not None:
            return "instructions"
        if self.found.timing is not None or self.a_cycles != self.b_cycles:
            return "timing"
        return "data" if self.outcome else "nothing"

    @property
    def same(self) -> bool:
        """Whether nothing differs and both runs exited."""
        return self.differs == "nothing" and self.a_bad_end is None and self.b_bad_end is None

    def to_json(self) -> dict[str, Any]:
        """Return JSON-compatible data."""

        def sides(at: InstructionDifference | None, **more: str) -> dict[str, Any] | None:
            if at is None:
                return None
            both = ((self.a, at.a), (self.b, at.b))
            first, second = (issue and side.to_json(issue) for side, issue in both)
            return {"hart": at.hart, "a": first, "b": second} | more

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


def compare_logs(path_a: Path, path_b: Path, *, context: int = 5) -> ComparisonResult:
    """Compare two issue logs by address and word.

    Raises:
        GnomonError: if a file is not an issue log, with its line.
    """
    a, b = LogReader(path_a), LogReader(path_b)
    with closing(a.chunks()) as chunks_a, closing(b.chunks()) as chunks_b:
        found = compare(
            Side(str(path_a), chunks_a, a.keys), Side(str(path_b), chunks_b, b.keys), context
        )
        for chunks in (chunks_a, chunks_b):
            deque(chunks, maxlen=0)  # read the rest, to count its cycles
    return ComparisonResult(
        _make_log_labels(a), _make_log_labels(b), found, "", sum(a.cycles.values()),
        sum(b.cycles.values()), changes(a.cycles, b.cycles), {},
    )  # fmt: skip


def compare_programs(
    a: tuple[Program, Architecture],
    b: tuple[Program, Architecture],
    *,
    max_cycles: int,
    context: int = 5,
    suffixes: tuple[str, str] = ("", ""),
) -> ComparisonResult:
    """Run both programs and compare the runs; ``suffixes`` extend the titles of the sides.

    Raises:
        GnomonError: if a program does not fit its machine.
    """
    names: Names = {}
    sides = [program_side(*each, names, max_cycles) for each in (a, b)]
    found = compare(sides[0], sides[1], context)
    runs = [simulate(*each, max_cycles=max_cycles) for each in (a, b)]
    totals = [totals_of(run, each[0]) for run, each in zip(runs, (a, b), strict=True)]
    labels = [
        _make_labels(f"{side.title}{suffix}", each[0], each[1].unit_rows)
        for side, suffix, each in zip(sides, suffixes, (a, b), strict=True)
    ]
    return ComparisonResult(
        labels[0], labels[1], found, _explain_difference(found, a, b, labels),
        runs[0].wall_cycles, runs[1].wall_cycles, changes(*totals), _compare_outcome(*runs),
        *(bad_end(run, each[0]) for run, each in zip(runs, (a, b), strict=True)),
    )  # fmt: skip


def _make_log_labels(log: LogReader) -> Labels:
    return Labels(
        str(log.path),
        lambda pc: log.names.get(pc, "?"),
        lambda pc, word: log.texts.get((pc, word), ""),
    )


def _make_labels(title: str, program: Program, units: Sequence[Instruction]) -> Labels:
    def place(pc: int) -> str:
        name, offset = place_of(program, pc)
        return f"{name}+0x{offset:x}" if name else "?"

    return Labels(title, place, lambda pc, word: disassemble(word, pc, units=units))


def _compare_outcome(a: Run, b: Run) -> dict[str, tuple[str, str]]:
    """Return the results that differ; printed output begins at its first difference."""
    found = {
        "end": (a.halted, b.halted),
        "exit code": (str(a.exit_code), str(b.exit_code)),
        "words printed": _cut_before_difference(list(a.printed), list(b.printed), 8),
        "console": _cut_before_difference(a.console, b.console, 80),
        "data memory, CRC-32": (a.memory_crc32["data"], b.memory_crc32["data"]),
    }
    return {name: pair for name, pair in found.items() if pair[0] != pair[1]}


def _cut_before_difference(a: Sequence[Any], b: Sequence[Any], most: int) -> tuple[str, str]:
    """Describe two sequences from their first difference; two empty texts if they are equal."""
    if a == b:
        return "", ""
    pairs = enumerate(zip(a, b, strict=False))
    at = next((n for n, (one, other) in pairs if one != other), min(len(a), len(b)))
    one, other = (f"{len(each):,}, from {at:,} on {each[at : at + most]!r}" for each in (a, b))
    return one, other


def _explain_difference(
    found: Comparison,
    a: tuple[Program, Architecture],
    b: tuple[Program, Architecture],
    labels: list[Labels],
) -> str:
    """Return the cause of the first difference: another word, or operands of a jump."""
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
