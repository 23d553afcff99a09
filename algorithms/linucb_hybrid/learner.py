"""Hybrid LinearUCB in float64: standard, optimized, corrected, closed-form and rank-one."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gnomon.learn.kernels import (
    Floats,
    add,
    dot,
    lu_invert,
    matvec,
    multiply,
    outer,
    scale,
    sherman_morrison,
    sub,
    sub_each,
    transpose,
    woodbury,
)
from gnomon.learn.learner import Learner, Sizes
from gnomon.learn.settings import positive, rows_of_arms, whole

LARGEST_SHARED = 1e3
"""Largest magnitude of a context value and of its product with a feature.

A0 is a small difference of sums of products of these squares; at 1e4 nothing is left of it.
"""


class Hybrid(Learner):
    """One ridge regression per arm, and one shared by all, on products of features and context.

    Args:
        arm_features: one row of f features for each arm, (N, f). z of an arm is the outer product
            of its features with the context, k = f d numbers.
        alpha: weight of the exploration term.
        regularisation: lambda; A and A0 start as lambda I. The paper takes 1.

    Raises:
        GnomonError: if a setting is out of range.
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
        self.arm_features = rows_of_arms(
            "arm_features", arm_features, "(arms, features)", limit=LARGEST_SHARED
        )
        arms, features = self.arm_features.shape
        super().__init__(Sizes(arms, dimensions, features))
        self.alpha = positive("alpha", alpha, zero=True)
        self.regularisation = positive("regularisation", regularisation)
        shared = features * dimensions
        self.cross: Floats = np.zeros((arms, dimensions, shared))  # B of each arm, (N, d, k)
        self.b: Floats = np.zeros((arms, dimensions))  # (N, d)
        self.b0: Floats = np.zeros(shared)  # (k)

    @property
    def shared_size(self) -> int:
        """Length k = f d of z."""
        return self.sizes.features * self.sizes.dimensions

    def _identities(self, value: float) -> Floats:
        return np.tile(value * np.eye(self.sizes.dimensions), (self.sizes.arms, 1, 1))

    def _z(self, contexts: Floats, arms: slice | int = slice(None)) -> Floats:
        """Return the vectors z of all arms (N, k), or of one arm (k)."""
        products = outer(self.arm_features[arms], contexts[arms])
        return products.reshape(*products.shape[:-2], -1)

    def _scores_from(self, a0_inverse: Floats, a_inverses: Floats, contexts: Floats) -> Floats:
        """Compute equation (3) from the inverses, each term evaluated as written, right to left.

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
        """Return B and b of the arm after equation (5)."""
        cross = add(self.cross[arm], outer(x, z))
        return cross, add(self.b[arm], scale(x, reward))

    @property
    def largest_context(self) -> float:
        return LARGEST_SHARED / max(1.0, float(np.abs(self.arm_features).max()))


class HybridLinUCB(Hybrid):
    """Published algorithm, equations (3) to (6): A and A0 are stored, inverted in every select.

    A select inverts one k x k and N d x d matrices; an update inverts two d x d matrices.
    """

    variant: ClassVar[str] = "standard"
    keeps: ClassVar[tuple[str, ...]] = ("a0", "b0", "a", "b", "cross")

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.a0 = self.regularisation * np.eye(self.shared_size)  # (k, k)
        self.a = self._identities(self.regularisation)  # A of each arm, (N, d, d)

    def _scores(self, contexts: Floats) -> Floats:
        return self._scores_from(lu_invert(self.a0), lu_invert(self.a), contexts)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x = contexts[arm]
        a_inverse = lu_invert(self.a[arm])
        a0 = add(self.a0, _shared_square(self.cross[arm], a_inverse))  # (4)
        b0 = add(self.b0, _shared_part(self.cross[arm], a_inverse, self.b[arm]))
        z = self._z(contexts, arm)
        a = add(self.a[arm], outer(x, x))  # (5)
        cross, b = self._own(arm, x, z, reward)
        a_inverse = lu_invert(a)
        a0 = sub(add(a0, outer(z, z)), _shared_square(cross, a_inverse))  # (6)
        b0 = sub(add(b0, scale(z, reward)), _shared_part(cross, a_inverse, b))
        self.a0[...], self.b0[...] = a0, b0  # last, so that an error changes nothing
        self.a[arm], self.cross[arm], self.b[arm] = a, cross, b


class HybridLinUCBOptimized(Hybrid):
    """Algorithm 2 with equations (10) to (12): three inversions of d x d in an update, no other.

    The inverses are stored, and updated by Sherman-Morrison-Woodbury. Two of three inversions are
    inside the Woodbury updates; the third gives A from its inverse. After line 21 A follows as
    A + x x^T, which keeps the count at the three that the paper states.
    """

    variant: ClassVar[str] = "optimized"
    keeps: ClassVar[tuple[str, ...]] = ("a0_inverse", "b0", "a_inverse", "b", "cross")

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.a0_inverse = np.eye(self.shared_size) / self.regularisation  # (k, k)
        # inverse of A of each arm, (N, d, d)
        self.a_inverse = self._identities(1.0 / self.regularisation)

    def _scores(self, contexts: Floats) -> Floats:
        return self._scores_from(self.a0_inverse, self.a_inverse, contexts)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x, z = contexts[arm], self._z(contexts, arm)
        a_inverse, cross, b = self.a_inverse[arm], self.cross[arm], self.b[arm]
        a = lu_invert(a_inverse)
        a0_inverse = woodbury(self.a0_inverse, cross, a, sign=1)  # line 19
        b0 = add(self.b0, _shared_part(cross, a_inverse, b))  # line 20
        a_inverse = sherman_morrison(a_inverse, x)  # line 21
        a = add(a, outer(x, x))
        cross, b = self._own(arm, x, z, reward)  # lines 22 and 23
        a0_inverse = sherman_morrison(a0_inverse, z)  # line 24
        a0_inverse = woodbury(a0_inverse, cross, a, sign=-1)  # line 25
        b0 = sub(add(b0, scale(z, reward)), _shared_part(cross, a_inverse, b))  # line 26
        self.a0_inverse[...], self.b0[...] = a0_inverse, b0  # last: an error changes nothing
        self.a_inverse[arm], self.cross[arm], self.b[arm] = a_inverse, cross, b


class _WithDirectA(HybridLinUCBOptimized):
    """Base that also stores A of each arm, (N, d, d), to recompute inverses in corrections."""

    keeps: ClassVar[tuple[str, ...]] = ("a", *HybridLinUCBOptimized.keeps)

    def __init__(self, *, correction_period: int = 5000, **settings: Any) -> None:
        super().__init__(**settings)
        self.correction_period = whole("correction_period", correction_period)
        self.a = self._identities(self.regularisation)

    @property
    def _corrects(self) -> bool:
        return (self.steps + 1) % self.correction_period == 0


class HybridLinUCBCorrected(_WithDirectA):
    """Algorithm 2 with the correction of section 3.3.3.

    Every ``correction_period`` updates the inverses are recomputed from A and A0. A0 follows
    equations (4) and (6) with the stored inverse of A; between two
    corrections only the inversions of Algorithm 2 occur.
    """

    variant: ClassVar[str] = "corrected"
    keeps: ClassVar[tuple[str, ...]] = ("a0", *_WithDirectA.keeps)

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.a0 = self.regularisation * np.eye(self.shared_size)  # updated directly, (k, k)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x, z = contexts[arm], self._z(contexts, arm)
        a0 = add(self.a0, _shared_square(self.cross[arm], self.a_inverse[arm]))  # (4)
        super()._learn(contexts, arm, reward)
        self.a[arm] = add(self.a[arm], outer(x, x))  # (5)
        square = _shared_square(self.cross[arm], self.a_inverse[arm])
        self.a0[...] = sub(add(a0, outer(z, z)), square)  # (6)
        if self._corrects:
            self.a_inverse[...], self.a0_inverse[...] = lu_invert(self.a), lu_invert(self.a0)


class HybridLinUCBClosedForm(_WithDirectA):
    """Algorithm 2 corrected from A alone; gnomon's, not the paper's.

    The features of the arms are fixed, so A0 is a function of all A (see ``closed_form_inverse``):
    no direct A0 is stored or updated, and nothing cancels in the correction.
    """

    variant: ClassVar[str] = "closed-form"

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x = contexts[arm]
        super()._learn(contexts, arm, reward)
        self.a[arm] = add(self.a[arm], outer(x, x))
        if self._corrects:
            self.a_inverse[...] = lu_invert(self.a)
            self.a0_inverse[...] = closed_form_inverse(
                self.a_inverse, self.arm_features, self.regularisation
            )


class HybridLinUCBRankOne(HybridLinUCBOptimized):
    """One rank-one update of A0 per step; gnomon's, not the paper's.

    The three changes of A0 in equations (4) to (6) add up to a matrix of rank one: A0 is the Schur
    complement of A in the matrix of all observations of the arm, and one observation changes it
    by rank one. With ``u = A^-1 x``, ``g = 1 + x^T u`` and ``w = z - B^T u``, A and B before the
    step,

        A0 + B^T A^-1 B + z z^T - B'^T A'^-1 B'  =  A0 + w w^T / g
        b0 + B^T A^-1 b + r z   - B'^T A'^-1 b'  =  b0 + w (r - u^T b) / g

    where ' means after the step. So one Sherman-Morrison update replaces lines 19, 24
    and 25 of Algorithm 2: k^2 operations instead of k^2 d, no inversion, and none of the large
    numbers that line 19 adds and line 25 subtracts, whose rounding causes the drift.
    """

    variant: ClassVar[str] = "rank-one"

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x, z = contexts[arm], self._z(contexts, arm)
        u = matvec(self.a_inverse[arm], x)
        g = 1.0 + float(dot(x, u))
        w = sub(z, matvec(transpose(self.cross[arm]), u))
        surprise = reward - float(dot(u, self.b[arm]))
        b0 = add(self.b0, scale(w, surprise / g))
        a0_inverse = sherman_morrison(self.a0_inverse, scale(w, g**-0.5))
        a_inverse = sherman_morrison(self.a_inverse[arm], x)
        cross, b = self._own(arm, x, z, reward)
        self.a0_inverse[...], self.b0[...] = a0_inverse, b0
        self.a_inverse[arm], self.cross[arm], self.b[arm] = a_inverse, cross, b


def closed_form_inverse(a_inverse: Floats, features: Floats, regularisation: float) -> Floats:
    """Compute the inverse of A0 from the inverses of all A.

    A0 = lambda I + sum over arms of (f_a f_a^T) x lambda (I - lambda A_a^-1), x the Kronecker
    product and f_a the features of an arm. Equations (4) to (6) add up to this sum if every
    z is the product of fixed arm features with the context; nothing large cancels in it.

    Args:
        a_inverse: inverse of A of each arm, (N, d, d).
        features: features of each arm, (N, f).
        regularisation: lambda.
    """
    dimensions = a_inverse.shape[-1]
    size = features.shape[-1] * dimensions
    inner = regularisation * (np.eye(dimensions) - regularisation * a_inverse)
    terms = np.einsum("ap,aq,aij->piqj", features, features, inner).reshape(size, size)
    return lu_invert(regularisation * np.eye(size) + terms)


def _shared_part(cross: Floats, a_inverse: Floats, b: Floats) -> Floats:
    """Return B^T A^-1 b of one arm, for equations (4) and (6)."""
    return matvec(transpose(cross), matvec(a_inverse, b))


def _shared_square(cross: Floats, a_inverse: Floats) -> Floats:
    """Return B^T A^-1 B of one arm, for equations (4) and (6)."""
    return multiply(transpose(cross), multiply(a_inverse, cross))
