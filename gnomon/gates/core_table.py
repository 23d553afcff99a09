"""The gate-level energy table of a core: measured programs, fitted prices, errors of others.

Programs of `gnomon.calibrate.energy_programs` run on the gates of the core and on its machine. The
machine's operand counts of whole programs explain the energy of each instance: in a short window an
instruction that takes many cycles would count apart from its energy. Held-out programs judge the
prices.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from gnomon.base.digest import digest
from gnomon.base.interval import Interval
from gnomon.calibrate.energy_programs import (
    held_out_programs,
    list_compiled_names,
    training_programs,
)
from gnomon.cost.energy.fit import nonnegative_least_squares
from gnomon.cost.energy.gate_fit import (
    CYCLE,
    GateFit,
    ProgramError,
    Windows,
    count_term,
    summarize_errors,
)
from gnomon.cost.energy.gate_machine import list_stated_keys
from gnomon.gates.core import CoreGates, design_of_core

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from gnomon.arch import Architecture
    from gnomon.gates.core import CoreRun
    from gnomon.rtl.tools import Simulator
    from gnomon.sim import Work

    Array = npt.NDArray[np.float64]

_VALUES: Final = ("instruction", "rs1_read", "rs2_read", "write_back", "alu_a", "alu_b",
                  "multiplier_a", "multiplier_b", "partial_sum", "divider_a", "divider_b",
                  "load_data", "store_data")  # fmt: skip
"""Buses with a value of their own; an address comes with a load or a store."""
_TOGGLES: Final = ("rs1_select", "rs2_select", "rd_select", "operation", "immediate", "rs1_read",
                   "rs2_read", "product", "write_back", "alu_a", "alu_b", "multiplier_a",
                   "multiplier_b", "partial_sum", "divider_a", "divider_b", "remainder", "address",
                   "load_data", "store_data")  # fmt: skip
TERMS: Final = (CYCLE, *(f"value.{bus}" for bus in _VALUES), *(f"toggle.{bus}" for bus in _TOGGLES))
"""Terms of every unit; terms that count alike in all training programs become one."""
OTHERS: Final = "others"
_LEAST_UNIT: Final = 0.02  # of the energy of the data path; smaller units are one
_LEAST_TERM: Final = 0.01  # of the energy of a unit; smaller terms are left out
_DRAWS, _SEED = 200, 1
_MOST_CYCLES: Final = 10_000_000  # of a program, which a bit-serial core needs
_KINDS = ("fitted", "class_only", "constant")


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredProgram:
    """A program on the gates, with the counts of its machine."""

    name: str
    work: Work
    energy_pj: Array  # by unit
    clock_pj: float
    gated_pj: float
    cycles: int
    wire_pj_per_ff: Array  # by unit

    @classmethod
    def from_run(cls, ran: CoreRun) -> MeasuredProgram:
        """Return a program that ran on both."""
        assert ran.run is not None
        did, work = ran.gates, ran.run.work
        assert work.wall_cycles == did.cycles
        return cls(ran.program, work, did.energy_pj.sum(axis=0), float(did.clock_pj.sum()),
                   did.gated_pj, did.cycles, did.wire_pj_per_ff)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Design:
    """The terms that a set of programs tells apart.

    ``same``: terms that count alike in all programs, by the one that stands for them; terms that
    never count are left out. ``condition``: of the columns, each of length 1.
    """

    terms: tuple[str, ...]
    same: Mapping[str, tuple[str, ...]]
    rank: int
    condition: float

    @classmethod
    def from_works(cls, works: Sequence[Work]) -> Design:
        """Count all terms in the work of programs."""
        counts = np.array([[count_term(work, term) for term in TERMS] for work in works], float)
        columns = dict(zip(TERMS, counts.T, strict=True))
        groups: dict[bytes, list[str]] = {}
        for term, column in columns.items():
            if column.any():
                groups.setdefault(column.tobytes(), []).append(term)
        first = tuple(names[0] for names in groups.values())
        whole = np.column_stack([columns[term] / np.linalg.norm(columns[term]) for term in first])
        same = {names[0]: tuple(names[1:]) for names in groups.values() if names[1:]}
        rank = int(np.linalg.matrix_rank(whole))
        return cls(first, same, rank, float(np.linalg.cond(whole)))


def measure_core(
    gates: CoreGates,
    machine: Architecture,
    folder: Path,
    simulator: Simulator = "icarus",
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[list[MeasuredProgram], list[MeasuredProgram]]:
    """Run all programs on the gates of a core and on its machine: of the fit, and held out.

    Args:
        gates: the core.
        machine: its machine file.
        folder: build folder.
        simulator: RTL simulator.
        progress: gets the name of each program.

    Raises:
        CheckFailed: if an output of the gates differs from the RTL, or the machine does not take
            the cycles of the RTL.
        GnomonError: if the RTL does not compile.
    """
    recorder = gates.recorder(folder, simulator)
    found: list[list[MeasuredProgram]] = []
    core = gates.core
    for programs in (training_programs(machine, core.reset_pc), held_out_programs(machine)):
        rows = []
        for program in programs:
            ran = gates.run(program, recorder, machine, toggles=True, most_cycles=_MOST_CYCLES)
            rows.append(MeasuredProgram.from_run(ran))
            progress(program.name)
        found.append(rows)
    return found[0], found[1]


@dataclass(frozen=True, eq=False)
class CoreTable:
    """Prices of a core with the errors of programs that were held out."""

    gates: CoreGates
    machine: Architecture
    training: Sequence[MeasuredProgram]
    held_out: Sequence[MeasuredProgram]
    clock_hz: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "clock_hz", int(self.machine.clock))

    @property
    def name(self) -> str:
        """Name of the table: library and machine."""
        return f"{self.gates.whole.library.name.split('_')[0]}-{self.machine.name}"

    @cached_property
    def unit_of(self) -> tuple[str, ...]:
        """Unit of the table of each instance: itself, or :data:`OTHERS` if it takes little."""
        sums = np.sum([each.energy_pj for each in self.training], axis=0)
        least = _LEAST_UNIT * sums.sum()
        pairs = zip(self.gates.units, sums, strict=True)
        return tuple(unit if pj >= least else OTHERS for unit, pj in pairs)

    def windows(self, programs: Sequence[MeasuredProgram]) -> Windows:
        """Return energies of programs by unit of the table."""
        pj, of = np.array([each.energy_pj for each in programs]), np.array(self.unit_of)
        return Windows(
            tuple(each.name for each in programs),
            tuple(each.work for each in programs),
            {unit: pj[:, of == unit].sum(axis=1) for unit in dict.fromkeys(self.unit_of)},
        )

    @cached_property
    def design(self) -> Design:
        """Terms that the training programs tell apart."""
        return Design.from_works([each.work for each in self.training])

    @cached_property
    def fit(self) -> GateFit:
        """Fitted prices."""
        windows, names = self.windows(self.training), self.design.terms
        counts = np.array([[count_term(work, term) for term in names] for work in windows.works],
                          dtype=np.float64)  # fmt: skip
        terms = {unit: _choose_terms(names, counts, pj) for unit, pj in windows.pj.items()}
        return GateFit.from_windows(
            windows, terms, draws=_DRAWS, seed=_SEED, judges=list_compiled_names()
        )

    @cached_property
    def errors(self) -> tuple[ProgramError, ...]:
        """Errors at the programs held out."""
        return self.fit.errors(self.windows(self.held_out))

    @property
    def leakage_uw(self) -> float:
        """Leakage of all cells."""
        return float(self.gates.timed.leakage_nw.sum()) / 1000

    def clock_pj(self, *, gated: bool) -> Interval:
        """Return pJ of clock pins per cycle, or with a gate per word; ends are of programs."""
        every = [(each.gated_pj if gated else each.clock_pj) / each.cycles
                 for each in self.training]  # fmt: skip
        return Interval(float(np.mean(every)), min(every), max(every), "pJ")

    def total_percent(self) -> list[float]:
        """Return the absolute errors of data path, clock and leakage together, by program."""
        clock, found = self.clock_pj(gated=False).value, []
        for program, error in zip(self.held_out, self.errors, strict=True):
            leakage = self.leakage_uw / self.clock_hz * 1e6 * program.cycles
            off = error.pj * error.fitted + clock * program.cycles - program.clock_pj
            found.append(100 * abs(off) / (error.pj + program.clock_pj + leakage))
        return found

    def to_json(self) -> dict[str, object]:
        """Return the errors at the programs held out."""
        median, worst = summarize_errors(self.errors)
        return {
            "programs": len(self.held_out), "median_percent": round(median, 2),
            "worst_percent": round(worst, 2),
            "worst_total_percent": round(max(self.total_percent()), 2),
        }  # fmt: skip

    def wires(self, unit: str) -> Interval:
        """Return energy of wires over that of the cells of a unit, by the stated model."""
        inside = np.array([each == unit for each in self.unit_of])
        wire = sum(float(each.wire_pj_per_ff[inside].sum()) for each in self.training)
        data = sum(float(each.energy_pj[inside].sum()) for each in self.training)
        return self.gates.wire_ff().scaled(wire / data if data else 0.0, "")

    def yaml(self, command: str) -> str:
        """Return the table as YAML, in the form of ``models/power``; equal fits, equal bytes."""
        return "\n".join(self._lines(command)) + "\n"

    def _lines(self, command: str) -> Iterator[str]:
        gates, core = self.gates, self.gates.core
        files = {name: hashlib.sha256(text).hexdigest()
                 for name, text in design_of_core(core).files.items()}  # fmt: skip
        energies = [each.energy_pj.tobytes() for each in (*self.training, *self.held_out)]
        parameters = core.synthesized().parameters
        yield f"# Made by `{command}`; do not edit."
        yield from ("schema: 1", "kind: gate-level", f"name: {self.name}")
        yield f"title: Gates of {self.machine.name} in {gates.whole.library.name}"
        text = (f"{gates.source}; outputs of every cycle equal to the RTL; wires and clock tree by "
                "a stated model; no memories outside of the core")  # fmt: skip
        yield f"source: {json.dumps(text, ensure_ascii=False)}"
        yield f"library: {gates.whole.library.title}"
        yield "machine:"
        for name, value in list_stated_keys(self.machine).items():
            stated = f"[{', '.join(value)}]" if isinstance(value, list) else str(value).lower()
            yield f"  {name}: [{stated}]"
        yield f"clock: {self.clock_hz // 1_000_000} MHz"
        yield "gate_run:"
        yield f"  netlist: {gates.digest}"
        yield f"  rtl: {{sha256: {digest(sorted(files.items()))}}}"
        if parameters:
            yield f"  parameters: {{{', '.join(f'{k}: {v}' for k, v in parameters.items())}}}"
        yield f"  liberty: {gates.liberty}"
        yield f'  yosys: "{gates.yosys}"'
        yield f"  windows: {digest(energies)}"
        yield f"  command: {command}"
        groups = [each.name.split(",")[0].rstrip(" 0123456789") for each in self.training]
        counted = (f"{groups.count(name)} {name}" for name in dict.fromkeys(groups))
        yield f"  training: [{', '.join(counted)}]"
        yield f"  held_out: [{', '.join(each.name for each in self.held_out)}]"
        yield "clock_tree:"
        yield "  gating: ungated"
        for name, gated in (("ungated", False), ("gated", True)):
            yield f"  {name}: {_ends(self.clock_pj(gated=gated))}"
        yield f"path_ns: {gates.path_ns:g}"
        yield f"leakage_uw: {_ends(Interval(self.leakage_uw, self.leakage_uw, self.leakage_uw))}"
        yield "stated:"
        yield f"  clock_tree: {_ends(gates.clock_tree_pj())}"
        yield "  wires:"
        for unit in self.fit.prices:
            yield f"    {unit}: {_ends(self.wires(unit))}"
        yield from self._design_lines()
        yield self.fit.units_yaml().rstrip()
        yield "errors:"
        found = {kind: summarize_errors(self.errors, kind) for kind in _KINDS}
        yield f"  median_percent: {found['fitted'][0]:.3g}"
        yield f"  worst_percent: {found['fitted'][1]:.3g}"
        yield f"  class_only_median_percent: {found['class_only'][0]:.3g}"
        yield f"  constant_median_percent: {found['constant'][0]:.3g}"

    def _design_lines(self) -> Iterator[str]:
        design, fit = self.design, self.fit
        yield "fit:"
        yield f"  terms: {len(design.terms)}"
        yield f"  rank: {design.rank}"
        yield f"  condition: {design.condition:.3g}"
        yield "  same:" if design.same else "  same: {}"
        for term, others in design.same.items():
            yield f"    {term}: [{', '.join(others)}]"
        yield f"  energy: {_ends(fit.total_ratio)}"
        yield "  energy_of_units:"
        for unit, ratio in fit.unit_ratios.items():
            yield f"    {unit}: {_ends(ratio)}"


def _choose_terms(terms: Sequence[str], design: Array, pj: Array) -> tuple[str, ...]:
    """Return the terms whose prices make a difference to the energy of a unit."""
    prices = nonnegative_least_squares(design, pj)
    least = _LEAST_TERM * float(pj.sum())
    kept = [term for term, price, count in zip(terms, prices, design.sum(axis=0), strict=True)
            if price * count > least]  # fmt: skip
    return tuple(kept) or (CYCLE,)


def _ends(figure: Interval) -> str:
    return f"{{value: {figure.value:.5g}, low: {figure.low:.5g}, high: {figure.high:.5g}}}"
