"""The benchmark of learners measures what it says, and its limits can be broken."""

from __future__ import annotations

import numpy as np

from benchmarks.learners import C_LINE, LOOP, OURS, SMALL, contenders, limits, mean_reward


def test_all_learn_the_same_rounds() -> None:
    by_name = {each.name: each for each in contenders()}
    _, rewards = SMALL.tables()
    for each in by_name.values():
        each.steps = 300
        each.arms = np.asarray(each.play(each.steps), dtype=np.int64)
        assert each.arms.shape == (300,)
        assert mean_reward(each, rewards[:300]) > rewards[:300].mean() + 0.1
    assert np.array_equal(by_name[OURS].arms, by_name[LOOP].arms)
    assert (by_name[OURS].arms == by_name[C_LINE].arms).mean() > 0.98


def test_limits() -> None:
    found = [each for each in contenders() if each.name in (OURS, LOOP, C_LINE)]
    ours, loop, c_line = found
    ours.cpu_seconds, loop.cpu_seconds, c_line.cpu_seconds = 0.4, 0.59, 0.076
    assert [limit.kept for limit in limits(SMALL, found)] == [True, True]
    loop.cpu_seconds, c_line.cpu_seconds = 0.61, 0.084
    assert [str(limit) for limit in limits(SMALL, found)] == [
        "gnomon, NumPy, select and update, 10 arms, d = 16: 61.00 us, must be below 60",
        f"{C_LINE} over {OURS}, 10 arms, d = 16: 0.21 of its time, must be below 0.2",
    ]
