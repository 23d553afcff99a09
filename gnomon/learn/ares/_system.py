"""The linear Gaussian system behind the rewards, and its steady-state Kalman filter (section 2).

z' = Gamma z + xi,   context = C z + phi,   reward of arm a = c_a^T z + eta
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gnomon.base.errors import GnomonError

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats

LATENT, CONTEXTS, ARMS = 12, 3, 3
"""d, m and k of the paper's evaluation."""

_TOLERANCE = 1e-12
_MOST_ITERATIONS = 200_000


@dataclass(frozen=True, slots=True)
class System:
    """What the learner does not know.

    Attributes:
        gamma: state transition, (d, d).
        contexts: C, (m, d).
        arms: one row c_a for each, (k, d).
        state_noise: Q, covariance, (d, d).
        context_noise: R, covariance, (m, m).
        reward_noise: variance of eta, which is the same for all arms of a round.
    """

    gamma: Floats = field(repr=False)
    contexts: Floats = field(repr=False)
    arms: Floats = field(repr=False)
    state_noise: Floats = field(repr=False)
    context_noise: Floats = field(repr=False)
    reward_noise: float

    @property
    def radius(self) -> float:
        """Spectral radius of the transition."""
        return spectral_radius(self.gamma)


@dataclass(frozen=True, slots=True)
class Filter:
    """The steady-state Kalman filter.

    Attributes:
        gain: K, (d, m).
        covariance: P of the prediction, (d, d).
        closed: A = Gamma - Gamma K C, (d, d).
    """

    gain: Floats = field(repr=False)
    covariance: Floats = field(repr=False)
    closed: Floats = field(repr=False)


def spectral_radius(matrix: Floats) -> float:
    """Largest magnitude of an eigenvalue."""
    return float(np.abs(np.linalg.eigvals(matrix)).max())


def random_system(seed: int) -> System:
    """Section 5.1 of the paper: Cauchy entries, the transition scaled to a radius from 0 to 1.

    Q, R and the noise of rewards cannot be normal numbers as the paper says: Q = A A^T and so on.

    Raises:
        GnomonError: the seed is negative.
    """
    if seed < 0:
        raise GnomonError(f"the seed must not be negative, not {seed}")
    rng = np.random.default_rng(seed)

    def cauchy(*shape: int) -> Floats:
        upper = rng.standard_normal(shape)
        ratio: Floats = upper / rng.standard_normal(shape)
        return ratio

    transition = cauchy(LATENT, LATENT)
    radius = rng.uniform()
    contexts, arms = cauchy(CONTEXTS, LATENT), cauchy(ARMS, LATENT)
    a = rng.standard_normal((LATENT, LATENT))
    b = rng.standard_normal((CONTEXTS, CONTEXTS))
    return System(
        radius * transition / spectral_radius(transition),
        contexts,
        arms,
        a @ a.T,
        b @ b.T,
        float(rng.standard_normal() ** 2),
    )


def stationary_covariance(system: System) -> Floats:
    """Z = Gamma Z Gamma^T + Q, by doubling.

    Raises:
        GnomonError: the system does not settle.
    """
    if not system.radius < 1.0:
        raise GnomonError(
            f"the system has a spectral radius of {system.radius:g}; it must be below 1"
        )
    power, total = system.gamma, system.state_noise
    while True:
        more = power @ total @ power.T
        total = total + more
        if np.abs(more).max() <= _TOLERANCE * np.abs(total).max():
            return total
        power = power @ power


def steady_filter(system: System) -> Filter:
    """Iterate the Riccati equation until it stands still.

    Raises:
        GnomonError: it does not.
    """
    gamma, c = system.gamma, system.contexts
    p = system.state_noise
    for _ in range(_MOST_ITERATIONS):
        gain = np.linalg.solve(c @ p @ c.T + system.context_noise, c @ p).T
        new = gamma @ (p - gain @ c @ p) @ gamma.T + system.state_noise
        new = (new + new.T) / 2
        if np.abs(new - p).max() <= _TOLERANCE * np.abs(new).max():
            last: Floats = np.linalg.solve(c @ new @ c.T + system.context_noise, c @ new).T.astype(
                np.float64
            )
            return Filter(last, new, gamma - gamma @ last @ c)
        p = new
    raise GnomonError("the Kalman filter of the system does not settle")


def window_weights(system: System, kalman: Filter, window: int) -> Floats:
    """G_a(s) of all arms, (k, m s + 1): the bias, 0 here, then contexts from the newest on."""
    blocks = [np.zeros((len(system.arms), 1))]
    row = system.arms
    for _ in range(window):
        blocks.append(row @ system.gamma @ kalman.gain)
        row = row @ kalman.closed
    return np.concatenate(blocks, axis=1)
