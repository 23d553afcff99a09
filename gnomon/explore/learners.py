"""Learners on devices: costs of a step by a fitted model, regret by paired comparisons.

Both tables are in ``models/learners``; ``gnomon report choose --size full`` regenerates them.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from gnomon.arch import load_architecture
from gnomon.base.content import content
from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.interval import Interval
from gnomon.base.tables import read_csv_table, shown_path
from gnomon.base.units import SHORT, alike_unit, short_number
from gnomon.cost.energy import PowerTable
from gnomon.explore.learner_terms import lanes_of, length, terms, terms_file, terms_of
from gnomon.explore.metrics import UNITS
from gnomon.measure.learners import DEFAULT_FEATURES, embedded_learners

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
"""Modeled quantities, with the key of their units in ``UNITS`` for limits."""

WORDS: Final = {
    "slowest_cycles": "slowest step", "energy_uj": "energy", "ram_bytes": "RAM",
    "flash_bytes": "flash",
}  # fmt: skip

_AWAY = 2.0  # largest factor of d and of arms between a size and one with measured regret


@dataclass(frozen=True, slots=True)
class CostModel:
    """Cost model of an implementation on a family of machines; coefficients by quantity.

    Attributes:
        settings: macros that affect cost; the model applies to all of them.
        splits: splits of the terms of each quantity, see :func:`terms`.
        error: e of the interval from value / exp(e) to value * exp(e). All quantities of a size lie
            within their intervals at once with the probability stated by ``reports/choose``.
        energy_spread: spread of the power table, a share.
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
    energy_spread: float
    low: tuple[int, int]
    built: tuple[tuple[int, int], ...]
    refused: tuple[tuple[int, int], ...]

    def cost(self, quantity: str, machine: str, settings: str, d: int, arms: int) -> Interval:
        """Return a cost with the interval of the model, without that of the power table."""
        n, lanes = length(self.learner, settings, d, arms), lanes_of(machine, self.family)
        there = terms(self.learner, quantity, n, arms, lanes, self.splits[quantity])
        factors = self.coefficients[quantity]
        value = sum(factors.get(name, 0.0) * x for name, x in there.items())
        wide = math.exp(self.error[quantity])
        return Interval(value, value / wide, value * wide)

    def within(self, settings: str, d: int, arms: int) -> bool:
        """Return whether the size lies within the range of sizes that were measured and build."""
        n = length(self.learner, settings, d, arms)
        above = any(n <= most and arms <= more for most, more in self.built)
        return above and n >= self.low[0] and arms >= self.low[1]

    def refuses(self, settings: str, d: int, arms: int) -> bool:
        """Return whether a size with at most these numbers does not build."""
        n = length(self.learner, settings, d, arms)
        return any(n >= least and arms >= fewest for least, fewest in self.refused)


@dataclass(frozen=True, slots=True)
class PolicyRegret:
    """Regret of a policy in a case, relative to a policy that samples arms uniformly.

    Attributes:
        chosen: its setting, selected by training runs.
        beats: policies (learner, settings) whose mean regret is higher, Holm-corrected.
    """

    learner: str
    settings: str
    chosen: str
    regret: Interval
    beats: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Implementation with its cost and its rank.

    Attributes:
        rank: from 1; 0 if it breaks a limit.
        regret: None if there are no runs.
        costs: by the names of ``QUANTITIES``, time in µs; energy with the power table's interval.
        extrapolated: whether d or arms lie outside of the measured range.
        reasons: limits that it breaks or may break, and policies that beat it.
    """

    rank: int
    learner: str
    variant: str
    settings: str
    regret: PolicyRegret | None
    costs: Mapping[str, Interval]
    extrapolated: bool
    reasons: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the candidate as JSON-compatible data."""
        return {
            "rank": self.rank or None,
            "learner": self.learner, "variant": self.variant, "settings": self.settings,
            "chosen": self.regret.chosen if self.regret else None,
            "regret": self.regret.regret.to_json() if self.regret else None,
            "slowest_us": self.costs["slowest_cycles"].to_json(),
            **{name: self.costs[name].to_json() for name in QUANTITIES if name in self.costs
               and name != "slowest_cycles"},
            "extrapolated": self.extrapolated, "reasons": list(self.reasons),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ranking:
    """Result of :func:`rank`; ``note`` describes the runs of the regret, if any.

    ``energy`` is kind and library of the energies: of the table that the machine names, which the
    cost models are based on. ``unmeasured`` lists learners in C without a cost model, shipped or
    user-defined, which are not ranked.
    """

    machine: str
    candidates: tuple[Candidate, ...]
    note: str
    unmeasured: tuple[str, ...]
    energy: str = ""


Rows: TypeAlias = "Iterable[Mapping[str, str]]"


def rank(
    machine: str,
    d: int,
    arms: int,
    limits: Mapping[str, float],
    *,
    drift: bool,
    tables: tuple[Rows, Rows] | None = None,
) -> Ranking:
    """Rank every implementation with a cost model.

    The memories of the machine limit RAM and flash as well. First come implementations that meet
    all limits with the upper end of their intervals, then undecided ones. Each group is ordered by
    the number of these that beat an implementation in regret, then by energy.

    Args:
        machine: name of the machine.
        d: numbers of a context.
        arms: number of arms.
        limits: by the names of ``QUANTITIES``, time in µs.
        drift: whether rewards drift.
        tables: costs and regret, if other than those of ``models/learners``.

    Raises:
        GnomonError: if a size is below 2, the machine has no cost model, or a table is missing.
    """
    for name, value in (("--d", d), ("--arms", arms)):
        if value < 2:
            raise GnomonError(f"{name} must be at least 2, not {value}")
    if machine not in FAMILIES["t13"]:
        raise GnomonError(
            f"no learner was measured on {machine}"
            f" {allowed_hint(machine, FAMILIES['t13'], 'measured')}"
        )
    here = load_architecture(machine)
    to_us = 1e6 / int(here.clock)
    most = {name: (limit, "") for name, limit in limits.items()}
    for name, kind in (("ram_bytes", "data"), ("flash_bytes", "instruction")):
        size = float(getattr(here.memory, kind).size)
        if size < limits.get(name, math.inf):
            most[name] = size, f", the {kind} memory of {machine}"
    costs, regret = tables or (_table("costs.csv"), _table("regret.csv"))
    regrets, note = _regrets(regret, "drifting" if drift else "stationary", d, arms)
    models = read_cost_models(costs)
    found = [
        _judged(model, machine, settings, (d, arms), most, regrets, to_us)
        for model in models
        if machine in FAMILIES[model.family]
        for settings in model.settings
    ]
    there = {(each.learner, each.settings) for state, each in found if state < 2}
    ordered = []
    for state, each in found:
        own = (each.learner, each.settings)
        by = [other for other in there if other in regrets and own in regrets[other].beats]
        key = (state, own not in regrets, len(by), each.costs["energy_uj"].value)
        worse = (f"more regret than {_some(by)}",) if by and state < 2 else ()
        ordered.append((key, replace(each, reasons=each.reasons + worse)))
    ordered.sort(key=lambda item: item[0])
    keys = [key for key, _ in ordered]  # equal keys share a place
    ranked = (
        replace(each, rank=0 if key[0] == 2 else keys.index(key) + 1) for key, each in ordered
    )
    others = {each.name for each in embedded_learners()} - {model.learner for model in models}
    table = PowerTable.load(here.power) if here.power is not None else None
    energy = "" if table is None else f"{table.kind}, {table.library}"
    return Ranking(machine, tuple(ranked), note, tuple(sorted(others)), energy)


def _some(policies: list[tuple[str, str]]) -> str:
    names = sorted(" ".join(filter(None, policy)) for policy in policies)
    more = len(names) - 2
    return ", ".join(names[:2]) + (f" and {more} more" if more > 0 else "")


def _judged(
    model: CostModel, machine: str, settings: str, size: tuple[int, int],
    limits: Mapping[str, tuple[float, str]], regrets: Mapping[tuple[str, str], PolicyRegret],
    to_us: float,
) -> tuple[int, Candidate]:  # fmt: skip
    """Return 0 if it meets the limits, 1 if undecided, 2 if it breaks one or cannot run."""
    d, arms = size
    state, reasons = 0, []
    if terms_of(model.learner).context == "features":
        d = FEATURES
        reasons.append(f"priced with {FEATURES} features, it reads no context")
    costs = {name: model.cost(name, machine, settings, d, arms) for name in QUANTITIES}
    costs["slowest_cycles"] = costs["slowest_cycles"] * to_us
    energy, spread = costs["energy_uj"], model.energy_spread
    costs["energy_uj"] = Interval(
        energy.value, energy.low * (1 - spread), energy.high * (1 + spread)
    )
    for name, (limit, whose) in limits.items():
        cost, unit = costs[name], _UNIT[QUANTITIES[name]]
        if cost.high <= limit:
            continue
        broken = cost.low > limit
        state = max(state, 2 if broken else 1)
        reasons.append(
            f"{WORDS[name]} {short_number(cost.value)} {unit} ({short_number(cost.low)} to"
            f" {short_number(cost.high)}) {'is above' if broken else 'may be above'} {limit:,.12g}"
            f"{whose}"
        )
    if model.refuses(settings, d, arms):
        state, reasons = 2, ["does not build at this size"]
    regret = regrets.get((model.learner, settings))
    if regret and regret.regret.high >= 1:
        reasons.append("no better than uniform sampling of arms: it learns nothing here")
    return state, Candidate(
        0, model.learner, model.variant, settings, regret, costs,
        not model.within(settings, d, arms), tuple(reasons),
    )  # fmt: skip


_UNIT = {"us": "µs", "uj": "µJ", "bytes": "B"}


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
        float(first["energy_spread"]),
        (int(first["low_n"]), int(first["low_arms"])),
        _sizes(first["built"]), _sizes(first["refused"]),
    )  # fmt: skip


def _sizes(text: str) -> tuple[tuple[int, int], ...]:
    """Return pairs of numbers from a text such as ``65x2 9x54``."""
    pairs = (each.split("x") for each in text.split())
    return tuple((int(n), int(arms)) for n, arms in pairs)


def _table(name: str) -> Rows:
    path = content("models", "learners", name)
    if not path.is_file():
        raise GnomonError(
            f"table {shown_path(path)} is missing: `{terms_file().made_by}` writes it"
        )
    return (row.values for row in read_csv_table(path))


def _regrets(
    table: Rows, kind: str, d: int, arms: int
) -> tuple[dict[tuple[str, str], PolicyRegret], str]:
    """Return regrets of the nearest measured case, if one is near, and a note on it."""
    cases: dict[tuple[int, int], list[Mapping[str, str]]] = {}
    for cells in table:
        if cells["class"] == kind:
            cases.setdefault((int(cells["d"]), int(cells["arms"])), []).append(cells)

    def away(case: tuple[int, int]) -> float:
        return max(abs(math.log2(case[0] / d)), abs(math.log2(case[1] / arms)))

    nearest = min(cases, key=away, default=(d, arms))
    if not cases or away(nearest) > math.log2(_AWAY):
        measured = ", ".join(f"{a} x {b}" for a, b in sorted(cases)) or "none"
        return {}, (
            f"no regret was measured near d = {d}, arms = {arms}, {kind}: ranked by energy alone"
            f" (measured, d x arms: {measured})"
        )
    rows = cases[nearest]
    names = [(cells["learner"], cells["settings"]) for cells in rows]
    found = {
        name: PolicyRegret(
            name[0], name[1], cells["chosen"],
            Interval(float(cells["regret"]), float(cells["low"]), float(cells["high"])),
            frozenset(names[int(at)] for at in cells["beats"].split()),
        )
        for name, cells in zip(names, rows, strict=True)
    }  # fmt: skip
    where = f"d = {nearest[0]}, arms = {nearest[1]}, {kind} rewards"
    if nearest != (d, arms):
        where += "; the requested size was not measured"
    return found, f"regret is of {where}"


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
