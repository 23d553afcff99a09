"""Points in, power table out: the CSV files and the YAML file of ``gnomon power fit``."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.base.files import read_text
from gnomon.base.units import format_frequency
from gnomon.cost.energy._fit import Points
from gnomon.cost.energy._power_table import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gnomon.cost.energy._alternatives import Alternatives
    from gnomon.cost.energy._fit import Fit

_DIGITS = 5
_POWER = "power_mw"
_INSTANCE, _PER_CYCLE, _OUTERMOST = "instance", "toggles_per_cycle", "outermost"
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")


def read_points(activity: Path, power: Path, clock_hz: int, *, select: str = "") -> Points:
    """Read an activity and a power file, and join them by their first column, ``point``.

    The activity has one column per unit, in toggles per cycle; or it is a folder of files that
    ``gnomon power activity --output`` has written with a clock, each a point named after its file,
    each instance a unit. The power has ``power_mw``; other columns are for people. ``select`` keeps
    the points whose names start with it.

    Raises:
        GnomonError: a file cannot be used, or a point is in one of them only.
    """
    units, rows = _read_folder(activity) if activity.is_dir() else _read(activity)
    columns, powers = _read(power)
    if _POWER not in columns:
        raise GnomonError(f"{power}:1: has no column {_POWER} (columns: {', '.join(columns)})")
    toggles = {
        name: [_number(activity, line, unit, values[unit]) for unit in units]
        for name, (line, values) in rows.items()
        if name.startswith(select)
    }
    measured = {
        name: _number(power, line, _POWER, values[_POWER])
        for name, (line, values) in powers.items()
        if name.startswith(select)
    }
    for name in sorted(toggles.keys() ^ measured.keys()):
        has, lacks = (activity, power) if name in toggles else (power, activity)
        raise GnomonError(f"{has}: point {name!r} is not in {lacks}")
    if not toggles:
        raise GnomonError(f"{activity}: no point starts with {select!r}")
    names = tuple(toggles)
    return Points(
        names,
        tuple(units),
        np.array([toggles[name] for name in names]),
        np.array([measured[name] for name in names]),
        clock_hz,
    )


def _read(path: Path) -> tuple[list[str], dict[str, tuple[int, dict[str, str]]]]:
    reader = csv.DictReader(io.StringIO(read_text(path)))
    columns = list(reader.fieldnames or ())
    if not columns or columns[0] != "point":
        first = columns[0] if columns else ""
        raise GnomonError(f"{path}:1: the first column must be 'point', not {first!r}")
    rows: dict[str, tuple[int, dict[str, str]]] = {}
    for row in reader:
        if row["point"] in rows:
            raise GnomonError(f"{path}:{reader.line_num}: point {row['point']!r} comes twice")
        if None in row or None in row.values():
            raise GnomonError(f"{path}:{reader.line_num}: must have {len(columns)} fields")
        rows[row["point"]] = reader.line_num, row
    return columns[1:], rows


def _read_folder(folder: Path) -> tuple[list[str], dict[str, tuple[int, dict[str, str]]]]:
    units: list[str] = []
    rows: dict[str, tuple[int, dict[str, str]]] = {}
    files = sorted(folder.glob("*.csv"))
    if not files:
        raise GnomonError(f"{folder}: holds no CSV files")
    for file in files:
        reader = csv.DictReader(io.StringIO(read_text(file)))
        columns = reader.fieldnames or ()
        for column in (_INSTANCE, _PER_CYCLE):
            if column not in columns:
                raise GnomonError(
                    f"{file}:1: has no column {column}; `gnomon power activity FILE --clock F"
                    " --output POINT.csv` writes it"
                )
        values = {row[_INSTANCE] or _OUTERMOST: row[_PER_CYCLE] for row in reader}
        if rows and list(values) != units:
            raise GnomonError(f"{file}: has other instances than {files[0]}")
        units = list(values)
        rows[file.stem] = 1, values
    return units, rows


def _number(path: Path, line: int, column: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise GnomonError(f"{path}:{line}: {column}: must be a number from 0 up, not {text!r}")
    return value


def table_text(
    fit: Fit,
    alternatives: Alternatives,
    points: Points,
    *,
    name: str,
    title: str,
    source: str,
    activity: str,
    data: str,
    static: str,
    made_by: Sequence[str],
) -> str:
    """The YAML text of a table; the same fit gives the same bytes."""
    clock, *groups = fit.parameters
    lines = [
        "# Made by the command below; edits are lost when it runs again.",
        *(f"#   {line}" for line in made_by),
        f"schema: {SCHEMA_VERSION}",
        f"name: {name}",
        f"title: {_quoted(title)}",
        f"source: {_quoted(source)}",
        f"activity: {activity}",
        f"activity_data: {data}",
        f"clock: {format_frequency(points.clock_hz)}",
        f"static: {_quoted(static)}",
        "# At this clock, in mW, with its 95 % interval: clock tree and pins, accesses in every",
        "# cycle, and all switching that does not follow the activity of the table.",
        f"clock_power_mw: {_inline(value=clock.value, low=clock.low, high=clock.high)}",
        "# One price for all units of a group.",
        "energy_pj_per_toggle:",
    ]
    for group in groups:
        lines += [
            f"  {_word(group.name)}:",
            f"    value: {_n(group.value)}",
            f"    low: {_n(group.low)}",
            f"    high: {_n(group.high)}",
            f"    units: [{', '.join(map(_word, group.units))}]",
        ]
    low, high = fit.range_toggles_per_cycle
    lines += [
        "fit:",
        f"  points: {len(points.names)}",
        f"  residual_mw: {_n(fit.residual_mw)}",
        f"  degrees_of_freedom: {fit.degrees_of_freedom}",
        f"  toggles_per_cycle: [{_n(low)}, {_n(high)}]",
        f"  leave_one_out: {_inline(**asdict(fit.leave_one_out))}",
        "  covariance:  # of the clock, then of the groups",
        *(f"    - [{', '.join(_n(value) for value in row)}]" for row in fit.covariance),
        "  not_identified:" + ("" if fit.not_identified else " []"),
        *(f"    - {_quoted(line)}" for line in fit.not_identified),
        "# Price sets that fit as well, of those drawn with relative prices from 1/3 to 3:",
        "# clock in mW, then pJ per toggle of each unit.",
        "alternatives:",
        f"  seed: {alternatives.seed}",
        f"  drawn: {alternatives.drawn}",
        f"  units: [{', '.join(map(_word, points.units))}]",
        "  rows:" + ("" if len(alternatives.clock_mw) else " []"),
    ]
    for mw, row in zip(alternatives.clock_mw, alternatives.pj_per_toggle, strict=True):
        lines.append(f"    - [{', '.join(_n(float(value), 4) for value in (mw, *row))}]")
    return "\n".join(lines) + "\n"


def _inline(**values: float) -> str:
    return "{" + ", ".join(f"{name}: {_n(value)}" for name, value in values.items()) + "}"


def _n(value: float, digits: int = _DIGITS) -> str:
    if math.isinf(value):
        return ".inf"
    text = f"{value:.{digits}g}"
    # YAML 1.1 takes 1e-05 for text without a point in it.
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def _word(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    return '"' + " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"') + '"'
