"""The data sets of the study: packaged ones, files of the user, and synthetic stand-ins."""

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.base.files import write_files
from gnomon.content.reports.softucb.datasets import (
    hidden_traits,
    jester_stand_in,
    movielens_stand_in,
)
from gnomon.learn.datasets import (
    GENRES,
    JOKES,
    PACKAGED,
    RewardTable,
    genre_table,
    joke_table,
    packaged_classes,
    read_classes,
    read_jester,
    read_movielens,
)

REAL, GIVEN, STAND_IN = "real", "real, given", "SYNTHETIC stand-in"
_GENRES_OF_MOVIE = 2  # of a movie of the stand-in
_OPENED = 874_724_710  # first second of the stand-in's ratings


@dataclass(frozen=True, slots=True)
class Given:
    """Files of the user.

    Attributes:
        movielens: folder of MovieLens-100k.
        jester: ratings of jokes, ``.csv`` or ``.npy``.
        csv: classification set with column names.
        label: its column with the class.
        ignore: its columns that are no features.
        skip_malformed: whether malformed rows are left out.
    """

    movielens: Path | None = None
    jester: Path | None = None
    csv: Path | None = None
    label: str | None = None
    ignore: tuple[str, ...] = ()
    skip_malformed: bool = False


@dataclass(frozen=True, slots=True)
class DataSet:
    """A bandit with its origin: ``kind`` is real, given or a stand-in."""

    name: str
    kind: str
    source: str
    table: RewardTable = field(repr=False)

    @property
    def title(self) -> str:
        """Name for rows of tables; it marks stand-ins."""
        return f"{self.name} (SYNTHETIC)" if self.kind == STAND_IN else self.name


def data_sets(given: Given, stand_in_users: int) -> Iterator[DataSet]:
    """Yield the packaged sets, then MovieLens, Jester and the user's table.

    Raises:
        GnomonError: if a file is unusable, or scikit-learn is missing.
    """
    if (given.csv is None) != (given.label is None):
        raise GnomonError("--csv FILE and --label COLUMN belong together; one of them is missing")
    if given.ignore and given.csv is None:
        raise GnomonError("--ignore COLUMN is for --csv FILE, which is missing")
    skip = given.skip_malformed
    for name in PACKAGED:
        yield DataSet(name, REAL, "scikit-learn, installed package", packaged_classes(name))
    if given.movielens:
        read = read_movielens(given.movielens, skip_malformed=skip)
        yield DataSet("movielens", GIVEN, str(given.movielens), genre_table(read))
    else:
        with tempfile.TemporaryDirectory() as folder:
            movies = read_movielens(write_movielens(Path(folder), stand_in_users))
        yield DataSet("movielens", STAND_IN, "sampled with seed 0", genre_table(movies))
    if given.jester:
        jokes = read_jester(given.jester, skip_malformed=skip)
        yield DataSet("jester", GIVEN, str(given.jester), joke_table(jokes))
    else:
        with tempfile.TemporaryDirectory() as folder:
            jokes = read_jester(write_jester(Path(folder), stand_in_users))
        yield DataSet("jester", STAND_IN, "sampled with seed 0", joke_table(jokes))
    if given.csv and given.label is not None:
        table = read_classes(given.csv, given.label, ignore=given.ignore, skip_malformed=skip)
        yield DataSet(given.csv.stem, GIVEN, str(given.csv), table)


def write_movielens(folder: Path, users: int, items: int = 1682) -> Path:
    """Write the stand-in of softucb in the three files of MovieLens-100k, and return the folder.

    The genres of a movie follow from its hidden traits; ages and genders are independent of tastes.
    """
    ratings = movielens_stand_in(users=users, items=items)
    rng = np.random.default_rng((0, users, items))
    _, traits, _ = hidden_traits(users, items, 0)
    loadings = traits @ rng.standard_normal((traits.shape[1], len(GENRES) - 1))
    of_movies = 1 + np.argsort(-loadings, axis=1, kind="stable")[:, :_GENRES_OF_MOVIE]
    flags = np.zeros((items, len(GENRES)), dtype=int)
    np.put_along_axis(flags, of_movies, 1, axis=1)
    order = rng.permutation(len(ratings.values))
    rows = zip(ratings.users + 1, ratings.items + 1, ratings.values, order.tolist(), strict=True)
    people = zip(rng.integers(7, 74, users), rng.random(users) < 0.29, strict=True)
    write_files(folder, {
        "u.data": _lines(f"{u}\t{i}\t{value:.0f}\t{_OPENED + at}" for u, i, value, at in rows),
        "u.item": _lines(
            f"{number}|Movie {number}|01-Jan-1995|||{'|'.join(map(str, own))}"
            for number, own in enumerate(flags.tolist(), start=1)
        ),
        "u.user": _lines(
            f"{number}|{age}|{'F' if female else 'M'}|other|00000"
            for number, (age, female) in enumerate(people, start=1)
        ),
    })  # fmt: skip
    return folder


def write_jester(folder: Path, users: int) -> Path:
    """Write the stand-in of softucb as the saved spreadsheet: 40 rated jokes, then 60 unrated."""
    missing = ["99"] * (100 - JOKES)
    rows = (
        ",".join([str(JOKES), *(f"{value:.2f}" for value in row), *missing])
        for row in jester_stand_in()[:users].tolist()
    )
    (path,) = write_files(folder, {"jester.csv": _lines(rows)})
    return path


def _lines(rows: Iterable[str]) -> str:
    return "".join(f"{row}\n" for row in rows)
