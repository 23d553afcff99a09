"""A fit as the YAML file of a power table, which ``gnomon power fit`` writes."""

import math
import re
from collections.abc import Sequence
from dataclasses import asdict

from gnomon.base.units import format_frequency
from gnomon.cost.energy._fit import Alternatives, Fit
from gnomon.cost.energy._power_table import SCHEMA_VERSION

_DIGITS = 5
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")


def table_text(
    fit: Fit,
    *,
    draws: int,
    seed: int,
    name: str,
    title: str,
    source: str,
    activity: str,
    data: str,
    static: str,
    made_by: Sequence[str],
) -> str:
    """The YAML text of a table; ``draws`` price sets are tried. The same fit, the same bytes."""
    points = fit.points
    alternatives = Alternatives.draw(points, fit.groups, draws=draws, seed=seed)
    clock, *groups = fit.parameters
    lines = [
        "# Made by the command below; edits are lost when it runs again.",
        *(f"#   {line}" for line in made_by),
        f"schema: {SCHEMA_VERSION}",
        "kind: FPGA-calibrated",
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
