"""The faces of other libraries: MABWiser's methods, the Open Bandit Pipeline's dictionary."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.bento_epsilon_greedy.learner import LazyEpsilonGreedy
from gnomon.content.algorithms.linucb_disjoint.learner import (
    DisjointLinUCB,
    DisjointLinUCBOptimized,
)
from gnomon.learn import FitPredict, Log
from tests.learn.conftest import build

TABLE: tuple[list[str], list[float], list[list[float]]] = (
    ["a", "b", "a", "b"],
    [1.0, 0.0, 0.5, 0.2],
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]],
)


def bandit() -> FitPredict[str]:
    return FitPredict(DisjointLinUCB(arms=2, dimensions=2, alpha=1.25), ["a", "b"])


def test_expectations_are_those_of_a_ridge_regression() -> None:
    """As MABWiser's LinUCB defines them: x beta + alpha sqrt(x A^-1 x), beta = A^-1 X^T y."""
    fitted = bandit()
    fitted.fit(*TABLE)
    context = np.array([0.3, 0.9])
    expected = {}
    for arm in ("a", "b"):
        rows = np.array([x for who, x in zip(TABLE[0], TABLE[2], strict=True) if who == arm])
        y = np.array([r for who, r in zip(TABLE[0], TABLE[1], strict=True) if who == arm])
        inverse = np.linalg.inv(np.eye(2) + rows.T @ rows)
        width = 1.25 * np.sqrt(context @ inverse @ context)
        expected[arm] = context @ inverse @ rows.T @ y + width
    assert fitted.predict_expectations([context]) == pytest.approx(expected)
    assert fitted.predict([context]) == max(expected, key=lambda arm: expected[arm])


def test_predictions_are_not_waited_for() -> None:
    """A table has the arms played, by any policy: all of it was explored elsewhere."""
    fitted = FitPredict(LazyEpsilonGreedy(arms=2, dimensions=2, p=2), ["a", "b"])
    for _ in range(3):
        fitted.predict(TABLE[2])
        fitted.partial_fit(*TABLE)
    assert fitted.learner.steps == 12
    assert fitted.learner.state["count"].tolist() == [6.0, 6.0]


def test_one_row_gives_an_arm_and_more_give_a_list() -> None:
    fitted = bandit()
    fitted.fit(*TABLE)
    assert fitted.predict([[1.0, 0.0]]) in {"a", "b"}
    assert isinstance(fitted.predict([[1.0, 0.0], [0.0, 1.0]]), list)
    assert isinstance(fitted.predict_expectations([[1.0, 0.0], [0.0, 1.0]]), list)


def test_fitting_in_parts_is_fitting_and_fit_forgets() -> None:
    whole, parts = bandit(), bandit()
    whole.fit(*TABLE)
    whole.fit(*TABLE)
    parts.fit(*(column[:1] for column in TABLE))
    parts.partial_fit(*(column[1:] for column in TABLE))
    assert whole.predict_expectations([[0.2, 0.7]]) == parts.predict_expectations([[0.2, 0.7]])
    assert whole.learner.steps == 4


def test_arms_come_and_go() -> None:
    fitted = bandit()
    fitted.fit(*TABLE)
    before = fitted.predict_expectations([[0.2, 0.7]])
    fitted.add_arm("c")
    fitted.remove_arm("a")
    after = fitted.predict_expectations([[0.2, 0.7]])
    assert list(after) == ["b", "c"]
    assert after["b"] == before["b"]
    fitted.partial_fit(["c"], [5.0], [[0.2, 0.7]])
    assert fitted.predict([[0.2, 0.7]]) == "c"
    fitted.fit(["b"], [1.0], [[1.0, 0.0]])
    assert fitted.learner.steps == 1
    for change, arm, message in (
        (fitted.add_arm, "b", "there is an arm 'b' already"),
        (fitted.remove_arm, "a", "arm 'a' cannot be removed: the arms are b, c"),
    ):
        with pytest.raises(GnomonError) as error:
            change(arm)
        assert str(error.value) == message


def test_new_arms_need_their_features() -> None:
    learner = build(("linucb-hybrid", "optimized"))
    message = r"^new arms need arm_features of the shape \(1, 2\), not \(0, 2\)$"
    with pytest.raises(GnomonError, match=message):
        learner.with_arms([0, None])
    assert learner.with_arms([0, None], arm_features=[[0.5, 0.5]]).sizes.arms == 2


def test_arms_may_be_numbers() -> None:
    numbered = FitPredict(DisjointLinUCB(arms=2, dimensions=1), [10, 20])
    numbered.partial_fit([10, 20], np.array([0.0, 1.0]), np.array([[1.0], [1.0]]))
    assert numbered.predict([[1.0]]) == 20


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ((["a"], [1.0, 2.0], [[1.0, 0.0]]),
         "decisions, rewards and contexts must have one row each, not 1, 2 and 1"),
        ((["a", "c"], [1.0, 2.0], [[1.0, 0.0]] * 2),
         "row 1: there is no arm 'c' (allowed: a, b)"),
        ((["a"], [float("nan")], [[1.0, 0.0]]),
         ("row 0: the reward must be a finite number of at most 1e+100 in magnitude, not nan")),
        ((["a"], [1.0], [[1.0, 0.0, 0.0]]),
         ("row 0: a context must have the shape (2,), or (2, 2) with one row for each arm,"
          " not (3,)")),
        ((["a"], [1.0], [1.0, 0.0]), "contexts must have the shape (rows, dimensions), not (2,)"),
    ],
)  # fmt: skip
def test_wrong_tables_leave_what_was_learned(table: Any, message: str) -> None:
    fitted = bandit()
    fitted.fit(*TABLE)
    before = fitted.predict_expectations([[0.2, 0.7]])
    for learn in (fitted.fit, fitted.partial_fit):
        with pytest.raises(GnomonError) as error:
            learn(*table)
        assert str(error.value) == message
    assert fitted.predict_expectations([[0.2, 0.7]]) == before


def test_wrong_names() -> None:
    empty = DisjointLinUCB(arms=2, dimensions=1)
    used = empty.clone()
    used.update([1.0], 0, 1.0)
    for learner, names, message in (
        (empty, ["a"], "the learner has 2 arms, but 1 names are given"),
        (empty, ["a", "a"], "a name comes twice in ['a', 'a']"),
        (used, ["a", "b"], "the learner must be empty, but has 1 updates"),
    ):
        with pytest.raises(GnomonError) as error:
            FitPredict(learner, names)
        assert str(error.value) == message


def feedback(rounds: int = 6000, seed: int = 0, **changes: Any) -> dict[str, Any]:
    """A log of a policy that prefers arm 0; expected rewards depend on context and arm."""
    rng = np.random.default_rng(seed)
    contexts = rng.uniform(size=(rounds, 2))
    shares = np.array([0.5, 0.3, 0.2])
    chosen = rng.choice(3, size=rounds, p=shares)
    expected = contexts @ np.array([[0.8, 0.1, 0.5], [0.1, 0.9, 0.4]])
    reward = rng.uniform(size=rounds) < expected[np.arange(rounds), chosen]
    return {
        "n_rounds": rounds,
        "n_actions": 3,
        "action": chosen,
        "position": None,
        "reward": reward.astype(int),
        "pscore": shares[chosen],
        "context": contexts,
        "action_context": np.eye(3),
        "expected_reward": expected,
        **changes,
    }


def test_inverse_propensity_finds_the_value_of_a_policy() -> None:
    data = feedback()
    log = Log.from_feedback(data)
    policy = DisjointLinUCBOptimized(arms=3, dimensions=2, alpha=0.0)
    for arm, theta in enumerate(([0.8, 0.1], [0.1, 0.9], [0.5, 0.4])):
        policy.b[arm] = theta  # A = I, so theta = b
    truth = data["expected_reward"].max(axis=1).mean()
    before = policy.clone()
    for estimate in (
        log.inverse_propensity(policy),
        log.inverse_propensity(policy, self_normalized=True),
    ):
        assert estimate.rounds == 6000
        assert 0 < estimate.matched < 6000
        assert estimate.standard_error is not None
        assert 0.005 < estimate.standard_error < 0.03
        assert abs(estimate.value - truth) < 3 * estimate.standard_error
    assert np.array_equal(policy.b, before.b)


def test_estimators_by_hand() -> None:
    """Arm 0 in all rounds, whose model of the other half expects the mean of what it earned."""
    log = Log.from_feedback(
        {"n_actions": 2, "action": [0, 0, 1, 0], "reward": [1, 1, 1, 0],
         "pscore": [0.5, 0.5, 0.5, 0.05], "context": [[0.0]] * 4}
    )  # fmt: skip
    found = log.estimates(DisjointLinUCB(arms=2, dimensions=1))
    # Even rounds: one reward of 1 and a ridge of 1 expect 1/2. Odd ones: 1 and 0 with it, 1/3.
    expected = np.array([1 / 3, 1 / 2, 1 / 3, 1 / 2])
    of_weights = np.array([2 * (1 - 1 / 3), 2 * (1 - 1 / 2), 0, 20 * (0 - 1 / 2)])
    assert found["direct"].value == pytest.approx(expected.mean())
    assert found["doubly-robust"].value == pytest.approx((expected + of_weights).mean())
    of_weights[3] = 0.0  # its weight of 20 is above 10
    assert found["switch"].value == pytest.approx((expected + of_weights).mean())
    assert (found["direct"].matched, found["switch"].matched) == (0, 2)
    assert found["ips"] == log.inverse_propensity(DisjointLinUCB(arms=2, dimensions=1))


def test_a_policy_that_draws_counts_by_its_probabilities() -> None:
    log = Log.from_feedback(
        {"n_actions": 2, "action": [0, 1, 0, 0], "reward": [1, 1, 0, 1],
         "pscore": [0.5, 0.5, 0.25, 0.8], "context": [[1.0]] * 4}
    )  # fmt: skip
    found = log.estimates(build(("uniform", "standard"), arms=2, dimensions=1))
    weights = 0.5 / log.propensities
    assert found["ips"].value == pytest.approx((weights * log.rewards).mean())
    assert found["snips"].value == pytest.approx((weights * log.rewards).sum() / weights.sum())


class Lamp:
    """A simulator of a user: the arm that is the sign of the context lights it."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(0)
        self._right = 0

    def context(self) -> list[float]:
        value = float(self._rng.uniform(-1, 1))
        self._right = int(value > 0)
        return [1.0, value]

    def reward(self, arm: int) -> float:
        return float(arm == self._right)


def test_a_learner_plays_in_a_simulator_and_leaves_a_log() -> None:
    learner = DisjointLinUCBOptimized(arms=2, dimensions=2)
    log = Log.from_play(
        learner, Lamp(), 2_000, batch=7, perturb=0.2, generator=np.random.default_rng(1)
    )
    assert learner.steps == 2_000
    assert learner.waiting["open"] == []
    assert set(log.propensities.tolist()) == {0.1, 0.9}
    assert log.rewards[500:].mean() == pytest.approx(0.9, abs=0.03)
    again = Log.from_feedback(log.feedback)
    for name in ("arms", "chosen", "rewards", "propensities", "contexts"):
        assert np.array_equal(getattr(again, name), getattr(log, name))
    found = log.estimates(build(("uniform", "standard"), arms=2, dimensions=2))
    assert found["snips"].value == pytest.approx(0.5, abs=0.05)
    for name, batch, message in (("lin-ts", 1, "no closed form"), ("ares", 2, "before the next")):
        other = build((name, "standard"), arms=2, dimensions=2)
        with pytest.raises(GnomonError, match=message):
            Log.from_play(other, Lamp(), 5, batch=batch)


def test_inverse_propensity_by_hand() -> None:
    log = Log.from_feedback(
        {"n_actions": 2, "action": [0, 1, 0, 0], "reward": [1, 1, 0, 1],
         "pscore": [0.5, 0.5, 0.25, 0.8], "context": [[1.0]] * 4}
    )  # fmt: skip
    learner = DisjointLinUCB(arms=2, dimensions=1)  # takes arm 0
    estimate = log.inverse_propensity(learner)
    assert estimate.value == pytest.approx((2 + 0 + 0 + 1.25) / 4)
    assert estimate.matched == 3
    assert log.inverse_propensity(learner, self_normalized=True).value == pytest.approx(3.25 / 7.25)


def test_replay_learns_from_the_rounds_that_match() -> None:
    data = feedback(rounds=3000)
    shares = np.full(3, 1 / 3)
    rng = np.random.default_rng(1)
    chosen = rng.choice(3, size=3000, p=shares)
    reward = rng.uniform(size=3000) < data["expected_reward"][np.arange(3000), chosen]
    log = Log.from_feedback({**data, "action": chosen, "reward": reward, "pscore": shares[chosen]})
    fresh = DisjointLinUCBOptimized(arms=3, dimensions=2, alpha=2.0)  # gives no arm up too early
    estimate, learned = log.replay(fresh)
    assert fresh.steps == 0
    assert learned.steps == estimate.matched == estimate.rounds
    assert 900 < estimate.matched < 1100
    # Replay is unbiased for a uniform log: live rounds of the same number earn as much.
    live, earned = fresh.clone(), []
    for context, expected in zip(data["context"], data["expected_reward"], strict=True):
        arm = live.select(context)
        live.update(context, arm, float(rng.uniform() < expected[arm]))
        earned.append(expected[arm])
        if live.steps == estimate.matched:
            break
    assert estimate.standard_error is not None
    assert abs(np.mean(earned) - estimate.value) < 3 * estimate.standard_error
    assert estimate.value > data["expected_reward"].mean()


def test_positions() -> None:
    position = np.arange(6000) % 3
    data = feedback(position=position)
    assert len(Log.from_feedback(data, position=2).chosen) == 2000
    assert len(Log.from_feedback(feedback(position=np.zeros(6000))).chosen) == 6000
    for given, wanted, message in (
        (position, None, "the feedback is of several positions; choose one of 0, 1, 2"),
        (position, 3, "no round has position 3 (allowed: 0, 1, 2)"),
        (None, 0, "the feedback has no 'position', so 0 cannot be chosen"),
    ):
        with pytest.raises(GnomonError) as error:
            Log.from_feedback(feedback(position=given), position=wanted)
        assert str(error.value) == message


GOOD = {"n_actions": 2, "action": [0, 1], "reward": [1, 0], "pscore": [0.5, 0.5],
        "context": [[1.0], [2.0]]}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pscore": None}, ("the feedback has no 'pscore'"
          " (it has: n_actions, action, reward, pscore, context)")),
        ({"action": [0, 2]}, "'action' must be a whole number from 0 to 1; in round 1 it is 2"),
        ({"pscore": [0.5, 0.0]}, "'pscore' must be above 0, up to 1; in round 1 it is 0"),
        ({"reward": [1, float("nan")]}, "'reward' must be a finite number; in round 1 it is nan"),
        ({"context": [[1.0], [float("nan")]]},
         "'context' must be finite numbers; in round 1 it is nan"),
        ({"context": [["a"], [1.0]]}, "'context' must be numbers, not [['a'], [1.0]]"),
        ({"action": ["a", "b"]}, "'action' must be numbers, not ['a', 'b']"),
        ({"n_actions": "x"}, "'n_actions' must be a whole number from 1, not 'x'"),
        ({"n_actions": float("nan")}, "'n_actions' must be a whole number from 1, not nan"),
        ({"n_actions": 2.5}, "'n_actions' must be a whole number from 1, not 2.5"),
        ({"reward": [1]}, "'reward' must have the shape (2,), not (1,)"),
        ({"action": []}, "'action' must have the shape (rounds,), not (0,)"),
        ({"context": [1.0, 2.0]}, "'context' must have the shape (2, d), not (2,)"),
    ],
)  # fmt: skip
def test_wrong_feedback(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(GnomonError) as error:
        Log.from_feedback({**GOOD, **changes})
    assert str(error.value) == message


def test_logs_that_do_not_fit() -> None:
    log = Log.from_feedback(GOOD)
    for learner, message in (
        (DisjointLinUCB(arms=3, dimensions=1), "the learner has 3 arms, the log 2"),
        (DisjointLinUCB(arms=2, dimensions=2), "the learner has 2 context values, the log 1"),
    ):
        with pytest.raises(GnomonError) as error:
            log.inverse_propensity(learner)
        assert str(error.value) == message
    stubborn = Log.from_feedback({**GOOD, "action": [1, 1]})
    for estimate in (stubborn.replay, partial(stubborn.inverse_propensity, self_normalized=True)):
        with pytest.raises(GnomonError) as error:
            estimate(DisjointLinUCB(arms=2, dimensions=1))
        assert str(error.value) == "the learner and the log agree in none of 2 rounds"
