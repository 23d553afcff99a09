"""UCB1 in C has the bounds of UCB1 in float64."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.content.algorithms.ucb1.learner import UCB1
from gnomon.measure.learners import EmbeddedSizes, HostLearner, find_embedded_learner
from gnomon.measure.learners._step import to_steps

pytestmark = pytest.mark.usefixtures("sources_stay")


@pytest.mark.parametrize("beta", [0.0, 0.5, 2.0])
def test_bounds_are_those_of_the_floats(beta: float) -> None:
    arms, rounds = 5, 1500
    host = HostLearner(
        find_embedded_learner("ucb1").variants[0], EmbeddedSizes(2, arms), fraction_bits=15
    )
    host.alpha = int(to_steps(beta, 15))
    host.reset()
    model = UCB1(arms=arms, dimensions=2, beta=beta)
    rng = np.random.default_rng(8)
    differ = 0
    for _ in range(rounds):
        arm, bounds = host.select(), model.scores([0.0, 0.0])
        tried = model.count > 0
        errors = np.abs(host.scores[tried] / 2.0**15 - bounds[tried])
        assert (errors < 2.0**-13 * (1 + beta)).all()
        differ += arm != model.select([0.0, 0.0])
        reward = int(to_steps(rng.normal(arm / arms, 0.5), 15))
        host.update(arm, reward)
        model.update([0.0, 0.0], arm, reward / 2.0**15)
    assert differ <= 0.01 * rounds  # where two bounds are as near as their rounding
    assert model.count[-1] > model.count[0] or beta == 0.0
