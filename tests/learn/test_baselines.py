"""Baselines of the field: discounted and diagonal LinUCB, gradient steps, UCB1-tuned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.learn import find_learner

ARMS, D, GAMMA = 3, 4, 0.9


def rounds(count: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Contexts (count, D), arms and rewards."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, D)), rng.integers(ARMS, size=count), rng.normal(size=count)


def taught(name: str, variant: str, count: int, **settings: Any) -> Any:
    learner = find_learner(name, variant)(arms=ARMS, dimensions=D, **settings)
    for x, arm, reward in zip(*rounds(count), strict=True):
        learner.update(x, int(arm), float(reward))
    return learner


def weighted(power: int, count: int) -> np.ndarray:
    """Sum of gamma^(power age) x x^T of each arm, (ARMS, D, D)."""
    contexts, arms, _ = rounds(count)
    weights = GAMMA ** (power * np.arange(count)[::-1])
    own = weights * (arms == np.arange(ARMS)[:, None])
    return np.einsum("at,ti,tj->aij", own, contexts, contexts)


def discounted_b(count: int) -> np.ndarray:
    contexts, arms, rewards = rounds(count)
    own = GAMMA ** np.arange(count)[::-1] * rewards * (arms == np.arange(ARMS)[:, None])
    return own @ contexts


def test_d_linucb_has_both_matrices_of_the_paper() -> None:
    learner = taught("linucb-discounted", "standard", 40, discount=GAMMA, regularisation=2.0)
    v, squared = (weighted(power, 40) + 2.0 * np.eye(D) for power in (1, 2))
    np.testing.assert_allclose(learner.v, v, atol=1e-12)
    np.testing.assert_allclose(learner.v_squared, squared, atol=1e-12)
    x, inverse = np.array([0.3, -0.2, 0.5, 0.1]), np.linalg.inv(v)
    variance = np.einsum("i,aij,ajk,akl,l->a", x, inverse, squared, inverse, x)
    expected = np.einsum("aij,aj,i->a", inverse, discounted_b(40), x) + 0.5 * np.sqrt(variance)
    np.testing.assert_allclose(learner.scores(x), expected, atol=1e-12)
    assert (variance < np.einsum("i,aij,j->a", x, inverse, x)).all()


def test_without_discount_it_is_linucb() -> None:
    for variant in ("standard", "optimized"):
        learner = taught("linucb-discounted", variant, 40, discount=1.0)
        plain = taught("linucb-disjoint", variant, 40)
        x = np.array([0.3, -0.2, 0.5, 0.1])
        np.testing.assert_allclose(learner.scores(x), plain.scores(x), atol=1e-12)
    with pytest.raises(GnomonError, match="discount must be above 0"):
        find_learner("linucb-discounted")(arms=2, dimensions=2, discount=0.0)


def test_the_recursive_form_inverts_the_renewed_matrix() -> None:
    """Round t adds d (1 - gamma) lambda to the element t mod d of the diagonal."""
    learner = taught("linucb-discounted", "optimized", 41, discount=GAMMA, regularisation=2.0)
    added = np.full(D, 2.0)
    for at in range(41):
        added *= GAMMA
        added[at % D] += D * (1 - GAMMA) * 2.0
    assert GAMMA ** (D - 1) <= added.min() / 2 <= added.max() / 2 <= 1 + (D - 1) * (1 - GAMMA)
    matrix = weighted(1, 41) + np.diag(added)
    np.testing.assert_allclose(learner.inverse, np.linalg.inv(matrix), atol=1e-10)
    theta = np.linalg.solve(matrix, discounted_b(41)[..., None])[..., 0]
    np.testing.assert_allclose(learner.theta, theta, atol=1e-10)


def test_one_context_for_ever_does_not_wind_up() -> None:
    """Without renewal, the inverse grows by 1 / gamma per round in all other directions."""
    learner: Any = find_learner("linucb-discounted", "optimized")(
        arms=1, dimensions=D, discount=GAMMA
    )
    for _ in range(2000):
        learner.update([1.0, 0.0, 0.0, 0.0], 0, 1.0)
    assert np.linalg.eigvalsh(learner.inverse[0]).max() <= GAMMA ** (1 - D)


def regret_after_changes(name: str, variant: str, seed: int, **settings: Any) -> float:
    """Regret of 1,200 rounds whose weights are drawn again every 300; rewards from 0 to 1."""
    rng = np.random.default_rng(seed)
    learner = find_learner(name, variant)(arms=ARMS, dimensions=D, **settings)
    regret = 0.0
    for at in range(1200):
        if at % 300 == 0:
            truth = rng.uniform(0, 1, (ARMS, D)) * rng.permutation(ARMS)[:, None] / ARMS
        x = rng.dirichlet(np.full(D, 5.0))
        expected = truth @ x
        arm = learner.select(x)
        learner.update(x, arm, float(expected[arm] + rng.uniform(-0.1, 0.1)))
        regret += float(expected.max() - expected[arm])
    return regret


@pytest.mark.parametrize(
    ("forgets", "keeps"),
    [
        (("linucb-discounted", "optimized", {}), ("linucb-disjoint", "optimized", {})),
        (("lin-sgd", "standard", {"decay": 0.0}), ("lin-sgd", "standard", {"decay": 1.0})),
    ],
)
def test_what_forgets_follows_changes(forgets: Any, keeps: Any) -> None:
    mean = [
        np.mean([regret_after_changes(name, variant, seed, **settings) for seed in (1, 2, 3)])
        for name, variant, settings in (forgets, keeps)
    ]
    assert mean[0] < 0.8 * mean[1]


def test_the_diagonal_is_exact_for_separate_features() -> None:
    """With one feature at a time A is diagonal: both learners are the same."""
    diagonal, full = (find_learner(name)(arms=ARMS, dimensions=D, alpha=0.7)
                      for name in ("linucb-diagonal", "linucb-disjoint"))  # fmt: skip
    rng = np.random.default_rng(2)
    for _ in range(60):
        x, arm, reward = np.zeros(D), int(rng.integers(ARMS)), float(rng.normal())
        x[rng.integers(D)] = rng.normal()
        np.testing.assert_allclose(diagonal.scores(x), full.scores(x), atol=1e-12)
        for learner in (diagonal, full):
            learner.update(x, arm, reward)


def test_an_implicit_step_has_the_gradient_at_its_end() -> None:
    learner: Any = find_learner("lin-sgd")(arms=2, dimensions=D, step=0.8, decay=0.5)
    contexts, _, rewards = rounds(20)
    for at, (x, reward) in enumerate(zip(contexts, rewards, strict=True)):
        before = learner.theta[1].copy()
        learner.update(x, 1, float(reward))
        after = learner.theta[1]
        eta = 0.8 / (1 + 0.8 * 0.5 * at)
        np.testing.assert_allclose(after, before + eta * (reward - after @ x) * x, atol=1e-12)
    with pytest.raises(GnomonError, match="step must be above 0"):
        find_learner("lin-sgd")(arms=2, dimensions=2, step=0.0)


def test_ucb1_tuned_by_hand() -> None:
    learner = find_learner("ucb1-tuned")(arms=2, dimensions=1)
    for reward in (0.0, 1.0) * 50:
        learner.update([0.0], 0, reward)
        learner.update([0.0], 1, 0.5)
    ratio = np.log(200) / 100
    assert np.sqrt(2 * ratio) > 0.25  # so far the variance does not matter
    expected = 0.5 + np.sqrt(ratio * 0.25)
    assert learner.scores([0.0]).tolist() == pytest.approx([expected] * 2)
    for _ in range(900):
        for arm, reward in ((0, 0.0), (0, 1.0), (1, 0.5), (1, 0.5)):
            learner.update([0.0], arm, reward)
    ratio = np.log(3800) / 1900
    widths = np.sqrt(ratio * np.array([0.25, np.sqrt(2 * ratio)]))
    assert learner.scores([0.0]).tolist() == pytest.approx(0.5 + widths)


@pytest.mark.parametrize(("level", "found"), [(0.9, 12), (0.29, None), (0.0, None)])
def test_cusum_finds_changes_above_its_drift(level: float, found: int | None) -> None:
    """From 0.2 to 0.9 each reward adds 0.6: the 12th passes 6.9078. To 0 each adds 0.1."""
    learner: Any = find_learner("ucb1-tuned", "cusum")(arms=2, dimensions=1)
    for _ in range(100):
        learner.update([0.0], 0, 0.2)
        learner.update([0.0], 1, 0.5)
    counts = []
    for _ in range(found or 60):
        learner.update([0.0], 0, level)
        counts.append(learner.count[0])
    assert 0 not in counts[:-1]
    assert (counts[-1] == 0) == (found is not None)
    assert learner.count[1] == 100
    assert all((array[0] == 0) == (found is not None) for array in (learner.total, learner.squares))
