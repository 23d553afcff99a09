"""A power table: what a toggle of each unit and a cycle of the clock cost, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from gnomon.base.content import content
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.files import read_text
from gnomon.base.units import Hertz, parse_frequency
from gnomon.cost.energy._fit import CLOCK, Errors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.cost.energy._fit import Array

SCHEMA_VERSION = 1
NOT_INCLUDED = "not included"

LARGEST_POWER_MW = 10_000.0
LARGEST_TOGGLE_PJ = 10_000.0
LARGEST_ACTIVITY = 1e6


@dataclass(frozen=True, slots=True)
class Price:
    """One parameter with its 95 % interval: mW for the clock, pJ per toggle for a group."""

    name: str
    units: tuple[str, ...]
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class PowerTable:
    """One file of ``models/power``, or a user's own.

    Attributes:
        name: name of the table.
        title: one line.
        source: where the measured power comes from, and what it covers.
        activity: name of the activity table that its units belong to.
        data: operand values that the activity of the fit assumed.
        clock_hz: clock of the measured points.
        static: why static power is not in the figures.
        clock: clock power at ``clock_hz``.
        groups: energy per toggle by group of units.
        points: how many measured points.
        residual_mw: standard deviation of the residuals.
        degrees_of_freedom: of the fit.
        covariance: of the parameters, the clock first.
        leave_one_out: errors at points the fit has not seen.
        calibrated: lowest and highest toggles per cycle of the points.
        not_identified: what the data do not say.
        alternative_clock_mw: clock power of the price sets that fit as well, shape (sets,).
        alternative_pj: their energies per toggle by unit, shape (sets, units).
        alternative_units: names of these units.
    """

    name: str
    title: str
    source: str
    activity: str
    data: str
    clock_hz: Hertz
    static: str
    clock: Price
    groups: tuple[Price, ...]
    points: int
    residual_mw: float
    degrees_of_freedom: int
    covariance: Array
    leave_one_out: Errors
    calibrated: tuple[float, float]
    not_identified: tuple[str, ...]
    alternative_clock_mw: Array
    alternative_pj: Array
    alternative_units: tuple[str, ...]

    def pj_per_toggle(self, units: Sequence[str]) -> Array:
        """Energy per toggle of each unit.

        Raises:
            GnomonError: a unit has no price.
        """
        by_unit = {unit: group.value for group in self.groups for unit in group.units}
        for unit in units:
            if unit not in by_unit:
                raise GnomonError(
                    f"power table {self.name} has no price for unit {unit!r} (priced:"
                    f" {', '.join(by_unit)}{did_you_mean(unit, by_unit)})"
                )
        return np.array([by_unit[unit] for unit in units])


def power_table_names() -> tuple[str, ...]:
    """The tables that ship."""
    return tuple(sorted(path.stem for path in content("models", "power").glob("*.yaml")))


@cache
def power_table(name_or_path: str) -> PowerTable:
    """A table that ships, by its name, or a user's, by its path.

    Raises:
        GnomonError: there is none, or it cannot be used.
    """
    if name_or_path.endswith((".yaml", ".yml")) or "/" in name_or_path:
        return read_power_table(Path(name_or_path))
    names = power_table_names()
    if name_or_path not in names:
        raise GnomonError(
            f"no power table is called {name_or_path!r} (known: {', '.join(names)}"
            f"{did_you_mean(name_or_path, names)}; a table of your own is given by its path)"
        )
    return read_power_table(content("models", "power", f"{name_or_path}.yaml"))


def read_power_table(path: Path) -> PowerTable:
    """Read and check a table.

    Raises:
        GnomonError: it cannot be read, a key is missing, or a value is not plausible.
    """
    text = read_text(path)
    try:
        raw = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise GnomonError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    reader = _Reader(str(path))
    schema = reader.get(raw, "schema")
    if schema != SCHEMA_VERSION:
        raise GnomonError(f"{path}: schema: must be {SCHEMA_VERSION}, not {schema!r}")
    return reader.table(raw)


@dataclass(frozen=True, slots=True)
class _Reader:
    path: str

    def get(self, raw: Any, key: str, where: str = "") -> Any:
        if not isinstance(raw, dict) or key not in raw:
            known = did_you_mean(key, raw) if isinstance(raw, dict) else ""
            raise GnomonError(f"{self.path}: {where}{key}: is missing{known}")
        return raw[key]

    def number(
        self,
        raw: Any,
        key: str,
        highest: float,
        unit: str,
        where: str = "",
        *,
        endless: bool = False,
    ) -> float:
        value = self.get(raw, key, where)
        good = isinstance(value, int | float) and not isinstance(value, bool)
        if endless and value == float("inf"):
            return float("inf")
        if not good or not 0 <= value <= highest:
            raise GnomonError(
                f"{self.path}: {where}{key}: must be a number from 0 to {highest:g} {unit},"
                f" not {value!r}"
            )
        return float(value)

    def text(self, raw: Any, key: str) -> str:
        value = self.get(raw, key)
        if not isinstance(value, str) or not value.strip():
            raise GnomonError(f"{self.path}: {key}: must be text, not {value!r}")
        return " ".join(value.split())

    def price(self, raw: Any, name: str, highest: float, unit: str, where: str) -> Price:
        members = raw.get("units", []) if isinstance(raw, dict) else []
        value = self.number(raw, "value", highest, unit, where)
        low = self.number(raw, "low", highest, unit, where)
        high = self.number(raw, "high", highest, unit, where, endless=True)
        if not low <= value <= high:
            raise GnomonError(
                f"{self.path}: {where}value: must be within low and high ({low:g} to {high:g}"
                f" {unit}), not {value:g}"
            )
        return Price(name, tuple(members), value, low, high)

    def table(self, raw: Mapping[str, Any]) -> PowerTable:
        energies = self.get(raw, "energy_pj_per_toggle")
        groups = tuple(
            self.price(part, name, LARGEST_TOGGLE_PJ, "pJ", f"energy_pj_per_toggle.{name}.")
            for name, part in energies.items()
        )
        clock = self.price(
            self.get(raw, "clock_power_mw"), CLOCK, LARGEST_POWER_MW, "mW", "clock_power_mw."
        )
        fit, spread = self.get(raw, "fit"), self.get(raw, "alternatives")
        errors = self.get(fit, "leave_one_out", "fit.")
        low, high = self.get(fit, "toggles_per_cycle", "fit.")
        units = tuple(self.get(spread, "units", "alternatives."))
        rows = np.array(self.get(spread, "rows", "alternatives."), dtype=np.float64)
        rows = rows.reshape(len(rows), len(units) + 1)
        covariance = np.array(self.get(fit, "covariance", "fit."), dtype=np.float64)
        if covariance.shape != (len(groups) + 1, len(groups) + 1):
            raise GnomonError(
                f"{self.path}: fit.covariance: must have {len(groups) + 1} rows and columns, one"
                " for the clock and one for each group"
            )
        return PowerTable(
            name=self.text(raw, "name"),
            title=self.text(raw, "title"),
            source=self.text(raw, "source"),
            activity=self.text(raw, "activity"),
            data=self.text(raw, "activity_data"),
            clock_hz=parse_frequency(self.get(raw, "clock")),
            static=self.text(raw, "static"),
            clock=clock,
            groups=groups,
            points=int(self.number(fit, "points", 1e6, "points", "fit.")),
            residual_mw=self.number(fit, "residual_mw", LARGEST_POWER_MW, "mW", "fit."),
            degrees_of_freedom=int(self.number(fit, "degrees_of_freedom", 1e6, "degrees", "fit.")),
            covariance=covariance,
            leave_one_out=Errors(
                *(
                    self.number(errors, key, 1e6, "", "fit.leave_one_out.")
                    for key in ("rms_mw", "mean_percent", "max_percent")
                )
            ),
            calibrated=(float(low), float(high)),
            not_identified=tuple(self.get(fit, "not_identified", "fit.")),
            alternative_clock_mw=rows[:, 0],
            alternative_pj=rows[:, 1:],
            alternative_units=units,
        )
