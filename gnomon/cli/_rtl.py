"""``gnomon rtl``: our RTL and the real core, next to the simulator."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.cli._answer import Answer, answers
from gnomon.cli._options import Machine, argument, option, output_file
from gnomon.cli._rtl_klessydra import klessydra
from gnomon.cli._rtl_machine import lockstep, parameters, run

rtl_app = typer.Typer(
    name="rtl",
    help="Our RTL and the real core, compared with the simulator.",
    no_args_is_help=True,
)


@rtl_app.command()
@answers(2)
def tools() -> Answer:
    """Which simulators and synthesis tools are here, and how to install the others."""
    from gnomon.rtl import find_tools

    found, lines = find_tools(), []
    for tool in found:
        state = tool.problem or (f"{tool.version}, {tool.path}" if tool.path else "not found")
        lines.append(f"{tool.name}: {state} ({tool.needed_for})")
        lines += [] if tool.usable else [f"  install: {tool.install}"]
    yield {"tools": [tool.to_json() for tool in found]}, lines


@rtl_app.command()
@answers(2)
def area(
    *,
    design: Literal["dividers", "vector-unit", "vector-parts", "machines"] = option(
        "--design", "What to synthesize.", "dividers"
    ),
    dividers: list[str] | None = option("--divider NAME", "Only this divider (repeatable).", None),
    lanes: list[int] | None = option("--simd N", "Only this width (repeatable).", None),
    scratchpads: list[int] | None = option(
        "--scratchpads N", "Only this number of scratchpads (repeatable).", None
    ),
    out: Path | None = output_file(
        "--out", "Write the rows here, as models/area keeps them.", None
    ),
) -> Answer:
    """Synthesize our RTL with yosys: LUT, FF, DSP, BRAM; estimates, neither placed nor routed.

    Dividers: every one alone, and in vector divisions of 1 to 8 lanes.
    Vector unit: 1 to 8 lanes x 1 to 8 scratchpads of 4 KiB, whole; vector parts: what the area
    tables sum up. Machines: core, vector unit and scratchpads as one. The last three take an hour
    each; finished configurations are cached, so a stopped run goes on.
    """
    from gnomon.base.files import write_file
    from gnomon.base.progress import steps_progress
    from gnomon.rtl import Grid

    if scratchpads and not design.startswith("vector"):
        raise GnomonError(f"--scratchpads: is for vector units, not for --design {design}")
    if dividers and design != "dividers":
        raise GnomonError(f"--divider: is for --design dividers, not {design}")
    grid = Grid.of(design, dividers=dividers, lanes=lanes, scratchpads=scratchpads)
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
@answers(2)
def core(
    file: Annotated[Path, argument("CORE.yaml", "What the core is made of.")],
    arch: Machine,
    *,
    count: int = option("--count", "Random programs.", 20, min=1),
    seed: int = option("--seed", "Of the first one.", 1000, min=0),
    programs: list[Path] | None = option(
        "--program FILE", "C, assembly or ELF file that runs too (repeatable).", None
    ),
    simulator: Literal["icarus", "verilator"] = option(
        "--simulator", "What runs the RTL.", "icarus"
    ),
    most_waits: int | None = option(
        "--waits", "Every pair of wait states up to this.", None, min=0, max=64
    ),
) -> Answer:
    """Run random programs on an in-order core and on its machine, instruction by instruction.

    Wait states of both memories go through (0, 0), (1, 0), (0, 2), (3, 1), or with --waits 3
    through all sixteen pairs up to (3, 3). Exit code 1: one instruction takes another time; the
    smallest program found shows it.
    """
    from tempfile import TemporaryDirectory

    from gnomon.calibrate.calibration import Calibration

    with TemporaryDirectory() as folder:
        found = Calibration.hold(
            file,
            Path(folder),
            arch,
            range(seed, seed + count),
            programs or (),
            simulator,
            most_waits,
        )
    if found.difference is not None:
        which = f"program {found.programs} differs " * bool(found.programs)
        raise CheckFailed(f"{file}: {which}{found.difference}")
    yield found.to_json, [f"{file}: {found}"]


for _command in (klessydra, parameters, lockstep, run):
    rtl_app.command()(_command)
