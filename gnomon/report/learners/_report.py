"""What the page of a learner's experiment is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.learn import Criterion


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the page, also written as ``NAME-table.csv``.

    Attributes:
        name: last part of the file's name.
        title: above it.
        columns: names as in the CSV file.
        rows: cells as text.
        about: what to know about it; may be empty.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    about: str = ""


@dataclass(frozen=True, slots=True)
class LearnerReport:
    """All that the page shows.

    Attributes:
        name: of the experiment; files start with it.
        title: of the page.
        command: makes it again.
        about: paragraphs before the criteria: what is published, what is not, what is a choice.
        criteria: what must hold.
        tables: in order.
        figures: title and bytes by kind of file, by name.
    """

    name: str
    title: str
    command: str
    about: tuple[str, ...]
    criteria: tuple[Criterion, ...]
    tables: tuple[Table, ...]
    figures: Mapping[str, tuple[str, Mapping[str, bytes]]] = field(repr=False)
