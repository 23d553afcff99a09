"""What a deployment must keep: ``p99 <= 10 ms``, ``missed <= 0.1 %``, ``battery-life >= 30 d``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.yaml import shown
from gnomon.deploy._quantities import parse_quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

QUANTITIES: dict[str, tuple[str, str]] = {
    "p50": ("time", "latency that half of the decisions do not exceed"),
    "p99": ("time", "latency that 99 % of the decisions do not exceed"),
    "p99.9": (
        "time",
        "latency that 99.9 % of the decisions do not exceed; known from 1,000 of them",
    ),
    "worst": ("time", "longest latency of a decision"),
    "mean-wait": ("time", "mean time from a request to the start of its decision"),
    "missed": ("share", "requests without a decision in time, of all"),
    "dropped": ("share", "requests that found no place to wait, of all"),
    "dropped-updates": ("share", "rewards that found no place to wait, of those that came back"),
    "utilisation": ("share", "time in which harts work, of the time of all harts"),
    "power": ("power", "mean power; where its energy is known, the upper end of the interval"),
    "battery-life": ("time", "where it is known, the lower end of the interval"),
}
"""By name: kind of quantity, and what it is."""

_REQUIREMENT = re.compile(r"\s*([a-z][a-z0-9.-]*)\s*(<=|≤|>=|≥)\s*(.+?)\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A limit: ``name`` at most or at least ``limit`` (ps, mW, or a share), ends included."""

    name: str
    at_most: bool
    limit: float
    text: str

    def met_by(self, figures: Mapping[str, float | None]) -> bool:
        """Whether it is kept; what is not known is not kept."""
        value = figures[self.name]
        if value is None:
            return False
        return value <= self.limit if self.at_most else value >= self.limit


def parse_requirement(text: object) -> Requirement:
    """Read one.

    Raises:
        GnomonError: it is not one; the message says what may be written.
    """
    match = _REQUIREMENT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise GnomonError(
            f"{shown(text)} is not a requirement; write a quantity, <= or >=, a number and its"
            " unit, such as 'p99 <= 10 ms'"
        )
    name, sign, number = match.groups()
    if name not in QUANTITIES:
        raise GnomonError(
            f"{name!r} is not measured (allowed: {', '.join(QUANTITIES)}"
            f"{did_you_mean(name, QUANTITIES)})"
        )
    try:
        limit, _ = parse_quantity(number, QUANTITIES[name][0])
    except GnomonError as error:
        raise GnomonError(f"{name}: {error}") from None
    return Requirement(name, sign in ("<=", "≤"), float(limit), " ".join(match[0].split()))
