"""The tuned code: same decisions as the float learner, same bits as the machine, fewer cycles."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.linucb_disjoint.learner import DisjointLinUCB
from gnomon.measure.learners import (
    EmbeddedSizes,
    HostLearner,
    LearnerBench,
    LearnerVariant,
    find_embedded_learner,
)
from gnomon.measure.learners._step import to_steps
from tests.learners.models.tuned_disjoint import TunedDisjointScalar, TunedDisjointVector
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from gnomon.measure.memory_words import Words

pytestmark = pytest.mark.usefixtures("sources_stay")

MACHINE = load_architecture("t13-paper-simd4")
LEARNER = find_embedded_learner("linucb-disjoint")
SCALAR = LEARNER.variant("optimized", "tuned")
VECTOR = LEARNER.variant("optimized-vector", "tuned")
BOTH = [pytest.param(each, id=each.name) for each in (SCALAR, VECTOR)]
ARMS, STEPS = 8, 300


def against_float(variant: LearnerVariant, d: int, scale: float) -> tuple[list[float], float]:
    """Margins of the float scores where the arms differ, and the largest error of a score."""
    rng = np.random.default_rng(5)
    truth = rng.normal(size=(ARMS, d)) / np.sqrt(d)
    host = HostLearner(variant, EmbeddedSizes(d, ARMS))
    host.alpha = int(to_steps(0.5, 15))
    reference = DisjointLinUCB(arms=ARMS, dimensions=d, alpha=0.5)
    margins, error = [], 0.0
    for _ in range(STEPS):
        host.context = words = to_steps(rng.uniform(-scale, scale, d), 15)
        context = words / 2.0**15
        chosen, scores = reference.select(context), reference.scores(context)
        arm = host.select()
        error = max(error, float(np.abs(host.scores / 2.0**15 - scores).max()))
        if arm != chosen:
            margins.append(float(scores[chosen] - scores[arm]))
        reward = int(to_steps(truth[chosen] @ context / scale, 15))
        reference.update(context, chosen, reward / 2.0**15)
        host.update(chosen, reward)
    return margins, error


@pytest.mark.parametrize("d", light_and_heavy("studies", 2, [8, 32, 2, 3]))
@pytest.mark.parametrize("variant", BOTH)
def test_decisions_are_those_of_the_float_learner(variant: LearnerVariant, d: int) -> None:
    margins, error = against_float(variant, d, 1.0)
    assert error < (0.002 if variant.vector else 0.0002)
    assert all(margin < 2 * error for margin in margins)
    assert len(margins) <= 1


@pytest.mark.parametrize("scale", [0.05, 10.0])
@pytest.mark.parametrize("variant", BOTH)
def test_small_and_large_contexts(variant: LearnerVariant, scale: float) -> None:
    """The scales of context and inverse keep the digits."""
    margins, error = against_float(variant, 8, scale)
    assert error < (0.0002 if scale < 1 else 0.01)
    assert len(margins) <= STEPS // 200


def scales(words: Words, arms: int) -> list[int]:
    """The last word of each arm: 4^scale A^-1 is kept."""
    return [int(scale) for scale in words.reshape(arms, -1)[:, -1]]


@pytest.mark.parametrize(
    ("d", "size"),
    light_and_heavy(
        "studies",
        [(2, 20.0), (7, 0.001), (7, 1.0), (7, 4000.0)],
        product((2, 7, 3, 4), (0.001, 1.0, 20.0, 4000.0)),
    ),
)
@pytest.mark.parametrize("variant", BOTH)
def test_bits_are_those_of_the_integer_model(variant: LearnerVariant, d: int, size: float) -> None:
    """Usual contexts, tiny ones, and ones so large that numbers wrap; scales grow on the way."""
    sizes = EmbeddedSizes(d, 2)
    model = (TunedDisjointVector if variant.vector else TunedDisjointScalar)(sizes, 1 << 14)
    host = HostLearner(variant, sizes)
    host.alpha = model.alpha
    rng = np.random.default_rng(d)
    for _ in range(250):
        host.context = context = to_steps(rng.uniform(-size, size, d), 15)
        reward = int(to_steps(rng.uniform(-3, 3), 15))
        arm, scores = model.select(context)
        assert host.select() == arm
        assert host.scores.tolist() == scores
        host.update(arm, reward)
        model.update(arm, reward, context)
        assert np.array_equal(host.model, model.words())
    assert (max(model.scale) > 0) == (size >= 1)


@pytest.mark.parametrize("variant", BOTH)
def test_the_scale_grows_as_the_inverse_shrinks(variant: LearnerVariant) -> None:
    """The kept matrix stays below 1 and above 1/4 in trace, and is the inverse to 1e-4."""
    d, arms = 4, 2
    rng = np.random.default_rng(8)
    host = HostLearner(variant, EmbeddedSizes(d, arms))
    host.alpha = int(to_steps(0.5, 15))
    contexts = to_steps(rng.uniform(-1, 1, (20_000, d)), 15)
    rewards = to_steps(rng.uniform(-1, 1, (20_000, arms)), 15)
    played = np.arange(20_000) % 4 // 3  # three times of four the first
    host.follow(contexts, rewards, played)
    for arm, scale in enumerate(scales(host.model, arms)):
        x = contexts[played == arm] / 2.0**15
        exact = np.linalg.inv(np.eye(d) + x.T @ x)
        kept = host.model.reshape(arms, -1)[arm, : d * (d + 1) // 2] / (2.0**30 * 4.0**scale)
        found = kept[:d] if variant.vector else kept[[0, 2, 5, 9]]  # the diagonal
        assert np.allclose(found, np.diagonal(exact), rtol=1e-3)
        assert 0.25 <= found.sum() * 4.0**scale < 1
        assert scale == 5 - arm


@pytest.mark.parametrize("variant", BOTH)
def test_the_step_that_changes_the_scale_has_the_bits_of_the_host(variant: LearnerVariant) -> None:
    sizes = EmbeddedSizes(3, 3)
    for seed in range(200):
        step = LearnerBench(LEARNER, variant, MACHINE, sizes).step(case="random", seed=seed)
        assert step.model is not None
        if scales(step.model, 3) != scales(step.model_after, 3):
            LearnerBench(LEARNER, variant, MACHINE, sizes).measure(
                case="random", seed=seed, details=False
            )
            return
    pytest.fail("no seed changes a scale in its last step")


@pytest.mark.parametrize("variant", BOTH)
def test_a_matrix_that_is_nothing_sensible_keeps_its_scale(variant: LearnerVariant) -> None:
    """Outside the range, numbers wrap: nothing divides by zero or shifts by too much."""
    host = HostLearner(variant, EmbeddedSizes(3, 2))
    rng = np.random.default_rng(3)
    for _ in range(200):
        host.model = rng.integers(-(2**31), 2**31, host.model.size).astype(np.int32)
        words = host.model.reshape(2, -1)
        words[:, -1] = rng.integers(0, 16, 2)
        host.model = words.reshape(-1)
        host.context = rng.integers(-(2**23), 2**23, 3).astype(np.int32)
        arm = host.select()
        host.update(arm, int(rng.integers(-(2**31), 2**31)))
        assert all(0 <= scale <= 15 for scale in scales(host.model, 2))


@pytest.mark.parametrize(
    ("machine", "d"),
    light_and_heavy(
        "studies", [("t13-paper-simd8", 3)],
        product(("t13-paper-simd1", "t13-paper-simd8"), (3, 2, 5)),
    ),
)  # fmt: skip
def test_other_widths(machine: str, d: int) -> None:
    """Measuring compares every bit with the host."""
    LearnerBench(LEARNER, VECTOR, load_architecture(machine), EmbeddedSizes(d, 2)).measure(
        case="random", details=False
    )


def wall_cycles(line: str, name: str, d: int, harts: int = 1) -> int:
    variant = LEARNER.variant(name, line)
    run = LearnerBench(LEARNER, variant, MACHINE, EmbeddedSizes(d, ARMS), harts=harts).measure(
        details=False
    )
    return run.wall_cycles


def test_ten_times_the_paper_line() -> None:
    tuned, paper = (wall_cycles(line, "optimized-vector", 32) for line in ("tuned", "paper"))
    assert 10 * tuned <= paper


def test_within_the_bound_of_the_transfers() -> None:
    """One cycle per word in, two per word out; each arm is read once, the chosen one again."""
    d = 32
    words = d * (d // 2 + 1) + d
    bound = ARMS * words + 3 * words
    assert bound <= wall_cycles("tuned", "optimized-vector", d) <= bound / 0.68


@pytest.mark.parametrize(("d", "arms"), light_and_heavy("studies", 1, [(32, 8), (17, 4)]))
def test_three_harts_twice_as_fast(d: int, arms: int) -> None:
    one, three = (
        LearnerBench(LEARNER, SCALAR, MACHINE, EmbeddedSizes(d, arms), harts=harts).measure(
            details=False
        )
        for harts in (1, 3)
    )
    assert one.select.wall_cycles > three.select.wall_cycles * (2 if d == 32 else 1.5)
    assert one.wall_cycles > three.wall_cycles * (1.9 if d == 32 else 1.5)


@pytest.mark.parametrize("variant", BOTH)
def test_other_fraction_bits_are_refused(variant: LearnerVariant) -> None:
    with pytest.raises(GnomonError) as caught:
        LearnerBench(LEARNER, variant, MACHINE, EmbeddedSizes(4, 2), fraction_bits=16).measure()
    assert str(caught.value) == (
        f"learner linucb-disjoint, variant {variant.name} computes with 15 fraction bits, not 16"
    )


@pytest.mark.parametrize("d", [1, 88])
def test_sizes_that_do_not_fit_a_scratchpad_do_not_compile(d: int) -> None:
    with pytest.raises(GnomonError, match="LEARNER_D: "):
        LearnerBench(LEARNER, VECTOR, MACHINE, EmbeddedSizes(d, 2)).measure()


def test_largest_size_of_a_scratchpad() -> None:
    LearnerBench(LEARNER, VECTOR, MACHINE, EmbeddedSizes(87, 2)).measure(
        case="random", details=False
    )
