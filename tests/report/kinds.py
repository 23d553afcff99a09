"""One page of each kind."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from gnomon.base.files import write_file
from gnomon.cli.app import app
from gnomon.content.reports.paper.results import Results
from gnomon.content.reports.paper.study import paper_page
from gnomon.explore import make_sweep, run_sweep
from gnomon.report.calibrate_page import calibration_page
from gnomon.report.run_page import run_page
from gnomon.report.sweep import write_sweep_report
from tests.report.sweep.conftest import kernel_sweep
from tests.report.test_by_line import SLEEPER, view

ROOT = Path(__file__).parents[2]
KINDS = ("run", "live", "sweep", "many", "paper", "calibrate", "diff", "deploy", "index",
         "pipeline", "choose", "study")  # fmt: skip
KNOB = {"key": "vcu.simd", "values": ["4", "8"], "value": "4", "unit": "", "meaning": "lanes"}
TIMELINE = [(f"lw x{at}, {at}(sp)", at % 3 + 1, 2) for at in range(12)]


def write_kinds(folder: Path, pages: Path, why: Path) -> dict[str, Path]:
    """Write the pages that no other fixture has; one of the sweeps has an axis of 40 values."""
    found, _ = view(folder, SLEEPER, "t13-simd4", trace=True)
    clocks = [f"{mhz} MHz" for mhz in range(10, 50)]
    write_sweep_report(run_sweep(make_sweep(kernel_sweep())), folder / "sweep")
    many = kernel_sweep(axes={"clock": clocks, "vcu.simd": [1, 8]},
                        fixed={"variant": "vector", "n": 2}, constraints=[])  # fmt: skip
    write_sweep_report(run_sweep(make_sweep(many)), folder / "many")
    write_file(folder / "live.html", run_page(found, [KNOB]))
    write_file(folder / "paper.html", paper_page(Results(ROOT / "reports"))[0])
    stages, ranked = folder / "pipeline.html", folder / "choose.html"
    study = folder / "study.html"
    for words in (
        f"deploy {ROOT / 'examples' / 'pipeline' / 'pipeline.yaml'} --html {stages}",
        (
            f"choose --d 8 --arms 10 --regret 0.2 --deadline 1ms --html {ranked}"
            " --decisions-per-day 1000"
        ),
        f"report page {ROOT / 'reports' / 'softucb' / 'softucb.md'} --out {study}",
    ):
        assert CliRunner().invoke(app, words.split()).exit_code == 0
    keys = {"load": 3, "divide": [{"operands": "of equal size", "cycles": [3, 34]}]}
    how = dict.fromkeys(keys, "pairs of loads at three distances, 12 programs")
    calibrated = calibration_page("tiny.yaml", "Refused:\n lw x3, 8(x2)", keys, how, (), TIMELINE)
    write_file(folder / "calibrate.html", calibrated)
    return {
        "run": why, "live": folder / "live.html", "sweep": folder / "sweep" / "index.html",
        "many": folder / "many" / "index.html", "paper": folder / "paper.html",
        "calibrate": folder / "calibrate.html", "diff": pages / "diff.html",
        "deploy": pages / "deploy" / "wearable.html", "index": pages / "index.html",
        "pipeline": stages, "choose": ranked,
        "study": study,
    }  # fmt: skip
