"""Prices of functional units: stated ones, and those of their gates.

A stated price is the energy beyond that of an idle pipeline and belongs to FPGA-calibrated tables.
The energies of gates add to a gate-level table of the same cell library, which prices the slot by
its buses. Neither applies to the other kind of table.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.arch.units import Unit
from gnomon.arch.units.energy import (
    ENERGY_FILE,
    NO_VECTOR_ENERGY,
    UnitEnergy,
    find_unit_energy,
    read_unit_energies,
)
from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.base.sums import dot
from gnomon.sim import BUSES, Run, Work, find_executed_words

_UJ_PER_PJ = 1e-6


def split_units(
    work: Work, architecture: Architecture
) -> tuple[Work, dict[str, tuple[int, float]]]:
    """Return the work without instructions of units; executions and pJ of those by mnemonic.

    Raises:
        GnomonError: if a unit that was used states no price, or one of its vector instructions
            was executed.
    """
    found: dict[str, tuple[int, float]] = {}
    for unit in architecture.units:
        for each in unit.instructions:
            if each.mnemonic in work.vector:
                raise GnomonError(
                    f"unit {unit.name}: the energy of a program with the vector instruction"
                    f" {each.mnemonic} is unavailable: {NO_VECTOR_ENERGY}"
                )
            count = work.instructions.get(each.mnemonic, 0)
            if count and unit.price is None:
                raise GnomonError(
                    f"unit {unit.name} states no price in its unit.yaml, so the energy of a program"
                    f" that executes {each.mnemonic} is not known{_explain_gates(unit)}"
                )
            if count and unit.price is not None:
                found[each.mnemonic] = count, unit.price.pj
    if not found:
        return work, {}
    rest = {name: count for name, count in work.instructions.items() if name not in found}
    return replace(work, instructions=rest), found


def event_name(mnemonic: str, taken: Collection[str]) -> str:
    """Return the event of an instruction of a unit, which may have the name of another event."""
    return f"unit instruction {mnemonic}" if mnemonic in taken else mnemonic


def _explain_gates(unit: Unit) -> str:
    libraries = {each.library for each in read_unit_energies(Path(unit.folder, ENERGY_FILE))}
    if not libraries:
        return ""
    return (
        f" (it has energies of its gates in {', '.join(sorted(libraries))}, which only a gate-level"
        " power table of that library can add: --set power=TABLE)"
    )


def _exact(uj: float) -> Interval:
    return Interval(uj, uj, uj, "µJ")


@dataclass(frozen=True, slots=True)
class GateUnit:
    """A unit of a machine, with the energies of its gates in the library of a table."""

    unit: Unit
    energy: UnitEnergy

    @property
    def part(self) -> str:
        """Name of the unit among the parts of a machine."""
        return f"unit {self.unit.name}"

    def data_uj(self, work: Work) -> Interval:
        """Return the energy of its cells in a span, without clock, wires and leakage."""
        pj = self.energy.issue_pj * work.buses["instruction"].values
        pj += sum(each for _, each in self.executions(work).values())
        pj += sum(self.toggles(work).values())
        return _exact(pj * _UJ_PER_PJ).spread(*self.energy.spread())

    def wires_uj(self, work: Work) -> Interval:
        """Return the energy of its wires in a span."""
        data, ratio = self.data_uj(work), self.energy.wires
        ends = (data.value * ratio.value, data.low * ratio.low, data.high * ratio.high)
        return Interval(*ends, "µJ")

    def clock_uj(self, cycles: int) -> Interval:
        """Return the energy of its clock pins in a span."""
        return _exact(self.energy.clock_pj * cycles * _UJ_PER_PJ)

    def clock_tree_uj(self, cycles: int) -> Interval:
        """Return the energy of its clock tree in a span."""
        return self.energy.clock_tree.interval("pJ").scaled(cycles * _UJ_PER_PJ, "µJ")

    def leakage_uj(self, seconds: float) -> Interval:
        """Return the leakage of its cells in a span."""
        return _exact(self.energy.leakage_uw * seconds)

    def add_events(self, work: Work, events: dict[str, tuple[int, float]]) -> None:
        """Add the energy of its cells in µJ to the events of a span."""
        values = work.buses["instruction"].values
        shares = {"instruction": self.energy.issue_pj * values}
        for bus, pj in self.toggles(work).items():
            shares[bus] = shares.get(bus, 0.0) + pj
        for bus, pj in shares.items():
            count, uj = events.get(bus, (work.buses[bus].values, 0.0))
            events[bus] = count, uj + pj * _UJ_PER_PJ
        for name, (count, pj) in self.executions(work).items():
            events[event_name(name, {*events, *BUSES})] = count, pj * _UJ_PER_PJ

    def executions(self, work: Work) -> dict[str, tuple[int, float]]:
        """Return executions and their pJ by mnemonic."""
        counts = {name: work.instructions.get(name, 0) for name in self.energy.execution_pj}
        return {
            name: (count, count * self.energy.execution_pj[name])
            for name, count in counts.items()
            if count
        }

    def toggles(self, work: Work) -> dict[str, float]:
        """Return the pJ of bits that change at its ports, by bus."""
        return {bus: pj * work.buses[bus].toggles for bus, pj in self.energy.toggle_pj.items()}

    def by_word_pj(self, run: Run, architecture: Architecture) -> npt.NDArray[np.float64]:
        """Return the energy of its cells by word of the profile."""
        assert run.profile.buses is not None
        price = np.zeros((2, len(BUSES)))
        price[0, BUSES.index("instruction")] = self.energy.issue_pj
        for bus, pj in self.energy.toggle_pj.items():
            price[1, BUSES.index(bus)] = pj
        found = dot(run.profile.buses, price.ravel())
        words, spent = find_executed_words(run, architecture), run.profile.spent
        issues = run.profile.issues.sum(axis=0)[spent]
        for each in self.unit.instructions:
            mine = (words & each.row.mask) == each.row.match
            found[spent] += mine * issues * self.energy.execution_pj.get(each.mnemonic, 0.0)
        return found


def find_gate_units(
    architecture: Architecture, table: str, library: str, liberty: str | None, gating: str
) -> tuple[GateUnit, ...]:
    """Return the units of a machine with energies of the library of a gate-level table.

    Raises:
        GnomonError: if a unit has none; the message has the reason.
    """
    found = []
    for unit in architecture.units:
        energy = find_unit_energy(unit, library, liberty)
        if not isinstance(energy, str) and gating != "ungated":
            energy = f"its clock is not gated, and that of the table is {gating}"
        if isinstance(energy, str):
            stated = "" if unit.price is None else (
                "; the price in its unit.yaml is not of gates"
            )  # fmt: skip
            hint = f" ({unit.command} measures its gates)" if unit.rtl else ""
            raise GnomonError(
                f"gate-level table {table}: energy of unit {unit.name} is not known: {energy}"
                f"{stated}{hint}"
            )
        period_ns = 1e9 / int(architecture.clock)
        if energy.path_ns > period_ns:
            raise GnomonError(
                f"gate-level table {table}: the longest path of unit {unit.name} is"
                f" {energy.path_ns:g} ns, and a clock of {int(architecture.clock) / 1e6:g} MHz"
                f" leaves {period_ns:g} ns"
            )
        found.append(GateUnit(unit, energy))
    return tuple(found)
