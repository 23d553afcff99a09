"""What the hybrid LinearUCB learners share: settings, B, b, b0, and the scores of equation (3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.learn.kernels import (
    Floats,
    add,
    dot,
    matvec,
    multiply,
    outer,
    scale,
    sub_each,
    transpose,
)
from gnomon.learn.learner import Learner, Sizes, positive

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


LARGEST_SHARED = 1e3
"""Largest magnitude of a context value and of its product with a feature.

A0 is a small difference of sums of products of these squares; at 1e4 nothing is left of it.
"""


class Hybrid(Learner):
    """One ridge regression per arm and one of all arms, on the products of features and context.

    Args:
        arm_features: one row of f features for each arm, (N, f). z of an arm is the outer product
            of its features with the context, k = f d numbers.
        dimensions: d, the length of a context.
        alpha: weight of the exploration term.
        regularisation: lambda; A and A0 start as lambda I. The paper takes 1.

    Raises:
        GnomonError: a setting is out of range.
    """

    name: ClassVar[str] = "linucb-hybrid"

    def __init__(
        self,
        *,
        arm_features: ArrayLike,
        dimensions: int,
        alpha: float = 0.5,
        regularisation: float = 1.0,
    ) -> None:
        self.arm_features = _features(arm_features)
        arms, features = self.arm_features.shape
        super().__init__(Sizes(arms, dimensions, features))
        self.alpha = positive("alpha", alpha, zero=True)
        self.regularisation = positive("regularisation", regularisation)
        shared = features * dimensions
        self.cross: Floats = np.zeros((arms, dimensions, shared))
        self.b: Floats = np.zeros((arms, dimensions))
        self.b0: Floats = np.zeros(shared)

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "arm_features": self.arm_features.tolist(),
            "dimensions": self.sizes.dimensions,
            "alpha": self.alpha,
            "regularisation": self.regularisation,
        }

    @property
    def shared_size(self) -> int:
        """The length k = f d of z."""
        return self.sizes.features * self.sizes.dimensions

    def _identities(self, value: float) -> Floats:
        return np.tile(value * np.eye(self.sizes.dimensions), (self.sizes.arms, 1, 1))

    def _z(self, contexts: Floats, arms: slice | int = slice(None)) -> Floats:
        """The vectors z of all arms (N, k), or that of one (k)."""
        products = outer(self.arm_features[arms], contexts[arms])
        return products.reshape(*products.shape[:-2], -1)

    def _scores_from(self, a0_inverse: Floats, a_inverses: Floats, contexts: Floats) -> Floats:
        """Equation (3) from the inverses, each term evaluated as written, right to left.

        No product is shared between the terms of the variance, as in the code that the published
        cycles come from.
        """
        beta = matvec(a0_inverse, self.b0)
        z = self._z(contexts)
        theta = matvec(a_inverses, sub_each(self.b, matvec(self.cross, beta[None, :])))
        crossed = transpose(self.cross)
        first = dot(z, matvec(a0_inverse, z))
        inner = matvec(crossed, matvec(a_inverses, contexts))
        second = scale(dot(z, matvec(a0_inverse, inner)), -2.0)
        third = dot(contexts, matvec(a_inverses, contexts))
        inner = matvec(crossed, matvec(a_inverses, contexts))
        inner = matvec(self.cross, matvec(a0_inverse, inner))
        fourth = dot(contexts, matvec(a_inverses, inner))
        variances = add(add(add(first, second), third), fourth)
        estimate = add(dot(z, beta[None, :]), dot(contexts, theta))
        terms = (first, second, third, fourth)
        widths = self._widths(variances, lambda: np.abs(terms).sum(axis=0))
        return add(estimate, scale(widths, self.alpha))

    def _own(self, arm: int, x: Floats, z: Floats, reward: float) -> tuple[Floats, Floats]:
        """B and b of the arm after equation (5)."""
        cross = add(self.cross[arm], outer(x, z))
        return cross, add(self.b[arm], scale(x, reward))

    @property
    def largest_context(self) -> float:
        return LARGEST_SHARED / max(1.0, float(np.abs(self.arm_features).max()))


def shared_part(cross: Floats, a_inverse: Floats, b: Floats) -> Floats:
    """B^T A^-1 b of one arm, for equations (4) and (6)."""
    return matvec(transpose(cross), matvec(a_inverse, b))


def shared_square(cross: Floats, a_inverse: Floats) -> Floats:
    """B^T A^-1 B of one arm, for equations (4) and (6)."""
    return multiply(transpose(cross), multiply(a_inverse, cross))


def _features(arm_features: ArrayLike) -> Floats:
    try:
        values = np.array(arm_features, dtype=np.float64)
    except (TypeError, ValueError):
        raise GnomonError("arm_features must be one row of numbers for each arm") from None
    if values.ndim != 2 or 0 in values.shape:
        raise GnomonError(f"arm_features must have the shape (arms, features), not {values.shape}")
    if not (np.abs(values) <= LARGEST_SHARED).all():
        raise GnomonError(
            f"arm_features must be finite numbers of at most {LARGEST_SHARED:g} in magnitude"
        )
    return values
