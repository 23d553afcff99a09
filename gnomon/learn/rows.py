"""Rows of data files, read line by line: an error names the file, the line and the value."""

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from math import nan
from pathlib import Path
from typing import IO, TypeAlias, TypeVar, cast

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.files import open_regular

T = TypeVar("T")

_GZIP = b"\x1f\x8b"
_LARGEST = 1e100
_LONGEST_LINE = 1 << 20  # characters; real lines have some thousand

NOT_ENDED = "the last line has no end of line, so the file may be cut there"

CsvLine: TypeAlias = tuple[int, list[str], bool]
"""Number of the last line of a row, its cells, and whether an end of line follows it."""


class Malformed(ValueError):  # noqa: N818 - describes a line
    """Error in a line of a data file."""


def text_lines(path: Path, kind: str, *, encoding: str = "utf-8") -> Generator[str, None, None]:
    """Yield the lines of a file, optionally compressed by gzip, without reading it at once.

    A caller that may stop early closes the generator, which closes the file.

    Args:
        path: the file.
        kind: content of the file for messages, such as ``click log``.
        encoding: ``utf-8`` or ``latin-1``.

    Raises:
        GnomonError: if the file cannot be read, is not a regular file, not text in this encoding or
            not a complete gzip file, or a line has 1,048,576 characters or more.
    """
    try:
        with open_regular(path) as raw:
            packed = raw.read(2) == _GZIP
            raw.seek(0)
            data = cast("IO[bytes]", gzip.GzipFile(fileobj=raw) if packed else raw)
            with io.TextIOWrapper(data, encoding=encoding, newline="") as text:
                number = 1
                while line := text.readline(_LONGEST_LINE):
                    if len(line) == _LONGEST_LINE:
                        raise GnomonError(
                            f"{path}:{number}: a line of a {kind} has fewer than"
                            f" {_LONGEST_LINE:,} characters"
                        )
                    number += 1
                    yield line
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise GnomonError(f"{path}: is not a complete gzip file: {error}") from None
    except OSError as error:
        raise GnomonError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise GnomonError(f"{path}: is not UTF-8 text") from None


def csv_lines(path: Path, kind: str) -> Generator[CsvLine, None, None]:
    """Yield the rows of a CSV file; see :func:`text_lines`.

    Raises:
        GnomonError: if the file cannot be read, or is not CSV.
    """
    line = ""

    def note(lines: Iterable[str]) -> Iterator[str]:
        nonlocal line
        for read in lines:
            line = read
            yield read

    with closing(text_lines(path, kind)) as lines:
        rows = csv.reader(note(lines))
        try:
            for row in rows:
                yield rows.line_num, row, line.endswith(("\n", "\r"))
        except csv.Error as error:
            raise GnomonError(f"{path}:{rows.line_num}: {error}") from None


def csv_header(path: Path, rows: Iterator[CsvLine], needed: Sequence[str]) -> list[str]:
    """Read the column names from the first row.

    Raises:
        GnomonError: if a needed column is missing, or two columns share a name.
    """
    _, header, _ = next(rows, (1, [], True))
    for name in needed:
        if name not in header:
            hint = did_you_mean(name, header)
            raise GnomonError(f"{path}:1: there is no column {name!r}{hint}")
    if twice := [name for name in header if header.count(name) > 1]:
        raise GnomonError(f"{path}:1: there are two columns {twice[0]!r}")
    return header


def parsed_rows(
    path: Path,
    rows: Iterable[tuple[int, Callable[[], T]]],
    skip: Callable[[str], object] | None,
) -> Iterator[tuple[int, T]]:
    """Yield the number and the result of each row.

    Args:
        path: the file, for messages.
        rows: number of each row, and its parser, which may raise ``Malformed``.
        skip: function that receives the message of each malformed row, which is skipped; None
            makes the first one an error.

    Raises:
        GnomonError: if a row is malformed and `skip` is None.
    """
    for number, parse in rows:
        try:
            found = parse()
        except Malformed as error:
            message = f"{path}:{number}: {error}"
            if skip is None:
                raise GnomonError(message) from None
            skip(message)
            continue
        yield number, found


def number_of(word: str) -> float:
    """Return a number of at most 1e100 in magnitude, whose squares have finite sums; else NaN."""
    try:
        value = float(word)
    except ValueError:
        return nan
    return value if abs(value) <= _LARGEST else nan


def whole_of(word: str, what: str, *, least: int = 0, most: int = 2**31 - 1) -> int:
    """Return a whole number in decimal digits.

    Raises:
        Malformed: if the text is not such a number, or the number is out of range.
    """
    if not (word.isascii() and word.isdigit() and len(word) <= 10 and least <= int(word) <= most):
        raise Malformed(f"{what} is a whole number from {least} to {most}, not {word!r:.60}")
    return int(word)
