"""Estimates of a learner's reward from rounds that another policy has played."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

from gnomon.base.interval import Interval
from gnomon.learn.kernels import Floats

CONFIDENCE = 0.95
"""Of all intervals."""

_Z = NormalDist().inv_cdf((1.0 + CONFIDENCE) / 2.0)


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate of the average reward that a learner would have earned.

    Attributes:
        value: average reward per round.
        standard_error: of ``value``; not known (None) from fewer than 2 rounds.
        rounds: rounds that entered it.
        matched: those of them in which the learner and the log chose the same arm.
    """

    value: float
    standard_error: float | None
    rounds: int
    matched: int

    @property
    def interval(self) -> Interval | None:
        """95 % by the normal distribution; None where the error is not known, or nothing varied."""
        if not self.standard_error:  # no click at all says little, not that the rate is surely 0
            return None
        half = _Z * self.standard_error
        return Interval(self.value, self.value - half, self.value + half)


def mean_reward(rewards: Floats) -> Estimate:
    """The mean of the rewards of matched rounds, at least one."""
    return weighted(rewards, rewards * 0.0 + 1.0, len(rewards))


def weighted(rewards: Floats, propensities: Floats, rounds: int) -> Estimate:
    """Inverse-propensity estimate: the mean over all rounds, 0 where the arms differ.

    Args:
        rewards: of the matched rounds, (n).
        propensities: probabilities with which the log chose those arms, (n).
        rounds: all of them, matched or not; at least one.
    """
    weighed = rewards / propensities
    mean = float(weighed.sum()) / rounds
    if rounds < 2:
        return Estimate(mean, None, rounds, len(rewards))
    # Rounds that do not match differ from the mean by all of it.
    squares = float(((weighed - mean) ** 2).sum()) + (rounds - len(rewards)) * mean**2
    return Estimate(mean, sqrt(squares / (rounds - 1) / rounds), rounds, len(rewards))


def self_normalised(rewards: Floats, propensities: Floats, rounds: int) -> Estimate:
    """The same, divided by the mean weight: a small bias for less variance.

    Args:
        rewards: of the matched rounds, (n), at least one.
        propensities: (n).
        rounds: all of them, matched or not.
    """
    weights = 1.0 / propensities
    value = float((weights * rewards).sum() / weights.sum())
    spread = sqrt(float((weights**2 * (rewards - value) ** 2).sum())) / float(weights.sum())
    return Estimate(value, spread if rounds > 1 else None, rounds, len(rewards))


def doubly_robust(
    expected: Floats, of_logged: Floats, rewards: Floats, weights: Floats
) -> Estimate:
    """What a model of rewards expects, corrected where the log shows its error.

    The direct method has weights of 0; switching (Wang, Agarwal and Dudik, 2017) those that are not
    too large.

    Args:
        expected: reward of the arm that would have been played, by the model, (T).
        of_logged: reward of the arm that was, by the model, (T).
        rewards: that came, (T).
        weights: one over the propensity where both arms are the same, else 0, (T).
    """
    terms = expected + weights * (rewards - of_logged)
    rounds, matched = len(terms), int((weights > 0).sum())
    error = float(terms.std(ddof=1)) / sqrt(rounds) if rounds > 1 else None
    return Estimate(float(terms.mean()), error, rounds, matched)


def wilson_interval(clicks: float, rounds: float) -> Interval:
    """A share with its 95 % interval by Wilson's score (1927); it stays within 0 and 1."""
    share, square = clicks / rounds, _Z * _Z / rounds
    centre = (share + square / 2.0) / (1.0 + square)
    half = _Z * sqrt(share * (1.0 - share) / rounds + square / (4.0 * rounds)) / (1.0 + square)
    return Interval(share, max(centre - half, 0.0), min(centre + half, 1.0))
