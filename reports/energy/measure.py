"""Everything on the energy page, measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .cells import energy_cells
from .cross import cross_predictions
from .prices import kernel_energies, scalar_energies, vector_energies

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

    from gnomon.bench.kernels import Kernel
    from gnomon.content.reports.paper.cells import Cell

    from .cells import EnergyCell
    from .cross import Prediction
    from .prices import KernelEnergy


@dataclass(frozen=True, slots=True, eq=False)
class EnergyStudy:
    """What the page shows."""

    cells: tuple[EnergyCell, ...]
    predictions: tuple[Prediction, ...]
    scalar: pd.DataFrame
    vector: pd.DataFrame
    kernels: tuple[KernelEnergy, ...]

    def prediction(self, model: str, fitted: int) -> Prediction:
        """One model in one direction."""
        return next(p for p in self.predictions if (p.model, p.fitted) == (model, fitted))


def run_energy(
    cells: Sequence[Cell],
    progress: Callable[[str], None] = lambda _: None,
    kernels: Sequence[Kernel] | None = None,
) -> EnergyStudy:
    """Price cells, instructions and kernels.

    Raises:
        CheckFailed: a result differs from its model.
    """
    priced = energy_cells(cells)
    return EnergyStudy(
        cells=priced,
        predictions=cross_predictions(priced),
        scalar=scalar_energies(),
        vector=vector_energies(),
        kernels=kernel_energies(progress, kernels),
    )
