"""Baselines of the field in C: scores of the float64 learners, promises of the formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.learn import find_learner
from gnomon.measure.learners import (
    EmbeddedSizes,
    HostLearner,
    LearnerBench,
    find_embedded_learner,
)
from gnomon.measure.learners._step import to_steps
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from gnomon.learn import Learner

pytestmark = pytest.mark.usefixtures("sources_stay")

FORGETTING = 331
GAMMA = 2**15 / (2**15 + FORGETTING)
ARMS, STEPS = 5, 300


def host_of(name: str, variant: str, d: int, **words: int) -> HostLearner:
    there = find_embedded_learner(name).variant(variant)
    host = HostLearner(there.with_parameters(**words), EmbeddedSizes(d, ARMS))
    host.alpha = int(to_steps(0.5, 15))
    host.reset()
    return host


def largest_error(
    host: HostLearner, model: Learner, d: int, scale: float, *, noise: float = 0.1
) -> float:
    """Play random arms on both; the largest error of a score of a tried arm."""
    rng, error = np.random.default_rng(5), 0.0
    truth = rng.normal(size=(ARMS, d)) / np.sqrt(d)
    tried = np.zeros(ARMS, dtype=bool)
    for _ in range(STEPS):
        words = to_steps(rng.uniform(-scale, scale, d), 15)
        x, arm = words / 2.0**15, int(rng.integers(ARMS))
        host.context = words
        host.select()
        errors = np.abs(host.scores / 2.0**15 - model.scores(x))
        error = max(error, float(errors[tried].max(initial=0.0)))
        reward = int(to_steps(np.clip(0.5 + truth[arm] @ x / scale / 4, 0, 1) + noise, 15))
        model.update(x, arm, reward / 2.0**15)
        host.update(arm, reward)
        tried[arm] = True
    return error


DISCOUNTED: dict[str, Any] = {"discount": GAMMA}
CASES: list[tuple[str, str, str, dict[str, Any], float]] = [
    ("linucb-discounted", "optimized", "optimized", DISCOUNTED, 1e-4),
    ("linucb-discounted", "optimized-vector", "optimized", DISCOUNTED, 1e-3),
    ("linucb-discounted", "standard", "standard", DISCOUNTED, 2e-3),
    ("linucb-diagonal", "standard", "standard", {}, 1e-4),
    ("linucb-diagonal", "standard-vector", "standard", {}, 1e-3),
    ("lin-sgd", "standard", "standard", {"decay": 3277 / 2**15}, 1e-4),
    ("lin-sgd", "standard-vector", "standard", {"decay": 3277 / 2**15}, 4e-3),
    ("ucb1-tuned", "standard", "standard", {"beta": 0.5}, 1e-3),
    ("ucb1-tuned", "cusum", "cusum", {"beta": 0.5}, 1e-3),
]


@pytest.mark.parametrize("d", light_and_heavy("studies", 1, [4, 2, 3, 17]))
@pytest.mark.parametrize(
    ("name", "variant", "of_float", "settings", "most"),
    [pytest.param(*case, id=f"{case[0]}-{case[1]}") for case in CASES],
)
def test_scores_are_those_of_the_floats(
    name: str, variant: str, of_float: str, settings: dict[str, Any], most: float, d: int
) -> None:
    model = find_learner(name, of_float)(arms=ARMS, dimensions=d, **settings)
    most *= max(1.0, d / 8)  # sums of d rounded products
    assert 0 < largest_error(host_of(name, variant, d), model, d, 1.0) < most


@pytest.mark.parametrize(
    ("name", "variant", "scale", "most"),
    [
        ("linucb-discounted", "optimized", 0.05, 1e-4),
        ("linucb-discounted", "optimized", 10.0, 3e-3),
        ("linucb-diagonal", "standard", 0.05, 3e-4),
        ("linucb-diagonal", "standard", 10.0, 3e-4),
        ("lin-sgd", "standard", 10.0, 3e-4),
    ],
)
def test_small_and_large_contexts(name: str, variant: str, scale: float, most: float) -> None:
    settings = DISCOUNTED if name == "linucb-discounted" else {}
    of_float = variant if name == "linucb-discounted" else "standard"
    model = find_learner(name, of_float)(arms=ARMS, dimensions=4, **settings)
    assert largest_error(host_of(name, variant, 4), model, 4, scale) < most


@pytest.mark.parametrize(("variant", "most"), [("standard", 2e-4), ("optimized", 5e-3)])
def test_scores_on_cmsis_arithmetic_are_those_of_linucb(variant: str, most: float) -> None:
    model = find_learner("linucb-disjoint", "optimized")(arms=ARMS, dimensions=4, alpha=0.5)
    host = host_of("linucb-cmsis", variant, 4)
    assert 0 < largest_error(host, model, 4, 1.0) < most
    if variant == "optimized":  # r x comes as a product shifted left by the range, 1, and 1 more
        b = host.model.reshape(ARMS, -1)[:, 16:]
        assert b.any()
        assert not (b % 4).any()


def test_cmsis_arithmetic_saturates_outside_of_its_range() -> None:
    host = host_of("linucb-cmsis", "optimized", 4)
    host.context = to_steps(np.array([-1e4, 0.0, 0.0, 0.0]), 15)
    for arm in range(ARMS):
        host.update(arm, 1 << 15)
    b = host.model.reshape(ARMS, -1)[:, 16:] / 2.0**15
    assert b[:, 0] == pytest.approx(-2.0)  # the context counts as -2
    host.select()
    assert host.scores / 2.0**15 == pytest.approx(4 / 5 + 0.5 * np.sqrt(4 / 5), abs=1e-3)


@pytest.mark.heavy("studies")
def test_cycles_of_cmsis_arithmetic_lie_between_the_paper_and_the_tuned_code() -> None:
    machine = load_architecture("t13")
    cycles = [
        LearnerBench(learner, variant, machine, EmbeddedSizes(4, 4))
        .measure(case="random", details=False)
        .wall_cycles
        for learner, variant in (
            (there, there.variant("optimized", line))
            for there, line in (
                (find_embedded_learner("linucb-disjoint"), "tuned"),
                (find_embedded_learner("linucb-cmsis"), "cmsis"),
                (find_embedded_learner("linucb-disjoint"), "paper"),
            )
        )
    ]
    assert 2 * cycles[0] < cycles[1] < cycles[2] / 2


def discounted_inverse(host: HostLearner, arm: int, d: int) -> np.ndarray:
    """The stored A^-1 of an arm."""
    words = host.model[:-1].reshape(ARMS, -1)[arm]
    lower = np.zeros((d, d))
    lower[np.tril_indices(d)] = words[: d * (d + 1) // 2] / (2.0**30 * 4.0 ** words[-1])
    return lower + np.tril(lower, -1).T


@pytest.mark.parametrize(("variant", "most"), [("optimized", 1e-4), ("optimized-vector", 1e-3)])
def test_errors_of_the_discounted_inverse_fade(variant: str, most: float) -> None:
    """After 30,000 rounds, A^-1 is that of the rounds that still count."""
    d, rounds, last = 3, 30_000, 4000
    host, rng = host_of("linucb-discounted", variant, d), np.random.default_rng(3)
    contexts = to_steps(rng.normal(size=(rounds, d)), 15)
    rewards = to_steps(rng.normal(size=(rounds, ARMS)), 15)
    played = np.where(rng.random(rounds) < 0.9, 0, rng.integers(ARMS, size=rounds))
    host.follow(contexts, rewards, played)
    model: Any = find_learner("linucb-discounted", "optimized")(
        arms=ARMS, dimensions=d, discount=GAMMA
    )
    model.steps = rounds - last  # the older ones count less than 1e-17
    for context, row, arm in zip(contexts[-last:], rewards[-last:], played[-last:], strict=True):
        model.update(context / 2.0**15, int(arm), row[arm] / 2.0**15)
    for context in contexts[:20]:
        host.context = context
        host.select()
        assert np.abs(host.scores / 2.0**15 - model.scores(context / 2.0**15)).max() < most
    if variant == "optimized":
        for arm in range(ARMS):
            assert np.allclose(discounted_inverse(host, arm, d), model.inverse[arm], rtol=1e-4)


def test_the_scale_falls_as_an_arm_is_forgotten() -> None:
    """Many large contexts, then none: A^-1 shrinks, grows, and stops below gamma^-d."""
    d = 3
    host, rng = host_of("linucb-discounted", "optimized", d), np.random.default_rng(4)
    contexts = to_steps(np.vstack((rng.normal(size=(200, d)) * 30, np.zeros((3000, d)))), 15)
    rewards = np.zeros((len(contexts), ARMS), dtype=np.int32)
    arms = np.zeros(len(contexts), dtype=np.int32)
    host.follow(contexts[:200], rewards[:200], arms[:200])
    assert host.model[:-1].reshape(ARMS, -1)[0, -1] >= 5
    assert np.linalg.eigvalsh(discounted_inverse(host, 0, d)).max() < 1e-3
    host.follow(contexts[200:], rewards[200:], arms[200:])
    assert host.model[:-1].reshape(ARMS, -1)[0, -1] == 0
    values = np.linalg.eigvalsh(discounted_inverse(host, 0, d))
    assert 0.97 < values.min() <= values.max() < GAMMA**-d


@pytest.mark.parametrize(("name", "variant"), [("lin-sgd", "standard"), ("ucb1-tuned", "cusum")])
def test_shares_of_random_arms_are_the_propensities(name: str, variant: str) -> None:
    host = host_of(name, variant, 2, LEARNER_EPSILON=16384, LEARNER_PROPENSITY=1)
    for arm in range(ARMS):
        host.update(arm, (1 + (arm == 3)) << 13)
    host.context = to_steps(np.array([0.5, -0.5]), 15)
    arms, propensities = [], {}
    for _ in range(4000):
        arms.append(host.select())
        propensities[arms[-1]] = host.propensity
    best = int(host.scores.argmax())
    expected = np.full(ARMS, 0.25 / ARMS) + 0.75 * (np.arange(ARMS) == best)
    assert [propensities[arm] for arm in range(ARMS)] == pytest.approx(expected, abs=1e-6)
    shares = np.bincount(arms, minlength=ARMS) / len(arms)
    assert np.abs(shares - expected).max() < 4 * np.sqrt(0.25 / len(arms))


def test_a_changed_arm_starts_again() -> None:
    host = host_of("ucb1-tuned", "cusum", 1, LEARNER_CUSUM=20)
    for reward in (0.3, 0.7) * 15:
        host.update(0, int(to_steps(reward, 15)))
    counts = host.model[:-1].reshape(ARMS, -1)[:, 0]
    assert counts.tolist() == [30, 0, 0, 0, 0]
    rewards = 0
    while host.model[0] >= 30:
        host.update(0, int(to_steps(1.0, 15)))
        rewards += 1
    assert rewards == 18  # ceil(6.9078 / (1 - 0.5 - 0.1)), less what 0.7 left
    assert not host.model[:-1].any()
