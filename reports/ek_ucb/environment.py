"""The paper's three environments: ten actions on a line, contexts drawn one by one.

Constants and the order of random numbers are those of the authors' public code
(criteo-research/Efficient-Kernel-UCB, commit 4f95b03): fixed parts from ``RandomState(123)``,
contexts and noise from ``RandomState(seed)``.
"""

from dataclasses import dataclass, field
from functools import cache
from typing import Literal, TypeAlias

import numpy as np

from gnomon.base.errors import GnomonError, require_known
from gnomon.learn.kernels import Floats

EnvironmentName: TypeAlias = Literal["bump", "chessboard", "step-diagonal"]
ENVIRONMENTS: tuple[EnvironmentName, ...] = ("bump", "chessboard", "step-diagonal")

NOISE = 0.1
_FIXED_SEED = 123
_CHESSBOARD = np.array(  # column of x, row of a
    [(0.0, 0.5, 0.0, 0.0), (1.0, 0.0, 1.0, 0.0), (0.0, 0.5, 0.0, 0.5), (0.0, 0.0, 1.0, 0.0)]
)


@dataclass(frozen=True, slots=True)
class _Fixed:
    actions: Floats
    best_action: float
    best_context: Floats
    slope: Floats


@cache
def _fixed() -> _Fixed:
    rng = np.random.RandomState(_FIXED_SEED)
    actions = rng.choice(np.arange(0, 1, 0.01), 10, replace=False)
    best = float(actions[rng.choice(10)])
    return _Fixed(actions, best, rng.uniform(0, 1, size=5), rng.uniform(-1, 1, size=5))


def actions() -> Floats:
    return _fixed().actions.copy()


@dataclass(frozen=True, slots=True)
class PairRounds:
    """A run of T rounds; round 0 comes before it, for a first action without regret."""

    name: str  # of the environment
    contexts: Floats = field(repr=False)  # (T + 1, p)
    means: Floats = field(repr=False)  # expected reward of every action, (T + 1, C)
    noise: Floats = field(repr=False)  # added to the reward of the action that is played, (T + 1)
    # reference of the authors' code, noise included, (T + 1): the best value of the
    # environment over all contexts
    best: Floats = field(repr=False)

    @property
    def gaps(self) -> Floats:
        """Regret of each action, (T + 1, C)."""
        return np.asarray(self.means.max(axis=1, keepdims=True) - self.means)


def pair_rounds(name: str, rounds: int, seed: int) -> PairRounds:
    require_known("environment", name, ENVIRONMENTS)
    if rounds < 1:
        raise GnomonError(f"the number of rounds must be at least 1, not {rounds}")
    if seed < 0:
        raise GnomonError(f"the seed must not be negative, not {seed}")
    rng = np.random.RandomState(seed)
    length = 5 if name == "bump" else 1
    contexts = np.empty((rounds + 1, length))
    noise, best = np.empty(rounds + 1), np.zeros(rounds + 1)
    for step in range(rounds + 1):
        contexts[step] = rng.uniform(0, 1, size=length)
        noise[step] = rng.normal(0, NOISE)
        if step:  # the first action is not compared
            best[step] = rng.normal(0, NOISE)
    means = _MEANS[name](contexts)
    highest = means.max(axis=1) if name == "bump" else 1.0
    return PairRounds(name, contexts, means, noise, best + highest)


def _bump(contexts: Floats) -> Floats:
    fixed = _fixed()
    along = (contexts - fixed.best_context) @ fixed.slope
    distance = np.abs(fixed.actions - fixed.best_action)
    return np.asarray(np.maximum(0.0, 1.0 - distance[None, :] - along[:, None]))


def _chessboard(contexts: Floats) -> Floats:
    columns = np.minimum((contexts[:, 0] * 4).astype(np.int64), 3)
    rows = np.minimum((_fixed().actions * 4).astype(np.int64), 3)
    return _CHESSBOARD[columns[:, None], rows[None, :]]


def _step_diagonal(contexts: Floats) -> Floats:
    actions = _fixed().actions[None, :]
    high = np.abs(contexts - (actions + 0.15)) < 0.1
    low = np.abs(contexts - (actions - 0.15)) < 0.1
    return np.where(high, 1.0, np.where(low, 0.5, 0.0))


_MEANS = {"bump": _bump, "chessboard": _chessboard, "step-diagonal": _step_diagonal}
