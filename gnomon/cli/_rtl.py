"""``gnomon rtl``: comparisons of gnomon's RTL and the real core with the simulator."""

from collections.abc import Iterable
from itertools import repeat
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.progress import rounds_progress
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import Machine, argument, option, output_file
from gnomon.cli._points import parse_points
from gnomon.cli._rtl_klessydra import klessydra
from gnomon.cli._rtl_machine import lockstep, parameters, run

rtl_app = typer.Typer(
    name="rtl",
    help="Compare gnomon's RTL and the real core with the simulator.",
    no_args_is_help=True,
)


@rtl_app.command()
@with_json_output(2)
def tools() -> CommandOutput:
    """List RTL simulators and synthesis tools, with the command that installs a missing one."""
    from gnomon.rtl import find_tools

    found, lines = find_tools(), []
    for tool in found:
        state = f"{tool.version}, {tool.path}" if tool.path else "not found"
        lines.append(f"{tool.name}: {state} ({tool.needed_for})")
        if not tool.usable:
            problem = f"{tool.problem}; " if tool.problem else ""
            lines.append(f"  {problem}install: {tool.install}")
    yield {"tools": [tool.to_json() for tool in found]}, lines


@rtl_app.command()
@with_json_output(2)
def area(
    *,
    design: Literal["dividers", "vector-unit", "vector-parts", "machines"] = option(
        "--design", "Design to synthesize.", "dividers"
    ),
    dividers: list[str] | None = option(
        "--divider NAME", "Divider to synthesize (repeatable).", None, shown="all"
    ),
    lanes: list[int] | None = option(
        "--simd N", "Number of lanes to synthesize (repeatable).", None, shown="all"
    ),
    scratchpads: list[int] | None = option(
        "--scratchpads N", "Number of scratchpads to synthesize (repeatable).", None, shown="all"
    ),
    out: Path | None = output_file("--out", "CSV file in the form of models/area.", None),
) -> CommandOutput:
    """Synthesize gnomon's RTL with yosys and print LUT, FF, DSP and BRAM.

    The figures are estimates before placement and routing.

    dividers: each divider alone, and in vector divisions of 1 to 8 lanes. vector-unit: whole vector
    units of 1 to 8 lanes with 1 to 8 scratchpads of 4 KiB. vector-parts: the components that area
    tables sum up. machines: core, vector unit and scratchpads as one design. The last three take
    about an hour each. Finished configurations are cached; rerun to resume.
    """
    from gnomon.base.files import write_file
    from gnomon.base.progress import steps_progress
    from gnomon.rtl import Grid

    if scratchpads and not design.startswith("vector"):
        raise GnomonError(f"--scratchpads: applies to vector units, not to --design {design}")
    if dividers and design != "dividers":
        raise GnomonError(f"--divider: applies to --design dividers, not to {design}")
    grid = Grid.from_design(design, dividers=dividers, lanes=lanes, scratchpads=scratchpads)
    with steps_progress("synthesis", len(grid.configurations)) as done:
        rows = grid.rows(done=done)
    if out is not None:
        write_file(out, grid.csv(rows))
    lines = [f"synthesis estimates, neither placed nor routed: {rows['tool'].iloc[0]}"]
    width = max(len(f"{row.part} {row.conditions}") for row in rows.itertuples())
    for row in rows.itertuples():
        name = f"{row.part} {row.conditions}"
        blocks = f" {row.dsp:>3g} DSP {row.bram:>4g} BRAM" if row.dsp or row.bram else ""
        lines.append(f"  {name:<{width}}  {row.lut:>7g} LUT {row.ff:>6g} FF{blocks}")
    lines += [] if out is None else [f"written: {out}"]
    yield {"kind": "synthesis estimate", "rows": rows.to_dict("records")}, lines


@rtl_app.command()
@with_json_output(2)
def unit(
    name: str = argument("NAME", "Functional unit."),
    points: list[str] | None = argument(
        "[PARAMETER=VALUE[,VALUE]...]...",
        "Values of parameters, in all combinations; the other parameters have their defaults.",
        None,
        shown="the defaults, and both ends of each range",
    ),
    *,
    no_gates: bool = option("--no-gates", "Count LUT, FF, DSP and BRAM only.", False),
    liberty: Path | None = option(
        "--liberty", "Liberty file of the cell library.", None, shown="osu018 of Debian"
    ),
) -> CommandOutput:
    """Synthesize a unit with yosys, and write its area.csv and energy.yaml.

    area.csv has LUT, FF, DSP and BRAM. energy.yaml has cells, longest path, and the energy of an
    execution by operand toggles, from operand streams on the gates. Machines with the unit use
    both. The figures precede placement and routing.
    """
    from gnomon.arch.units.energy import NO_VECTOR_ENERGY
    from gnomon.arch.units.load import load_unit
    from gnomon.base.progress import steps_progress
    from gnomon.cost.energy import list_core_paths
    from gnomon.gates.flow import OSU018
    from gnomon.gates.unit_energy import write_unit_energy
    from gnomon.rtl.unit_area import default_points, write_unit_area
    from gnomon.rtl.unit_record import describe_unchecked

    chosen = parse_points(points) if points else default_points(name)
    cells, reason = liberty or OSU018, ""
    if not no_gates and liberty is None and not cells.is_file():
        reason = f"{cells}: no such library (install: sudo apt-get install qflow-tech-osu018)"
    if load_unit(name, {}).is_vector:
        reason = NO_VECTOR_ENERGY
    rows: list[dict[str, Any]] = []
    lines, files = [], []
    with steps_progress("synthesis", len(chosen)) as done:
        skips = no_gates or reason
        energies: Iterable[Any] = (
            repeat((None, None), len(chosen)) if skips else write_unit_energy(name, chosen, cells)
        )
        areas = write_unit_area(name, chosen)  # second: a missing library leaves no file changed
        for (file, energy), (path, row) in zip(energies, areas, strict=True):
            done(row["parameters"])
            files = [path] if file is None else [path, file]
            rows.append({**row, "file": str(path)})
            line = f"{row['parameters']:<24} {row['lut']:>6} LUT {row['ff']:>6} FF"
            line += f" {row['dsp']:>3} DSP"
            if energy is not None:
                rows[-1] |= {"energy": energy.to_dict(), "energy_file": str(file)}
                line += f" {energy.area_um2:>9,.0f} µm² {energy.path_ns:>6.2f} ns"
                line += f" {energy.random_pj:>8.1f} pJ"
            lines.append(line)
    if energy is not None:
        paths = list_core_paths(energy.library, energy.liberty)
        cores = ", ".join(f"{ns:.2f} ns {table}" for table, ns in paths.items()) or "unknown"
        error = max(each["energy"]["errors"]["worst_percent"] for each in rows)
        lines.append(f"ns: longest path in {energy.library}; of cores: {cores}")
        lines.append(
            "pJ: an execution with random operands, without clock, leakage and wires; errors of"
            f" left-out streams up to {error:.0f} %"
        )
    lines += [f"no path and no energy: {reason}"] if reason else []
    unchecked = describe_unchecked(load_unit(name, point) for point in chosen)
    yield (
        {"unit": name, "rows": rows, "unchecked": unchecked},
        [*lines, *(f"written: {file}" for file in files), *unchecked],
    )


@rtl_app.command()
@with_json_output(2)
def core(
    file: Annotated[Path, argument("CORE.yaml", "Description of the core: sources and bus.")],
    arch: Machine,
    *,
    count: int = option("--count", "Number of random programs.", 20, min=1),
    seed: int = option("--seed", "Seed of the first random program.", 1000, min=0),
    programs: list[Path] | None = option(
        "--program FILE", "Additional C, assembly or ELF file to run (repeatable).", None
    ),
    simulator: Literal["icarus", "verilator"] = option("--simulator", "RTL simulator.", "icarus"),
    most_waits: int | None = option(
        "--waits", "Largest number of wait states; all pairs up to it run.", None, min=0, max=64
    ),
) -> CommandOutput:
    """Compare an in-order RTL core with its machine on random programs.

    The pairs of wait states of instruction and data memory are (0, 0), (1, 0), (0, 2) and (3, 1).
    With --waits 3 they are all sixteen pairs up to (3, 3). Exit code 1 if an instruction takes
    another number of cycles; the message shows the smallest program found.
    """
    from tempfile import TemporaryDirectory

    from gnomon.calibrate.calibration import Calibration

    with TemporaryDirectory() as folder, rounds_progress() as progress:
        found = Calibration.compare(
            file,
            Path(folder),
            arch,
            range(seed, seed + count),
            programs or (),
            simulator,
            most_waits,
            progress,
        )
    if found.difference is not None:
        which = f"program {found.programs} differs " * bool(found.programs)
        raise CheckFailed(f"{file}: {which}{found.difference}")
    yield found.to_json, [f"{file}: {found}"]


for _command in (klessydra, parameters, lockstep, run):
    rtl_app.command()(_command)
