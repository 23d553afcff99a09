"""Everything on the energy page, measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .cells import energy_cells
from .cross import cross_predictions
from .prices import kernel_energies, kernels_steps, scalar_energies, vector_energies

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gnomon.bench.kernels import Kernel
    from gnomon.content.reports.paper.cells import Cell

    from .cells import EnergyCell
    from .cross import Prediction
    from .prices import KernelEnergy, ScalarEnergy, VectorEnergy


@dataclass(frozen=True, slots=True)
class EnergyStudy:
    """What the page shows."""

    cells: tuple[EnergyCell, ...]
    predictions: tuple[Prediction, ...]
    scalar: tuple[ScalarEnergy, ...]
    vector: tuple[VectorEnergy, ...]
    kernels: tuple[KernelEnergy, ...]

    def prediction(self, model: str, fitted: int) -> Prediction:
        """One model in one direction."""
        return next(p for p in self.predictions if (p.model, p.fitted) == (model, fitted))


def energy_steps() -> int:
    """How many times ``progress`` is called."""
    return kernels_steps()


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
