"""``gnomon report unit-gallery``: price of the shipped units; cycles and energy that each saves.

Each unit has a program in ``programs/`` that uses it if the machine has it. Both builds print the
same check of their results; cycles and energy are of the function ``work``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import pandas as pd

from gnomon.arch import load_architecture
from gnomon.arch.units import Unit
from gnomon.arch.units.energy import UnitEnergy, find_unit_energy
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.frames import typed
from gnomon.cli.study import Pages, study_command
from gnomon.cost.area import Area
from gnomon.cost.energy import Energy, list_core_paths
from gnomon.program import build
from gnomon.report.study import Steps, StudyReport
from gnomon.sim import Run, simulate

MACHINE: Final = "t13-simd1"
POWER: Final = "osu018-t13-simd1"
LIBRARY: Final = "osu018_stdcells, 1.8 V"
PROGRAMS: Final = Path(__file__).parent / "programs"
_REGION: Final = "work"

_COSTS: Final = ("unit", "parameters", "lut", "ff", "dsp", "cells", "flip_flops", "area_um2",
                 "path_ns", "random_pj", "clock_pj", "median_percent", "worst_percent")  # fmt: skip
_GAINS: Final = ("unit", "program", "executions", "cycles_without", "cycles_with", "factor",
                 "uj_without", "uj_with", "uj_low", "uj_high", "unit_percent",
                 "lut_without", "lut_with")  # fmt: skip
_TABLES: Final = ("costs", "gains")


class Measured(NamedTuple):
    """A program on a machine with or without a unit; cycles and energy of ``work``."""

    run: Run
    cycles: int
    executions: int
    energy: Energy
    luts: float


def unit_names() -> list[str]:
    """Return the units that have a program."""
    return sorted(path.stem for path in PROGRAMS.glob("*.c"))


def measure(name: str, unit: bool) -> Measured:
    """Run the program of a unit on the machine with or without it.

    Raises:
        GnomonError: if the program does not exit, or its energy is unavailable.
    """
    changes = [f"units.{name}={{}}"] if unit else []
    machine = load_architecture(MACHINE, [f"power={POWER}", *changes])
    program = build([PROGRAMS / f"{name}.c"], machine)
    run = simulate(program, machine, regions=[_REGION])
    if run.halted != "exit":
        raise GnomonError(f"{name}.c: {run.halted}: {run.reason}")
    (region,) = run.regions[_REGION]
    mnemonics = [each.mnemonic for each in unit_of(name).instructions]
    executions = sum(region.work.instructions.get(each, 0) for each in mnemonics)
    return Measured(run, region.wall_cycles, executions, Energy.from_work(region.work, machine),
                    Area.from_architecture(machine).total.lut.value)  # fmt: skip


def unit_of(name: str) -> Unit:
    """Return a unit with its default parameters."""
    (unit,) = load_architecture(MACHINE, [f"units.{name}={{}}"]).units
    return unit


def cost_row(name: str) -> tuple[object, ...]:
    """Return the row of the costs of a unit.

    Raises:
        GnomonError: if its area or energy is unavailable.
    """
    unit = unit_of(name)
    area, energy = unit.area, find_unit_energy(unit, LIBRARY, None)
    if isinstance(area, str) or not isinstance(energy, UnitEnergy):
        raise GnomonError(f"unit {name}: {area if isinstance(area, str) else energy}")
    return (name, energy.parameters, area.lut, area.ff, area.dsp, energy.cells, energy.flip_flops,
            energy.area_um2, energy.path_ns, energy.random_pj, energy.clock_pj,
            energy.errors.median_percent, energy.errors.worst_percent)  # fmt: skip


def gain_row(name: str) -> tuple[object, ...]:
    """Return the row of what a unit saves in its program.

    Raises:
        CheckFailed: if the results of both builds differ.
    """
    without, found = (measure(name, unit) for unit in (False, True))
    if without.run.printed != found.run.printed:
        raise CheckFailed(f"{name}.c: the results with and without the unit differ")
    uj = found.energy.energy_uj
    percent = 100 * found.energy.units[f"unit {name}"].value / uj.value
    return (name, f"{name}.c", found.executions, without.cycles, found.cycles,
            without.cycles / found.cycles, without.energy.energy_uj.value, uj.value, uj.low,
            uj.high, percent, without.luts, found.luts)  # fmt: skip


def core_paths() -> dict[str, float]:
    """Return the longest paths of the machines in the library of the units, in ns."""
    energy = find_unit_energy(unit_of(unit_names()[0]), LIBRARY, None)
    if not isinstance(energy, UnitEnergy):
        raise GnomonError(energy)
    return list_core_paths(LIBRARY, energy.liberty)


def run_units(progress: Steps | None = None, *, pages: Pages = False) -> StudyReport:
    """Measure the program of each unit with and without it."""
    if pages:
        folder = Path(__file__).parent
        return report_of({name: pd.read_csv(folder / f"{name}.csv") for name in _TABLES})
    names = unit_names()
    costs = typed(_COSTS, map(cost_row, names))
    gains = typed(_GAINS, _gains(names, progress or Steps()))
    return report_of({"costs": costs, "gains": gains})


def _gains(names: list[str], progress: Steps) -> Iterator[tuple[object, ...]]:
    for name in progress.over(names, str):
        yield gain_row(name)


def report_of(tables: Mapping[str, pd.DataFrame]) -> StudyReport:
    """Return the page of these tables."""
    gains: Any = tables["gains"]
    ends = zip(gains["uj_low"], gains["uj_high"], strict=True)
    shown = gains.assign(interval=[f"{low:.3f} to {high:.3f}" for low, high in ends])
    facts: dict[str, Any] = {
        "costs": tables["costs"], "machine": MACHINE, "power": POWER, "library": LIBRARY,
        "paths": core_paths(), "titles": {name: unit_of(name).title for name in unit_names()},
        "gains": shown[["unit", "executions", "cycles_without", "cycles_with", "factor",
                        "uj_without", "uj_with", "interval", "unit_percent"]],
        "best": gains.loc[gains["factor"].idxmax()], "least": gains.loc[gains["factor"].idxmin()],
        "saves": gains[gains["uj_with"] < gains["uj_without"]]["unit"].tolist(),
        "takes": gains[gains["uj_with"] >= gains["uj_without"]]["unit"].tolist(),
        "slower": tables["costs"].query("path_ns > @limit", local_dict={
            "limit": min(core_paths().values())})["unit"].tolist(),
    }  # fmt: skip
    answer = {name: each.to_dict("records") for name, each in tables.items()}
    return StudyReport(Path(__file__).parent, "unit-gallery", facts, tables, answer=answer)


main = study_command(run_units, title="measuring units")
