"""Reading the reference figures, and finding measured instructions in an issue trace."""

from __future__ import annotations

import csv
import functools
import io
import lzma
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.exactness._elf_writer import write_elf

if TYPE_CHECKING:
    from tests.exactness._assembler import Assembler
    from tests.exactness._runner import RunResult

REFERENCE = Path(__file__).parent.parent / "reference" / "t13x"
RETRY_WORD = 0x0000_006F

Row = Mapping[str, str]


@functools.cache
def rows_of(name: str) -> list[Row]:
    opened = lzma.open if name.endswith(".xz") else open
    with opened(REFERENCE / name, "rt", newline="") as file:
        return list(csv.DictReader(file))


def program_elf(name: str) -> bytes:
    return (REFERENCE / "programs" / name).read_bytes()


@functools.cache
def _bench() -> zipfile.ZipFile:
    packed = (REFERENCE / "programs" / "bench.zip.xz").read_bytes()
    return zipfile.ZipFile(io.BytesIO(lzma.decompress(packed)))


def bench_elf(name: str) -> bytes:
    return _bench().read(name)


def program_trace(name: str) -> list[tuple[int, int, int, int]]:
    """Cycle, hart, pc and word of every issue of a reference program."""
    with lzma.open(REFERENCE / "programs" / f"{name}.trace.csv.xz", "rt") as file:
        next(file)
        fields = (line.split(",") for line in file)
        return [(int(c), int(h), int(pc, 16), int(word, 16)) for c, h, pc, word in fields]


Event = tuple[int, int, int, int]


@functools.cache
def _all_swap_events() -> Mapping[tuple[str, bool], dict[str, list[Event]]]:
    found: dict[tuple[str, bool], dict[str, list[Event]]] = defaultdict(
        lambda: {"issue": [], "bus": [], "memory": []}
    )
    for row in rows_of("swaps.csv.xz"):
        event = (int(row["cycle"]), int(row["hart_or_enables"]), int(row["address"], 16),
                 int(row["word"], 16))  # fmt: skip
        found[row["program"], row["superscalar_exec_en"] == "1"][row["event"]].append(event)
    return found


def swap_events(program: str, superscalar: bool) -> Mapping[str, list[Event]]:
    """Return what the RTL did in a program of ``_swaps``.

    ``issue``: cycle, hart, pc, word. ``bus``: cycle, bytes written (0: none), address, data.
    ``memory``: 0, 0, address, word, of data memory, if the word is not 0.
    """
    return _all_swap_events()[program, superscalar]


def hardware(row: Row) -> dict[str, Any]:
    """The hardware columns that most tables have, as arguments of a runner."""
    configuration: dict[str, Any] = {
        "simd": int(row["simd"]),
        "superscalar": row["superscalar_exec_en"] == "1",
        "sharing": "shared",
    }
    if row["replicate_accl_en"] == "1":
        threaded = row["multithreaded_accl_en"] == "1"
        configuration["sharing"] = "multithreaded" if threaded else "replicated"
    return configuration


class IssueIndex:
    """Issue cycles by hart and pc."""

    def __init__(self, result: RunResult) -> None:
        self._cycles: dict[tuple[int, int], list[int]] = defaultdict(list)
        self._retries: dict[tuple[int, int], int] = defaultdict(int)
        for cycle, hart, pc, word in result.trace:
            if word == RETRY_WORD:
                self._retries[hart, pc] += 1
            self._cycles[hart, pc].append(cycle)

    def first(self, pc: int, hart: int = 0) -> int:
        return self._cycles[hart, pc][0]

    def last(self, pc: int, hart: int = 0) -> int:
        return self._cycles[hart, pc][-1]

    def count(self, pc: int, hart: int = 0) -> int:
        return len(self._cycles[hart, pc])

    def retries(self, pc: int, hart: int = 0) -> int:
        """Issues in which a vector instruction met a busy accelerator."""
        return self._retries[hart, pc]


def elf_of(a: Assembler, *data: tuple[int, bytes]) -> bytes:
    return write_elf([(a.base, a.code()), *data])


def assert_clean(result: RunResult) -> None:
    """A generated program must reach its own exit, not its trap handler or the cycle limit."""
    assert result.halted, f"no exit store within {result.exit_cycle} cycles"
    assert result.exit_code == 0, f"exit code {result.exit_code:#x}: a trap was taken"


def assert_no_mismatch(mismatches: Iterable[str], checked: int) -> None:
    """Fail with every row that differs, printed whole."""
    lines = list(mismatches)
    assert checked > 0, "nothing was checked"
    shown = "\n".join(lines[:20])
    assert not lines, f"{len(lines)} of {checked} rows differ; the first ones:\n{shown}"


def compare_row(row: Row, got: Mapping[str, Any]) -> list[str]:
    """Compare the columns in ``got`` with a row; one line, whole, if any differs."""
    expected = {column: row[column] for column in got}
    seen = {column: str(value) for column, value in got.items()}
    return [] if expected == seen else [f"row {dict(row)}\n  got {seen}"]
