"""The committed studies are what their sweep files give."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from gnomon.explore import evaluate_tasks, make_task, read_sweep, run_sweep
from gnomon.report.sweep._page import points_csv
from gnomon.report.sweep._shown import select_shown
from tests.rows import light_and_heavy

ROOT = Path(__file__).resolve().parents[3]
STUDIES = sorted(path.name for path in (ROOT / "reports" / "sweeps").iterdir())


def test_there_are_studies() -> None:
    assert len(STUDIES) >= 4


@pytest.mark.parametrize("name", STUDIES)
def test_the_page_is_of_the_sweep_file(name: str) -> None:
    sweep = read_sweep(ROOT / "examples" / f"{name}.yaml")
    page = (ROOT / "reports" / "sweeps" / name / "index.html").read_text()
    assert len(page) < 1_000_000
    assert sweep.fingerprint in page


@pytest.mark.parametrize(
    "name",
    light_and_heavy("studies", 2, sorted(STUDIES, key=lambda name: name.startswith("bits-")), str),
)
def test_one_point_measured_again(name: str) -> None:
    sweep = read_sweep(ROOT / "examples" / f"{name}.yaml")
    with (ROOT / "reports" / "sweeps" / name / "points.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    row = next(row for row in rows if row["recommended"] == "yes")
    (outcome,) = evaluate_tasks([make_task(sweep, sweep.point(int(row["point"])))])
    for column in ("time_us", "wall_cycles", "memory_bytes", "energy_uj", "area_luts"):
        assert float(row[column]) == pytest.approx(outcome.metrics[column], rel=1e-5), column


@pytest.mark.heavy("studies")
@pytest.mark.parametrize("name", STUDIES)
def test_every_point_measured_again(name: str) -> None:
    result = run_sweep(read_sweep(ROOT / "examples" / f"{name}.yaml"), jobs=2)
    committed = (ROOT / "reports" / "sweeps" / name / "points.csv").read_text()
    assert points_csv(select_shown(result)) == committed
