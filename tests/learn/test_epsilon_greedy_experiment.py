"""The small experiment must meet its criteria, and its report must say so."""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.frames import frame
from gnomon.content.algorithms.bento_epsilon_greedy.suggest import (
    Constants,
    running_constants,
    smallest_eigenvalue,
    suggest_p,
)
from gnomon.content.algorithms.linucb_disjoint.learner import DisjointLinUCBOptimized
from gnomon.content.reports.bento_epsilon_greedy.bandits import NOISE, unit_bandit
from gnomon.content.reports.bento_epsilon_greedy.experiment import (
    SIZES,
    SWEEP_P,
    BentoExperiment,
    run_bento,
)
from gnomon.content.reports.bento_epsilon_greedy.formats import BITS
from gnomon.content.reports.bento_epsilon_greedy.simulate import (
    falling,
    linucb_regrets,
    simulate_exploring,
)
from gnomon.content.reports.bento_epsilon_greedy.study import (
    LINUCB,
    bento_criteria,
    bento_report,
    swept,
)
from gnomon.learn import find_learner

if TYPE_CHECKING:
    from pathlib import Path


@cache
def small() -> BentoExperiment:
    return run_bento(SIZES["small"])


@pytest.mark.parametrize(
    "name",
    [
        "A1",
        "A2",
        "A3",
        "A4",
        "A4 median",
        "A5",
        "A6",
        "A8",
        "Theorem 4.1",
        "Lemma 1",
        "4.2 moments",
    ],
)
@pytest.mark.heavy("studies")
def test_criterion(name: str) -> None:
    found = {each.name: each for each in bento_criteria(small())}
    assert found[name].met, found[name]


def test_criteria_can_fail() -> None:
    """Twice the regret meets neither the prediction nor the slope."""
    bad = small().instances.head(1).assign(regret_ratio=2.0, slope_ratio=2.0)
    criteria = bento_criteria(replace(small(), instances=bad))
    assert [each.name for each in criteria if not each.met] == ["A3", "A4", "A4 median", "4.2 p"]


def test_p_grows_as_the_constants_of_theorem_4_2_say() -> None:
    found = Constants(eigenvalue=0.5, gap=0.1, noise=0.2)
    assert (found.p(4), found.p(8)) == (1600, 3200)
    assert replace(found, gap=0.05).p(4) == replace(found, eigenvalue=0.25).p(4) == 6400
    assert replace(found, noise=2.0).p(4) == 6400
    assert replace(found, gap=9.0, eigenvalue=9.0).p(4, 0.1) == 4  # not below the arms
    with pytest.raises(GnomonError, match="explored steps of each arm"):
        running_constants(np.eye(2), np.array([0, 0]), np.ones(2), np.array([True, False]), count=2)


def test_p_follows_noise_and_gap_of_the_samples() -> None:
    rng = np.random.default_rng(2)
    x, arms = rng.normal(size=(4000, 3)), np.arange(4000) % 2
    quiet, loud = (x[:, 0] * arms + rng.normal(size=4000) * noise for noise in (0.5, 3.0))
    settings = {"count": 2, "gap": 0.1}
    kind: Any = find_learner("bento-epsilon-greedy")
    assert kind.suggest_p is suggest_p
    assert suggest_p(x, arms, quiet, **settings) == pytest.approx(200, rel=0.15)
    assert suggest_p(x, arms, loud, **settings) == pytest.approx(4.5 * 200, rel=0.15)
    assert suggest_p(x / 2, arms, quiet, **settings) == pytest.approx(16 * 200, rel=0.15)
    for changed, message in (
        ({"gap": 0.0}, "gap must be a finite number above 0"),
        ({"count": 3}, "explored steps of each arm, and more than 9"),
    ):
        with pytest.raises(GnomonError, match=message):
            suggest_p(x, arms, quiet, **{**settings, **changed})
    with pytest.raises(GnomonError, match="more than 6, one for each weight; not 6"):
        suggest_p(x[:6], arms[:6], quiet[:6], **settings)


@pytest.mark.parametrize("seed", [101, 102, 103, 104])
def test_p_from_a_run_is_right_with_the_true_gap(seed: int) -> None:
    """On fresh bandits: the gap of a run is what makes its p wrong."""
    bandit = unit_bandit(seed=seed)
    best = np.sort(bandit.means, axis=1)
    gap = float((best[:, -1] - best[:, -2]).min())
    moment = bandit.contexts.T @ (bandit.weights[:, None] * bandit.contexts)
    true = Constants(smallest_eigenvalue(moment), gap, NOISE / np.sqrt(2))
    drawn = bandit.draw(8_000, seed)
    run = simulate_exploring(drawn, falling(100), seed)
    rewards = drawn.rewards(np.arange(8_000), run.arms)
    contexts = bandit.contexts[drawn.which]
    own = run.explored
    found = suggest_p(contexts[own], run.arms[own], rewards[own], count=bandit.arms, gap=gap)
    assert found / true.p(bandit.arms) == pytest.approx(1, abs=0.2)


def test_linucb_on_many_runs_is_linucb() -> None:
    runs = [unit_bandit(seed=seed).draw(300, seed=seed) for seed in (1, 2)]
    regrets = linucb_regrets(runs, alpha=0.7)
    for run, found in zip(runs, regrets, strict=True):
        learner = DisjointLinUCBOptimized(arms=6, dimensions=3, alpha=0.7)
        for step, which in enumerate(run.which):
            context = run.bandit.contexts[which]
            arm = learner.select(context)
            assert run.bandit.gaps[which, arm] == pytest.approx(found[step], abs=1e-12)
            reward = run.rewards(np.array([step]), np.array([arm]))[0]
            learner.update(context, arm, float(reward))


FORMATS = pd.DataFrame(
    [(name, bits) for name, choice in BITS.items() for bits in choice],
    columns=["variant", "fraction_bits"],
).assign(d=3, unequal_share=0.0, regret=2.0, float_regret=2.0, ratio=1.0)


def machines(exploited_us: float) -> pd.DataFrame:
    steps = {"explored": 10, "exploited after explored": 30, "exploited": exploited_us}
    rows = [("t13", "optimized", name, str(us), "0.5") for name, us in steps.items()]
    return frame(("machine", "variant", "step", "select_us", "update_us"), rows)


@pytest.mark.heavy("studies")
def test_the_page_shows_every_criterion(tmp_path: Path) -> None:
    paths = bento_report(small(), FORMATS, machines(2.0)).write(tmp_path)
    again = bento_report(small(), FORMATS, machines(2.0)).write(tmp_path / "again")
    assert [path.read_bytes() for path in paths] == [path.read_bytes() for path in again]
    text = (tmp_path / "bento-epsilon-greedy.md").read_text()
    assert "11 of 12 met" in text
    with (tmp_path / "bento-epsilon-greedy-criteria.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["criterion"] for row in rows] == [each.name for each in bento_criteria(small())]
    assert [row["criterion"] for row in rows if row["met"] == "no"] == ["4.2 p"]
    assert all(f"({path.name})" in text for path in paths if path.suffix == ".svg")


def test_other_numbers_give_other_sentences() -> None:
    def page(experiment: BentoExperiment, formats: pd.DataFrame, us: float) -> str:
        return " ".join(bento_report(experiment, formats, machines(us)).page().split())

    text = page(small(), FORMATS, 2.0)
    assert "**A well-tuned LinUCB has far lower regret**" in text
    assert "The advantage of this algorithm is the cost of a step. An exploited step" in text
    assert "optimized and optimized-vector meet them" in text
    assert "From 6 fraction bits on, `optimized-vector` loses at most 2 % of regret." in text
    poor, coarse = small().baselines.copy(), FORMATS.copy()
    poor.loc[poor["algorithm"] == LINUCB, "regret"] = 1e6
    coarse.loc[coarse["variant"] == "optimized-vector", ["unequal_share", "ratio"]] = 0.01, 1.5
    text = page(replace(small(), baselines=poor), coarse, 50.0)
    assert "has no lower regret on these problems: 1000000.0" in text
    assert "The steps of this algorithm are not cheaper" in text
    assert "optimized meets them" in text
    assert "`optimized-vector` loses more than 2 % of regret in its finest format" in text
    sweep = pd.DataFrame({"p": SWEEP_P, "slope_ratio": [5.0, 5.0, 1.0, 1.0, 1.0, 1.0]})
    found = swept(sweep.assign(regret=100.0 * sweep["p"]))
    assert found["steep"] == [12, 30]
    assert found["straight"] == [100, 300, 1000, 3000]
    assert found["best_p"] == 12
