"""Table 1 again, regret over fixed widths, training that diverges, and the trap of an empty L."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gnomon.content.algorithms.softucb.arm_sets import ArmSets, synthetic_arm_sets
from gnomon.content.algorithms.softucb.index import confidence_width
from gnomon.content.algorithms.softucb.policy import OnlineSoftPolicy, SoftPolicy, play

from .policies import AUTHORS_ONLINE, UpperBoundPolicy, train

if TYPE_CHECKING:
    from gnomon.content.algorithms.softucb.index import EmptyRule
    from gnomon.learn.kernels import Floats

ARMS = 50
WIDTHS = (0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1.0, 2.0)


def _synthetic(count: int, dimensions: int, noise_std: float, seed: int) -> ArmSets:
    return synthetic_arm_sets(
        count=count, arms=ARMS, dimensions=dimensions, noise_std=noise_std, seed=seed
    )


@dataclass(frozen=True, slots=True)
class TrainedWidth:
    """A column of Table 1 for one noise.

    Attributes:
        beta: trained, of each environment.
        theory: beta of equation (5) for this noise.
        regret: R(T) of SoftUCB with that width, mean.
        linucb: R(T) of LinUCB with the width of equation (5), mean.
    """

    dimensions: int
    rounds: int
    noise_std: float
    beta: Floats = field(repr=False)
    theory: float
    regret: float
    linucb: float

    @property
    def mean(self) -> float:
        """Trained width, mean of the environments."""
        return float(self.beta.mean())

    @property
    def standard_error(self) -> float:
        """Of that mean."""
        return float(self.beta.std(ddof=1) / np.sqrt(len(self.beta)))


def train_width(
    dimensions: int,
    rounds: int,
    noise_std: float,
    *,
    environments: int = 10,
    iterations: int = 50,
    seed: int = 177,
) -> TrainedWidth:
    """Train on fresh environments, then play the width it ends with."""
    arm_sets = _synthetic(environments, dimensions, noise_std, seed)
    rng = np.random.default_rng(seed + 1)
    trained = train(arm_sets, rounds, rng, iterations=iterations).trained
    theory = confidence_width(dimensions, rounds, subgaussian=noise_std)
    soft = play(arm_sets, SoftPolicy(arm_sets, rng, beta=trained), rounds, rng)
    linucb = play(arm_sets, UpperBoundPolicy(arm_sets, rng, beta=theory), rounds, rng)
    return TrainedWidth(
        dimensions,
        rounds,
        noise_std,
        trained,
        theory,
        float(soft[-1].mean()),
        float(linucb[-1].mean()),
    )


def regret_over_width(
    dimensions: int,
    rounds: int,
    noise_std: float,
    *,
    environments: int = 20,
    seed: int = 233,
) -> dict[float, float]:
    """Mean R(T) of SoftUCB by its fixed width; all widths see the same environments."""
    one = _synthetic(environments, dimensions, noise_std, seed)
    count = len(WIDTHS)
    arm_sets = ArmSets(
        np.tile(one.features, (count, 1, 1)), np.tile(one.means, (count, 1)), noise_std
    )
    rng = np.random.default_rng(seed + 1)
    policy = SoftPolicy(arm_sets, rng, beta=np.repeat(WIDTHS, environments))
    final = play(arm_sets, policy, rounds, rng)[-1].reshape(count, environments).mean(axis=1)
    return dict(zip(WIDTHS, final.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Divergence:
    """Training by the last round alone, from beta = 2: where it ends by eta.

    Attributes:
        beta: by eta, mean at the end.
        regret: by eta, mean R(T) of the last ten iterations.
    """

    beta: dict[float, float]
    regret: dict[float, float]


def divergence(*, environments: int = 10, seed: int = 277) -> Divergence:
    """D = 5, T = 256, noise 0.1, learning rate 0.1, 60 iterations."""
    betas, regrets = {}, {}
    arm_sets = _synthetic(environments, 5, 0.1, seed)
    for eta in (0.003, 0.03):
        training = train(
            arm_sets,
            256,
            np.random.default_rng(seed + 1),
            iterations=60,
            beta=2.0,
            eta=eta,
            learning_rate=0.1,
            gradient="last",
        )
        betas[eta] = float(training.trained.mean())
        regrets[eta] = float(training.regret[-10:].mean())
    return Divergence(betas, regrets)


@dataclass(frozen=True, slots=True)
class Trap:
    """What the rule for an empty L does to the authors' online parameters.

    Attributes:
        share: R(T) over that of uniform play, by rule.
        beta: where it ends, by rule.
    """

    share: dict[str, float]
    beta: dict[str, float]


def trap(*, environments: int = 10, rounds: int = 2048, seed: int = 377) -> Trap:
    """D = 20, K = 50, noise 0.5."""
    arm_sets = _synthetic(environments, 20, 0.5, seed)
    shares: dict[str, float] = {}
    betas: dict[str, float] = {}
    rules: tuple[EmptyRule, ...] = ("zero", "one")
    for rule in rules:
        rng = np.random.default_rng(seed + 1)
        policy = OnlineSoftPolicy(arm_sets, rng, rounds=rounds, **AUTHORS_ONLINE, empty=rule)
        final = play(arm_sets, policy, rounds, rng)[-1].mean()
        shares[rule] = float(final / (arm_sets.uniform_regret * rounds))
        betas[rule] = float(policy.beta.mean())
    return Trap(shares, betas)
