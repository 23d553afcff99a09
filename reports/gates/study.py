"""``gnomon report gates``: energy tables of machines in osu018, and their errors."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from gnomon.base.files import write_files
from gnomon.base.frames import frame
from gnomon.base.interval import Interval
from gnomon.cli.study import option, study_command
from gnomon.cost.energy.gate_fit import summarize_errors
from gnomon.gates.flow import OSU018
from gnomon.klessydra.checkout import Checkout
from gnomon.report.canvas import COLOURS, legend, panels
from gnomon.report.study import Keeps, Steps, StudyReport

from .distance import Distance
from .fit import Fitted, buses_of
from .measure import WINDOW_CYCLES, Measured, Programs, gate_machine, measure

MACHINES = ("t13-simd1", "t13-simd4")
COMMAND = "gnomon report gates --out reports/gates --tables models/power"
_LIBRARY = "Liberty file of cells; default: osu018 of Debian."
_SRAM = "Liberty files of memory macros for the scratchpads, of IHP SG13G2."
_KLESSYDRA = "Source list of a Klessydra-T13 checkout, for a table of that core."
_MACHINE, _BOTH = "Shipped machine.", "t13-simd1 and t13-simd4"
_TABLES, _POWER = "Output folder of the energy tables.", "out/gates/power"
Library = Annotated[Path | None, option("--library FILE", _LIBRARY)]
Sram = Annotated[Path | None, option("--sram FOLDER", _SRAM)]
Klessydra = Annotated[Path | None, option("--klessydra FILE", _KLESSYDRA)]
Ghdl = Annotated[Path | None, option("--ghdl", "GHDL, 7 or newer; default: the one on PATH.")]
Machines = Annotated[list[str] | None, option("--machine NAME", _MACHINE, shown=_BOTH)]
Tables = Annotated[Path | None, option("--tables FOLDER", _TABLES, shown=_POWER)]


def fitted(
    name: str, keeps: Keeps, progress: Steps, liberty: Path, sram: Path | None,
    core: Checkout | None = None,
) -> Fitted:  # fmt: skip
    """Return a machine with its table; programs finished by an earlier run come from the cache."""
    machine, programs = gate_machine(name, liberty, core), Programs.read()
    progress.plan(len(programs.training) + len(programs.held_out) + len(programs.equal))
    netlist = machine.digest()

    def run(title: str) -> Measured:
        did = keeps.measuring(measure, name, str(liberty), core, netlist, title)
        progress(f"{name}: {title}")
        return did

    for each in programs.equal:
        run(each.title())
    training, held_out = (
        [run(each.title()) for each in group] for group in (programs.training, programs.held_out)
    )
    return Fitted.of(machine, training, held_out, sram)


def _netlists(tables: Sequence[Fitted]) -> pd.DataFrame:
    rows = []
    for each in tables:
        cells, flip_flops, um2 = each.machine.size()
        wires = each.wires()
        assert wires is not None  # programs take energy
        settled_ns = max(did.settled_ns for did in (*each.training, *each.held_out))
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
            "held_out": held_out, "cycles": did.cycles, "exit_code": did.exit_code,
            "data_crc32": did.crc32, "scratchpad_reads": did.bank_reads,
            "scratchpad_writes": did.bank_writes,
            "data_pj_per_cycle": f"{off.pj / did.cycles:.1f}",
            "error_percent": f"{100 * off.fitted:.1f}",
            "class_only_error_percent": f"{100 * off.class_only:.1f}",
            "constant_error_percent": f"{100 * off.constant:.1f}",
            "total_error_percent": f"{100 * table.total_error(did, off):.1f}",
        }
        for table in tables
        for held_out, programs, errors in (
            ("no", table.training, table.own_errors), ("yes", table.held_out, table.errors)
        )
        for did, off in zip(programs, errors, strict=True)
    ]  # fmt: skip
    return pd.DataFrame(rows, dtype=object)


def _units(tables: Sequence[Fitted]) -> pd.DataFrame:
    rows = []
    for table in tables:
        for unit in buses_of(table.machine):
            shares = [each.shares[unit] for each in table.errors]
            off = [100 * abs(each.units[unit]) for each in table.errors if unit in each.units]
            sizes = (f"{np.median(off):.1f}", f"{max(off):.1f}") if off else ("", "")
            name = table.machine.architecture.name
            share = (f"{100 * np.mean(shares):.1f}", f"{100 * max(shares):.1f}")
            rows.append((name, unit, *share, *sizes))
    heads = ["machine", "unit", "share_percent", "largest_share_percent", "median_error_percent",
             "worst_error_percent"]  # fmt: skip
    return frame(heads, rows)


def _figure(tables: Sequence[Fitted]) -> Figure:
    """Draw errors of held-out programs: of the table, of classes alone, of a constant."""
    figure, (row,) = panels(1, len(tables), size=(11.0, 3.6))
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
    tables: Sequence[Fitted], written: Sequence[Path], distance: Distance | None = None,
    command: str = "gnomon report gates",
) -> StudyReport:  # fmt: skip
    """Return page, tables and picture; the T13x has its own page, with the distance of tables."""
    found = {"judged": _judged(tables), "netlists": _netlists(tables),
             "programs": _programs(tables), "units": _units(tables)}  # fmt: skip
    first = tables[0]
    facts = {
        **found,
        "library": first.machine.library.name, "clock_mhz": first.clock_hz // 1_000_000,
        "clock_ns": 1e9 / first.clock_hz, "window": WINDOW_CYCLES,
        "held_out": [each.program for each in first.held_out],
        "training": [each.program for each in first.training],
        "references": len(Programs.read().references()),
        "design": first.design, "limits": (7, 15) if distance is None else (10, 20),
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
) -> StudyReport:
    cells = library or OSU018
    core = None if klessydra is None else Checkout(str(klessydra.resolve()), ghdl=str(ghdl or ""))
    names = machines or (MACHINES if core is None else MACHINES[:1])
    found = [fitted(name, keeps, progress, cells, sram, core) for name in names]
    command = COMMAND
    if library is not None or core is not None:  # pages and tables of their own
        words = [f"--library {library.name}" if library else "", "--sram FOLDER" if sram else "",
                 f"--klessydra {klessydra.name}" if klessydra else ""]  # fmt: skip
        command = " ".join(["gnomon report gates", *filter(None, words)])
    files = {f"{each.name}.yaml": each.yaml(command) for each in found}
    distance = None if core is None else Distance.of(found[0])
    written = write_files(tables or Path("out") / "gates" / "power", files)
    return gates_report(found, written, distance, *([] if core is None else [command]))


main = study_command(_run, title="simulating gates")
