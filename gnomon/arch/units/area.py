"""``area.csv`` of a unit: counts of a synthesis tool, by its parameters."""

import csv
import hashlib
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from gnomon.base.errors import GnomonError

AREA_FILE: Final = "area.csv"
COLUMNS: Final = ("parameters", "lut", "ff", "dsp", "bram", "rtl", "tool")
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


def rtl_digest(files: Iterable[tuple[str, str]]) -> str:
    """Return the digest of SystemVerilog as a row names it."""
    return hashlib.sha256("\0".join(text for _, text in files).encode()).hexdigest()[:16]


def read_rows(text: str, where: str) -> list[dict[str, str]]:
    """Return the rows of a file.

    Raises:
        GnomonError: if it has other columns.
    """
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    rows = [*csv.DictReader(lines)]
    if not lines or tuple(lines[0].split(",")) != COLUMNS:
        raise GnomonError(f"{where}: must have the columns {', '.join(COLUMNS)}")
    return rows


def find_area(text: str | None, where: str, values: Mapping[str, int], rtl: str) -> UnitArea | str:
    """Return the row of some parameters; or the reason why there is none.

    Raises:
        GnomonError: if the file cannot be read.
    """
    wanted = parameters_text(values)
    found = [] if text is None else read_rows(text, where)
    for row in found:
        if row["parameters"] == wanted and row["rtl"] != rtl:
            return f"its SystemVerilog has changed since {where} was made"
        if row["parameters"] == wanted:
            try:
                lut, ff, dsp, bram = (float(row[name]) for name in ("lut", "ff", "dsp", "bram"))
            except ValueError:
                raise GnomonError(f"{where}: {wanted}: not a number") from None
            return UnitArea(lut, ff, dsp, bram, row["tool"], f"{where}: {wanted}")
    return f"{where} has no row for {wanted}" if text is not None else f"it has no {AREA_FILE}"


def area_text(name: str, rows: Iterable[Mapping[str, str]]) -> str:
    """Return the text of a file."""
    lines = [",".join(row[column] for column in COLUMNS) for row in rows]
    return _HEAD.format(name=name) + "\n".join([",".join(COLUMNS), *lines, ""])
