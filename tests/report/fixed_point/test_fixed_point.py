"""The report of a tiny study: its page to the letter, its files, the same bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError
from gnomon.base.progress import Steps
from gnomon.base.tables import read_csv_table
from gnomon.cli.app import app
from gnomon.content.reports.fixed_point import study as command
from gnomon.content.reports.fixed_point.cells import FixedPointStudy, StudySize, run_fixed_point
from gnomon.content.reports.fixed_point.host_run import checkpoints
from gnomon.content.reports.fixed_point.study import fixed_point_report
from gnomon.measure.regret import RegretCase, RegretCell

GOLDEN = Path(__file__).parent / "tiny.md"


def _cells(case: RegretCase, bits: tuple[int, ...]) -> tuple[RegretCell, ...]:
    variants = ("standard", "optimized")
    return tuple(RegretCell(case, "paper", variant, each) for variant in variants for each in bits)


D = RegretCase("linucb-disjoint", "normal", 400, 3, arms=3)
H = RegretCase("linucb-hybrid", "uniform", 150, 2, 2, arms=3)
SCALED = RegretCase("linucb-disjoint", "normal", 400, 3, arms=3, context_scale=0.25)
OTHER = RegretCase("linucb-disjoint", "normal", 400, 3, arms=3, seed=2)
TINY = StudySize(
    "tiny",
    (
        *_cells(D, (8, 16, 25)),
        RegretCell(D, "paper", "optimized-vector", 15),
        RegretCell(D, "tuned", "optimized", 15),
        *_cells(H, (16,)),
        *_cells(SCALED, (8,)),
        RegretCell(OTHER, "tuned", "optimized", 15),
    ),
    {"linucb-hybrid": 100},
)
FILES = [
    "fixed-point.md",
    "cells.csv.xz",
    "events.csv.xz",
    "curves.csv.xz",
    "float.csv",
    *(f"{name}.{kind}" for name in ("life", "regret", "reward", "inverse") for kind in ("svg",)),
]


HEAVY = pytest.mark.heavy("studies")


@pytest.fixture(scope="module", params=[pytest.param(TINY, marks=HEAVY, id="tiny")])
def study(request: pytest.FixtureRequest) -> FixedPointStudy:
    titles: list[str] = []
    result = run_fixed_point(request.param, Steps(lambda done, total, name: titles.append(name)))
    assert titles == [cell.title for cell in TINY.cells]
    return result


@pytest.fixture(scope="module")
def answer(study: FixedPointStudy, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the command prints, with files that it has written: drawing them takes long."""
    folder = tmp_path_factory.mktemp("fixed_point")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "run_fixed_point", lambda *_, **__: study)
        run = CliRunner().invoke(app, ["experiment", "fixed-point", "--out", str(folder), "--json"])
    assert run.exit_code == 0
    printed: dict[str, Any] = json.loads(run.stdout)
    assert {Path(name).parent for name in printed["files"]} == {folder}
    return printed


@pytest.fixture(scope="module")
def written(answer: dict[str, Any]) -> tuple[Path, ...]:
    return tuple(map(Path, answer["files"]))


def rows(path: Path) -> list[dict[str, str]]:
    return [dict(row.values) for row in read_csv_table(path)]


def test_the_page_is_as_it_was(study: FixedPointStudy) -> None:
    assert fixed_point_report(study).page() == GOLDEN.read_text()


def test_files(written: tuple[Path, ...]) -> None:
    assert [path.name for path in written] == FILES
    assert written[0].read_text() == GOLDEN.read_text()


def test_tables(study: FixedPointStudy, written: tuple[Path, ...]) -> None:
    folder = written[0].parent
    cells = rows(folder / "cells.csv.xz")
    assert [int(row["fraction_bits"]) for row in cells] == [c.fraction_bits for c in TINY.cells]
    for row, result in zip(cells, study.results, strict=True):
        assert row["regret_left_round"] == str(result.left_regret.for_good or "")
        assert row["cause"] == result.cause
        assert (row["overflows"] == "") == (result.overflows is None)
    overflowing = [row for row in cells if row["fraction_bits"] == "25"]
    assert {row["cause"] for row in overflowing} == {"overflow"}
    assert all(int(row["overflows"]) > 0 for row in overflowing)
    events = rows(folder / "events.csv.xz")
    assert len(events) == sum(len(result.events) for result in study.results)
    assert all(int(row["earliest_round"]) <= int(row["round"]) for row in events)
    curves = rows(folder / "curves.csv.xz")
    assert {row["round"] for row in curves} == {
        str(stop) for rounds in (150, 400) for stop in checkpoints(rounds)[::-2]
    }
    assert len(rows(folder / "float.csv")) == sum(
        len(checkpoints(case.rounds)[::-2]) for case in (D, H, SCALED, OTHER)
    )


def test_the_command_prints_its_cells(answer: dict[str, Any]) -> None:
    assert len(answer["cells"]) == len(TINY.cells)
    assert answer["cells"][0]["variant"] == "standard"


def test_an_unknown_size_is_refused() -> None:
    run = CliRunner().invoke(app, ["experiment", "fixed-point", "--size", "fulll"])
    assert isinstance(run.exception, GnomonError)
    assert str(run.exception) == (
        "there is no size 'fulll' (allowed: small, full, did you mean 'full'?)"
    )
