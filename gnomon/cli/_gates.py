"""``gnomon gates``: a machine as gates of a standard-cell library, and its energy per program."""

from pathlib import Path

from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import Overrides, argument, option
from gnomon.cli._program import load_program
from gnomon.cli._rtl_machine import Machine, _load


@with_json_output(2)
def gates(
    machine: Machine,
    programs: list[Path] | None = argument("[PROGRAM]...", "C or ELF files.", None),
    *,
    overrides: Overrides = None,
    liberty: Path | None = option(
        "--liberty", "Liberty file of the cell library.", None, shown="osu018 of Debian"
    ),
    klessydra: Path | None = option(
        "--klessydra", "Source list of a Klessydra-T13 checkout, which replaces gnomon's RTL.", None
    ),
    ghdl: Path | None = option(
        "--ghdl", "GHDL that reads the checkout, version 7 or newer.", None, shown="ghdl on PATH"
    ),
    clock_ns: float = option("--clock-ns", "Clock period in ns.", 10.0, min=0.001),
    window: int = option(
        "--window", "Window length in cycles; 0 reports whole programs.", 0, min=0
    ),
    out: Path | None = option("--out", "Folder for area.csv, programs.csv and energy.csv.", None),
) -> CommandOutput:
    """Synthesize a machine into standard cells and sum the energy of programs on them.

    The design is gnomon's RTL of the machine or, with --klessydra, a checkout of the real core.

    Delays come from the library at the load of each net; glitches count. A program gets an energy
    only if the gates do the same as the simulator in every cycle. Wires, the clock tree and the
    memories are not included.
    """
    import pandas as pd

    from gnomon.base.files import write_files
    from gnomon.base.frames import csv_text
    from gnomon.gates.flow import OSU018, gate_energy
    from gnomon.klessydra.checkout import Checkout

    architecture = _load(machine, overrides)
    built = [load_program([path], architecture, quiet=True) for path in programs or []]
    core = None if klessydra is None else Checkout(str(klessydra), ghdl=str(ghdl or ""))
    found = gate_energy(
        architecture, built, liberty=liberty or OSU018, core=core, clock_ns=clock_ns,
        window_cycles=window,
    )  # fmt: skip
    tables = {"area": found.area, "programs": found.programs, "energy": found.energy}
    if out is not None:
        kept = {name: pd.DataFrame(rows, dtype=object) for name, rows in tables.items() if rows}
        texts = {f"{name}.csv": csv_text(table) for name, table in kept.items()}
        write_files(out, texts)
    area = pd.DataFrame(found.area)[["cells", "flip_flops", "area_um2"]].astype(float).sum()
    size = f"{area.cells:,.0f} cells, {area.flip_flops:,.0f} of them flip-flops"
    size += f", {area.area_um2:,.0f} µm²"
    path = f"longest path {found.path_ns:.2f} ns by the tables"
    lines = [f"{architecture.name} in {found.library}: {size}; {path}"]
    lines += [
        f"{row['program']}: {row['cycles']:,} cycles, equal to the simulator; per cycle "
        f"{float(row['data_pj']) / int(row['cycles']):.1f} pJ data path, "
        f"{float(row['clock_pj']) / int(row['cycles']):.1f} pJ clock"
        for row in found.programs
    ]
    lines += [] if out is None else [f"written: {out}"]
    head = {"arch": architecture.name, "library": found.library, "path_ns": found.path_ns}
    yield {**head, **tables}, lines
