"""Ratings as arms: MovieLens (5.3) and Jester (5.4), and synthetic stand-ins."""

from typing import Any

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.softucb.arm_sets import ArmSets, unit
from gnomon.learn.datasets import JOKES, Ratings
from gnomon.learn.kernels import Floats

RANK = 5
_POOL = 100
"""Most rated movies, or first users, that arms are drawn from."""

_FEATURE_COLUMNS, _REWARD_COLUMN = 36, 37
_ROWS = 1000
_NOISE_STD = 0.1  # of a reward


def hidden_traits(users: int, items: int, seed: int) -> tuple[Floats, Floats, np.random.Generator]:
    """Sample tastes of users and traits of items of the stand-in, each (count, 5).

    The generator continues with the ratings.
    """
    rng = np.random.default_rng(seed)
    taste = 0.45 * rng.standard_normal((users, RANK))
    return taste, 0.9 * rng.standard_normal((items, RANK)), rng


def movielens_stand_in(*, users: int = 943, items: int = 1682, seed: int = 0) -> Ratings:
    """Generate ratings of the same kind: five factors, popular items rated often."""
    taste, traits, rng = hidden_traits(users, items, seed)
    bias = 0.35 * rng.standard_normal(users)[:, None] + 0.4 * rng.standard_normal(items)
    exact = 3.5 + bias + taste @ traits.T + 0.6 * rng.standard_normal((users, items))
    observed = np.maximum(0.75 * ((np.arange(items) + 10.0) / 10.0) ** -0.8, 0.01)
    seen = rng.random((users, items)) < observed
    rows, columns = np.nonzero(seen)
    values = np.clip(np.round(exact), 1.0, 5.0)[seen]
    times = np.arange(len(values))
    return Ratings(
        rows, columns, values, times, tuple(range(1, users + 1)), tuple(range(1, items + 1))
    )


def factors(ratings: Ratings, *, seed: int) -> Any:
    """Factorize by alternating least squares of rank 5; the ridge grows with the ratings.

    Returns:
        Factors of users (n, 5) and of items (m, 5).
    """
    rng = np.random.default_rng(seed)
    users, items = ratings.users, ratings.items
    of_items = rng.normal(0.0, 0.5, size=(int(items.max()) + 1, RANK))
    of_users = np.zeros((int(users.max()) + 1, RANK))
    for _ in range(12):
        of_users = _solve(users, len(of_users), of_items[items], ratings.values)
        of_items = _solve(items, len(of_items), of_users[users], ratings.values)
    return of_users, of_items


def _solve(owner: Any, count: int, rows: Floats, values: Floats) -> Floats:
    """Return the ridge regression of the values on the rows, for every owner."""
    size = rows.shape[1]
    gram = np.empty((count, size, size))
    right = np.empty((count, size))
    for i in range(size):
        right[:, i] = np.bincount(owner, weights=rows[:, i] * values, minlength=count)
        for j in range(size):
            gram[:, i, j] = np.bincount(owner, weights=rows[:, i] * rows[:, j], minlength=count)
    rated = np.maximum(np.bincount(owner, minlength=count), 1)
    gram += 0.1 * rated[:, None, None] * np.eye(size)
    return np.asarray(np.linalg.solve(gram, right[:, :, None])[..., 0].astype(np.float64))


def movielens_arm_sets(
    ratings: Ratings, *, users: int = 5, arms: int = 50, seed: int = 0
) -> ArmSets:
    """Return arms that are movies: factors of length 1 of 50 of the 100 most rated.

    Environment i takes user i + 1.
    """
    of_users, of_items = factors(ratings, seed=seed)
    if len(of_users) <= users or len(of_items) < arms:
        raise GnomonError(
            f"{len(of_users)} users and {len(of_items)} items are too few for {users} users after"
            f" the first, and {arms} arms"
        )
    rated = np.bincount(ratings.items, minlength=len(of_items))
    pool = np.argsort(-rated, kind="stable")[:_POOL]
    rng = np.random.default_rng(seed)
    chosen = np.stack([rng.choice(pool, arms, replace=False) for _ in range(users)])
    features = unit(of_items[chosen])
    theta = unit(of_users[1 : users + 1])
    return ArmSets(features, (features @ theta[:, :, None])[..., 0], _NOISE_STD)


def jester_stand_in(*, seed: int = 0) -> Floats:
    """Generate ratings of 1,000 users and 40 jokes with six hidden traits."""
    rng = np.random.default_rng(seed)
    users = rng.standard_normal((_ROWS, 6))
    jokes = 0.5 * rng.standard_normal((JOKES, 6))  # variance 0.25
    bias = 0.3 * rng.standard_normal((_ROWS, 1))
    noise = 0.5 * rng.standard_normal((_ROWS, JOKES))
    return np.asarray(np.clip(4.0 * (users @ jokes.T + bias + noise) + 0.8, -10.0, 10.0))


def jester_arm_sets(
    table: Floats, *, draws: int = 5, arms: int = 30, dimensions: int = 20
) -> ArmSets:
    """Return arms that are users, as in the authors' code: principal components of 36 jokes.

    The true reward is the rating of another joke, scaled to 0 .. 1. It is not linear in the
    features. Components are of a tenth of the ratings: raw ones are a hundred times too large for
    alpha = 1.

    Args:
        table: (users, 40), at least 100 users; the first 1,000 are taken.
        draws: environments; the arms of each are sampled from the first 100 users with replacement.
        arms: K.
        dimensions: d, number of components.
    """
    rows = table[:_ROWS]
    if len(rows) < _POOL:
        raise GnomonError(f"{len(rows)} users are too few; at least {_POOL} are needed")
    known = rows[:, :_FEATURE_COLUMNS] * 0.1
    centred = known - known.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    components = centred @ directions[:dimensions].T
    liked = rows[:, _REWARD_COLUMN]
    reward = (liked - liked.min()) / (liked.max() - liked.min())
    rng = np.random.default_rng(2018)
    chosen = rng.integers(0, _POOL, size=(draws, arms))
    return ArmSets(components[chosen], reward[chosen], _NOISE_STD)
