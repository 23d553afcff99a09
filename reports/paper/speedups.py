"""Figures 9 and 11: cycles of a cell and its speed-up over the standard program."""

from __future__ import annotations

from typing import Final

import pandas as pd

from gnomon.base.frames import frame, worded
from gnomon.bench.learners import LINES

from .cells import FITTED_D, READINGS, VARIANTS
from .cells_file import CELL_COLUMNS
from .published import published_cells, stated_speedup

PLATFORMS = {"t13": "Klessydra-T13", "cortex-m4": "Cortex-M4", "cortex-a72": "Cortex-A72"}
VARIANTS_OF = {9: ("std", "opt"), 11: ("std", "std+vcu", "opt+vcu")}
PLATFORMS_OF = {9: tuple(PLATFORMS), 11: ("t13",)}

_ORDER: Final = (
    *(["platform", tuple(PLATFORMS)], ["d", None], ["line", ("published", *LINES)]),
    *(["variant", VARIANTS], ["param", None], ["reading", ("", *READINGS)]),
)
_COLUMNS = [
    "algorithm", "d", "param_name", "param", "platform", "variant", "line", "reading",
    "published_cycles", "published_speedup", "stated_speedup", "cycles", "speedup", "ratio",
    "note",
]  # fmt: skip


def speedups(figure: int, cells: pd.DataFrame) -> pd.DataFrame:
    """All points of a figure: the published ones of a table first, then ours by line.

    Speed-ups are over std of the same platform and reading, ours of the paper line.

    Args:
        figure: 9 or 11.
        cells: as of :func:`.cells_file.cells_frame`.

    Returns:
        ``d`` is of a context: of a disjoint learner the size itself, of a hybrid one ours. ``line``
        is ``published``, ``paper`` or ``tuned``, ``reading`` empty if published; ``cycles`` are
        ours, NaN if published or if it cannot run, which ``note`` explains.
    """
    params, printed = set(cells["param"]), published_cells()
    published = frame(
        CELL_COLUMNS,
        (
            (key.table, key.algorithm, key.platform, key.variant, key.param_name, key.param,
             key.param if key.table == 2 else FITTED_D, "published", "", cycles, None, "")
            for key, cycles in printed.items()
            if key.metric == "cycles" and key.platform in PLATFORMS_OF[figure]
            and key.param in params
        ),
    )  # fmt: skip
    table = pd.concat([published, cells])
    table = table[table["variant"].isin(VARIANTS_OF[figure])]
    table = table.rename(columns={"ours": "cycles", "published": "published_cycles"})
    table = _sorted(table.reset_index(drop=True))
    of_std = table[table["variant"] == "std"]
    base = table.merge(
        of_std[of_std["line"] == "published"],
        how="left", on=["table", "platform", "param"], suffixes=("", "_std"),
    )  # fmt: skip
    own = table.merge(
        of_std[of_std["line"] == "paper"],
        how="left", on=["table", "d", "param", "reading"], suffixes=("", "_std"),
    )  # fmt: skip
    keys = table[["algorithm", "platform", "variant", "param"]].itertuples(index=False, name=None)
    return table.assign(
        published_speedup=(base["published_cycles_std"] / base["published_cycles"]).astype(float),
        stated_speedup=[stated_speedup(figure, *key)[0] for key in keys],
        speedup=own["cycles_std"].astype(float) / own["cycles"].astype(float),
    )


def _sorted(table: pd.DataFrame) -> pd.DataFrame:
    """By table, published ones first; then as the columns of ``_ORDER`` say."""
    keys = pd.DataFrame({"table": table["table"], "ours": table["line"] != "published"})
    for name, order in _ORDER:
        of_rank = {value: at for at, value in enumerate(order)} if order else None
        keys[name] = table[name].map(of_rank) if of_rank else table[name].astype(int)
    keys.loc[~keys["ours"] | (keys["table"] == 2), "d"] = 0  # a table has one, or the size is it
    return table.loc[keys.sort_values(list(keys.columns), kind="stable").index].reset_index(
        drop=True
    )


def speedup_rows(points: pd.DataFrame) -> pd.DataFrame:
    """``figure9.csv`` and ``figure11.csv``."""
    forms = {"published_speedup": ".4f", "stated_speedup": "g", "speedup": ".4f", "ratio": ".4f"}
    table = points.assign(ratio=points["speedup"] / points["published_speedup"])
    return worded(table, forms)[_COLUMNS]
