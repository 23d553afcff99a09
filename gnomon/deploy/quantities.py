"""Quantities of a deployment: with unit and source, and limits such as ``p99 <= 10 ms``."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.units import SHORT, alike_unit, meets_limit, prefixed, suited_unit
from gnomon.base.yaml import shown

NOT_INCLUDED = "not included"

_S = 10**12
KINDS: dict[str, dict[str, Fraction]] = {
    "time": prefixed("s", _S)
    | {"min": Fraction(60 * _S), "h": Fraction(3600 * _S), "d": Fraction(86_400 * _S)},
    "rate": {"/s": Fraction(1), "/min": Fraction(1, 60), "/h": Fraction(1, 3600)},
    "power": prefixed("W", 10**3),
    "energy": prefixed("J", 10**6),
    "capacity": prefixed("Ah", 10**3, "m"),
    "stored energy": prefixed("Wh", 10**3, "m"),
    "voltage": prefixed("V", 1, "m"),
    "current": prefixed("A", 10**3, "uµm"),
    "share": {"%": Fraction(1, 100)},
}
"""Units by kind, with their values in ps, 1/s, mW, µJ, mAh, mWh, V, mA, 1."""

_EXAMPLES = {
    "time": "10 ms",
    "rate": "20 /s",
    "power": "1.5 mW",
    "energy": "20 uJ",
    "capacity": "225 mAh",
    "stored energy": "700 mWh",
    "voltage": "3 V",
    "current": "0.2 mA",
    "share": "90 %",
}
_QUANTITY = re.compile(r"([0-9][0-9_,]{0,15}(?:\.[0-9]{1,12})?)[ ]*([^\s0-9.,_]\S*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Sourced:
    """A user-defined figure in the unit of its kind, with its source.

    ``value`` is None if it is not included; it then counts as 0, and results list it.
    """

    value: float | None
    source: str = ""
    text: str = NOT_INCLUDED

    @property
    def counted(self) -> float:
        """Value, or 0 if it is not included."""
        return 0.0 if self.value is None else self.value


def parse_quantity(value: Any, *kinds: str) -> tuple[Fraction, str]:
    """Return the amount in the base unit of its kind, and its kind.

    Raises:
        GnomonError: if the value is not a number with a unit of these kinds.
    """
    units = {unit: kind for kind in kinds for unit in KINDS[kind]}
    examples = " or ".join(f"'{_EXAMPLES[kind]}'" for kind in kinds)
    match = _QUANTITY.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise GnomonError(
            f"must be a number with its unit, such as {examples}, not {shown(value)} (units:"
            f" {', '.join(units)})"
        )
    number, unit = match.groups()
    if unit not in units:
        raise GnomonError(f"{unit!r} is not a unit of {' or '.join(kinds)} (units:"
                          f" {', '.join(units)}{alike_unit(unit, units)})")  # fmt: skip
    kind = units[unit]
    return Fraction(number.replace(",", "").replace("_", "")) * KINDS[kind][unit], kind


def _make_formatter(kind: str, *names: str) -> Callable[[float], str]:
    """Return a formatter from the base unit of a kind to text with the most readable unit."""

    def shown(value: float) -> str:
        if value == 0:
            return "0"
        amount, name = suited_unit(value, KINDS[kind], names)
        return f"{amount:,.4g} {name}"

    return shown


format_time = _make_formatter("time", "ns", "µs", "ms", "s")
format_span = _make_formatter("time", "ns", "µs", "ms", "s", "min", "h", "d")
format_power = _make_formatter("power", "nW", "µW", "mW", "W")
format_energy = _make_formatter("energy", "nJ", "µJ", "mJ", "J")


QUANTITIES: dict[str, tuple[str, str]] = {
    "p50": ("time", "latency that half of the decisions do not exceed"),
    "p99": ("time", "latency that 99 % of the decisions do not exceed"),
    "p99.9": (
        "time",
        "latency that 99.9 % of the decisions do not exceed; needs 1,000 of them",
    ),
    "worst": ("time", "longest latency of a decision"),
    "mean-wait": ("time", "mean time from a request to the start of its decision"),
    "missed": ("share", "share of requests without a decision in time"),
    "dropped": ("share", "share of requests that a full queue dropped"),
    "dropped-updates": ("share", "share of rewards that a full queue dropped"),
    "utilisation": ("share", "share of the time of all harts in which they work"),
    "power": ("power", "mean power: the upper end of its interval; needs the energy"),
    "battery-life": ("time", "battery life: the lower end of its interval; needs the energy"),
}
"""Kind and meaning of each quantity, by name."""

STAGE_QUANTITIES: dict[str, tuple[str, str]] = {
    "p50": ("time", "time from request to end that half of the runs do not exceed"),
    "p99": ("time", "the same for 99 % of the runs; needs 100 of them"),
    "p99.9": ("time", "the same for 99.9 % of the runs; needs 1,000 of them"),
    "worst": ("time", "longest time from request to end"),
    "age-p99": ("time", "time since the oldest request of the chain that 99 % do not exceed"),
    "age-worst": ("time", "longest time since the oldest request of the chain"),
    "missed": ("share", "share of requests without a finished run in time"),
    "dropped": ("share", "share of requests that a full queue dropped"),
}
"""Kind and meaning of each quantity of a stage of a pipeline, written as ``STAGE.QUANTITY``."""
PIPELINE_QUANTITIES: dict[str, tuple[str, str]] = {
    name: QUANTITIES[name] for name in ("utilisation", "power", "battery-life")
}
"""Kind and meaning of each quantity of a whole pipeline."""

_REQUIREMENT = re.compile(SHORT + r"\s*([a-z][a-z0-9._-]*)\s*(<=|≤|>=|≥)\s*(.+?)\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A limit: ``name`` at most or at least ``limit`` (ps, mW, or a share), ends included."""

    name: str
    at_most: bool
    limit: float
    text: str

    def met_by(self, figures: Mapping[str, float | None]) -> bool:
        """Return whether the figure meets the limit; an unavailable figure does not."""
        value = figures[self.name]
        return value is not None and meets_limit(value, self.limit, at_most=self.at_most)


def parse_requirement(
    text: object, quantities: Mapping[str, tuple[str, str]] | None = None
) -> Requirement:
    """Parse a requirement on one of ``quantities``, by default ``QUANTITIES``.

    Raises:
        GnomonError: if the text is not one; the message names the allowed form.
    """
    match = _REQUIREMENT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise GnomonError(
            f"{shown(text)} is not a requirement; write a quantity, <= or >=, a number and its"
            " unit, such as 'p99 <= 10 ms'"
        )
    quantities = QUANTITIES if quantities is None else quantities
    name, sign, number = match.groups()
    if name not in quantities:
        raise GnomonError(f"{name!r} is not measured {allowed_hint(name, quantities)}")
    try:
        limit, _ = parse_quantity(number, quantities[name][0])
    except GnomonError as error:
        raise GnomonError(f"{name}: {error}") from None
    return Requirement(name, sign in ("<=", "≤"), float(limit), " ".join(match[0].split()))
