"""Metrics of a point of a sweep: names, units, and quantities in human-readable form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.tables import read_yaml_table
from gnomon.base.units import SHORT, alike_unit, meets_limit, microseconds, prefixed, suited_unit
from gnomon.cost.area import Area, Resources
from gnomon.cost.energy import Energy, OptionalEnergy

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.sim import Work

UNITS: dict[str, dict[str, Fraction]] = {
    "us": prefixed("s", 10**6),
    "bytes": {"B": Fraction(1), "KiB": Fraction(2**10), "MiB": Fraction(2**20)},
    "uj": prefixed("J", 10**6),
    "mw": prefixed("W", 1000, "uµm"),
    "luts": prefixed("LUT", 1, "k"),
    "ffs": prefixed("FF", 1, "k"),
    "dsps": prefixed("DSP", 1, ""),
    "brams": prefixed("BRAM", 1, ""),
    "cycles": {"cycles": Fraction(1)},
    "ratio": {"x": Fraction(1)},
    "rewards": {"rewards": Fraction(1)},
}
"""Units of a quantity with their scale, by the suffix of its column."""

_BARE = {"cycles", "ratio", "rewards"}  # a count needs no unit, and these have no other


@dataclass(frozen=True, slots=True)
class Metric:
    """Measured quantity."""

    name: str  # column of the results; its last word is the unit
    meaning: str  # in one line
    # the workloads that have it: learner, kernel, program
    of: tuple[str, ...] = ("learner", "kernel", "program")

    @property
    def unit(self) -> str:
        """Last word of the name, a key of ``UNITS``."""
        return self.name.rpartition("_")[2]

    @property
    def word(self) -> str:
        """Name without its unit, unless the unit is cycles."""
        return self.name if self.unit == "cycles" else self.name.rpartition("_")[0]


METRICS: tuple[Metric, ...] = tuple(
    Metric(name, text) if isinstance(text, str) else Metric(name, text["learner"], ("learner",))
    for name, text in read_yaml_table(Path(__file__).with_name("metrics.yaml")).data.items()
)

ENERGY_COLUMNS: dict[str, Callable[[Energy], float]] = {
    "energy_uj": lambda energy: energy.energy_uj.value,
    "energy_low_uj": lambda energy: energy.energy_uj.low,
    "energy_high_uj": lambda energy: energy.energy_uj.high,
    "power_mw": lambda energy: energy.power_mw.value,
}
"""Columns of the results that hold a computed energy."""

ENERGY_FACTS: dict[str, Callable[[Energy], str]] = {
    "operands": lambda energy: energy.data,
    "energy_kind": lambda energy: energy.kind,
    "energy_library": lambda energy: energy.library,
    "energy_stale": lambda energy: energy.stale,
}
"""Facts on a computed energy: operand values, kind of figures, device or cells, why stale."""


def technology_of(facts: Mapping[str, object]) -> str:
    """Return kind and library of an energy from its ``ENERGY_FACTS``; empty if unavailable."""
    return f"{facts['energy_kind']}, {facts['energy_library']}" if "energy_kind" in facts else ""


AREA_COLUMNS: dict[str, Callable[[Resources], float]] = {
    "area_luts": lambda total: total.lut.value,
    "area_low_luts": lambda total: total.lut.low,
    "area_high_luts": lambda total: total.lut.high,
    "registers_ffs": lambda total: total.ff.value,
    "multipliers_dsps": lambda total: total.dsp.value,
    "memories_brams": lambda total: total.bram.value,
}
"""Columns of the results that hold the area of a machine."""


def area_columns(architecture: Architecture) -> dict[str, float] | str:
    """Return the area by column, or the reason why it is unavailable."""
    try:
        total = Area.from_architecture(architecture).total
    except GnomonError as error:
        return str(error)
    return {name: value(total) for name, value in AREA_COLUMNS.items()}


def cost_columns(
    wall_cycles: int,
    hart_cycles: int,
    work: Work,
    architecture: Architecture,
    data: str | None,
    of_area: dict[str, float] | str | None = None,
    quote: Callable[[Architecture], OptionalEnergy] | None = None,
) -> tuple[dict[str, int | float], dict[str, str], dict[str, str]]:
    """Return time, cycles, energy and area by column, reasons for missing ones, and energy facts.

    Facts are named as in ``ENERGY_FACTS``; there are none without an energy. ``of_area`` is the
    result of :func:`area_columns`, ``quote`` the energy of the work by clock, if known.
    """
    columns: dict[str, int | float] = {
        "time_us": microseconds(wall_cycles, architecture.clock),
        "wall_cycles": wall_cycles,
        "hart_cycles": hart_cycles,
    }
    notes, assumed = {}, {}
    quote = quote or OptionalEnergy.by_clock(work, architecture, data=data)
    energy, reason = quote(architecture)
    if energy is None:
        notes["energy"] = reason
    else:
        columns |= {name: value(energy) for name, value in ENERGY_COLUMNS.items()}
        assumed = {name: of(energy) for name, of in ENERGY_FACTS.items()}
    found = of_area or area_columns(architecture)
    if isinstance(found, str):
        notes["area"] = found
    else:
        columns |= found
    return columns, notes, assumed


def find_metric(word: str, workload: str, metrics: Iterable[Metric] = METRICS) -> Metric:
    """Return a metric of a workload by its column or by its word without the unit.

    Raises:
        GnomonError: if no such metric exists, or this workload does not have it.
    """
    known = [metric for metric in metrics if workload in metric.of]
    names = {name: metric for metric in known for name in (metric.word, metric.name)}
    if word not in names:
        raise GnomonError(
            f"{word!r} is not measured for a {workload} (allowed: "
            f"{', '.join(metric.word for metric in known)}{did_you_mean(word, names)})"
        )
    return names[word]


def unit_scale(shown: str, metric: Metric, unit: str, more: Iterable[str] = ()) -> Fraction:
    """Return the scale of a limit's unit relative to that of the metric; a count needs no unit.

    ``shown`` is the limit as written, for messages; ``more`` lists other words that are allowed in
    place of a unit.

    Raises:
        GnomonError: if the unit is missing, or is not a unit of this metric.
    """
    units = UNITS[metric.unit]
    allowed = ", ".join([*units, *more])
    if not unit and metric.unit not in _BARE:
        raise GnomonError(f"{shown!r}: {metric.word} needs its unit (allowed: {allowed})")
    if unit and unit not in units:
        raise GnomonError(
            f"{shown!r}: {unit!r} is not a unit of {metric.word}"
            f" (allowed: {allowed}{alike_unit(unit, units)})"
        )
    return units.get(unit, Fraction(1))


_CONSTRAINT = re.compile(
    SHORT + r"\s*([A-Za-z_]\w*)\s*(<=|≤|>=|≥|<|>|==|=)\s*([0-9][0-9_,]*(?:\.[0-9]+)?)\s*(\S*)\s*",
    re.ASCII,
)
_SIGNS = {"≤": "<=", "≥": ">="}
_TAKEN = ("<=", ">=")


@dataclass(frozen=True, slots=True)
class Constraint:
    """Limit that a point must meet: ``metric`` at most or at least ``limit``, ends included."""

    metric: Metric
    at_most: bool
    limit: float
    text: str

    def met_by(self, value: float | None) -> bool:
        """Return whether a value meets the limit; an unavailable value does not."""
        return value is not None and meets_limit(value, self.limit, at_most=self.at_most)

    def miss(self, value: float | None) -> float:
        """Return the factor by which a value misses the limit: at most 1 if it meets the limit.

        The factor is infinite if the value is unavailable.
        """
        if value is None:
            return float("inf")
        low, high = (value, self.limit) if self.at_most else (self.limit, value)
        return low / high if high else (1.0 if low <= high else float("inf"))


def parse_constraint(text: object, workload: str) -> Constraint:
    """Read a limit such as ``select <= 1 ms`` or ``area ≤ 20 kLUT``.

    Raises:
        GnomonError: if the text is not a limit; the message names the problem and the allowed form.
    """
    match = _CONSTRAINT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise GnomonError(
            f"{text!r} is not a constraint; write a quantity, <= or >=, a number and its unit,"
            " such as 'select <= 1 ms'"
        )
    word, sign, number, unit = match.groups()
    sign = _SIGNS.get(sign, sign)
    metric = find_metric(word, workload)
    if sign not in _TAKEN:
        raise GnomonError(f"{match[0].strip()!r}: write {sign}= instead of {sign}, or <= and >="
                          if sign in "<>" else
                          f"{match[0].strip()!r}: equality never holds for a measured quantity;"
                          " write <= or >=")  # fmt: skip
    value = Fraction(number.replace(",", "").replace("_", ""))
    limit = value * unit_scale(match[0].strip(), metric, unit)
    return Constraint(metric, sign == "<=", float(limit), " ".join(match[0].split()))


@dataclass(frozen=True, slots=True)
class Objective:
    """Objective of a sweep: a metric to minimize or maximize."""

    metric: Metric
    minimize: bool = True

    @property
    def text(self) -> str:
        """Objective as written in a sweep file."""
        return f"{'minimize' if self.minimize else 'maximize'} {self.metric.word}"


def parse_objective(text: object, workload: str) -> Objective:
    """Read ``minimize time``, ``maximize ...`` or a metric alone, which means minimize.

    Raises:
        GnomonError: if the text is not an objective.
    """
    words = text.split() if isinstance(text, str) else []
    verbs = {"minimize": True, "maximize": False, "minimise": True, "maximise": False}
    if len(words) == 1:
        words = ["minimize", *words]
    if len(words) != 2 or words[0] not in verbs:
        raise GnomonError(
            f"{text!r} is not an objective; write minimize or maximize and a quantity, such as"
            " 'minimize energy'"
        )
    return Objective(find_metric(words[1], workload), verbs[words[0]])


def format_quantity(metric: Metric, value: float) -> str:
    """Return a value with a unit that suits its size, in human-readable form."""
    if metric.unit == "cycles":
        return f"{value:,.0f} cycles"
    if metric.unit == "ratio":
        return f"{value:,.4g} x float"
    if metric.unit == "rewards":
        return f"{value:,.4g} rewards"
    if metric.unit in ("luts", "ffs", "dsps", "brams"):
        return f"{value:,.6g} {metric.unit[:-1].upper()}"
    if metric.unit == "bytes":
        return f"{value / 1024:,.1f} KiB" if value >= 1024 else f"{value:,.0f} B"
    shown = {"us": ("ns", "µs", "ms", "s"), "uj": ("nJ", "µJ", "mJ", "J")}.get(
        metric.unit, ("µW", "mW", "W")
    )
    amount, unit = suited_unit(value, UNITS[metric.unit], shown)
    return f"{amount:.4g} {unit}"
