"""The benchmark of learners measures what it says, and its limits can be broken."""

from __future__ import annotations

import numpy as np

from benchmarks.learners import C_LINE, LOOP, OURS, contenders, limits, mean_reward, rounds


def test_all_learn_the_same_rounds() -> None:
    by_name = {each.name: each for each in contenders()}
    _, rewards = rounds()
    for each in by_name.values():
        each.steps = 300
        each.arms = np.asarray(each.play(each.steps), dtype=np.int64)
        assert each.arms.shape == (300,)
        assert mean_reward(each, rewards[:300]) > rewards[:300].mean() + 0.1
    assert np.array_equal(by_name[OURS].arms, by_name[LOOP].arms)
    assert (by_name[OURS].arms == by_name[C_LINE].arms).mean() > 0.98


def test_limits() -> None:
    found = [each for each in contenders() if each.name in (OURS, C_LINE)]
    ours, c_line = found
    ours.cpu_seconds, c_line.cpu_seconds = 1.0, 0.19
    assert [limit.kept for limit in limits(found)] == [True]
    c_line.cpu_seconds = 0.21
    assert [str(limit) for limit in limits(found)] == [
        "gnomon, C, tuned over gnomon, NumPy, run: 0.21 of its time, must be below 0.2"
    ]
