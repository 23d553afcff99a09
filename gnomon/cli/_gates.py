"""``gnomon gates``: a machine as gates of a standard-cell library, and what programs take there."""

from pathlib import Path
from typing import Annotated

from gnomon.base.options import Overrides, argument, option
from gnomon.cli._answer import Answer, answers
from gnomon.cli._rtl_machine import Machine, _load, _program


@answers(2)
def gates(
    machine: Machine,
    programs: Annotated[list[Path] | None, argument("[PROGRAM]...", "C or ELF files.")] = None,
    *,
    overrides: Overrides = None,
    liberty: Annotated[
        Path | None, option("--liberty", "Library of cells; osu018 of Debian without it.")
    ] = None,
    klessydra: Annotated[
        Path | None,
        option("--klessydra", "List of sources of a checkout of the Klessydra-T13, not our RTL."),
    ] = None,
    ghdl: Annotated[
        Path | None, option("--ghdl", "Which GHDL reads it, 7 or newer; the one on PATH else.")
    ] = None,
    clock_ns: Annotated[float, option("--clock-ns", "Period of the clock.", min=0.001)] = 10.0,
    window: Annotated[
        int, option("--window", "Energy for every so many cycles; 0: whole programs.", min=0)
    ] = 0,
    out: Annotated[
        Path | None, option("--out", "Folder for area.csv, programs.csv and energy.csv.")
    ] = None,
) -> Answer:
    """Synthesize our RTL of a machine into cells and sum the energy of programs on them.

    Or a checkout of the real core in its setting.

    Delays are those of the library at each net's load; glitches count. A program must do on the
    gates what it does on the simulator, cycle by cycle, or no energy is given. Wires, the clock
    tree and the memories are not in the figures.
    """
    from gnomon.base.files import write_files
    from gnomon.base.frames import csv_text, frame
    from gnomon.rtl.gates.checkout import Checkout
    from gnomon.rtl.gates.flow import OSU018, gate_energy

    architecture = _load(machine, overrides)
    built = [_program(path, architecture) for path in programs or []]
    core = None if klessydra is None else Checkout(str(klessydra), ghdl=str(ghdl or ""))
    found = gate_energy(
        architecture, built, liberty=liberty or OSU018, core=core, clock_ns=clock_ns,
        window_cycles=window,
    )  # fmt: skip
    tables = {"area": found.area, "programs": found.programs, "energy": found.energy}
    if out is not None:
        write_files(out, {
            f"{name}.csv": csv_text(frame(list(rows[0]), [list(row.values()) for row in rows]))
            for name, rows in tables.items() if rows
        })  # fmt: skip
    cells, flip_flops, area = (
        sum(float(row[name]) for row in found.area) for name in ("cells", "flip_flops", "area_um2")
    )
    size = f"{cells:,.0f} cells, {flip_flops:,.0f} of them flip-flops, {area:,.0f} µm²"
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
