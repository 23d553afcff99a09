"""Fits of made-up points whose truth is known, and of points that cannot tell."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.cost.energy import Points
from gnomon.cost.energy.fit import Fit, draw_alternatives

CLOCK_HZ = 100_000_000
UNITS = ("core", "vector")
BOTH = {"toggles": UNITS}
EACH = {"core": ("core",), "vector": ("vector",)}


def points(noise_mw: float = 0.0, count: int = 12, seed: int = 1) -> Points:
    """100 mW of clock; 5 pJ per toggle of the core, 2 pJ of the vector unit."""
    rng = np.random.default_rng(seed)
    toggles = np.stack([rng.uniform(50, 150, count), rng.uniform(0, 80, count)], axis=1)
    power_mw = 100 + toggles @ np.array([5.0, 2.0]) * 0.1 + rng.normal(0, 1, count) * noise_mw
    return Points(tuple(f"p{k}" for k in range(count)), UNITS, toggles, power_mw, CLOCK_HZ)


def test_exact_points_give_the_truth() -> None:
    fit = Fit.from_points(points(), EACH)
    assert [p.value for p in fit.parameters] == pytest.approx([100, 5, 2])
    assert fit.leave_one_out.rms_mw == pytest.approx(0, abs=1e-6)
    assert fit.not_identified == ()


@pytest.mark.parametrize("seed", range(3))
def test_intervals_hold_the_truth_and_shrink_with_the_noise(seed: int) -> None:
    wide, narrow = (Fit.from_points(points(noise, 40, seed), EACH) for noise in (2.0, 0.5))
    for fit in (wide, narrow):
        for parameter, truth in zip(fit.parameters, (100, 5, 2), strict=True):
            # 95 % intervals; three times as wide they must never miss.
            middle = (parameter.low + parameter.high) / 2
            assert abs(truth - middle) < 1.5 * (parameter.high - parameter.low)
            assert parameter.low <= parameter.value <= parameter.high
    for a, b in zip(wide.parameters, narrow.parameters, strict=True):
        assert b.high - b.low < a.high - a.low


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    inside = sum(
        p.low <= truth <= p.high
        for seed in range(100)
        for p, truth in zip(
            Fit.from_points(points(2.0, 12, seed), EACH).parameters, (100, 5, 2), strict=True
        )
    )
    assert 270 <= inside <= 297  # 95 % of 300 is 285


def test_a_falling_power_gives_no_negative_price() -> None:
    base = points()
    falling = Points(base.names, UNITS, base.toggles_per_cycle, 400 - base.power_mw, CLOCK_HZ)
    fit = Fit.from_points(falling, BOTH)
    clock, price = fit.parameters
    assert price.value == 0.0
    assert price.low == 0.0
    assert clock.value == pytest.approx(falling.power_mw.mean())
    assert fit.not_identified == ("toggles: its interval reaches down to 0",)


def test_what_goes_together_is_said() -> None:
    base = points(1.0)
    same = base.toggles_per_cycle.copy()
    same[:, 1] = 2 * same[:, 0]
    fit = Fit.from_points(Points(base.names, UNITS, same, base.power_mw, CLOCK_HZ), EACH)
    assert "the 3 parameters as a whole: the points span 2 directions only" in fit.not_identified
    assert "core against vector: their toggles go together (correlation 1.00)" in fit.not_identified


def test_a_unit_that_never_switches_is_said() -> None:
    base = points(1.0)
    still = base.toggles_per_cycle * np.array([1.0, 0.0])
    fit = Fit.from_points(Points(base.names, UNITS, still, base.power_mw, CLOCK_HZ), EACH)
    assert fit.not_identified[0] == "vector: no point has toggles there"
    vector = fit.parameters[2]
    assert (vector.value, vector.low, vector.high) == (0.0, 0.0, float("inf"))


def test_leave_one_out_is_what_it_says() -> None:
    base = points(3.0, 6)
    fit = Fit.from_points(base, {"core": ("core",)})
    errors = []
    for index in range(6):
        keep = np.arange(6) != index
        rest = Fit.from_points(base.only(keep), {"core": ("core",)})
        clock, price = (p.value for p in rest.parameters)
        predicted = clock + 0.1 * price * base.toggles_per_cycle[index, 0]
        errors.append(predicted - base.power_mw[index])
    assert fit.leave_one_out.rms_mw == pytest.approx(float(np.sqrt(np.mean(np.square(errors)))))


def test_too_few_points() -> None:
    with pytest.raises(GnomonError) as caught:
        Fit.from_points(points(count=4), EACH)
    assert str(caught.value) == (
        "4 points are too few to fit 3 parameters and estimate their error (at least 5)"
    )


def test_unknown_unit() -> None:
    with pytest.raises(GnomonError) as caught:
        Fit.from_points(points(), {"a": ("alu",)})
    assert str(caught.value) == "group a: the activity has no unit 'alu' (units: core, vector)"


def test_alternatives_are_seeded_and_fit_as_well() -> None:
    base = points(10.0)
    one, again = (draw_alternatives(base, BOTH, draws=20, seed=3) for _ in range(2))
    np.testing.assert_array_equal(one.pj_per_toggle, again.pj_per_toggle)
    other = draw_alternatives(base, BOTH, draws=20, seed=4)
    assert one.pj_per_toggle.shape != other.pj_per_toggle.shape or not np.array_equal(
        one.pj_per_toggle, other.pj_per_toggle
    )
    assert 0 < len(one.clock_mw) <= 20
    # With little noise the true ratio of prices is known, and few other sets fit as well.
    sure = draw_alternatives(points(0.2), BOTH, draws=20, seed=3)
    assert len(sure.clock_mw) < len(one.clock_mw)
