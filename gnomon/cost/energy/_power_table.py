"""Power tables: energy per toggle of each unit and power of the clock, with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Literal

import numpy as np
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    ValidationInfo,
    field_validator,
)

from gnomon.arch import is_gate_level, power_table
from gnomon.base.content import content
from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.schema import ProblemAt, Section, Version, given, key, version_key
from gnomon.base.tables import check_table, read_yaml_table
from gnomon.base.units import Hertz, parse_frequency
from gnomon.cost.energy._points import Array

FPGA_CALIBRATED = "FPGA-calibrated"
CLOCK = "clock"
"""Name of the clock among the units of an energy and the parameters of a fit."""

SCHEMA_VERSION = 1
LARGEST_POWER_MW = 10_000.0
_PRICES = "0 to 10000"


def _join_lines(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return " ".join(text.split())


def _parse_infinity(value: object) -> object:
    return math.inf if value == ".inf" else value


Text = Annotated[str, AfterValidator(_join_lines)]
_Number = Annotated[float, Field(ge=0, le=LARGEST_POWER_MW)]
_Numbers = list[list[float]]


class Price(Section):
    """A price with its 95 % interval."""

    value: _Number = key("power of the clock, at that clock", unit="mW", allowed=_PRICES)
    low: _Number = key("lower end of its 95 % interval", unit="mW", allowed=_PRICES)
    high: Annotated[float, BeforeValidator(_parse_infinity), Field(ge=0)] = key(
        "upper end", unit="mW", allowed=f"{_PRICES}, .inf"
    )

    @field_validator("high")
    @classmethod
    def _ordered(cls, high: float, info: ValidationInfo) -> float:
        if high > LARGEST_POWER_MW and not math.isinf(high):
            raise ValueError(f"must not be {high:g} (allowed: {_PRICES}, .inf)")
        low, value = info.data.get("low", 0.0), info.data.get("value", high)
        if not low <= value <= high:
            raise ValueError(
                f"value must be within low and high ({low:g} to {high:g}), not {value:g}"
            )
        return high


class GroupPrice(Price):
    """The price of toggles of a group of units."""

    value: _Number = key("energy of one toggle", unit="pJ", allowed=_PRICES)
    low: _Number = key("lower end of its 95 % interval", unit="pJ", allowed=_PRICES)
    high: Annotated[float, BeforeValidator(_parse_infinity), Field(ge=0)] = key(
        "upper end", unit="pJ", allowed=f"{_PRICES}, .inf"
    )
    units: list[str] = key("units of this price", allowed="list of names")


class ErrorKeys(Section):
    """Errors at points left out of the fit."""

    rms_mw: float = key("RMS error at points left out of the fit", unit="mW", ge=0, le=1e6)
    mean_percent: float = key("mean absolute error", unit="%", ge=0, le=1e6)
    max_percent: float = key("largest absolute error", unit="%", ge=0, le=1e6)


class FitKeys(Section):
    """The fit of the prices."""

    points: int = key("measured points", unit="points", ge=0, le=10**6)
    residual_mw: _Number = key("standard deviation of the residuals", unit="mW", allowed=_PRICES)
    degrees_of_freedom: int = key("points less parameters", ge=0, le=10**6)
    student_quantile: float | None = key(
        "97.5 % quantile of Student's distribution with these degrees of freedom; computed by SciPy"
        " if missing",
        default=None,
        ge=1.9599,
        le=12.71,
    )
    toggles_per_cycle: Annotated[list[float], Field(min_length=2, max_length=2)] = key(
        "activity range of the points; runs outside are extrapolated",
        unit="toggles per cycle",
        allowed="lowest, highest",
    )
    leave_one_out: ErrorKeys = key("errors at points left out of the fit")
    covariance: _Numbers = key(
        "covariance of the parameters: the clock, then the groups in their order",
        unit="mW, pJ",
        allowed="a square of numbers",
    )
    not_identified: list[str] = key(
        "parameters that the data do not determine", allowed="list of texts"
    )


class AlternativeKeys(Section):
    """Alternative price sets that fit about as well."""

    seed: int = key("seed for the samples of relative prices", default=0)
    drawn: int = key("number of samples", default=0)
    units: list[str] = key("units of the columns below", allowed="list of names")
    rows: _Numbers = key(
        "price sets that fit about as well: clock, then each unit",
        unit="mW, pJ per toggle",
        allowed="rows of numbers",
    )

    def prices(self, units: Sequence[str]) -> tuple[Array, Array]:
        """Return pJ per toggle, shape (sets, units), and clock power in mW, shape (sets,)."""
        rows = np.array(self.rows, dtype=np.float64).reshape(-1, 1 + len(self.units))
        return rows[:, [1 + self.units.index(unit) for unit in units]], rows[:, 0]


class PowerTable(Section):
    """One file of ``models/power``, or a user-defined table."""

    schema_version: Version = version_key()
    kind: Literal["FPGA-calibrated"] = key(
        "method of its figures; files of kind gate-level and stated have other keys",
        default="FPGA-calibrated",
    )
    name: Text = key("name of the table")
    title: Text = key("one-line title")
    source: Text = key("source and coverage of the measured power")
    library: str = key("measured device", default="")
    activity: Text = key("activity table that the units belong to")
    activity_data: Text = key("operand values that the activity of the fit assumed")
    clock: Annotated[Hertz, PlainValidator(given(parse_frequency))] = key(
        "clock of the measured points", unit="Hz", allowed="such as 100 MHz"
    )
    static: Text = key("treatment of static power")
    clock_power_mw: Price = key("power of the clock")
    energy_pj_per_toggle: dict[str, GroupPrice] = key("prices of toggles, by group of units")
    fit: FitKeys = key("the fit of the prices")
    alternatives: AlternativeKeys = key("alternative price sets that fit about as well")

    @field_validator("fit")
    @classmethod
    def _square(cls, fit: FitKeys, info: ValidationInfo) -> FitKeys:
        count = len(info.data.get("energy_pj_per_toggle", fit.covariance[1:])) + 1
        if [len(row) for row in fit.covariance] != [count] * count:
            raise ProblemAt(
                "covariance",
                f"must have {count} rows and columns, one for the clock and one for each group",
            )
        return fit

    @field_validator("alternatives")
    @classmethod
    def _columns(cls, alternatives: AlternativeKeys) -> AlternativeKeys:
        count = len(alternatives.units) + 1
        for position, row in enumerate(alternatives.rows):
            if len(row) != count:
                raise ProblemAt(f"rows.{position}", f"must have {count} numbers, not {len(row)}")
        return alternatives

    @staticmethod
    def shipped() -> tuple[str, ...]:
        """Return the names of the shipped tables."""
        every = content("models", "power").glob("*.yaml")
        return tuple(sorted(path.stem for path in every if not is_gate_level(path)))

    @staticmethod
    @cache
    def load(name_or_path: str) -> PowerTable:
        """Load a shipped table by name, or a user-defined table by path.

        Raises:
            GnomonError: if there is no such table, or keys are missing, unknown or implausible,
                each with its line.
        """
        return check_table(read_yaml_table(power_table(name_or_path), "power table"), PowerTable)

    def pj_per_toggle(self, units: Sequence[str]) -> Array:
        """Return the energy per toggle of each unit in pJ, shape (units,).

        Raises:
            GnomonError: if a unit has no price.
        """
        groups = self.energy_pj_per_toggle.values()
        by_unit = {unit: group.value for group in groups for unit in group.units}
        for unit in units:
            if unit not in by_unit:
                raise GnomonError(
                    f"power table {self.name} has no price for unit {unit!r}"
                    f" {allowed_hint(unit, by_unit, 'priced')}"
                )
        return np.array([by_unit[unit] for unit in units])
