"""Hyperdimensional learners: laws of the encoder, and that they learn, with an interval."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.hdcb_eps.learner import BinaryHDCB, GreedyHDCB
from gnomon.content.algorithms.hdcb_prob.learner import ProbabilisticHDCB
from gnomon.content.algorithms.hdcb_unc.learner import UncertainHDCB
from gnomon.content.reports.ek_ucb.environment import actions, pair_rounds
from gnomon.learn import Learner, Rounds, find_learner
from tests.rows import light_and_heavy

KINDS = [
    ("hdcb-eps", "standard"), ("hdcb-eps", "binary"), ("hdcb-prob", "standard"),
    ("hdcb-unc", "unc1"), ("hdcb-unc", "unc2"), ("hdcb-unc", "unc3"),
]  # fmt: skip


def encoder(**settings: Any) -> GreedyHDCB:
    return GreedyHDCB(**{"arms": 2, "dimensions": 1, "components": 2000, **settings})


def ladder(of: GreedyHDCB) -> list[np.ndarray]:
    """Return the hypervectors of all levels of one feature, the others constant."""
    width = (of.high - of.low) / of.levels
    rest = np.zeros(of.sizes.dimensions - 1)
    return [of.encode(np.append(of.low + (q + 0.5) * width, rest)) for q in range(of.levels)]


@pytest.mark.parametrize(("span", "dot"), [(0.5, 0), (1.0, -2000)])
def test_extreme_levels_are_orthogonal_or_opposed(span: float, dot: int) -> None:
    vectors = ladder(encoder(span=span))
    assert vectors[0] @ vectors[-1] == dot
    assert len({vector.tobytes() for vector in vectors}) == 16


@pytest.mark.parametrize(("dimensions", "span"), [(1, 0.5), (1, 1.0), (3, 1.0), (4, 0.73)])
def test_the_distance_grows_with_that_of_the_levels(dimensions: int, span: float) -> None:
    of = encoder(dimensions=dimensions, span=span)
    vectors = ladder(of)
    distances = [int((vectors[0] != each).sum()) for each in vectors]
    assert distances == sorted(set(distances))
    if dimensions == 1:  # without a majority, every distance is that of the levels
        flips = [round(100 * span) * 2000 * q // 1500 for q in range(16)]
        assert distances == flips
        assert all(
            (vectors[low] != vectors[high]).sum() == flips[high] - flips[low]
            for high in range(16)
            for low in range(high)
        )


def test_values_outside_belong_to_the_outer_levels() -> None:
    of = encoder(low=-1.0, high=1.0, levels=4)
    for inside, outside in ((-0.9, -1e6), (0.9, 1.0), (0.9, 1e6), (-0.75, -0.50001), (0.0, 0.499)):
        assert np.array_equal(of.encode(np.array([inside])), of.encode(np.array([outside])))
    assert not np.array_equal(of.encode(np.array([-0.001])), of.encode(np.array([0.0])))


def test_a_majority_is_that_of_the_bound_vectors_and_ties_are_random() -> None:
    of = encoder(dimensions=2, components=4000)
    x = of.encode(np.array([0.1, -2.0]))
    bound = of._identities * of._levels[[8, 2]]
    equal = bound[0] == bound[1]
    assert np.array_equal(x[equal], bound[0][equal])
    assert np.array_equal(x[~equal], of._tie[~equal])
    assert abs(x[~equal].mean()) < 4 / (~equal).sum() ** 0.5
    assert 0 < equal.sum() < 4000


def test_weights_are_the_nearest_whole_numbers() -> None:
    of = encoder(weights=2, reward_low=-1.0, reward_high=1.0)
    given = [-1e100, -1.0, -0.7, -0.2, 0.0, 0.24, 0.25, 0.8, 1.0, 3.0]
    assert [of.weight(reward) for reward in given] == [-2, -2, -1, 0, 0, 0, 1, 2, 2, 2]
    binary = encoder(weights=1)
    assert (binary.weight(0.0), binary.weight(1.0)) == (-1, 1)


def test_what_is_learned_is_the_sum_its_sign_or_within_kappa() -> None:
    rng = np.random.default_rng(1)
    settings: dict[str, Any] = {"arms": 1, "dimensions": 3, "components": 300}
    whole, binary = GreedyHDCB(weights=1, **settings), BinaryHDCB(weights=1, period=7, **settings)
    some, unc = ProbabilisticHDCB(kappa=2, **settings), UncertainHDCB(weights=1, **settings)
    total, changed = np.zeros(300), []
    for step in range(1, 50):
        x, reward = rng.normal(size=3), float(rng.random() < 0.5)
        total += (2 * reward - 1) * whole.encode(x)
        before = some.rewards.copy()
        for learner in (whole, binary, some, unc):
            learner.update(x, 0, reward)
        changed.append(np.abs(some.rewards - before).max() <= 1)
        if step % 7 == 0:
            assert set(np.unique(binary.rewards)) <= {-1.0, 0.0, 1.0}
    assert np.array_equal(whole.rewards[0], total)
    assert np.array_equal(unc.rewards, whole.rewards)
    assert all(changed)
    assert np.abs(some.rewards).max() == 2


@pytest.mark.parametrize("plays", [1, 10, 100])
def test_components_move_with_the_probability_of_the_schedule(plays: int) -> None:
    moved = []
    for seed in range(8):
        of = ProbabilisticHDCB(arms=1, dimensions=1, components=2000, kappa=10**6, seed=seed)
        of.plays[0] = plays - 1
        of.update([0.5], 0, 1.0)
        moved.append(np.abs(of.rewards).sum())
    chance, count = 10 / (10 + plays), 16_000
    spread = (chance * (1 - chance) / count) ** 0.5
    assert -4 * spread < sum(moved) / count - chance < 4 * spread + 2**-8  # rounded up


@pytest.mark.parametrize(
    ("name", "value"),
    [("span", 1.5), ("low", 3.0), ("high", float("inf")), ("levels", 1), ("components", 0),
     ("reward_high", 0.0), ("weights", 0)],
)  # fmt: skip
def test_wrong_settings_are_refused(name: str, value: Any) -> None:
    with pytest.raises(GnomonError, match=name):
        encoder(**{name: value})


def _linear(seed: int, rounds: int, law: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    drawn = Rounds.linear(rounds=rounds, arms=4, dimensions=4, seed=seed, law=law)
    return drawn.contexts, drawn.expected, drawn.noise


def _chessboard(seed: int, rounds: int, law: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    del law
    drawn = pair_rounds("chessboard", rounds, seed)
    return drawn.contexts, drawn.means, drawn.noise


ENVIRONMENTS: dict[str, tuple[Any, str, int, dict[str, float]]] = {
    "linear, uniform": (_linear, "uniform", 4, {"low": 0.0, "reward_low": -1.0}),
    "linear, normal": (_linear, "normal", 4, {"low": -3.0, "high": 3.0, "reward_low": -1.0}),
    "chessboard": (_chessboard, "", len(actions()), {"low": 0.0}),
}


def shares_won(kind: type[Learner], environment: str, seeds: int, rounds: int) -> np.ndarray:
    """Return, of each seed, the share of the gap between a random arm and the best that is won."""
    draw, law, arms, settings = ENVIRONMENTS[environment]
    won = []
    for seed in range(seeds):
        contexts, expected, noise = draw(100 + seed, rounds, law)
        create: Any = kind
        learner = create(
            arms=arms, dimensions=contexts.shape[1], seed=seed, **{"high": 1.0, **settings}
        )
        chosen = learner.run(contexts, expected + noise[:, None])
        gained = expected[np.arange(len(chosen)), chosen] - expected.mean(axis=1)
        won.append(gained.sum() / (expected.max(axis=1) - expected.mean(axis=1)).sum())
    return np.array(won)


@pytest.mark.parametrize(
    ("name", "variant", "environment"),
    light_and_heavy(
        "studies",
        lambda name, variant, environment: (
            KINDS.index((name, variant)) % 3 == [*ENVIRONMENTS].index(environment)
        ),
        [(*kind, environment) for kind in KINDS for environment in ENVIRONMENTS],
    ),
)
def test_it_beats_random_arms(name: str, variant: str, environment: str) -> None:
    """95 % interval of the mean of eight runs, by Student's t, above 0: what a random arm wins."""
    won = shares_won(find_learner(name, variant), environment, seeds=8, rounds=400)
    half = 2.365 * won.std(ddof=1) / len(won) ** 0.5
    assert won.mean() - half > 0, f"{won.mean():.3f} +- {half:.3f}"
