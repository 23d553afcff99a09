"""Visits of a click log, in any format, and the line-by-line reader of logs."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from gnomon.learn.rows import Malformed, parsed_rows

Features: TypeAlias = tuple[tuple[str, float], ...]
"""Named values; an absent name has the value 0."""


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


VisitLines: TypeAlias = Generator[tuple[int, Callable[[], Visit]], None, None]
"""Number of each line with its parser, which may raise ``Malformed``."""


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
        skip = self._note if self._skip else None
        for path in self.files:
            with closing(self._lines(path)) as lines:
                for _, visit in parsed_rows(path, lines, skip):
                    yield visit

    def _note(self, message: str) -> None:
        self.skipped.first = self.skipped.first or message
        self.skipped.lines += 1

    @abstractmethod
    def _lines(self, path: Path) -> VisitLines:
        """Yield the number of each line with its parser, which may raise ``Malformed``."""

    @property
    @abstractmethod
    def arm_features(self) -> Mapping[str, Features]:
        """Features of each arm of the visits read so far; empty where the format has none."""


def click_of(word: str) -> int:
    """Return a click, 0 or 1.

    Raises:
        Malformed: if the text is neither 0 nor 1.
    """
    if word not in {"0", "1"}:
        raise Malformed(f"a click is 0 or 1, not {word!r}")
    return int(word)
