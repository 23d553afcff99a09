"""Evaluation of ARES: a linear Gaussian system, its Kalman filter, sampled rounds (section 2).

z' = Gamma z + xi,   context = C z + phi,   reward of arm a = c_a^T z + eta
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.learn.kernels import Floats

LATENT, CONTEXTS, ARMS = 12, 3, 3
"""d, m and k of the paper's evaluation."""

_TOLERANCE = 1e-12
_MOST_ITERATIONS = 200_000
_BURN_IN = 200
"""Rounds for the Kalman state; the state itself starts stationary."""

LARGEST_WINDOW = 10


class Shape(NamedTuple):
    """Runs B, arms k and length m of a context."""

    runs: int
    arms: int
    contexts: int


@dataclass(frozen=True, slots=True)
class System:
    """Parameters of the system, unknown to the learner."""

    gamma: Floats = field(repr=False)  # state transition, (d, d)
    contexts: Floats = field(repr=False)  # C, (m, d)
    arms: Floats = field(repr=False)  # one row c_a for each, (k, d)
    state_noise: Floats = field(repr=False)  # Q, covariance, (d, d)
    context_noise: Floats = field(repr=False)  # R, covariance, (m, m)
    reward_noise: float  # variance of eta, which all arms of a round share

    @property
    def radius(self) -> float:
        """Spectral radius of the transition."""
        return spectral_radius(self.gamma)


@dataclass(frozen=True, slots=True)
class Filter:
    """Steady-state Kalman filter."""

    gain: Floats = field(repr=False)  # K, (d, m)
    covariance: Floats = field(repr=False)  # P of the prediction, (d, d)
    closed: Floats = field(repr=False)  # A = Gamma - Gamma K C, (d, d)


def spectral_radius(matrix: Floats) -> float:
    """Return the largest magnitude of an eigenvalue."""
    return float(np.abs(np.linalg.eigvals(matrix)).max())


def random_system(seed: int, *, contexts: int = CONTEXTS, arms: int = ARMS) -> System:
    """Sample a system (section 5.1): Cauchy entries, transition scaled to a radius from 0 to 1.

    ``contexts``: numbers of a context. Q, R and the noise of rewards cannot be normal numbers as
    the paper says: Q = A A^T and so on.

    Raises:
        GnomonError: if the seed is negative.
    """
    if seed < 0:
        raise GnomonError(f"the seed must not be negative, not {seed}")
    rng = np.random.default_rng(seed)

    def cauchy(*shape: int) -> Floats:
        upper = rng.standard_normal(shape)
        return np.asarray(upper / rng.standard_normal(shape))

    transition = cauchy(LATENT, LATENT)
    radius = rng.uniform()
    of_contexts, of_arms = cauchy(contexts, LATENT), cauchy(arms, LATENT)
    a = rng.standard_normal((LATENT, LATENT))
    b = rng.standard_normal((contexts, contexts))
    return System(
        radius * transition / spectral_radius(transition), of_contexts, of_arms, a @ a.T, b @ b.T,
        float(rng.standard_normal() ** 2),
    )  # fmt: skip


def stationary_covariance(system: System) -> Floats:
    """Solve Z = Gamma Z Gamma^T + Q by doubling.

    Raises:
        GnomonError: if the system is not stable.
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
    """Iterate the Riccati equation until it converges.

    Raises:
        GnomonError: if it does not converge.
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


def in_units(system: System, stationary: Floats) -> tuple[Floats, float]:
    """Return the standard deviations of the elements of a context, and the largest of a reward."""
    of_contexts = system.contexts @ stationary @ system.contexts.T + system.context_noise
    of_rewards = np.einsum("ad,de,ae->a", system.arms, stationary, system.arms)
    return np.sqrt(np.diag(of_contexts)), np.sqrt(of_rewards + system.reward_noise).max()


def window_weights(system: System, kalman: Filter, window: int) -> Floats:
    """Return G_a(s) of all arms, (k, m s + 1): bias (0 here), then contexts, newest first."""
    blocks = [np.zeros((len(system.arms), 1))]
    row = system.arms
    for _ in range(window):
        blocks.append(row @ system.gamma @ kalman.gain)
        row = row @ kalman.closed
    return np.concatenate(blocks, axis=1)


@dataclass(frozen=True, slots=True)
class Trajectory:
    """n rounds of B runs."""

    # (n, B, m); the context of round t arrives after the choice of its arm
    contexts: Floats = field(repr=False)
    expected: Floats = field(repr=False)  # c_a^T z of every arm, (n, B, k)
    noise: Floats = field(repr=False)  # added to the reward of any arm, (n, B)
    predicted: Floats = field(repr=False)  # by the Kalman filter that knows the system, (n, B, k)
    # by the true weights of a window, by window, (n, B, k)
    windowed: dict[int, Floats] = field(repr=False)

    @property
    def rounds(self) -> int:
        """N."""
        return len(self.contexts)

    @property
    def shape(self) -> Shape:
        """Runs, arms, length of a context."""
        _, runs, arms = self.expected.shape
        return Shape(runs, arms, self.contexts.shape[2])

    def features(self, at: int, window: int = LARGEST_WINDOW) -> Floats:
        """Return 1, then the contexts before round ``at``, newest first; zeros where none exist.

        Shape (B, m window + 1); the features of a smaller window are its first elements.
        """
        row = np.zeros((self.contexts.shape[1], CONTEXTS * window + 1))
        row[:, 0] = 1.0
        for back in range(1, min(at, window) + 1):
            row[:, 1 + CONTEXTS * (back - 1) : 1 + CONTEXTS * back] = self.contexts[at - back]
        return row


def simulate(
    system: System,
    *,
    runs: int,
    rounds: int,
    seed: int,
    normalised: bool = True,
    windows: tuple[int, ...] = (),
) -> Trajectory:
    """Draw runs of one system.

    Args:
        system: see ``random_system``.
        runs: B.
        rounds: n.
        seed: of the noise.
        normalised: contexts in units of their standard deviation, rewards of the largest arm's.
        windows: windows whose predictions by the true weights are stored.

    Raises:
        GnomonError: if the system is not stable.
    """
    rng = np.random.default_rng(seed)
    stationary, kalman = stationary_covariance(system), steady_filter(system)
    of_state = np.linalg.cholesky(system.state_noise)
    of_context = np.linalg.cholesky(system.context_noise)
    latent, count = len(system.gamma), len(system.arms)
    z = rng.standard_normal((runs, latent)) @ np.linalg.cholesky(stationary).T
    guess = np.zeros((runs, latent))
    total = _BURN_IN + rounds
    contexts = np.empty((total, runs, CONTEXTS))
    expected, predicted = np.empty((2, total, runs, count))
    noise = np.sqrt(system.reward_noise) * rng.standard_normal((total, runs))
    for at in range(total):
        expected[at] = z @ system.arms.T
        predicted[at] = guess @ system.arms.T
        contexts[at] = z @ system.contexts.T + rng.standard_normal((runs, CONTEXTS)) @ of_context.T
        surprise = contexts[at] - guess @ system.contexts.T
        guess = (guess + surprise @ kalman.gain.T) @ system.gamma.T
        z = z @ system.gamma.T + rng.standard_normal((runs, latent)) @ of_state.T
    late = slice(_BURN_IN, None)
    raw = Trajectory(contexts[late], expected[late], noise[late], predicted[late], {})
    for window in windows:
        weights = window_weights(system, kalman, window)
        raw.windowed[window] = np.stack(
            [raw.features(at, window) @ weights.T for at in range(rounds)]
        )
        raw.windowed[window][:window] = 0.0  # not enough contexts yet
    if not normalised:
        return raw
    in_context, in_reward = in_units(system, stationary)
    return Trajectory(
        raw.contexts / in_context,
        raw.expected / in_reward,
        raw.noise / in_reward,
        raw.predicted / in_reward,
        {window: each / in_reward for window, each in raw.windowed.items()},
    )
