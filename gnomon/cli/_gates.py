"""``gnomon gates``: a machine as gates of a standard-cell library, and what programs take there."""

from pathlib import Path

from gnomon.cli._answer import Answer, answers
from gnomon.cli._options import Overrides, argument, option
from gnomon.cli._program import load_program
from gnomon.cli._rtl_machine import Machine, _load


@answers(2)
def gates(
    machine: Machine,
    programs: list[Path] | None = argument("[PROGRAM]...", "C or ELF files.", None),
    *,
    overrides: Overrides = None,
    liberty: Path | None = option(
        "--liberty", "Library of cells; osu018 of Debian without it.", None
    ),
    klessydra: Path | None = option(
        "--klessydra", "List of sources of a checkout of the Klessydra-T13, not our RTL.", None
    ),
    ghdl: Path | None = option(
        "--ghdl", "Which GHDL reads it, 7 or newer; the one on PATH else.", None
    ),
    clock_ns: float = option("--clock-ns", "Period of the clock.", 10.0, min=0.001),
    window: int = option(
        "--window", "Energy for every so many cycles; 0: whole programs.", 0, min=0
    ),
    out: Path | None = option("--out", "Folder for area.csv, programs.csv and energy.csv.", None),
) -> Answer:
    """Synthesize our RTL of a machine into cells and sum the energy of programs on them.

    Or a checkout of the real core in its setting.

    Delays are those of the library at each net's load; glitches count. A program must do on the
    gates what it does on the simulator, cycle by cycle, or no energy is given. Wires, the clock
    tree and the memories are not in the figures.
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
    told = {"arch": architecture.name, "library": found.library, "path_ns": found.path_ns}
    yield {**told, **tables}, lines
