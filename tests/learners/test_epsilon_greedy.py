"""The embedded epsilon-greedy: who explores, what is learned, and how far float is away."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.bento_epsilon_greedy.learner import LazyEpsilonGreedy
from gnomon.content.reports.bento_epsilon_greedy import formats
from gnomon.content.reports.bento_epsilon_greedy.bandits import bernoulli_bandit, unit_bandit
from gnomon.content.reports.bento_epsilon_greedy.formats import compare_format, explored_steps
from gnomon.content.reports.ek_ucb import formats as kernel_formats
from gnomon.measure.learners import (
    EmbeddedSizes,
    HostLearner,
    LearnerVariant,
    find_embedded_learner,
)
from gnomon.measure.learners._step import to_steps

pytestmark = pytest.mark.usefixtures("sources_stay")

LEARNER = find_embedded_learner("bento-epsilon-greedy")
SIZES = EmbeddedSizes(3, 4)
HEAD = 3  # words of the model before the weights: step, random, exploring


def variant(name: str, p: int = 40) -> LearnerVariant:
    return LEARNER.variant(name, "tuned").with_parameters(LEARNER_P=p)


def inputs(count: int, bits: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(count, SIZES.d))
    contexts /= np.linalg.norm(contexts, axis=1, keepdims=True)
    rewards = contexts @ rng.normal(size=(SIZES.d, SIZES.arms)) / 2
    return to_steps(contexts, bits), to_steps(rewards, bits)


def weights(host: HostLearner) -> np.ndarray:
    words = host.model[HEAD : HEAD + SIZES.arms * SIZES.d]
    return words.reshape(SIZES.arms, SIZES.d) / 2.0**host.fraction_bits


def test_lazy_solves_choose_as_the_literal_ones_do() -> None:
    contexts, rewards = inputs(2000, 15)
    literal, lazy = (HostLearner(variant(name), SIZES) for name in ("standard", "optimized"))
    assert np.array_equal(literal.run(contexts, rewards), lazy.run(contexts, rewards))
    assert np.array_equal(weights(literal), weights(lazy))


@pytest.mark.parametrize("name", ["optimized", "optimized-vector"])
def test_it_explores_when_the_model_says(name: str) -> None:
    contexts, rewards = inputs(3000, 15)
    host = HostLearner(variant(name), SIZES)
    arms = host.run(contexts, rewards)
    steps, chosen = explored_steps(3000, SIZES.arms, 40)
    assert np.array_equal(arms[steps], chosen)
    model = host.model
    assert model[0] == 3000
    # 40 (1 + ln(3000 / 40)) is 213, give or take 5 standard deviations.
    assert abs(len(steps) - 213) < 5 * np.sqrt(173)
    assert abs(np.bincount(chosen, minlength=4) / len(steps) - 0.25).max() < 0.1


@pytest.mark.parametrize("bits", [10, 15, 20, 24])
def test_weights_are_those_of_float(bits: int) -> None:
    """Also where sums are halved to stay in range: at 24 bits a word ends at 128."""
    contexts, rewards = inputs(3000, bits)
    host = HostLearner(variant("optimized", p=1000), SIZES, fraction_bits=bits)
    arms = host.run(contexts, rewards)
    learner = LazyEpsilonGreedy(arms=SIZES.arms, dimensions=SIZES.d)
    steps, _ = explored_steps(3000, SIZES.arms, 1000)
    assert len(steps) > 1900
    for step in steps:
        arm = int(arms[step])
        learner.update(contexts[step] / 2.0**bits, arm, float(rewards[step, arm]) / 2.0**bits)
    host.context = contexts[0]
    host.select()  # solves
    assert np.abs(weights(host) - learner._theta()).max() < 2.0 ** -min(bits - 4, 15)


def test_an_exploited_step_changes_nothing_but_the_step_and_the_generator() -> None:
    contexts, rewards = inputs(3000, 15)
    steps, _ = explored_steps(3000, SIZES.arms, 40)
    quiet = next(t for t in range(2000, 3000) if not {t, t - 1} & set(steps.tolist()))
    host = HostLearner(variant("optimized"), SIZES)
    host.run(contexts[:quiet], rewards[:quiet])
    before = host.model
    host.run(contexts[quiet : quiet + 1], rewards[quiet : quiet + 1])
    assert np.flatnonzero(host.model != before).tolist() == [0, 1]


@pytest.mark.parametrize(("bits", "most"), [(16, 0.0005), (12, 0.003)])
@pytest.mark.parametrize("d", [3, 8])
def test_unequal_arms_stay_within_the_limit(d: int, bits: int, most: float) -> None:
    """Criterion A11 over whole runs, on a part of the bandits of the recorded table."""
    bandits = [
        unit_bandit(seed=seed)
        if d == 3
        else bernoulli_bandit(dimensions=8, arms=6, seed=seed, noise="normal")
        for seed in range(7000, 7006)
    ]
    runs = [bandit.draw(5000, seed=seed) for seed, bandit in enumerate(bandits)]
    found = compare_format(variant("optimized"), runs, p=300, fraction_bits=bits)
    assert found["unequal_share"] <= most
    assert found["ratio"] == pytest.approx(1, abs=0.02)


def test_a_coarse_format_shows() -> None:
    runs = [unit_bandit(seed=7000).draw(5000, seed=0)]
    assert (
        compare_format(variant("optimized"), runs, p=300, fraction_bits=4)["unequal_share"] > 0.01
    )


def test_what_it_cannot_compute_with_is_refused() -> None:
    with pytest.raises(GnomonError, match="FX_FRACTION_BITS must be at most 21"):
        HostLearner(variant("optimized-vector"), SIZES, fraction_bits=22)
    with pytest.raises(GnomonError, match="each arm must be explored once"):
        HostLearner(variant("optimized", p=3), SIZES)


@pytest.mark.heavy("studies")
@pytest.mark.parametrize("study", [formats, kernel_formats])
def test_the_table_of_machines(study: Any) -> None:
    """Every run in it is compared bit by bit; the vector unit makes the usual selection faster."""
    rows = study.run_machines(full=False).to_dict("records")
    last = rows[-1]["step"]
    cycles = {
        row["variant"]: int(row["select_cycles"])
        for row in rows
        if (row["machine"], row["step"]) == ("t13-simd4", last)
    }
    assert cycles["optimized-vector"] < cycles["optimized"]
    assert all(float(row["select_uj"]) > 0 for row in rows)
