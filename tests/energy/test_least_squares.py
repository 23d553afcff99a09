"""Non-negative least squares against its optimality conditions; quantiles against printed ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gnomon.base.interval import student_quantile
from gnomon.cost.energy import PowerTable
from gnomon.cost.energy.fit import nonnegative_least_squares


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 12), st.integers(1, 6), st.booleans())
@example(61910, 3, 3, False)  # SciPy 1.15 ends too early
def test_optimality(seed: int, points: int, parameters: int, dependent: bool) -> None:
    """Karush, Kuhn, Tucker: no step to a better place is allowed."""
    rng = np.random.default_rng(seed)
    design = rng.normal(size=(points, parameters))
    if dependent and parameters > 1:
        design[:, 0] = 2 * design[:, 1]
    values = rng.normal(size=points)
    x = nonnegative_least_squares(design, values)

    assert (x >= 0).all()
    gradient = design.T @ (values - design @ x)
    scale = 1e-7 * (1 + np.abs(design).sum())
    assert (gradient <= scale).all()
    assert np.abs(gradient[x > 0]).max(initial=0.0) <= scale


def test_an_exact_answer_is_found() -> None:
    design = np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 5.0]])
    np.testing.assert_allclose(
        nonnegative_least_squares(design, design @ np.array([4.0, 0.5])), [4.0, 0.5]
    )


def test_a_negative_parameter_becomes_zero() -> None:
    design = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    np.testing.assert_allclose(
        nonnegative_least_squares(design, np.array([3.0, 2.0, 1.0])), [2.0, 0.0]
    )


# The 97.5 % column of any printed table of Student's distribution.
@pytest.mark.parametrize(
    ("freedom", "printed"), [(1, 12.706), (2, 4.303), (3, 3.182), (10, 2.228), (30, 2.042)]
)
def test_student_quantile(freedom: int, printed: float) -> None:
    assert student_quantile(0.975, freedom) == pytest.approx(printed, abs=6e-4)


@pytest.mark.parametrize("name", ["t13", "t13-table2", "t13-table3"])
def test_tables_keep_the_quantile_of_their_degrees_of_freedom(name: str) -> None:
    fit = PowerTable.load(name).fit
    # Ten digits: releases of SciPy differ in the last ones.
    expected = student_quantile(0.975, fit.degrees_of_freedom)
    assert fit.student_quantile == float(f"{expected:.10g}")
