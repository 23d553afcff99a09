"""Rivals of SoftUCB, its training; Table 1, fixed widths, divergence and the trap."""

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypedDict

import numpy as np

from gnomon.content.algorithms.softucb.arm_sets import ArmSets, synthetic_arm_sets
from gnomon.content.algorithms.softucb.index import LEAST_BETA, EmptyRule, confidence_width
from gnomon.content.algorithms.softucb.policy import OnlineSoftPolicy, Policy, SoftPolicy, play
from gnomon.learn.kernels import Floats

GradientRule: TypeAlias = Literal["sum", "last"]
"""Equation (13) sums over all rounds; the released code takes the last one."""


class Online(TypedDict):
    """Settings of the online learner."""

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
    """Policy that plays each arm with the same probability."""

    def choose(self) -> Any:
        return self._rng.integers(0, self.arms, self.count)

    def learn(self, arms: Any, rewards: Floats) -> None:
        pass


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
    """LinTS: theta sampled from N(theta_hat, v2 V^-1)."""

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
    """Offline training."""

    # after each iteration, (iterations + 1, B); the first row is the start
    beta: Floats = field(repr=False)
    regret: Floats = field(repr=False)  # of each iteration at its end, (iterations, B)

    @property
    def trained(self) -> Floats:
        """Width at the end of training, (B)."""
        return np.asarray(self.beta[-1])


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
    """Train by equations (12) and (13): trajectories on the same arms, beta moved after each.

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


ENVIRONMENTS = 10
WIDTHS = (0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1.0, 2.0)


def _synthetic(dimensions: int, noise_std: float, seed: int, count: int = ENVIRONMENTS) -> ArmSets:
    return synthetic_arm_sets(
        count=count, arms=50, dimensions=dimensions, noise_std=noise_std, seed=seed
    )


def train_width(dimensions: int, rounds: int, noise_std: float) -> dict[str, float]:
    """Return a column of Table 1 for one noise: train on fresh environments, then play.

    Returns:
        ``beta``: trained width, mean of the environments, with ``beta_std`` and ``beta_error``, of
        one and of the mean; ``theory``: width of equation (5), this noise; ``regret``: mean R(T)
        of SoftUCB with the trained width, ``linucb`` that of LinUCB with the other.
    """
    arm_sets = _synthetic(dimensions, noise_std, seed=177)
    rng = np.random.default_rng(178)
    trained = train(arm_sets, rounds, rng, iterations=50).trained
    theory = confidence_width(dimensions, rounds, subgaussian=noise_std)
    soft, linucb = (
        float(play(arm_sets, policy, rounds, rng)[-1].mean())
        for policy in (
            SoftPolicy(arm_sets, rng, beta=trained),
            UpperBoundPolicy(arm_sets, rng, beta=theory),
        )
    )
    deviation = float(trained.std(ddof=1))
    return {
        "d": dimensions, "rounds": rounds, "noise_std": noise_std, "beta": float(trained.mean()),
        "beta_std": deviation, "beta_error": float(deviation / np.sqrt(len(trained))),
        "theory": theory, "regret": soft, "linucb": linucb,
    }  # fmt: skip


def regret_over_width(dimensions: int, rounds: int, noise_std: float) -> list[dict[str, float]]:
    """Return mean R(T) of SoftUCB by its fixed width; all widths see the same environments."""
    environments, count = 20, len(WIDTHS)
    one = _synthetic(dimensions, noise_std, 233, environments)
    arm_sets = ArmSets(
        np.tile(one.features, (count, 1, 1)), np.tile(one.means, (count, 1)), noise_std
    )
    rng = np.random.default_rng(234)
    policy = SoftPolicy(arm_sets, rng, beta=np.repeat(WIDTHS, environments))
    final = play(arm_sets, policy, rounds, rng)[-1].reshape(count, environments).mean(axis=1)
    where = {"d": dimensions, "rounds": rounds, "noise_std": noise_std}
    return [
        where | {"beta": width, "regret": regret}
        for width, regret in zip(WIDTHS, final.tolist(), strict=True)
    ]


def divergence() -> dict[float, dict[str, float]]:
    """Train by the last round alone, from beta = 2, by eta.

    D = 5, T = 256, noise 0.1, learning rate 0.1, 60 iterations. ``beta`` is the mean at the end,
    ``regret`` the mean R(T) of the last ten iterations.
    """
    found = {}
    arm_sets = _synthetic(5, 0.1, seed=277)
    for eta in (0.003, 0.03):
        training = train(
            arm_sets, 256, np.random.default_rng(278), iterations=60, beta=2.0, eta=eta,
            learning_rate=0.1, gradient="last",
        )  # fmt: skip
        regret = float(training.regret[-10:].mean())
        found[eta] = {"beta": float(training.trained.mean()), "regret": regret}
    return found


def trap() -> dict[str, dict[str, float]]:
    """Apply each rule for an empty L to the authors' online parameters: D = 20, noise 0.5.

    Return, by rule, ``share``: R(T) over that of uniform play, and ``beta`` at the end.
    """
    arm_sets, rounds = _synthetic(20, 0.5, seed=377), 2048
    found = {}
    rules: tuple[EmptyRule, ...] = ("zero", "one")
    for rule in rules:
        rng = np.random.default_rng(378)
        policy = OnlineSoftPolicy(arm_sets, rng, rounds=rounds, **AUTHORS_ONLINE, empty=rule)
        final = play(arm_sets, policy, rounds, rng)[-1].mean()
        share = float(final / (arm_sets.uniform_regret * rounds))
        found[str(rule)] = {"share": share, "beta": float(policy.beta.mean())}
    return found
