"""``gnomon gates``: a machine or a core as gates of a standard-cell library, and its energy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from gnomon.base.errors import GnomonError
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import AnyMachine, Overrides, argument, option
from gnomon.cli._program import load_program
from gnomon.cli._rtl_machine import Simulator, _load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gnomon.gates.core import CoreEnergy

_TABLES = ("area", "programs", "energy")


@dataclass(frozen=True, slots=True)
class RealCore:
    """A checkout of the real core in place of gnomon's RTL."""

    klessydra: Path | None = option(
        "--klessydra", "Source list of a Klessydra-T13 checkout, which replaces gnomon's RTL.", None
    )
    ghdl: Path | None = option(
        "--ghdl", "GHDL that reads the checkout, version 7 or newer.", None, shown="ghdl on PATH"
    )


@with_json_output(2)
def gates(
    machine: Annotated[
        str, argument("ARCH", "Machine, by name or YAML file; or core.yaml of a core.")
    ],
    programs: list[Path] | None = argument("[PROGRAM]...", "C or ELF files.", None),
    *,
    overrides: Overrides = None,
    arch: AnyMachine = None,
    liberty: Path | None = option(
        "--liberty", "Liberty file of the cell library.", None, shown="osu018 of Debian"
    ),
    real: RealCore = RealCore(),
    pairs: bool = option(
        "--pairs", "Marginal costs of instructions by unit, from paired loops on the gates.", False
    ),
    clock_ns: float = option("--clock-ns", "Clock period in ns.", 10.0, min=0.001),
    window: int = option(
        "--window", "Window length in cycles; 0 reports whole programs.", 0, min=0
    ),
    max_cycles: int | None = option(
        "--max-cycles N",
        "Cycle limit of a program on the RTL of a core.yaml.",
        None,
        shown="1000000",
        min=1,
    ),
    simulator: Simulator = "icarus",
    out: Path | None = option("--out", "Folder for area.csv, programs.csv and energy.csv.", None),
) -> CommandOutput:
    """Synthesize a machine or a core into standard cells and sum the energy of programs on them.

    The design is gnomon's RTL of the machine, with --klessydra a checkout of the real core, or the
    core of a core.yaml, as gnomon calibrate takes it.

    Delays come from the library at the load of each net; glitches count. A program gets an energy
    only if the gates do the same as the simulator in every cycle. The gates of a core.yaml get the
    inputs of its RTL; every defined output of every cycle must be equal, and with --arch the RTL
    must take the cycles of that machine. Wires and clock tree are reported from a stated model or
    not at all; memories outside of the design are not included.

    --pairs runs loops that differ in one instruction, such as mul and add, on the gates of a
    machine and prints the difference by unit. A gate-level table that the machine names
    (--set power=NAME) is compared with it.
    """
    from gnomon.calibrate.recording import is_core_file

    if pairs:
        yield _price_pairs(machine, programs or [], overrides, liberty, out)
        return
    if is_core_file(Path(machine)):
        if real.klessydra is not None:
            raise GnomonError(f"--klessydra: {machine} names its own sources")
        found = _price_core(machine, programs or [], arch, overrides, liberty, simulator,
                            clock_ns, window, max_cycles)  # fmt: skip
        tables = {name: getattr(found, name) for name in _TABLES}
        _write_tables(out, tables)
        head = {"core": found.core, "arch": arch, "library": found.library,
                "source": found.source, "netlist": found.netlist, "path_ns": found.path_ns,
                "clock_tree_pj": found.clock_tree_pj.to_json()}  # fmt: skip
        yield {**head, **tables}, [*_describe_core(found), *_written(out)]
        return
    if arch is not None:
        raise GnomonError(f"--arch: names the machine of a core.yaml, and {machine} is a machine")
    if max_cycles is not None:
        raise GnomonError(
            f"--max-cycles: limits the RTL of a core.yaml, and {machine} is a machine"
        )
    yield _price_machine(machine, programs or [], overrides, liberty, real, clock_ns, window,
                         out)  # fmt: skip


def _price_machine(
    machine: str, programs: list[Path], overrides: list[str] | None, liberty: Path | None,
    real: RealCore, clock_ns: float, window: int, out: Path | None,
) -> tuple[Mapping[str, Any], list[str]]:  # fmt: skip
    """Return the data and the lines of a machine of gnomon."""
    from gnomon.gates.flow import OSU018, gate_energy
    from gnomon.klessydra.checkout import Checkout

    architecture = _load(machine, overrides)
    built = [load_program([path], architecture, quiet=True) for path in programs]
    core = (
        None if real.klessydra is None else Checkout(str(real.klessydra), ghdl=str(real.ghdl or ""))
    )
    found = gate_energy(
        architecture, built, liberty=liberty or OSU018, core=core, clock_ns=clock_ns,
        window_cycles=window,
    )  # fmt: skip
    tables = {name: getattr(found, name) for name in _TABLES}
    _write_tables(out, tables)
    size = _describe_area(found.area)
    path = f"longest path {found.path_ns:.2f} ns by the tables"
    lines = [f"{architecture.name} in {found.library}: {size}; {path}"]
    lines += [
        f"{row['program']}: {row['cycles']:,} cycles, equal to the simulator; per cycle "
        f"{float(row['data_pj']) / int(row['cycles']):.1f} pJ data path "
        f"({_format_share(float(row['glitches_pj']), float(row['data_pj']))} of it glitches), "
        f"{float(row['clock_pj']) / int(row['cycles']):.1f} pJ clock"
        for row in found.programs
    ]
    lines += _written(out)
    head = {"arch": architecture.name, "library": found.library, "path_ns": found.path_ns}
    return {**head, **tables}, lines


def _price_pairs(
    machine: str, programs: list[Path], overrides: list[str] | None, liberty: Path | None,
    out: Path | None,
) -> tuple[Mapping[str, Any], Callable[[], None]]:  # fmt: skip
    """Return the data of paired loops on a machine of gnomon, and the function that prints it."""
    from gnomon.calibrate.recording import is_core_file
    from gnomon.cost.energy import GateTable, load_table
    from gnomon.gates.flow import OSU018, GateMachine
    from gnomon.gates.marginal import list_rows, measure_marginal, prices_of
    from gnomon.report.gates_text import print_marginal

    if programs or is_core_file(Path(machine)):
        raise GnomonError("--pairs: runs its own loops, on a machine of gnomon")
    architecture = _load(machine, overrides)
    named = load_table(architecture.power) if architecture.power else None
    table = named if isinstance(named, GateTable) else None
    gates = GateMachine.from_architecture(architecture, liberty or OSU018)
    rows = list_rows(measure_marginal(gates, None if table is None else prices_of(table)))
    _write_tables(out, rows)
    source = (f"source: paired loops on the gates of {architecture.name} in {gates.library.name}, "
              f"netlist {gates.digest()[:16]}")  # fmt: skip
    head = {"arch": architecture.name, "library": gates.library.name, "netlist": gates.digest(),
            "table": table and table.name}  # fmt: skip
    return {**head, **rows}, partial(print_marginal, rows, [source, *_written(out)])


def _price_core(
    file: str, programs: list[Path], arch: str | None, overrides: list[str] | None,
    liberty: Path | None, simulator: Simulator, clock_ns: float, window: int,
    max_cycles: int | None,
) -> CoreEnergy:  # fmt: skip
    from gnomon.gates.core import MOST_CYCLES, core_energy, target_of_core
    from gnomon.gates.flow import OSU018

    if arch is None and overrides:
        raise GnomonError("--set: changes keys of a machine, and there is no --arch")
    own = None if arch is None else _load(arch, overrides)
    target = own or target_of_core(Path(file))
    built = [load_program([path], target, quiet=True) for path in programs]
    return core_energy(
        Path(file), built, own, liberty=liberty or OSU018, simulator=simulator, clock_ns=clock_ns,
        window_cycles=window, most_cycles=max_cycles or MOST_CYCLES,
    )  # fmt: skip


def _describe_core(found: CoreEnergy) -> Iterator[str]:
    """Yield the lines of a core: its netlist, and for each program pJ per cycle by unit."""
    size = _describe_area(found.area)
    yield (f"{found.core} in {found.library}: {size}; longest path {found.path_ns:.2f} ns by the "
           "tables")  # fmt: skip
    for row in found.programs:
        cycles = int(row["cycles"])
        yield (f"{row['program']}: {cycles:,} cycles, {int(row['compared_bits']):,} output bits "
               "equal to the RTL; pJ per cycle:")  # fmt: skip
        parts = ("data_pj", "clock_pj", "leakage_pj", "glitches_pj")
        by_unit: dict[str, list[float]] = {}
        for each in found.energy:
            if each["program"] == row["program"]:
                sums = by_unit.setdefault(str(each["unit"]), [0.0] * len(parts))
                by_unit[str(each["unit"])] = [
                    before + float(each[part]) / cycles
                    for before, part in zip(sums, parts, strict=True)
                ]  # fmt: skip
        width = max(map(len, (*by_unit, "total")))
        yield (f"  {'':{width}}  {'data path':>9}  {'clock':>9}  {'leakage':>9}  {'sum':>9}  "
               f"{'glitches':>8}")  # fmt: skip
        total = [sum(column) for column in zip(*by_unit.values(), strict=True)]
        for unit, values in (*by_unit.items(), ("total", total)):
            *kinds, glitches = values
            numbers = "  ".join(f"{value:9.3f}" for value in (*kinds, sum(kinds)))
            yield f"  {unit:{width}}  {numbers}  {_format_share(glitches, values[0]):>8}"
        yield "  glitches: share of the data path in edges that a cycle takes back"
        wires, low, high = (float(row[f"wires{end}_pj"]) / cycles for end in ("", "_low", "_high"))
        tree = found.clock_tree_pj
        yield (f"  not simulated, by a stated model: wires {wires:.3g} [{low:.3g}, {high:.3g}], "
               f"clock tree {tree.value:.3g} [{tree.low:.3g}, {tree.high:.3g}]")  # fmt: skip
    yield f"source: {found.source}"


def _format_share(part: float, whole: float) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def _describe_area(rows: list[Any]) -> str:
    cells, flip_flops, um2 = (
        sum(float(row[name]) for row in rows) for name in ("cells", "flip_flops", "area_um2")
    )
    return f"{cells:,.0f} cells, {flip_flops:,.0f} of them flip-flops, {um2:,.0f} µm²"


def _written(out: Path | None) -> list[str]:
    return [] if out is None else [f"written: {out}"]


def _write_tables(out: Path | None, tables: Mapping[str, list[Any]]) -> None:
    import pandas as pd

    from gnomon.base.files import write_files
    from gnomon.base.frames import csv_text

    if out is not None:
        kept = {name: pd.DataFrame(rows, dtype=object) for name, rows in tables.items() if rows}
        write_files(out, {f"{name}.csv": csv_text(table) for name, table in kept.items()})
