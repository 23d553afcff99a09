"""Synthetic click logs in the formats of the real ones, for users without a real one.

Nothing here is data of the sites that the formats come from. Users, arms and rates of clicks are
sampled with a seed. Rates are far above those of the real logs, so that short logs are informative.
Because the rates are known, the true reward of a learner is known, too.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import md5
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import numpy as np
import pandas as pd

from gnomon.base.files import write_file, writing
from gnomon.base.frames import csv_text
from gnomon.learn.kernels import Floats
from gnomon.learn.logged import Visit
from gnomon.learn.settings import whole

ARTICLES, POOL = 30, 20
"""Articles of a Yahoo stand-in; at any time, so many are in the pool. Old ones leave it."""

TRAITS = 5
"""Traits of users and articles in R6A, as features 2 to 6; they sum to 1."""

USER_FEATURES = 136
"""Binary features in R6B; the first is always there."""

ITEMS = 34
"""Items of an Open Bandit stand-in, as many as the campaign for men has."""

_MATTER = 8
_CATEGORIES = {"user_feature_0": 4, "user_feature_1": 3, "user_feature_2": 6, "user_feature_3": 5}
_LEAST, _MOST = 0.005, 0.6

_POSITIONS = ("1", "2", "3")

Features: TypeAlias = tuple[tuple[str, float], ...]
"""Named values, as ``Visit.user`` has them."""

_FIRST_VISIT = {"yahoo-r6a": 1_241_160_900, "yahoo-r6b": 1_317_513_291}
_YAHOO_FILE = {
    "yahoo-r6a": "ydata-fp-td-clicks-v1_0.20090501.gz",
    "yahoo-r6b": "ydata-fp-td-clicks-v2_0.20111002.gz",
}
_FIRST_RECOMMENDATION = datetime(2019, 11, 24, tzinfo=UTC)


class StandIn(ABC):
    """A site that samples the arms it shows, with known rates of clicks.

    Args:
        rounds: visits of a log.
        seed: of everything; the same seed gives the same log.
    """

    log_format: ClassVar[str]

    def __init__(self, *, rounds: int, seed: int = 0) -> None:
        self.rounds = whole("rounds", rounds)
        self.seed = whole("seed", seed, least=0)
        self._make(np.random.default_rng([seed, 0]))

    @abstractmethod
    def _make(self, rng: np.random.Generator) -> None:
        """Sample the arms."""

    @abstractmethod
    def _user(self, rng: np.random.Generator) -> Features:
        """Sample the user of one visit."""

    @abstractmethod
    def _pool(self, at: int) -> tuple[str, ...]:
        """Return the arms that a round can show."""

    def _propensities(self, user: Features, pool: tuple[str, ...]) -> Floats:
        """Return the probability of showing each of them: uniform."""
        del user
        return np.full(len(pool), 1.0 / len(pool))

    @abstractmethod
    def click_rate(self, user: Features, arm: str) -> float:
        """Return the probability that this user clicks that arm."""

    def visits(self, stream: int = 0) -> Iterator[Visit]:
        """Sample a log; stream 0 is the written one, others have other users and clicks."""
        rng = np.random.default_rng([self.seed, 1, stream])
        for at in range(self.rounds):
            user, pool = self._user(rng), self._pool(at)
            propensities = self._propensities(user, pool)
            drawn = int((np.cumsum(propensities) <= rng.random()).sum())
            arm = min(drawn, len(pool) - 1)
            click = int(rng.random() < self.click_rate(user, pool[arm]))
            yield Visit(pool[arm], click, float(propensities[arm]), user, pool)


class _YahooStandIn(StandIn):
    def _pool(self, at: int) -> tuple[str, ...]:
        first = at * (ARTICLES - POOL + 1) // self.rounds
        return self.articles[first : first + POOL]

    articles: tuple[str, ...]
    _numbers: dict[str, int]
    _quality: Floats

    def _name(self, names: Sequence[str], rng: np.random.Generator) -> None:
        self.articles = tuple(names)
        self._numbers = {name: number for number, name in enumerate(names)}
        self._quality = rng.uniform(0.01, 0.05, size=len(names))


class YahooR6aStandIn(_YahooStandIn):
    """Users and articles share five traits; a click is likelier where they agree."""

    log_format: ClassVar[str] = "yahoo-r6a"

    def _make(self, rng: np.random.Generator) -> None:
        self._name([str(109_500 + number) for number in range(ARTICLES)], rng)
        traits = rng.dirichlet(np.full(TRAITS, 0.3), size=ARTICLES)
        self.article_features = {
            name: _traits(row) for name, row in zip(self.articles, traits, strict=True)
        }

    def _user(self, rng: np.random.Generator) -> Features:
        return _traits(rng.dirichlet(np.full(TRAITS, 0.3)))

    def click_rate(self, user: Features, arm: str) -> float:
        theirs = dict(self.article_features[arm])
        alike = sum(value * theirs[name] for name, value in user if name != "1")
        return float(self._quality[self._numbers[arm]]) + 0.15 * alike


class YahooR6bStandIn(_YahooStandIn):
    """Users have binary features, of which eight matter; articles have none."""

    log_format: ClassVar[str] = "yahoo-r6b"

    def _make(self, rng: np.random.Generator) -> None:
        self._name([f"id-{560_000 + 7 * number}" for number in range(ARTICLES)], rng)
        self._weights = 0.04 * rng.standard_normal((ARTICLES, _MATTER))
        self._share = 0.5 * np.arange(1.0, USER_FEATURES) ** -0.6

    def _user(self, rng: np.random.Generator) -> Features:
        there = np.flatnonzero(rng.random(USER_FEATURES - 1) < self._share) + 2
        return (("1", 1.0), *((str(index), 1.0) for index in there))

    def click_rate(self, user: Features, arm: str) -> float:
        number = self._numbers[arm]
        moved = sum(
            self._weights[number, int(name) - 2] for name, _ in user if 2 <= int(name) < 2 + _MATTER
        )
        return _within(2.0 * self._quality[number] + moved)


class OpenBanditStandIn(StandIn):
    """Users of three kinds like different items; the site shows any, or what it believes in.

    Args:
        rounds: rows of the log.
        skewed: shown with unequal probabilities, as Thompson sampling (``bts``) would.
    """

    log_format: ClassVar[str] = "open-bandit"

    def __init__(self, *, rounds: int, seed: int = 0, skewed: bool = False) -> None:
        self.skewed = skewed
        super().__init__(rounds=rounds, seed=seed)

    def _make(self, rng: np.random.Generator) -> None:
        self.items = tuple(str(number) for number in range(ITEMS))
        kinds = rng.integers(0, 3, size=(ITEMS, 3))
        self.item_features: dict[str, Features] = {}
        for item, row in zip(self.items, kinds, strict=True):
            kept = enumerate(row, start=1)
            names = (f"item_feature_{at}={hashed(f'item {at} {kind}')}" for at, kind in kept)
            drawn = round(float(rng.standard_normal()), 6)
            self.item_features[item] = (("item_feature_0", drawn), *((name, 1.0) for name in names))
        quality = rng.uniform(0.01, 0.05, size=ITEMS)
        likes = rng.uniform(0.0, 0.15, size=(3, 3))  # by kind of user and of item
        self._rates = {
            f"user_feature_1={hashed(f'user_feature_1 {group}')}": quality + liked[kinds[:, 0]]
            for group, liked in enumerate(likes)
        }
        belief = np.exp(8.0 * np.mean(list(self._rates.values()), axis=0))
        uniform = np.full(ITEMS, 1.0 / ITEMS)
        self._shown = np.round(belief / belief.sum() if self.skewed else uniform, 6)

    def _user(self, rng: np.random.Generator) -> Features:
        position = _POSITIONS[int(rng.integers(len(_POSITIONS)))]
        drawn = (
            f"{name}={hashed(f'{name} {rng.integers(count)}')}"
            for name, count in _CATEGORIES.items()
        )
        return (f"position={position}", 1.0), *((name, 1.0) for name in drawn)

    def _pool(self, at: int) -> tuple[str, ...]:
        del at
        return self.items

    def _propensities(self, user: Features, pool: tuple[str, ...]) -> Floats:
        del user, pool
        return self._shown

    def click_rate(self, user: Features, arm: str) -> float:
        names = [name for name, _ in user]
        (rates,) = (self._rates[name] for name in names if name in self._rates)
        seen = 1.2 if f"position={_POSITIONS[0]}" in names else 1.0
        return _within(seen * rates[int(arm)])


STAND_INS: dict[str, type[StandIn]] = {
    each.log_format: each for each in (YahooR6aStandIn, YahooR6bStandIn, OpenBanditStandIn)
}


def hashed(text: str) -> str:
    """Return 32 hexadecimal digits, as the features of the Open Bandit Dataset are."""
    return md5(text.encode(), usedforsecurity=False).hexdigest()


def _traits(row: Any) -> Features:
    """Return features 2 to 6 as written, then the constant, in the order of R6A."""
    named = ((str(index), round(float(value), 6)) for index, value in enumerate(row, start=2))
    return (*named, ("1", 1.0))


def _within(rate: float) -> float:
    return float(min(max(rate, _LEAST), _MOST))


def write_stand_in(stand_in: StandIn, folder: Path) -> Path:
    """Write a log into a folder, with the files that belong to it.

    Returns:
        Path of the file, for ``open_log``.
    """
    if isinstance(stand_in, OpenBanditStandIn):
        return _write_open_bandit(stand_in, folder)
    path = folder / _YAHOO_FILE[stand_in.log_format]
    features = stand_in.article_features if isinstance(stand_in, YahooR6aStandIn) else {}
    time = _FIRST_VISIT[stand_in.log_format]
    with writing(path) as file:
        for at, visit in enumerate(stand_in.visits()):
            pool = " ".join(f"|{arm}{_yahoo(features.get(arm, ()))}" for arm in visit.pool)
            user = _yahoo(visit.user, valued=bool(features))
            line = f"{time + at} {visit.arm} {visit.click} |user{user} {pool}\n"
            file.write(line.encode())
    return path


def _yahoo(features: Features, *, valued: bool = True) -> str:
    return "".join(f" {name}:{value:.6f}" if valued else f" {name}" for name, value in features)


def _write_open_bandit(stand_in: OpenBanditStandIn, folder: Path) -> Path:
    items = [
        {"": str(number), "item_id": item}
        | {name.partition("=")[0]: name.partition("=")[2] or repr(value) for name, value in each}
        for number, (item, each) in enumerate(stand_in.item_features.items())
    ]
    affinities = {f"user-item_affinity_{item}": "0.0" for item in stand_in.items}
    visits = []
    for number, visit in enumerate(stand_in.visits()):
        position, *values = (name.partition("=")[2] for name, _ in visit.user)
        time = (_FIRST_RECOMMENDATION + timedelta(seconds=number)).isoformat(sep=" ")
        users = {f"user_feature_{at}": value for at, value in enumerate(values)}
        about = {"": str(number), "timestamp": time, "item_id": visit.arm, "position": position,
                 "click": str(visit.click), "propensity_score": repr(visit.propensity)}  # fmt: skip
        visits.append(about | users | affinities)
    write_file(folder / "item_context.csv", csv_text(pd.DataFrame(items)).encode())
    return write_file(folder / "men.csv", csv_text(pd.DataFrame(visits)).encode())
