"""Mean power of one table predicted from the other, by models of few parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.cost.energy import Errors, Points, errors_of, fit_power
from gnomon.cost.energy._fit import design_of

from .cells import cell_activity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.cost.energy._fit import Array

    from .cells import EnergyCell

DIRECTIONS = ((2, 3), (3, 2))
"""Calibrated on, predicted."""

CONSTANT, SIZE, OURS = "best constant", "constant + slope per log2(size)", "ours: clock + activity"
_CLOCK_HZ = 100_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """One model in one direction.

    Attributes:
        model: its name.
        fitted: table it was calibrated on.
        predicted: the other one.
        parameters: in words.
        power_mw: of each cell of the predicted table, in the order of the cells.
        errors: against the published power.
    """

    model: str
    fitted: int
    predicted: int
    parameters: str
    power_mw: Array
    errors: Errors


def cross_predictions(cells: Sequence[EnergyCell]) -> tuple[Prediction, ...]:
    """Constant, size slope and ours, and variations of ours that show what it hangs on."""
    predictions = []
    for fitted, predicted in DIRECTIONS:
        known, unknown = (_of(cells, table) for table in (fitted, predicted))
        measured = _powers(unknown)

        def add(
            model: str,
            parameters: str,
            power_mw: Array,
            truth: Array = measured,
            direction: tuple[int, int] = (fitted, predicted),
        ) -> None:
            errors = errors_of(power_mw, truth)
            predictions.append(Prediction(model, *direction, parameters, power_mw, errors))

        mean = float(_powers(known).mean())
        add(CONSTANT, f"{mean:.1f} mW", np.full(len(unknown), mean))
        base, slope = np.linalg.lstsq(_sizes(known), _powers(known), rcond=None)[0]
        words = f"{base:.1f} mW + {slope:.2f} mW per doubling"
        add(SIZE, words, _sizes(unknown) @ np.array([base, slope]))
        ours = np.array([cell.energy.power_mw.value for cell in unknown])
        add(OURS, _by_activity(known, unknown, "sparse", 1)[0], ours)
        for data in ("zeros", "dense"):
            words, power_mw = _by_activity(known, unknown, data, 1)
            add(f"the same, operands {data}", words, power_mw)
        words, power_mw = _by_activity(known, unknown, "sparse", 2)
        add("clock + activity of core + of vector unit", words, power_mw)
    return tuple(predictions)


def correlation(cells: Sequence[EnergyCell], table: int) -> float:
    """Of our activity and the published power, over the cells of one table."""
    own = _of(cells, table)
    activity = [cell.energy.toggles_per_cycle for cell in own]
    return float(np.corrcoef(activity, _powers(own))[0, 1])


def _by_activity(
    known: Sequence[EnergyCell], unknown: Sequence[EnergyCell], data: str, groups: int
) -> tuple[str, Array]:
    points = _points(known, data)
    vector = tuple(u for u in points.units if u.startswith("vcu") or u == "scratchpads")
    core = tuple(u for u in points.units if u not in vector)
    chosen = {"toggles": points.units} if groups == 1 else {"core": core, "vector": vector}
    fit = fit_power(points, chosen)
    values = np.array([parameter.value for parameter in fit.parameters])
    others = _points(unknown, data)
    design = design_of(others.toggles_per_cycle, others.units, chosen, _CLOCK_HZ)
    slopes = ", ".join(f"{value:.2f} pJ" for value in values[1:])
    return f"{values[0]:.1f} mW + {slopes} per toggle", design @ values


def _points(cells: Sequence[EnergyCell], data: str) -> Points:
    activities = [cell_activity(cell.cell, data) for cell in cells]
    return Points(
        tuple(cell.point for cell in cells),
        activities[0].units,
        np.array([activity.per_cycle() for activity in activities]),
        _powers(cells),
        _CLOCK_HZ,
    )


def _of(cells: Sequence[EnergyCell], table: int) -> list[EnergyCell]:
    return [cell for cell in cells if cell.cell.key.table == table]


def _powers(cells: Sequence[EnergyCell]) -> Array:
    return np.array([cell.published_mw for cell in cells])


def _sizes(cells: Sequence[EnergyCell]) -> Array:
    sizes = np.log2([cell.cell.key.param for cell in cells])
    return np.stack([np.ones(len(cells)), sizes], axis=1)
