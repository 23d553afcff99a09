"""The report of the small experiment: files, the same bytes, every criterion on the page."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.cli._app import app
from gnomon.learn import Criterion
from gnomon.learn import softucb as learn_softucb
from gnomon.learn.softucb import SoftucbExperiment, run_softucb
from gnomon.report.criteria import criteria_csv, summary, verdict
from gnomon.report.softucb import write_softucb

if TYPE_CHECKING:
    from pathlib import Path

FILES = [
    "softucb.md",
    *(f"softucb_{name}.csv" for name in ("criteria", "regret", "curves", "training", "sweep")),
    *(f"softucb_{name}.{kind}" for name in ("regret", "training", "width") for kind in ("svg",)),
]


@pytest.fixture(scope="module")
def experiment() -> SoftucbExperiment:
    return run_softucb("small")


def test_files(experiment: SoftucbExperiment, tmp_path: Path) -> None:
    first = write_softucb(experiment, tmp_path / "a")
    assert [path.name for path in first] == FILES
    second = write_softucb(experiment, tmp_path / "b")
    for one, two in zip(first, second, strict=True):
        assert one.read_bytes() == two.read_bytes()
    page = (tmp_path / "a" / "softucb.md").read_text()
    for criterion in experiment.criteria:
        assert criterion.what in page
    assert "{" not in page


def test_command(
    experiment: SoftucbExperiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learn_softucb, "run_softucb", lambda *_, **__: experiment)
    runner = CliRunner()
    run = runner.invoke(app, ["experiment", "softucb", "--out", str(tmp_path), "--json"])
    assert run.exit_code == 0, run.output
    answer = json.loads(run.stdout)
    assert len(answer["criteria"]) == len(experiment.criteria)
    assert all(each["met"] for each in answer["criteria"] if each["asserted"])
    wrong = runner.invoke(app, ["experiment", "softucb", "--jester", "a.npy"])
    assert wrong.exit_code != 0


CASES = [
    (Criterion("X", "a", 0.5, most=1.0), "yes", "at most 1"),
    (Criterion("X", "a", 1.5, most=1.0), "**no**", "at most 1"),
    (Criterion("X", "a", 1.5, least=1.0, most=2.0), "yes", "1 to 2"),
    (Criterion("X", "a", 0.5, least=1.0), "**no**", "at least 1"),
    (Criterion("X", "a", float("nan"), most=1.0), "**no**", "at most 1"),
    (Criterion("X", "a", 0.5, least=1.0, weak=True), "shown (no)", "at least 1"),
]


@pytest.mark.parametrize(("criterion", "shown", "limit"), CASES)
def test_verdicts(criterion: Criterion, shown: str, limit: str) -> None:
    assert (verdict(criterion), criterion.limit) == (shown, limit)


def test_a_missed_criterion_is_counted() -> None:
    criteria = [case[0] for case in CASES]
    assert summary(criteria) == ("2 of 5 met; 1 more are weak, and shown without being asserted.")
    rows = list(csv.DictReader(io.StringIO(criteria_csv(criteria))))
    assert [row["met"] for row in rows] == ["yes", "no", "yes", "no", "no", "no"]
