"""Disjoint LinUCB on many runs at once, one NumPy call for all of them in each step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.learn.epsilon_greedy._environment import FiniteRounds
    from gnomon.learn.kernels import Floats


def linucb_regrets(runs: Sequence[FiniteRounds], alpha: float) -> Floats:
    """Regret of each step of each run, (runs, T), with a regularisation of 1.

    The choices are those of ``linucb-disjoint optimized`` where no two scores tie within rounding.
    """
    bandit = runs[0].bandit
    d, rounds, count = bandit.dimensions, len(runs[0].which), len(runs)
    which = np.array([run.which for run in runs])
    contexts = np.array([run.bandit.contexts for run in runs])
    gaps = np.array([run.bandit.gaps for run in runs])
    steps, rows = np.arange(rounds), np.arange(count)
    rewards = np.array(
        [[run.rewards(steps, np.full(rounds, arm)) for arm in range(bandit.arms)] for run in runs]
    )
    inverses = np.tile(np.eye(d), (count, bandit.arms, 1, 1))
    theta = np.zeros((count, bandit.arms, d))
    regrets = np.empty((count, rounds))
    for step in range(rounds):
        x = contexts[rows, which[:, step]]
        spread = inverses @ x[:, None, :, None]
        variances = (spread[..., 0] * x[:, None]).sum(axis=2)
        scores = (theta * x[:, None]).sum(axis=2) + alpha * np.sqrt(variances)
        arms = scores.argmax(axis=1)
        regrets[:, step] = gaps[rows, which[:, step], arms]
        w = spread[rows, arms, :, 0]
        gain = w / (1.0 + variances[rows, arms])[:, None]
        inverses[rows, arms] -= gain[:, :, None] * w[:, None, :]
        error = rewards[rows, arms, step] - (theta[rows, arms] * x).sum(axis=1)
        theta[rows, arms] += gain * error[:, None]
    return regrets
