"""What the theory says, checked by numbers (section 6): recursions, coverage, decay, Theorem 4."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.learn.ares._chol import WindowFactor
from gnomon.learn.ares._models import WindowModels, dimension
from gnomon.learn.ares._system import steady_filter
from gnomon.learn.ares._trajectory import LARGEST_WINDOW

if TYPE_CHECKING:
    from gnomon.learn.ares._system import System
    from gnomon.learn.ares._trajectory import Trajectory
    from gnomon.learn.kernels import Floats


def recursion_error(trajectory: Trajectory, window: int) -> float:
    """Largest relative difference of P, G, ln det and trace to the batch forms, first run."""
    models = WindowModels(1, 1, window)
    rows, rewards = [], []
    for at in range(window, trajectory.rounds):
        row = trajectory.features(at, window)[:1]
        reward = trajectory.expected[at, :1, 0] + trajectory.noise[at, :1]
        models.learn(row, np.zeros(1, dtype=int), reward)
        rows.append(row[0])
        rewards.append(float(reward[0]))
    q = np.array(rows)
    v = np.eye(dimension(window)) + q.T @ q
    inverse = np.linalg.inv(v)
    batch: list[tuple[Floats | float, Floats | float]] = [
        (models.inverse[0, 0], inverse),
        (models.weights[0, 0], inverse @ (q.T @ np.array(rewards))),
        (models.log_determinant[0, 0], np.linalg.slogdet(v)[1]),
        (models.trace[0, 0], np.trace(inverse)),
    ]
    return max(
        float(np.abs(np.asarray(ours) - exact).max() / np.abs(exact).max()) for ours, exact in batch
    )


def prefix_error(trajectory: Trajectory) -> float:
    """Largest difference of one factor's prefix sums to a solve for each window, first run."""
    factor = WindowFactor(dimension(LARGEST_WINDOW))
    models = [WindowModels(1, 1, s) for s in range(LARGEST_WINDOW + 1)]
    zero = np.zeros(1, dtype=int)
    worst = 0.0
    for at in range(trajectory.rounds):
        q = trajectory.features(at)[:1]
        reward = trajectory.expected[at, :1, 0] + trajectory.noise[at, :1]
        if at >= LARGEST_WINDOW:
            means, variances, determinants = factor.predict(q[0])
            for model in models:
                mean, variance = model.predict(q, zero, zero)
                last = model.size - 1
                worst = max(
                    worst,
                    abs(means[last] - float(mean[0])),
                    abs(variances[last] - float(variance[0])),
                    abs(determinants[last] - float(model.log_determinant[0, 0])),
                )
            factor.learn(q[0], float(reward[0]))
            for model in models:
                model.learn(q, zero, reward)
    return worst


def truncation(system: System, windows: tuple[int, ...]) -> dict[int, float]:
    """Largest |c_a A^s| of the arms, by window: what contexts before it could still say."""
    closed = steady_filter(system).closed
    return {
        s: float(np.linalg.norm(system.arms @ np.linalg.matrix_power(closed, s), axis=1).max())
        for s in windows
    }
