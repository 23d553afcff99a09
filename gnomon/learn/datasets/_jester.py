"""Jester: ratings of jokes from -10 to 10, and the bandit whose arms are jokes.

The files of data set 1 are spreadsheets. Saved as CSV, a row is a user: the number of rated jokes,
then the ratings of 100 jokes, 99 for a missing one. An array (users, 40) holds the ratings of 40
jokes by the users who rated them all.

Source: the description of the Jester data sets by Ken Goldberg's group, University of California.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.base.files import read_bytes
from gnomon.learn.datasets._reward_table import LeftOut, RewardTable, contexts_from
from gnomon.learn.kernels import Floats
from gnomon.learn.npy import array_of
from gnomon.learn.rows import NOT_ENDED, Malformed, csv_lines, number_of, parsed_rows

JOKES = 40
"""Jokes with the most ratings."""

ARMS = 8
"""Last of these jokes, which are arms; the others describe a user."""

_OF_FILE = 100
_UNRATED = 99.0
_HIGHEST = 10.0
_MOST_USERS = 200_000
_LEAST_USERS = 10


@dataclass(frozen=True, slots=True)
class Jester:
    """Ratings of the 40 jokes with the most ratings by users who rated them all.

    Attributes:
        ratings: from -10 to 10, (users, 40).
        jokes: numbers of the jokes in the file, from 1, in its order.
        left_out: malformed rows, jokes that are not used, and users who did not rate all others.
    """

    ratings: Floats = field(repr=False)
    jokes: tuple[int, ...] = field(repr=False)
    left_out: tuple[LeftOut, ...] = ()


def read_jester(path: Path, *, skip_malformed: bool = False) -> Jester:
    """Read ``.npy``, the array of complete ratings (users, 40), or ``.csv``, the saved spreadsheet.

    Args:
        path: the file; gzip may have compressed a ``.csv``, then ``.csv.gz``.
        skip_malformed: whether to leave out malformed rows and to list them.

    Raises:
        GnomonError: if the name is another, a row is malformed, or no user rated all 40 jokes.
    """
    name = path.name.lower()
    if name.endswith(".npy"):
        return Jester(_read_array(path), tuple(range(1, JOKES + 1)))
    if not name.endswith((".csv", ".csv.gz")):
        raise GnomonError(
            f"{path}: ratings of jokes are in a file .npy or .csv; save a spreadsheet as CSV"
        )
    malformed: list[str] = []
    skip = malformed.append if skip_malformed else None
    with closing(csv_lines(path, "table of jokes")) as lines:
        parsed = ((number, partial(_row, row, ended)) for number, row, ended in lines)
        rows, numbers = list[Floats](), list[int]()
        for number, row in parsed_rows(path, parsed, skip):
            rows.append(np.array(row))
            numbers.append(number)
            if len(rows) > _MOST_USERS:
                raise GnomonError(f"{path}:{number}: holds more than {_MOST_USERS:,} users")
    if not rows:
        raise GnomonError(f"{path}: holds no rating")
    table = np.stack(rows)
    rated = table != _UNRATED
    most = np.sort(np.argsort(-rated.sum(axis=0), kind="stable")[:JOKES])
    complete = rated[:, most].all(axis=1)
    if not complete.any():
        raise GnomonError(f"{path}: no user rated all of the {JOKES} jokes with most ratings")
    unused = np.setdiff1d(np.flatnonzero(rated.any(axis=0)), most)
    left_out = (
        LeftOut("malformed rows", tuple(malformed)),
        LeftOut("jokes with fewer ratings", tuple(f"joke {each + 1}" for each in unused)),
        LeftOut(
            f"users who did not rate all {JOKES} jokes",
            tuple(f"{path}:{numbers[row]}" for row in np.flatnonzero(~complete)),
        ),
    )
    return Jester(
        np.ascontiguousarray(table[complete][:, most]), tuple(int(each) + 1 for each in most),
        tuple(each for each in left_out if each.names),
    )  # fmt: skip


def _row(words: Sequence[str], ended: bool) -> list[float]:
    if not ended:
        raise Malformed(NOT_ENDED)
    if len(words) != _OF_FILE + 1:
        raise Malformed(
            f"must be a count and {_OF_FILE} ratings with commas between, not {len(words)} values"
        )
    count = number_of(words[0])
    if not (0 <= count <= _OF_FILE and count.is_integer()):
        raise Malformed(
            f"the number of rated jokes is a whole number from 0 to {_OF_FILE}, not"
            f" {words[0]!r:.60}"
        )
    ratings = [number_of(word) for word in words[1:]]
    for joke, rating in enumerate(ratings, start=1):
        if not (abs(rating) <= _HIGHEST or rating == _UNRATED):
            raise Malformed(
                f"a rating is from -10 to 10, or 99 if it is missing; that of joke {joke} is"
                f" {words[joke]!r:.60}"
            )
    rated = sum(rating != _UNRATED for rating in ratings)
    if rated != count:
        raise Malformed(f"the count is {count:g}, but {rated} jokes have a rating")
    return ratings


def _read_array(path: Path) -> Floats:
    try:
        table = array_of(read_bytes(path))
    except ValueError as error:
        raise GnomonError(f"{path}: is not an NPY array: {error}") from None
    if table.ndim != 2 or table.shape[1] != JOKES or table.dtype.kind not in "fiu":
        raise GnomonError(
            f"{path}: must be numbers of the shape (users, {JOKES}), not {table.dtype}"
            f" {table.shape}"
        )
    if not len(table):
        raise GnomonError(f"{path}: holds no rating")
    for row, column in np.argwhere(~(np.abs(table) <= _HIGHEST)):
        raise GnomonError(
            f"{path}: a rating is from -10 to 10; that of user {row}, joke {column} is"
            f" {float(table[row, column])!r}"
        )
    return np.asarray(table.astype(np.float64))


def joke_table(data: Jester, *, arms: int = ARMS) -> RewardTable:
    """Return a bandit whose arms are the last jokes; ratings of the others describe a user.

    The reward is the user's rating of the joke, scaled to 0 .. 1.

    Raises:
        GnomonError: if there are fewer than 10 users.
    """
    if len(data.ratings) < _LEAST_USERS:
        raise GnomonError(
            f"{len(data.ratings)} users rated all {JOKES} jokes; at least {_LEAST_USERS} are needed"
        )
    names = tuple(f"joke {each}" for each in data.jokes)
    features = data.ratings[:, :-arms]
    contexts, made, constant = contexts_from(features, names[:-arms])
    made += (
        f" Features are ratings of {features.shape[1]} jokes. An arm is one of {arms} other jokes;"
        " the reward is the user's rating, scaled to 0 .. 1."
    )
    rewards = (data.ratings[:, -arms:] + _HIGHEST) / (2 * _HIGHEST)
    return RewardTable(
        contexts, rewards, names[-arms:], made, features.shape[1], (*data.left_out, *constant)
    )
