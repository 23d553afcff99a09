"""The energy page: cells of Tables 2 and 3, Figures 10 and 12, instructions and kernels."""

from __future__ import annotations

from gnomon.report.energy._cells import (
    EnergyCell,
    activity_csv,
    energy_cells,
    fresh_cells,
    fresh_steps,
    power_csv,
)
from gnomon.report.energy._files import write_energy
from gnomon.report.energy._kernels import KernelEnergy, kernel_energies, kernels_steps
from gnomon.report.energy._points import write_points
from gnomon.report.energy._rows import energy_rows
from gnomon.report.energy._study import EnergyStudy, energy_steps, run_energy

__all__ = [
    "EnergyCell",
    "EnergyStudy",
    "KernelEnergy",
    "activity_csv",
    "energy_cells",
    "energy_rows",
    "energy_steps",
    "fresh_cells",
    "fresh_steps",
    "kernel_energies",
    "kernels_steps",
    "power_csv",
    "run_energy",
    "write_energy",
    "write_points",
]
