"""Issue logs from ``gnomon run --trace log=FILE``, as sides of a comparison."""

import csv
import gzip
import io
import zlib
from collections import defaultdict
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.base.files import open_regular
from gnomon.observe.diff._stream import ASLEEP, OUTSIDE, PC, WORD, Array, Chunk
from gnomon.observe.trace import LOG_COLUMNS

_HEADER = ",".join(LOG_COLUMNS)
_BLOCK = 50_000
_LONGEST_LINE = 1 << 16  # characters
_MOST_CYCLES = 2**62
_MOST_WORD = 2**32 - 1
_GZIP = b"\x1f\x8b"


def _parse_whole(text: str, base: int, most: int) -> int:
    value = int(text, base)
    if not 0 <= value <= most:
        raise ValueError(text)
    return value


def is_log(path: Path) -> bool:
    """Return whether a file begins like an issue log; False if it cannot be read."""
    try:
        with _open(path) as file:
            first = file.readline(2 * len(_HEADER))  # names may be quoted
            return next(csv.reader([first]), []) == list(LOG_COLUMNS)
    except (GnomonError, OSError, UnicodeDecodeError, EOFError, zlib.error, csv.Error):
        return False


def _open(path: Path) -> IO[str]:
    file = open_regular(path)
    packed = file.read(2) == _GZIP
    if packed:
        file.close()
        return gzip.open(path, "rt", encoding="utf-8", newline="")
    file.seek(0)
    return io.TextIOWrapper(file, encoding="utf-8", newline="")


def _read_bounded(file: IO[str]) -> Iterator[str]:
    """Yield the lines of a log.

    Raises:
        csv.Error: if a line is longer than any line that gnomon writes.
    """
    while line := file.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE:
            raise csv.Error(f"a line of {_LONGEST_LINE:,} characters or more")
        yield line


class LogReader:
    """Reader of one log in one pass: chunks to compare, names and totals of the part read."""

    def __init__(self, path: Path) -> None:
        if not is_log(path):
            raise GnomonError(
                f"{path}: not an issue log; `gnomon run PROGRAM --arch MACHINE --trace log=FILE`"
                " writes one"
            )
        self.path = path
        self.names: dict[int, str] = {}  # function by address
        self.texts: dict[tuple[int, int], str] = {}  # disassembly by address and word
        self.cycles: dict[str, int] = {}  # by function, as in a comparison of programs

    def chunks(self) -> Generator[Chunk, None, None]:
        """Yield the instructions in file order, which is the order of their first slots."""
        rows: list[tuple[int, int, int, int]] = []
        cycles: defaultdict[str, int] = defaultdict(int)
        last_end = 0
        with _open(self.path) as file:
            for number, fields in self._read_lines(file):
                try:
                    cycle, end, hart = (_parse_whole(fields[k], 10, _MOST_CYCLES) for k in range(3))
                    pc, word = (_parse_whole(fields[k], 16, _MOST_WORD) for k in (3, 4))
                    kind, function, text = fields[5], fields[11], fields[12]
                    slots, *waits = (
                        _parse_whole(fields[k], 10, _MOST_CYCLES) for k in range(6, 11)
                    )
                except (ValueError, IndexError):
                    given = ",".join(fields)[:60]
                    raise GnomonError(
                        f"{self.path}:{number}: not a line of an issue log: {given!r}"
                        f" (columns: {_HEADER})"
                    ) from None
                # Every cycle is a slot, a wait, or a further execute cycle of one instruction.
                cycles[ASLEEP if kind == "sleep" else function] += slots
                cycles[function] += sum(waits) + end - cycle - 1
                last_end = max(last_end, end)
                self.names.setdefault(pc, function)
                self.texts.setdefault((pc, word), text)
                rows.append((cycle, hart, pc, word))
                if len(rows) == _BLOCK:
                    yield np.array(rows, dtype=np.int64)
                    rows = []
        self.cycles = {**cycles, OUTSIDE: last_end - sum(cycles.values())}
        if rows:
            yield np.array(rows, dtype=np.int64)

    def _read_lines(self, file: IO[str]) -> Iterator[tuple[int, list[str]]]:
        """Yield the lines below the header with their line numbers."""
        reader = csv.reader(_read_bounded(file))
        try:
            next(reader)
            for fields in reader:
                yield reader.line_num, fields
        except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
            raise GnomonError(
                f"{self.path}:{reader.line_num + 1}: cannot read the log from this line: {error}"
            ) from None

    @staticmethod
    def keys(rows: Array) -> Array:
        """Return address and word of each row in one number; a log has no function offsets."""
        return (rows[:, PC] << 32) | rows[:, WORD]
