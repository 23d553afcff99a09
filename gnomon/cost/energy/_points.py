"""Measured operating points: activity by unit and power, from CSV files of a fit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import GnomonError
from gnomon.base.sums import dot
from gnomon.base.tables import read_csv_table

Array = npt.NDArray[np.float64]

MW_PER_PJ_HZ = 1e-9  # 1 pJ at 1 Hz is 1e-12 W
_POWER = "power_mw"
_LARGEST = 1e9  # mW, or toggles per cycle; far above any chip, and its square is finite
_INSTANCE, _PER_CYCLE, _OUTERMOST = "instance", "toggles_per_cycle", "outermost"


_Rows = dict[str, tuple[str, Mapping[str, str]]]
"""Origin and fields of each row, by point."""


class Errors(NamedTuple):
    """Errors of predicted power."""

    rms_mw: float
    mean_percent: float
    max_percent: float


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Measured operating points of one machine at one clock."""

    names: tuple[str, ...]  # one per point
    units: tuple[str, ...]  # one per column of `toggles_per_cycle`
    toggles_per_cycle: Array  # shape (points, units)
    power_mw: Array  # shape (points,)
    clock_hz: int  # of all points

    def only(self, keep: Array) -> Points:
        """Return the points where ``keep`` (shape (points,)) is true."""
        names = tuple(name for name, kept in zip(self.names, keep, strict=True) if kept)
        toggles, power_mw = self.toggles_per_cycle[keep], self.power_mw[keep]
        return replace(self, names=names, toggles_per_cycle=toggles, power_mw=power_mw)

    def errors(self, predicted_mw: Array) -> Errors:
        """Return the errors of predicted power, shape (points,), in mW."""
        relative = np.abs(predicted_mw / self.power_mw - 1) * 100
        rms = float(np.sqrt(np.mean((predicted_mw - self.power_mw) ** 2)))
        return Errors(rms, float(relative.mean()), float(relative.max()))

    def design(
        self, groups: Mapping[str, tuple[str, ...]], weights: Mapping[str, float] | None = None
    ) -> Array:
        """Return the columns of the model in mW per parameter unit, shape (points, 1 + groups).

        ``weights`` scale the energy per toggle of units within their group; 1 by default.
        """
        columns = [np.ones(len(self.toggles_per_cycle))]
        for members in groups.values():
            scale = np.array([
                (1.0 if weights is None else weights[unit]) if unit in members else 0.0
                for unit in self.units
            ])  # fmt: skip
            columns.append(dot(self.toggles_per_cycle, scale) * self.clock_hz * MW_PER_PJ_HZ)
        return np.stack(columns, axis=1)


def read_points(activity: Path, power: Path, clock_hz: int, *, select: str = "") -> Points:
    """Read an activity and a power file, and join them by their first column, ``point``.

    Args:
        activity: a file with one column per unit, in toggles per cycle. Or a folder of files from
            ``gnomon power activity --output`` with a clock: each file is a point, each instance a
            unit.
        power: a file with the column ``power_mw``; further columns are ignored.
        clock_hz: clock of all points in Hz.
        select: prefix of the names of selected points.

    Raises:
        GnomonError: if a file is invalid, or only one of them has a point.
    """
    units, rows = _read_folder(activity) if activity.is_dir() else _read(activity)
    columns, powers = _read(power)
    if _POWER not in columns:
        raise GnomonError(f"{power}:1: has no column {_POWER} (columns: {', '.join(columns)})")

    def numbers(rows: _Rows, columns: list[str]) -> dict[str, list[float]]:
        return {
            name: [_parse_number(origin, each, values[each]) for each in columns]
            for name, (origin, values) in rows.items()
            if name.startswith(select)
        }

    toggles, measured = numbers(rows, units), numbers(powers, [_POWER])
    for name in sorted(toggles.keys() ^ measured.keys()):
        has, lacks = (activity, power) if name in toggles else (power, activity)
        raise GnomonError(f"{has}: point {name!r} is not in {lacks}")
    if not toggles:
        raise GnomonError(f"{activity}: no point starts with {select!r}")
    powers_mw = np.array([measured[name][0] for name in toggles])
    table = np.array(list(toggles.values()))
    return Points(tuple(toggles), tuple(units), table, powers_mw, clock_hz)


def _read(path: Path) -> tuple[list[str], _Rows]:
    """Return the columns except the first, and the rows."""
    table = read_csv_table(path)
    if not table:
        raise GnomonError(f"{path}:1: the first column must be 'point', and there must be points")
    first, *columns = table[0].values
    if first != "point":
        raise GnomonError(f"{path}:1: the first column must be 'point', not {first!r}")
    rows: _Rows = {}
    for row in table:
        if row.values["point"] in rows:
            raise GnomonError(f"{row.origin}: point {row.values['point']!r} comes twice")
        rows[row.values["point"]] = row.origin, row.values
    return columns, rows


def _read_folder(folder: Path) -> tuple[list[str], _Rows]:
    units: list[str] = []
    rows: _Rows = {}
    files = sorted(folder.glob("*.csv"))
    if not files:
        raise GnomonError(f"{folder}: holds no CSV files")
    for file in files:
        table = read_csv_table(file)
        for column in (_INSTANCE, _PER_CYCLE):
            if not table or column not in table[0].values:
                raise GnomonError(
                    f"{file}:1: has no column {column}; `gnomon power activity FILE --clock F"
                    " --output POINT.csv` writes it"
                )
        values = {row.values[_INSTANCE] or _OUTERMOST: row.values[_PER_CYCLE] for row in table}
        if rows and list(values) != units:
            raise GnomonError(f"{file}: has other instances than {files[0]}")
        units = list(values)
        rows[file.stem] = f"{file}:1", values
    return units, rows


def _parse_number(origin: str, column: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= _LARGEST:
        raise GnomonError(
            f"{origin}: {column}: must be a number from 0 to {_LARGEST:g}, not {text!r}"
        )
    return value
