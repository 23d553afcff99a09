"""Data sets in their own formats: what is read, what is rejected and where, what is left out."""

from __future__ import annotations

import gzip
import importlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.base.errors import GnomonError
from gnomon.content.reports.real_data.sets import write_jester, write_movielens
from gnomon.learn.datasets import (
    GENRES,
    JOKES,
    MOST_DIMENSIONS,
    PACKAGED,
    contexts_from,
    genre_table,
    joke_table,
    packaged_classes,
    read_classes,
    read_jester,
    read_movielens,
    read_ratings,
)
from tests.open_files import open_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RATINGS = {
    "ratings.dat": "7::3::4::1\n7::9::5::2\n8::3::1::3\n",
    "u.data": "7\t3\t4\t1\n7\t9\t5\t2\n8\t3\t1\t3\n",
    "ratings.csv": "userId,movieId,rating,timestamp\n7,3,4.0,1\n7,9,5.0,2\n8,3,1.0,3\n",
}
MOVIE = "3|Caf\xe9 (1995)|01-Jan-1995||http://x|{}\n".format("|".join("001" + "0" * 16))
MOVIES = MOVIE + MOVIE.replace("3|", "9|", 1)
USERS = "7|24|M|technician|85711\n8|53|F|other|94043\n"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="latin-1")
    return path


def message(call: Callable[[], object]) -> str:
    """Return the message of the error; while the error is alive, its file is closed already."""
    before = open_files()
    with pytest.raises(GnomonError) as error:
        call()
    assert open_files() == before
    return str(error.value)


@pytest.mark.parametrize("name", RATINGS)
def test_ratings_in_every_format(tmp_path: Path, name: str) -> None:
    plain = write(tmp_path / name, RATINGS[name])
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(RATINGS[name].encode()))
    for path in (plain, packed):
        ratings = read_ratings(path)
        assert ratings.users.tolist() == [0, 0, 1]
        assert ratings.items.tolist() == [0, 1, 0]
        assert ratings.values.tolist() == [4.0, 5.0, 1.0]
        assert ratings.times.tolist() == [1, 2, 3]
        assert (ratings.user_ids, ratings.item_ids) == ((7, 8), (3, 9))


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("x.dat", "", ": ratings are in one of ratings.dat, u.data, ratings.csv; the name tells"),
        ("u.data", "1\t2\n", ":1: must be user, item, rating, timestamp, with tabs between, not"),
        ("u.data", "1\t2\t3\t4\t5\n", ":1: must be user, item, rating, timestamp, with tabs"),
        ("u.data", "1\t2\t3\t4", ":1: the last line has no end of line, so the file may be cut"),
        ("u.data", "1\t2\t2.5\t4\n", ":1: a rating is 1 to 5, whole, not '2.5'"),
        ("u.data", "1\t2\tnan\t4\n", ":1: a rating is 1 to 5, whole, not 'nan'"),
        ("u.data", "0\t2\t3\t4\n", ":1: a user is a whole number from 1 to 2147483647, not '0'"),
        ("u.data", "1\t-2\t3\t4\n", ":1: an item is a whole number from 1 to 2147483647, not '-2'"),
        ("u.data", "1\t2\t3\tx\n", ":1: a timestamp is a whole number from 0 to 8589934592, not"),
        ("u.data", "1\t2\t3\t4\n5\t6\t1\t1\n1\t2\t5\t6\n",
         ":3: user 1 rated item 2 in line 1 already"),
        ("ratings.csv", "userId\n1,2,9,0\n", ":1: must be userId,movieId,rating,timestamp, not"),
        ("ratings.csv", "userId,movieId,rating,timestamp\n1,2,0.3,0\n",
         ":2: a rating is 0.5 to 5, in steps of 0.5, not '0.3'"),
        ("ratings.dat", "", ": holds no rating"),
    ],
)  # fmt: skip
def test_wrong_ratings(tmp_path: Path, name: str, text: str, told: str) -> None:
    path = write(tmp_path / name, text)
    assert message(lambda: read_ratings(path)).startswith(f"{path}{told}")


def test_malformed_rows_are_left_out_and_listed(tmp_path: Path) -> None:
    path = write(tmp_path / "u.data", "1\t2\t3\t4\nwhat?\n1\t2\t5\t6\n1\t3\t9\t6\n")
    ratings = read_ratings(path, skip_malformed=True)
    assert ratings.values.tolist() == [3.0]
    (left_out,) = ratings.left_out
    assert left_out.reason == "malformed rows"
    assert [each.split(":")[1] for each in left_out.names] == ["2", "4", "3"]


def folder(path: Path, **changed: str) -> Path:
    texts = {"data": RATINGS["u.data"], "item": MOVIES, "user": USERS} | changed
    for name, text in texts.items():
        write(path / f"u.{name}", text)
    return path


def test_movies_and_users(tmp_path: Path) -> None:
    data = read_movielens(folder(tmp_path, user=USERS + "9|30|F|none|1\n"))
    assert data.genres.shape == (2, len(GENRES))
    assert data.genres[0].nonzero()[0].tolist() == [GENRES.index("Adventure")]
    assert data.ages.tolist() == [24, 53]
    assert data.genders.tolist() == [-1, 1]
    assert [(each.reason, each.names) for each in data.left_out] == [
        ("users without a rating", ("user 9",))
    ]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("item", MOVIE, "/u.data: movie 9 has ratings, but u.item lacks it"),
        ("user", "7|24|M|x|1\n", "/u.data: user 8 has ratings, but u.user lacks it"),
        ("item", MOVIES + MOVIE, "/u.item:3: movie 3 is in line 1 already"),
        ("item", MOVIES.replace("|1|", "|2|", 1), "/u.item:1: the genre Adventure is 0 or 1, not"),
        ("item", MOVIES.replace("|0\n", "\n", 1), "/u.item:1: must be id | title | release date |"),
        ("item", MOVIES[:-1], "/u.item:2: the last line has no end of line"),
        ("user", USERS.replace("24", "240"), "/u.user:1: an age is a whole number from 1 to 120"),
        ("user", USERS.replace("F", "f"), "/u.user:2: a gender is F or M, not 'f'"),
    ],
)
def test_wrong_movies_and_users(tmp_path: Path, name: str, text: str, told: str) -> None:
    place = folder(tmp_path, **{name: text})
    assert message(lambda: read_movielens(place)).startswith(f"{place}{told}")


def test_a_missing_file_or_folder(tmp_path: Path) -> None:
    assert "must be the folder of MovieLens-100k, with u.data" in message(
        lambda: read_movielens(tmp_path / "gone")
    )
    assert "u.data: cannot be read" in message(lambda: read_movielens(tmp_path))


def test_genres_are_arms(tmp_path: Path) -> None:
    """Rewards are means of the later ratings alone; contexts follow from the earlier ones."""
    data = read_movielens(write_movielens(tmp_path, 60, 300))
    table = genre_table(data)
    users = len(table.contexts)
    assert table.rewards.shape == (users, 8)
    assert 0.0 <= table.rewards.min() <= table.rewards.max() <= 1.0
    left_out = {each.reason: len(each) for each in table.left_out}
    assert users + left_out["users without a later rating of each genre"] == 60
    user = next(
        number for number in range(60)
        if f"user {number + 1}" not in {name for each in table.left_out for name in each.names}
    )  # fmt: skip
    own = np.flatnonzero(data.ratings.users == user)
    own = own[np.argsort(data.ratings.times[own])]
    later = own[len(own) // 2 :]
    of_arm = GENRES.index(table.arms[3])
    rated = later[data.genres[data.ratings.items[later], of_arm]]
    assert table.rewards[0, 3] == pytest.approx((data.ratings.values[rated].mean() - 1) / 4)


def row(count: float, *ratings: float) -> str:
    return ",".join(map(str, [count, *ratings, *[99] * (100 - len(ratings))])) + "\n"


def test_jokes_in_both_formats(tmp_path: Path) -> None:
    text = "".join(
        row(
            40.0 if user == 1 else 40 - (user == 2),
            *[99] * 10,
            *[1.5] * 12,
            99 if user == 2 else -9.96,
            *[1.5] * 27,
        )
        for user in range(4)
    )
    jester = read_jester(write(tmp_path / "jester.csv", text))
    assert jester.ratings.shape == (3, JOKES)
    assert jester.jokes == tuple(range(11, 51))
    assert jester.ratings[:, 12].tolist() == [-9.96] * 3
    (left_out,) = jester.left_out
    assert left_out.names == (f"{tmp_path / 'jester.csv'}:3",)
    np.save(tmp_path / "jester.npy", jester.ratings)
    assert np.array_equal(read_jester(tmp_path / "jester.npy").ratings, jester.ratings)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.xls", "", ": ratings of jokes are in a file .npy or .csv; save a spreadsheet as CSV"),
        ("a.csv", "1,2\n", ":1: must be a count and 100 ratings with commas between, not 2"),
        ("a.csv", row(0).replace("0", "a", 1), ":1: the number of rated jokes is a whole number"),
        ("a.csv", row(1, 10.5), ":1: a rating is from -10 to 10, or 99 if it is missing; that of"),
        ("a.csv", row(2, 1.5), ":1: the count is 2, but 1 jokes have a rating"),
        ("a.csv", row(1, 1.5)[:-1], ":1: the last line has no end of line"),
        ("a.csv", "", ": holds no rating"),
        ("a.csv", row(0), ": no user rated all of the 40 jokes with most ratings"),
        ("a.npy", "x", ": is not an NPY array"),
    ],
)
def test_wrong_jokes(tmp_path: Path, name: str, text: str, told: str) -> None:
    path = write(tmp_path / name, text)
    assert message(lambda: read_jester(path)).startswith(f"{path}{told}")


def test_wrong_arrays_of_jokes(tmp_path: Path) -> None:
    for table, told in (
        (np.zeros((3, 39)), "must be numbers of the shape (users, 40), not float64 (3, 39)"),
        (np.full((1, 40), 10.5), "that of user 0, joke 0 is 10.5"),
        (np.full((1, 40), np.nan), "that of user 0, joke 0 is nan"),
        (np.zeros((0, 40)), "holds no rating"),
    ):
        np.save(tmp_path / "a.npy", table)
        assert told in message(lambda: read_jester(tmp_path / "a.npy"))


def test_jokes_are_arms(tmp_path: Path) -> None:
    jester = read_jester(write_jester(tmp_path, 50))
    table = joke_table(jester)
    assert table.contexts.shape == (50, MOST_DIMENSIONS)
    assert table.arms == tuple(f"joke {each}" for each in range(33, 41))
    np.testing.assert_allclose(table.rewards, (jester.ratings[:, 32:] + 10) / 20)


CLASSES = "a,id,kind\n" + "".join(f"{n / 3},{n},{'xyz'[n % 3]}\n" for n in range(12))


def test_classes_of_a_file(tmp_path: Path) -> None:
    table = read_classes(write(tmp_path / "t.csv", CLASSES), "kind", ignore=["id"])
    assert table.arms == ("x", "y", "z")
    assert table.rewards.argmax(axis=1).tolist() == [0, 1, 2] * 4
    assert (table.rewards.sum(axis=1) == 1).all()
    np.testing.assert_allclose(table.contexts[:, 0], 1)
    np.testing.assert_allclose(table.contexts[:, 1].std(), 1)
    constant = "\n".join(
        f"{line},{'same' if not at else 4}" for at, line in enumerate(CLASSES.splitlines())
    )
    table = read_classes(write(tmp_path / "t.csv", constant + "\n"), "kind")
    assert [(each.reason, each.names) for each in table.left_out] == [
        ("features with one value", ("same",))
    ]


@pytest.mark.parametrize(
    ("find", "replace", "told"),
    [
        ("kind", "kid", ":1: there is no column 'kind', did you mean 'kid'?"),
        ("a,id", "id,id", ":1: there are two columns 'id'"),
        ("\n0.0,0,x", "\nnan,0,x", ":2: 'a' is a finite number, not 'nan'"),
        ("\n0.0,0,x", "\n,0,x", ":2: 'a' is a finite number, not ''"),
        ("\n0.0,0,x", "\n1e200,0,x", ":2: 'a' is a finite number, not '1e200'"),
        ("\n0.0,0,x", "\n0.0,0,", ":2: a label is printable text, not ''"),
        ("\n0.0,0,x", "\n0.0,0", ":2: must have 3 columns, not 2"),
        ("11,z\n", "11,z", ":13: the last line has no end of line"),
        ("\n0.0,0,x\n", "\n", None),
    ],
)
def test_wrong_classes(tmp_path: Path, find: str, replace: str, told: str | None) -> None:
    assert find in CLASSES
    path = write(tmp_path / "t.csv", CLASSES.replace(find, replace, 1))
    if told is None:
        assert len(read_classes(path, "kind").contexts) == 11
        return
    assert message(lambda: read_classes(path, "kind")).startswith(f"{path}{told}")
    if ":1:" not in told:
        table = read_classes(path, "kind", skip_malformed=True)
        assert len(table.contexts) == 11
        assert table.left_out[0].names[0].startswith(f"{path}{told}")


def test_classes_that_are_no_bandit(tmp_path: Path) -> None:
    def told(text: str, label: str = "k") -> str:
        return message(lambda: read_classes(write(tmp_path / "t.csv", text), label))

    few = "a,k\n1,x\n2,y\n"
    assert told(few).endswith("holds 2 rows; at least 10 are needed")
    assert "column 'k' has one value; a bandit" in told("a,k\n" + "1,x\n" * 10)
    assert "column 'k' has more than 64 different values" in told(
        "a,k\n" + "".join(f"1,{n}\n" for n in range(70))
    )
    assert told("k\nx\n").endswith("there is no column in addition to the label 'k'")
    assert told("a,k\n" + "1,x\n1,y\n" * 5).endswith("no feature has two different values")


@pytest.mark.parametrize(
    ("name", "rows", "features", "d", "arms"),
    [("digits", 1797, 16, 16, 10), ("wine", 178, 13, 14, 3), ("breast-cancer", 569, 30, 16, 2)],
)
def test_packaged_sets(name: str, rows: int, features: int, d: int, arms: int) -> None:
    pytest.importorskip("sklearn")
    table = packaged_classes(name)
    assert table.contexts.shape == (rows, d)
    assert table.rewards.shape == (rows, arms)
    assert table.given_features == features
    length = (table.contexts[:, 1:] ** 2).sum(axis=1)
    assert length.mean() == pytest.approx(1.0)
    assert packaged_classes(name).digest == table.digest


def test_digits_are_means_of_blocks() -> None:
    sets: Any = pytest.importorskip("sklearn.datasets")
    images = sets.load_digits().images
    first = images[:, :2, :2].mean(axis=(1, 2))
    by_hand = [sum(image[:2, :2].reshape(-1)) / 4 for image in images[:5]]
    assert first[:5].tolist() == by_hand
    assert "2 x 2 pixels" in packaged_classes("digits").made


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def missing(name: str, *rest: Any) -> Any:
        if name.startswith("sklearn"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", missing)
    for name in PACKAGED:
        assert message(lambda name=name: packaged_classes(name)).endswith(
            "comes with scikit-learn: python -m pip install 'gnomon[datasets]'"
        )


@given(st.integers(1, 40), st.integers(2, 20), st.integers(0, 2**32))
def test_contexts_are_standardized_and_few(count: int, most: int, seed: int) -> None:
    features = np.random.default_rng(seed).normal(3.0, 1e3, (60, count))
    contexts, _, left_out = contexts_from(features, [str(n) for n in range(count)], most)
    assert contexts.shape == (60, min(count + 1, most))
    assert not left_out
    assert (contexts[:, 0] == 1).all()
    np.testing.assert_allclose(contexts[:, 1:].mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose((contexts[:, 1:] ** 2).mean(axis=0).sum(), 1.0)
    scaled, _, _ = contexts_from(1e-3 * features - 7, [""] * count, most)
    np.testing.assert_allclose(scaled, contexts, atol=1e-8)


_ANY = st.text(alphabet="0123456789\t|,.:-nax\r\n", max_size=40)


@given(st.lists(_ANY, max_size=6), st.sampled_from(["u.data", "jester.csv", "t.csv"]))
def test_any_text_is_read_or_rejected(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], name: str
) -> None:
    path = tmp_path_factory.mktemp("any") / name
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    for skip in (False, True):
        with suppress(GnomonError):
            if name == "jester.csv":
                read_jester(path, skip_malformed=skip)
            elif name == "t.csv":
                read_classes(path, "a", skip_malformed=skip)
            else:
                read_ratings(path, skip_malformed=skip)


@given(
    st.lists(st.one_of(st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(0, 6)), _ANY)),
    st.booleans(),
)
def test_no_line_is_lost(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[int, int, int] | str],
    first: bool,
) -> None:
    """With skipping, ratings and messages are all the lines, and each message names its line."""
    rows = [(9, 9, 5), *rows] if first else [*rows, (9, 9, 5)]
    path = tmp_path_factory.mktemp("all") / "u.data"
    lines = [row if isinstance(row, str) else "\t".join(map(str, (*row, 0))) for row in rows]
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    with path.open(newline="") as file:
        given = list(file)
    read = read_ratings(path, skip_malformed=True)
    names = [name for each in read.left_out for name in each.names]
    assert len(read.values) + len(names) == len(given)
    seen: set[tuple[str, str]] = set()
    good = []
    for number, line in enumerate(given, start=1):
        words = line.rstrip("\r\n").split("\t")
        if any(name.startswith(f"{path}:{number}: ") for name in names):
            continue
        good.append(float(words[2]))
        assert 1 <= good[-1] <= 5
        assert (words[0], words[1]) not in seen
        seen.add((words[0], words[1]))
    assert read.values.tolist() == good
