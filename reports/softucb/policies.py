"""What SoftUCB is compared with, each for many environments at once, and its offline training."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

import numpy as np

from gnomon.content.algorithms.softucb.index import LEAST_BETA, confidence_width
from gnomon.content.algorithms.softucb.policy import Policy, SoftPolicy, play

if TYPE_CHECKING:
    from gnomon.content.algorithms.softucb.arm_sets import ArmSets
    from gnomon.learn.kernels import Floats

GradientRule: TypeAlias = Literal["sum", "last"]
"""Equation (13) sums over all rounds; the released code takes the last one."""


class Online(TypedDict):
    """How the online learner is set."""

    beta: float
    eta: float
    learning_rate: float


ONLINE: dict[str, Online] = {
    "softucb-online": {"beta": 1.0, "eta": 0.01, "learning_rate": 0.01},
    # for short runs: from far above, in larger steps
    "softucb-online-fast": {"beta": 2.2, "eta": 0.003, "learning_rate": 0.5},
}

AUTHORS_ONLINE: Online = {"beta": 2.2, "eta": 1.0, "learning_rate": 0.5}
"""In the released scripts for synthetic data."""


class UniformPolicy(Policy):
    """Any arm, each as likely."""

    def choose(self) -> Any:
        return self._rng.integers(0, self.arms, self.count)

    def learn(self, arms: Any, rewards: Floats) -> None:
        """Nothing."""


class UpperBoundPolicy(Policy):
    """LinUCB, which is the index of OFUL: the largest mu_hat + beta n.

    Without ``beta`` the width of equation (5) grows with t, as in the authors' release.
    """

    def __init__(
        self, arm_sets: ArmSets, rng: np.random.Generator, *, beta: float | None = None
    ) -> None:
        super().__init__(arm_sets, rng)
        self._beta, self._noise_std, self._rounds = beta, arm_sets.noise_std, 0

    def choose(self) -> Any:
        self._rounds += 1
        beta, dimensions = self._beta, self.regression.inverse.shape[1]
        if beta is None:
            beta = confidence_width(dimensions, self._rounds, subgaussian=self._noise_std)
        return (self.regression.means + beta * self.regression.norms).argmax(axis=1)


class ThompsonPolicy(Policy):
    """LinTS: theta drawn from N(theta_hat, v2 V^-1)."""

    def __init__(self, arm_sets: ArmSets, rng: np.random.Generator, *, variance: float) -> None:
        super().__init__(arm_sets, rng)
        self._features, self._variance = arm_sets.features, variance

    def choose(self) -> Any:
        inverse = self.regression.inverse
        factor = np.linalg.cholesky((inverse + inverse.swapaxes(1, 2)) / 2)
        normal = self._rng.standard_normal(inverse.shape[:2])
        moved = (factor @ normal[:, :, None]) * np.sqrt(self._variance)
        return (self.regression.means + (self._features @ moved)[..., 0]).argmax(axis=1)


class EpsilonGreedyPolicy(Policy):
    """The largest estimate, and with probability epsilon any arm."""

    def __init__(self, arm_sets: ArmSets, rng: np.random.Generator, *, epsilon: float) -> None:
        super().__init__(arm_sets, rng)
        self._epsilon = epsilon

    def choose(self) -> Any:
        explored = self._rng.random(self.count) < self._epsilon
        blind = self._rng.integers(0, self.arms, self.count)
        return np.where(explored, blind, self.regression.means.argmax(axis=1))


@dataclass(frozen=True, slots=True)
class Training:
    """Offline training.

    Attributes:
        beta: after each iteration, (iterations + 1, B); the first row is what it started with.
        regret: of each iteration at its end, (iterations, B).
    """

    beta: Floats = field(repr=False)
    regret: Floats = field(repr=False)

    @property
    def trained(self) -> Floats:
        """What training ends with, (B)."""
        last: Floats = self.beta[-1]
        return last


def train(
    arm_sets: ArmSets,
    rounds: int,
    rng: np.random.Generator,
    *,
    iterations: int,
    beta: float = 1.0,
    eta: float = 0.003,
    learning_rate: float | None = None,
    gradient: GradientRule = "sum",
) -> Training:
    """Equations (12) and (13): trajectories on the same arms, beta moved after each.

    ``learning_rate`` is 2 / rounds if not given.
    """
    rate = 2.0 / rounds if learning_rate is None else learning_rate
    betas = np.empty((iterations + 1, len(arm_sets.means)))
    regret = np.empty((iterations, len(arm_sets.means)))
    betas[0] = beta
    for at in range(iterations):
        policy = SoftPolicy(arm_sets, rng, beta=betas[at], eta=eta)
        regret[at] = play(arm_sets, policy, rounds, rng)[-1]
        moved = policy.gradient if gradient == "sum" else policy.last_gradient
        betas[at + 1] = np.maximum(LEAST_BETA, betas[at] + rate * moved)
    return Training(betas, regret)
