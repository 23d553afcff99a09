"""``gnomon calibrate``: measure the RTL of a core and write its machine file."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

from gnomon.base.progress import rounds_progress
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import argument, option, output_file


@with_json_output(2)
def calibrate(
    core: Annotated[Path, argument("CORE.yaml", "Description of the core: sources and bus.")],
    *,
    out: Path = output_file("--out -o FILE", "Machine file to write.", ...),
    simulator: Literal["icarus", "verilator"] = option("--simulator", "RTL simulator.", "icarus"),
    report: Path | None = output_file(
        "--report FILE", "Page to write: measurements, residual, timeline.", None
    ),
    energy: Path | None = option(
        "--energy LIBERTY",
        "Liberty file of a cell library: measure the core's gates and write an energy table to "
        "models/power, which the machine names.",
        None,
    ),
) -> CommandOutput:
    """Measure an RTL core and write its machine file.

    Microbenchmarks run on the RTL of an in-order core. Then random programs run on core and
    machine; every instruction must take equally many cycles on both. If no machine file can
    describe the core, the command writes none and prints the smallest differing program found.
    """
    from gnomon.base.files import write_file
    from gnomon.calibrate.calibration import Calibration, Refused
    from gnomon.report.calibrate_page import calibration_page

    made = None
    try:
        with TemporaryDirectory() as folder, rounds_progress() as progress:
            made = Calibration.from_core(core, Path(folder), simulator, progress)
            trial = Path(folder) / "machine.yaml"
            trial.write_text(made.text(), encoding="utf-8")
            held = made.check(trial)
    except Refused as refused:
        if report is not None:
            keys, how = (made.inferred.keys, made.inferred.evidence) if made else ({}, {})
            verdict = f"Refused: {refused}"
            page = calibration_page(str(core), verdict, keys, how, timeline=refused.timeline)
            write_file(report, page)
        raise
    text = made.text(held)
    write_file(out, text)
    table: dict[str, object] = {}
    if energy is not None:
        table = _measure_energy(core, out, energy, simulator)
        write_file(out, f"{text}\npower: {table['name']}\n")
    found = made.inferred
    if report is not None:
        page = calibration_page(made.source, str(held), found.keys, found.evidence, found.notes)
        write_file(report, page)
    answer = {"name": made.name, **held.to_json(), "latency": found.latency,
              **({"others": found.others} if found.others else {}),
              "evidence": found.evidence, "notes": found.notes,
              **({"energy": table} if table else {})}  # fmt: skip
    notes = (f"note: {note}" for note in found.notes)
    yield (
        answer,
        [f"{made.name}: {held}", *notes, f"written: {out}", *_describe_energy(table)],
    )


def _measure_energy(
    core: Path, machine: Path, liberty: Path, simulator: Literal["icarus", "verilator"]
) -> dict[str, object]:
    """Measure the gates of a core, write its energy table, and return what the command prints."""
    from gnomon.arch import load_architecture
    from gnomon.base.content import project_folder
    from gnomon.base.files import write_file
    from gnomon.base.progress import steps_progress
    from gnomon.gates.core import CoreGates
    from gnomon.gates.core_table import CoreTable, measure_core

    gates, architecture = CoreGates.from_file(core, liberty), load_architecture(machine)
    with TemporaryDirectory() as folder, steps_progress("energy", 0) as step:
        training, held_out = measure_core(gates, architecture, Path(folder), simulator, step)
    table = CoreTable(gates, architecture, training, held_out)
    path = (project_folder() or Path()) / "models" / "power" / f"{table.name}.yaml"
    command = f"gnomon calibrate {core.name} -o {machine.name} --energy {liberty.name}"
    write_file(path, table.yaml(command))
    return {"name": table.name, "file": str(path), **table.to_json()}


def _describe_energy(table: dict[str, object]) -> Iterator[str]:
    if table:
        yield (f"energy of {table['programs']} held-out programs: data path off by a median of "
               f"{table['median_percent']} %, at most {table['worst_percent']} %; with clock and "
               f"leakage at most {table['worst_total_percent']} %")  # fmt: skip
        yield f"written: {table['file']}"
