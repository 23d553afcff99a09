"""What every variant of every embedded learner must do, by being in the registry."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.content.algorithms.linucb_paper.counts import (
    DIVIDE_INSTRUCTIONS,
    Counts,
    correction_counts,
)
from gnomon.measure.learners import (
    EmbeddedLearner,
    EmbeddedSizes,
    HostLearner,
    LearnerBench,
    LearnerRun,
    LearnerVariant,
    embedded_learners,
    find_embedded_learner,
)
from gnomon.measure.learners._step import to_steps
from tests.learners.models.paper import DisjointModel, HybridModel, PaperLearner
from tests.learners.models.paper_corrected import CorrectedDisjointModel, CorrectedHybridModel
from tests.learners.variants import ALL, ONE_OF_EACH
from tests.rows import light_and_heavy

pytestmark = pytest.mark.usefixtures("sources_stay")

PUBLISHED = [learner for learner in embedded_learners() if learner.variants[0].line == "paper"]
PAPER = light_and_heavy(
    "studies",
    {
        "linucb-disjoint-paper-standard",
        "linucb-disjoint-paper-optimized",
        "linucb-disjoint-paper-corrected-vector",
        "linucb-hybrid-paper-corrected",
        "linucb-hybrid-paper-optimized-vector",
    },
    [each for each in ALL if each.values[1].line == "paper"],
)
"""Each variant once, both learners, scalar and vector code; the other combinations are heavy."""
SCALAR = [each for each in ALL if not each.values[1].vector]
CORRECTED = [each for each in PAPER if each.values[1].correction_period is not None]
SHARING = [
    each
    for each in light_and_heavy("studies", lambda _, variant: variant.name == "standard", ALL)
    if each.values[1].shares_arms
]


def sizes_of(learner: EmbeddedLearner, d: int = 4, arms: int = 4, f: int = 2) -> EmbeddedSizes:
    """Those of the contract by default, whose builds are in the cache."""
    return EmbeddedSizes(d, arms, f if learner.has_features else None)


@cache
def machine(name: str = "t13", *overrides: str) -> Architecture:
    return load_architecture(name, overrides)


def machine_of(variant: LearnerVariant) -> Architecture:
    return machine("t13-paper-simd4" if variant.vector else "t13")


@cache
def run(
    learner: EmbeddedLearner, variant: LearnerVariant, case: str = "fresh", harts: int = 1
) -> LearnerRun:
    """Measuring compares every bit with the host, and raises if one differs."""
    where = machine_of(variant)
    return LearnerBench(learner, variant, where, sizes_of(learner), harts=harts).measure(case=case)


def counted(run: LearnerRun) -> tuple[Counts, Counts]:
    select, update = (
        Counts(
            stage.counters.get("issue.mulh", 0),
            stage.counters.get("issue.div", 0) // DIVIDE_INSTRUCTIONS,
        )
        for stage in run.stages
    )
    return select, update


@pytest.mark.parametrize("case", ["fresh", "random"])
@pytest.mark.parametrize(("learner", "variant"), PAPER)
def test_operations_as_stated(learner: EmbeddedLearner, variant: LearnerVariant, case: str) -> None:
    assert variant.counts is not None
    stated = variant.counts(sizes_of(learner))
    assert counted(run(learner, variant, case)) == (stated.select, stated.update)


@pytest.mark.heavy("studies")
@pytest.mark.parametrize(("learner", "variant"), PAPER)
def test_operations_of_other_sizes(learner: EmbeddedLearner, variant: LearnerVariant) -> None:
    sizes = sizes_of(learner, d=3, arms=2, f=1)
    assert variant.counts is not None
    stated = variant.counts(sizes)
    result = LearnerBench(learner, variant, machine_of(variant), sizes).measure(details=False)
    assert counted(result) == (stated.select, stated.update)


def test_published_operation_counts() -> None:
    """Products and division instructions counted in the published standard programs, 8 arms."""
    disjoint, hybrid = PUBLISHED
    standard = disjoint.variant("standard").counts
    assert standard is not None
    published = {4: (1208, 1345), 8: (9448, 5249), 16: (75720, 20737), 32: (608136, 82433)}
    for d, (products, divisions) in published.items():
        select = standard(EmbeddedSizes(d, 8)).select
        assert select.products == products
        assert DIVIDE_INSTRUCTIONS * select.divisions + 1 == divisions  # theirs draws a tie
    hybrid_counts = hybrid.variant("standard").counts
    assert hybrid_counts is not None
    stages = hybrid_counts(EmbeddedSizes(4, 8, 4))
    assert stages.select.products + stages.update.products == 22816


def model_of(
    learner: EmbeddedLearner, variant: LearnerVariant, sizes: EmbeddedSizes
) -> PaperLearner:
    alpha = int(to_steps(learner.alpha, 15))
    period = variant.correction_period
    if period is not None:
        corrected = CorrectedHybridModel if learner.has_features else CorrectedDisjointModel
        return corrected(sizes, alpha, period=period, vector=variant.vector)
    kind = HybridModel if learner.has_features else DisjointModel
    optimized = variant.name.startswith("optimized")
    return kind(sizes, alpha, optimized=optimized, vector=variant.vector)


@pytest.mark.parametrize("scale", [1.0, 60.0], ids=["usual", "overflowing"])
@pytest.mark.parametrize(("learner", "variant"), PAPER)
def test_bits_are_those_of_the_integer_model(
    learner: EmbeddedLearner, variant: LearnerVariant, scale: float
) -> None:
    if variant.correction_period is not None:
        variant = variant.corrected_every(5)
    sizes = sizes_of(learner)
    model = model_of(learner, variant, sizes)
    host = HostLearner(variant, sizes, count_overflows=not variant.vector)
    host.alpha = model.alpha
    rng = np.random.default_rng(9)
    features = None
    if learner.has_features:
        features = to_steps(rng.uniform(-scale, scale, (4, 2)), 15)
        host.features = features
    for _ in range(12):
        host.context = context = to_steps(rng.uniform(-scale, scale, 4), 15)
        arm, scores = model.select(context, features)
        assert (host.select(), host.scores.tolist()) == (arm, scores)
        reward = int(to_steps(rng.uniform(0, 1), 15))
        model.update(arm, reward, context, features)
        host.update(arm, reward)
        assert host.model.tolist() == model.words().tolist()
    if variant.vector:
        return
    if scale == 1.0:
        assert host.overflows == 0
    elif learner.has_features:
        assert host.overflows > 0, "nothing overflows: the test shows nothing"


@pytest.mark.parametrize("case", ["fresh", "random"])
@pytest.mark.parametrize(("learner", "variant"), CORRECTED)
def test_cost_of_a_correction(learner: EmbeddedLearner, variant: LearnerVariant, case: str) -> None:
    """It adds the inversion of every matrix to the update, and nothing to the selection."""
    sizes, where = sizes_of(learner), machine_of(variant)
    ordinary = run(learner, variant, case)
    correcting = LearnerBench(learner, variant, where, sizes).measure(case=case, correcting=True)
    assert (ordinary.correcting, correcting.correcting) == (False, True)
    assert correcting.select.hart_cycles == ordinary.select.hart_cycles
    more = Counts(0) if variant.vector else correction_counts(sizes)
    assert counted(correcting)[1] == counted(ordinary)[1] + more
    assert correcting.update.hart_cycles > ordinary.update.hart_cycles
    assert correcting.model_bytes == ordinary.model_bytes
    assert correcting.update.stack_bytes is not None
    matrix = 4 * (sizes.k or sizes.d) ** 2
    assert correcting.update.stack_bytes > 6 * matrix  # the inverse by value, its temporaries


@pytest.mark.parametrize("vector", light_and_heavy("studies", 1, [True, False]))
@pytest.mark.parametrize("learner", PUBLISHED, ids=lambda learner: learner.name)
def test_a_correction_at_each_step_is_the_inverse(
    learner: EmbeddedLearner, *, vector: bool
) -> None:
    """With period 1 what is kept is what the standard variant computes when it is asked.

    To the last bit if A is all there is; A0 takes in the inverse of A before it is corrected.
    """
    suffix = "-vector" if vector else ""
    sizes = sizes_of(learner, d=3, arms=3, f=2)
    corrected = learner.variant(f"corrected{suffix}").corrected_every(1)
    hosts = [HostLearner(each, sizes) for each in (learner.variant(f"standard{suffix}"), corrected)]
    rng = np.random.default_rng(4)
    features = to_steps(rng.uniform(-1, 1, (3, 2)), 15)
    for host in hosts:
        host.alpha = int(to_steps(learner.alpha, 15))
        if learner.has_features:
            host.features = features
    for step in range(40):
        context = to_steps(rng.uniform(-1, 1, 3), 15)
        scores = []
        for host in hosts:
            host.context = context
            host.select()
            scores.append(host.scores.tolist())
            host.update(step % 3, 1 << 14)
        np.testing.assert_allclose(*scores, rtol=0, atol=16 if learner.has_features else 0)


@pytest.mark.parametrize("learner", PUBLISHED, ids=lambda learner: learner.name)
def test_variants_agree_with_enough_bits(learner: EmbeddedLearner) -> None:
    """Standard and optimized are the same mathematics."""
    sizes, bits = sizes_of(learner, d=3, arms=4, f=2), 22
    rng = np.random.default_rng(1)
    contexts = to_steps(rng.uniform(-1, 1, (20, 3)), bits)
    rewards = to_steps(rng.uniform(0, 1, (20, 4)), bits)
    features = to_steps(rng.uniform(-1, 1, (4, 2)), bits)
    scores = []
    for name in ("standard", "optimized"):
        host = HostLearner(learner.variant(name), sizes, fraction_bits=bits)
        host.alpha = int(to_steps(learner.alpha, bits))
        if learner.has_features:
            host.features = features
        host.run(contexts, rewards)
        scores.append(host.scores / 2.0**bits)
    np.testing.assert_allclose(*scores, atol=1e-4)


ENCODING = "encoded_context"  # a function of hyperdimensional learners


@pytest.mark.parametrize(("learner", "variant"), ONE_OF_EACH)
def test_functions_sum_to_the_stage(learner: EmbeddedLearner, variant: LearnerVariant) -> None:
    for stage in run(learner, variant).stages:
        waits = sum(n for cause, n in stage.counters.items() if cause.startswith("wait."))
        # Functions are of a run of the stage alone: a cycle more or less than after the other one.
        # An update alone also encodes the context, if the selection leaves its encoding to it.
        encoding = stage.functions.get(ENCODING, 0) if stage.name == "update" else 0
        assert -2 <= sum(stage.functions.values()) - stage.hart_cycles - waits <= 2 + encoding
        assert min(stage.functions.values()) > 0
        assert sum(stage.counters.values()) >= stage.hart_cycles


@pytest.mark.parametrize(("learner", "variant"), PAPER)
def test_memory(learner: EmbeddedLearner, variant: LearnerVariant) -> None:
    result = run(learner, variant)
    sizes = sizes_of(learner)
    d, k = sizes.d, sizes.k
    words = sizes.arms * (d * d + d + d * k) + k * k + k
    if variant.correction_period is not None:
        words += sizes.arms * d * d + k * k + 1
    assert result.model_bytes == 4 * words
    assert result.model_bytes < result.static_bytes < result.model_bytes + 4 * (k * k + k) + 600
    depths = [stage.stack_bytes for stage in result.stages]
    assert result.stack_bytes == (max(depth for depth in depths if depth is not None),)
    if not learner.has_features:
        matrix = 4 * d * d
        select, update = (depth or 0 for depth in depths)
        if variant.name.startswith("standard"):
            assert select > 7 * matrix  # operand, five temporaries and the result of the inverse
        assert update > 3 * matrix


@pytest.mark.parametrize("case", ["fresh", "random"])
@pytest.mark.parametrize(("learner", "variant"), SHARING)
def test_three_harts(learner: EmbeddedLearner, variant: LearnerVariant, case: str) -> None:
    one, three = run(learner, variant, case), run(learner, variant, case, 3)
    assert three.arm == one.arm
    assert three.select.wall_cycles < one.select.wall_cycles
    if variant.line == "paper":
        assert three.update.hart_cycles == one.update.hart_cycles
    assert len(three.stack_bytes) == 3
    assert all(depth > 0 for depth in three.stack_bytes)


def test_other_machine() -> None:
    check_on_rv32im(*SCALAR[0].values)


@pytest.mark.heavy("studies")
@pytest.mark.parametrize(("learner", "variant"), SCALAR[1:])
def test_each_on_another_machine(learner: EmbeddedLearner, variant: LearnerVariant) -> None:
    check_on_rv32im(learner, variant)


def check_on_rv32im(learner: EmbeddedLearner, variant: LearnerVariant) -> None:
    result = LearnerBench(
        learner, variant, machine("rv32im"), sizes_of(learner, d=2, arms=3, f=2)
    ).measure(details=False)
    assert result.hart_cycles == result.wall_cycles


def test_random_steps_follow_the_seed() -> None:
    learner = find_embedded_learner("linucb-disjoint")
    variant = learner.variant("optimized")
    first, again, other = (
        LearnerBench(learner, variant, machine("t13"), EmbeddedSizes(4, 3)).step(
            case="random", seed=seed
        )
        for seed in (1, 1, 2)
    )
    assert first.model is not None
    assert other.model is not None
    assert first.model_after.tolist() == again.model_after.tolist()
    assert first.model_after.tolist() != other.model_after.tolist()


def test_two_hosts_do_not_share_their_state() -> None:
    variant = find_embedded_learner("linucb-disjoint").variant("standard")
    first, second = (HostLearner(variant, EmbeddedSizes(2, 2)) for _ in range(2))
    first.context = np.array([1 << 15, 0], dtype=np.int32)
    first.update(0, 1 << 15)
    assert first.model.tolist() != second.model.tolist()
    first.reset()
    assert first.model.tolist() == second.model.tolist()
