"""``area.csv`` of a unit: counts of a synthesis tool, by its parameters."""

import csv
import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from gnomon.base.errors import GnomonError

AREA_FILE: Final = "area.csv"
COLUMNS: Final = ("parameters", "lut", "ff", "dsp", "bram", "rtl", "tool")
_COUNTS: Final = ("lut", "ff", "dsp", "bram")
MODULE: Final = re.compile(r"^\s*module\s+(\w+)", re.ASCII | re.MULTILINE)
_NUMBER: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,3})?")
_HEAD: Final = """\
# Made by `gnomon rtl unit {name}`. Counts of a synthesis tool, neither placed nor routed; rtl is
# the digest of the SystemVerilog.
"""


class UnitArea(NamedTuple):
    """Counts of one unit, the tool that counted them, and the place of the row."""

    lut: float
    ff: float
    dsp: float
    bram: float
    tool: str
    origin: str


def parameters_text(values: Mapping[str, int]) -> str:
    """Return parameters as a row names them, such as ``fraction=15 stages=3``."""
    return " ".join(f"{name}={values[name]}" for name in sorted(values)) or "none"


def parameter_values(text: str) -> dict[str, int]:
    """Return the parameters that :func:`parameters_text` names."""
    pairs = (each.partition("=") for each in text.split() if text != "none")
    return {name: int(value) for name, _, value in pairs}


def rtl_digest(files: Iterable[tuple[str, str]], top: str) -> str:
    """Return the digest of SystemVerilog as a row names it.

    Args:
        files: text of the files by name.
        top: top module. It counts if the files have other modules, which could be the top, too.
    """
    texts = [text for _, text in files]
    if sum(len(MODULE.findall(text)) for text in texts) > 1:
        texts.append(top)
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def read_rows(text: str, where: str) -> list[dict[str, str]]:
    """Return the rows of a file.

    Raises:
        GnomonError: if it is not CSV, or has other columns.
    """
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    try:
        rows = [*csv.reader(lines)]
    except csv.Error as error:
        raise GnomonError(f"{where}: {error}") from None
    if not rows or any(len(row) != len(COLUMNS) for row in rows) or tuple(rows[0]) != COLUMNS:
        raise GnomonError(
            f"{where}: must have the columns {', '.join(COLUMNS)} in every row"
            " (without the file, all rows are made again)"
        )
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows[1:]]


def find_area(text: str | None, where: str, values: Mapping[str, int], rtl: str) -> UnitArea | str:
    """Return the row of some parameters; or the reason why there is none."""
    if text is None:
        return f"it has no {AREA_FILE}"
    try:
        return _find_row(read_rows(text, where), where, parameters_text(values), rtl)
    except GnomonError as error:
        return str(error)


def _find_row(
    rows: Iterable[Mapping[str, str]], where: str, wanted: str, rtl: str
) -> UnitArea | str:
    for row in rows:
        if row["parameters"] == wanted and row["rtl"] != rtl:
            return f"its SystemVerilog has changed since {where} was made"
        if row["parameters"] == wanted:
            place = f"{where}: {wanted}"
            lut, ff, dsp, bram = (_count(row[name], f"{place}: {name}") for name in _COUNTS)
            return UnitArea(lut, ff, dsp, bram, row["tool"], place)
    return f"{where} has no row for {wanted}"


def _count(text: str, where: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise GnomonError(f"{where}: {text!r} is not a count")
    return float(text)


def area_text(name: str, rows: Iterable[Mapping[str, str]]) -> str:
    """Return the text of a file."""
    lines = [",".join(row[column] for column in COLUMNS) for row in rows]
    return _HEAD.format(name=name) + "\n".join([",".join(COLUMNS), *lines, ""])
