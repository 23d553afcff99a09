"""Rewards that come late, in batches or never; propensities; policies that no longer learn."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.ares.learner import AresFactorLearner
from gnomon.content.algorithms.bento_epsilon_greedy.learner import LazyEpsilonGreedy
from gnomon.content.algorithms.linucb_disjoint.learner import DisjointLinUCBOptimized
from gnomon.learn import Trace
from tests.rows import light_and_heavy

ROUNDS, P = 4_000, 30


def _explored(delay: int, *, seed: int, batch: bool) -> np.ndarray:
    """Rewards learned of each arm where they come ``delay`` decisions late, or in batches."""
    learner = LazyEpsilonGreedy(arms=3, dimensions=2, p=P, seed=seed)
    rng, waiting = np.random.default_rng(seed), []
    for _ in range(ROUNDS):
        waiting.append(learner.decide(rng.normal(size=2)))
        if len(waiting) == delay:
            for decision in waiting if batch else waiting[:1]:
                learner.learn(decision, 1.0)
            waiting = [] if batch else waiting[1:]
    return learner.count


@pytest.mark.parametrize("batch", [True, False], ids=["batches", "delays"])
@pytest.mark.parametrize("delay", light_and_heavy("studies", 1, [16, 1, 4]))
def test_epsilon_greedy_learns_its_exploration_alone_however_late(delay: int, batch: bool) -> None:
    """First p steps in turn, then each with probability p / t: p + p (H(T) - H(p)) in the mean."""
    expected = P + sum(P / t for t in range(P + 1, ROUNDS + 1))
    found = np.mean([_explored(delay, seed=seed, batch=batch) for seed in range(6)], axis=0)
    assert found.sum() == pytest.approx(expected, rel=0.1)
    assert found == pytest.approx(expected / 3, rel=0.15)  # each arm has its share


def test_select_and_update_refuse_what_they_cannot_tell() -> None:
    learner = LazyEpsilonGreedy(arms=3, dimensions=2, p=3)
    contexts = np.random.default_rng(0).normal(size=(4, 2))
    arms = [learner.select(x) for x in contexts]
    message = r"^4 selections have no reward yet, and bento-epsilon-greedy must know which of them"
    with pytest.raises(GnomonError, match=message):
        learner.update(contexts[0], arms[0], 1.0)
    learner.update(contexts[3], arms[3], 1.0)  # the last selection is known
    learner.update([0.5, 0.5], 2, 1.0)  # and an arm not selected here was explored elsewhere
    assert learner.count.sum() == 2


def test_a_decision_is_recorded_as_a_selection() -> None:
    context = [0.6, 0.8]
    traces = []
    for late in (False, True):
        learner = DisjointLinUCBOptimized(arms=3, dimensions=2)
        with Trace.record() as trace:
            for _ in range(3):
                if late:
                    learner.learn(learner.decide(context), 1.0)
                else:
                    learner.update(context, learner.select(context), 1.0)
        traces.append(trace)
    for stage in ("select", "update"):
        assert traces[0].operations(stage) == traces[1].operations(stage)


def test_a_reward_is_learned_once_or_lost() -> None:
    learner = LazyEpsilonGreedy(arms=3, dimensions=2, p=3)
    one, other = learner.decide([1.0, 0.0]), learner.decide([0.0, 1.0])
    assert (one.arm, other.arm) == (1, 2)  # turns are those of decisions
    learner.learn(other, None)
    for decision in (other, one):
        if decision is one:
            learner.learn(one, 1.0)
        with pytest.raises(GnomonError, match=rf"^decision {decision.number} waits for no reward"):
            learner.learn(decision, 1.0)
    assert learner.decide([1.0, 0.0]).arm == 0  # a lost reward does not turn the time back


def test_a_learner_of_past_contexts_takes_rewards_in_order() -> None:
    learner = AresFactorLearner(arms=2, dimensions=1, windows=1)
    decision = learner.decide([1.0])
    with pytest.raises(GnomonError, match="must learn the reward of a decision before the next"):
        learner.decide([1.0])
    learner.learn(decision, 0.5)
    assert learner.decide([1.0]).number == 1


def test_a_perturbed_learner_leaves_propensities() -> None:
    """Inverse propensities of its log estimate what each arm would have earned."""
    rng, draws = np.random.default_rng(0), np.random.default_rng(1)
    learner = DisjointLinUCBOptimized(arms=3, dimensions=1, alpha=0.1)
    earned = np.zeros(3)
    for _ in range(6_000):
        decision = learner.decide([1.0], perturb=0.3, generator=draws)
        reward = float(rng.random() < (0.2, 0.5, 0.8)[decision.arm])
        learner.learn(decision, reward)
        assert decision.probability is not None
        earned[decision.arm] += reward / decision.probability
    assert earned / 6_000 == pytest.approx([0.2, 0.5, 0.8], abs=0.06)  # 3 standard errors
    with pytest.raises(GnomonError, match="perturb needs a generator"):
        learner.decide([1.0], perturb=0.3)
    randomized = LazyEpsilonGreedy(arms=3, dimensions=1)
    with pytest.raises(GnomonError, match="perturb needs a learner that draws nothing"):
        randomized.decide([1.0], perturb=0.3, generator=draws)


def test_without_exploration_the_least_known_arm_is_not_played() -> None:
    learner = DisjointLinUCBOptimized(arms=2, dimensions=1, alpha=5.0)
    for _ in range(10):
        learner.update([1.0], 0, 1.0)
    assert (learner.select([1.0]), learner.exploit([1.0])) == (1, 0)
    with pytest.raises(GnomonError, match="ares has no estimate of rewards without"):
        AresFactorLearner(arms=2, dimensions=1).exploit([1.0])
