"""Probabilities of arms in fixed point: those of the algorithm, and those with which it draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.square_cb.learner import SquareCB
from gnomon.measure.learners import EmbeddedSizes, HostLearner, LearnerBench, find_embedded_learner
from gnomon.measure.learners._checks import _play
from gnomon.measure.learners._step import to_steps
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gnomon.measure.learners import LearnerVariant

pytestmark = pytest.mark.usefixtures("sources_stay")

D, ARMS, P, SHARE = 3, 4, 40, 0.25
EPSILON_GREEDY, SOFTUCB = (
    find_embedded_learner("bento-epsilon-greedy"),
    find_embedded_learner("softucb"),
)
LINUCB = find_embedded_learner("linucb-disjoint")
HAND_WRITTEN = [each for each in LINUCB.variants if each.once is None]
QUARTER = {"LEARNER_PERTURB": int(SHARE * 2**31)}


def rounds(steps: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    contexts = rng.uniform(-1, 1, (steps, D))
    rewards = contexts @ rng.uniform(-1, 1, (D, ARMS)) / 2
    return to_steps(contexts, 15), to_steps(rewards, 15)


def host_of(variant: LearnerVariant, **parameters: int) -> HostLearner:
    host = HostLearner(variant.with_parameters(**parameters), EmbeddedSizes(D, ARMS))
    host.alpha = int(to_steps(0.5, 15))
    return host


def near(found: float, chances: np.ndarray) -> bool:
    """Whether so many of draws with these chances happen, within four standard deviations."""
    return bool(abs(found - chances.sum()) <= 4 * np.sqrt((chances * (1 - chances)).sum()))


def last_first(variants: Iterable[LearnerVariant]) -> list[Any]:
    """Return rows of variants: the last, vector code, and the others in a heavy group."""
    return light_and_heavy("studies", 1, reversed(list(variants)))


@pytest.mark.parametrize("variant", last_first(EPSILON_GREEDY.variants), ids=lambda each: each.name)
def test_epsilon_greedy(variant: LearnerVariant) -> None:
    contexts, rewards = rounds(1_500)
    plain = host_of(variant, LEARNER_P=P)
    host = host_of(variant, LEARNER_P=P, LEARNER_PROPENSITY=1)
    best = 0
    for step, (context, row) in enumerate(zip(contexts, rewards, strict=True), start=1):
        plain.context = host.context = context
        arm = host.select()
        assert plain.select() == arm  # asking for it changes no choice
        odds = P / step
        greedy = arm == int(host.scores.argmax())
        expected = 1.0 if step <= P else odds / ARMS + greedy * (1.0 - odds)
        assert host.propensity == pytest.approx(expected, abs=2**-28)
        best += greedy and step > P
        for each in (plain, host):
            each.update(arm, int(row[arm]))
    odds = P / np.arange(P + 1, len(contexts) + 1)
    assert near(best, 1.0 - odds * (ARMS - 1) / ARMS)


@pytest.mark.parametrize("variant", last_first(SOFTUCB.variants), ids=lambda each: each.name)
def test_softucb_draws_as_often_as_it_says(variant: LearnerVariant) -> None:
    host = host_of(variant, LEARNER_PROPENSITY=1)
    rng = np.random.default_rng(1)
    host.features = to_steps(rng.uniform(-0.5, 0.5, (ARMS, D)), 15)
    for _ in range(40):
        arm = host.select()
        host.update(arm, int(to_steps(0.1 * arm + 0.05 * rng.standard_normal(), 15)))
    drawn: dict[int, list[float]] = {arm: [] for arm in range(ARMS)}
    for _ in range(4_000):  # without a reward nothing moves but the random numbers
        drawn[host.select()].append(host.propensity)
    assert sum(each[0] for each in drawn.values() if each) == pytest.approx(1.0, abs=0.01)
    for each in filter(None, drawn.values()):
        assert len(set(each)) == 1
        assert near(len(each), np.full(4_000, each[0]))


def test_square_cb_draws_as_often_as_it_says_and_as_the_floats_do() -> None:
    variant = find_embedded_learner("square-cb").variant("optimized", "tuned")
    host = host_of(variant, LEARNER_PROPENSITY=1, LEARNER_GAMMA=10)
    model = SquareCB(arms=ARMS, dimensions=D, gamma=10.0)
    contexts, rewards = rounds(60)
    for step, (context, row) in enumerate(zip(contexts, rewards, strict=True)):
        host.context = context
        host.select()
        host.update(step % ARMS, int(row[step % ARMS]))
        model.update(context / 2.0**15, step % ARMS, row[step % ARMS] / 2.0**15)
    chances = model.probabilities(contexts[0] / 2.0**15)
    assert chances.min() < 0.8 / ARMS < 1.2 / ARMS < chances.max()
    host.context = contexts[0]
    drawn: dict[int, list[float]] = {arm: [] for arm in range(ARMS)}
    for _ in range(4_000):
        drawn[host.select()].append(host.propensity)
    for arm, each in drawn.items():
        assert each[0] == pytest.approx(chances[arm], abs=2e-3)
        assert near(len(each), np.full(4_000, each[0]))
    assert sum(each[0] for each in drawn.values()) == 1.0


@pytest.mark.parametrize("variant", last_first(HAND_WRITTEN[-3:]), ids=lambda each: each.name)
def test_a_perturbed_learner_on_a_log(variant: LearnerVariant) -> None:
    """It plays what the plain one would, but for a quarter of the steps, where it plays any arm."""
    contexts, rewards = rounds(1_200)
    plain, host = host_of(variant), host_of(variant, **QUARTER)
    same = 0
    for context, row in zip(contexts, rewards, strict=True):
        plain.context = host.context = context
        arm, unperturbed = host.select(), plain.select()
        same += arm == unperturbed
        kept = 1.0 - SHARE if arm == unperturbed else 0.0
        assert host.propensity == kept + SHARE / ARMS
        for each in (plain, host):
            each.update(arm, int(row[arm]))
    assert near(same, np.full(len(contexts), 1.0 - SHARE + SHARE / ARMS))


def test_on_a_machine_they_are_those_of_this_computer() -> None:
    """Playing compares arms, model, and the last probability."""
    for learner, parameters in (
        (LINUCB, QUARTER),
        (SOFTUCB, {"LEARNER_PROPENSITY": 1}),
        (EPSILON_GREEDY, {"LEARNER_PROPENSITY": 1, "LEARNER_P": ARMS}),
    ):
        variant = learner.variant("optimized", "tuned").with_parameters(**parameters)
        bench = LearnerBench(
            learner, variant, load_architecture("t13-paper-simd1"), EmbeddedSizes(D, ARMS)
        )
        assert bench.host().gives_propensity
        bench.play(_play(bench))


def test_what_is_not_given_is_refused() -> None:
    with pytest.raises(GnomonError, match="build with LEARNER_PROPENSITY=1"):
        _ = host_of(LINUCB.variant("optimized", "tuned")).propensity
    for learner in (EPSILON_GREEDY, SOFTUCB):
        with pytest.raises(GnomonError, match="this learner draws its arms itself"):
            host_of(learner.variants[0], **QUARTER)
