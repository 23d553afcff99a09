"""``gnomon calibrate``: measure the RTL of a core and write its machine file."""

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
            keys, how = (made.inferred.latency, made.inferred.evidence) if made else ({}, {})
            verdict = f"Refused: {refused}"
            page = calibration_page(str(core), verdict, keys, how, timeline=refused.timeline)
            write_file(report, page)
        raise
    write_file(out, made.text(held))
    found = made.inferred
    if report is not None:
        page = calibration_page(made.source, str(held), found.latency, found.evidence, found.notes)
        write_file(report, page)
    answer = {"name": made.name, **held.to_json(), "latency": found.latency,
              "evidence": found.evidence, "notes": found.notes}  # fmt: skip
    notes = (f"note: {note}" for note in found.notes)
    yield answer, [f"{made.name}: {held}", *notes, f"written: {out}"]
