"""One line of a click log, whatever the format, and how a log is read line by line."""

from __future__ import annotations

import gzip
import io
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Protocol, TypeAlias, cast

from gnomon.base.errors import GnomonError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

Features: TypeAlias = tuple[tuple[str, float], ...]
"""Named values; a name that is not there has the value 0."""

_GZIP = b"\x1f\x8b"


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


class ClickLog(Protocol):
    """A log in one of the formats."""

    skipped: Skipped

    @property
    def files(self) -> tuple[Path, ...]:
        """What is read, in order."""

    def visits(self) -> Iterator[Visit]:
        """All visits, in order; each call reads the files anew.

        Raises:
            GnomonError: a file cannot be read, or a line is malformed.
        """

    @property
    def arm_features(self) -> Mapping[str, Features]:
        """Features of each arm of the visits read so far; empty where the format has none."""


def text_lines(path: Path) -> Iterator[str]:
    """Lines of a file that may be compressed by gzip, without reading it whole.

    Raises:
        GnomonError: it cannot be read, is cut off, or is not text.
    """
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == _GZIP
            raw.seek(0)
            data = cast("IO[bytes]", gzip.GzipFile(fileobj=raw) if packed else raw)
            with io.TextIOWrapper(data, encoding="utf-8", newline="") as text:
                yield from text
    except (gzip.BadGzipFile, EOFError) as error:
        raise GnomonError(f"{path}: is not a whole gzip file: {error}") from None
    except OSError as error:
        raise GnomonError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise GnomonError(f"{path}: is not UTF-8 text") from None


def pass_over(skipped: Skipped | None, path: Path, number: int, error: Malformed) -> None:
    """Count a malformed line, where malformed lines are to be skipped.

    Raises:
        GnomonError: they are not.
    """
    message = f"{path}:{number}: {error}"
    if skipped is None:
        raise GnomonError(message)
    skipped.first = skipped.first or message
    skipped.lines += 1


def click_of(word: str) -> int:
    """0 or 1.

    Raises:
        Malformed: it is neither.
    """
    if word not in {"0", "1"}:
        raise Malformed(f"a click is 0 or 1, not {word!r}")
    return int(word)
