"""Whole runs at once, without a loop over single steps.

The explored steps and their arms depend on no reward. So the module samples them first, in the
order of the learners. Then it solves the weights of all arms after every explored step at once.
The exploited steps in between look up their arm by the number of their context. The choices equal
those of the learners; a test compares them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from gnomon.content.algorithms.bento_epsilon_greedy.learner import WARM_UP_STEPS
from gnomon.content.algorithms.bento_epsilon_greedy.suggest import SMALLEST_EIGENVALUE
from gnomon.learn.kernels import Floats

from .bandits import FiniteBandit, FiniteRounds

_BLOCK = 512  # explored steps whose policies are computed at a time


@dataclass(frozen=True, slots=True)
class Schedule:
    """Exploration of a learner, and its addition to A."""

    warm_up: int = 0  # steps of round robin; with constant odds at least as many as there are arms
    p: int | None = None  # odds of step t afterwards are p / t; None: they are ``epsilon``
    epsilon: float = 0.0  # constant odds
    ridge: float | None = None  # None: sqrt(n); 0: none, and the weights of smallest norm
    epochs: bool = False  # epoch l is one explored step, then l exploited ones; no warm-up, no odds


def falling(p: int, ridge: float | None = None) -> Schedule:
    """Return the schedule of ``bento-epsilon-greedy``; a ridge of 1 is the rank-one variant."""
    return Schedule(warm_up=p, p=p, ridge=ridge)


def constant(epsilon: float) -> Schedule:
    """Return the schedule of ``fixed-epsilon-greedy``."""
    return Schedule(warm_up=WARM_UP_STEPS, epsilon=epsilon)


EPOCHS = Schedule(ridge=0.0, epochs=True)
"""Of ``epoch-greedy``."""


@dataclass(frozen=True, slots=True)
class ExploringRun:
    """One run."""

    arms: NDArray[np.int64] = field(repr=False)  # played, (T)
    explored: NDArray[np.bool_] = field(repr=False)  # which steps explored, (T)
    # expected reward of the best arm less that of the one played, (T)
    regrets: Floats = field(repr=False)


def simulate_exploring(rounds: FiniteRounds, schedule: Schedule, seed: int) -> ExploringRun:
    """Play all rounds; ``seed`` is that of the learner."""
    steps, arms = _explored(len(rounds.which), rounds.bandit.arms, schedule, seed)
    return simulate_explored(rounds, schedule, steps, arms)


def simulate_explored(
    rounds: FiniteRounds, schedule: Schedule, steps: NDArray[np.int64], arms: NDArray[np.int64]
) -> ExploringRun:
    """Play all rounds, with these explored steps, which ascend from 0, and their arms."""
    bandit, total = rounds.bandit, len(rounds.which)
    rewards = rounds.rewards(steps, arms)
    theta = _weights(bandit, rounds.which[steps], arms, rewards, schedule)
    played = np.empty(total, dtype=np.int64)
    for start in range(0, len(steps), _BLOCK):
        block = slice(start, start + _BLOCK)
        # The policy after each explored step of the block, up to the next explored step.
        policy = (theta[block] @ bandit.contexts.T).argmax(axis=1)
        first = steps[start] + 1
        end = steps[start + _BLOCK] if start + _BLOCK < len(steps) else total
        later = np.arange(first, end)
        last = np.searchsorted(steps, later, side="right") - 1 - start
        played[later] = policy[last, rounds.which[later]]
    played[steps] = arms
    explored = np.zeros(total, dtype=np.bool_)
    explored[steps] = True
    return ExploringRun(played, explored, bandit.gaps[rounds.which, played])


def _explored(
    total: int, arms: int, schedule: Schedule, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return explored steps, from 0, and their arms, sampled as the learners sample."""
    if schedule.epochs:
        epochs = np.arange((isqrt(9 + 8 * (total - 1)) - 3) // 2 + 1)
        drawn = np.random.default_rng(seed).random(len(epochs))
        return epochs * (epochs + 3) // 2, (drawn * arms).astype(np.int64)
    # Constant odds do not depend on the arms: each arm is still explored once.
    turns = schedule.warm_up if schedule.p is not None else max(schedule.warm_up, arms)
    warm_up = min(turns, total)
    steps = list(range(warm_up))
    chosen = [(step + 1) % arms for step in steps]
    draws = np.random.default_rng(seed).random(2 * (total - warm_up)).tolist()
    at = 0
    for step in range(warm_up, total):
        coin = draws[at]
        at += 1
        if coin < schedule.epsilon if schedule.p is None else coin * (step + 1) < schedule.p:
            steps.append(step)
            chosen.append(int(draws[at] * arms))
            at += 1
    return np.array(steps, dtype=np.int64), np.array(chosen, dtype=np.int64)


def _weights(
    bandit: FiniteBandit,
    contexts: NDArray[np.int64],
    arms: NDArray[np.int64],
    rewards: Floats,
    schedule: Schedule,
) -> Floats:
    """Return the weights of all arms after each explored step, (steps, K, d)."""
    d = bandit.dimensions
    x = bandit.contexts[contexts]
    theta = np.zeros((len(arms), bandit.arms, d))
    for arm in range(bandit.arms):
        own = np.flatnonzero(arms == arm)
        if not len(own):
            continue
        a = np.cumsum(x[own, :, None] * x[own, None, :], axis=0)
        b = np.cumsum(rewards[own, None] * x[own], axis=0)
        count = np.arange(1, len(own) + 1)
        if schedule.ridge == 0:
            inverses = np.linalg.pinv(a, rcond=SMALLEST_EIGENVALUE, hermitian=True)
            solved: Floats = (inverses @ b[..., None])[..., 0]
        else:
            ridge = schedule.ridge or np.sqrt(count)
            kept = a + np.broadcast_to(ridge, len(own))[:, None, None] * np.eye(d)
            solved = np.linalg.solve(kept, b[..., None])[..., 0].astype(np.float64, copy=False)
        last = np.searchsorted(own, np.arange(len(arms)), side="right") - 1
        seen = last >= 0
        theta[seen, arm] = solved[last[seen]]
    return theta


def linucb_regrets(runs: Sequence[FiniteRounds], alpha: float) -> Floats:
    """Return regret per step and run, (runs, T), of disjoint LinUCB with a regularization of 1.

    The choices are those of ``linucb-disjoint optimized`` where no two scores tie within rounding.
    """
    bandit = runs[0].bandit
    d, rounds, count = bandit.dimensions, len(runs[0].which), len(runs)
    which, contexts, gaps, rewards = map(np.array, zip(*(
        (run.which, run.bandit.contexts, run.bandit.gaps, run.all_rewards()) for run in runs
    ), strict=True))  # fmt: skip
    rows = np.arange(count)
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
        error = rewards[rows, step, arms] - (theta[rows, arms] * x).sum(axis=1)
        theta[rows, arms] += gain * error[:, None]
    return regrets
