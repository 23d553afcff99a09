"""``cells.csv``: one line per cell and reading; each part of the reports replaces its own lines."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from gnomon.base.frames import csv_text, frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pandas as pd

    Owned = Callable[[dict[str, str]], bool]

COLUMNS = (
    "table", "algorithm", "platform", "variant", "param_name", "param", "metric", "unit", "line",
    "reading", "published", "ours", "ratio", "note",
)  # fmt: skip
_PLATFORM_ORDER = ("t13", "cortex-m4", "cortex-a72")


def merged_cells(before: str, rows: Iterable[Mapping[str, str]], owned: Owned) -> str:
    """The file with the lines that are ``owned`` replaced by ``rows``; the others stay as they are.

    Platforms come in the order of the tables, the T13 first, whichever part is made first; lines of
    one platform that are not owned come before the new ones.
    """
    import pandas as pd

    new = frame(COLUMNS, ([row[name] for name in COLUMNS] for row in rows))
    table = pd.concat([_others(before, owned), new])
    return csv_text(
        table.sort_values("platform", kind="stable", key=lambda of: of.map(_PLATFORM_ORDER.index))
    )


def others_of_cells(before: str, owned: Owned) -> str:
    """The lines that are not ``owned``, as text without a header, to stand behind new ones."""
    return csv_text(_others(before, owned)).partition("\n")[2]


def _others(before: str, owned: Owned) -> pd.DataFrame:
    import pandas as pd

    if not before:
        return frame(COLUMNS, ())
    table = pd.read_csv(io.StringIO(before), dtype=str, keep_default_na=False)
    names = list(table.columns)
    return table[[not owned(dict(zip(names, row, strict=True))) for row in table.to_numpy()]]
