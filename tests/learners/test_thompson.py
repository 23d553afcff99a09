"""Thompson sampling plays each arm as often as its drawn reward is the highest."""

from __future__ import annotations

import numpy as np

from gnomon.content.algorithms.thompson_disjoint.learner import DisjointThompson
from gnomon.measure.learners import EmbeddedSizes, HostLearner, find_embedded_learner
from gnomon.measure.learners._step import to_steps

D, ARMS, ALPHA, DRAWS = 3, 4, 0.5, 6000


def test_shares_are_those_of_the_posterior() -> None:
    rng = np.random.default_rng(5)
    contexts, weights = rng.uniform(-1, 1, (40, D)), rng.uniform(-0.5, 0.5, (D, ARMS))
    rewards, played = contexts @ weights, rng.integers(ARMS, size=40)
    x = np.array([0.6, -0.4, 0.7])

    model = DisjointThompson(arms=ARMS, dimensions=D, alpha=ALPHA, seed=1)
    for context, arm, row in zip(contexts, played, rewards, strict=True):
        model.update(context, int(arm), float(row[arm]))
    means = model.scores(x)
    spread = np.sqrt(np.einsum("i,aij,j->a", x, model.a_inverse, x))
    drawn = means + ALPHA * spread * np.random.default_rng(6).standard_normal((200_000, ARMS))
    shares = np.bincount(drawn.argmax(axis=1), minlength=ARMS) / len(drawn)
    assert 0.01 < shares.min() < shares.max() < 0.9  # a test of every arm

    variant = find_embedded_learner("thompson-disjoint").variant("optimized", "tuned")
    host = HostLearner(variant, EmbeddedSizes(D, ARMS, None), fraction_bits=15)
    host.alpha = int(to_steps(ALPHA, 15))
    host.reset()
    host.follow(to_steps(contexts, 15), to_steps(rewards, 15), played)
    host.context = to_steps(x, 15)
    for chosen in (
        [model.select(x) for _ in range(DRAWS)],
        [host.select() for _ in range(DRAWS)],
    ):
        found = np.bincount(chosen, minlength=ARMS) / DRAWS
        error = np.sqrt(shares * (1 - shares) / DRAWS)
        assert (np.abs(found - shares) < 4 * error + 0.003).all()  # the sum of twelve: 0.003


def test_without_a_weight_it_is_greedy() -> None:
    variant = find_embedded_learner("thompson-disjoint").variant("optimized", "tuned")
    greedy = HostLearner(variant, EmbeddedSizes(D, ARMS, None), fraction_bits=15)
    linucb = find_embedded_learner("linucb-disjoint").variant("optimized", "tuned")
    same = HostLearner(linucb, EmbeddedSizes(D, ARMS, None), fraction_bits=15)
    rng = np.random.default_rng(7)
    contexts, rewards = (to_steps(rng.uniform(-1, 1, (200, n)), 15) for n in (D, ARMS))
    chosen = []
    for host in (greedy, same):
        host.alpha = 0
        host.reset()
        chosen.append(host.run(contexts, rewards))
    assert np.array_equal(*chosen)
    assert len(set(chosen[0])) > 1
    greedy.alpha = int(to_steps(ALPHA, 15))
    greedy.reset()
    assert greedy.run(contexts, rewards).tolist() != chosen[0].tolist()
