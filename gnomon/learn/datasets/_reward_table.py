"""Data sets as bandits: a context per row, and the reward of every arm."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.learn.kernels import Floats

MOST_DIMENSIONS = 16
"""Most values of a context, the constant included."""

_PROJECTION_SEED = 16


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Parts of a data set that a bandit does not use, for one reason.

    Attributes:
        reason: the reason, such as ``malformed rows``.
        names: every part: a message with file and line, a user, or a column.
    """

    reason: str
    names: tuple[str, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True, slots=True)
class RewardTable:
    """A bandit whose rows are independent rounds; the reward of every arm is known.

    Attributes:
        contexts: 1, then features with the mean 0 over all rows, (n, d).
        rewards: reward of every arm, from 0 to 1, (n, K).
        arms: names of the arms.
        made: how contexts and rewards follow from the data set, one sentence each.
        given_features: number of features before any reduction.
        left_out: parts of the data set that are not in the table.
    """

    contexts: Floats = field(repr=False)
    rewards: Floats = field(repr=False)
    arms: tuple[str, ...]
    made: str
    given_features: int
    left_out: tuple[LeftOut, ...] = ()

    @property
    def digest(self) -> str:
        """First 12 hexadecimal digits of the SHA-256 of contexts and rewards, to 9 decimals."""
        data = np.hstack((self.contexts, self.rewards)).round(9) + 0.0  # no negative zero
        return hashlib.sha256(data.tobytes()).hexdigest()[:12]

    def ordering(self, seed: int, most: int) -> RewardTable:
        """Return at most ``most`` rows, sampled without replacement in a random order."""
        rows = np.random.default_rng(seed).permutation(len(self.contexts))[:most]
        return RewardTable(
            self.contexts[rows], self.rewards[rows], self.arms, self.made, self.given_features
        )


def contexts_from(
    features: Floats, names: Sequence[str], most: int = MOST_DIMENSIONS
) -> tuple[Floats, str, tuple[LeftOut, ...]]:
    """Return a constant 1 and standardized features, at most ``most`` values in all.

    Features get the mean 0 and the standard deviation 1 over all rows. More than ``most`` - 1 of
    them are projected onto random orthogonal directions, which depend on their number alone, and
    standardized again. The features are then divided by the square root of their number, so that
    the mean of their squared length is 1.

    Args:
        features: (n, columns), finite.
        names: of the columns.
        most: largest number of values of a context, at least 2.

    Returns:
        The contexts (n, d), how they were made, and the columns with one value, which are left out.

    Raises:
        GnomonError: if no column has two values.
    """
    varied = np.ptp(features, axis=0) > 0
    if not varied.any():
        raise GnomonError("no feature has two different values")
    standard = _standardized(features[:, varied])
    count = standard.shape[1]
    made = f"Contexts are 1 and {count} standardized features."
    if count > most - 1:
        rng = np.random.default_rng((_PROJECTION_SEED, count, most))
        directions, triangle = np.linalg.qr(rng.standard_normal((count, most - 1)))
        standard = _standardized(standard @ (directions * np.sign(np.diag(triangle))))
        made = (
            f"Contexts are 1 and {most - 1} random orthogonal projections of {count} standardized"
            " features."
        )
    contexts = np.hstack((np.ones((len(standard), 1)), standard / standard.shape[1] ** 0.5))
    constant = tuple(name for name, kept in zip(names, varied, strict=True) if not kept)
    return contexts, made, (LeftOut("features with one value", constant),) if constant else ()


def _standardized(values: Floats) -> Floats:
    # Scaled first: squares of the largest numbers that readers accept have no finite sum.
    scaled = values / np.abs(values).max(axis=0, initial=1e-300)
    centred = scaled - scaled.mean(axis=0)
    spread = centred.std(axis=0)
    return np.asarray(centred / np.where(spread > 0, spread, 1.0))
