"""Units and terms of the table, and the table as YAML."""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gnomon.base.digest import digest
from gnomon.base.interval import Interval
from gnomon.cost.energy.gate_fit import CYCLE, GateFit, ProgramError, Windows, summarize_errors
from gnomon.cost.energy.gate_machine import list_stated_keys
from gnomon.gates.core_table import Design
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

_SELECTS = ("rs1_select", "rs2_select", "rd_select")
_WORD = (*_SELECTS, "operation", "immediate")
_READS = ("rs1_read", "rs2_read", "rd_read")
_LANES = ("lane_a", "lane_b", "lane_product", "lane_multiplier")
_PADS = ("scratchpad_read", "scratchpad_write")
_MEMORY = ("address", "load_data", "store_data")
# Buses with values of their own; the others have a value with one of these.
_VALUES = ("instruction", "write_back", "alu_a", "multiplier_a", "divider_a", "load_data",
           "store_data")  # fmt: skip
_VECTOR_VALUES = (*_VALUES, *_LANES, *_PADS)
# Inputs of each unit, by value and by toggle; their drivers in gnomon's RTL (rtl_tests/hdl).
BUSES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "registers": (_VALUES, (*_WORD, *_READS, "write_back", "alu_a", "alu_b", "product",
                            "load_data", "lane_a", "remainder")),
    "multiplier": (_VALUES, (*_READS[:2], "product", "product_sums", "multiplier_a",
                             "multiplier_b")),
    "alu": (_VALUES, ("operation", "immediate", *_READS[:2], "alu_a", "alu_b", "write_back")),
    "divider": (("instruction", "divider_a"), ("operation", *_READS[:2], "divider_a", "divider_b",
                                               "remainder")),
    "csrs": (_VALUES, (*_WORD, *_READS[:2], "write_back", *_MEMORY)),
    "fetch": (_VALUES, ("instruction", "address")),
    "control": (_VALUES, (*_WORD, *_READS, "write_back", "alu_a", "alu_b", "product", *_MEMORY)),
    "lanes": (_VECTOR_VALUES, (*_WORD, *_READS, *_LANES, *_PADS)),
    LANE_MULTIPLIERS: (_LANES[::2] + _LANES[3:], _LANES),
    "vector control": (_VECTOR_VALUES, (*_WORD, *_READS, *_MEMORY, *_LANES, *_PADS)),
}  # fmt: skip
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
T13X_BUSES = {
    "registers": BUSES["registers"],
    "execute": (_VALUES, (*_WORD, *_READS, "alu_a", "alu_b", "multiplier_a", "multiplier_b",
                          "product", "product_sums", "divider_a", "divider_b", "write_back")),
    "load-store": (_VECTOR_VALUES, (*_READS, *_MEMORY, *_PADS)),
    "csrs": BUSES["csrs"],
    "fetch": BUSES["fetch"],
    "vector unit": BUSES["vector control"],
    "scratchpad interface": BUSES["vector control"],
    "control": BUSES["control"],
}  # fmt: skip
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


def buses_of(machine: GateMachine) -> Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the units of its table, each with the buses that reach it, by value and by toggle."""
    return T13X_BUSES if machine.core else BUSES


def terms(buses: tuple[Sequence[str], Sequence[str]]) -> tuple[str, ...]:
    """Return the terms of a unit: energy per cycle, and per value and toggle on each bus."""
    values, toggles = buses
    return (CYCLE, *(f"value.{bus}" for bus in values), *(f"toggle.{bus}" for bus in toggles))


def windows(machine: GateMachine, programs: Sequence[Measured]) -> Windows:
    """Return energies of whole programs by unit of the table.

    In a short window, an instruction that takes many cycles would count apart from its energy.
    """
    of = np.array(_units_of(machine))
    pj = np.array([each.pj for each in programs])
    return Windows(
        tuple(each.program for each in programs),
        tuple(each.work for each in programs),
        {unit: pj[:, of == unit].sum(axis=1) for unit in buses_of(machine)},
    )


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A machine with its programs and its table."""

    machine: GateMachine
    training: tuple[Measured, ...]
    held_out: tuple[Measured, ...]
    blind: tuple[Measured, ...]
    fit: GateFit
    design: Design
    clock_hz: int
    sram: Path | None  # folder of memory macros for the scratchpads
    like: Collection[str]  # programs of the fit that are like those to be priced; empty: all
    errors: tuple[ProgramError, ...] = field(init=False)  # of held-out, then of blind programs

    def __post_init__(self) -> None:
        object.__setattr__(self, "errors", self.fit.errors(windows(self.machine, self.judges)))

    @property
    def judges(self) -> tuple[Measured, ...]:
        """Programs that no fit has seen."""
        return (*self.held_out, *self.blind)

    @classmethod
    def of(
        cls, machine: GateMachine, training: Sequence[Measured], held_out: Sequence[Measured],
        blind: Sequence[Measured] = (), judges: Collection[str] = (), sram: Path | None = None,
    ) -> "Fitted":  # fmt: skip
        """Fit the training programs; the others judge.

        Args:
            machine: the gates.
            training: programs and loops of the fit.
            held_out: programs that judge it.
            blind: further ones.
            judges: names of the training programs that are like those to be priced; intervals are
                of them. Empty: all.
            sram: folder of memory macros.
        """
        of_units = {unit: terms(buses) for unit, buses in buses_of(machine).items()}
        found = windows(machine, training)
        weights = 1 / np.sqrt(found.total())  # an error grows like the root of the energy
        fit = GateFit.from_windows(found, of_units, draws=DRAWS, seed=SEED, judges=judges,
                                   weights=weights)  # fmt: skip
        used = tuple(dict.fromkeys(term for each in of_units.values() for term in each))
        design = Design.from_works(found.works, used)
        clock_hz = int(machine.architecture.clock)
        return cls(machine, tuple(training), tuple(held_out), tuple(blind), fit, design, clock_hz,
                   sram, judges)  # fmt: skip

    @property
    def name(self) -> str:
        """Name of the table."""
        own = f"klessydra-simd{self.simd}" if self.machine.core else self.machine.architecture.name
        return f"{self.machine.library.name.split('_')[0]}-{own}"

    @property
    def rtl(self) -> str:
        return "the Klessydra-T13 of a checkout" if self.machine.core else "our RTL"

    @property
    def simd(self) -> int:
        assert self.machine.architecture.vcu is not None
        return self.machine.architecture.vcu.simd

    def clock_pj(self, *, gated: bool) -> Interval:
        """Return pJ of clock pins in a cycle, or with a gate per word; ends are of programs.

        Loops do not count: fewer registers change in them.
        """
        of = "gated_pj" if gated else "clock_pj"
        every = [getattr(each, of) / each.cycles for each in self.training
                 if not self.like or each.program in self.like]  # fmt: skip
        return Interval(float(np.mean(every)), min(every), max(every), "pJ")

    def wires(self, unit: str | None = None) -> Interval | None:
        """Return energy of wires over a unit's cells, by the stated model; None: no energy.

        Ends are those of the model's constants, at the programs where they are farthest out.
        Without a unit: of the whole data path.
        """
        inside = np.array([unit in (None, each) for each in _units_of(self.machine)])
        pj = [(float(each.wire_pj_per_ff[inside].sum()), float(each.pj[inside].sum()))
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
        pairs = zip(self.judges, self.errors, strict=True)
        return 100 * max(abs(self.total_error(*pair)) for pair in pairs)

    def rest_pj(self, measured: Measured) -> float:
        """Return pJ of the clock and leakage of a program, which need no fit."""
        leakage = self.machine.leakage_nw().sum() / self.clock_hz * 1e3  # pJ a cycle
        return float(measured.clock_pj + leakage * measured.cycles)

    def yaml(self, command: str) -> str:
        """Return the table as YAML, in the form of ``models/power``.

        It includes scratchpads if macros were given; their ends are those of the corners.
        """
        energies = [each.pj.tobytes() for each in (*self.training, *self.judges)]
        facts = {
            "table": self,
            "command": command,
            "windows": digest(energies),
            "trained": _name_training(self.training),
            "stated": list_stated_keys(self.machine.architecture),
            "leakage_uw": float(self.machine.leakage_nw().sum()) / 1e3,
            "memories": None if self.sram is None else self.machine.macros(self.sram),
            "errors": {kind: summarize_errors(self.errors, kind) for kind in KINDS},
        }
        return render_markdown(Path(__file__).parent, "table.yaml.j2", facts)


def _name_training(training: Sequence[Measured]) -> str:
    """Return the training programs as a list in YAML; loops of a kind are counted."""
    loops = Counter(_kind_of_loop(each.program) for each in training)
    names = [f"{count} {kind}" for kind, count in loops.items() if kind]
    names += [each.program for each in training if not _kind_of_loop(each.program)]
    return f"[{', '.join(json.dumps(name) if ',' in name else name for name in names)}]"


def _kind_of_loop(program: str) -> str:
    """Return the kind of a loop; empty: it is a program with a name of its own."""
    kind, _, rest = program.partition(" ")
    if kind.endswith(",") and rest in ("zero", "small", "dense"):
        return "loops of one class"
    return {"mixture": "mixtures", "nested": "nested loops", "vector": "vector loops",
            "random": "random"}.get(kind, "") if rest.isdigit() else ""  # fmt: skip
