"""Costs of a step of a learner on a device: slowest step, RAM and flash, by fitted models.

The table is in ``models/learners``; ``gnomon report choose --size full`` regenerates it.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.base.units import SHORT, alike_unit
from gnomon.explore.learner_terms import lanes_of, length, terms
from gnomon.explore.metrics import UNITS
from gnomon.measure.learners import DEFAULT_FEATURES

FEATURES: Final = DEFAULT_FEATURES
"""Features of an arm, for learners whose arms have features: the default of ``gnomon learner``."""

FAMILIES: Final = {
    "t13": ("t13", *(f"t13-{paper}simd{n}" for paper in ("", "paper-") for n in (1, 2, 4, 8))),
    "t13-simd": tuple(f"t13-simd{n}" for n in (1, 2, 4, 8)),
    "t13-paper-simd": tuple(f"t13-paper-simd{n}" for n in (1, 2, 4, 8)),
    "simd": tuple(f"t13-{paper}simd{n}" for paper in ("", "paper-") for n in (1, 2, 4, 8)),
}
"""Machines that share a cost model: scalar code, and vector code by required instructions."""

QUANTITIES: Final = {
    "slowest_cycles": "us", "energy_uj": "uj", "ram_bytes": "bytes", "flash_bytes": "bytes",
}  # fmt: skip
"""Quantities that limits may be of, with the key of their units in ``UNITS``."""

MODELED: Final = ("slowest_cycles", "ram_bytes", "flash_bytes")
"""Quantities of cost models; energy follows from event counts."""

WORDS: Final = {
    "slowest_cycles": "slowest step", "energy_uj": "energy", "ram_bytes": "RAM",
    "flash_bytes": "flash",
}  # fmt: skip

Rows: TypeAlias = "Iterable[Mapping[str, str]]"


@dataclass(frozen=True, slots=True)
class CostModel:
    """Cost model of an implementation on a family of machines; coefficients by quantity.

    Attributes:
        settings: macros that affect cost; the model applies to all of them.
        splits: splits of the terms of each quantity, see :func:`terms`.
        error: e of the interval from value / exp(e) to value * exp(e). All quantities of a size lie
            within their intervals at once with the probability stated by ``reports/choose``.
        low: the least n and the fewest arms that were measured.
        built, refused: (n, arms): the largest sizes that build, and the smallest that do not. A
            size with at least as much of both as the latter does not build, either.
    """

    learner: str
    variant: str
    family: str
    settings: tuple[str, ...]
    splits: Mapping[str, str] = field(repr=False)
    coefficients: Mapping[str, Mapping[str, float]] = field(repr=False)
    error: Mapping[str, float] = field(repr=False)
    low: tuple[int, int]
    built: tuple[tuple[int, int], ...]
    refused: tuple[tuple[int, int], ...]

    def cost(self, quantity: str, machine: str, settings: str, d: int, arms: int) -> Interval:
        """Return a cost with the interval of the model."""
        n, lanes = length(self.learner, settings, d, arms), lanes_of(machine, self.family)
        there = terms(self.learner, quantity, n, arms, lanes, self.splits[quantity])
        factors = self.coefficients[quantity]
        value = sum(factors.get(name, 0.0) * x for name, x in there.items())
        wide = math.exp(self.error[quantity])
        return Interval(value, value / wide, value * wide)

    def within(self, settings: str, d: int, arms: int) -> bool:
        """Return whether the size lies within the range of sizes that were measured and build."""
        n = length(self.learner, settings, d, arms)
        return self.builds(settings, d, arms) and n >= self.low[0] and arms >= self.low[1]

    def builds(self, settings: str, d: int, arms: int) -> bool:
        """Return whether a size with at least these numbers was built."""
        n = length(self.learner, settings, d, arms)
        return any(n <= most and arms <= more for most, more in self.built)

    def refuses(self, settings: str, d: int, arms: int) -> bool:
        """Return whether a size with at most these numbers does not build."""
        n = length(self.learner, settings, d, arms)
        return any(n >= least and arms >= fewest for least, fewest in self.refused)


def read_cost_models(rows: Rows) -> list[CostModel]:
    """Return the cost models of a table such as ``costs.csv``, with a row per quantity."""
    found: dict[tuple[str, str, str], list[Mapping[str, str]]] = {}
    for cells in rows:
        key = (cells["learner"], cells["variant"], cells["family"])
        found.setdefault(key, []).append(cells)
    return [_read_cost_model(key, each) for key, each in found.items()]


def _read_cost_model(key: tuple[str, str, str], rows: list[Mapping[str, str]]) -> CostModel:
    first = rows[0]
    coefficients: dict[str, dict[str, float]] = {}
    for cells in rows:
        words = (each.rpartition(":") for each in cells["terms"].split())
        coefficients[cells["quantity"]] = {name: float(value) for name, _, value in words}
    return CostModel(
        *key, tuple(first["settings"].split(" | ")),
        {cells["quantity"]: cells["split"] for cells in rows}, coefficients,
        {cells["quantity"]: float(cells["error"]) for cells in rows},
        (int(first["low_n"]), int(first["low_arms"])),
        _sizes(first["built"]), _sizes(first["refused"]),
    )  # fmt: skip


def _sizes(text: str) -> tuple[tuple[int, int], ...]:
    """Return pairs of numbers from a text such as ``65x2 9x54``."""
    pairs = (each.split("x") for each in text.split())
    return tuple((int(n), int(arms)) for n, arms in pairs)


_LIMIT = re.compile(
    SHORT + r"\s*(?P<number>[+-]?(?:[0-9][0-9_,]*\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)"
    r"\s*(?P<unit>\S*)\s*", re.ASCII
)  # fmt: skip


def limit_of(option: str, text: str | None, quantity: str) -> float | None:
    """Return a limit such as ``1ms`` in the unit of a quantity; None if there is none.

    Raises:
        GnomonError: if it is not a number with a unit, or not above 0.
    """
    if text is None:
        return None
    units = UNITS[QUANTITIES[quantity]]
    match = _LIMIT.fullmatch(text)
    unit = match["unit"] if match else ""
    value = float(re.sub("[,_]", "", match["number"])) if match else math.nan
    if unit not in units or not 0 < value < math.inf:
        example = {"us": "1ms", "uj": "20uJ", "bytes": "8KiB"}[QUANTITIES[quantity]]
        near = "" if unit in units else alike_unit(unit, units)
        raise GnomonError(
            f"{option}: {text!r} must be a number above 0 with its unit, as in {example}"
            f" (units: {', '.join(units)}{near})"
        )
    return value * float(units[unit])
