"""The variants of an algorithm are one algorithm; a case worked by hand; the textbook formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.content.algorithms.linucb_disjoint.learner import (
    DisjointLinUCB,
    DisjointLinUCBCorrected,
    DisjointLinUCBOptimized,
)
from gnomon.content.algorithms.linucb_hybrid.learner import (
    HybridLinUCB,
    HybridLinUCBCorrected,
    HybridLinUCBOptimized,
)
from gnomon.learn import Learner, Sizes, learners

sizes = st.builds(Sizes, st.integers(1, 5), st.integers(1, 5), st.integers(1, 4))


def variants(name: str, size: Sizes, rng: np.random.Generator, **more: Any) -> list[Learner]:
    shape: dict[str, Any] = {"arms": size.arms, "dimensions": size.dimensions}
    if name == "linucb-hybrid":
        features = rng.uniform(-1, 1, size=(size.arms, size.features))
        shape = {"arm_features": features, "dimensions": size.dimensions}
    found = []
    for (of, variant), learner in learners().items():
        if of == name:
            extra = {"correction_period": 7} if variant == "corrected" else {}
            found.append(learner(**shape, **extra, **more))
    return found


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from(["linucb-disjoint", "linucb-hybrid"]),
    sizes,
    st.integers(0, 2**32),
    st.sampled_from([0.0, 0.5, 2.0]),
    st.sampled_from([0.5, 1.0, 10.0]),
)
def test_variants_give_the_same_scores(
    name: str, size: Sizes, seed: int, alpha: float, regularisation: float
) -> None:
    rng = np.random.default_rng(seed)
    standard, *others = variants(name, size, rng, alpha=alpha, regularisation=regularisation)
    for _ in range(30):
        context = rng.uniform(-1, 1, size=(size.arms, size.dimensions))
        expected = standard.scores(context)
        for other in others:
            # The square root makes 1e-8 of an error of 1e-16 where a variance is 0.
            np.testing.assert_allclose(other.scores(context), expected, atol=1e-8, rtol=1e-8)
        arm, reward = int(rng.integers(size.arms)), float(rng.normal())
        for learner in (standard, *others):
            learner.update(context, arm, reward)


@settings(deadline=None, max_examples=30)
@given(sizes, st.integers(0, 2**32))
def test_hybrid_is_one_ridge_regression(size: Sizes, seed: int) -> None:
    """Independent of equations (3) to (6): all observations in one block matrix.

    A ridge regression on rows (z, and x in the columns of the arm) has the estimate of equation
    (3) as its prediction, and the variance s as the quadratic form of its inverse.
    """
    rng = np.random.default_rng(seed)
    alpha = 0.7
    (standard, *_) = variants("linucb-hybrid", size, rng, alpha=alpha)
    assert isinstance(standard, HybridLinUCB)
    n, d, k = size.arms, size.dimensions, size.features * size.dimensions
    gram, moment = np.eye(k + n * d), np.zeros(k + n * d)

    def row(context: np.ndarray, arm: int) -> np.ndarray:
        line = np.zeros(k + n * d)
        line[:k] = np.outer(standard.arm_features[arm], context).ravel()
        line[k + arm * d : k + (arm + 1) * d] = context
        return line

    for _ in range(25):
        context, arm, reward = rng.normal(size=d), int(rng.integers(n)), float(rng.normal())
        standard.update(context, arm, reward)
        gram += np.outer(row(context, arm), row(context, arm))
        moment += reward * row(context, arm)
    context = rng.normal(size=d)
    rows = np.array([row(context, arm) for arm in range(n)])
    inverse = np.linalg.inv(gram)
    variances = np.einsum("ni,ij,nj->n", rows, inverse, rows)
    expected = rows @ inverse @ moment + alpha * np.sqrt(variances)
    np.testing.assert_allclose(standard.scores(context), expected, rtol=1e-8, atol=1e-8)


def test_two_dimensions_by_hand() -> None:
    """A = [[2, 0], [0, 1]] after (1, 0); then [[3, 1], [1, 2]] after (1, 1); b = (3, 1).

    Inverse [[0.4, -0.2], [-0.2, 0.6]], theta = (1, 0); for x = (0, 1) the estimate is 0 and the
    variance 0.6.
    """
    for learner in (DisjointLinUCB, DisjointLinUCBOptimized, DisjointLinUCBCorrected):
        bandit = learner(arms=2, dimensions=2, alpha=1.0)
        bandit.update([1.0, 0.0], 1, 2.0)
        bandit.update([1.0, 1.0], 1, 1.0)
        np.testing.assert_allclose(bandit.b[1], [3.0, 1.0])
        np.testing.assert_allclose(bandit.scores([0.0, 1.0]), [1.0, np.sqrt(0.6)])
        np.testing.assert_allclose(bandit.scores([1.0, 0.0]), [1.0, 1.0 + np.sqrt(0.4)])
        assert bandit.select([0.0, 1.0]) == 0
        assert bandit.select([1.0, 0.0]) == 1


def test_one_hybrid_step_by_hand() -> None:
    """One arm, d = f = 1, feature 1, x = 1, r = 2: A = 2, B = 1, b = 2, A0 = 1.5, b0 = 1.

    beta = 2/3; theta = (2 - 2/3)/2 = 2/3; s = 1/1.5 - 2 (1/1.5)(1/2) + 1/2 + (1/4)(1/1.5) = 2/3.
    """
    bandit = HybridLinUCB(arm_features=[[1.0]], dimensions=1, alpha=1.0)
    bandit.update([1.0], 0, 2.0)
    assert bandit.a0.item() == pytest.approx(1.5)
    assert bandit.b0.item() == pytest.approx(1.0)
    assert bandit.cross.item() == pytest.approx(1.0)
    assert bandit.scores([1.0])[0] == pytest.approx(4 / 3 + np.sqrt(2 / 3))


def test_a_correction_gives_the_exact_inverses() -> None:
    rng = np.random.default_rng(4)
    disjoint = DisjointLinUCBCorrected(arms=2, dimensions=3, correction_period=5)
    hybrid = HybridLinUCBCorrected(
        arm_features=rng.uniform(size=(2, 2)), dimensions=3, correction_period=5
    )
    for step in range(1, 11):
        context, arm = rng.normal(size=3), step % 2
        for learner in (disjoint, hybrid):
            learner.update(context, arm, 1.0)
            exact = np.array_equal(learner.a_inverse, np.linalg.inv(learner.a))
            assert exact == (step % 5 == 0)
    assert np.array_equal(hybrid.a0_inverse, np.linalg.inv(hybrid.a0))


def test_a_correction_repairs_a_damaged_inverse() -> None:
    learner = HybridLinUCBCorrected(arm_features=[[1.0], [0.5]], dimensions=2, correction_period=3)
    twin = HybridLinUCBOptimized(arm_features=[[1.0], [0.5]], dimensions=2)
    for context in ([1.0, 0.0], [0.3, 0.2], [0.0, 1.0]):
        twin.update(context, 0, 1.0)
    learner.update([1.0, 0.0], 0, 1.0)
    learner.update([0.3, 0.2], 0, 1.0)
    learner.a_inverse += 1e-6 * np.eye(2)
    learner.update([0.0, 1.0], 0, 1.0)
    np.testing.assert_allclose(learner.a_inverse, twin.a_inverse, atol=1e-12)


def test_a_wrong_period_is_refused() -> None:
    for value in (0, -1, 2.5, True):
        with pytest.raises(Exception) as error:
            DisjointLinUCBCorrected(arms=1, dimensions=1, correction_period=value)  # type: ignore[arg-type]
        assert str(error.value) == (
            f"correction_period must be a whole number from 1, not {value!r}"
        )
