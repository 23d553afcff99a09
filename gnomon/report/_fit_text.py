"""A fitted power model as tables for people."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gnomon.base.console import console, table

if TYPE_CHECKING:
    from gnomon.cost.energy import Fit


def print_fit(fit: Fit) -> None:
    """Print parameters with their intervals, errors, and what the data do not identify."""
    out = console()
    rows = table(f"power of {len(fit.points.names)} points", 1,
                 "parameter", "value", "95 %, low", "high", "unit")  # fmt: skip
    for parameter in fit.parameters:
        end = "no limit" if math.isinf(parameter.high) else f"{parameter.high:.3f}"
        unit = "pJ per toggle" if parameter.units else "mW"
        rows.add_row(parameter.name, f"{parameter.value:.3f}", f"{parameter.low:.3f}", end, unit)
    out.print(rows)
    errors = table("error of predicted power", 1, "", "rms, mW", "mean, %", "largest, %")
    for name, each in (("fitted", fit.fitted), ("leave one out", fit.leave_one_out)):
        errors.add_row(
            name, f"{each.rms_mw:.2f}", f"{each.mean_percent:.2f}", f"{each.max_percent:.2f}"
        )
    out.print(errors)
    low, high = fit.range_toggles_per_cycle
    out.print(f"  activity of the points: {low:.1f} to {high:.1f} toggles per cycle")
    if fit.not_identified:
        out.print("  the data do not identify:")
    for line in fit.not_identified:
        out.print(f"  - {line}")
