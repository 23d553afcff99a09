"""The report of the small experiment: files, the same bytes, every criterion on the page."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from gnomon.cli.app import app
from gnomon.content.reports.softucb import study
from gnomon.content.reports.softucb.experiment import SoftucbExperiment, run_softucb
from gnomon.content.reports.softucb.study import softucb_criteria, softucb_report
from gnomon.report.criteria import Criterion, criteria_frame, summary, verdict

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.heavy("studies")

FILES = [
    "softucb.md",
    *("criteria.csv", "regret.csv", "curves.csv.xz", "training.csv", "sweep.csv"),
    *(f"{name}.svg" for name in ("regret", "training", "width")),
]


@pytest.fixture(scope="module")
def experiment() -> SoftucbExperiment:
    return run_softucb("small")


def test_files(experiment: SoftucbExperiment, tmp_path: Path) -> None:
    first = softucb_report(experiment).write(tmp_path / "a")
    assert [path.name for path in first] == FILES
    text = (tmp_path / "a" / "softucb.md").read_text()
    assert text == softucb_report(experiment).page()
    for criterion in softucb_criteria(experiment):
        assert criterion.what in text
    assert "{" not in text


def words(experiment: SoftucbExperiment) -> str:
    return " ".join(softucb_report(experiment).page().split())


def test_sentences_follow_the_regret(experiment: SoftucbExperiment) -> None:
    text = words(experiment)
    assert "(5) in this setup (76% of it), and needs no given width." in text
    assert "Most of the gain comes from the smaller width: LinUCB with the best of four" in text
    assert "and 3.23 with eta = 0.03: eta determines the width." in text
    (comparison,) = experiment.comparisons
    played = comparison.played
    worse = {**played, "linucb": replace(played["softucb-offline"], final=np.ones(50)),
             "linucb-tuned": played["uniform"]}  # fmt: skip
    other = replace(
        experiment,
        comparisons=(
            comparison,
            replace(comparison, setup=replace(comparison.setup, name="mid"), played=worse),
        ),
        divergence=experiment.divergence.assign(beta=[2.0, 1.0]),
    )
    text = words(other)
    assert "LinUCB with the width of equation (5) in 1 of 2 setups (76% to" in text
    assert "The gain exceeds that of a smaller width" in text
    assert "is as good as SoftUCB in only 1 of 2 setups" in text
    assert "a larger eta does not give a larger width here." in text


def test_sentences_follow_table_1_and_the_trap(experiment: SoftucbExperiment) -> None:
    def table(noise: float, rows: list[tuple[int, int, float]]) -> pd.DataFrame:
        found = pd.DataFrame(rows, columns=["d", "rounds", "beta"])
        return found.assign(noise_std=noise, beta_std=0.0, beta_error=0.0, theory=2.0, regret=10.0,
                            linucb=20.0)  # fmt: skip

    def ends(**rules: tuple[float, float]) -> pd.DataFrame:
        return pd.DataFrame.from_dict(rules, orient="index", columns=["share", "beta"])

    grows = [(5, 256, 0.3), (5, 1024, 0.5), (15, 1024, 0.7)]
    falls = [(5, 256, 0.5), (5, 1024, 0.3), (15, 1024, 0.1)]
    full = replace(
        experiment,
        table_1=pd.concat([table(0.1, grows), table(0.3, falls)]),
        trap=ends(zero=(0.99, 3.5), one=(0.15, 0.1)),
    )
    text = words(full)
    assert "at the smallest d, at noise 0.1, and do not at noise 0.3;" in text
    assert "at the largest T, they grow at noise 0.1." in text
    assert "this phase never ends: regret is 99% of that of uniform play" in text
    assert "| 5 | 256 | 0.1 |" in text
    other = ends(zero=(0.5, 1.0), one=(0.5, 1.0))
    text = words(replace(full, table_1=table(0.3, falls), trap=other))
    assert "at the smallest d, at none, and do not at noise 0.3;" in text
    assert "this phase ends: regret is 50% of that of uniform play" in text


def test_the_page_names_stand_ins_and_the_command_for_real_files(
    experiment: SoftucbExperiment,
) -> None:
    text = words(replace(experiment, size="full"))
    assert "**Shown on SYNTHETIC stand-ins only:** movielens and jester." in text
    one = {"movielens": "u.data, 100,000 ratings", "jester": "synthetic stand-in"}
    text = words(replace(experiment, size="full", data=one))
    assert "**Shown on SYNTHETIC stand-ins only:** jester." in text
    assert "MovieLens: u.data, 100,000 ratings; Jester: synthetic stand-in." in text
    both = dict.fromkeys(one, "a file")
    assert "SYNTHETIC" not in words(replace(experiment, size="full", data=both))


def test_command(
    experiment: SoftucbExperiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "run_softucb", lambda *_, **__: experiment)
    runner = CliRunner()
    run = runner.invoke(app, ["experiment", "softucb", "--out", str(tmp_path), "--json"])
    assert run.exit_code == 0, run.output
    answer = json.loads(run.stdout)
    assert len(answer["criteria"]) == len(softucb_criteria(experiment))
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
    assert list(criteria_frame(criteria)["met"]) == ["yes", "no", "yes", "no", "no", "no"]
