"""Comparison of published cells with gnomon's.

``gnomon validate published`` does not require equality. A cell in hart cycles counts as reproduced
if its ratio lies within a band, which was set by hand in advance. Other cells are only counted, and
their worst ratio is reported.
"""

from collections.abc import Mapping
from math import log
from pathlib import Path

from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.base.published import read_comparison
from gnomon.base.tables import read_csv_table
from gnomon.rtl.validate._record import Record

COMMAND = "gnomon validate published"
KEYS = ("table", "algorithm", "platform", "variant", "param_name", "param", "metric")


def check_published(cells: Path | None = None) -> tuple[Record, ...]:
    """Return a row for each table and variant of the published cells of cycles.

    ``models/published/comparison.yaml`` names the files. The published figures in gnomon's file
    must equal those in the file of printed figures.

    Args:
        cells: another file of gnomon's cells.

    Raises:
        GnomonError: if the file is missing (in a wheel) or has other published figures.
    """
    files = read_comparison()
    path = content(*files.ours.split("/")) if cells is None else cells
    if not path.is_file():
        raise GnomonError(
            f"{path}: no such file; our cells are in a checkout of gnomon, not in the wheel"
        )
    printed = {
        _key(row.values): row.values["value"]
        for row in read_csv_table(content(*files.printed_path.split("/")))
    }
    bands = {
        (band["table"], band["variant"]): (float(band["low"]), float(band["high"]))
        for band in (row.values for row in read_csv_table(content(*files.bands_path.split("/"))))
    }
    groups: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for row in read_csv_table(path):
        values = row.values
        if not _is_compared(values, files.compared):
            continue
        known = printed.get(_key(values))
        if known != values["published"]:
            raise GnomonError(
                f"{row.origin}: published is {values['published']}, but {files.printed_path} has"
                f" {known or 'no such cell'}"
            )
        where = f"{values['param_name']} = {values['param']}"
        ratio = int(values["ours"]) / int(known)
        groups.setdefault((values["table"], values["variant"]), []).append((where, ratio))
    return tuple(_record(*key, bands[key], ratios) for key, ratios in groups.items())


def _key(values: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(values[name] for name in KEYS)


def _is_compared(values: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    # Parameters in brackets: Table 3 with the d of the text, which its counts contradict.
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
        tool=read_comparison().printed_path,
        criterion="within band",
    )
