"""Regret of a policy under given conditions, predicted from measured cells, with an interval.

A law is a Gaussian process on the log odds of relative regret (:func:`to_odds`), with a linear and
a squared-exponential kernel on the coordinates of :meth:`Conditions.place` and on the setting that
the policy plays, such as alpha. That setting is what the cells near the conditions chose most. The
points of a cell share an error, so that they do not count as independent ones. Intervals widen with
the standard deviation of the process; far from all measured points nothing is predicted.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import NormalDist
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve

from gnomon.base.errors import GnomonError, require_known
from gnomon.base.interval import Interval
from gnomon.learn.estimates import wilson_interval

Floats: TypeAlias = npt.NDArray[np.float64]
Rows: TypeAlias = "Iterable[Mapping[str, str]]"

STATE: Final = "state"
CONTEXT_LAWS: Final = ("zero-mean", "uniform", "correlated", "one-hot", STATE)
"""Distributions of contexts. ``state``: observations of a hidden state that moves rewards."""

RANGES: Final = {
    "d": (2.0, 32.0), "arms": (2.0, 32.0), "horizon": (32.0, 100_000.0), "noise": (0.03, 1.0),
}  # fmt: skip
"""Ranges of the study. Noise: standard deviation relative to that of expected rewards."""

EARLIEST: Final = 10
"""First round at which a target is looked for; before 32, laws extrapolate."""

MOST_RATE: Final = 1e-2
"""Largest rate of drift: the share of a weight that is replaced per round."""

COORDINATES: Final = (*RANGES, "rate", "drift", "samples", "shared", *CONTEXT_LAWS)
"""Coordinates of conditions. Drift: of all rounds together. Samples: rounds per weight of all arms.
"""

LEAST_REGRET = 1e-4  # regrets below it are not distinguished
_MOST = 0.99  # share of the ceiling above which regrets are not distinguished

_NUMBER = re.compile(r"(\S+) = ([0-9.]+)")
_DISCOUNT = "γ"  # noqa: RUF001 - as in the papers
_VOTE = 0.5  # length scale of the votes on a setting, relative to that of the kernel
_MEDIAN_ERROR = NormalDist().inv_cdf(0.75)  # the median size of a standard normal error
_STEPS_PER_DECADE = 24  # of the horizons at which a target is looked for


def to_odds(regret: Floats, ceiling: float) -> Floats:
    """Return the log odds of relative regret below a ceiling; its logarithm where it is small."""
    inside = np.clip(regret, LEAST_REGRET, _MOST * ceiling)
    return np.asarray(np.log(inside) - np.log1p(-inside / ceiling))


def from_odds(odds: float, ceiling: float) -> float:
    """Return the relative regret with these log odds."""
    return ceiling / (1.0 + ceiling * math.exp(-odds))


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions of a deployment.

    Attributes:
        d: numbers of a context.
        arms: number of arms.
        horizon: rounds.
        noise: standard deviation of the noise on a reward, relative to that of expected rewards.
        rate: share of the weights of arms that is replaced per round; 0: rewards do not drift.
        contexts: a name of ``CONTEXT_LAWS``.
        shared: whether arms share weights through their features.
    """

    d: int
    arms: int
    horizon: int
    noise: float = 0.1
    rate: float = 0.0
    contexts: str = "zero-mean"
    shared: bool = False

    def check(self) -> None:
        """Check names and signs.

        Raises:
            GnomonError: if a value is not allowed; the message names the option.
        """
        require_known("distribution of contexts", self.contexts, CONTEXT_LAWS)
        for name, value in (("--d", self.d), ("--arms", self.arms)):
            if value < 2:
                raise GnomonError(f"{name} must be at least 2, not {value}")
        if self.horizon < 1:
            raise GnomonError(f"--horizon must be at least 1, not {self.horizon}")
        if not 0 <= self.noise < math.inf:
            raise GnomonError(f"--noise must be 0 or more, not {self.noise:g}")
        if not 0 <= self.rate < 1:
            raise GnomonError(f"--rate must be from 0 to below 1, not {self.rate:g}")
        if self.contexts == STATE and (self.rate or self.shared):
            raise GnomonError(
                "--drift yes has rewards that follow a hidden state; --rate and --shared yes need"
                " --drift no"
            )

    def outside(self) -> str:
        """Return the first value outside the ranges of the study, in words; empty if none is."""
        for name, (low, high) in RANGES.items():
            value = getattr(self, name)
            if not low <= value <= high * (1 + 1e-9):
                return f"{name} = {value:g} is outside {low:g} to {high:g}"
        if self.rate > MOST_RATE:
            return f"rate = {self.rate:g} is above {MOST_RATE:g}"
        return ""

    def place(self) -> Floats:
        """Return the coordinates: about 0 to 1 each, the last for categories."""
        rate = math.log10(max(self.rate, 1e-6) / 1e-6) / 4
        drift = math.log10(1 + 100 * self.rate * self.horizon) / 5
        logs = {name: self._log(name) for name in RANGES}
        of = {name: math.log(high / low) for name, (low, high) in RANGES.items()}
        samples = (logs["horizon"] - logs["d"] - logs["arms"]) / of["horizon"]
        kinds = [float(self.contexts == name) for name in CONTEXT_LAWS]
        ranges = [logs[name] / of[name] for name in RANGES]
        return np.array([*ranges, rate, drift, samples, float(self.shared), *kinds])

    def _log(self, name: str) -> float:
        low = RANGES[name][0]
        return math.log(max(getattr(self, name), low / 10) / low)

    @classmethod
    def from_row(cls, row: Mapping[str, str]) -> "Conditions":
        """Read the conditions of a cell from a row of ``cells.csv``."""
        return cls(
            int(row["d"]), int(row["arms"]), int(row["horizon"]), float(row["noise"]),
            float(row["rate"]), row["contexts"], row["shared"] == "yes",
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """Return the conditions as JSON-compatible data."""
        return {"d": self.d, "arms": self.arms, "horizon": self.horizon, "noise": self.noise,
                "rate": self.rate, "contexts": self.contexts, "shared": self.shared}  # fmt: skip


def setting_place(chosen: str) -> Floats:
    """Return the coordinates of a setting such as ``p = 4 x arms``, in factors of 4.

    A discount is measured by its distance from 1.
    """
    pairs = [(name, float(value)) for name, value in _NUMBER.findall(chosen)]
    values = [1.0 - value if name == _DISCOUNT else value for name, value in pairs]
    return np.asarray(np.log(np.array(values, dtype=float)) / math.log(4.0))


@dataclass(frozen=True)
class Covariance:
    """Covariance of a law: hyperparameters that left-out cells choose.

    Attributes:
        weights: of the coordinates in distances, by the names of ``COORDINATES``.
        setting: distance between two settings whose numbers differ by a factor of 4.
        linear: variance of the linear part, relative to the other part.
        nugget: variance of errors of a point, relative to it.
        cell: variance of the error that the points of a cell share, relative to it.
    """

    weights: Mapping[str, float]
    setting: float
    linear: float
    nugget: float
    cell: float

    @property
    def error(self) -> float:
        """Variance of all errors of a point."""
        return self.nugget + self.cell

    def between(self, one: Floats, other: Floats) -> Floats:
        """Return the kernel of all pairs, (n, m)."""
        a, b = self.scaled(one), self.scaled(other)
        products = a @ b.T
        squares = (a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1) - 2.0 * products
        result: Floats = np.exp(-0.5 * np.maximum(squares, 0.0)) + self.linear * products
        return result

    def measured(self, places: Floats, cells: npt.NDArray[np.int_]) -> Floats:
        """Return the covariance of measured points with their errors, (n, n)."""
        result = self.between(places, places)
        result += self.cell * (cells[:, None] == cells)
        result[np.diag_indices_from(result)] += self.nugget
        return result

    def scaled(self, places: Floats) -> Floats:
        """Return coordinates whose Euclidean distances the kernel is of."""
        settings = places.shape[-1] - len(COORDINATES)
        weights = [*(self.weights[name] for name in COORDINATES), *[self.setting] * settings]
        scaled: Floats = places * np.array(weights)
        return scaled

    def squares(self, place: Floats, others: Floats) -> Floats:
        """Return squared distances of conditions, whatever the settings."""
        here, there = (self.scaled(each[..., : len(COORDINATES)]) for each in (place, others))
        return np.asarray(((there - here) ** 2).sum(axis=1))


@dataclass(frozen=True, slots=True)
class MeasuredPoint:
    """One policy in one cell up to a round: relative regret, with its 95 % interval."""

    cell: int
    at: Conditions
    regret: Interval
    seeds: int
    locked: float | None  # share of runs that stay with bad arms; None: most do
    last: bool  # whether the round is the horizon of the cell
    chosen: str  # setting, chosen in training runs

    @property
    def locked_interval(self) -> Interval | None:
        """Share of locked runs with its 95 % interval (Wilson)."""
        if self.locked is None:
            return None
        return wilson_interval(self.locked * self.seeds, self.seeds)


@dataclass(frozen=True, slots=True)
class RoundsTo:
    """First rounds at which regret is at most a target; None: not up to the horizon.

    Attributes:
        first, last: the same of the low and the high end of the interval of regret.
        chance: that regret is at most the target at some round up to the horizon.
    """

    rounds: int | None
    first: int | None
    last: int | None
    chance: float


@dataclass(frozen=True)
class RegretLaw:
    """Law of one policy.

    Attributes:
        ceiling: regret that no run exceeds, of the log odds.
        error: half width of the interval in standard deviations of the process, calibrated on cells
            that were left out.
        median_error: median error of these cells, in log odds.
        most_variance: largest variance of a prediction; nine of ten left-out points are below it.
    """

    learner: str
    settings: str
    kernel: Covariance
    ceiling: float
    mean: float
    error: float
    median_error: float
    most_variance: float
    cells: int
    points: tuple[MeasuredPoint, ...] = field(repr=False)

    @cached_property
    def _settings(self) -> tuple[str, ...]:
        return tuple(sorted({each.chosen for each in self.points}))

    @cached_property
    def _places(self) -> Floats:
        return np.stack([self._place(each.at, each.chosen) for each in self.points])

    def _place(self, at: Conditions, chosen: str) -> Floats:
        return np.concatenate([at.place(), setting_place(chosen)])

    @cached_property
    def _ends(self) -> list[int]:
        return [place for place, each in enumerate(self.points) if each.last]

    @cached_property
    def _factor(self) -> tuple[Floats, bool]:
        """Cholesky factor of the covariance of the points."""
        cells = np.array([each.cell for each in self.points])
        covariance = self.kernel.measured(self._places, cells)
        factor, is_lower = cho_factor(covariance, lower=True, overwrite_a=True)
        return factor, is_lower

    @cached_property
    def _weights(self) -> Floats:
        regrets = np.array([each.regret.value for each in self.points])
        return np.asarray(cho_solve(self._factor, to_odds(regrets, self.ceiling) - self.mean))

    def _process(self, at: Sequence[Conditions], chosen: str) -> tuple[Floats, Floats]:
        """Return log odds and variances of predictions with a setting."""
        places = np.stack([self._place(each, chosen) for each in at])
        across = self.kernel.between(places, self._places)
        own = np.array([self.kernel.between(each[None], each[None])[0, 0] for each in places])
        known = (across * cho_solve(self._factor, across.T).T).sum(axis=1)
        variances = np.maximum(own - known, 0.0) + self.kernel.error
        return self.mean + across @ self._weights, variances

    def predict(self, at: Conditions) -> Interval:
        """Return the expected relative regret up to the horizon, with its interval."""
        odds, variances = self._process([at], self.setting(at))
        half = self.error * math.sqrt(variances[0])
        value, low, high = (from_odds(odds[0] + each, self.ceiling) for each in (0.0, -half, half))
        return Interval(value, low, high)

    def nearest(self, at: Conditions) -> MeasuredPoint:
        """Return the nearest cell at its horizon, by the distance of the kernel."""
        squares = self.kernel.squares(at.place(), self._places[self._ends])
        return self.points[self._ends[int(np.argmin(squares))]]

    def setting(self, at: Conditions) -> str:
        """Return the setting to play: what the cells chose most, near ones with more weight."""
        squares = self.kernel.squares(at.place(), self._places[self._ends])
        weights = np.exp(-0.5 * (squares - squares.min()) / _VOTE**2)
        votes = dict.fromkeys(self._settings, 0.0)
        for end, weight in zip(self._ends, weights, strict=True):
            votes[self.points[end].chosen] += float(weight)
        return max(votes, key=votes.__getitem__)

    def why_not(self, at: Conditions) -> str:
        """Return why nothing is predicted there; empty if it is."""
        outside = at.outside()
        if outside:
            return f"no regret was measured there: {outside}"
        if float(self._process([at], self.setting(at))[1][0]) <= self.most_variance:
            return ""
        where = self.nearest(at).at
        return (
            f"no regret was measured near: the nearest cell has d = {where.d}, {where.arms} arms,"
            f" {where.horizon:,} rounds, noise {where.noise:g}, rate {where.rate:g},"
            f" {where.contexts} contexts"
        )

    def rounds_to(self, target: float, at: Conditions) -> RoundsTo:
        """Return the first rounds at which regret is at most a target, and the chance of it.

        The search begins at ``EARLIEST``. The chance is that of a normal error whose median size is
        the median error of the cells that were left out.
        """
        low, high = float(EARLIEST), float(at.horizon)
        count = max(2, round(_STEPS_PER_DECADE * math.log10(max(high / low, 1.1))) + 1)
        steps = np.geomspace(min(low, high), high, count).tolist()
        rounds: list[int] = sorted({round(each) for each in steps})
        odds, variances = self._process(
            [replace(at, horizon=each) for each in rounds], self.setting(at)
        )
        half = self.error * np.sqrt(variances)
        goal = float(to_odds(np.array([target]), self.ceiling)[0])

        def first(values: Floats) -> int | None:
            reached = np.flatnonzero(values <= goal)
            if not reached.size:
                return None
            last = int(reached[0])
            if not last:
                return rounds[0]
            share = float((values[last - 1] - goal) / (values[last - 1] - values[last]))
            return math.ceil(rounds[last - 1] * math.pow(rounds[last] / rounds[last - 1], share))

        spread = self.median_error / _MEDIAN_ERROR
        chance = NormalDist(float(odds.min()), spread).cdf(goal)
        return RoundsTo(first(odds), first(odds - half), first(odds + half), chance)


def read_regret_laws(cells: Rows, points: Rows, laws: Rows) -> dict[tuple[str, str], RegretLaw]:
    """Return the laws of tables such as those of ``models/learners``, by learner and settings."""
    where = {row["cell"]: Conditions.from_row(row) for row in cells}
    measured: dict[tuple[str, str], list[MeasuredPoint]] = {}
    for row in points:
        cell, rounds = where[row["cell"]], int(row["rounds"])
        measured.setdefault((row["learner"], row["settings"]), []).append(
            MeasuredPoint(
                int(row["cell"]), replace(cell, horizon=rounds),
                Interval(float(row["regret"]), float(row["low"]), float(row["high"])),
                int(row["seeds"]), float(row["locked"]) if row["locked"] else None,
                rounds == cell.horizon, row["chosen"],
            )
        )  # fmt: skip
    found = {}
    for row in laws:
        key = (row["learner"], row["settings"])
        words = (each.rpartition(":") for each in row["weights"].split())
        kernel = Covariance(
            {name: float(value) for name, _, value in words},
            *(float(row[name]) for name in ("setting", "linear", "nugget", "cell")),
        )
        found[key] = RegretLaw(
            *key, kernel,
            float(row["ceiling"]), float(row["mean"]), float(row["error"]),
            float(row["median_error"]), float(row["most_variance"]),
            int(row["cells"]), tuple(measured[key]),
        )  # fmt: skip
    return found
