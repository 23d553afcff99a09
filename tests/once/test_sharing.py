"""Harts that share the arms of a selection: which loops they can share, and equal results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.measure.learners import EmbeddedSizes, LearnerBench, find_embedded_learner
from gnomon.once.floats import FloatReading
from gnomon.once.front import read_learner
from gnomon.once.sharing import find_shared_loop, shared_arrays
from tests.once.programs import HEAD, UPDATE, load, method
from tests.once.random_programs import random_methods

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.once.code import Operation

SHARED = """
    scores = np.zeros(self.arms)
    bias = np.log(max(self.s, 0.5))
    for arm in range(self.arms):
        v = self.a[arm] @ x
        for i in range(self.dimensions):
            if v[i] > 0.0:
                part = v[i]
            else:
                scores[arm] += bias
        scores[arm] += v @ x
    if self.random.below(9) == 0:
        return self.random.below(self.arms)
    return np.argmax(scores)
"""
ALONE = [
    ("scores[arm] = bias", "total += 1.0\n        scores[arm] = total", "reads total of the round"),
    ("scores[arm] = bias", "scores[arm] = 0.1 * self.random.below(3)", "draws numbers"),
    ("scores[arm] = bias", "self.n[arm] += 1\n        scores[arm] = bias", "changes n"),
    ("scores[arm] = bias", "scores[arm] = bias + scores[0]", "uses scores of other rounds"),
    ("scores[arm] = bias", "scores[arm] = bias\n        last = bias + x[0]", ""),
    ("scores[arm] = bias", "scores[arm] = bias + np.argmax(scores)", "uses scores of other rounds"),
    ("return", "scores[0] = last\n    return", "reads last of the last round"),
    ("    scores[arm] = bias", "    total = bias", "no loop that writes an element"),
    ("bias = 0.5", "bias = 0.5\n    scores[1] = bias + x[0]", "fills scores before the loop"),
    ("if bias > 9.0:", "if bias > 9.0:\n            return 0\n        if bias > 8.0:", "returns"),
    ("if bias > 9.0:", "if bias + last > 9.0:", "reads last of the round before"),
]
PLAIN = """
    scores = np.zeros(self.arms)
    bias = 0.5
    total = 0.0
    last = 0.0
    for arm in range(self.arms):
        if bias > 9.0:
            last = bias
        last = bias + 1.0
        scores[arm] = bias
    return np.argmax(scores)
"""


def reason(folder: Path, select: str) -> str:
    path = folder / "mine.py"
    path.write_text(HEAD + method("select", select) + UPDATE)
    return find_shared_loop(read_learner(load(path)(arms=4, dimensions=2)))[1]


def test_a_loop_whose_rounds_are_independent_is_shared(tmp_path: Path) -> None:
    assert reason(tmp_path, SHARED) == ""


@pytest.mark.parametrize(("old", "new", "why"), ALONE)
def test_a_loop_whose_rounds_depend_is_not_shared(
    old: str, new: str, why: str, tmp_path: Path
) -> None:
    assert PLAIN.count(old) == 1
    said = reason(tmp_path, PLAIN.replace(old, new))
    assert why in said, said
    assert bool(why) == bool(said)


def select_by_harts(reading: FloatReading, loop: Operation, context: Any, harts: int) -> int | bool:
    """Run the select of each hart to the end of the loop, the last hart first, then the rest."""
    block, common = reading.code.select, {}
    at = block.index(loop)
    for hart in reversed(range(harts)):
        reading.start(context)
        reading.run(block[:at])
        for place in shared_arrays(loop):
            reading.values[place] = common.setdefault(place, reading.values[place])
        for count in range(loop.count[0] + hart, loop.count[1], harts):
            reading.values[loop.to.place] = count
            reading.run(loop.blocks[0])
    return reading.run(block[at + 1 :])


def test_random_loops_that_harts_share_choose_as_one_hart_does(tmp_path: Path) -> None:
    shared = 0
    for seed in range(1, 160, 2):
        path = tmp_path / f"mine_{seed}.py"
        path.write_text(HEAD + "".join(random_methods(seed)))
        try:
            code = read_learner(load(path)(arms=4, dimensions=3))
        except GnomonError:
            continue
        loop, why = find_shared_loop(code)
        assert bool(why) == (loop is None)
        if loop is None:
            continue
        one, other = FloatReading(code, 0.5, 1), FloatReading(code, 0.5, 1)
        for context in np.random.default_rng(seed).normal(size=(12, 3)):
            arm = one.select(context)
            assert select_by_harts(other, loop, context, 3) == arm, path
            one.update(context, arm, context[0])
            other.update(context, arm, context[0])
        shared += 1
    assert shared >= 10, shared


@pytest.mark.parametrize(("name", "harts"), [("linucb-disjoint", 3), ("ucb1", 2)])
def test_harts_that_share_arms_choose_and_learn_as_one_does(name: str, harts: int) -> None:
    learner = find_embedded_learner(name)
    variant = learner.variant("once", "once")
    sizes, machine = EmbeddedSizes(3, 4), load_architecture("t13")
    runs = [
        LearnerBench(learner, variant, machine, sizes, harts=each).measure(
            case="random", details=False
        )
        for each in (1, harts)
    ]
    assert runs[0].arm == runs[1].arm
    assert runs[1].select.wall_cycles < runs[0].select.wall_cycles
