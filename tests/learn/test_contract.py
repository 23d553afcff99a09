"""What every learner must do. A new one is tested by being in the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.learn import load_learner, record, save_learner
from tests.learn.conftest import EVERY_LEARNER, build, walk

if TYPE_CHECKING:
    from pathlib import Path

Key = tuple[str, str]

CONTEXT_FREE = {"uniform", "ucb1", "d-ucb", "sw-ucb", "ares", "pies", "linucb-window"}
"""Learners whose scores the context of the round does not change; windows see those before it."""

LEARN_NOTHING = {"uniform"}
"""Learners that no reward changes."""

FORGET = {"d-ucb"}
"""Learners that go back to arms which they have not played for long, whatever these gave."""

READ_ALL_ROWS = {"softucb"}
"""Learners whose update works out the indices of all arms once more."""


def same_state(a: Any, b: Any) -> bool:
    return a.state.keys() == b.state.keys() and all(
        np.array_equal(a.state[name], b.state[name]) for name in a.state
    )


def draws_left(learner: Any) -> Any:
    """What tells whether two generators go on alike."""
    return learner.generator and learner.generator.bit_generator.state


def build_after(key: Key, steps: int) -> Any:
    learner = build(key)
    walk(learner, steps)
    return learner


@EVERY_LEARNER
def test_a_fresh_learner_takes_the_lowest_of_equal_arms(key: Key) -> None:
    """Arms alike in all but their number: the tie must not hang on rounding."""
    rng = np.random.default_rng(1)
    for arms, dimensions in ((2, 1), (5, 3), (8, 7), (13, 8)):
        learner = build(key, arms=arms, dimensions=dimensions)
        if "arm_features" in learner.settings:
            alike = {**learner.settings, "arm_features": np.full((arms, 3), 0.3)}
            learner = type(learner)(**alike)
        context = rng.normal(size=dimensions)
        assert np.unique(learner.scores(context)).size == 1
        if learner.follows_scores:
            assert learner.select(context) == 0


@EVERY_LEARNER
def test_it_learns(key: Key) -> None:
    learner = build(key, arms=4, dimensions=3)
    for _ in range(60):
        learner.update([1.0, 0.2, -0.3], learner.select([1.0, 0.2, -0.3]), 0.0)
        learner.update([1.0, 0.2, -0.3], 2, 1.0)
    assert learner.steps == 120
    if key[0] in LEARN_NOTHING:
        return
    if key[0] in FORGET:
        assert (learner.state["total"] / learner.state["count"]).argmax() == 2
        return
    assert learner.scores([1.0, 0.2, -0.3]).argmax() == 2
    if learner.follows_scores:
        assert learner.select([1.0, 0.2, -0.3]) == 2


@EVERY_LEARNER
def test_the_same_seed_gives_the_same_arms_and_state(key: Key) -> None:
    first, second = build(key), build(key)
    assert walk(first, 50) == walk(second, 50)
    assert same_state(first, second)


@EVERY_LEARNER
def test_it_keeps_to_the_arms_on_offer(key: Key) -> None:
    learner = build(key, arms=6, dimensions=4)
    rng = np.random.default_rng(4)
    for _ in range(80):
        context, on_offer = rng.normal(size=4), rng.permutation(6)[: rng.integers(1, 7)]
        arm = learner.select(context, on_offer)
        assert arm in on_offer
        learner.update(context, arm, float(rng.random() < 0.5))


@EVERY_LEARNER
def test_all_arms_on_offer_is_no_restriction(key: Key) -> None:
    first, second = build(key, arms=5), build(key, arms=5)
    rng = np.random.default_rng(4)
    for _ in range(40):
        context = rng.normal(size=4)
        arm = first.select(context)
        assert arm == second.select(context, np.arange(5)[::-1])
        for learner in (first, second):
            learner.update(context, arm, float(context[0] > 0))


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


@EVERY_LEARNER
def test_a_clone_is_independent(key: Key) -> None:
    learner = build(key)
    walk(learner, 20)
    clone = learner.clone()
    assert same_state(learner, clone)
    assert clone.steps == 20
    before = {name: array.copy() for name, array in learner.state.items()}
    walk(clone, 5, seed=3)
    assert all(np.array_equal(before[name], array) for name, array in learner.state.items())
    assert not same_state(learner, clone) or key[0] in LEARN_NOTHING
    assert draws_left(learner) == draws_left(build_after(key, 20))


@EVERY_LEARNER
def test_saved_and_loaded_it_goes_on_as_before(key: Key, tmp_path: Path) -> None:
    learner = build(key)
    walk(learner, 20)
    path = save_learner(learner, tmp_path / "folder" / "learner.npz")
    loaded = load_learner(path)
    assert type(loaded) is type(learner)
    assert loaded.settings == learner.settings
    assert loaded.steps == 20
    assert same_state(learner, loaded)
    assert walk(learner, 20, seed=5) == walk(loaded, 20, seed=5)
    with np.load(path, allow_pickle=False) as archive:  # any NPZ reader can open it
        assert set(learner.state) <= set(archive)


@EVERY_LEARNER
def test_saved_before_its_first_step_it_learns_like_a_new_one(key: Key, tmp_path: Path) -> None:
    learner = build(key)
    loaded = load_learner(save_learner(learner, tmp_path / "learner.npz"))
    assert walk(learner, 20, seed=5) == walk(loaded, 20, seed=5)
    assert same_state(learner, loaded)


@EVERY_LEARNER
def test_saving_twice_gives_the_same_bytes(key: Key, tmp_path: Path) -> None:
    learner = build(key)
    walk(learner, 5)
    paths = [save_learner(learner, tmp_path / name) for name in ("a.npz", "b.npz")]
    assert paths[0].read_bytes() == paths[1].read_bytes()


@EVERY_LEARNER
def test_one_arm_one_dimension(key: Key) -> None:
    learner = build(key, arms=1, dimensions=1, features=1)
    assert set(walk(learner, 30)) == {0}


@EVERY_LEARNER
def test_a_constant_context_stays_finite(key: Key) -> None:
    learner = build(key)
    for _ in range(300):
        arm = learner.select([0.5, -0.5, 0.25, 1.0])
        learner.update([0.5, -0.5, 0.25, 1.0], arm, 0.1 * arm)
    assert all(np.isfinite(array).all() for array in learner.state.values())


@EVERY_LEARNER
@pytest.mark.parametrize("reward", [1e100, -1e100, 1e-300, 0.0, -0.0])
def test_extreme_rewards_leave_finite_scores(key: Key, reward: float) -> None:
    learner = build(key)
    rng = np.random.default_rng(2)
    for _ in range(20):
        context = rng.normal(size=4)
        learner.update(context, learner.select(context), reward)
    assert np.isfinite(learner.scores(rng.normal(size=4))).all()


@EVERY_LEARNER
@pytest.mark.parametrize("size", [1.0, 1e-3, 1e-150, 0.0])
def test_the_largest_and_the_smallest_contexts_leave_finite_scores(key: Key, size: float) -> None:
    learner = build(key)
    rng = np.random.default_rng(3)
    for _ in range(20):
        context = rng.uniform(-1, 1, size=4) * (size * learner.largest_context)
        learner.update(context, learner.select(context), 1.0)
    assert np.isfinite(learner.scores(rng.uniform(-1, 1, size=4) * size)).all()


@EVERY_LEARNER
def test_per_arm_contexts_equal_the_shared_one_where_they_agree(key: Key) -> None:
    learner = build(key)
    walk(learner, 20)
    context = np.array([0.1, 0.2, 0.3, 0.4])
    assert np.array_equal(learner.scores(context), learner.scores(np.tile(context, (3, 1))))
    if key[0] in CONTEXT_FREE:
        return
    other = np.tile(context, (3, 1))
    other[1] *= 2
    assert learner.scores(other)[0] == learner.scores(context)[0]
    assert learner.scores(other)[1] != learner.scores(context)[1]


@EVERY_LEARNER
def test_an_update_reads_only_the_row_of_its_arm(key: Key) -> None:
    if key[0] in READ_ALL_ROWS:
        return
    one, two = build(key), build(key)
    context = np.array([0.1, 0.2, 0.3, 0.4])
    rows = np.full((3, 4), 9.0)
    rows[2] = context
    one.update(context, 2, 1.0)
    two.update(rows, 2, 1.0)
    assert same_state(one, two)


@EVERY_LEARNER
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
def test_a_wrong_context_is_refused(key: Key, context: Any, message: str) -> None:
    learner = build(key)
    largest = "1000" if key[0] == "linucb-hybrid" else "1e+06"
    limited = f"a context must have finite values of at most {largest} in magnitude"
    for use in (learner.select, lambda value: learner.update(value, 0, 1.0)):
        with pytest.raises(GnomonError) as error:
            use(context)
        assert str(error.value) == message.format(limited=limited)
    assert learner.steps == 0


@EVERY_LEARNER
@pytest.mark.parametrize(
    ("arm", "reward", "message"),
    [
        (3, 1.0, "the arm must be 0 to 2, not 3"),
        (-1, 1.0, "the arm must be 0 to 2, not -1"),
        (1.0, 1.0, "the arm must be a whole number, not 1.0"),
        (True, 1.0, "the arm must be a whole number, not True"),
        (0, "much", "the reward must be a number, not 'much'"),
        (
            0,
            float("nan"),
            "the reward must be a finite number of at most 1e+100 in magnitude, not nan",
        ),
        (
            0,
            1e101,
            "the reward must be a finite number of at most 1e+100 in magnitude, not 1e+101",
        ),
    ],
)
def test_a_wrong_arm_or_reward_is_refused(key: Key, arm: Any, reward: Any, message: str) -> None:
    learner = build(key)
    fresh = learner.clone()
    with pytest.raises(GnomonError) as error:
        learner.update([1.0, 0.0, 0.0, 0.0], arm, reward)
    assert str(error.value) == message
    assert same_state(learner, fresh)


@EVERY_LEARNER
def test_wrong_settings_are_refused(key: Key) -> None:
    settings = build(key).settings
    for name, value, message in (
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
    ):
        if name not in settings:
            continue
        with pytest.raises(GnomonError) as error:
            build(key, **{name: value})
        assert str(error.value) == message


@EVERY_LEARNER
def test_the_state_is_counted_to_the_byte(key: Key) -> None:
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
    }
    learner = build(key, arms=n, dimensions=d, features=2)
    assert learner.state_size_bytes == 8 * words[key]
    if all(isinstance(n, int) for shape in learner.state_shapes.values() for n in shape):
        walk(learner, 20)
        assert learner.state_size_bytes == 8 * words[key]


@EVERY_LEARNER
def test_recording_changes_nothing(key: Key) -> None:
    plain, recorded = build(key), build(key)
    walk(plain, 10)
    with record() as trace:
        walk(recorded, 10)
    assert same_state(plain, recorded)
    stages = {"select", "update"}
    # A round robin draws and computes nothing.
    missing = set() if plain.follows_scores else {"select"}
    if key[0] in {"uniform", "ucb1"}:  # sums of numbers
        missing = {"update"}
    assert stages - {entry.stage for entry in trace.entries} <= missing


@EVERY_LEARNER
def test_its_words_say_what_it_is(key: Key) -> None:
    learner = build(key)
    assert repr(learner).startswith(f"{type(learner).__name__}(")
    assert "dimensions=4" in repr(learner)
