"""LinUCB on a window is the disjoint learner that is shown the contexts before a round."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.measure.learners import EmbeddedSizes, HostLearner, Play, find_embedded_learner
from tests.rows import light_and_heavy

pytestmark = pytest.mark.usefixtures("sources_stay")


@pytest.mark.parametrize("name", ["optimized", "optimized-vector"])
@pytest.mark.parametrize("window", light_and_heavy("studies", 1, [2, 1, 3]))
def test_it_is_the_disjoint_learner_on_stacked_contexts(name: str, window: int) -> None:
    rng, rounds, d, arms = np.random.default_rng(3), 300, 3, 5
    contexts = rng.normal(size=(rounds, d))
    rewards = rng.normal(size=(rounds, arms))
    stacked = np.ones((rounds, 1 + window * d))
    for back in range(1, window + 1):
        before = np.vstack((np.zeros((back, d)), contexts[:-back]))
        stacked[:, 1 + (back - 1) * d : 1 + back * d] = before
    machine = load_architecture("t13-paper-simd4")
    chosen = []
    for learner, shown, words in (
        ("linucb-window", contexts, {"LEARNER_WINDOW": window}),
        ("linucb-disjoint", stacked, {}),
    ):
        variant = find_embedded_learner(learner).variant(name, "tuned").with_parameters(**words)
        host = HostLearner(variant, EmbeddedSizes(shown.shape[1], arms), architecture=machine)
        chosen.append(Play.from_floats(shown, rewards, fraction_bits=15, alpha=0.5).on(host))
    assert np.array_equal(*chosen)
    assert len(set(chosen[0][-50:].tolist())) > 1
