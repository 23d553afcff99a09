"""Learners that save work: what they leave out, and what they compute where they do not."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.content.algorithms.linucb_disjoint.learner import DisjointLinUCBOptimized
from gnomon.content.algorithms.linucb_thrifty.learner import ThriftyLinUCB
from gnomon.content.algorithms.linucb_windows.learner import WindowsLinUCB
from gnomon.learn.checks import walk


def test_free_updates_are_all_made() -> None:
    free = ThriftyLinUCB(arms=4, dimensions=3, cost=0.0)
    plain = DisjointLinUCBOptimized(arms=4, dimensions=3)
    assert walk(free, 300) == walk(plain, 300)
    assert np.allclose(free.a_inverse, plain.a_inverse, rtol=1e-9)
    assert free.taught.sum() == 300


def test_an_update_is_made_where_it_may_change_an_arm() -> None:
    """The gain by drawing what the reward may be, against the formula; then what is left out."""
    horizon = 1_000
    one = ThriftyLinUCB(arms=2, dimensions=1, alpha=0.5, horizon=horizon)
    for arm, reward in ((0, 1.0), (1, 0.9), (0, 1.0)):
        one.update([1.0], arm, reward)
    variance, means = one.a_inverse[0, 0, 0], one.theta[:, 0]
    noise = np.random.default_rng(0).normal(size=(2, 200_000)) * 0.5
    moved = means[0] + variance / (1 + variance) * (noise[0] * np.sqrt(variance) + noise[1])
    best = np.maximum(moved, means[1]).mean() - max(means)
    gain = one._gain(variance, means, 0)
    assert gain == pytest.approx((horizon - 3) * best, rel=0.05)

    for factor, made in ((1.1, False), (0.9, True)):
        learner = one.clone()
        learner.cost = factor * gain
        before = {name: array.copy() for name, array in learner.state.items()}
        learner.update([1.0], 0, 1.0)
        same = all(np.array_equal(before[name], learner.state[name]) for name in before)
        assert same != made
    one.steps = horizon
    assert one._gain(variance, means, 0) == 0.0


def test_the_window_of_least_error_is_found() -> None:
    """Rewards of the context two rounds before: windows of two or more see it."""
    rng, learner = np.random.default_rng(1), WindowsLinUCB(arms=2, dimensions=1, windows=3)
    past = np.zeros(2)
    right = 0
    for step in range(600):
        arm = learner.select([0.0])
        right += step >= 300 and (arm == 1) == (past[1] > 0)
        context = rng.normal()
        learner.update([context], arm, (arm - 0.5) * past[1] + 0.1 * rng.normal())
        past[:] = context, past[0]
    assert learner.window >= 2
    assert right > 270


def test_one_factor_scores_as_a_regression_on_each_window() -> None:
    rng, learner = np.random.default_rng(2), WindowsLinUCB(arms=1, dimensions=2, windows=3)
    rows, rewards = [], rng.normal(size=40)
    for reward in rewards:
        rows.append(learner._features())
        learner.update(rng.normal(size=2), 0, float(reward))
    features = learner._features()
    for window in range(4):
        seen = np.array(rows)[:, : 1 + 2 * window]
        inverse = np.linalg.inv(seen.T @ seen + np.eye(seen.shape[1]))
        q = features[: seen.shape[1]]
        expected = q @ inverse @ seen.T @ rewards + 0.5 * np.sqrt(q @ inverse @ q)
        learner.errors[:2] = 1.0
        learner.errors[0, 0, window] = 0.5  # the least error
        assert learner.window == window
        assert learner.scores([0.0, 0.0])[0] == pytest.approx(expected, rel=1e-9)
