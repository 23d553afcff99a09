"""Jester: ratings of jokes as NPY or CSV, a synthetic stand-in, and users as arms (5.4)."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.base.files import read_text
from gnomon.learn.softucb._arm_sets import ArmSets

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.learn.kernels import Floats

JOKES = 40
_UNRATED = 99.0
_FEATURE_COLUMNS, _REWARD_COLUMN = 36, 37
_ROWS, _POOL = 1000, 100


def read_jester(path: Path) -> Floats:
    """Complete ratings of 40 jokes, (users, 40), from -10 to 10.

    ``.npy`` is that array. ``.csv`` is an export of the original table: the number of ratings, then
    100 ratings, 99 where there is none; the 40 jokes with most ratings are taken, and the users who
    rated them all.

    Raises:
        GnomonError: the file cannot be read, or has another shape.
    """
    if path.suffix == ".npy":
        table = _read_array(path)
    elif path.suffix == ".csv":
        table = _complete(path, _read_table(path))
    else:
        raise GnomonError(f"{path}: ratings of jokes are in a file .npy or .csv")
    if not (np.abs(table) <= 10.0).all():
        row, column = (int(i) for i in np.argwhere(~(np.abs(table) <= 10.0))[0])
        raise GnomonError(
            f"{path}: a rating is from -10 to 10; that of user {row}, joke {column} is"
            f" {float(table[row, column])!r}"
        )
    return table


def _read_array(path: Path) -> Floats:
    try:
        table = np.load(io.BytesIO(path.read_bytes()), allow_pickle=False)
    except OSError as error:
        raise GnomonError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise GnomonError(f"{path}: is not an NPY array: {error}") from None
    if table.ndim != 2 or table.shape[1] != JOKES or table.dtype.kind not in "fiu":
        raise GnomonError(
            f"{path}: must be numbers of the shape (users, {JOKES}), not {table.dtype}"
            f" {table.shape}"
        )
    ratings: Floats = table.astype(np.float64)
    return ratings


def _read_table(path: Path) -> Floats:
    rows = []
    for number, words in enumerate(csv.reader(io.StringIO(read_text(path))), start=1):
        try:
            values = [float(word) for word in words]
        except ValueError:
            raise GnomonError(f"{path}:{number}: not a row of numbers: {words!r:.80}") from None
        if len(values) != 101:
            raise GnomonError(
                f"{path}:{number}: must be a count and 100 ratings, not {len(values)} numbers"
            )
        rows.append(values[1:])
    if not rows:
        raise GnomonError(f"{path}: holds no rating")
    return np.array(rows)


def _complete(path: Path, table: Floats) -> Floats:
    rated = table != _UNRATED
    most = np.sort(np.argsort(-rated.sum(axis=0), kind="stable")[:JOKES])
    complete: Floats = table[rated[:, most].all(axis=1)][:, most]
    if not len(complete):
        raise GnomonError(f"{path}: no user rated all of the {JOKES} jokes with most ratings")
    return complete


def jester_stand_in(*, seed: int = 0) -> Floats:
    """1,000 users and 40 jokes of six hidden traits where there is no file."""
    rng = np.random.default_rng(seed)
    users = rng.standard_normal((_ROWS, 6))
    jokes = 0.5 * rng.standard_normal((JOKES, 6))  # variance 0.25
    bias = 0.3 * rng.standard_normal((_ROWS, 1))
    noise = 0.5 * rng.standard_normal((_ROWS, JOKES))
    table: Floats = np.clip(4.0 * (users @ jokes.T + bias + noise) + 0.8, -10.0, 10.0)
    return table


def jester_arm_sets(
    table: Floats,
    *,
    draws: int = 5,
    arms: int = 30,
    dimensions: int = 20,
    noise_std: float = 0.1,
    scale: float = 0.1,
    seed: int = 2018,
) -> ArmSets:
    """Arms are users, as in the authors' code: principal components of 36 jokes, and the rating of
    another one, brought to 0 to 1, as the true reward. It is not linear in the features.

    Args:
        table: (users, 40), at least 100 users; the first 1,000 are taken.
        draws: environments; the arms of each are drawn from the first 100 users, with replacement.
        arms: K.
        dimensions: d, number of components.
        noise_std: of the reward.
        scale: of the ratings before the components are taken; 1 leaves them raw, which is a
            hundred times too large for alpha = 1.
        seed: of the draws.

    Raises:
        GnomonError: the table has too few users.
    """
    rows = table[:_ROWS]
    if len(rows) < _POOL:
        raise GnomonError(f"{len(rows)} users are too few; at least {_POOL} are needed")
    known = rows[:, :_FEATURE_COLUMNS] * scale
    centred = known - known.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    components = centred @ directions[:dimensions].T
    liked = rows[:, _REWARD_COLUMN]
    reward = (liked - liked.min()) / (liked.max() - liked.min())
    rng = np.random.default_rng(seed)
    chosen = rng.integers(0, _POOL, size=(draws, arms))
    return ArmSets(components[chosen], reward[chosen], noise_std)
