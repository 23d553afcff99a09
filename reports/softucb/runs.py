"""Table 1 again, regret over fixed widths, training that diverges, and the trap of an empty L."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.content.algorithms.softucb.arm_sets import ArmSets, synthetic_arm_sets
from gnomon.content.algorithms.softucb.index import confidence_width
from gnomon.content.algorithms.softucb.policy import OnlineSoftPolicy, SoftPolicy, play

from .policies import AUTHORS_ONLINE, UpperBoundPolicy, train

if TYPE_CHECKING:
    from gnomon.content.algorithms.softucb.index import EmptyRule

ARMS = 50
WIDTHS = (0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1.0, 2.0)


def _synthetic(count: int, dimensions: int, noise_std: float, seed: int) -> ArmSets:
    return synthetic_arm_sets(
        count=count, arms=ARMS, dimensions=dimensions, noise_std=noise_std, seed=seed
    )


def train_width(
    dimensions: int,
    rounds: int,
    noise_std: float,
    *,
    environments: int = 10,
    iterations: int = 50,
    seed: int = 177,
) -> dict[str, float]:
    """A column of Table 1 for one noise: train on fresh environments, play what it ends with.

    Returns:
        ``beta``: trained width, mean of the environments, with ``beta_std`` and ``beta_error``, of
        one and of the mean; ``theory``: that of equation (5) for this noise; ``regret``: mean R(T)
        of SoftUCB with the trained width, ``linucb`` that of LinUCB with the other.
    """
    arm_sets = _synthetic(environments, dimensions, noise_std, seed)
    rng = np.random.default_rng(seed + 1)
    trained = train(arm_sets, rounds, rng, iterations=iterations).trained
    theory = confidence_width(dimensions, rounds, subgaussian=noise_std)
    soft = play(arm_sets, SoftPolicy(arm_sets, rng, beta=trained), rounds, rng)
    linucb = play(arm_sets, UpperBoundPolicy(arm_sets, rng, beta=theory), rounds, rng)
    deviation = float(trained.std(ddof=1))
    return {
        "d": dimensions,
        "rounds": rounds,
        "noise_std": noise_std,
        "beta": float(trained.mean()),
        "beta_std": deviation,
        "beta_error": float(deviation / np.sqrt(len(trained))),
        "theory": theory,
        "regret": float(soft[-1].mean()),
        "linucb": float(linucb[-1].mean()),
    }


def regret_over_width(
    dimensions: int,
    rounds: int,
    noise_std: float,
    *,
    environments: int = 20,
    seed: int = 233,
) -> list[dict[str, float]]:
    """Mean R(T) of SoftUCB by its fixed width; all widths see the same environments."""
    one = _synthetic(environments, dimensions, noise_std, seed)
    count = len(WIDTHS)
    arm_sets = ArmSets(
        np.tile(one.features, (count, 1, 1)), np.tile(one.means, (count, 1)), noise_std
    )
    rng = np.random.default_rng(seed + 1)
    policy = SoftPolicy(arm_sets, rng, beta=np.repeat(WIDTHS, environments))
    final = play(arm_sets, policy, rounds, rng)[-1].reshape(count, environments).mean(axis=1)
    where = {"d": dimensions, "rounds": rounds, "noise_std": noise_std}
    return [
        where | {"beta": width, "regret": regret}
        for width, regret in zip(WIDTHS, final.tolist(), strict=True)
    ]


def divergence(*, environments: int = 10, seed: int = 277) -> dict[float, dict[str, float]]:
    """Training by the last round alone, from beta = 2, by eta.

    D = 5, T = 256, noise 0.1, learning rate 0.1, 60 iterations. ``beta`` is the mean at the end,
    ``regret`` the mean R(T) of the last ten iterations.
    """
    found = {}
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
        found[eta] = {
            "beta": float(training.trained.mean()),
            "regret": float(training.regret[-10:].mean()),
        }
    return found


def trap(
    *, environments: int = 10, rounds: int = 2048, seed: int = 377
) -> dict[str, dict[str, float]]:
    """What the rule for an empty L does to the authors' online parameters: D = 20, noise 0.5.

    By rule, ``share``: R(T) over that of uniform play, and ``beta``, where it ends.
    """
    arm_sets = _synthetic(environments, 20, 0.5, seed)
    found = {}
    rules: tuple[EmptyRule, ...] = ("zero", "one")
    for rule in rules:
        rng = np.random.default_rng(seed + 1)
        policy = OnlineSoftPolicy(arm_sets, rng, rounds=rounds, **AUTHORS_ONLINE, empty=rule)
        final = play(arm_sets, policy, rounds, rng)[-1].mean()
        share = float(final / (arm_sets.uniform_regret * rounds))
        found[str(rule)] = {"share": share, "beta": float(policy.beta.mean())}
    return found
