"""First pass over a log: its length, its arms, and the features that become numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from gnomon.base.errors import GnomonError
from gnomon.learn.kernels import Floats
from gnomon.learn.logged._log import ClickLog, Features, Visit
from gnomon.learn.settings import whole

ARM_FEATURES = 5
"""Most features of an arm in addition to the constant 1; beyond, the first principal components."""

_PROGRESS_PERIOD = 2000


@dataclass(frozen=True, slots=True)
class Survey:
    """Content of a log.

    Attributes:
        rounds: number of visits, limited to the requested number.
        clicks: number of visits with a click.
        arms: ids of all arms of all pools, in the order of their numbers; K.
        user_features: names of the features in a context, after a constant 1; d - 1.
        all_user_features: number of different user features.
        arm_features: 1, then features of each arm, (K, f); None where arms have none.
        least_propensity: the smallest probability with which any arm was shown.
        pool_sizes: smallest and largest number of arms to choose from.
        shares: shows and clicks of each arm over their propensities, in rounds of even and of odd
            number, (2, 2, K).
    """

    rounds: int
    clicks: int
    arms: tuple[str, ...]
    user_features: tuple[str, ...]
    all_user_features: int
    arm_features: Floats | None = field(repr=False)
    least_propensity: float
    pool_sizes: tuple[int, int]
    shares: Floats = field(repr=False)
    _numbers: Mapping[str, int] = field(repr=False)
    _columns: Mapping[str, int] = field(repr=False)
    _pools: dict[tuple[str, ...], NDArray[np.int64]] = field(repr=False, default_factory=dict)

    @classmethod
    def from_log(
        cls,
        log: ClickLog,
        *,
        rounds: int | None = None,
        dimensions: int = 12,
        progress: Callable[[int], None] = lambda _: None,
    ) -> Survey:
        """Read a log once and summarize it.

        A context holds a constant 1, then the features of users with the largest variance over all
        visits; if variances are equal, the first by name. Memory grows with arms and features, not
        with visits.

        Args:
            log: the log to read.
            rounds: number of visits to read; None for all.
            dimensions: most values of a context, including the constant.
            progress: function that receives the number of visits read.

        Raises:
            GnomonError: if the log cannot be read, is empty, or a setting is out of range.
        """
        whole("dimensions", dimensions)
        if rounds is not None:
            whole("rounds", rounds)
        sums: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        shares: defaultdict[str, Floats] = defaultdict(lambda: np.zeros((2, 2)))
        pools: set[tuple[str, ...]] = set()
        least, clicks, count = 1.0, 0, 0
        for visit in islice(log.visits(), rounds):
            least = min(least, visit.propensity)
            clicks += visit.click
            shares[visit.arm][count % 2] += (1.0 / visit.propensity, visit.click / visit.propensity)
            for name, value in visit.user:
                of_name = sums[name]
                of_name[0] += value
                of_name[1] += value * value
            pools.add(visit.pool)
            count += 1
            if count % _PROGRESS_PERIOD == 0:
                progress(count)
        if not count:
            raise GnomonError(f"{log.files[0]}: holds no visit")
        progress(count)
        arms = tuple(sorted({arm for pool in pools for arm in pool}, key=_natural))
        names = _most_varied(sums, count, dimensions - 1)
        of_arms = np.stack([shares[arm] for arm in arms])
        return cls(
            rounds=count,
            clicks=clicks,
            arms=arms,
            user_features=names,
            all_user_features=len(sums),
            arm_features=_arm_matrix(arms, log.arm_features),
            least_propensity=least,
            pool_sizes=(min(map(len, pools)), max(map(len, pools))),
            shares=np.moveaxis(of_arms, 0, 2),
            _numbers={arm: number for number, arm in enumerate(arms)},
            _columns={name: column for column, name in enumerate(names, start=1)},
        )

    @property
    def click_rate(self) -> float:
        """Clicks per round of the policy that the site played."""
        return self.clicks / self.rounds

    def number(self, arm: str) -> int:
        """Return the number of an arm."""
        return self._numbers[arm]

    def context(self, visit: Visit) -> Floats:
        """Return the context of a visit: 1, then the values of ``user_features``; (d)."""
        context = np.zeros(len(self._columns) + 1)
        context[0] = 1.0
        for name, value in visit.user:
            column = self._columns.get(name)
            if column is not None:
                context[column] = value
        return context

    def pool(self, visit: Visit) -> NDArray[np.int64]:
        """Return the numbers of the arms that could be shown, ascending."""
        found = self._pools.get(visit.pool)
        if found is None:
            found = np.sort(np.array([self._numbers[arm] for arm in visit.pool], dtype=np.int64))
            self._pools[visit.pool] = found
        return found


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Return a sort key that orders numbers within names by value."""
    return [
        (0, len(part.lstrip("0")), part.lstrip("0")) if part.isdecimal() else (1, 0, part)
        for part in re.split(r"(\d+)", name)
        if part
    ]


def _most_varied(sums: Mapping[str, list[float]], count: int, most: int) -> tuple[str, ...]:
    variances = {
        name: float(squares / count - (total / count) ** 2)
        for name, (total, squares) in sums.items()
    }
    varied = [name for name in sorted(variances, key=_natural) if variances[name] > 1e-12]
    taken = sorted(varied, key=lambda name: -variances[name])[:most]
    return tuple(sorted(taken, key=_natural))


def _arm_matrix(arms: Iterable[str], features: Mapping[str, Features]) -> Floats | None:
    """Return a constant 1 and at most ``ARM_FEATURES`` values of each arm, (K, f)."""
    rows = [dict(features.get(arm, ())) for arm in arms]
    names = sorted({name for row in rows for name in row}, key=_natural)
    table = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    if names:
        table = table[:, np.ptp(table, axis=0) > 0]
    if not table.size:
        return None
    if table.shape[1] > ARM_FEATURES:
        centred = table - table.mean(axis=0)
        _, _, directions = np.linalg.svd(centred, full_matrices=False)
        directions = directions[:ARM_FEATURES]
        # A direction has no sign; its largest component is made positive.
        largest = np.abs(directions).argmax(axis=1)
        directions *= np.sign(directions[np.arange(len(directions)), largest])[:, None]
        table = centred @ directions.T
    return np.hstack([np.ones((len(table), 1)), table])
