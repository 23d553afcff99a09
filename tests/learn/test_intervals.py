"""Intervals of estimates from logs: coverage on logs of sites whose rates are known."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from gnomon.content.reports.logged.estimators import ESTIMATORS, LOGGED_BY, RATES, Site
from gnomon.learn import Log, find_learner
from gnomon.learn.estimates import Support, mean_reward, self_normalised, weighted, wilson_interval
from gnomon.learn.learner import Learner

ARMS, LENGTH, LOGS, ROUNDS = 8, 5, 40, 100
LEAST_HELD = 0.95 - 3.0 * (0.95 * 0.05 / LOGS) ** 0.5
"""Share of the intervals that hold: 95 % less three standard errors."""


def taught(site: Site) -> Learner:
    learner: Learner = find_learner("linucb-disjoint", "optimized")(arms=ARMS, dimensions=LENGTH)
    lesson = site.log(np.random.default_rng(1), 300)
    for context, arm, click in zip(lesson.contexts, lesson.chosen, lesson.rewards, strict=True):
        learner.update(context, int(arm), float(click))
    return learner


@pytest.mark.parametrize(("logged_by", "rates"), list(product(LOGGED_BY, RATES)))
@pytest.mark.parametrize("policy", ["linucb-disjoint", "uniform"])
def test_intervals_cover(policy: str, logged_by: str, rates: str) -> None:
    """Every estimator, however the log explored and however rare a click is."""
    rng = np.random.default_rng(7)
    site = Site(rng, logged_by, rates)
    learner = (
        find_learner("uniform")(arms=ARMS, dimensions=LENGTH)
        if policy == "uniform"
        else taught(site)
    )
    contexts = site.contexts(rng, 4_000)
    if learner.exploits:
        arms = [learner.exploit(context) for context in contexts]
        truth = site.rates(contexts)[np.arange(len(arms)), arms].mean()
    else:
        truth = site.rates(contexts).mean()
    found = [site.log(rng, ROUNDS).estimates(learner) for _ in range(LOGS)]
    for name in ESTIMATORS:
        ends = [each[name].interval for each in found if name in each]
        held = [end.low <= truth <= end.high for end in ends if end is not None]
        assert len(held) >= LOGS / 5  # where no click came, none has an interval
        assert np.mean(held) >= LEAST_HELD, name


@pytest.mark.parametrize("scale", [1.0, 25.0, -3.0])
def test_intervals_follow_the_unit_of_rewards(scale: float) -> None:
    """Normal rewards, in other units and of the other sign: the same intervals, scaled."""
    rng = np.random.default_rng(3)
    site = Site(rng)
    log, learner = site.log(rng, 200), find_learner("uniform")(arms=ARMS, dimensions=LENGTH)
    rewards = rng.normal(0.4, 1.0, 200)

    def ends(factor: float) -> dict[str, list[float]]:
        given = Log(ARMS, log.chosen, rewards * factor, log.propensities, log.contexts)
        found = {name: each.interval for name, each in given.estimates(learner).items()}
        return {
            name: sorted([interval.low / factor, interval.high / factor])
            for name, interval in found.items()
            if interval is not None
        }

    once, scaled = ends(1.0), ends(scale)
    assert set(once) == set(ESTIMATORS)
    for name, interval in once.items():
        assert scaled[name] == pytest.approx(interval, rel=1e-9)


@pytest.mark.parametrize("clicks", [0, 1, 7, 20])
def test_a_uniform_log_has_the_interval_of_a_share(clicks: int) -> None:
    """Of weights of 1 it is Agresti and Coull's: about Wilson's, for the two have one center."""
    rewards = np.array([1.0] * clicks + [0.0] * (20 - clicks))
    wilson = wilson_interval(clicks, 20)
    center = (wilson.low + wilson.high) / 2.0
    for estimate in (
        mean_reward(rewards, Support(1.0, 0.0, 1.0)),
        weighted(rewards, np.ones(20), 20, Support(1.0, 0.0, 1.0)),
        self_normalised(rewards, np.ones(20), 20, Support(1.0, 0.0, 1.0)),
    ):
        interval = estimate.interval
        assert interval is not None
        assert interval.low <= min(wilson.low + 1e-9, clicks / 20)
        assert interval.high >= max(wilson.high - 1e-9, clicks / 20)
        if 0 < clicks < 20:
            assert (interval.low + interval.high) / 2.0 == pytest.approx(center)


@pytest.mark.parametrize("reward", [0.0, 1.0, -2.5])
def test_rewards_that_never_vary_have_no_interval(reward: float) -> None:
    rng = np.random.default_rng(0)
    log = Site(rng).log(rng, 50)
    same = Log(ARMS, log.chosen, np.full(50, reward), log.propensities, log.contexts)
    learner = find_learner("uniform")(arms=ARMS, dimensions=LENGTH)
    assert {each.interval for each in same.estimates(learner).values()} == {None}


@pytest.mark.parametrize("discount", [0.5, 0.9, 0.99])
def test_d_ucb_takes_the_logarithm_of_the_discounted_rounds(discount: float) -> None:
    """Garivier and Moulines (2011), section 2.1, beside a plain sum over the past."""
    learner = find_learner("d-ucb")(arms=3, dimensions=1, discount=discount, scale=0.7)
    rng, past = np.random.default_rng(2), []
    for at in range(60):
        chosen = learner.select([1.0])
        ages = [discount ** (at - 1 - then) for then, _, _ in past]
        counts, sums = np.zeros(3), np.zeros(3)
        for age, (_, arm, reward) in zip(ages, past, strict=True):
            counts[arm] += age
            sums[arm] += age * reward
        if at >= 3:
            bonus = 0.7 * np.sqrt(2.0 * np.log(counts.sum()) / counts)
            assert chosen == (sums / counts + bonus).argmax()
        reward = float(rng.random() < (0.2, 0.5, 0.6)[chosen])
        past.append((at, chosen, reward))
        learner.update([1.0], chosen, reward)
