"""The tuned hybrid learner: bits of the integer model, decisions of the float learner, cycles."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.linucb_hybrid.learner import HybridLinUCBRankOne
from gnomon.learn import Rounds
from gnomon.measure.learners import (
    EmbeddedSizes,
    HostLearner,
    LearnerBench,
    LearnerVariant,
    find_embedded_learner,
)
from gnomon.measure.learners._step import to_steps
from tests.learners.models.tuned_hybrid import (
    ScalarTunedHybrid,
    VectorTunedHybrid,
    inverse_root,
)
from tests.rows import light_and_heavy

pytestmark = pytest.mark.usefixtures("sources_stay")

MACHINE = load_architecture("t13-paper-simd4")
LEARNER = find_embedded_learner("linucb-hybrid")
SCALAR = LEARNER.variant("optimized", "tuned")
VECTOR = LEARNER.variant("optimized-vector", "tuned")
BOTH = [pytest.param(each, id=each.name) for each in (SCALAR, VECTOR)]
FLOAT_REGRET = 49.1828  # of HybridLinUCBRankOne, alpha 0.5, on the same words
SIZES = [
    EmbeddedSizes(*size)
    for size in ((1, 1, 1), (3, 3, 2), (1, 3, 2), (2, 1, 3), (4, 4, 3), (2, 5, 1))
]


@pytest.mark.parametrize("scale", [0.02, 1.0, 40.0])
@pytest.mark.parametrize("sizes", light_and_heavy("studies", 2, SIZES), ids=str)
@pytest.mark.parametrize("variant", BOTH)
def test_bits_are_those_of_the_integer_model(
    variant: LearnerVariant, sizes: EmbeddedSizes, scale: float
) -> None:
    kind = VectorTunedHybrid if variant.vector else ScalarTunedHybrid
    alpha = int(to_steps(0.3, 15))
    model, host = kind(sizes, alpha), HostLearner(variant, sizes)
    host.alpha = alpha
    rng = np.random.default_rng(9)
    for step in range(60):
        if step % 25 == 0:  # others start a fresh model
            host.features = features = to_steps(rng.uniform(-2, 2, (sizes.arms, sizes.f or 0)), 15)
        host.context = context = to_steps(rng.uniform(-scale, scale, sizes.d), 15)
        arm, scores = model.select(context, features)
        assert (host.select(), host.scores.tolist()) == (arm, scores)
        reward = int(to_steps(rng.uniform(-3, 3), 15))
        model.update(arm, reward, context)
        host.update(arm, reward)
        assert host.model.tolist() == model.words()
    assert step == 59


def test_bits_after_many_steps() -> None:
    """Scales have risen by then: the host runs ahead, the model continues from there."""
    sizes, alpha = EmbeddedSizes(2, 2, 2), int(to_steps(0.3, 15))
    rng = np.random.default_rng(4)
    features = to_steps(rng.uniform(-1, 1, (2, 2)), 15)
    contexts = to_steps(rng.uniform(-1, 1, (2000, 2)), 15)
    rewards = to_steps(rng.uniform(0, 1, (2000, 2)), 15)
    for variant, kind in ((SCALAR, ScalarTunedHybrid), (VECTOR, VectorTunedHybrid)):
        model, host = kind(sizes, alpha), HostLearner(variant, sizes)
        host.alpha, host.features = alpha, features
        arms = host.run(contexts, rewards)
        for step, context in enumerate(contexts):
            arm, _ = model.select(context, features)
            assert arm == arms[step]
            model.update(arm, int(rewards[step, arm]), context)
        assert max(model.scales) >= 3
        assert host.model.tolist() == model.words()


def test_inverse_root() -> None:
    """Relative error below 2^-23, over the range and at its ends."""
    values = [2**30, 2**30 + 1, 2**32 - 1, *range(2**30, 2**32, 1_000_003)]
    errors = [inverse_root(value) / 2**31 * np.sqrt(value / 2**30) - 1 for value in values]
    assert max(np.abs(errors)) < 2.0**-23


def test_one_regression_is_the_hybrid_learner() -> None:
    """What the code rests on, in float64: the scores of equation (3), from d numbers an arm."""
    d, arms, f, alpha = 3, 4, 5, 0.5
    rng = np.random.default_rng(2)
    features = rng.normal(size=(arms, f))
    reference = HybridLinUCBRankOne(arm_features=features, dimensions=d, alpha=alpha)
    covariance = np.kron(features @ features.T + np.eye(arms), np.eye(d))
    means = np.zeros(arms * d)
    for _ in range(60):
        x = rng.normal(size=d)
        own = [slice(a * d, a * d + d) for a in range(arms)]
        scores = [means[i] @ x + alpha * np.sqrt(x @ covariance[i, i] @ x) for i in own]
        np.testing.assert_allclose(scores, reference.scores(x), rtol=1e-9, atol=1e-9)
        arm, reward = int(rng.integers(arms)), float(rng.normal())
        q = covariance[:, own[arm]] @ x
        gain = q / (1 + x @ q[own[arm]])
        means += gain * (reward - means[own[arm]] @ x)
        covariance -= np.outer(gain, q)
        reference.update(x, arm, reward)


@pytest.mark.parametrize("variant", BOTH)
def test_other_features_start_a_fresh_model(variant: LearnerVariant) -> None:
    sizes = EmbeddedSizes(4, 8, 4)
    rng = np.random.default_rng(3)
    before, after = to_steps(rng.uniform(-1, 1, (2, 8, 4)), 15)
    contexts, rewards = (to_steps(rng.uniform(-1, 1, (30, size)), 15) for size in (4, 8))
    used, fresh = HostLearner(variant, sizes), HostLearner(variant, sizes)
    used.alpha = fresh.alpha = 1 << 14
    used.features = before
    used.run(contexts, rewards)
    used.features = fresh.features = after
    used.run(contexts, rewards)
    fresh.run(contexts, rewards)
    assert used.model.tolist() == fresh.model.tolist()
    after[-1, -1] += 1  # one step in one feature is enough
    used.features = after
    used.select()
    assert used.model.tolist() != fresh.model.tolist()


def against_float(
    variant: LearnerVariant, sizes: EmbeddedSizes, scale: float, steps: int = 300
) -> tuple[list[float], float]:
    """Margins of the float scores where the arms differ, and the largest error of a score."""
    assert sizes.f is not None
    rng = np.random.default_rng(5)
    features = to_steps(rng.uniform(-1, 1, (sizes.arms, sizes.f)), 15)
    beta = rng.normal(size=(sizes.f, sizes.d)) / np.sqrt(sizes.f * sizes.d)
    truth = rng.normal(size=(sizes.arms, sizes.d)) / np.sqrt(sizes.d) + features / 2.0**15 @ beta
    host = HostLearner(variant, sizes)
    host.alpha, host.features = int(to_steps(0.5, 15)), features
    reference = HybridLinUCBRankOne(arm_features=features / 2.0**15, dimensions=sizes.d, alpha=0.5)
    margins, error = [], 0.0
    for _ in range(steps):
        host.context = words = to_steps(rng.uniform(-scale, scale, sizes.d), 15)
        context = words / 2.0**15
        chosen, scores = reference.select(context), reference.scores(context)
        arm = host.select()
        error = max(error, float(np.abs(host.scores / 2.0**15 - scores).max()))
        if arm != chosen:
            margins.append(float(scores[chosen] - scores[arm]))
        reward = int(to_steps(truth[chosen] @ context / scale + 0.1 * rng.normal(), 15))
        reference.update(context, chosen, reward / 2.0**15)
        host.update(chosen, reward)
    return margins, error


@pytest.mark.parametrize(
    "sizes",
    light_and_heavy(
        "studies", 2, [EmbeddedSizes(4, 8, 4), EmbeddedSizes(4, 8, 32), EmbeddedSizes(3, 5, 2)]
    ),
    ids=str,
)
@pytest.mark.parametrize("variant", BOTH)
def test_decisions_are_those_of_the_float_learner(
    variant: LearnerVariant, sizes: EmbeddedSizes
) -> None:
    margins, error = against_float(variant, sizes, 1.0)
    assert error < 2e-4
    assert all(margin < 2 * error for margin in margins)
    assert len(margins) <= 1


@pytest.mark.parametrize("scale", [0.05, 10.0])
@pytest.mark.parametrize("variant", BOTH)
def test_small_and_large_contexts(variant: LearnerVariant, scale: float) -> None:
    margins, error = against_float(variant, EmbeddedSizes(4, 8, 4), scale)
    assert error < 1e-3
    assert len(margins) <= 1


@pytest.mark.parametrize("variant", BOTH)
def test_100_000_steps_stay_with_float(variant: LearnerVariant) -> None:
    """Regret within 2 % of the float learner's, which is kept here: it takes ten seconds."""
    steps, sizes = 100_000, EmbeddedSizes(4, 8, 4)
    rounds = Rounds.linear(rounds=steps, arms=8, dimensions=4, features=4, seed=1, law="uniform")
    host = HostLearner(variant, sizes)
    host.alpha, host.features = int(to_steps(0.5, 15)), to_steps(rounds.arm_features, 15)
    rewards = to_steps(rounds.expected + rounds.noise[:, None], 15)
    arms = host.run(to_steps(rounds.contexts, 15), rewards)
    regret = (rounds.expected.max(axis=1) - rounds.expected[np.arange(steps), arms]).sum()
    assert regret == pytest.approx(FLOAT_REGRET, rel=0.02)


@pytest.mark.parametrize(
    "machine",
    light_and_heavy("studies", 1, ["t13-paper-simd8", "t13-paper-simd1", "t13-paper-simd2"]),
)
def test_other_widths(machine: str) -> None:
    """Measuring compares every bit with the host."""
    sizes, where = EmbeddedSizes(3, 3, 2), load_architecture(machine)
    LearnerBench(LEARNER, VECTOR, where, sizes).measure(case="random", details=False)


def test_features_larger_than_a_scratchpad() -> None:
    LearnerBench(LEARNER, VECTOR, MACHINE, EmbeddedSizes(2, 9, 500)).measure(
        case="random", details=False
    )


def wall_cycles(line: str, name: str, sizes: EmbeddedSizes, harts: int = 1) -> int:
    variant = LEARNER.variant(name, line)
    return (
        LearnerBench(LEARNER, variant, MACHINE, sizes, harts=harts)
        .measure(details=False)
        .wall_cycles
    )


def test_a_hundred_times_the_paper_line() -> None:
    """With f = 4; with f = 32 the paper code takes a hundred times as long, and ours as long."""
    sizes = EmbeddedSizes(4, 8, 4)
    tuned, paper = (wall_cycles(line, "optimized-vector", sizes) for line in ("tuned", "paper"))
    assert 100 * tuned <= paper
    assert wall_cycles("tuned", "optimized-vector", EmbeddedSizes(4, 8, 32)) <= 1.5 * tuned


def test_within_the_bound_of_the_transfers() -> None:
    """One cycle per word in, two per word out: the first diagonals in, all of them in and out."""
    d, arms, f = 8, 8, 32
    n = d * arms
    select = n * (d + 1) + 2 * arms * f
    bound = select + 3 * n * (n // 2 + 2)
    assert (
        bound <= wall_cycles("tuned", "optimized-vector", EmbeddedSizes(d, arms, f)) <= bound / 0.5
    )


def test_three_harts_twice_as_fast() -> None:
    sizes = EmbeddedSizes(8, 8, 4)
    one, three = (wall_cycles("tuned", "optimized", sizes, harts) for harts in (1, 3))
    assert one > 2 * three


@pytest.mark.parametrize("variant", BOTH)
def test_other_fraction_bits_are_refused(variant: LearnerVariant) -> None:
    with pytest.raises(GnomonError) as caught:
        LearnerBench(LEARNER, variant, MACHINE, EmbeddedSizes(4, 2, 2), fraction_bits=16).measure()
    assert str(caught.value) == (
        f"learner linucb-hybrid, variant {variant.name} computes with 15 fraction bits, not 16"
    )


def test_sizes_that_do_not_fit_a_scratchpad_do_not_compile() -> None:
    with pytest.raises(GnomonError, match="half a model and two vectors must fit a scratchpad"):
        LearnerBench(LEARNER, VECTOR, MACHINE, EmbeddedSizes(8, 20, 2)).measure()


def test_overflows_are_counted() -> None:
    """Within the stated range there are none; contexts and rewards beyond it do not go unseen."""
    sizes = EmbeddedSizes(4, 3, 4)
    counted = []
    for context_scale, reward_scale in ((1, 1), (300, 1), (1, 3000)):
        host = HostLearner(SCALAR, sizes, count_overflows=True)
        rng = np.random.default_rng(0)
        host.alpha, host.features = 1 << 14, to_steps(rng.uniform(-1, 1, (3, 4)), 15)
        contexts = to_steps(rng.uniform(-context_scale, context_scale, (200, 4)), 15)
        host.run(contexts, to_steps(rng.uniform(-reward_scale, reward_scale, (200, 3)), 15))
        counted.append([host.overflow_counts[kind] for kind in ("add", "subtract", "multiply")])
    usual, contexts_too_large, rewards_too_large = counted
    assert usual == [0, 0, 0]
    assert contexts_too_large[2] > 0
    assert min(rewards_too_large) > 0
