"""The explored steps of the embedded epsilon-greedy, and its choices by number format.

Which steps it explores hangs on its random numbers alone. So float can be given the same explored
steps, and both learn from the same rewards: every unequal arm is a rounding error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.learners import HostLearner, Sizes, to_steps
from gnomon.learn.epsilon_greedy import falling, simulate_explored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gnomon.bench.learners import LearnerVariant
    from gnomon.learn.epsilon_greedy import FiniteRounds

_SEED = 1  # LEARNER_SEED


def explored_steps(
    rounds: int, arms: int, p: int, seed: int = _SEED
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Explored steps, from 0, and their arms: ``explored`` of ``epsilon_greedy.h``."""
    draws = _random(seed, 2 * rounds).tolist()
    steps, chosen, at = [], [], 0
    for step in range(rounds):
        if step < p:
            steps.append(step)
            chosen.append((step + 1) % arms)
            continue
        at += 1
        if draws[at - 1] * (step + 1) >> 32 < p:
            steps.append(step)
            chosen.append(draws[at] * arms >> 32)
            at += 1
    return np.array(steps, dtype=np.int64), np.array(chosen, dtype=np.int64)


def _random(seed: int, count: int) -> NDArray[np.int64]:
    """``next_random`` of ``random.h``."""
    with np.errstate(over="ignore"):
        x = np.uint32(seed) + np.arange(1, count + 1, dtype=np.uint32) * np.uint32(0x9E3779B9)
        x = (x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D)
        x = (x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B)
    return (x ^ (x >> np.uint32(16))).astype(np.int64)


@dataclass(frozen=True, slots=True)
class ExploringFormat:
    """One implementation at one format beside float, over some bandits.

    Attributes:
        variant: name of the implementation.
        dimensions: d.
        fraction_bits: binary digits behind the point.
        bandits: how many.
        rounds: T of each.
        unequal: share of exploited steps with another arm than float.
        regret: mean R(T).
        float_regret: of float, in the same rounds with the same explored steps.
    """

    variant: str
    dimensions: int
    fraction_bits: int
    bandits: int
    rounds: int
    unequal: float
    regret: float
    float_regret: float

    @property
    def ratio(self) -> float:
        """Regret over that of float."""
        return self.regret / self.float_regret


def compare_format(
    variant: LearnerVariant, runs: Sequence[FiniteRounds], *, p: int, fraction_bits: int
) -> ExploringFormat:
    """Play runs of bandits of one size on the host build and in float.

    Raises:
        GnomonError: it does not compile for this computer.
    """
    bandit, total = runs[0].bandit, len(runs[0].which)
    sizes = Sizes(bandit.dimensions, bandit.arms)
    host = HostLearner(variant.with_parameters(LEARNER_P=p), sizes, fraction_bits=fraction_bits)
    steps, arms = explored_steps(total, bandit.arms, p)
    every = np.arange(total)
    unequal = exploited = 0
    regrets = np.zeros((len(runs), 2))
    for index, run in enumerate(runs):
        reference = simulate_explored(run, falling(p), steps, arms)
        rewards = np.stack(
            [run.rewards(every, np.full(total, arm)) for arm in range(bandit.arms)], axis=1
        )
        contexts = run.bandit.contexts[run.which]
        host.reset()
        played = host.run(to_steps(contexts, fraction_bits), to_steps(rewards, fraction_bits))
        assert np.array_equal(played[steps], arms)
        unequal += int((played != reference.arms).sum())
        exploited += total - len(steps)
        regret = run.bandit.gaps[run.which, played].sum()
        regrets[index] = regret, reference.regrets.sum()
    mean = regrets.mean(axis=0)
    return ExploringFormat(
        variant=variant.name,
        dimensions=bandit.dimensions,
        fraction_bits=fraction_bits,
        bandits=len(runs),
        rounds=total,
        unequal=unequal / exploited,
        regret=float(mean[0]),
        float_regret=float(mean[1]),
    )
