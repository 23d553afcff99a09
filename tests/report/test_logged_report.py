"""The page of learners on click logs, and the command: what it says of where clicks come from."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError
from gnomon.cli.app import app
from gnomon.content.reports.logged.estimators import COVERAGE_LOGS
from gnomon.content.reports.logged.experiment import run_logged
from gnomon.content.reports.logged.stand_in import STAND_INS, write_stand_in
from gnomon.content.reports.logged.study import logged_report

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.content.reports.logged.experiment import LoggedExperiment

LEARNERS = ("uniform", "linucb-disjoint/optimized")


HEAVY = pytest.mark.heavy("studies")


@pytest.fixture(scope="module", params=[pytest.param("small", marks=HEAVY)])
def synthetic(request: pytest.FixtureRequest) -> LoggedExperiment:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(COVERAGE_LOGS, "small", 4)
        return run_logged(request.param, log_format="open-bandit", learners=LEARNERS, rounds=600)


def test_files(synthetic: LoggedExperiment, tmp_path: Path) -> None:
    first = logged_report(synthetic).write(tmp_path / "a")
    assert [path.name for path in first] == [
        "logged.md",
        "logged-criteria.csv",
        "logged-logs.csv",
        "logged-replay.csv",
        "logged-taught.csv",
        "logged-estimators.csv",
        "logged-coverage.csv",
        "logged-rates.svg",
    ]
    second = logged_report(synthetic).write(tmp_path / "b")
    for one, two in zip(first, second, strict=True):
        assert one.read_bytes() == two.read_bytes()


def words(experiment: LoggedExperiment, folder: Path) -> str:
    return " ".join(logged_report(experiment).write(folder)[0].read_text().split())


def test_a_stand_in_says_so(synthetic: LoggedExperiment, tmp_path: Path) -> None:
    text = words(synthetic, tmp_path)
    assert text.startswith("# Learners on logged clicks (SYNTHETIC stand-ins) Made by")
    assert "**SYNTHETIC. This page contains no real clicks.**" in text
    assert (
        "`gnomon experiment logged --size small --format open-bandit --learner uniform --learner"
        " linucb-disjoint/optimized --rounds 600 --dimensions 12 --seed 0`"
    ) in text
    (row,) = csv.DictReader(io.StringIO((tmp_path / "logged-logs.csv").read_text()))
    assert row["data"] == "synthetic stand-in"


def test_other_numbers_give_other_sentences(synthetic: LoggedExperiment, tmp_path: Path) -> None:
    text = words(synthetic, tmp_path)
    assert "2 of 2 met. All estimates agree with the known values within their errors." in text
    assert "On open-bandit no learner is above the ranking by more than the interval." in text
    (run,) = synthetic.runs
    first, second = run.evaluation.outcomes
    better = replace(run.evaluation, outcomes=(first, replace(second, true_rate=0.5)))
    good = words(replace(synthetic, runs=(replace(run, evaluation=better),)), tmp_path)
    assert "the true rate of LinUCB is above that of the uniform policy, 0.5000" in good
    assert "continue to explore: uniform." in text
    table = synthetic.estimators
    assert table is not None
    assert "Biased by more than three standard errors: direct." in text
    honest = table.assign(mean_error="0.0001", interval_holds_percent="95.0", rms_error="0.02")
    honest.loc[honest["estimator"] == "snips", "rms_error"] = "0.01"
    lucky = replace(first, replay=replace(first.replay, clicks=900, rounds=1000), true_rate=0.99)
    evaluation = replace(run.evaluation, outcomes=(lucky, second))
    other = replace(synthetic, runs=(replace(run, evaluation=evaluation),), estimators=honest)
    text = words(other, tmp_path)
    assert "the true rate of LinUCB is below that of the uniform policy" in text
    assert "snips has the least error. None is biased by more than three standard errors." in text
    assert "Intervals that cover the true rate in significantly fewer" not in text
    assert (
        "0 of 2 met. Estimates differ from known values by more than their errors explain: replay"
        " open-bandit and IPS open-bandit."
    ) in text
    assert "On open-bandit uniform is above the ranking by more than the interval." in text


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
