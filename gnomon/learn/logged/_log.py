"""One line of a click log, whatever the format, and how a log is read line by line."""

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
"""Named values; a name that is not there has the value 0."""

_GZIP = b"\x1f\x8b"
_LARGEST = 1e100
_LONGEST_LINE = 1 << 20  # characters; real ones have some thousand


class Malformed(ValueError):  # noqa: N818 - said of a line
    """What is wrong with a line."""


@dataclass(frozen=True, slots=True)
class Visit:
    """What a site knew, what it showed, and whether that was clicked.

    Attributes:
        arm: id of what was shown.
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
    """Malformed lines that were passed over, as the user asked.

    Attributes:
        lines: how many.
        first: what is wrong with the first one, with its file and line.
    """

    lines: int = 0
    first: str = ""


class ClickLog(ABC):
    """A log in one of the formats.

    Attributes:
        files: what is read, in order.
        skipped: malformed lines of the last reading.
    """

    def __init__(self, files: Iterable[Path], *, skip_malformed: bool = False) -> None:
        self.files = tuple(files)
        self.skipped = Skipped()
        self._skip = skip_malformed

    def visits(self) -> Iterator[Visit]:
        """All visits, in order; each call reads the files anew."""
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
        """Numbers of the lines of a file, and what reads each; that may raise ``Malformed``."""

    @property
    @abstractmethod
    def arm_features(self) -> Mapping[str, Features]:
        """Features of each arm of the visits read so far; empty where the format has none."""


def text_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file that may be compressed by gzip, without reading it whole.

    Raises:
        GnomonError: it cannot be read, is no regular file, is not UTF-8 text or not a whole gzip
            file, or a line is longer than a mebibyte.
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
                            f"{path}:{number}: a line of {_LONGEST_LINE:,} characters or more is"
                            " none of a click log"
                        )
                    number += 1
                    yield line
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise GnomonError(f"{path}: is not a whole gzip file: {error}") from None
    except OSError as error:
        raise GnomonError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise GnomonError(f"{path}: is not UTF-8 text") from None


def click_of(word: str) -> int:
    """0 or 1.

    Raises:
        Malformed: it is neither.
    """
    if word not in {"0", "1"}:
        raise Malformed(f"a click is 0 or 1, not {word!r}")
    return int(word)


def number_of(word: str) -> float:
    """A number up to 1e100 either way, whose squares can be summed; NaN for what is none."""
    try:
        value = float(word)
    except ValueError:
        return nan
    return value if abs(value) <= _LARGEST else nan
