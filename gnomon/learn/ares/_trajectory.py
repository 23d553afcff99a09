"""What happens in the rounds, whatever a learner plays: contexts, rewards, predictions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gnomon.learn.ares._system import (
    CONTEXTS,
    stationary_covariance,
    steady_filter,
    window_weights,
)

if TYPE_CHECKING:
    from gnomon.learn.ares._system import System
    from gnomon.learn.kernels import Floats

_BURN_IN = 200
"""Rounds for the Kalman state; the state itself starts stationary."""

LARGEST_WINDOW = 10


@dataclass(frozen=True, slots=True)
class Trajectory:
    """n rounds of B runs.

    Attributes:
        contexts: (n, B, m); that of round t is seen after the arm of round t was chosen.
        expected: c_a^T z of every arm, (n, B, k).
        noise: added to the reward, whichever arm is played, (n, B).
        predicted: by the Kalman filter that knows the system, (n, B, k).
        windowed: by the true weights of a window, by window, (n, B, k).
    """

    contexts: Floats = field(repr=False)
    expected: Floats = field(repr=False)
    noise: Floats = field(repr=False)
    predicted: Floats = field(repr=False)
    windowed: dict[int, Floats] = field(repr=False)

    @property
    def rounds(self) -> int:
        """N."""
        return len(self.contexts)

    def features(self, at: int, window: int = LARGEST_WINDOW) -> Floats:
        """1, then the contexts before round ``at`` from the newest on, zeros where there are none.

        (B, m window + 1): that of a smaller window is its beginning.
        """
        count = self.contexts.shape[1]
        row = np.zeros((count, CONTEXTS * window + 1))
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
        windows: for which the prediction by the true weights is kept.

    Raises:
        GnomonError: the system does not settle.
    """
    rng = np.random.default_rng(seed)
    stationary, kalman = stationary_covariance(system), steady_filter(system)
    of_state, of_context = (np.linalg.cholesky(each) for each in
                            (system.state_noise, system.context_noise))  # fmt: skip
    latent, count = len(system.gamma), len(system.arms)
    z = rng.standard_normal((runs, latent)) @ np.linalg.cholesky(stationary).T
    guess = np.zeros((runs, latent))
    total = _BURN_IN + rounds
    contexts = np.empty((total, runs, CONTEXTS))
    expected = np.empty((total, runs, count))
    predicted = np.empty((total, runs, count))
    noise = np.sqrt(system.reward_noise) * rng.standard_normal((total, runs))
    for at in range(total):
        expected[at] = z @ system.arms.T
        predicted[at] = guess @ system.arms.T
        contexts[at] = z @ system.contexts.T + rng.standard_normal((runs, CONTEXTS)) @ of_context.T
        surprise = contexts[at] - guess @ system.contexts.T
        guess = (guess + surprise @ kalman.gain.T) @ system.gamma.T
        z = z @ system.gamma.T + rng.standard_normal((runs, latent)) @ of_state.T
    raw = Trajectory(
        contexts[_BURN_IN:], expected[_BURN_IN:], noise[_BURN_IN:], predicted[_BURN_IN:], {}
    )
    for window in windows:
        weights = window_weights(system, kalman, window)
        raw.windowed[window] = np.stack(
            [raw.features(at, window) @ weights.T for at in range(rounds)]
        )
        raw.windowed[window][:window] = 0.0  # not enough contexts yet
    if not normalised:
        return raw
    in_context = np.sqrt(
        np.diag(system.contexts @ stationary @ system.contexts.T + system.context_noise)
    )
    in_reward = np.sqrt(
        np.einsum("ad,de,ae->a", system.arms, stationary, system.arms) + system.reward_noise
    ).max()
    return Trajectory(
        raw.contexts / in_context,
        raw.expected / in_reward,
        raw.noise / in_reward,
        raw.predicted / in_reward,
        {window: each / in_reward for window, each in raw.windowed.items()},
    )


def join(parts: list[Trajectory]) -> Trajectory:
    """The runs of all of them side by side."""

    def side_by_side(arrays: list[Floats]) -> Floats:
        return np.concatenate(arrays, axis=1)

    return Trajectory(
        side_by_side([part.contexts for part in parts]),
        side_by_side([part.expected for part in parts]),
        side_by_side([part.noise for part in parts]),
        side_by_side([part.predicted for part in parts]),
        {},
    )
