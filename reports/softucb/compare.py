"""SoftUCB and what the paper compares it with, on the same environments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from gnomon.content.algorithms.softucb.arm_sets import ArmSets
from gnomon.content.algorithms.softucb.index import confidence_width
from gnomon.content.algorithms.softucb.policy import OnlineSoftPolicy, Policy, SoftPolicy, play
from gnomon.learn.kernels import Floats

from .runs import (
    ONLINE,
    EpsilonGreedyPolicy,
    ThompsonPolicy,
    UniformPolicy,
    UpperBoundPolicy,
    train,
)

TUNED_WIDTHS = (0.3, 0.6, 0.9, 1.2)
EPSILON = 0.05
"""Of epsilon-greedy, as published."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Where policies are compared."""

    name: str  # of the comparison
    arm_sets: ArmSets = field(repr=False)  # the environments, those of one seed behind one another
    rounds: int  # T
    seeds: int  # how many seeds they come from
    thompson_variance: float = 1.0  # v2 of LinTS, as in the authors' scripts
    iterations: int = 50  # N of offline training

    @property
    def width(self) -> float:
        """Beta of equation (5) for this noise."""
        dimensions = self.arm_sets.features.shape[2]
        return confidence_width(dimensions, self.rounds, subgaussian=self.arm_sets.noise_std)


@dataclass(frozen=True, slots=True)
class Played:
    """How one policy did."""

    policy: str  # its name
    regret: Floats = field(repr=False)  # cumulative, at ``stops``, mean of all environments
    final: Floats = field(repr=False)  # R(T) of each environment, (B)
    # the width it used or ended with, mean of the environments; None if it has none
    beta: float | None = None

    @property
    def mean(self) -> float:
        """R(T), mean of all environments."""
        return float(self.final.mean())

    @property
    def standard_error(self) -> float:
        """Of the mean."""
        return float(self.final.std(ddof=1) / np.sqrt(len(self.final)))


@dataclass(frozen=True, slots=True)
class Comparison:
    """All policies in one setup."""

    setup: Setup
    stops: Floats = field(repr=False)  # rounds at which regret was noted
    played: dict[str, Played]  # by name
    # mean width after each iteration of offline training
    beta_by_iteration: Floats = field(repr=False)
    regret_by_iteration: Floats = field(repr=False)  # mean R(T) of each iteration
    trained: Floats = field(repr=False)  # width of each environment after training
    online_beta: Floats = field(repr=False)  # mean width of the online learner at ``stops``

    def by_seed(self, policy: str) -> Floats:
        """Mean R(T) of the environments of each seed."""
        means: Floats = self.played[policy].final.reshape(self.setup.seeds, -1).mean(axis=1)
        return means

    def ratio(self, policy: str, other: str) -> float:
        """Mean R(T) of one over that of the other."""
        return self.played[policy].mean / self.played[other].mean


COMPARE_STEPS = 9 + len(TUNED_WIDTHS)
"""How often ``compare`` calls ``progress``."""


def compare(setup: Setup, seed: int, progress: Callable[[], None] = lambda: None) -> Comparison:
    """Train offline, then play all policies once in each environment."""
    arm_sets, rounds = setup.arm_sets, setup.rounds
    rng = np.random.default_rng(seed)
    training = train(arm_sets, rounds, rng, iterations=setup.iterations)
    trained = training.trained
    progress()
    stops = np.unique(np.linspace(1, rounds, 129).round().astype(int))

    def run(name: str, policy: Policy, beta: float | None = None) -> Played:
        curve = play(arm_sets, policy, rounds, rng)
        if isinstance(policy, OnlineSoftPolicy):
            beta = float(policy.beta.mean())
        progress()
        return Played(name, curve[stops - 1].mean(axis=1), curve[-1], beta)

    variance = setup.thompson_variance
    played = [
        run("uniform", UniformPolicy(arm_sets, rng)),
        run("linucb", UpperBoundPolicy(arm_sets, rng, beta=setup.width), setup.width),
        run("linucb-growing", UpperBoundPolicy(arm_sets, rng)),
        run("lints", ThompsonPolicy(arm_sets, rng, variance=variance)),
        run("epsilon-greedy", EpsilonGreedyPolicy(arm_sets, rng, epsilon=EPSILON)),
        run("softucb-offline", SoftPolicy(arm_sets, rng, beta=trained), float(trained.mean())),
    ]
    online = {
        name: OnlineSoftPolicy(arm_sets, rng, rounds=rounds, **settings)
        for name, settings in ONLINE.items()
    }
    played += [run(name, policy) for name, policy in online.items()]
    tuned = [
        run("linucb-tuned", UpperBoundPolicy(arm_sets, rng, beta=width), width)
        for width in TUNED_WIDTHS
    ]
    played.append(min(tuned, key=lambda each: each.mean))
    return Comparison(
        setup,
        stops,
        {each.policy: each for each in played},
        training.beta.mean(axis=1),
        training.regret.mean(axis=1),
        trained,
        np.array(online["softucb-online"].history)[stops - 1],
    )
