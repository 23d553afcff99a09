"""Mean power of one table predicted from the other, by models of few parameters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gnomon.content.reports.paper.cells import Cell
from gnomon.cost.energy import Points
from gnomon.cost.energy.fit import Fit
from gnomon.measure.kernels import Kernel
from gnomon.report.study import Steps

from .cells import cell_activity, energy_cells
from .prices import kernel_energies, scalar_energies, vector_energies

DIRECTIONS = ((2, 3), (3, 2))
"""Calibrated on, predicted."""

CONSTANT, SIZE, OURS = "best constant", "constant + slope per log2(size)", "ours: clock + activity"
_CLOCK_HZ = 100_000_000


def cross_predictions(cells: pd.DataFrame) -> pd.DataFrame:
    """Predict by the constant, the size slope and gnomon's table, and by variations of the latter.

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
        ours = unknown["mw"].to_numpy()
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
             "power_mw": predicted_mw, **points.errors(predicted_mw)._asdict()}
            for model, (parameters, predicted_mw) in models.items()
        ]  # fmt: skip
    return pd.DataFrame(rows)


def of_table(cells: pd.DataFrame, table: int) -> pd.DataFrame:
    return cells[cells["table"] == table]


def _by_activity(
    known: pd.DataFrame, unknown: pd.DataFrame, data: str, groups: int
) -> tuple[str, np.ndarray]:
    points = _points(known, data)
    vector = tuple(u for u in points.units if u.startswith("vcu") or u == "scratchpads")
    core = tuple(u for u in points.units if u not in vector)
    chosen = {"toggles": points.units} if groups == 1 else {"core": core, "vector": vector}
    fit = Fit.from_points(points, chosen)
    clock, *slopes = (parameter.value for parameter in fit.parameters)
    words = ", ".join(f"{value:.2f} pJ" for value in slopes)
    return f"{clock:.1f} mW + {words} per toggle", fit.predict_mw(_points(unknown, data))


def _points(cells: pd.DataFrame, data: str) -> Points:
    activities = [cell_activity(cell, data) for cell in cells["cell"]]
    return Points(
        tuple(cells["point"]), activities[0].units,
        np.array([activity.per_cycle() for activity in activities]),
        cells["published_mw"].to_numpy(), _CLOCK_HZ,
    )  # fmt: skip


def _sizes(cells: pd.DataFrame) -> np.ndarray:
    return np.stack([np.ones(len(cells)), np.log2(cells["param"].to_numpy())], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class EnergyStudy:
    """Contents of the page: cells, and the table of each function of :func:`run_energy`."""

    cells: pd.DataFrame
    predictions: pd.DataFrame
    scalar: pd.DataFrame
    vector: pd.DataFrame
    kernels: pd.DataFrame

    def prediction(self, model: str, fitted: int) -> Any:
        return self.predictions.set_index(["model", "fitted"]).loc[(model, fitted), :]


def run_energy(
    cells: Sequence[Cell], progress: Steps | None = None, kernels: Sequence[Kernel] | None = None
) -> EnergyStudy:
    priced = energy_cells(cells)
    return EnergyStudy(
        priced, cross_predictions(priced), scalar_energies(), vector_energies(),
        kernel_energies(progress, kernels),
    )  # fmt: skip
