"""The race of the variants: what is compared, forks, the exact inverse, gains."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.linucb_hybrid.learner import (
    HybridLinUCB,
    HybridLinUCBCorrected,
    HybridLinUCBOptimized,
)
from gnomon.content.reports.linucb import drift as drift_module
from gnomon.content.reports.linucb.drift import (
    DriftCase,
    DriftResult,
    correction_gain,
    exact_inverse,
    run_drift,
)
from gnomon.learn.environment import Rounds

HYBRID = DriftCase(
    "linucb-hybrid",
    rounds=600,
    arms=3,
    dimensions=2,
    features=3,
    correction_period=60,
    log_every=20,
)
DISJOINT = replace(HYBRID, name="linucb-disjoint", features=0)


def same(a: DriftResult, b: DriftResult) -> bool:
    return a.pulls == b.pulls and all(
        np.array_equal(getattr(x, name), getattr(y, name))
        for x, y in zip(a.variants, b.variants, strict=True)
        for name in ("drift", "residual", "error", "average_reward", "average_regret")
    )


@pytest.mark.parametrize("case", [DISJOINT, HYBRID], ids=lambda case: case.name)
def test_variants_agree_and_drift_little(case: DriftCase) -> None:
    calls: list[None] = []
    result = run_drift(case, lambda: calls.append(None))
    assert len(calls) == 30
    assert sum(result.pulls) == 600
    assert result.disagreements == ()
    assert result.variants[0].variant == "standard"
    for item in result.variants:
        assert item.equal_arms == item.equal_arms_alone == 600
        assert np.array_equal(item.average_reward, result.variants[0].average_reward)
        assert item.drift.shape == (600,)
        assert item.error.shape == (30,)
        assert item.drift.max() < 1e-7
        assert item.residual.max() < 1e-7
    assert not result.variant("standard").drift.any()
    assert result.variant("optimized").drift.any()
    assert same(result, run_drift(case))
    assert not same(result, run_drift(replace(case, seed=2)))


def test_a_correction_shows_in_the_drift() -> None:
    result = run_drift(HYBRID)
    plain, corrected = result.variant("optimized").drift, result.variant("corrected").drift
    assert np.array_equal(plain[:59], corrected[:59])
    for at in range(59, 600, 60):
        assert corrected[at] < 0.5 * corrected[at - 1]


def test_the_exact_inverse_is_that_of_the_sums() -> None:
    """Against equations (4) to (6) summed over rounds, where nothing is large yet."""
    rounds = Rounds.linear(rounds=40, arms=3, dimensions=2, features=4, seed=3, law="normal")
    learner = HybridLinUCB(arm_features=rounds.arm_features, dimensions=2, regularisation=0.7)
    for index, context in enumerate(rounds.contexts):
        learner.update(context, index % 3, 1.0)
    np.testing.assert_allclose(exact_inverse(learner, 0), np.linalg.inv(learner.a0), atol=1e-11)


def test_rank_one_stays_closer_to_the_exact_inverse_than_all_others() -> None:
    result = run_drift(replace(HYBRID, rounds=3000))
    error = {item.variant: item.error[-1] for item in result.variants}
    assert error["rank-one"] < 0.1 * error["standard"]
    assert error["standard"] < 0.1 * error["optimized"]


def test_another_choice_is_listed_and_played_on_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A learner that is wrong on purpose, once."""

    class Wrong(HybridLinUCBOptimized):
        def _scores(self, contexts: np.ndarray) -> np.ndarray:
            scores = super()._scores(contexts)
            return -scores if self.steps == 100 else scores

    learners = {
        ("linucb-hybrid", "standard"): HybridLinUCB,
        ("linucb-hybrid", "optimized"): Wrong,
        ("linucb-hybrid", "corrected"): HybridLinUCBCorrected,
    }
    monkeypatch.setattr(drift_module, "learners", lambda: learners)
    result = run_drift(HYBRID)
    (found,) = result.disagreements
    assert (found.variant, found.round_number) == ("optimized", 101)
    assert found.standard_arm != found.variant_arm
    assert found.margin > 0
    wrong = result.variant("optimized")
    assert wrong.equal_arms == 599
    assert wrong.equal_arms_alone <= 599
    # Its matrices still follow the standard learner; its rewards are its own.
    assert wrong.drift.max() < 1e-7
    plain = result.variant("standard").average_reward
    assert np.array_equal(wrong.average_reward[:5], plain[:5])
    assert not np.array_equal(wrong.average_reward[5:], plain[5:])


def test_gain_by_hand() -> None:
    result = run_drift(HYBRID)
    plain = np.full(600, 1e-8)
    corrected = plain.copy()
    corrected[59::60] = 1e-14  # at a correction
    corrected[60::60] = 1e-10  # just after
    corrected[118::60] = 1e-9  # just before the next
    corrected[599] = 0.0
    variants = (
        result.variants[0],
        replace(result.variant("optimized"), drift=plain),
        replace(result.variant("corrected"), drift=corrected),
    )
    gain = correction_gain(replace(result, variants=variants))
    assert gain is not None
    assert gain.peak == pytest.approx(6.0)
    assert gain.after == pytest.approx(2.0)
    assert gain.median == pytest.approx(0.0)
    assert gain.before == pytest.approx(1.0)
    assert gain.last_period == pytest.approx(0.0)
    assert (gain.period, gain.corrections) == (60, 10)


def test_no_gain_without_two_corrections() -> None:
    assert correction_gain(run_drift(replace(HYBRID, rounds=100))) is None


def test_a_wrong_case() -> None:
    with pytest.raises(GnomonError) as error:
        run_drift(replace(HYBRID, arms=0))
    assert str(error.value) == "the number of arms must be at least 1, not 0"
