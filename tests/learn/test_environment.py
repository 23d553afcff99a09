"""Synthetic rounds: seeded, linear, and learnable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.linucb_disjoint.learner import DisjointLinUCB
from gnomon.content.algorithms.linucb_hybrid.learner import HybridLinUCB
from gnomon.learn.environment import NOISE, Rounds


def make(kind: str, **changes: Any) -> Rounds:
    settings: dict[str, Any] = {"rounds": 400, "arms": 3, "dimensions": 2, "seed": 5, **changes}
    return Rounds.linear(**{"features": 2 if kind == "hybrid" else 0, **settings})


@pytest.mark.parametrize("kind", ["disjoint", "hybrid"])
@pytest.mark.parametrize("law", ["uniform", "normal"])
def test_the_same_seed_gives_the_same_rounds(kind: str, law: str) -> None:
    one, two, other = make(kind, law=law), make(kind, law=law), make(kind, law=law, seed=6)
    for name in ("contexts", "expected", "noise", "arm_features"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
    assert not np.array_equal(one.contexts, other.contexts)


@pytest.mark.parametrize("kind", ["disjoint", "hybrid"])
def test_rewards_are_linear_in_the_context_with_noise(kind: str) -> None:
    rounds = make(kind, rounds=4000)
    fit = np.linalg.lstsq(rounds.contexts, rounds.expected, rcond=None)[0]
    np.testing.assert_allclose(rounds.contexts @ fit, rounds.expected, atol=1e-12)
    assert rounds.noise.std() == pytest.approx(NOISE, rel=0.1)
    assert rounds.reward(7, 2) == rounds.expected[7, 2] + rounds.noise[7]
    assert rounds.best(7) == rounds.expected[7].max()


def test_laws() -> None:
    uniform, normal = make("disjoint"), make("disjoint", law="normal")
    assert uniform.contexts.min() >= 0
    assert uniform.contexts.max() <= 1
    assert normal.contexts.min() < -1


def test_a_learner_earns_more_than_chance() -> None:
    for kind in ("disjoint", "hybrid"):
        rounds = make(kind)
        learner = (
            DisjointLinUCB(arms=3, dimensions=2)
            if kind == "disjoint"
            else HybridLinUCB(arm_features=rounds.arm_features, dimensions=2)
        )
        gap = []
        for index, context in enumerate(rounds.contexts):
            arm = learner.select(context)
            learner.update(context, arm, rounds.reward(index, arm))
            gap.append(rounds.best(index) - rounds.expected[index, arm])
        by_chance = (rounds.expected.max(axis=1) - rounds.expected.mean(axis=1)).mean()
        assert np.mean(gap[200:]) < 0.05 * by_chance


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rounds": 0}, "the number of rounds must be at least 1, not 0"),
        ({"features": -1}, "the number of features must not be negative, not -1"),
        ({"seed": -1}, "the seed must not be negative, not -1"),
        ({"law": "gauss"}, "contexts are uniform or normal, not 'gauss'"),
    ],
)
def test_wrong_numbers(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(GnomonError) as error:
        make("hybrid", **changes)
    assert str(error.value) == message
