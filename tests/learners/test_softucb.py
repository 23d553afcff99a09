"""The embedded SoftUCB beside float: what it keeps, whom it draws, how far formats are away."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.softucb.arm_sets import synthetic_arm_sets
from gnomon.content.algorithms.softucb.learner import IncrementalSoftUCB, OnlineSoftUCB
from gnomon.content.reports.embedded_learners.formats import softucb_formats
from gnomon.measure.learners import EmbeddedSizes, HostLearner, LearnerBench, find_embedded_learner
from gnomon.measure.learners._step import to_steps
from tests.rows import light_and_heavy

pytestmark = pytest.mark.usefixtures("sources_stay")

LEARNER = find_embedded_learner("softucb")
ARMS, D = 12, 5
SET = synthetic_arm_sets(count=1, arms=ARMS, dimensions=D, noise_std=0.1, seed=3)
NAMES = [variant.name for variant in LEARNER.variants]


def host_of(name: str, bits: int = 15, alpha: float = 0.7, **parameters: int) -> HostLearner:
    variant = LEARNER.variant(name, "tuned").with_parameters(**parameters)
    host = HostLearner(variant, EmbeddedSizes(D, ARMS), fraction_bits=bits)
    host.alpha = int(to_steps(alpha, bits))
    host.features = to_steps(0.999 * SET.features[0], bits)
    return host


def rewards_of(rounds: int, bits: int) -> np.ndarray:
    noise = 0.1 * np.random.default_rng(5).standard_normal((rounds, 1))
    return to_steps(SET.means[0] + noise, bits)


@pytest.mark.parametrize(
    ("name", "bits", "off"),
    [
        ("standard", 20, 1e-4),
        ("optimized", 20, 1e-4),
        ("optimized", 15, 2e-3),
        ("online", 20, 1e-3),
        ("optimized-vector", 15, 2e-3),
        ("online-vector", 15, 5e-3),
    ],
)
def test_indices_are_those_of_float(name: str, bits: int, off: float) -> None:
    """After 400 rounds of the same arms and rewards."""
    rounds = 400
    online = "online" in name
    host = host_of(
        name, bits, 1.0 if online else 0.7, **({"LEARNER_HORIZON": 400} if online else {})
    )
    settings = {"arms": ARMS, "dimensions": 1, "arm_features": 0.999 * SET.features[0]}
    learner = (
        OnlineSoftUCB(**settings, horizon=400)
        if online
        else IncrementalSoftUCB(**settings, beta=0.7)
    )
    rewards = rewards_of(rounds, bits)
    for of_round in rewards:
        arm = host.select()
        host.update(arm, int(of_round[arm]))
        learner.select([1.0])
        learner.update([1.0], arm, float(of_round[arm]) / 2.0**bits)
    host.select()
    assert np.abs(host.scores / 2.0**bits - learner.scores([1.0])).max() < off


@pytest.mark.parametrize("name", NAMES)
def test_the_first_round_is_uniform_and_the_best_arm_follows(name: str) -> None:
    host = host_of(name)
    first = []
    for seed in range(200):
        host.reset()
        model = host.model
        place = np.flatnonzero(model == 1)  # LEARNER_SEED, the one word that is 1
        assert place.size == 1
        model[place] = seed * 7919
        host.model = model
        first.append(host.select())
    assert len(set(first)) == ARMS
    host.reset()
    arms = host.run(np.zeros((600, D), dtype=np.int32), rewards_of(600, 15))
    assert (arms[-100:] == SET.means[0].argmax()).mean() > 0.8


def test_a_gap_of_zero_is_no_trap() -> None:
    """Features of zero: all indices stay equal, gamma stays finite, every arm is drawn."""
    host = host_of("optimized")
    host.features = np.zeros((ARMS, D), dtype=np.int32)
    host.reset()
    arms = host.run(np.zeros((400, D), dtype=np.int32), np.zeros((400, ARMS), dtype=np.int32))
    assert set(arms.tolist()) == set(range(ARMS))


@pytest.mark.heavy("studies")
def test_formats() -> None:
    found = {
        (each["variant"], each["fraction_bits"], each["inverse_bits"]): each
        for each in softucb_formats(environments=4, rounds=400, bits=(8, 20))
    }
    assert found["optimized", 20, None]["equal_following"] > 0.998
    assert found["optimized", 20, None]["regret_ratio"] == pytest.approx(1, abs=0.02)
    assert found["optimized", 8, 8]["equal_following"] < 0.6, "a coarse V^-1 shows"
    wide, narrow = (found["optimized", 8, bits]["equal_following"] for bits in (None, 8))
    assert wide > narrow
    for name in ("optimized-vector", "online-vector"):  # 15 bits of means, V^-1 having 29
        each = found[name, 15, None]
        assert each["equal_following"] > 0.99
        assert each["regret_ratio"] == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize(
    "machine", light_and_heavy("studies", 1, ["t13-simd8", "t13-simd1", "t13-paper-simd2"])
)
@pytest.mark.parametrize(
    "name", light_and_heavy("studies", 1, ["online-vector", "optimized-vector"])
)
def test_vector_on_other_machines(machine: str, name: str) -> None:
    """Measuring compares every bit with the host."""
    variant = LEARNER.variant(name, "tuned")
    run = LearnerBench(LEARNER, variant, load_architecture(machine), EmbeddedSizes(7, 9)).measure(
        case="random", details=False
    )
    assert run.wall_cycles > 0


@pytest.mark.parametrize("length", [0.02, 0.999])
@pytest.mark.parametrize("arms", light_and_heavy("studies", 1, [70, ARMS]))
def test_all_machines_compute_the_same(arms: int, length: float) -> None:
    """With post-scaled products and without, in one go and in two; V^-1 stays symmetric."""
    of_arms = synthetic_arm_sets(count=1, arms=arms, dimensions=D, noise_std=0.1, seed=3)
    rewards = to_steps(np.random.default_rng(1).normal(0.5, 1, (200, arms)), 15)
    models = []
    for machine in ("t13-simd1", "t13-simd8", "t13-paper-simd4"):
        host = HostLearner(
            LEARNER.variant("optimized-vector", "tuned"),
            EmbeddedSizes(D, arms),
            architecture=load_architecture(machine),
        )
        host.alpha = int(to_steps(0.7, 15))
        host.features = to_steps(length * of_arms.features[0], 15)
        host.run(np.zeros((200, D), dtype=np.int32), rewards)
        models.append(host.model)
    assert models[0].tolist() == models[1].tolist() == models[2].tolist()
    inverse = models[0][: D * D].reshape(D, D)
    assert (inverse == inverse.T).all()


def test_kept_widths_are_those_of_the_inverse() -> None:
    """What is kept of every arm is x^T V^-1 x, though no errors of it are ever taken away."""
    host = host_of("optimized-vector")
    host.run(np.zeros((2000, D), dtype=np.int32), rewards_of(2000, 15))
    inverse = host.model[: D * D].reshape(D, D) / 2.0**29
    squares = host.model[D * D + ARMS :][:ARMS] / 2.0**29
    features = host.features / 2.0**15
    exact = np.einsum("ki,ij,kj->k", features, inverse, features)
    np.testing.assert_allclose(squares, exact, rtol=1e-3)


def test_incremental_and_vector_pay() -> None:
    machine = load_architecture("t13-paper-simd4")
    cycles = {
        name: LearnerBench(LEARNER, LEARNER.variant(name, "tuned"), machine, EmbeddedSizes(16, 24))
        .measure(case="random", details=False)
        .update.wall_cycles
        for name in ("standard", "optimized", "optimized-vector")
    }
    assert 5 * cycles["optimized"] < cycles["standard"]
    assert 5 * cycles["optimized-vector"] < cycles["optimized"]


def test_what_it_cannot_compute_with_is_refused() -> None:
    with pytest.raises(GnomonError, match="LEARNER_INVERSE_BITS must be FX_FRACTION_BITS and"):
        host_of("optimized", 15, LEARNER_INVERSE_BITS=16)
    with pytest.raises(GnomonError, match="computes with 15 fraction bits, not 16"):
        LearnerBench(
            LEARNER,
            LEARNER.variant("optimized-vector", "tuned"),
            load_architecture("t13-simd4"),
            EmbeddedSizes(4, 4),
            fraction_bits=16,
        ).measure()
    with pytest.raises(GnomonError, match="must fit a scratchpad"):
        HostLearner(LEARNER.variant("optimized-vector", "tuned"), EmbeddedSizes(200, 4))
