"""Environments with few contexts, and whole runs at once, against sums and against the learners."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.bento_epsilon_greedy.learner import (
    EpochGreedy,
    FixedEpsilonGreedy,
    LazyEpsilonGreedy,
    RankOneEpsilonGreedy,
)
from gnomon.content.reports.bento_epsilon_greedy.bandits import (
    bernoulli_bandit,
    doubled_bandit,
    skewed_bandit,
    unit_bandit,
)
from gnomon.content.reports.bento_epsilon_greedy.simulate import (
    EPOCHS,
    constant,
    falling,
    simulate_exploring,
)


@pytest.mark.parametrize(
    ("kind", "settings", "schedule", "arms"),
    [
        (LazyEpsilonGreedy, {"p": 60}, falling(60), 6),
        (RankOneEpsilonGreedy, {"p": 60}, falling(60, ridge=1.0), 6),
        (FixedEpsilonGreedy, {"epsilon": 0.1}, constant(0.1), 6),
        (FixedEpsilonGreedy, {"epsilon": 0.1}, constant(0.1), 40),
        (EpochGreedy, {}, EPOCHS, 6),
    ],
)
def test_a_run_at_once_is_that_of_the_learner(
    kind: Any, settings: Any, schedule: Any, arms: int
) -> None:
    bandit = unit_bandit(seed=3, arms=arms)
    rounds = bandit.draw(1500, seed=8)
    run = simulate_exploring(rounds, schedule, seed=5)
    learner = kind(arms=arms, dimensions=3, seed=5, **settings)
    for step, which in enumerate(rounds.which):
        context = bandit.contexts[which]
        arm = learner.select(context)
        assert arm == run.arms[step]
        assert bool(learner.exploring[0]) == run.explored[step]
        reward = rounds.rewards(np.array([step]), np.array([arm]))[0]
        learner.update(context, arm, float(reward))
        assert run.regrets[step] == pytest.approx(
            bandit.means[which].max() - bandit.means[which, arm]
        )


def test_contexts_are_the_corners_of_the_paper() -> None:
    bandit = bernoulli_bandit(dimensions=3, arms=2, seed=0, odds=0.25)
    assert bandit.contexts.shape == (7, 3)
    assert np.allclose(np.linalg.norm(bandit.contexts, axis=1), 1)
    assert np.allclose(np.linalg.norm(bandit.theta, axis=1), 1)
    single = np.isclose(bandit.contexts.max(axis=1), 1)
    # P(one 1 | not all 0) = 3 / 4 9 / 16 / (1 - 27 / 64)
    assert bandit.weights[single].sum() == pytest.approx(27 / 37)


def test_quantities_of_a_bandit_by_hand() -> None:
    bandit = skewed_bandit(inverse_odds=5, seed=1, arms=2)
    gaps = bandit.gaps
    assert bandit.uniform_regret == pytest.approx(gaps[0].max() / 10 + gaps[1].max() * 4 / 10)
    assert bandit.largest_distance == pytest.approx(
        np.linalg.norm(bandit.theta[0] - bandit.theta[1])
    )


def test_rewards_follow_their_law() -> None:
    count = 20_000
    steps, arms = np.arange(count), np.zeros(count, dtype=np.int64)
    for bandit, spread in (
        (unit_bandit(seed=2), 0.1),
        (bernoulli_bandit(dimensions=3, arms=2, seed=2), 0.1 / np.sqrt(3)),
    ):
        rounds = bandit.draw(count, seed=0)
        noise = rounds.rewards(steps, arms) - bandit.means[rounds.which, 0]
        assert noise.std() == pytest.approx(spread, rel=0.03)
    doubled = doubled_bandit(seed=2)
    rounds = doubled.draw(count, seed=0)
    ratio = rounds.rewards(steps, arms) / doubled.means[rounds.which, 0]
    assert 0 <= ratio.min() < 0.01
    assert 1.99 < ratio.max() <= 2


def test_wrong_numbers_are_refused() -> None:
    for rounds, seed, message in (
        (0, 1, "the number of rounds must be at least 1, not 0"),
        (5, -1, "the seed must not be negative, not -1"),
    ):
        with pytest.raises(GnomonError) as error:
            unit_bandit(seed=0).draw(rounds, seed)
        assert str(error.value) == message
