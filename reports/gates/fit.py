"""Units and terms of the table, and the table as YAML."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gnomon.base.digest import digest
from gnomon.base.interval import Interval
from gnomon.cost.energy.gate_fit import CYCLE, GateFit, ProgramError, Windows, summarize_errors
from gnomon.cost.energy.gate_machine import list_stated_keys
from gnomon.gates.flow import GateMachine
from gnomon.report.page import render_markdown

from .measure import Measured

# Units of the table, each of instances whose path begins so; the first that fits.
UNITS = {
    "registers": ("core.registers",),
    "multiplier": ("core.execute.multiplier",),
    "alu": ("core.execute.alu",),
    "divider": ("core.execute.scalar_divider",),
    "csrs": ("core.execute.csrs",),
    "fetch": ("core.fetch",),
    "control": ("core", "top", "ports"),
    "lanes": ("g_vcu.unit.g_units",),
    "vector control": ("g_vcu",),
}
LANE_MULTIPLIERS = "lane multipliers"  # inside of each lane

_READS = ("instruction", "rs1_read", "rs2_read", "rd_read")
_LANES = ("lane_a", "lane_b", "lane_product")
_MEMORY = ("address", "load_data", "store_data")
# Inputs of each unit; their drivers in gnomon's RTL (rtl_tests/hdl).
BUSES = {
    "registers": (*_READS, "write_back"),
    "multiplier": ("rs1_read", "rs2_read", "product", "multiplier_a", "multiplier_b"),
    "alu": ("instruction", "rs1_read", "rs2_read", "alu_a", "alu_b", "write_back"),
    "divider": ("rs1_read", "rs2_read", "divider_a", "divider_b"),
    "csrs": ("instruction", "rs1_read", "rs2_read", "write_back", *_MEMORY),
    "fetch": ("instruction",),
    "control": (*_READS, "write_back", "alu_a", "alu_b", *_MEMORY),
    "lanes": (*_READS, *_LANES, "scratchpad_read", "scratchpad_write"),
    LANE_MULTIPLIERS: _LANES,
    "vector control": (*_READS, *_MEMORY, *_LANES, "scratchpad_read", "scratchpad_write"),
}
# The same of the T13x: its execute stage and its vector unit are one instance each.
T13X_UNITS = {
    "registers": ("core.pipe.rf",),
    "execute": ("core.pipe.execute",),
    "load-store": ("core.pipe.lsu",),
    "csrs": ("core.csr",),
    "fetch": ("core.pipe.fetch",),
    "vector unit": ("core.pipe.accl_generate_dsp",),
    "scratchpad interface": ("core.pipe.accl_generate_sci",),
    "control": ("core", "top", "ports"),
}
_EXECUTE = ("multiplier_a", "multiplier_b", "product", "divider_a", "divider_b")
T13X_BUSES = {
    "registers": BUSES["registers"],
    "execute": (*BUSES["alu"], *_EXECUTE),
    "load-store": (*_READS, *_MEMORY, "scratchpad_read", "scratchpad_write"),
    "csrs": BUSES["csrs"],
    "fetch": BUSES["fetch"],
    "vector unit": BUSES["vector control"],
    "scratchpad interface": BUSES["vector control"],
    "control": BUSES["control"],
}
DRAWS, SEED = 200, 1
KINDS = ("fitted", "class_only", "constant")


def unit_of(instance: str, units: Mapping[str, tuple[str, ...]] = UNITS) -> str:
    """Return the unit of the table that an instance of the netlist is in."""
    if ".g_lane[" in instance and instance.endswith("multiplier"):
        return LANE_MULTIPLIERS
    return next(name for name, starts in units.items() if instance.startswith(starts))


def _units_of(machine: GateMachine) -> list[str]:
    units = T13X_UNITS if machine.core else UNITS
    return [unit_of(each, units) for each in machine.units]


def buses_of(machine: GateMachine) -> Mapping[str, tuple[str, ...]]:
    """Return the units of its table, each with the buses that reach it."""
    return T13X_BUSES if machine.core else BUSES


def terms(buses: Sequence[str]) -> tuple[str, ...]:
    """Return the terms of a unit: energy per cycle, and per value and toggle on each bus."""
    return (CYCLE, *(f"{kind}.{bus}" for bus in buses for kind in ("value", "toggle")))


def windows(machine: GateMachine, programs: Sequence[Measured]) -> Windows:
    """Return energies of programs by unit of the table."""
    of = np.array(_units_of(machine))
    pj = np.concatenate([each.pj for each in programs])
    return Windows(
        tuple(each.program for each in programs for _ in each.works),
        tuple(work for each in programs for work in each.works),
        {unit: pj[:, of == unit].sum(axis=1) for unit in buses_of(machine)},
    )


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A machine with its programs and its table."""

    machine: GateMachine
    training: tuple[Measured, ...]
    held_out: tuple[Measured, ...]
    fit: GateFit
    clock_hz: int
    sram: Path | None  # folder of memory macros for the scratchpads
    errors: tuple[ProgramError, ...] = field(init=False)  # of the programs held out
    own_errors: tuple[ProgramError, ...] = field(init=False)  # of those that were fitted

    def __post_init__(self) -> None:
        for name, programs in (("errors", self.held_out), ("own_errors", self.training)):
            object.__setattr__(self, name, self.fit.errors(windows(self.machine, programs)))

    @classmethod
    def of(
        cls, machine: GateMachine, training: Sequence[Measured], held_out: Sequence[Measured],
        sram: Path | None = None,
    ) -> "Fitted":  # fmt: skip
        """Fit the training programs; the others judge."""
        of_units = {unit: terms(buses) for unit, buses in buses_of(machine).items()}
        fit = GateFit.from_windows(windows(machine, training), of_units, draws=DRAWS, seed=SEED)
        clock_hz = int(machine.architecture.clock)
        return cls(machine, tuple(training), tuple(held_out), fit, clock_hz, sram)

    @property
    def name(self) -> str:
        """Name of the table."""
        own = f"klessydra-simd{self.simd}" if self.machine.core else self.machine.architecture.name
        return f"{self.machine.library.name.split('_')[0]}-{own}"

    @property
    def design(self) -> str:
        return "the Klessydra-T13 of a checkout" if self.machine.core else "our RTL"

    @property
    def simd(self) -> int:
        assert self.machine.architecture.vcu is not None
        return self.machine.architecture.vcu.simd

    def clock_pj(self, *, gated: bool) -> Interval:
        """Return pJ of clock pins in a cycle, or with a gate per word; ends are of programs."""
        of = "gated_pj" if gated else "clock_pj"
        every = [getattr(each, of) / each.cycles for each in self.training]
        return Interval(float(np.mean(every)), min(every), max(every), "pJ")

    def wires(self, unit: str | None = None) -> Interval | None:
        """Return energy of wires over a unit's cells, by the stated model; None: no energy.

        Ends are those of the model's constants, at the programs where they are farthest out.
        Without a unit: of the whole data path.
        """
        inside = np.array([unit in (None, each) for each in _units_of(self.machine)])
        pj = [(float(each.wire_pj_per_ff[inside].sum()), float(each.pj[:, inside].sum()))
              for each in self.training]  # fmt: skip
        ratios, ff = [wire / data for wire, data in pj if data], self.machine.wire_ff()
        if not ratios:
            return None
        whole = sum(wire for wire, _ in pj) / sum(data for _, data in pj)
        return Interval(whole * ff.value, min(ratios) * ff.low, max(ratios) * ff.high)

    def total_error(self, measured: Measured, error: ProgramError) -> float:
        """Return the relative error of data path, ungated clock and leakage together."""
        rest_pj = self.rest_pj(measured)
        clock_off = self.clock_pj(gated=False).value * measured.cycles - measured.clock_pj
        return (error.pj * error.fitted + clock_off) / (error.pj + rest_pj)

    def worst_total_percent(self) -> float:
        """Return the largest error of data path, clock and leakage at a held-out program."""
        pairs = zip(self.held_out, self.errors, strict=True)
        return 100 * max(abs(self.total_error(*pair)) for pair in pairs)

    def rest_pj(self, measured: Measured) -> float:
        """Return pJ of the clock and leakage of a program, which need no fit."""
        leakage = self.machine.leakage_nw().sum() / self.clock_hz * 1e3  # pJ a cycle
        return float(measured.clock_pj + leakage * measured.cycles)

    def yaml(self, command: str) -> str:
        """Return the table as YAML, in the form of ``models/power``.

        It includes scratchpads if macros were given; their ends are those of the corners.
        """
        energies = [each.pj.tobytes() for each in (*self.training, *self.held_out)]
        facts = {
            "table": self,
            "command": command,
            "windows": digest(energies),
            "stated": list_stated_keys(self.machine.architecture),
            "leakage_uw": float(self.machine.leakage_nw().sum()) / 1e3,
            "memories": None if self.sram is None else self.machine.macros(self.sram),
            "errors": {kind: summarize_errors(self.errors, kind) for kind in KINDS},
        }
        return render_markdown(Path(__file__).parent, "table.yaml.j2", facts)
