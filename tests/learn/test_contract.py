"""What every learner must do. A new one is tested by being found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.content.algorithms.linucb_disjoint.learner import DisjointLinUCB
from gnomon.learn import Trace, learners
from gnomon.learn.algorithm import algorithms
from gnomon.learn.checks import _CHECKS, float_checks, walk
from tests.contract import failures
from tests.learn.conftest import build

NAMES = [name for name, about in algorithms().items() if about.float_variants]


@pytest.mark.parametrize("name", NAMES)
def test_it_keeps_the_contract(name: str) -> None:
    assert not failures(each for each in float_checks(name) if not each.waived)


def test_what_is_waived_does_not_hold() -> None:
    waived = [each for name in NAMES for each in float_checks(name) if each.waived]
    assert waived
    for check in waived:
        with pytest.raises(CheckFailed):
            check.run()


class _Shared(DisjointLinUCB):
    def clone(self) -> Any:
        return self


class _Forgetful(DisjointLinUCB):
    @property
    def settings(self) -> dict[str, Any]:
        return {**super().settings, "alpha": self.alpha + self.steps}


class _Blind(DisjointLinUCB):
    def _choose(self, contexts: Any) -> int:
        return int(self._scores(contexts).argmax())


class _Hasty(DisjointLinUCB):
    def update(self, context: Any, arm: int, reward: float) -> None:
        self.b += 1.0
        super().update(context, arm, reward)


class _Lucky(DisjointLinUCB):
    def _choose(self, contexts: Any) -> int:
        return int(np.random.default_rng().integers(self.sizes.arms))


class _Deaf(DisjointLinUCB):
    def _learn(self, contexts: Any, arm: int, reward: float) -> None:
        pass


@pytest.mark.parametrize(
    ("kind", "check", "message"),
    [
        (_Shared, "clone", "what a clone learns changes the learner"),
        (_Forgetful, "save", "loaded, it has other settings"),
        (_Blind, "keeps-to-offer", "is not on offer: "),
        (_Hasty, "wrong-updates", "fails, but changes the learner"),
        (_Lucky, "repeats", "two learners of one seed choose different arms"),
        (_Deaf, "learns", "only arm 2 gave rewards, but arm 0 has the highest score"),
    ],
)
def test_a_breach_is_found(
    kind: type[DisjointLinUCB], check: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gnomon.learn._store.find_learner", lambda *_: kind)
    with pytest.raises(CheckFailed, match=message):
        _CHECKS[check](lambda **sizes: kind(**{"arms": 3, "dimensions": 4, **sizes}))


@pytest.mark.parametrize(
    ("on_offer", "message"),
    [
        ([], r"^arms on offer must be whole numbers, not \[\]$"),
        ([0.5], r"^arms on offer must be whole numbers, not \[0.5\]$"),
        ([0, 3], r"^an arm on offer must be 0 to 2, not 3$"),
        ([-1, 1], r"^an arm on offer must be 0 to 2, not -1$"),
        ([1, 1], r"^an arm is on offer twice in \[1, 1\]$"),
    ],
)
def test_arms_on_offer_must_exist(on_offer: list[Any], message: str) -> None:
    learner = build(("linucb-disjoint", "standard"))
    with pytest.raises(GnomonError, match=message):
        learner.select(np.zeros(4), on_offer)


@pytest.mark.parametrize(
    ("context", "message"),
    [
        ([1.0, float("nan"), 0.0, 0.0], "{limited}; at index 1 it is nan"),
        ([0.0, 0.0, 0.0, -1e7], "{limited}; at index 3 it is -10000000.0"),
        ([[0.0] * 4, [0.0] * 3 + [float("inf")], [0.0] * 4], "{limited}; at index 1, 3 it is inf"),
        (
            [1.0, 2.0],
            "a context must have the shape (4,), or (3, 4) with one row for each arm, not (2,)",
        ),
        ("four", "a context must be 4 numbers, not 'four'"),
    ],
)
@pytest.mark.parametrize(("name", "largest"), [("linucb-hybrid", "1000"), ("ares", "1e+06")])
def test_a_wrong_context_is_rejected(name: str, largest: str, context: Any, message: str) -> None:
    learner = build((name, "standard"))
    limited = f"a context must have finite values of at most {largest} in magnitude"
    for use in (learner.select, lambda value: learner.update(value, 0, 1.0)):
        with pytest.raises(GnomonError) as error:
            use(context)
        assert str(error.value) == message.format(limited=limited)


@pytest.mark.parametrize(
    ("arm", "reward", "message"),
    [
        (3, 1.0, "the arm must be 0 to 2, not 3"),
        (-1, 1.0, "the arm must be 0 to 2, not -1"),
        (1.0, 1.0, "the arm must be a whole number, not 1.0"),
        (True, 1.0, "the arm must be a whole number, not True"),
        (0, "much", "the reward must be a number, not 'much'"),
        (0, float("nan"),
         "the reward must be a finite number of at most 1e+100 in magnitude, not nan"),
        (0, 1e101,
         "the reward must be a finite number of at most 1e+100 in magnitude, not 1e+101"),
    ],
)  # fmt: skip
def test_a_wrong_arm_or_reward_is_rejected(arm: Any, reward: Any, message: str) -> None:
    learner = build(("linucb-disjoint", "standard"))
    with pytest.raises(GnomonError) as error:
        learner.update([1.0, 0.0, 0.0, 0.0], arm, reward)
    assert str(error.value) == message


def test_wrong_settings_are_refused() -> None:
    wrong: tuple[tuple[str, float | str, str], ...] = (
        ("alpha", -1.0, "alpha must be a finite number from 0, not -1.0"),
        ("alpha", float("nan"), "alpha must be a finite number from 0, not nan"),
        ("regularisation", 0, "regularisation must be a finite number above 0, not 0"),
        ("dimensions", 0, "the number of dimensions must be at least 1, not 0"),
        ("seed", -1, "seed must be a whole number from 0, not -1"),
        ("seed", 0.5, "seed must be a whole number from 0, not 0.5"),
        ("p", 2, "p must be at least the number of arms, 3, so that each is explored once; not 2"),
        ("bandwidth", 0.0, "bandwidth must be a finite number above 0, not 0.0"),
        ("most_anchors", 0, "most_anchors must be a whole number from 1, not 0"),
        ("rule", "x", "rule must be novelty or sampling, not 'x'"),
        ("epsilon", 1.5, "epsilon must be a number from 0 to 1, not 1.5"),
    )
    for key in learners():
        settings = build(key).settings
        for name, value, message in wrong:
            if name in settings:
                with pytest.raises(GnomonError) as error:
                    build(key, **{name: value})
                assert str(error.value) == message, key


def test_the_state_is_counted_to_the_byte() -> None:
    d, k, n = 4, 8, 3
    one, hybrid = n * (d * d + d), n * d * k + k * k + k
    explored = one + n + 1
    joint = (d * n) ** 2 + d * n
    words = {
        ("linucb-disjoint", "standard"): one,
        ("linucb-disjoint", "optimized"): one,
        ("linucb-disjoint", "corrected"): one + n * d * d,
        ("linucb-hybrid", "standard"): one + hybrid,
        ("linucb-hybrid", "optimized"): one + hybrid,
        ("linucb-hybrid", "corrected"): one + n * d * d + hybrid + k * k,
        ("linucb-hybrid", "rank-one"): one + hybrid,
        ("bento-epsilon-greedy", "standard"): explored,
        ("bento-epsilon-greedy", "optimized"): explored + n * d + n,
        ("bento-epsilon-greedy", "rank-one"): explored + n * d,
        ("fixed-epsilon-greedy", "standard"): explored + n * d + n,
        ("epoch-greedy", "standard"): explored + n * d,
        ("linrel", "standard"): one,
        ("uniform", "standard"): 0,
        # with as many features as arms, (d n)^2 + d n, and gamma
        ("softucb", "standard"): joint + 1,
        ("softucb", "optimized"): joint + 1 + n * n * d + 2 * n,
        ("softucb", "online"): joint + 1 + n * n * d + 2 * n + 2,
        ("oful", "standard"): joint,
        ("lin-ts", "standard"): joint,
        ("lin-epsilon-greedy", "standard"): joint,
        # windows 0 to 10 of 4 numbers: D = 4 s + 1
        ("ares", "standard"): 40
        + n * 13
        + n * sum((4 * s + 1) ** 2 + 4 * s + 4 for s in range(11)),
        ("ares", "averaged"): 40
        + n * 22
        + n * sum((4 * s + 1) ** 2 + 4 * s + 4 for s in range(11)),
        ("ares", "optimized"): 40 + n * (41 * 41 + 41) + 3 * n * 11,
        ("pies", "standard"): 8 + n * (9 * 9 + 9 + 3),
        ("linucb-window", "standard"): 8 + n * (9 * 9 + 9 + 3),
        ("linucb-thrifty", "standard"): one + n,
        ("thompson-disjoint", "standard"): one,
        ("square-cb", "standard"): one,
        ("linucb-windows", "standard"): 12 + n * (13 * 13 + 13) + 3 * n * 4,
        ("d-ucb", "standard"): 2 * n,
        ("sw-ucb", "standard"): 2 * 100,
        ("ek-ucb", "standard"): 0,
        ("ek-ucb", "optimized"): 0,
        ("ek-ucb", "history-free"): 0,
        ("k-ucb", "standard"): 0,
        ("supk-ucb", "standard"): 1,
        ("cbkb", "standard"): 1,
        ("cbbkb", "standard"): 1,
        ("ucb1", "standard"): 2 * n,
        ("ucb1-tuned", "standard"): 3 * n,
        ("ucb1-tuned", "cusum"): 6 * n,
        ("linucb-discounted", "standard"): one + n * d * d,
        ("linucb-discounted", "optimized"): one,
        ("linucb-diagonal", "standard"): 2 * n * d,
        ("lin-sgd", "standard"): n * d + n,
        # hypervectors of 1,000 components; plays of each arm, the state of the generator
        ("hdcb-eps", "standard"): n * 1000 + n + 1,
        ("hdcb-eps", "binary"): n * 1000 + n + 1,
        ("hdcb-prob", "standard"): n * 1000 + n + 1,
        ("hdcb-unc", "unc1"): 2 * n * 1000,
        ("hdcb-unc", "unc2"): n * 1000,
        ("hdcb-unc", "unc3"): 2 * n * 1000,
    }
    for key in learners():
        learner = build(key, arms=n, dimensions=d, features=2)
        assert learner.state_size_bytes == 8 * words[key], key
        if all(isinstance(each, int) for shape in learner.state_shapes.values() for each in shape):
            walk(learner, 20)
            assert learner.state_size_bytes == 8 * words[key], key


def test_its_kernel_calls_are_recorded() -> None:
    for key in learners():
        learner = build(key)
        with Trace.record() as trace:
            walk(learner, 10)
        # A round robin draws and computes nothing.
        missing = set() if learner.follows_scores else {"select"}
        if key[0] in {"uniform", "ucb1"}:  # sums of numbers
            missing = {"update"}
        assert {"select", "update"} - {entry.stage for entry in trace.entries} <= missing, key
