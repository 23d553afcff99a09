"""What the learners of one linear model share: joint features, V^-1 and theta."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.learn.kernels import Floats, add, dot, matvec, outer, scale, sherman_morrison
from gnomon.learn.learner import LARGEST_CONTEXT, Learner, Sizes, positive

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class SharedLinear(Learner):
    """One ridge regression for all arms, on the products of an arm's features and the context.

    The setting of the paper, arms with d fixed features and no context, is a context of length 1
    that is always 1, and the features as ``arm_features``. Without ``arm_features`` each arm has
    one feature of its own, which makes a model for each arm.

    Args:
        arms: K.
        dimensions: length of a context.
        arm_features: one row of features for each arm, (K, f).
        regularisation: alpha of the paper; V starts as that times I.
        seed: of what is drawn; None for learners that draw nothing.

    Raises:
        GnomonError: a setting is out of range.

    Attributes:
        inverse: V^-1, (f d, f d).
        b: sum of rewards times joint features, (f d).
    """

    def __init__(
        self,
        *,
        arms: int,
        dimensions: int,
        arm_features: ArrayLike | None = None,
        regularisation: float = 1.0,
        seed: int | None = None,
    ) -> None:
        rows = np.eye(max(arms, 1)) if arm_features is None else _rows(arm_features, arms)
        super().__init__(Sizes(arms, dimensions, rows.shape[1]), seed=seed)
        self.seed = seed
        self.arm_features: Floats = rows
        self.regularisation = positive("regularisation", regularisation)
        size = rows.shape[1] * dimensions
        self.inverse: Floats = np.eye(size) / self.regularisation
        self.b: Floats = np.zeros(size)

    @property
    def settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = {
            "arms": self.sizes.arms,
            "dimensions": self.sizes.dimensions,
            "arm_features": self.arm_features.tolist(),
            "regularisation": self.regularisation,
        }
        return settings if self.seed is None else {**settings, "seed": self.seed}

    @property
    def state(self) -> dict[str, Floats]:
        return {"inverse": self.inverse, "b": self.b}

    @property
    def largest_context(self) -> float:
        """Smaller where features are larger than 1."""
        return LARGEST_CONTEXT / max(1.0, float(np.abs(self.arm_features).max()))

    def _joint(self, contexts: Floats) -> Floats:
        """Rows x_i, (K, f d); the features themselves where contexts have length 1."""
        products = outer(self.arm_features, contexts)
        return products.reshape(len(contexts), -1)

    def _means(self, joint: Floats) -> Floats:
        """mu_hat of all arms."""
        return matvec(joint, matvec(self.inverse, self.b))

    def _norms(self, joint: Floats) -> Floats:
        """Norms n of all arms, sqrt(x^T V^-1 x)."""
        spread = matvec(np.broadcast_to(self.inverse, (len(joint), *self.inverse.shape)), joint)
        return self._widths(dot(joint, spread), lambda: np.abs(joint * spread).sum(axis=-1))

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        self._learn_row(self._joint(contexts)[arm], reward)

    def _learn_row(self, x: Floats, reward: float) -> None:
        self.inverse[:] = sherman_morrison(self.inverse, x)
        self.b[:] = add(self.b, scale(x, reward))


def _rows(values: ArrayLike, arms: int) -> Floats:
    try:
        rows = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise GnomonError("arm_features must be one row of numbers for each arm") from None
    if rows.ndim != 2 or rows.shape[0] != arms or not rows.shape[1]:
        raise GnomonError(f"arm_features must have the shape ({arms}, features), not {rows.shape}")
    if not (np.abs(rows) <= LARGEST_CONTEXT).all():
        raise GnomonError(
            f"arm_features must be finite numbers of at most {LARGEST_CONTEXT:g} in magnitude"
        )
    return rows
