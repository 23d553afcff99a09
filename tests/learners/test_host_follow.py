"""A learner on this computer that learns arms which it did not choose."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.measure.learners import (
    EmbeddedLearner,
    EmbeddedSizes,
    HostLearner,
    LearnerVariant,
    _host,
    find_embedded_learner,
)
from gnomon.measure.learners._step import to_steps
from tests.learners.variants import ONE_OF_EACH

pytestmark = pytest.mark.usefixtures("sources_stay")

STEPS, D, ARMS = 20, 4, 4  # the sizes of the contract: its builds are in the cache


def host(learner: EmbeddedLearner, variant: LearnerVariant) -> HostLearner:
    rng = np.random.default_rng(2)
    made = HostLearner(variant, EmbeddedSizes(D, ARMS, 2 if learner.has_features else None))
    made.alpha = int(to_steps(learner.alpha, 15))
    if learner.has_features:
        made.features = to_steps(rng.uniform(-1, 1, (ARMS, 2)), 15)
    return made


@pytest.mark.parametrize(("learner", "variant"), ONE_OF_EACH)
def test_follow_is_select_and_update_with_the_arm_given(
    learner: EmbeddedLearner, variant: LearnerVariant
) -> None:
    rng = np.random.default_rng(1)
    contexts = to_steps(rng.uniform(-1, 1, (STEPS, D)), 15)
    rewards = to_steps(rng.uniform(-1, 1, (STEPS, ARMS)), 15)
    played = rng.integers(ARMS, size=STEPS)
    one, other = host(learner, variant), host(learner, variant)
    chosen = one.follow(contexts, rewards, played)
    for step in range(STEPS):
        other.context = contexts[step]
        assert other.select() == chosen[step]
        other.update(int(played[step]), int(rewards[step, played[step]]))
    assert np.array_equal(one.model, other.model)
    assert np.any(chosen != played)


def test_follow_refuses_what_does_not_fit() -> None:
    learner = find_embedded_learner("linucb-disjoint")
    one = host(learner, learner.variant("optimized"))
    contexts, rewards = np.zeros((2, D), np.int32), np.zeros((2, ARMS), np.int32)
    with pytest.raises(GnomonError) as caught:
        one.follow(contexts, rewards, np.zeros(3, np.int64))
    assert str(caught.value) == "played must have the shape (2,), not (3,)"
    with pytest.raises(GnomonError) as caught:
        one.follow(contexts, rewards, np.array([0, ARMS]))
    assert str(caught.value) == "played must be arms 0 to 3"


def test_more_steps_than_shared_memory_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    contexts = to_steps(rng.uniform(-1, 1, (STEPS, D)), 15)
    rewards = to_steps(rng.uniform(-1, 1, (STEPS, ARMS)), 15)
    learner = find_embedded_learner("linucb-disjoint")
    variant = learner.variant("optimized")
    whole = host(learner, variant)
    monkeypatch.setattr(_host, "_SHARED_BYTES", 256)  # 8 steps, then as many again
    parts = host(learner, variant)
    for _ in range(2):
        assert np.array_equal(whole.run(contexts, rewards), parts.run(contexts, rewards))
        assert np.array_equal(whole.model, parts.model)
