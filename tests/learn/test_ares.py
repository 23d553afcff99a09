"""ARES: the system, its filter, the models, criteria of the small size."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.ares.models import Bounds, WindowFactor, WindowModels
from gnomon.content.algorithms.ares.policy import Ares, AresP, Pies, play
from gnomon.content.algorithms.ares.system import (
    System,
    Trajectory,
    random_system,
    simulate,
    stationary_covariance,
    steady_filter,
    window_weights,
)
from gnomon.content.reports.ares.policies import Predictor, UpperBound
from gnomon.content.reports.ares.runs import EXTENTS, AresExperiment, run_ares
from gnomon.content.reports.ares.study import ares_criteria
from gnomon.learn import find_learner
from gnomon.report.study import Steps


@pytest.fixture(scope="module")
def small() -> AresExperiment:
    steps = Steps()
    result = run_ares(EXTENTS["small"], steps)
    assert steps.done == steps.total == 21
    return result


@pytest.fixture(scope="module")
def short() -> Trajectory:
    return simulate(random_system(17), runs=4, rounds=120, seed=3)


def test_every_criterion_of_the_small_size_is_met(small: AresExperiment) -> None:
    assert {each.name for each in ares_criteria(small)} == {
        "E1 small", "Recursions", "ARES-chol", *(f"Theorem {n}" for n in (1, 2, 3, 4)),
    }  # fmt: skip
    assert [each for each in ares_criteria(small) if not each.met] == []


def test_the_counter_finding(small: AresExperiment) -> None:
    """A window of 2 with little exploration beats ARES as published."""
    (result,) = small.systems
    assert result.ratio("pies-short-2") < result.ratio("ares")
    assert result.ratio("linucb-2") < result.ratio("ares")


def test_a_system_of_a_seed_is_that_of_the_specification() -> None:
    """Figures that equal seeds must give: section 5.1."""
    system = random_system(17)
    kalman = steady_filter(system)
    stationary = stationary_covariance(system)
    rewards = np.einsum("ad,de,ae->a", system.arms, stationary, system.arms) + system.reward_noise
    assert np.sqrt(rewards).round().tolist() == [157.0, 138.0, 282.0]
    assert system.radius == pytest.approx(0.92, abs=0.005)
    assert np.abs(np.linalg.eigvals(kalman.closed)).max() == pytest.approx(0.40, abs=0.005)


def test_the_covariance_and_the_filter_stand_still() -> None:
    system = random_system(3)
    z, kalman = stationary_covariance(system), steady_filter(system)
    np.testing.assert_allclose(
        z, system.gamma @ z @ system.gamma.T + system.state_noise, rtol=1e-9, atol=1e-9 * z.max()
    )
    p, c, g = kalman.covariance, system.contexts, system.gamma
    new = g @ (p - kalman.gain @ c @ p) @ g.T + system.state_noise
    np.testing.assert_allclose(p, new, rtol=1e-8, atol=1e-8 * np.abs(p).max())


def test_an_unstable_system_is_refused() -> None:
    one = random_system(1)
    wild = System(
        2.0 * one.gamma / one.radius,
        one.contexts,
        one.arms,
        one.state_noise,
        one.context_noise,
        1.0,
    )
    with pytest.raises(GnomonError, match="a spectral radius of 2; it must be below 1"):
        stationary_covariance(wild)
    with pytest.raises(GnomonError) as error:
        random_system(-1)
    assert str(error.value) == "the seed must not be negative, not -1"


def test_weights_of_a_long_window_predict_as_the_filter() -> None:
    """Section 2.1: what a window leaves out fades with rho(A)^s."""
    system = random_system(17)
    trajectory = simulate(system, runs=2, rounds=60, seed=1, normalised=False, windows=(2, 30))
    far, near = (
        float(np.abs(trajectory.windowed[s][30:] - trajectory.predicted[30:]).max())
        for s in (2, 30)
    )
    assert near < 1e-6 * far
    weights = window_weights(system, steady_filter(system), 2)
    assert weights.shape == (3, 7)


def test_features_are_one_and_the_contexts_before(short: Trajectory) -> None:
    row = short.features(2, 3)[1]
    expected = np.concatenate(([1.0], short.contexts[1, 1], short.contexts[0, 1], np.zeros(3)))
    assert np.array_equal(row, expected)
    assert np.array_equal(short.features(5, 2), short.features(5, 10)[:, :7])


def test_prefix_sums_are_the_windows(short: Trajectory) -> None:
    factor = WindowFactor(np.eye(31), np.zeros(31))
    models = [WindowModels(1, 1, s) for s in range(11)]
    zero = np.zeros(1, dtype=int)
    for at in range(10, 60):
        q, reward = short.features(at)[:1], short.expected[at, :1, 0]
        factor.learn(q[0], float(reward[0]))
        for model in models:
            model.learn(q, zero, reward)
    q = short.features(60)[:1]
    means, variances, determinants = factor.predict(q[0])
    for model in models:
        mean, variance = model.predict(q, zero, zero)
        last = model.size - 1
        assert means[last] == pytest.approx(float(mean[0]), abs=1e-11)
        assert variances[last] == pytest.approx(float(variance[0]), abs=1e-11)
        assert determinants[last] == pytest.approx(float(model.log_determinant[0, 0]), abs=1e-10)


def test_every_arm_is_tried_within_the_first_windows(short: Trajectory) -> None:
    """A model without updates costs nothing and has the largest bonus: windows, then arms."""
    policy = Ares(short)
    chosen = []
    for at in range(20):
        arms = policy.choose(at, short.features(at))
        policy.learn(at, short.features(at), arms, np.zeros(4))
        chosen.append(arms)
    assert [set(np.array(chosen)[:15, run].tolist()) for run in range(4)] == [{0, 1, 2}] * 4
    assert (policy.models[10].updates.sum(axis=1) == 10).all()
    assert np.isfinite(policy.bonus).all()


def test_larger_constants_choose_smaller_windows(short: Trajectory) -> None:
    windows = []
    for bound in (0.01, 1.0):
        policy = Ares(short, Bounds(reward=bound, arm=bound, weights=bound))
        play(short, policy)
        windows.append(policy.window.mean())
    assert windows[0] > windows[1]
    assert windows[1] == 0.0


def test_ares_p_takes_turns_first(short: Trajectory) -> None:
    policy = AresP(short)
    for at in range(60):
        assert policy.choose(at, short.features(at)).tolist() == [at % 3] * 4
        policy.learn(at, short.features(at), np.full(4, at % 3), short.expected[at, :, at % 3])
    assert (policy.window <= 3).all(), "a window of s needs 2 (3 s + 1) of 20 updates"


def test_pies_explores_as_long_as_it_says(short: Trajectory) -> None:
    policy = Pies(short, 1, 2)
    first = 1 + 3 * 2 * 4
    assert all(policy.choose(at, short.features(at))[0] == at % 3 for at in range(first))


def test_a_window_of_ucb_forgets(short: Trajectory) -> None:
    policy = UpperBound(short, growing=True, window=5)
    for at in range(30):
        arms = policy.choose(at, short.features(at))
        policy.learn(at, short.features(at), arms, np.ones(4))
        assert (policy.count.sum(axis=1) == min(at + 1, 5)).all()


@pytest.mark.parametrize("variant", ["standard", "averaged"])
def test_the_learner_is_the_policy(variant: str, short: Trajectory) -> None:
    """Behind the contract of all learners: the same arms in the same rounds, saved half-way."""
    one = Trajectory(
        short.contexts[:, :1], short.expected[:, :1], short.noise[:, :1], short.predicted[:, :1], {}
    )
    policy = Ares(one) if variant == "standard" else AresP(one, keep=1.0)
    learner = find_learner("ares", variant)(arms=3, dimensions=3)
    for at in range(one.rounds):
        features = one.features(at)
        (arm,) = policy.choose(at, features)
        assert learner.select(one.contexts[at, 0]) == arm
        reward = one.expected[at, 0, arm] + one.noise[at, 0]
        policy.learn(at, features, np.array([arm]), np.array([reward]))
        learner.update(one.contexts[at, 0], int(arm), float(reward))


def test_one_factor_plays_as_the_windows_do(short: Trajectory) -> None:
    """But for the first rounds, which it learns with zeros for contexts that there are not."""
    windows, factor = (
        find_learner("ares", variant)(arms=3, dimensions=3, windows=2)
        for variant in ("averaged", "optimized")
    )
    same = 0
    for at in range(short.rounds):
        context = short.contexts[at, 1]
        arm = windows.select(context)
        same += factor.select(context) == arm
        reward = float(short.expected[at, 1, arm] + short.noise[at, 1])
        windows.update(context, arm, reward)
        factor.update(context, arm, reward)
    assert same >= 0.95 * short.rounds


def test_the_oracle_is_best(short: Trajectory) -> None:
    oracle = play(short, Predictor(short, short.predicted)).mean()
    assert oracle < play(short, UpperBound(short)).mean()


def test_what_forgets_returns_to_arms() -> None:
    learner = find_learner("d-ucb")(arms=4, dimensions=3)
    for _ in range(60):
        learner.update(np.zeros(3), learner.select(np.zeros(3)), 0.0)
        learner.update(np.zeros(3), 2, 1.0)
    assert (learner.state["total"] / learner.state["count"]).argmax() == 2
