"""Play a policy, and train the width of SoftUCB offline."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from gnomon.learn.softucb._policies import SoftPolicy

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.learn.kernels import Floats
    from gnomon.learn.softucb._arm_sets import ArmSets
    from gnomon.learn.softucb._index import EmptyRule
    from gnomon.learn.softucb._policies import Policy

GradientRule: TypeAlias = Literal["sum", "last"]
"""Equation (13) sums over all rounds; the released code takes the last one."""


def play(arm_sets: ArmSets, policy: Policy, rounds: int, rng: np.random.Generator) -> Floats:
    """Cumulative regret by true means, (rounds, B)."""
    gaps, means = arm_sets.gaps, arm_sets.means
    rows = np.arange(len(means))
    regret = np.empty((rounds, len(means)))
    for at in range(rounds):
        arms = policy.choose()
        noise = arm_sets.noise_std * rng.standard_normal(len(means))
        policy.learn(arms, means[rows, arms] + noise)
        regret[at] = gaps[rows, arms]
    return regret.cumsum(axis=0)


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
    least_beta: float = 1e-3,
    delta_soft: float = 0.99,
    empty: EmptyRule = "one",
    gradient: GradientRule = "sum",
    progress: Callable[[], None] = lambda: None,
) -> Training:
    """Equations (12) and (13): trajectories on the same arms, beta moved after each.

    ``learning_rate`` is 2 / rounds if not given.
    """
    rate = 2.0 / rounds if learning_rate is None else learning_rate
    betas = np.empty((iterations + 1, len(arm_sets.means)))
    regret = np.empty((iterations, len(arm_sets.means)))
    betas[0] = beta
    for at in range(iterations):
        policy = SoftPolicy(
            arm_sets, rng, beta=betas[at], eta=eta, delta_soft=delta_soft, empty=empty
        )
        regret[at] = play(arm_sets, policy, rounds, rng)[-1]
        moved = policy.gradient if gradient == "sum" else policy.last_gradient
        betas[at + 1] = np.maximum(least_beta, betas[at] + rate * moved)
        progress()
    return Training(betas, regret)
