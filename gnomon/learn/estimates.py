"""Estimates of a learner's reward from rounds that another policy has played."""

from dataclasses import dataclass, replace
from math import sqrt
from statistics import NormalDist

import numpy as np

from gnomon.base.interval import Interval
from gnomon.learn.kernels import Floats

CONFIDENCE = 0.95
"""Confidence level of all intervals."""

_Z = NormalDist().inv_cdf((1.0 + CONFIDENCE) / 2.0)
_ADDED = _Z * _Z / 2.0
"""Number of rounds added at each end of the range of rewards."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Estimate of the average reward that a learner would have earned.

    Attributes:
        value: average reward per round.
        standard_error: of ``value``; None if there are fewer than 2 rounds.
        rounds: rounds that entered the estimate.
        matched: rounds in which the learner and the log chose the same arm.
        interval: the 95 % interval; None if there are fewer than 2 rounds, or if no reward varied:
            a log without a click does not show that the rate is 0. Each function below states the
            method; ``gnomon.learn.Log.estimates`` states the measured coverage.
    """

    value: float
    standard_error: float | None
    rounds: int
    matched: int
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Support:
    """Range of rounds that the log could have held, beyond the rounds that it sampled.

    Attributes:
        most_weight: the largest weight of a round, one over the least propensity of the log.
        least_reward: the least reward of the log.
        most_reward: the largest reward of the log.
    """

    most_weight: float
    least_reward: float
    most_reward: float

    @property
    def varied(self) -> bool:
        """Whether the log has two different rewards."""
        return self.least_reward < self.most_reward


def mean_reward(rewards: Floats, support: Support) -> Estimate:
    """Return the mean of the rewards of matched rounds, at least one."""
    return weighted(rewards, rewards * 0.0 + 1.0, len(rewards), support)


def weighted(rewards: Floats, propensities: Floats, rounds: int, support: Support) -> Estimate:
    """Return the inverse-propensity estimate: the mean over all rounds, 0 where the arms differ.

    The interval adds z^2 / 2 = 1.92 rounds of the largest weight with the least reward, and as many
    with the largest reward, as Agresti and Coull (1998) do for a share. A log that explored rarely
    holds few of the decisive rounds, so the spread of the observed rounds is too small.

    Args:
        rewards: of the matched rounds, (n).
        propensities: probabilities with which the log chose those arms, (n).
        rounds: number of all rounds, matched or not; at least one.
        support: of the whole log.
    """
    weighed = rewards / propensities
    matched, mean = len(rewards), float(weighed.sum()) / rounds
    if rounds < 2:
        return Estimate(mean, None, rounds, matched)
    added = np.array([support.least_reward, support.most_reward]) * support.most_weight
    count = rounds + 2.0 * _ADDED
    center = (float(weighed.sum()) + _ADDED * float(added.sum())) / count
    error = sqrt(_squares(weighed, mean, rounds) / (rounds - 1) / rounds)
    widened = _squares(weighed, center, rounds) + _ADDED * float(((added - center) ** 2).sum())
    interval = _around(mean, center, sqrt(widened) / count) if support.varied else None
    return Estimate(mean, error, rounds, matched, interval)


def _squares(weighed: Floats, mean: float, rounds: int) -> float:
    """Return the sum of squares about the mean; unmatched rounds have the value 0."""
    return float(((weighed - mean) ** 2).sum()) + (rounds - len(weighed)) * mean**2


def self_normalised(
    rewards: Floats, propensities: Floats, rounds: int, support: Support
) -> Estimate:
    """Return the self-normalized estimate: divided by the mean weight, small bias, less variance.

    The interval adds the same rounds as the interval of :func:`weighted`.

    Args:
        rewards: of the matched rounds, (n), at least one.
        propensities: (n).
        rounds: number of all rounds, matched or not.
        support: of the whole log.
    """
    weights = 1.0 / propensities
    value, error = _share(weights, rewards)
    if rounds < 2:
        return Estimate(value, None, rounds, len(rewards))
    ends, added = (support.least_reward, support.most_reward), _ADDED * support.most_weight
    total = float(weights.sum()) + 2.0 * added
    center = (float((weights * rewards).sum()) + added * sum(ends)) / total
    squares = float((weights**2 * (rewards - center) ** 2).sum())
    squares += _ADDED * support.most_weight**2 * sum((end - center) ** 2 for end in ends)
    interval = _around(value, center, sqrt(squares) / total) if support.varied else None
    return Estimate(value, error, rounds, len(rewards), interval)


def _share(weights: Floats, rewards: Floats) -> tuple[float, float]:
    """Return the weighted mean and its standard error."""
    total = float(weights.sum())
    value = float((weights * rewards).sum()) / total
    return value, sqrt(float((weights**2 * (rewards - value) ** 2).sum())) / total


def doubly_robust(
    expected: Floats, of_logged: Floats, rewards: Floats, weights: Floats
) -> Estimate:
    """Return the estimate of a model of rewards, corrected by the errors that the log shows.

    The direct method has weights of 0; switching (Wang, Agarwal and Dudik, 2017) keeps weights up
    to a limit. The interval assumes a normal distribution. It covers neither the bias of the model
    nor rounds that the log lacks: see :func:`covering`.

    Args:
        expected: reward of the arm that would have been played, by the model, (T).
        of_logged: reward of the arm that was played, by the model, (T).
        rewards: observed rewards, (T).
        weights: one over the propensity where both arms are the same, else 0, (T).
    """
    terms = expected + weights * (rewards - of_logged)
    rounds, matched = len(terms), int((weights > 0).sum())
    value = float(terms.mean())
    if rounds < 2:
        return Estimate(value, None, rounds, matched)
    error = float(terms.std(ddof=1)) / sqrt(rounds)
    return Estimate(value, error, rounds, matched, _around(value, value, error) if error else None)


def covering(estimate: Estimate, unbiased: Estimate) -> Estimate:
    """Return an estimate whose interval includes that of an estimate without a model of rewards.

    The interval is None if the unbiased estimate has no interval.
    """
    value, wide = estimate.value, unbiased.interval
    if wide is None:
        return replace(estimate, interval=None)
    own = estimate.interval or Interval(value, value, value)
    low, high = min(own.low, wide.low), max(own.high, wide.high)
    return replace(estimate, interval=Interval(value, low, high))


def _around(value: float, center: float, error: float) -> Interval:
    """Return the interval about a center, extended to include the value."""
    half = _Z * error
    return Interval(value, min(value, center - half), max(value, center + half))


def wilson_interval(clicks: float, rounds: float) -> Interval:
    """Return a share with its 95 % interval by Wilson's score (1927), within 0 and 1."""
    share, square = clicks / rounds, _Z * _Z / rounds
    centre = (share + square / 2.0) / (1.0 + square)
    half = _Z * sqrt(share * (1.0 - share) / rounds + square / (4.0 * rounds)) / (1.0 + square)
    return Interval(share, max(centre - half, 0.0), min(centre + half, 1.0))
