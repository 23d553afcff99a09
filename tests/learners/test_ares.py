"""The embedded ARES-P beside float, by windows and by one factor."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.content.reports.embedded_learners.formats import ares_formats
from gnomon.measure.learners import EmbeddedSizes, HostLearner, LearnerBench, find_embedded_learner
from gnomon.measure.learners._step import to_steps
from tests.rows import light_and_heavy

pytestmark = pytest.mark.usefixtures("sources_stay")

LEARNER = find_embedded_learner("ares")
SIZES = EmbeddedSizes(3, 3)
NAMES = [variant.name for variant in LEARNER.variants]
MACHINES = (
    "standard on t13", "optimized on t13", "standard-vector on t13-simd1",
    "standard-vector on t13-simd8", "standard-vector on t13-paper-simd4",
)  # fmt: skip
WHERE = list(dict.fromkeys([
    "standard on t13, 2 windows", "optimized on t13, 1 windows",
    "standard-vector on t13-simd8, 2 windows",
    *(f"{name}, {windows} windows" for windows in (1, 2, 10) for name in MACHINES),
]))  # fmt: skip


def inputs(rounds: int, bits: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    contexts = rng.normal(size=(rounds, 3))
    before = np.vstack((np.zeros((1, 3)), contexts[:-1]))
    rewards = before @ rng.normal(size=(3, 3)) / 2 + 0.1 * rng.normal(size=(rounds, 1))
    return to_steps(contexts, bits), to_steps(rewards, bits)


@pytest.mark.parametrize(
    ("bits", "system"), light_and_heavy("studies", 1, [((8, 16), 17), ((20,), 17), ((), 16)])
)
def test_formats_beside_float(bits: tuple[int, ...], system: int) -> None:
    """All but a coarse one choose as float does, in all rounds but a few; so does vector code."""
    found = list(ares_formats(runs=3, rounds=400, bits=bits, systems=(system,)))
    assert {each["fraction_bits"] for each in found} == {*bits, 15}
    assert {each["variant"] for each in found if each["fraction_bits"] == 15} == {"standard-vector"}
    for each in found:
        if each["fraction_bits"] == 8:
            assert each["equal_following"] < 0.995, each
        else:
            assert each["equal_following"] > 0.997, each
            assert each["regret_ratio"] == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("name", NAMES)
def test_arms_take_turns_then_the_predicted_one_is_played(name: str) -> None:
    contexts, rewards = inputs(600, 15)
    host = HostLearner(LEARNER.variant(name, "tuned"), SIZES, fraction_bits=15)
    arms = host.run(contexts, rewards)
    assert arms[:60].tolist() == [at % 3 for at in range(60)]
    best = rewards[-200:].argmax(axis=1)
    assert (arms[-200:] == best).mean() > 0.85


@pytest.mark.parametrize("where", light_and_heavy("studies", 3, WHERE))
def test_other_windows_on_a_machine(where: str) -> None:
    """Measuring compares every bit with the host."""
    name, _, machine, number, _ = where.replace(",", "").split()
    windows = int(number)
    variant = LEARNER.variant(name, "tuned").with_parameters(LEARNER_WINDOWS=windows)
    run = LearnerBench(LEARNER, variant, load_architecture(machine), EmbeddedSizes(2, 3)).measure(
        case="random", details=False
    )
    assert run.update.wall_cycles > 0


def vector_host(machine: str, windows: int) -> HostLearner:
    variant = LEARNER.variant("standard-vector", "tuned").with_parameters(LEARNER_WINDOWS=windows)
    return HostLearner(variant, SIZES, architecture=load_architecture(machine))


@pytest.mark.parametrize("scale", light_and_heavy("studies", 2, [0.01, 8, 1]))
def test_all_machines_compute_the_same(scale: float) -> None:
    """With post-scaled products and without, also where errors exceed 2 and contexts are cut."""
    contexts, rewards = inputs(300, 15)
    contexts, rewards = (np.rint(scale * each).astype(np.int32) for each in (contexts, rewards))
    models = []
    for machine in ("t13-simd1", "t13-simd8", "t13-paper-simd4"):
        host = vector_host(machine, 10)
        host.run(contexts, rewards)
        models.append(host.model)
    assert models[0].tolist() == models[1].tolist() == models[2].tolist()


@pytest.mark.parametrize("d", light_and_heavy("studies", 1, [8, 11]))
def test_an_inverse_that_fits_no_scratchpad(d: int) -> None:
    """Of 33 or 45 rows: in parts, and the same bits as where it fits."""
    variant, sizes = LEARNER.variant("standard-vector", "tuned"), EmbeddedSizes(d, 2)
    for name in ("t13-simd2", "t13-paper-simd4"):
        machine = load_architecture(name)
        assert (4 * (4 * d + 1) ** 2 > machine.vcu.scratchpads.size) == (name == "t13-simd2")
        run = LearnerBench(LEARNER, variant, machine, sizes).measure(
            case="random", details=False, warm_steps=60
        )
        assert run.update.wall_cycles > 0
    rng = np.random.default_rng(4)
    contexts = to_steps(rng.normal(size=(200, d)), 15)
    rewards = to_steps(rng.normal(size=(200, 2)), 15)
    models = []
    for name in ("t13-simd2", "t13-paper-simd4"):
        host = HostLearner(variant, sizes, architecture=load_architecture(name))
        host.run(contexts, rewards)
        models.append(host.model.tolist())
    assert models[0] == models[1]


@pytest.mark.parametrize("scale", [0.05, 1])
def test_the_inverse_stays_that_of_the_sum(scale: float) -> None:
    """V^-1 of the largest window after 600 rounds of one arm: symmetric, and that of its contexts.

    Off by less than 1e-3 of its own size in any direction.
    """
    windows, rounds = 4, 600
    contexts = np.rint(scale * inputs(rounds, 15)[0]).astype(np.int32)
    host = vector_host("t13-simd4", windows)
    size = 3 * windows + 1
    coarse = np.zeros(size)
    coarse[0] = 1
    moments = np.eye(size)
    for at, context in enumerate(contexts):
        if at >= windows:
            moments += np.outer(coarse, coarse)
        host.context = context
        host.update(0, 1 << 14)
        coarse[4:] = coarse[1:-3]
        coarse[1:4] = (context >> 2) / 2.0**13
    words = sum((3 * s + 1) ** 2 for s in range(windows + 1))
    weights = sum(3 * s + 1 for s in range(windows + 1))
    arms = SIZES.arms
    start = host.model.size - arms * (words + weights) + words - size**2
    found = host.model[start : start + size**2].reshape(size, size)
    assert (found == found.T).all()
    root = np.linalg.cholesky(moments)
    off = root.T @ (found / 2.0**27) @ root - np.eye(size)
    assert np.abs(np.linalg.eigvalsh(off)).max() < 1e-3


def test_large_contexts_are_cut() -> None:
    host = HostLearner(LEARNER.variant("standard", "tuned"), SIZES)
    host.context = np.array([100 << 15, -(100 << 15), 1 << 15], dtype=np.int32)
    host.update(0, 0)
    assert host.model[:4].tolist() == [1 << 15, 8 << 15, -(8 << 15), 1 << 15]


def test_one_factor_takes_less_memory() -> None:
    machine = load_architecture("t13")
    windows, factor = (
        LearnerBench(
            LEARNER,
            LEARNER.variant(name, "tuned").with_parameters(LEARNER_WINDOWS=10),
            machine,
            SIZES,
        )
        .measure(case="random", details=False)
        .model_bytes
        for name in ("standard", "optimized")
    )
    assert 3 * factor < windows


def test_what_it_cannot_compute_with_is_refused() -> None:
    with pytest.raises(GnomonError, match="FX_FRACTION_BITS must be from 8 to 20"):
        HostLearner(LEARNER.variant("standard", "tuned"), SIZES, fraction_bits=21)
    with pytest.raises(GnomonError, match="elements of V\\^-1 q must stay below 32"):
        HostLearner(LEARNER.variant("standard-vector", "tuned"), EmbeddedSizes(13, 3))
