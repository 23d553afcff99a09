"""B1 to B5 and Lemma 1: checks that hold independently of the learned data."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gnomon.content.algorithms.softucb.arm_sets import synthetic_arm_sets
from gnomon.content.algorithms.softucb.index import (
    confidence_width,
    covariance_term,
    index,
    next_gamma,
    weights,
)
from gnomon.content.algorithms.softucb.policy import SoftPolicy, play
from gnomon.learn.kernels import Floats

TABLE_1_CASES = ((5, 256), (5, 512), (5, 1024), (10, 1024), (15, 1024))
"""d and T of the columns of Table 1."""

_SUBGAUSSIAN = 0.1**0.5  # R; inferred: the only natural value that gives the printed row


def check_formulas(published_width: Mapping[Any, float]) -> dict[str, float]:
    """Return the error of each of B1 to B5 and Lemma 1.

    Args:
        published_width: the row of equation (5) in Table 1, by d and T.
    """
    forms, slope = _identities()
    return {
        "B1": _widths(published_width), "B2 forms": forms, "B2 slope": slope,
        "Lemma 1": _lemma_1(1.0), "Lemma 1 half": _lemma_1(0.5), "B3": _lemma_2(),
        "B4": _incremental(), "B5": _finite(),
    }  # fmt: skip


def _widths(published: Mapping[Any, float]) -> float:
    ours = {case: confidence_width(*case, subgaussian=_SUBGAUSSIAN) for case in published}
    return max(abs(float(np.floor(100 * ours[case]) / 100 - published[case])) for case in ours)


def _instances(count: int, arms: int, seed: int) -> tuple[Floats, Floats, Floats, Floats]:
    rng = np.random.default_rng(seed)
    means = rng.uniform(-1.0, 1.0, (count, arms))
    norms = rng.uniform(0.01, 0.6, (count, arms))
    return means, norms, rng.uniform(0.05, 1.5, count), rng.uniform(0.0, 20.0, count)


def _identities() -> tuple[float, float]:
    """Return errors of the simplified forms against the paper's own, one arm at a time."""
    means, norms, beta, gamma = _instances(400, 12, 1)
    ours = index(means, norms, beta)
    soft = weights(ours.upper, gamma)
    gradient = covariance_term(means, norms, soft, gamma)
    worst = slope = 0.0
    for row, (mean, norm, width, sharp) in enumerate(zip(means, norms, beta, gamma, strict=True)):
        best = int((mean - width * norm).argmax())
        phi, delta = norm + norm[best], mean[best] - mean
        slack = width * phi - delta  # equation (7)
        exact = np.exp(sharp * (slack - slack.max()))
        pi = exact / exact.sum()
        worst = max(
            worst,
            float(np.abs(soft[row] / soft[row].sum() - pi).max()),
            abs(float(slack[slack >= 0].max() - ours.largest_gap[row])),
            float(((slack < 0) != ours.suboptimal[row]).any()),
        )
        derivative = sharp * pi * (phi - pi @ phi)
        worst = max(worst, abs(float(mean @ derivative - gradient[row])))
        step = 1e-6

        def reward(at: float, mean: Floats = mean, phi: Floats = phi, sharp: float = sharp,
                   delta: Floats = delta) -> float:  # fmt: skip
            power = np.exp(sharp * (at * phi - delta - (at * phi - delta).max()))
            return float(mean @ power / power.sum())

        difference = (reward(width + step) - reward(width - step)) / (2 * step)
        slope = max(slope, abs(difference - float(gradient[row])))
    return worst, slope


def _lemma_1(share: float) -> float:
    """Count instances of 6,000 whose best arm has a negative index.

    True means are sampled within the bounds; the index has ``share`` times these bounds.
    """
    means, norms, beta, _ = _instances(6000, 12, 6)
    width = 0.3 * norms * beta[:, None]
    true = means + width * np.random.default_rng(7).uniform(-1.0, 1.0, means.shape)
    of = index(means, 0.3 * norms, share * beta)
    best = true.argmax(axis=1)
    return float(of.suboptimal[np.arange(len(best)), best].sum())


def _lemma_2() -> float:
    """Return the least share of arms outside L by gamma of the same round: at least delta."""
    means, norms, beta, _ = _instances(6000, 12, 2)
    of = index(means, 0.3 * norms, beta)
    some = of.suboptimal.any(axis=1)
    delta = 0.99
    soft = weights(of.upper, next_gamma(of, delta))
    outside = np.where(of.suboptimal, 0.0, soft).sum(axis=1) / soft.sum(axis=1)
    return float(outside[some][:1000].min())


def _incremental(rounds: int = 2000) -> float:
    arm_sets = synthetic_arm_sets(count=4, arms=20, dimensions=8, noise_std=0.1, seed=3)
    rng = np.random.default_rng(3)
    policy = SoftPolicy(arm_sets, rng, beta=0.6)
    right = np.zeros((4, 8))
    direct = np.tile(np.eye(8), (4, 1, 1))
    rows = np.arange(4)
    for _ in range(rounds):
        arms = policy.choose()
        rewards = arm_sets.means[rows, arms] + 0.1 * rng.standard_normal(4)
        x = arm_sets.features[rows, arms]
        direct += x[:, :, None] * x[:, None, :]
        right += x * rewards[:, None]
        policy.learn(arms, rewards)
    inverse = np.linalg.inv(direct)
    theta = (inverse @ right[:, :, None])[..., 0]
    kept = policy.regression
    squares = np.einsum("bki,bij,bkj->bk", arm_sets.features, inverse, arm_sets.features)
    return max(
        float(np.abs(kept.inverse - inverse).max()),
        float(np.abs(kept.squares - squares).max()),
        float(np.abs(kept.means - (arm_sets.features @ theta[:, :, None])[..., 0]).max()),
    )


def _finite() -> float:
    """Return errors of uniform weights, gamma 0; of finite gamma and weights, S_max 0."""
    means, norms, beta, _ = _instances(200, 9, 4)
    uniform = weights(index(means, norms, beta).upper, np.zeros(200))
    off = float(np.abs(uniform - 1.0).max())
    tight = index(np.zeros((1, 9)), np.zeros((1, 9)), 0.5)
    sharp = next_gamma(tight, 0.99)
    sums = weights(tight.upper, sharp).sum(axis=1)
    finite = bool(np.isfinite(sharp).all() and np.isfinite(sums).all() and (sums > 0).all())
    arm_sets = synthetic_arm_sets(count=3, arms=5, dimensions=3, noise_std=0.0, seed=5)
    rng = np.random.default_rng(5)
    regret = play(arm_sets, SoftPolicy(arm_sets, rng, beta=1e-3), 300, rng)
    return off + float(not finite) + float(not np.isfinite(regret).all())
