"""Many steps in one call are ``select`` and ``update`` in turn, to the last bit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.linucb_disjoint.learner import DisjointLinUCBOptimized
from gnomon.learn import Trace, learners
from tests.learn.conftest import build

if TYPE_CHECKING:
    from collections.abc import Callable


def in_turn(learner: Any, contexts: np.ndarray, rewards: np.ndarray) -> list[int]:
    arms = []
    for x, r in zip(contexts, rewards, strict=True):
        arms.append(learner.select(x))
        learner.update(x, arms[-1], float(r[arms[-1]]))
    return arms


def same(one: Any, other: Any) -> None:
    assert one.steps == other.steps
    assert one.clamped_variances == other.clamped_variances
    for name in one.state:
        assert np.array_equal(one.state[name], other.state[name]), name


def rounds(seed: int, steps: int, arms: int, dimensions: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    contexts = rng.uniform(-1, 1, (steps, dimensions))
    return contexts, contexts @ rng.uniform(-1, 1, (dimensions, arms)) + rng.normal(
        scale=0.1, size=(steps, arms)
    )


def test_every_learner() -> None:
    for key in learners():
        one, other = build(key), build(key)
        contexts, rewards = rounds(3, 60, one.sizes.arms, one.sizes.dimensions)
        assert one.run(contexts, rewards).tolist() == in_turn(other, contexts, rewards), key
        same(one, other)


@pytest.mark.parametrize(
    ("arms", "dimensions"), [(10, 16), (1, 1), (1, 5), (3, 1), (7, 33), (13, 8)]
)
def test_the_fast_path_to_the_last_bit(arms: int, dimensions: int) -> None:
    one, other = (DisjointLinUCBOptimized(arms=arms, dimensions=dimensions) for _ in range(2))
    contexts, rewards = rounds(arms, 600, arms, dimensions)
    contexts[::7] = 0  # all scores are equal
    assert one.run(contexts, rewards).tolist() == in_turn(other, contexts, rewards)
    same(one, other)
    assert one.run(contexts[:0], rewards[:0]).tolist() == []
    more = one.run(contexts[:50], rewards[:50])  # it goes on where it was
    assert more.tolist() == in_turn(other, contexts[:50], rewards[:50])
    same(one, other)


def test_halves_of_large_inverses_decide_as_the_kernels() -> None:
    """Also while arms know the same: their scores are equal, and the lowest is taken."""
    one, other = (DisjointLinUCBOptimized(arms=9, dimensions=128) for _ in range(2))
    contexts, rewards = rounds(2, 60, 9, 128)
    with Trace.record():  # a traced step is made of kernels
        arms = in_turn(other, contexts, rewards)
    assert len(set(arms)) > 2
    assert in_turn(one, contexts, rewards) == arms
    same(one, other)
    halves = one.scores(contexts[0])
    with Trace.record():
        assert one.scores(contexts[0]) == pytest.approx(halves, rel=1e-12)
    assert (halves != other.scores(np.tile(contexts[0], (9, 1)))).any()  # another way of adding


def spoiled(loss: float) -> DisjointLinUCBOptimized:
    learner = DisjointLinUCBOptimized(arms=3, dimensions=2)
    learner.a_inverse[1] = [[1.0, 0.0], [0.0, -loss]]
    return learner


def test_variances_that_rounding_left_below_zero() -> None:
    one, other = spoiled(1.001), spoiled(1.001)
    contexts = np.array([[1.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    rewards = np.ones((3, 3))
    assert one.run(contexts, rewards).tolist() == in_turn(other, contexts, rewards)
    assert one.clamped_variances > 0
    same(one, other)


def test_a_state_without_precision() -> None:
    learner = spoiled(1.0)
    with pytest.raises(GnomonError, match="lost their precision after 1 updates"):
        learner.run([[1.0, 0.0], [0.0, 1.0]], np.ones((2, 3)))
    assert learner.steps == 1


def test_a_trace_sees_the_kernels() -> None:
    contexts, rewards = rounds(1, 5, 3, 2)
    traces = []
    for play in (DisjointLinUCBOptimized.run, in_turn):
        with Trace.record() as trace:
            play(DisjointLinUCBOptimized(arms=3, dimensions=2), contexts, rewards)
        traces.append(trace.totals())
    assert traces[0] == traces[1] != {}


def wrong(table: np.ndarray, place: tuple[int, int], value: float) -> np.ndarray:
    changed = table.copy()
    changed[place] = value
    return changed


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda x, r: (x[:, :1], r), "contexts must have the shape (steps, 2), not (5, 1)"),
        (lambda x, r: (x, r[0]), "rewards must have the shape (steps, 3), not (3,)"),
        (lambda x, r: (x, r[1:]), "as many rows, not 5 and 4"),
        (lambda x, r: (wrong(x, (3, 1), np.nan), r), "in step 3, at index 1, it is nan"),
        (lambda x, r: (x, wrong(r, (4, 2), np.inf)), "in step 4, at index 2, it is inf"),
        (lambda x, r: (wrong(x, (0, 0), 1e7), r), "at most 1e+06 in magnitude"),
        (lambda _, r: ([["a", "b"]], r), "contexts must be numbers"),
    ],
)
def test_bad_input_changes_nothing(spoil: Callable[..., Any], message: str) -> None:
    learner, fresh = (DisjointLinUCBOptimized(arms=3, dimensions=2) for _ in range(2))
    with pytest.raises(GnomonError, match=re.escape(message)):
        learner.run(*spoil(*rounds(1, 5, 3, 2)))
    same(learner, fresh)


def test_a_theta_that_is_kept_is_never_out_of_date() -> None:
    """The arrays that it is computed from are read-only, and copies compute their own."""
    learner = DisjointLinUCBOptimized(arms=2, dimensions=1)
    learner.select([1.0])
    for array in (learner.a_inverse, learner.b):
        with pytest.raises(ValueError, match="read-only"):
            array[1] = 2.0
    clone = learner.clone()
    clone.b[1] = 2.0
    assert clone.scores([1.0])[1] == learner.scores([1.0])[1] + 2.0
