"""Numeric checks of the theory (section 6): recursions, coverage, Theorem 4."""

import numpy as np

from gnomon.content.algorithms.ares.models import (
    DELTA,
    Bounds,
    WindowFactor,
    WindowModels,
    dimension,
)
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
    """Return the largest relative difference of P, G, ln det, trace to batch forms, first run."""
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
    """Return the largest difference of one factor's prefix sums to solves per window, first run."""
    size = dimension(LARGEST_WINDOW)
    factor = WindowFactor(np.eye(size), np.zeros(size))
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


def theorems_1_to_3() -> dict[str, float]:
    """Check theorems 1 to 3, true constants, raw units; each window plays by its own index.

    Returns:
        ``Theorem 1``: how often the true weights are within the width after the last round. The
        others are the quantities that the theorems bound over their bounds, at the quantile of
        their probability over the rounds of all runs, of the worst window. The width could be
        smaller by this factor.
    """
    system, runs, rounds = random_system(17), 20, 500
    kalman = steady_filter(system)
    trajectory = simulate(system, runs=runs, rounds=rounds, seed=3017, normalised=False)
    # B_R and B_c, raw units.
    of_reward = np.diag(system.arms @ kalman.covariance @ system.arms.T).max()
    largest = np.sqrt(np.trace(stationary_covariance(system)))
    reward = float(np.sqrt(max(largest**2, of_reward + system.reward_noise)))
    arm = float(np.linalg.norm(system.arms, axis=1).max())
    each, arms = np.arange(runs), len(system.arms)
    every, of_run = np.tile(np.arange(arms), runs), np.repeat(each, arms)
    inside, lost, missed = [], [], []
    for s in (0, 1, 2, 5, 10):
        weights = window_weights(system, kalman, s)
        bounds = Bounds(DELTA, reward, arm, float(np.linalg.norm(weights, axis=1).max()))
        models = WindowModels(runs, arms, s)
        regrets, biases = [], []
        for at in range(s, rounds):
            features = trajectory.features(at, s)
            mean, variance = models.predict(features, of_run, every)
            width = (models.width(bounds, of_run, every) * np.sqrt(variance)).reshape(runs, arms)
            mean, known = mean.reshape(runs, arms), features @ weights.T
            pulled = (mean + width).argmax(axis=1)
            rewards = trajectory.expected[at][each, pulled] + trajectory.noise[at]
            of_filter = trajectory.predicted[at][each, pulled]
            regrets.append((known.max(axis=1) - known[each, pulled]) / (2 * width[each, pulled]))
            cost = np.abs(rewards - mean[each, pulled]) + width[each, pulled]
            bias = np.abs(of_filter - known[each, pulled])
            biases.append(bias / (cost + np.abs(rewards - of_filter)))
            models.learn(features, pulled, rewards)
        lost.append(np.quantile(regrets, (1 - DELTA) ** 4))
        missed.append(np.quantile(biases, (1 - DELTA) ** 2))
        off = models.weights - weights
        v = np.linalg.inv(models.inverse)
        error = np.sqrt(np.einsum("bki,bkij,bkj->bk", off, v, off))
        inside.append(error <= models.width(bounds, of_run, every).reshape(runs, arms))
    found = {"Theorem 1": np.mean(inside), "Theorem 2": max(lost), "Theorem 3": max(missed)}
    return {name: float(value) for name, value in found.items()}


def theorem_4(trajectory: Trajectory, bounds: Bounds, window: int = 10) -> float:
    """Return the bound on regret with these constants, O(n^1.5), in the trajectory's units."""
    n, _, k = trajectory.expected.shape
    size = dimension(window)
    largest = max(
        float(np.linalg.norm(trajectory.features(at, window), axis=1).mean())
        for at in range(0, n, max(n // 50, 1))
    )
    log = np.log((size + n * largest**2 / bounds.delta) / size)
    inner = 2 * bounds.reward**2 * (np.log(1 / bounds.delta) + size / 2 * log)
    width = np.sqrt(inner) + np.sqrt(n * size) * bounds.arm * bounds.reward / bounds.delta
    width += bounds.weights * np.sqrt(size)
    total = 2 * k * n * width * np.sqrt(size) * largest / bounds.delta
    total += 2 * k * n * bounds.arm * bounds.reward / bounds.delta
    return float(total + k * n * np.sqrt(4 * bounds.reward**2 * np.log(1 / bounds.delta)))
