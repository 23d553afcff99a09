"""The accuracy table: what can be compared at once, what was recorded, and the cells of the paper.

``gnomon validate published`` is no equality: a cell in hart cycles counts as reproduced inside a
band that was set by hand when they were planned; the others are only counted and their worst ratio
told.
"""

from collections.abc import Callable, Mapping
from functools import partial
from math import log
from pathlib import Path
from typing import Literal, get_args

from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.base.progress import Steps
from gnomon.base.tables import read_csv_table
from gnomon.rtl.validate._core import check_core
from gnomon.rtl.validate._laws import check_laws
from gnomon.rtl.validate._record import Record, Truth, read_records

Live = Literal["rtl", "laws", "published"]
RECORDS = ("reports", "validation")


def accuracy_table(
    steps: Steps, only: Live | None = None, cells: Path | None = None
) -> tuple[Record, ...]:
    """Compare now with the T13 measurements, the dividers and the paper; read the other records.

    What needs a simulator of RTL or a checkout of others is recorded: cocotb benches, lock-step
    and public suites. Rows come by truth, live ones first.

    Args:
        steps: told what was compared.
        only: one of the comparisons, and no records.
        cells: of ours, as :func:`check_published` takes them.

    Raises:
        GnomonError: a wheel, which has neither measurements nor records, or an unusable file.
    """
    live: dict[Live, Callable[[], tuple[Record, ...]]] = {
        "rtl": partial(check_core, steps), "laws": check_laws,
        "published": partial(check_published, cells),
    }  # fmt: skip
    if only is not None:
        return live[only]()
    steps.plan(1)
    records = [record for compared in live.values() for record in compared()]
    records += read_records(content(*RECORDS))
    steps("divider laws, published cells, records")
    order = get_args(Truth)
    return tuple(sorted(records, key=lambda record: order.index(record.truth)))


COMMAND = "gnomon validate published"
TABLES = ("models", "published", "linucb-tables.csv")
BANDS = ("models", "published", "linucb-bands.csv")
KEYS = ("table", "algorithm", "platform", "variant", "param_name", "param", "metric")
TOOL = "/".join(TABLES)
CELLS = ("reports", "paper", "cells.csv")


def check_published(cells: Path | None = None) -> tuple[Record, ...]:
    """The cycle cells of Tables 2 and 3 on the T13 (paper), a row per table and variant.

    Ours are those of ``reports/paper/cells.csv``, made by ``gnomon report paper --part cells``;
    printed ones are read from ``models/published``, and the file must agree on them.

    Args:
        cells: another file of cells.

    Raises:
        GnomonError: there is no such file (a wheel), or it holds other published figures.
    """
    path = content(*CELLS) if cells is None else cells
    if not path.is_file():
        raise GnomonError(
            f"{path}: no such file; our cells are in a checkout of gnomon, not in the wheel"
        )
    printed = {_key(row.values): row.values["value"] for row in read_csv_table(content(*TABLES))}
    bands = {
        (band["table"], band["variant"]): (float(band["low"]), float(band["high"]))
        for band in (row.values for row in read_csv_table(content(*BANDS)))
    }
    groups: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for row in read_csv_table(path):
        values = row.values
        if not _is_compared(values):
            continue
        known = printed.get(_key(values))
        if known != values["published"]:
            raise GnomonError(
                f"{row.origin}: published is {values['published']}, but {TOOL} has"
                f" {known or 'no such cell'}"
            )
        where = f"{values['param_name']} = {values['param']}"
        ratio = int(values["ours"]) / int(known)
        groups.setdefault((values["table"], values["variant"]), []).append((where, ratio))
    return tuple(_record(*key, bands[key], ratios) for key, ratios in groups.items())


def _key(values: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(values[name] for name in KEYS)


def _is_compared(values: Mapping[str, str]) -> bool:
    wanted = {"platform": "t13", "metric": "cycles", "line": "paper", "reading": "hart"}
    # In brackets: Table 3 with the d of the text, which its counts refute.
    return wanted.items() <= values.items() and "(" not in values["param_name"]


def _record(
    table: str, variant: str, band: tuple[float, float], ratios: list[tuple[str, float]]
) -> Record:
    low, high = band
    where, worst = max(ratios, key=lambda item: abs(log(item[1])))
    return Record(
        f"Table {table}, {variant}: hart cycles, ours over published {low:.2f}..{high:.2f}",
        "published",
        len(ratios),
        sum(not low <= ratio <= high for _, ratio in ratios),
        f"ratio {worst:.3f} at {where}",
        COMMAND,
        tool=TOOL,
        criterion="within band",
    )
