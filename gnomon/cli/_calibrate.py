"""``gnomon calibrate``: from the RTL of a core to its machine file."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

from gnomon.cli._answer import Answer, answers
from gnomon.cli._options import argument, option, output_file


@answers(2)
def calibrate(
    core: Annotated[Path, argument("CORE.yaml", "What the core is made of.")],
    *,
    out: Path = output_file("--out -o FILE", "Write the machine file here.", ...),
    simulator: Literal["icarus", "verilator"] = option(
        "--simulator", "What runs the RTL.", "icarus"
    ),
    report: Path | None = output_file(
        "--report FILE", "Write a page: what was measured, residual, timeline.", None
    ),
) -> Answer:
    """Measure an in-order core as RTL; write a machine that is exact, or say why none is.

    Microbenchmarks run on the RTL; then random programs, whose every instruction must
    take as long on core and machine. Where no machine file can say what the core does, nothing is
    written, and the smallest program found shows it.
    """
    from gnomon.base.files import write_file
    from gnomon.calibrate.calibration import Calibration, Refused
    from gnomon.report.calibrate_page import calibration_page

    made = None
    try:
        with TemporaryDirectory() as folder:
            made = Calibration.of(core, Path(folder), simulator)
            trial = Path(folder) / "machine.yaml"
            trial.write_text(made.text(), encoding="utf-8")
            held = made.check(trial)
    except Refused as refused:
        if report is not None:
            keys, how = (made.inferred.latency, made.inferred.evidence) if made else ({}, {})
            told = f"Refused: {refused}"
            page = calibration_page(str(core), told, keys, how, timeline=refused.timeline)
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
