"""``gnomon report gates``: energy tables of machines in osu018, and their errors."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from gnomon.base.content import content
from gnomon.base.files import write_files
from gnomon.base.frames import frame
from gnomon.base.interval import Interval
from gnomon.base.tables import read_yaml_table
from gnomon.cli.study import option, study_command
from gnomon.cost.energy.gate_fit import summarize_errors
from gnomon.gates.flow import OSU018
from gnomon.gates.marginal import LoopEnergy, MarginalCost, measure_marginal
from gnomon.gates.measured import GateMeter
from gnomon.klessydra.checkout import Checkout
from gnomon.program import Program
from gnomon.report.canvas import COLOURS, legend, panels
from gnomon.report.study import Keeps, Steps, StudyReport

from .distance import Distance
from .fit import Fitted, buses_of, unit_of
from .measure import WINDOW_CYCLES, Measured, Programs, gate_machine, measure

MACHINES = ("t13-simd4",)
LEAST_SHARE = 0.03  # of the energy of a program, of units whose errors count
COMMAND = "gnomon report gates --out reports/gates --tables models/power"
_LIBRARY = "Liberty file of cells; default: osu018 of Debian."
_SRAM = "Liberty files of memory macros for the scratchpads, of IHP SG13G2."
_KLESSYDRA = "Source list of a Klessydra-T13 checkout, for a table of that core."
_MACHINE, _DEFAULT = "Shipped machine.", "t13-simd4"
_EQUAL = "Run the programs that only prove the netlists as well."
_TABLES, _POWER = "Output folder of the energy tables.", "out/gates/power"
Library = Annotated[Path | None, option("--library FILE", _LIBRARY)]
Sram = Annotated[Path | None, option("--sram FOLDER", _SRAM)]
Klessydra = Annotated[Path | None, option("--klessydra FILE", _KLESSYDRA)]
Ghdl = Annotated[Path | None, option("--ghdl", "GHDL, 7 or newer; default: the one on PATH.")]
Machines = Annotated[list[str] | None, option("--machine NAME", _MACHINE, shown=_DEFAULT)]
Equal = Annotated[bool, option("--equal", _EQUAL)]
Tables = Annotated[Path | None, option("--tables FOLDER", _TABLES, shown=_POWER)]


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A machine with its table, and the costs of paired loops by gates and by the table."""

    fitted: Fitted
    costs: tuple[MarginalCost, ...]

    @property
    def machine(self) -> str:
        return self.fitted.machine.architecture.name

    def loops(self) -> list[LoopEnergy]:
        """Return the loops of a single instruction."""
        found = {(str(each.side), each.rounds): each
                 for cost in self.costs for each in (cost.more, cost.less)}  # fmt: skip
        return list(found.values())


def judged(
    name: str, progress: Steps, liberty: Path, sram: Path | None, core: Checkout | None = None,
    *, equal: bool = False,
) -> Judged:  # fmt: skip
    """Return a machine with its table; programs finished by an earlier run come from the cache."""
    machine, programs = gate_machine(name, liberty, core), Programs.read()
    meter, architecture = GateMeter(machine), machine.architecture
    loops = list(programs.loops.built(architecture))
    groups = [programs.held_out, programs.blind, programs.training]
    plan = [[each for each in group if not each.machines or name in each.machines]
            for group in (*groups, programs.equal if equal else [])]  # fmt: skip
    progress.plan(len(loops) + sum(map(len, plan)))

    def run(title: str, program: Program) -> Measured:
        did = measure(meter, title, program)
        progress(f"{name}: {title}")
        return did

    held_out, blind, training, _ = (
        [run(each.title(), each.built(architecture)) for each in group] for group in plan
    )
    like = [each.program for each in training]
    training += [run(each.name, each) for each in loops]
    table = Fitted.of(machine, training, held_out, blind, like, sram)
    prices = {unit: {term: price.value for term, price in of.items()}
              for unit, of in table.fit.prices.items()}  # fmt: skip
    costs = () if core else measure_marginal(machine, prices, unit_of=unit_of)
    return Judged(table, tuple(costs))


def _netlists(tables: Sequence[Fitted]) -> pd.DataFrame:
    rows = []
    for each in tables:
        cells, flip_flops, um2 = each.machine.size()
        wires = each.wires()
        assert wires is not None  # programs take energy
        settled_ns = max(did.settled_ns for did in (*each.training, *each.judges))
        rows.append({
            "machine": each.machine.architecture.name, "cells": cells, "flip_flops": flip_flops,
            "area_um2": int(um2), "path_ns": f"{each.machine.path_ns:.2f}",
            "settled_ns": f"{settled_ns:.2f}",
            "clock_pj": f"{each.clock_pj(gated=False).value:.1f}",
            **_ends("gated_clock", "pj", each.clock_pj(gated=True)),
            "leakage_uw": f"{each.machine.leakage_nw().sum() / 1e3:.2f}",
            **_ends("wire", "ff", each.machine.wire_ff()),
            **_ends("wires", "percent", wires.scaled(100, "%")),
            **_ends("clock_tree", "pj", each.machine.clock_tree_pj()),
        })  # fmt: skip
    return pd.DataFrame(rows, dtype=object)


def _ends(name: str, unit: str, model: Interval) -> dict[str, str]:
    ends = {"": model.value, "low_": model.low, "high_": model.high}
    return {f"{name}_{end}{unit}": f"{value:.1f}" for end, value in ends.items()}


def _programs(tables: Sequence[Fitted]) -> pd.DataFrame:
    rows = [
        {
            "machine": table.machine.architecture.name, "program": did.program,
            "held_out": "yes" if did in table.held_out else "blind", "cycles": did.cycles,
            "exit_code": did.exit_code, "data_crc32": did.crc32,
            "scratchpad_reads": did.bank_reads, "scratchpad_writes": did.bank_writes,
            "data_pj_per_cycle": f"{off.pj / did.cycles:.1f}",
            "error_percent": f"{100 * off.fitted:.1f}",
            "class_only_error_percent": f"{100 * off.class_only:.1f}",
            "constant_error_percent": f"{100 * off.constant:.1f}",
            "total_error_percent": f"{100 * table.total_error(did, off):.1f}",
        }
        for table in tables
        for did, off in zip(table.judges, table.errors, strict=True)
    ]  # fmt: skip
    return pd.DataFrame(rows, dtype=object)


def _coverage(tables: Sequence[Fitted]) -> pd.DataFrame:
    """Return a row per machine: its interval, and how many programs it contains."""
    rows = []
    for table in tables:
        ends = table.fit.total_ratio
        ratios = [1 / (1 + each.fitted) for each in table.errors]
        inside = sum(ends.low <= each <= ends.high for each in ratios)
        units = [(1 / (1 + each.units[unit]), table.fit.unit_ratios[unit])
                 for each in table.errors for unit, share in each.shares.items()
                 if share >= LEAST_SHARE]  # fmt: skip
        covered = sum(range_.low <= ratio <= range_.high for ratio, range_ in units)
        rows.append({
            "machine": table.machine.architecture.name, "programs": len(ratios),
            "inside": inside, "low_percent": f"{100 * ends.low - 100:.1f}",
            "high_percent": f"{100 * ends.high - 100:.1f}",
            "half_width_percent": f"{50 * (ends.high - ends.low):.1f}",
            "units": len(units), "units_inside": covered,
        })  # fmt: skip
    return pd.DataFrame(rows, dtype=object)


def _marginal(found: Sequence[Judged]) -> pd.DataFrame:
    rows = [{"machine": each.machine, "pair": str(cost.pair), "gates_pj": f"{cost.pj:.1f}",
             "table_pj": f"{cost.table_pj or 0:.1f}",
             "error_percent": f"{cost.error_percent or 0:.0f}"}
            for each in found for cost in each.costs]  # fmt: skip
    return pd.DataFrame(rows, dtype=object)


def _matrix(judged: Judged) -> pd.DataFrame:
    """Return marginal costs of one machine, by pair and unit."""
    rows = [{"pair": str(cost.pair), "all": f"{cost.pj:.1f}",
             **{unit: f"{pj:.1f}" for unit, pj in cost.by_unit.items()}}
            for cost in judged.costs]  # fmt: skip
    return pd.DataFrame(rows, dtype=object)


def _loops(found: Sequence[Judged]) -> pd.DataFrame:
    rows = []
    for each in found:
        for loop in each.loops():
            gates, table = sum(loop.pj.values()), sum((loop.table_pj or {}).values())
            rows.append({
                "machine": each.machine, "loop": str(loop.side), "rounds": loop.rounds,
                "gates_pj": f"{gates:.1f}", "error_percent": f"{100 * (table / gates - 1):.1f}",
            })  # fmt: skip
    return pd.DataFrame(rows, dtype=object)


def _units(tables: Sequence[Fitted]) -> pd.DataFrame:
    rows = []
    for table in tables:
        for unit in buses_of(table.machine):
            shares = [each.shares[unit] for each in table.errors]
            off = [100 * abs(each.units[unit]) for each in table.errors
                   if each.shares[unit] >= LEAST_SHARE]  # fmt: skip
            sizes = (f"{np.median(off):.1f}", f"{max(off):.1f}") if off else ("", "")
            name = table.machine.architecture.name
            share = (f"{100 * np.mean(shares):.1f}", f"{100 * max(shares):.1f}")
            rows.append((name, unit, *share, *sizes))
    heads = ["machine", "unit", "share_percent", "largest_share_percent", "median_error_percent",
             "worst_error_percent"]  # fmt: skip
    return frame(heads, rows)


def _list_earlier(tables: Sequence[Fitted]) -> list[tuple[str, float, float]]:
    """Return shipped tables of the same library and RTL that are not among these, with errors."""
    library = tables[0].name.split("-")[0]
    names = {each.name for each in tables}
    found = []
    for path in sorted(content("models", "power").glob(f"{library}-t13-*.yaml")):
        if path.stem not in names:
            errors: Any = read_yaml_table(path, "power table").data["errors"]
            found.append((path.stem, errors["median_percent"], errors["worst_percent"]))
    return found


def _figure(tables: Sequence[Fitted]) -> Figure:
    """Draw errors of held-out programs: of the table, of classes alone, of a constant."""
    figure, (row,) = panels(1, len(tables), size=(11.0, 4.5))
    kinds = (("fitted", "operand toggles"), ("class_only", "class of instruction alone"),
             ("constant", "constant per cycle"))  # fmt: skip
    for axes, table in zip(row, tables, strict=True):
        names = [each.program for each in table.errors]
        for k, (kind, label) in enumerate(kinds):
            off = [100 * getattr(each, kind) for each in table.errors]
            axes.plot(off, range(len(off)), "osD"[k], color=COLOURS[k], label=label, markersize=5)
        axes.axvline(0, color="0.6", linewidth=0.8)
        axes.set(title=f"SIMD {table.simd}", xlabel="error of the data path, %")
        axes.set_yticks(range(len(names)), names if axes is row[0] else [""] * len(names))
        axes.invert_yaxis()
    legend(figure, row[0], len(kinds))
    return figure


def _judged(tables: Sequence[Fitted]) -> pd.DataFrame:
    """Return held-out errors of each table, and of the tables that do not count operands."""
    units = _units(tables).groupby("machine", sort=False)["median_error_percent"]
    rows = []
    for table in tables:
        machine = table.machine.architecture.name
        of_units = pd.to_numeric(units.get_group(machine), errors="coerce")
        kinds = (summarize_errors(table.errors, kind) for kind in ("class_only", "constant"))
        numbers = (*summarize_errors(table.errors), table.worst_total_percent(), of_units.median(),
                   *chain(*kinds))  # fmt: skip
        rows.append((machine, *(f"{value:.1f}" for value in numbers)))
    heads = ("median", "worst", "worst_total", "median_of_units", "class_only_median",
             "class_only_worst", "constant_median", "constant_worst")  # fmt: skip
    return frame(("machine", *(f"{head}_percent" for head in heads)), rows)


def gates_report(
    judged: Sequence[Judged], written: Sequence[Path], distance: Distance | None = None,
    command: str = "gnomon report gates",
) -> StudyReport:  # fmt: skip
    """Return page, tables and picture; the T13x has its own page, with the distance of tables."""
    tables = [each.fitted for each in judged]
    found = {"judged": _judged(tables), "netlists": _netlists(tables),
             "programs": _programs(tables), "units": _units(tables),
             "coverage": _coverage(tables)}  # fmt: skip
    if distance is None:
        found |= {"marginal": _marginal(judged), "loops": _loops(judged)}
    first = tables[0]
    facts = {
        **found,
        "library": first.machine.library.name, "clock_mhz": first.clock_hz // 1_000_000,
        "clock_ns": 1e9 / first.clock_hz, "window": WINDOW_CYCLES,
        "held_out": [each.program for each in first.held_out],
        "blind": [each.program for each in first.blind],
        "training": [each.program for each in first.training],
        "earlier": _list_earlier(tables),
        "matrix": _matrix(judged[0]) if distance is None else None,
        "first": judged[0].machine, "least_share": 100 * LEAST_SHARE,
        "design": first.rtl, "limits": (3, 8) if distance is None else (10, 20),
        "distance": distance, "command": command,
    }  # fmt: skip
    if distance is not None:  # its page shows all results
        return StudyReport(Path(__file__).parent, "klessydra", facts, {}, written=tuple(written))
    return StudyReport(
        Path(__file__).parent, "gates", facts, found, {"errors": _figure}, results=tables,
        written=tuple(written),
    )  # fmt: skip


def _run(
    progress: Steps,
    keeps: Keeps,
    *,
    library: Library = None,
    sram: Sram = None,
    klessydra: Klessydra = None,
    ghdl: Ghdl = None,
    machines: Machines = None,
    tables: Tables = None,
    equal: Equal = False,
) -> StudyReport:
    del keeps  # energies of gates have a cache of their own
    cells = library or OSU018
    core = None if klessydra is None else Checkout(str(klessydra.resolve()), ghdl=str(ghdl or ""))
    names = machines or (MACHINES if core is None else MACHINES[:1])
    found = [judged(name, progress, cells, sram, core, equal=equal) for name in names]
    command = COMMAND
    if library is not None or core is not None:  # pages and tables of their own
        words = [f"--library {library.name}" if library else "", "--sram FOLDER" if sram else "",
                 f"--klessydra {klessydra.name}" if klessydra else ""]  # fmt: skip
        command = " ".join(["gnomon report gates", *filter(None, words)])
    files = {f"{each.fitted.name}.yaml": each.fitted.yaml(command) for each in found}
    distance = None if core is None else Distance.of(found[0].fitted)
    written = write_files(tables or Path("out") / "gates" / "power", files)
    return gates_report(found, written, distance, *([] if core is None else [command]))


main = study_command(_run, title="simulating gates")
