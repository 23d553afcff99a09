"""Estimates from click logs: against small cases by hand, and against rates that are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.content.reports.logged import experiment
from gnomon.content.reports.logged.experiment import run_logged
from gnomon.content.reports.logged.stand_in import STAND_INS, OpenBanditStandIn, write_stand_in
from gnomon.learn import learners
from gnomon.learn.estimates import wilson_interval
from gnomon.learn.logged import Evaluation, Survey, Visit, open_log
from gnomon.learn.logged._log import Skipped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Given:
    """A log in memory."""

    def __init__(self, *visits: Visit, features: dict[str, Any] | None = None) -> None:
        self.files: tuple[Path, ...] = ()
        self.skipped = Skipped()
        self.arm_features = features or {}
        self._visits = visits

    def visits(self) -> Iterator[Visit]:
        yield from self._visits


def visit(arm: str, click: int, propensity: float = 0.5, pool: str = "ab") -> Visit:
    return Visit(arm, click, propensity, (), tuple(pool))


def test_a_survey_by_hand() -> None:
    log = Given(
        Visit("10", 1, 0.5, (("x", 1.0), ("w", 0.2), ("c", 1.0)), ("9", "10")),
        Visit("9", 0, 0.5, (("w", 0.4), ("c", 1.0)), ("9", "10")),
        Visit("10", 1, 1.0, (("x", 1.0), ("w", 0.3), ("c", 1.0)), ("10",)),
        features={"10": (("f", 3.0), ("g", 1.0)), "9": (("g", 1.0),)},
    )
    of = Survey.from_log(log, dimensions=2)
    assert (of.rounds, of.clicks, of.arms) == (3, 2, ("9", "10"))
    assert of.user_features == ("x",)  # c does not vary, w varies less
    assert of.all_user_features == 3
    assert of.least_propensity == 0.5
    assert of.pool_sizes == (1, 2)
    assert of.arm_features is not None
    assert of.arm_features.tolist() == [[1.0, 0.0], [1.0, 3.0]]  # g does not vary
    contexts = [of.context(each).tolist() for each in log.visits()]
    assert contexts == [[1.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    assert [of.pool(each).tolist() for each in log.visits()] == [[0, 1], [0, 1], [1]]
    even, odd = of.shares
    assert even.tolist() == [[0.0, 3.0], [0.0, 3.0]]
    assert odd.tolist() == [[2.0, 0.0], [0.0, 0.0]]
    assert Survey.from_log(log, rounds=1).arms == ("9", "10")
    assert Survey.from_log(log, dimensions=9).user_features == ("w", "x")


def test_ucb1_by_hand() -> None:
    """It takes each arm once, the lowest first; what does not match is passed over."""
    log = Given(visit("b", 1), visit("a", 0), visit("a", 1), visit("b", 1))
    (outcome,) = Evaluation.from_log(
        log, Survey.from_log(log), Evaluation.choices(["ucb1"])
    ).outcomes
    assert (outcome.replay.clicks, outcome.replay.rounds) == (1, 2)  # rounds 2 and 4
    assert outcome.replay.rate is not None
    assert outcome.replay.rate.value == 0.5
    # Taught b 1, a 0, it takes b: in the fourth round, with weight 2 of 2 rounds.
    assert outcome.taught.matched == 1
    assert outcome.taught.value == 1.0
    assert outcome.taught_normalised is not None
    assert outcome.taught_normalised.value == 1.0


def test_unequal_propensities_are_evened_out() -> None:
    """Arm a is shown nine times as often; uniform must still see both as often."""
    rng = np.random.default_rng(3)
    visits = []
    for _ in range(6000):
        arm = "a" if rng.random() < 0.9 else "b"
        visits.append(visit(arm, int(arm == "b"), 0.9 if arm == "a" else 0.1))
    log = Given(*visits)
    (outcome,) = Evaluation.from_log(
        log, Survey.from_log(log), Evaluation.choices(["uniform"])
    ).outcomes
    assert outcome.replay.rounds == pytest.approx(600, abs=100)
    assert outcome.replay.rate is not None
    assert outcome.replay.rate.value == pytest.approx(0.5, abs=0.08)
    assert outcome.taught.value == pytest.approx(0.5, abs=0.1)


def test_the_best_ranking_does_not_use_a_click_twice() -> None:
    """Clicks by chance alone: chosen and counted on the same rounds they would look too good."""
    pool = tuple(str(number) for number in range(20))
    rates = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        visits = [
            Visit(pool[rng.integers(20)], int(rng.random() < 0.1), 0.05, (), pool)
            for _ in range(1000)
        ]
        log = Given(*visits)
        rates.append(Evaluation.from_log(log, Survey.from_log(log), ()).best_ranking.value)
    error = np.std(rates, ddof=1) / np.sqrt(len(rates))
    assert np.mean(rates) == pytest.approx(0.1, abs=3 * error)


def test_wilson() -> None:
    def ends(clicks: float, rounds: float) -> tuple[float, float]:
        found = wilson_interval(clicks, rounds)
        assert found.value == clicks / rounds
        return found.low, found.high

    assert ends(0, 10) == pytest.approx((0.0, 0.27753), abs=1e-5)
    assert ends(15, 50) == pytest.approx((0.19100, 0.43756), abs=1e-4)
    assert ends(10, 10) == pytest.approx((0.72247, 1.0), abs=1e-5)


@pytest.mark.parametrize("skewed", [False, True])
def test_estimates_meet_the_known_rates(skewed: bool, tmp_path: Path) -> None:
    stand_in = OpenBanditStandIn(rounds=4000, seed=2, skewed=skewed)
    log = open_log(write_stand_in(stand_in, tmp_path), "open-bandit")
    found = Evaluation.from_log(
        log,
        Survey.from_log(log),
        Evaluation.choices(["uniform", "linucb-disjoint/optimized:alpha=0.5"]),
        click_rate=stand_in.click_rate,
    )
    for outcome in found.outcomes:
        assert outcome.true_rate is not None
        assert outcome.taught.standard_error is not None
        error = abs(outcome.taught.value - outcome.true_rate)
        assert error < 4 * outcome.taught.standard_error
    uniform, learner = found.outcomes
    assert uniform.true_rate is not None
    assert learner.true_rate is not None
    assert learner.true_rate > 1.1 * uniform.true_rate  # it has learned from the log
    rate = uniform.replay.rate
    assert rate is not None
    assert rate.low < uniform.true_rate < rate.high
    regret = found.regret(uniform)
    assert regret is not None
    assert regret.low < regret.value < regret.high


@pytest.mark.parametrize("log_format", list(STAND_INS))
def test_every_learner_plays_every_format(log_format: str, tmp_path: Path) -> None:
    stand_in = STAND_INS[log_format](rounds=40, seed=1)
    log = open_log(write_stand_in(stand_in, tmp_path), log_format)
    of = Survey.from_log(log, dimensions=3)
    choices = Evaluation.choices(["all"])
    outcomes = Evaluation.from_log(log, of, choices).outcomes
    assert [outcome.learner for outcome in outcomes] == ["/".join(key) for key in learners()]
    assert all(outcome.taught.rounds == 20 for outcome in outcomes)


def test_the_same_seed_gives_the_same_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    # Errors of estimators and coverage of intervals are no part of a run, and take long.
    for name in ("estimator_errors", "interval_coverage"):
        monkeypatch.setattr(experiment, name, lambda *_: None)

    def run(seed: int) -> Any:
        drawing = ["uniform", "thompson-disjoint"]
        made = run_logged(log_format="yahoo-r6a", learners=drawing, rounds=30, seed=seed).runs[0]
        return made.evaluation, made.live

    once = run(1)
    assert once == run(1)
    assert once != run(2)


@pytest.mark.parametrize(
    ("learners", "message"),
    [
        (["linucb"], r"^there is no learner 'linucb' \(allowed: .*"),
        (["ucb1/fast"], r"^learner ucb1 has no variant 'fast' \(allowed: standard\)$"),
        (["ucb1", "ucb1"], r"^learner 'ucb1' is given twice$"),
        (
            ["linucb-disjoint:alpa=1"],
            r"KEY=NUMBER with .* alpha, regularisation, not 'alpa=1', did you mean 'alpha'\?$",
        ),
        (["ucb1:beta=x"], r"^learner 'ucb1:beta=x': the value of 'beta=x' must be a number$"),
        (["oful:alpha=-1"], r"^alpha must be a finite number from 0, not -1$"),
    ],
)
def test_wrong_learners(learners: list[str], message: str) -> None:
    with pytest.raises(GnomonError, match=message):
        run_logged(log_format="yahoo-r6a", learners=learners, rounds=5)


def test_a_model_that_is_too_large(tmp_path: Path) -> None:
    log = open_log(write_stand_in(STAND_INS["yahoo-r6b"](rounds=50), tmp_path), "yahoo-r6b")
    with pytest.raises(GnomonError, match=r"30 arms without features and 40 context values has"):
        Evaluation.from_log(log, Survey.from_log(log, dimensions=40), Evaluation.choices(["oful"]))


def test_wrong_settings(tmp_path: Path) -> None:
    with pytest.raises(GnomonError, match="which format is it"):
        run_logged(data=tmp_path)
    with pytest.raises(GnomonError, match=r"there is no size 'ful'.*did you mean 'full'"):
        run_logged("ful")
    with pytest.raises(GnomonError, match="seed must be a whole number from 0, not -1"):
        run_logged(log_format="yahoo-r6a", learners=["softucb"], rounds=5, seed=-1)
    for name in ("rounds", "dimensions"):
        with pytest.raises(GnomonError, match=rf"^{name} must be a whole number from 1, not 0$"):
            run_logged(log_format="yahoo-r6a", **{name: 0})  # type: ignore[arg-type]
    empty = tmp_path / "log"
    empty.write_text("")
    with pytest.raises(GnomonError, match=r"log: holds no visit$"):
        run_logged(data=empty, log_format="yahoo-r6a")
