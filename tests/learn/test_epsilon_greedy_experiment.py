"""The small experiment must meet its criteria, and its report must say so."""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.linucb_disjoint.learner import DisjointLinUCBOptimised
from gnomon.learn.epsilon_greedy import (
    BENTO_SIZES,
    BentoExperiment,
    bento_criteria,
    bento_steps,
    find_bento_size,
    linucb_regrets,
    run_bento,
    unit_bandit,
)
from gnomon.report.learners import bento_report, write_learner_report

if TYPE_CHECKING:
    from pathlib import Path

STEPS: list[str] = []


@cache
def small() -> BentoExperiment:
    return run_bento(BENTO_SIZES["small"], STEPS.append)


@pytest.mark.parametrize("name", ["A1", "A2", "A3", "A4", "A4 median", "A5", "A6", "A8"])
def test_criterion(name: str) -> None:
    found = {each.name: each for each in bento_criteria(small())}
    assert found[name].met, found[name]


def test_criteria_can_fail() -> None:
    """Twice the regret meets neither the prediction nor the slope."""
    bad = replace(small().instances[0], regret_ratio=2.0, slope_ratio=2.0)
    criteria = bento_criteria(replace(small(), instances=(bad,)))
    assert [each.name for each in criteria if not each.met] == ["A3", "A4", "A4 median"]


def test_progress_is_told_as_often_as_promised() -> None:
    small()
    assert len(STEPS) == bento_steps(BENTO_SIZES["small"])


def test_linucb_on_many_runs_is_linucb() -> None:
    runs = [unit_bandit(seed=seed).draw(300, seed=seed) for seed in (1, 2)]
    regrets = linucb_regrets(runs, alpha=0.7)
    for run, found in zip(runs, regrets, strict=True):
        learner = DisjointLinUCBOptimised(arms=6, dimensions=3, alpha=0.7)
        for step, which in enumerate(run.which):
            context = run.bandit.contexts[which]
            arm = learner.select(context)
            assert run.bandit.gaps[which, arm] == pytest.approx(found[step], abs=1e-12)
            reward = run.rewards(np.array([step]), np.array([arm]))[0]
            learner.update(context, arm, float(reward))


def test_the_report_shows_every_criterion(tmp_path: Path) -> None:
    report = bento_report(small())
    paths = write_learner_report(report, tmp_path)
    again = write_learner_report(report, tmp_path / "again")
    assert [path.read_bytes() for path in paths] == [path.read_bytes() for path in again]
    text = (tmp_path / "bento-epsilon-greedy.md").read_text()
    assert "8 of 8 met" in text
    with (tmp_path / "bento-epsilon-greedy-criteria.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["criterion"] for row in rows] == [each.name for each in report.criteria]
    assert {row["met"] for row in rows} == {"yes"}
    assert all(f"({path.name})" in text for path in paths if path.suffix == ".svg")


def test_an_unknown_size() -> None:
    with pytest.raises(GnomonError) as error:
        find_bento_size("smal")
    assert str(error.value) == (
        "there is no size 'smal' (allowed: small, full, did you mean 'small'?)"
    )
