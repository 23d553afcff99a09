"""The page of learners on click logs, and the command: what it says of where clicks come from."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError
from gnomon.cli._app import app
from gnomon.learn.logged import STAND_INS, run_logged, write_stand_in
from gnomon.report.learners import logged_report, write_learner_report

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.learn.logged import LoggedExperiment

LEARNERS = ("uniform", "linucb-disjoint/optimized")


@pytest.fixture(scope="module")
def synthetic() -> LoggedExperiment:
    return run_logged("small", log_format="open-bandit", learners=LEARNERS, rounds=600)


def test_files(synthetic: LoggedExperiment, tmp_path: Path) -> None:
    first = write_learner_report(logged_report(synthetic), tmp_path / "a")
    assert [path.name for path in first] == [
        "logged.md",
        "logged-criteria.csv",
        "logged-logs.csv",
        "logged-replay.csv",
        "logged-taught.csv",
        "logged-rates.svg",
    ]
    second = write_learner_report(logged_report(synthetic), tmp_path / "b")
    for one, two in zip(first, second, strict=True):
        assert one.read_bytes() == two.read_bytes()


def test_a_stand_in_says_so(synthetic: LoggedExperiment) -> None:
    report = logged_report(synthetic)
    assert "SYNTHETIC" in report.title
    assert report.about[0].startswith("**SYNTHETIC. No real click is on this page.**")
    assert report.command == (
        "gnomon experiment logged --size small --format open-bandit --learner uniform --learner"
        " linucb-disjoint/optimized --rounds 600 --dimensions 12 --seed 0"
    )
    assert [each.met for each in report.criteria] == [True, True]
    logs = report.tables[0]
    assert logs.rows[0][logs.columns.index("data")] == "synthetic stand-in"


def test_a_log_by_path(tmp_path: Path) -> None:
    log = write_stand_in(STAND_INS["yahoo-r6b"](rounds=200, seed=4), tmp_path / "log")
    arguments = ["experiment", "logged", "--format", "yahoo-r6b", "--data", str(log.parent)]
    arguments += ["--learner", "ucb1", "--out", str(tmp_path / "out"), "--json"]
    run = CliRunner().invoke(app, arguments)
    assert run.exit_code == 0, run.output
    answer = json.loads(run.stdout)
    assert answer["criteria"] == []  # nothing is known of the truth
    page = (tmp_path / "out" / "logged.md").read_text()
    assert "SYNTHETIC" not in page
    assert "## Criteria" not in page
    assert not (tmp_path / "out" / "logged-criteria.csv").exists()
    (row,) = csv.DictReader(io.StringIO((tmp_path / "out" / "logged-replay.csv").read_text()))
    assert row["learner"] == "ucb1"
    assert float(row["rate_low"]) <= float(row["rate"]) <= float(row["rate_high"])
    assert row["rate_at_site"] == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["logged", "--format", "movielens"], "there is no format 'movielens'"),
        (["logged", "--size", "big"], "there is no size 'big'"),
    ],
)
def test_options_that_do_not_fit(arguments: list[str], message: str, tmp_path: Path) -> None:
    run = CliRunner().invoke(app, ["experiment", *arguments, "--out", str(tmp_path / "out")])
    assert isinstance(run.exception, GnomonError)
    assert message in str(run.exception)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("option", ["--rounds", "--learner", "--format"])
def test_options_of_another_experiment(option: str) -> None:
    run = CliRunner().invoke(app, ["experiment", "ares", option, "5"])
    assert run.exit_code == 2
    assert "No such option" in run.output
