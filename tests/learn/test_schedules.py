"""The study of periods and methods of correction, and the correction from A alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.linucb_hybrid.learner import (
    HybridLinUCB,
    HybridLinUCBClosedForm,
    HybridLinUCBOptimized,
)
from gnomon.content.reports.correction.schedules import GAIN_COLUMNS, ScheduleCase, run_schedules

Gains = dict[tuple[str, int | None], dict[str, Any]]
CASE = ScheduleCase("uniform", rounds=1200, periods=(200, 10))
FEATURES = np.random.default_rng(3).uniform(-1, 1, (3, 2))


@pytest.fixture(scope="module")
def gains() -> Gains:
    calls: list[int] = []
    found = run_schedules(CASE, lambda: calls.append(1))
    assert len(calls) == 100
    rows = (dict(zip(GAIN_COLUMNS, row, strict=True)) for row in found)
    return {(row["variant"], row["period"]): row for row in rows}


def test_rows(gains: Gains) -> None:
    expected: list[tuple[str, int | None]] = [
        ("corrected", 200), ("corrected", 10), ("closed-form", 200), ("rank-one", None),
    ]  # fmt: skip
    assert list(gains) == expected


def test_shorter_periods_gain_more_and_rank_one_most(
    gains: Gains,
) -> None:
    long, short = gains["corrected", 200], gains["corrected", 10]
    rank_one = gains["rank-one", None]
    assert long["median_orders"] < short["median_orders"] < rank_one["median_orders"]
    assert rank_one["median_orders"] > 2.5
    assert rank_one["largest_drift"] < 1e-2 * short["largest_drift"]
    for gain in (long, short):
        assert gain["after_orders"] is not None
        assert gain["before_orders"] is not None
        assert gain["peak_orders"] > gain["after_orders"] > gain["before_orders"]
    assert (rank_one["after_orders"], rank_one["before_orders"]) == (None, None)


def test_a_correction_from_a_alone_keeps_no_direct_a0(
    gains: Gains,
) -> None:
    k, arms, d = 32, 8, 4
    plain = 8 * (k * k + k + arms * (d * d + d + d * k))
    assert gains["rank-one", None]["state_bytes"] == plain
    assert gains["closed-form", 200]["state_bytes"] == plain + 8 * arms * d * d
    assert gains["corrected", 200]["state_bytes"] == plain + 8 * (arms * d * d + k * k)


def test_the_closed_form_is_the_inverse_of_a0() -> None:
    """After 30 updates, of which the last corrects; lambda is not 1."""
    standard = HybridLinUCB(arm_features=FEATURES, dimensions=4, regularisation=0.5)
    corrected = HybridLinUCBClosedForm(
        arm_features=FEATURES, dimensions=4, regularisation=0.5, correction_period=30
    )
    rng = np.random.default_rng(4)
    for step in range(30):
        context, reward = rng.normal(size=4), float(rng.normal())
        for learner in (standard, corrected):
            learner.update(context, step % 3, reward)
        if step == 28:
            corrected.a0_inverse += 1e-3  # an error to be removed
    direct = np.linalg.inv(standard.a0)
    np.testing.assert_allclose(corrected.a0_inverse, direct, rtol=0, atol=1e-10)
    np.testing.assert_allclose(corrected.a_inverse, np.linalg.inv(standard.a), rtol=0, atol=1e-12)


def test_between_corrections_it_is_algorithm_2() -> None:
    plain = HybridLinUCBOptimized(arm_features=FEATURES, dimensions=4)
    corrected = HybridLinUCBClosedForm(arm_features=FEATURES, dimensions=4)
    for learner in (plain, corrected):
        learner.update([0.5, 0.25, -1.0, 2.0], 1, 0.5)
    assert np.array_equal(plain.a0_inverse, corrected.a0_inverse)


@pytest.mark.parametrize("periods", [(500,), (100, 1)])
def test_refusals(periods: tuple[int, ...]) -> None:
    with pytest.raises(GnomonError) as caught:
        run_schedules(ScheduleCase("normal", rounds=1000, periods=periods))
    assert str(caught.value) == (
        "periods must be from 2 up, and rounds at least three of the longest, not"
        f" {', '.join(map(str, periods))} with 1000 rounds"
    )
