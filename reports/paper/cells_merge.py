"""``cells.csv`` put together: each part of the report replaces its own lines."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from .cells_text import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_PLATFORM_ORDER = ("t13", "cortex-m4", "cortex-a72")


def merged_cells(
    before: str, rows: Iterable[dict[str, str]], owned: Callable[[dict[str, str]], bool]
) -> str:
    """The file with the lines that are ``owned`` replaced by ``rows``; the others stay as they are.

    Platforms come in the order of the tables, the T13 first, whichever part is made first; lines of
    one platform that are not owned come before the new ones.
    """
    kept = [row for row in csv.DictReader(io.StringIO(before)) if not owned(row)]
    everything = [*kept, *rows]
    everything.sort(key=lambda row: _PLATFORM_ORDER.index(row["platform"]))
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(everything)
    return text.getvalue()


def others_of_cells(before: str, owned: Callable[[dict[str, str]], bool]) -> str:
    """The lines that are not ``owned``, as text without a header, to stand behind new ones."""
    kept = [row for row in csv.DictReader(io.StringIO(before)) if not owned(row)]
    text = io.StringIO()
    csv.DictWriter(text, COLUMNS, lineterminator="\n").writerows(kept)
    return text.getvalue()
