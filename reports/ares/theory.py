"""What the theory says, checked by numbers (section 6): recursions, coverage, Theorem 4."""

from __future__ import annotations

import numpy as np

from gnomon.content.algorithms.ares.models import Bounds, WindowModels, dimension, new_factor
from gnomon.content.algorithms.ares.system import (
    LARGEST_WINDOW,
    Trajectory,
    random_system,
    simulate,
    stationary_covariance,
    steady_filter,
    window_weights,
)
from gnomon.learn.kernels import Floats

_ZERO = np.zeros(1, dtype=int)


def recursion_error(trajectory: Trajectory, window: int) -> float:
    """Largest relative difference of P, G, ln det and trace to the batch forms, first run."""
    models = WindowModels(1, 1, window)
    rounds = range(window, trajectory.rounds)
    q = np.array([trajectory.features(at, window)[0] for at in rounds])
    rewards = (trajectory.expected[:, 0, 0] + trajectory.noise[:, 0])[window:]
    for row, reward in zip(q, rewards, strict=True):
        models.learn(row[None, :], _ZERO, reward[None])
    v = np.eye(dimension(window)) + q.T @ q
    inverse = np.linalg.inv(v)
    batch: list[tuple[Floats, Floats]] = [
        (models.inverse[0, 0], inverse),
        (models.weights[0, 0], inverse @ (q.T @ rewards)),
        (models.log_determinant[0, 0], np.linalg.slogdet(v)[1]),
        (models.trace[0, 0], np.trace(inverse)),
    ]
    return max(float(np.abs(ours - exact).max() / np.abs(exact).max()) for ours, exact in batch)


def prefix_error(trajectory: Trajectory) -> float:
    """Largest difference of one factor's prefix sums to a solve for each window, first run."""
    factor = new_factor(dimension(LARGEST_WINDOW))
    models = [WindowModels(1, 1, s) for s in range(LARGEST_WINDOW + 1)]
    worst = 0.0
    for at in range(LARGEST_WINDOW, trajectory.rounds):
        q = trajectory.features(at)[:1]
        reward = trajectory.expected[at, :1, 0] + trajectory.noise[at, :1]
        ours = np.array(factor.predict(q[0]))
        for model in models:
            (mean,), (variance,) = model.predict(q, _ZERO, _ZERO)
            exact = mean, variance, model.log_determinant[0, 0]
            worst = max(worst, float(np.abs(ours[:, model.size - 1] - exact).max()))
            model.learn(q, _ZERO, reward)
        factor.learn(q[0], float(reward[0]))
    return worst


def coverage(seed: int = 17, *, runs: int = 20, rounds: int = 500) -> float:
    """Theorem 1: how often the true weights are within the width, raw units, true constants."""
    system = random_system(seed)
    stationary, kalman = stationary_covariance(system), steady_filter(system)
    trajectory = simulate(system, runs=runs, rounds=rounds, seed=3000 + seed, normalised=False)
    inside, cases = 0, 0
    pulls = np.random.default_rng(seed).integers(0, 3, size=(rounds, runs))
    each = np.arange(runs)
    of_reward = system.arms @ kalman.covariance @ system.arms.T
    largest = np.sqrt(np.trace(stationary))
    reward = float(np.sqrt(max(largest**2, np.diag(of_reward).max() + system.reward_noise)))
    arm = float(np.linalg.norm(system.arms, axis=1).max())
    for s in (0, 1, 2, 5, 10):
        weights = window_weights(system, kalman, s)
        bounds = Bounds(0.1, reward, arm, float(np.linalg.norm(weights, axis=1).max()))
        models = WindowModels(runs, 3, s)
        for at in range(s, rounds):
            means = trajectory.expected[at][each, pulls[at]] + trajectory.noise[at]
            models.learn(trajectory.features(at, s), pulls[at], means)
        off = models.weights - weights
        v = np.linalg.inv(models.inverse)
        error = np.sqrt(np.einsum("bki,bkij,bkj->bk", off, v, off))
        width = models.width(bounds, np.repeat(each, 3), np.tile(np.arange(3), runs))
        inside += int((error <= width.reshape(runs, 3)).sum())
        cases += error.size
    return inside / cases


def theorem_4(trajectory: Trajectory, bounds: Bounds, window: int = 10) -> float:
    """The bound on regret with these constants, O(n^1.5), in the trajectory's units."""
    n, _, k = trajectory.expected.shape
    size = dimension(window)
    largest = max(
        float(np.linalg.norm(trajectory.features(at, window), axis=1).mean())
        for at in range(0, n, max(n // 50, 1))
    )
    log = np.log((size + n * largest**2 / bounds.delta) / size)
    inner = 2 * bounds.reward**2 * (np.log(1 / bounds.delta) + size / 2 * log)
    width = (
        np.sqrt(inner)
        + np.sqrt(n * size) * bounds.arm * bounds.reward / bounds.delta
        + bounds.weights * np.sqrt(size)
    )
    total = 2 * k * n * width * np.sqrt(size) * largest / bounds.delta
    total += 2 * k * n * bounds.arm * bounds.reward / bounds.delta
    return float(total + k * n * np.sqrt(4 * bounds.reward**2 * np.log(1 / bounds.delta)))
