"""Independent bandits with fixed arms: features, true means, noise."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.learn.kernels import Floats


@dataclass(frozen=True, slots=True)
class ArmSets:
    """B environments of K arms with d features each."""

    features: Floats = field(repr=False)  # (B, K, d)
    means: Floats = field(repr=False)  # true expected rewards, (B, K)
    noise_std: float  # standard deviation of the Gaussian noise on a reward

    @property
    def gaps(self) -> Floats:
        """Difference between the best mean and that of each arm, (B, K)."""
        return np.asarray(self.means.max(axis=1, keepdims=True) - self.means)

    @property
    def uniform_regret(self) -> float:
        """Regret per round of uniformly random arms, mean of all environments."""
        return float(self.gaps.mean())


def unit(rows: Floats) -> Floats:
    """Scale rows to length 1."""
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True))


def synthetic_arm_sets(
    *, count: int, arms: int, dimensions: int, noise_std: float, seed: int
) -> ArmSets:
    """Sample section 5.1: features uniform in [-1, 1]^d, scaled to length 1; unit vectors theta.

    Raises:
        GnomonError: if a number is out of range.
    """
    for name, value in (("environments", count), ("arms", arms), ("dimensions", dimensions)):
        if value < 1:
            raise GnomonError(f"the number of {name} must be at least 1, not {value}")
    if seed < 0:
        raise GnomonError(f"the seed must not be negative, not {seed}")
    rng = np.random.default_rng(seed)
    features = unit(rng.uniform(-1.0, 1.0, size=(count, arms, dimensions)))
    theta = unit(rng.normal(size=(count, dimensions)))
    return ArmSets(features, (features @ theta[:, :, None])[..., 0], noise_std)


def join_arm_sets(sets: list[ArmSets]) -> ArmSets:
    """Concatenate environments; their noise must be the same."""
    if len({each.noise_std for each in sets}) != 1:
        raise GnomonError("environments of different noise cannot be joined")
    return ArmSets(
        np.concatenate([each.features for each in sets]),
        np.concatenate([each.means for each in sets]),
        sets[0].noise_std,
    )
