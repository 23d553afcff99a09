"""MovieLens: ratings in three formats, and the folder of MovieLens-100k with movies and users.

``u.data`` holds user, item, rating and timestamp, with tabs between; ``u.item`` a movie per line
with 19 genres, 0 or 1; ``u.user`` age, gender, occupation and zip code of each user. The fields of
the last two have bars between.

Source: the README files that come with MovieLens-100k, MovieLens-1M and ml-latest.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnomon.base.errors import GnomonError
from gnomon.learn.datasets._reward_table import LeftOut
from gnomon.learn.kernels import Floats
from gnomon.learn.rows import NOT_ENDED, Malformed, number_of, parsed_rows, text_lines, whole_of

RATINGS, ITEMS, USERS = "u.data", "u.item", "u.user"
GENRES = (
    "unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary",
    "Drama", "Fantasy", "Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi",
    "Thriller", "War", "Western",
)  # fmt: skip
"""Genres of MovieLens-100k, in the order of their columns."""

MOST_RATINGS = 12_000_000
_OLDEST = 120  # years


class _Format(NamedTuple):
    separator: str
    columns: str
    header: str
    step: float  # of a rating, also the least one


_FORMATS = {
    "ratings.dat": _Format("::", "user::item::rating::timestamp", "", 0.5),
    RATINGS: _Format("\t", "user, item, rating, timestamp, with tabs between", "", 1.0),
    "ratings.csv": _Format(
        ",", "userId,movieId,rating,timestamp", "userId,movieId,rating,timestamp", 0.5
    ),
}


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings one by one; users and items are numbered from 0 in the order of their ids.

    Attributes:
        users: number of the user of each rating, (n).
        items: number of the item of each rating, (n).
        values: ratings, (n).
        times: seconds since 1970, (n).
        user_ids: ids of the users, ascending.
        item_ids: ids of the items, ascending.
        left_out: malformed rows that were skipped.
    """

    users: NDArray[np.int64] = field(repr=False)
    items: NDArray[np.int64] = field(repr=False)
    values: Floats = field(repr=False)
    times: NDArray[np.int64] = field(repr=False)
    user_ids: tuple[int, ...] = field(repr=False)
    item_ids: tuple[int, ...] = field(repr=False)
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class MovieLens:
    """MovieLens-100k.

    Attributes:
        ratings: all ratings.
        genres: whether a movie has a genre, (items, 19), in the order of ``GENRES``.
        ages: age of each user in years, (users).
        genders: 1 for F and -1 for M, (users).
        left_out: malformed rows of all files, users and movies without a rating.
    """

    ratings: Ratings
    genres: NDArray[np.bool_] = field(repr=False)
    ages: Floats = field(repr=False)
    genders: Floats = field(repr=False)
    left_out: tuple[LeftOut, ...] = ()


def read_ratings(path: Path, *, skip_malformed: bool = False) -> Ratings:
    """Read ``u.data`` (100k), ``ratings.dat`` (1M, 10M) or ``ratings.csv``, by file name.

    Args:
        path: the file; ``.gz`` may follow its name if gzip compressed it.
        skip_malformed: whether to leave out malformed rows and to list them.

    Raises:
        GnomonError: if the name is another, a row is malformed, a user rated an item twice, or the
            file holds no rating or more than 12,000,000.
    """
    name = path.name.removesuffix(".gz")
    if name not in _FORMATS:
        raise GnomonError(
            f"{path}: ratings are in one of {', '.join(_FORMATS)}; the name tells the format"
        )
    form = _FORMATS[name]
    with closing(text_lines(path, "table of ratings")) as text:
        lines = enumerate(text, start=1)
        if form.header:
            _, first = next(lines, (1, ""))
            if first.rstrip("\r\n") != form.header:
                raise GnomonError(f"{path}:1: must be {form.header}, not {first.strip()!r:.60}")
        malformed: list[str] = []
        whole, ratings = array("q"), array("d")
        rows = ((number, partial(_rating, line, form)) for number, line in lines)
        for number, (user, item, rating, time) in parsed_rows(
            path, rows, malformed.append if skip_malformed else None
        ):
            whole.extend((user, item, time, number))
            ratings.append(rating)
            if len(ratings) > MOST_RATINGS:
                raise GnomonError(f"{path}:{number}: holds more than {MOST_RATINGS:,} ratings")
    if not ratings:
        raise GnomonError(f"{path}: holds no rating")
    given = np.array(whole).reshape(-1, 4)
    again = _repeated(path, given[:, 0], given[:, 1], given[:, 3])
    if again and not skip_malformed:
        raise GnomonError(again[min(again)])
    malformed += again.values()
    given_users, given_items, times, _ = np.delete(given, list(again), axis=0).T
    values = np.delete(np.array(ratings), list(again))
    user_ids, users = np.unique(given_users, return_inverse=True)
    item_ids, items = np.unique(given_items, return_inverse=True)
    return Ratings(
        users, items, values, times, tuple(user_ids.tolist()), tuple(item_ids.tolist()),
        _malformed(malformed),
    )  # fmt: skip


def _rating(line: str, form: _Format) -> tuple[int, int, float, int]:
    words = _words(line, form.separator, 4, form.columns)
    rating = number_of(words[2])
    if not (form.step <= rating <= 5.0 and (rating / form.step).is_integer()):
        allowed = "1 to 5, whole" if form.step == 1.0 else "0.5 to 5, in steps of 0.5"
        raise Malformed(f"a rating is {allowed}, not {words[2]!r:.60}")
    user = whole_of(words[0], "a user", least=1)
    item = whole_of(words[1], "an item", least=1)
    return user, item, rating, whole_of(words[3], "a timestamp", most=2**33)


def _repeated(
    path: Path, users: NDArray[np.int64], items: NDArray[np.int64], numbers: NDArray[np.int64]
) -> dict[int, str]:
    """Return the rows that rate an item again, each with a message; ``numbers``: lines."""
    order = np.lexsort((items, users))  # stable: rows of one pair stay in the order of the file
    same = (np.diff(users[order]) == 0) & (np.diff(items[order]) == 0)
    return {
        int(row): f"{path}:{numbers[row]}: user {users[row]} rated item {items[row]} in line"
        f" {numbers[before]} already"
        for before, row in zip(order[:-1][same], order[1:][same], strict=True)
    }


def read_movielens(folder: Path, *, skip_malformed: bool = False) -> MovieLens:
    """Read ``u.data``, ``u.item`` and ``u.user`` of MovieLens-100k from a folder.

    Args:
        folder: the unpacked folder ``ml-100k``.
        skip_malformed: whether to leave out malformed rows and to list them.

    Raises:
        GnomonError: if a file is missing, a row is malformed, an id occurs twice, or a rating is of
            a user or a movie that the other files do not hold.
    """
    if not folder.is_dir():
        raise GnomonError(
            f"{folder}: must be the folder of MovieLens-100k, with {RATINGS}, {ITEMS}, {USERS}"
        )
    ratings = read_ratings(folder / RATINGS, skip_malformed=skip_malformed)
    malformed: list[str] = []
    skip = malformed.append if skip_malformed else None
    movies = dict(_by_id(folder / ITEMS, "movie", "latin-1", _movie, skip))
    people = dict(_by_id(folder / USERS, "user", "utf-8", _person, skip))
    for what, ids, known, file in (
        ("movie", ratings.item_ids, movies, ITEMS),
        ("user", ratings.user_ids, people, USERS),
    ):
        for each in ids:
            if each not in known:
                raise GnomonError(
                    f"{folder / RATINGS}: {what} {each} has ratings, but {file} lacks it"
                )
    unrated = (
        LeftOut("movies without a rating", _others("movie", movies, ratings.item_ids)),
        LeftOut("users without a rating", _others("user", people, ratings.user_ids)),
    )
    ages, genders = np.array([people[each] for each in ratings.user_ids], dtype=np.float64).T
    return MovieLens(
        ratings,
        np.array([movies[each] for each in ratings.item_ids], dtype=np.bool_),
        ages,
        genders,
        (*ratings.left_out, *_malformed(malformed), *(each for each in unrated if each.names)),
    )


def _by_id(
    path: Path, what: str, encoding: str, parse: Callable[[list[str]], tuple[float, ...]],
    skip: Callable[[str], object] | None,
) -> Iterator[tuple[int, tuple[float, ...]]]:  # fmt: skip
    """Yield the id and the values of each line of a file with bars."""
    seen: dict[int, int] = {}
    fields, columns = _FIELDS[what]

    def read(number: int, line: str) -> tuple[int, tuple[float, ...]]:
        words = _words(line, "|", fields, columns)
        own = whole_of(words[0], f"the id of a {what}", least=1)
        values = parse(words)
        if own in seen:
            raise Malformed(f"{what} {own} is in line {seen[own]} already")
        seen[own] = number
        return own, values

    with closing(text_lines(path, f"table of {what}s", encoding=encoding)) as lines:
        rows = ((number, partial(read, number, line)) for number, line in enumerate(lines, start=1))
        for _, row in parsed_rows(path, rows, skip):
            yield row


_FIELDS = {
    "movie": (
        5 + len(GENRES),
        "id | title | release date | video release date | URL | 19 genres, with bars between",
    ),
    "user": (5, "id | age | gender | occupation | zip code, with bars between"),
}


def _movie(words: list[str]) -> tuple[float, ...]:
    flags = words[-len(GENRES) :]
    for name, flag in zip(GENRES, flags, strict=True):
        if flag not in {"0", "1"}:
            raise Malformed(f"the genre {name} is 0 or 1, not {flag!r:.60}")
    return tuple(map(float, flags))


def _person(words: list[str]) -> tuple[float, ...]:
    age = whole_of(words[1], "an age", least=1, most=_OLDEST)
    if words[2] not in {"F", "M"}:
        raise Malformed(f"a gender is F or M, not {words[2]!r:.60}")
    return float(age), 1.0 if words[2] == "F" else -1.0


def _words(line: str, separator: str, count: int, columns: str) -> list[str]:
    if not line.endswith(("\n", "\r")):
        raise Malformed(NOT_ENDED)
    words = line.rstrip("\r\n").split(separator)
    if len(words) != count:
        raise Malformed(f"must be {columns}, not {line.strip()!r:.60}")
    return words


def _malformed(messages: Sequence[str]) -> tuple[LeftOut, ...]:
    return (LeftOut("malformed rows", tuple(messages)),) if messages else ()


def _others(what: str, known: dict[int, tuple[float, ...]], used: Sequence[int]) -> tuple[str, ...]:
    return tuple(f"{what} {each}" for each in sorted(known.keys() - set(used)))
