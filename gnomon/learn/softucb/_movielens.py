"""MovieLens: ratings in three file formats, a synthetic stand-in, and factors as arms (5.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.base.files import read_text
from gnomon.learn.softucb._arm_sets import ArmSets, unit

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.learn.kernels import Floats

_FORMATS = {
    "ratings.dat": ("::", "user::item::rating::timestamp"),
    "u.data": ("\t", "user, item, rating, timestamp, with tabs between"),
    "ratings.csv": (",", "userId,movieId,rating,timestamp below a line with these names"),
}
RANK = 5
_POOL = 100


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings one by one; users and items are numbered from 0 in the order of their ids.

    Attributes:
        users: of each rating, (n).
        items: of each rating, (n).
        values: (n).
    """

    users: Any = field(repr=False)
    items: Any = field(repr=False)
    values: Floats = field(repr=False)


def read_movielens(path: Path) -> Ratings:
    """Read ``ratings.dat`` (ML-1M), ``u.data`` (ML-100K) or ``ratings.csv``, told by the name.

    Raises:
        GnomonError: the name is none of these, the file cannot be read, or a line is wrong.
    """
    if path.name not in _FORMATS:
        raise GnomonError(
            f"{path}: ratings are in one of {', '.join(_FORMATS)}; the name tells the format"
        )
    separator, columns = _FORMATS[path.name]
    lines = read_text(path).splitlines()
    first = 1 if path.name == "ratings.csv" else 0
    rows = []
    for number, line in enumerate(lines[first:], start=first + 1):
        words = line.split(separator)
        try:
            user, item, value = int(words[0]), int(words[1]), float(words[2])
        except (ValueError, IndexError):
            raise GnomonError(f"{path}:{number}: must be {columns}, not {line!r}") from None
        if not 0.0 < value <= 5.0:
            raise GnomonError(f"{path}:{number}: a rating is above 0 and at most 5, not {value:g}")
        rows.append((user, item, value))
    if not rows:
        raise GnomonError(f"{path}: holds no rating")
    users, items, values = (np.array(column) for column in zip(*rows, strict=True))
    return Ratings(
        np.unique(users, return_inverse=True)[1],
        np.unique(items, return_inverse=True)[1],
        values.astype(np.float64),
    )


def movielens_stand_in(*, users: int = 943, items: int = 1682, seed: int = 0) -> Ratings:
    """Ratings of the same kind where there is no file: five factors, popular items rated often."""
    rng = np.random.default_rng(seed)
    taste = 0.45 * rng.standard_normal((users, RANK))
    traits = 0.9 * rng.standard_normal((items, RANK))
    bias = 0.35 * rng.standard_normal(users)[:, None] + 0.4 * rng.standard_normal(items)
    exact = 3.5 + bias + taste @ traits.T + 0.6 * rng.standard_normal((users, items))
    observed = np.maximum(0.75 * ((np.arange(items) + 10.0) / 10.0) ** -0.8, 0.01)
    seen = rng.random((users, items)) < observed
    rows, columns = np.nonzero(seen)
    values = np.clip(np.round(exact), 1.0, 5.0)[seen]
    return Ratings(rows, columns, values)


def factors(ratings: Ratings, *, sweeps: int = 12, ridge: float = 0.1, seed: int = 0) -> Any:
    """Alternating least squares of rank 5; the ridge grows with the number of ratings.

    Returns:
        Factors of users (n, 5) and of items (m, 5).
    """
    rng = np.random.default_rng(seed)
    users, items = ratings.users, ratings.items
    of_items = rng.normal(0.0, 0.5, size=(int(items.max()) + 1, RANK))
    of_users = np.zeros((int(users.max()) + 1, RANK))
    for _ in range(sweeps):
        of_users = _solve(users, len(of_users), of_items[items], ratings.values, ridge)
        of_items = _solve(items, len(of_items), of_users[users], ratings.values, ridge)
    return of_users, of_items


def _solve(owner: Any, count: int, rows: Floats, values: Floats, ridge: float) -> Floats:
    """Ridge regression of the values on the rows, for every owner."""
    size = rows.shape[1]
    gram = np.empty((count, size, size))
    right = np.empty((count, size))
    for i in range(size):
        right[:, i] = np.bincount(owner, weights=rows[:, i] * values, minlength=count)
        for j in range(size):
            gram[:, i, j] = np.bincount(owner, weights=rows[:, i] * rows[:, j], minlength=count)
    rated = np.maximum(np.bincount(owner, minlength=count), 1)
    gram += ridge * rated[:, None, None] * np.eye(size)
    solved: Floats = np.linalg.solve(gram, right[:, :, None])[..., 0].astype(np.float64)
    return solved


def movielens_arm_sets(
    ratings: Ratings, *, users: int = 5, arms: int = 50, noise_std: float = 0.1, seed: int = 0
) -> ArmSets:
    """Arms are movies: factors of length 1 of 50 out of the 100 most rated; theta that of a user.

    Environment i takes user i + 1.

    Raises:
        GnomonError: there are fewer users or items than that.
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
    return ArmSets(features, (features @ theta[:, :, None])[..., 0], noise_std)
