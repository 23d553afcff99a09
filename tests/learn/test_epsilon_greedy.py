"""Bento et al.'s learner and what it is compared with, against their definitions."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.bento_epsilon_greedy.baselines import LinRel
from gnomon.content.algorithms.bento_epsilon_greedy.learner import (
    EpochGreedy,
    EpsilonGreedy,
    FixedEpsilonGreedy,
    LazyEpsilonGreedy,
    RankOneEpsilonGreedy,
)
from gnomon.learn import Trace, load_learner, save_learner
from gnomon.learn.checks import walk

if TYPE_CHECKING:
    from pathlib import Path


def test_a_lazy_solve_chooses_as_the_literal_algorithm_does() -> None:
    """Criterion A9: exactly, and theta to the last bit."""
    literal = EpsilonGreedy(arms=4, dimensions=3, p=20)
    lazy = LazyEpsilonGreedy(arms=4, dimensions=3, p=20)
    assert walk(literal, 400) == walk(lazy, 400)
    assert np.array_equal(literal._theta(), lazy._theta())


def test_the_round_robin_begins_with_the_second_arm() -> None:
    assert walk(LazyEpsilonGreedy(arms=3, dimensions=2, p=7), 7) == [1, 2, 0, 1, 2, 0, 1]


def test_an_exploited_step_learns_nothing_and_the_state_stays_as_large() -> None:
    """Criterion A10."""
    learner = LazyEpsilonGreedy(arms=3, dimensions=2, p=6, seed=1)
    rng = np.random.default_rng(0)
    size_bytes, explored = learner.state_size_bytes, 0
    for _ in range(300):
        context = rng.normal(size=2)
        before = {name: learner.state[name].copy() for name in ("a", "b", "count")}
        arm = learner.select(context)
        exploring = bool(learner.exploring[0])
        explored += exploring
        learner.update(context, arm, 1.0)
        same = all(np.array_equal(before[name], learner.state[name]) for name in before)
        assert same != exploring
        assert learner.state_size_bytes == size_bytes
    assert learner.count.sum() == explored
    assert 6 < explored < 60  # p (1 + ln(300 / p)) is 29


def test_the_estimate_is_that_of_the_paper() -> None:
    """(A / n + I / sqrt(n)) theta = b / n."""
    learner = EpsilonGreedy(arms=2, dimensions=3)
    rng = np.random.default_rng(5)
    x, r = rng.normal(size=(50, 3)), rng.normal(size=50)
    for context, reward in zip(x, r, strict=True):
        learner.update(context, 1, float(reward))
    ridge = x.T @ x / 50 + np.eye(3) / np.sqrt(50)
    assert np.allclose(learner._theta()[1], np.linalg.solve(ridge, x.T @ r / 50), rtol=1e-12)
    assert not learner._theta()[0].any()


def test_rank_one_is_ridge_regression_with_a_ridge_of_1() -> None:
    learner = RankOneEpsilonGreedy(arms=2, dimensions=3)
    rng = np.random.default_rng(5)
    x, r = rng.normal(size=(50, 3)), rng.normal(size=50)
    for context, reward in zip(x, r, strict=True):
        learner.update(context, 1, float(reward))
    assert np.allclose(learner.theta[1], np.linalg.solve(x.T @ x + np.eye(3), x.T @ r))


def test_odds_fall_as_p_over_t_or_stay() -> None:
    """Of 3,000 coins at t = 1,000 each: within 5 standard deviations."""
    for learner, odds in (
        (LazyEpsilonGreedy(arms=3, dimensions=1, p=200), 0.2),
        (FixedEpsilonGreedy(arms=3, dimensions=1, epsilon=0.05), 0.05),
    ):
        learner.steps = 999
        arms = [learner._explored_arm() for _ in range(3000)]
        explored = [arm for arm in arms if arm is not None]
        assert abs(len(explored) / 3000 - odds) < 5 * np.sqrt(odds * (1 - odds) / 3000)
        assert abs(explored.count(0) / len(explored) - 1 / 3) < 0.15


def test_epochs_grow_by_one_step() -> None:
    learner = EpochGreedy(arms=2, dimensions=2)
    rng = np.random.default_rng(0)
    explored = []
    for step in range(1, 21):
        context = rng.normal(size=2)
        arm = learner.select(context)
        if learner.exploring[0]:
            explored.append(step)
        learner.update(context, arm, 1.0)
    assert explored == [1, 3, 6, 10, 15]
    x = np.array([1.0, 2.0])
    learner = EpochGreedy(arms=1, dimensions=2)
    learner.update(x, 0, 3.0)
    assert np.allclose(learner.theta[0], np.linalg.pinv(x[None]) @ [3.0])  # of smallest norm


def test_linrel_sets_directions_aside() -> None:
    learner = LinRel(arms=2, dimensions=2, alpha=0.5)
    for _ in range(4):
        learner.update([1.0, 0.0], 0, 2.0)
    # Seen along the first axis only: 2 x_1, 0.5 |x_1| / sqrt(4), and all of x_2.
    assert np.allclose(learner.scores([3.0, -4.0]), [6.0 + 0.5 * 3.0 / 2 + 4.0, 5.0])


def test_counts_are_those_of_the_storage_table() -> None:
    """Kernels of an explored, a first exploited and a later exploited step, d = 8, K = 6."""
    learner = LazyEpsilonGreedy(arms=6, dimensions=8, p=6)
    context = np.ones(8)
    with Trace.record() as explored:
        learner.update(context, learner.select(context), 1.0)
    assert explored.operations().mac == 8 * 9 // 2  # and b += r x
    assert explored.operations().multiply == explored.operations().add == 8
    learner.steps = 10**9  # coins never explore
    with Trace.record() as first:
        learner.select(context)
    with Trace.record() as later:
        learner.select(context)
    solve = first.operations().mac - later.operations().mac + first.operations().multiply
    assert solve == 176
    assert later.operations().mac == 48
    assert later.operations().compare == 5
    assert later.operations().random == 1


def test_a_generator_of_another_kind_is_saved_too(tmp_path: Path) -> None:
    learner = LazyEpsilonGreedy(arms=3, dimensions=4, p=3)
    learner.generator = np.random.Generator(np.random.MT19937(4))
    walk(learner, 40)
    loaded = load_learner(save_learner(learner, tmp_path / "a.npz"))
    assert walk(learner, 40, seed=1) == walk(loaded, 40, seed=1)


def test_a_damaged_generator_is_named(tmp_path: Path) -> None:
    learner = LazyEpsilonGreedy(arms=3, dimensions=4)
    path = save_learner(learner, tmp_path / "a.npz")
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["learner.json"] = members["learner.json"].replace(b'"PCG64"', b'"PCG65"')
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.raises(GnomonError) as error:
        load_learner(path)
    assert str(error.value) == f"{path}: learner.json is damaged: generator: KeyError('PCG65')"
