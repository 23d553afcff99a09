"""Mean power of one table predicted from the other, by models of few parameters."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from gnomon.cost.energy import Fit, Points

from .cells import cell_activity, point_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .cells import EnergyCell

DIRECTIONS = ((2, 3), (3, 2))
"""Calibrated on, predicted."""

CONSTANT, SIZE, OURS = "best constant", "constant + slope per log2(size)", "ours: clock + activity"
_CLOCK_HZ = 100_000_000


def cross_predictions(cells: Sequence[EnergyCell]) -> pd.DataFrame:
    """Constant, size slope and ours, and variations of ours that show what it hangs on.

    Returns:
        One row for each model and direction: the table it is ``fitted`` to, the ``predicted`` one,
        its ``parameters`` in words, ``power_mw`` of each cell of the predicted table in the order
        of the cells, and the errors against the published powers, in percent and mW.
    """
    rows = []
    for fitted, predicted in DIRECTIONS:
        known, unknown = (of_table(cells, table) for table in (fitted, predicted))
        power_mw = _points(known, "sparse").power_mw
        mean = float(power_mw.mean())
        base, slope = np.linalg.lstsq(_sizes(known), power_mw, rcond=None)[0]
        words, _ = _by_activity(known, unknown, "sparse", 1)
        ours = np.array([cell.energy.power_mw.value for cell in unknown])
        models = {
            CONSTANT: (f"{mean:.1f} mW", np.full(len(unknown), mean)),
            SIZE: (f"{base:.1f} mW + {slope:.2f} mW per doubling",
                   _sizes(unknown) @ np.array([base, slope])),
            OURS: (words, ours),
            **{f"the same, operands {data}": _by_activity(known, unknown, data, 1)
               for data in ("zeros", "dense")},
            "clock + activity of core + of vector unit": _by_activity(known, unknown, "sparse", 2),
        }  # fmt: skip
        points = _points(unknown, "sparse")
        rows += [
            {"model": model, "fitted": fitted, "predicted": predicted, "parameters": parameters,
             "power_mw": predicted_mw, **asdict(points.errors(predicted_mw))}
            for model, (parameters, predicted_mw) in models.items()
        ]  # fmt: skip
    return pd.DataFrame(rows)


def of_table(cells: Sequence[EnergyCell], table: int) -> list[EnergyCell]:
    """Those of one published table."""
    return [cell for cell in cells if cell.cell.key.table == table]


def _by_activity(
    known: Sequence[EnergyCell], unknown: Sequence[EnergyCell], data: str, groups: int
) -> tuple[str, np.ndarray]:
    points = _points(known, data)
    vector = tuple(u for u in points.units if u.startswith("vcu") or u == "scratchpads")
    core = tuple(u for u in points.units if u not in vector)
    chosen = {"toggles": points.units} if groups == 1 else {"core": core, "vector": vector}
    fit = Fit.of(points, chosen)
    clock, *slopes = (parameter.value for parameter in fit.parameters)
    words = ", ".join(f"{value:.2f} pJ" for value in slopes)
    return f"{clock:.1f} mW + {words} per toggle", fit.predict_mw(_points(unknown, data))


def _points(cells: Sequence[EnergyCell], data: str) -> Points:
    activities = [cell_activity(cell.cell, data) for cell in cells]
    return Points(
        tuple(point_of(cell.cell) for cell in cells),
        activities[0].units,
        np.array([activity.per_cycle() for activity in activities]),
        np.array([cell.published_mw for cell in cells]),
        _CLOCK_HZ,
    )


def _sizes(cells: Sequence[EnergyCell]) -> np.ndarray:
    sizes = np.log2([cell.cell.key.param for cell in cells])
    return np.stack([np.ones(len(cells)), sizes], axis=1)
