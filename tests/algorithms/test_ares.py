"""The embedded ARES-P beside float, by windows and by one factor."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.algorithms import HostLearner, Sizes, find_learner, measure_learner, to_steps
from gnomon.arch import load_architecture
from gnomon.errors import GnomonError
from gnomon.fixedpoint import ares_formats

LEARNER = find_learner("ares")
SIZES = Sizes(3, 3)
NAMES = [variant.name for variant in LEARNER.variants]


def inputs(rounds: int, bits: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    contexts = rng.normal(size=(rounds, 3))
    before = np.vstack((np.zeros((1, 3)), contexts[:-1]))
    rewards = before @ rng.normal(size=(3, 3)) / 2 + 0.1 * rng.normal(size=(rounds, 1))
    return to_steps(contexts, bits), to_steps(rewards, bits)


def test_formats_beside_float() -> None:
    """With 16 bits and more both choose as float does, in all rounds but a few."""
    for each in ares_formats(runs=3, rounds=400, bits=(16, 20), systems=(17,)):
        assert each.equal_following > 0.997, each
        assert each.ratio == pytest.approx(1, abs=0.02)


def test_a_coarse_format_shows() -> None:
    for each in ares_formats(runs=3, rounds=400, bits=(8,), systems=(17,)):
        assert each.fraction_bits == 15 or each.equal_following < 0.995, each


def test_the_vector_unit_chooses_as_float_does() -> None:
    found = ares_formats(runs=3, rounds=400, bits=(), systems=(17, 16))
    for each in found:
        assert each.variant == "standard-vector"
        assert each.equal_following > 0.997
        assert each.ratio == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("name", NAMES)
def test_arms_take_turns_then_the_predicted_one_is_played(name: str) -> None:
    contexts, rewards = inputs(600, 15)
    host = HostLearner(LEARNER.variant(name, "tuned"), SIZES, fraction_bits=15)
    arms = host.run(contexts, rewards)
    assert arms[:60].tolist() == [at % 3 for at in range(60)]
    best = rewards[-200:].argmax(axis=1)
    assert (arms[-200:] == best).mean() > 0.85


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("windows", [1, 2, 10])
def test_other_windows_on_a_machine(name: str, windows: int) -> None:
    """Measuring compares every bit with the host."""
    variant = LEARNER.variant(name, "tuned").with_parameters(LEARNER_WINDOWS=windows)
    run = measure_learner(
        LEARNER,
        variant,
        load_architecture("t13-paper-simd4" if variant.vector else "t13"),
        Sizes(2, 3),
        case="random",
        details=False,
    )
    assert run.update.wall_cycles > 0


def test_large_contexts_are_cut() -> None:
    host = HostLearner(LEARNER.variant("standard", "tuned"), SIZES)
    host.context = np.array([100 << 15, -(100 << 15), 1 << 15], dtype=np.int32)
    host.update(0, 0)
    assert host.model[:4].tolist() == [1 << 15, 8 << 15, -(8 << 15), 1 << 15]


def test_one_factor_takes_less_memory() -> None:
    machine = load_architecture("t13")
    windows, factor = (
        measure_learner(
            LEARNER,
            LEARNER.variant(name, "tuned").with_parameters(LEARNER_WINDOWS=10),
            machine,
            SIZES,
            case="random",
            details=False,
        ).model_bytes
        for name in ("standard", "optimized")
    )
    assert 3 * factor < windows


def test_what_it_cannot_compute_with_is_refused() -> None:
    with pytest.raises(GnomonError, match="FX_FRACTION_BITS must be from 8 to 20"):
        HostLearner(LEARNER.variant("standard", "tuned"), SIZES, fraction_bits=21)
