"""Visits of a click log, in any format, and the line-by-line reader of logs."""

import gzip
import io
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import IO, TypeAlias, cast

from gnomon.base.errors import GnomonError
from gnomon.base.files import open_regular

Features: TypeAlias = tuple[tuple[str, float], ...]
"""Named values; an absent name has the value 0."""

_GZIP = b"\x1f\x8b"
_LARGEST = 1e100
_LONGEST_LINE = 1 << 20  # characters; real lines have some thousand


class Malformed(ValueError):  # noqa: N818 - describes a line
    """Error in a line of a log."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Features of a visit, the arm that the site showed, and the click.

    Attributes:
        arm: id of the arm shown.
        click: 1 or 0.
        propensity: probability with which the site showed that arm, above 0.
        user: features of the visit.
        pool: ids of all arms that could have been shown, in the order of the file.
    """

    arm: str
    click: int
    propensity: float
    user: Features
    pool: tuple[str, ...] = field(repr=False)


@dataclass(slots=True)
class Skipped:
    """Malformed lines that were skipped at the user's request.

    lines: number of lines.
    """

    lines: int = 0
    first: str = ""


class ClickLog(ABC):
    """Log in one of the formats.

    Attributes:
        files: files of the log, in reading order.
        skipped: malformed lines of the last reading.
    """

    def __init__(self, files: Iterable[Path], *, skip_malformed: bool = False) -> None:
        self.files = tuple(files)
        self.skipped = Skipped()
        self._skip = skip_malformed

    def visits(self) -> Iterator[Visit]:
        """Yield all visits, in order; each call reads the files again."""
        self.skipped = Skipped()
        for path in self.files:
            for number, parsed in self._lines(path):
                try:
                    visit = parsed()
                except Malformed as error:
                    message = f"{path}:{number}: {error}"
                    if not self._skip:
                        raise GnomonError(message) from None
                    self.skipped.first = self.skipped.first or message
                    self.skipped.lines += 1
                    continue
                yield visit

    @abstractmethod
    def _lines(self, path: Path) -> Iterator[tuple[int, Callable[[], Visit]]]:
        """Yield the number of each line with its parser, which may raise ``Malformed``."""

    @property
    @abstractmethod
    def arm_features(self) -> Mapping[str, Features]:
        """Features of each arm of the visits read so far; empty where the format has none."""


NOT_ENDED = "the last line has no end of line, so the file may be cut there"


def text_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file, optionally compressed by gzip, without reading it at once.

    Raises:
        GnomonError: if the file cannot be read, is not a regular file, not UTF-8 text or not a
            complete gzip file, or a line has 1,048,576 characters or more.
    """
    try:
        with open_regular(path) as raw:
            packed = raw.read(2) == _GZIP
            raw.seek(0)
            data = cast("IO[bytes]", gzip.GzipFile(fileobj=raw) if packed else raw)
            with io.TextIOWrapper(data, encoding="utf-8", newline="") as text:
                number = 1
                while line := text.readline(_LONGEST_LINE):
                    if len(line) == _LONGEST_LINE:
                        raise GnomonError(
                            f"{path}:{number}: a line of a click log has fewer than"
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


def click_of(word: str) -> int:
    """Return a click, 0 or 1.

    Raises:
        Malformed: if the text is neither 0 nor 1.
    """
    if word not in {"0", "1"}:
        raise Malformed(f"a click is 0 or 1, not {word!r}")
    return int(word)


def number_of(word: str) -> float:
    """Return a number of at most 1e100 in magnitude, whose squares have finite sums; else NaN."""
    try:
        value = float(word)
    except ValueError:
        return nan
    return value if abs(value) <= _LARGEST else nan
