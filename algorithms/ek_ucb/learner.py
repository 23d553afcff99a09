"""EK-UCB of Zenati et al. (AISTATS 2022): kernel UCB projected on a dictionary of states.

As published, in orthonormal coordinates of the dictionary (the same choices up to rounding), and
without its history (gnomon's).
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.learn.kernels import Floats
from gnomon.learn.settings import positive, share, whole

from .pairs import Pairs, Rows, appended, bordered, dots, grown, rank_one, solve_lower, times

EPSILON = 0.5
"""Of the leverage score."""

SMALLEST_NOVELTY = 1e-4
"""Least distance of an anchor from the span of the others; in float64."""

RULES = ("novelty", "sampling")


class Sampling(Pairs):
    """Kernel online row sampling: a state is added with a probability that grows with its score.

    No state is removed.

    Args:
        projection: mu of the leverage scores; None: lambda.
        budget: gamma; None: lambda.
        smallest_novelty: a state nearer to the span of the anchors is never added (gnomon's:
            without it anchors nearly repeat, and their kernel matrix becomes singular).
        authors_score: take the inverted leverage score of the authors' public code instead of the
            published one, to repeat their figures.
    """

    grows: ClassVar[dict[str, str]] = {"anchors": "mD", "chances": "m", "sampling": "mm"}

    def __init__(
        self,
        *,
        projection: float | None = None,
        budget: float | None = None,
        smallest_novelty: float = SMALLEST_NOVELTY,
        authors_score: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        default = self.regularisation
        self.projection = positive("projection", default if projection is None else projection)
        self.budget = positive("budget", default if budget is None else budget)
        self.smallest_novelty = share("smallest_novelty", smallest_novelty)
        self.authors_score = authors_score
        self.anchors: Floats = np.zeros((0, self.length))  # Z, (m, D)
        self.chances: Floats = np.zeros(0)  # pi, the probability of adding each, (m)
        # inverse of the weighted kernel matrix of the anchors plus mu I, (m, m)
        self.sampling: Floats = np.zeros((0, 0))

    def _chance(self, column: Floats) -> float:
        """Return the probability of adding a state with these kernel values."""
        weighted = column / np.sqrt(self.chances)
        rest = 1.0 - float(dots(weighted, times(weighted[None], self.sampling)[0]))
        if self.authors_score:
            score = (1 + EPSILON) / self.projection * (1.0 - rest)
        else:
            score = (1 + EPSILON) * rest / (rest + self.projection)
        return min(self.budget * score, 1.0)

    def _drawn(self, column: Floats) -> float | None:
        """Return the probability if a state is added, else None; sample once."""
        if not len(self.anchors):
            return 1.0
        chance = self._chance(column)
        return chance if float(self._random()[0]) < chance else None

    def _is_new(self, novelty: float) -> bool:
        """Return whether a state at this distance from the span of the anchors may be added.

        A state in the span is not: the kernel matrix of the anchors would be singular.
        """
        return not len(self.anchors) or (novelty > 0 and novelty >= self.smallest_novelty)

    def _add_anchor(self, state: Floats, column: Floats, chance: float) -> None:
        weighted = column / np.sqrt(self.chances * chance)
        self.sampling = grown(self.sampling, weighted, 1.0 / chance + self.projection)
        self.chances = appended(self.chances, np.array(chance))
        self.anchors = appended(self.anchors, state)


class EfficientKernelUCB(Sampling):
    """Zenati et al., algorithm 2: matrices in kernel values."""

    name, variant = "ek-ucb", "standard"
    grows: ClassVar[dict[str, str]] = {
        "played": "tD", "rewards": "t", "columns": "tm", "inverse": "mm", "sums": "m",
        "kernel_inverse": "mm",
    }  # fmt: skip

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        # All states, (t, D), which new columns of the dictionary need; rewards, (t); kernel values
        # of states and anchors, (t, m)
        self.played, self.rewards, self.columns = Rows(self.length), Rows(), Rows(0)
        self.inverse: Floats = np.zeros((0, 0))  # Lambda, of K_ZS K_SZ + lambda K_ZZ, (m, m)
        self.sums: Floats = np.zeros(0)  # Gamma = K_ZS Y, (m)
        self.kernel_inverse: Floats = np.zeros((0, 0))  # of K_ZZ, (m, m)

    def _scores(self, contexts: Floats) -> Floats:
        columns = self._columns(self.anchors, self._states(contexts))
        weights = times(self.sums[None], self.inverse)[0]
        spread = times(columns, self.inverse - self.kernel_inverse / self.regularisation)
        variances = 1.0 / self.regularisation + dots(columns, spread)
        return self._bounds(dots(columns, weights), variances)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        state = self._state_of(contexts, arm)
        column = self._columns(self.anchors, state)[0]
        chance = self._drawn(column)
        if len(self.anchors):
            rank_one(self.inverse, column)
            self.sums = self.sums + reward * column
        self.columns.append(column)
        self.played.append(state[0])
        self.rewards.append(reward)
        if chance is not None:
            self._grow(state, column, chance)

    def _grow(self, state: Floats, column: Floats, chance: float) -> None:
        novelty = 1.0 - float(dots(column, times(column[None], self.kernel_inverse)[0]))
        if not self._is_new(novelty):
            return
        values = self._columns(self.played.all, state)[0]
        ridge = self.regularisation
        new = ridge * column + times(values[None], self.columns.all)[0]
        self.inverse = grown(self.inverse, new, ridge + float(dots(values, values)))
        self.kernel_inverse = grown(self.kernel_inverse, column, 1.0)
        self.sums = appended(self.sums, dots(values, self.rewards.all))
        self.columns.widen(values)
        self._add_anchor(state, column, chance)


class Whitened(Sampling):
    """EK-UCB in orthonormal coordinates of the dictionary: LinUCB of growing dimension.

    Features f(s) = L^-1 k_Z(s) with K_ZZ = L L^T; mean theta^T f, variance below. As the anchors
    come near each other, only the rows of L^-1 grow, which is not stored: P is never
    above I / lambda.
    """

    grows: ClassVar[dict[str, str]] = {"factor": "mm", "covariance": "mm", "sums": "m"}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.factor: Floats = np.zeros((0, 0))  # L, (m, m)
        self.covariance: Floats = np.zeros((0, 0))  # P, the inverse of sum f f^T + lambda I, (m, m)
        self.sums: Floats = np.zeros(0)  # y = sum r f, (m)

    def _scores(self, contexts: Floats) -> Floats:
        features = solve_lower(self.factor, self._columns(self.anchors, self._states(contexts)))
        theta = times(self.sums[None], self.covariance)[0]
        inside = dots(features, times(features, self.covariance))
        outside = np.maximum(1.0 - dots(features, features), 0.0) / self.regularisation
        return self._bounds(dots(features, theta), inside + outside)

    def _widen_factor(self, features: Floats, novelty: float) -> float:
        """Add the row of a new anchor to L; return its last element."""
        last = float(np.sqrt(novelty))
        self.factor = bordered(self.factor, features, last)
        return last


class WhitenedKernelUCB(Whitened):
    """EK-UCB with the choices of ``EfficientKernelUCB`` up to rounding."""

    name, variant = "ek-ucb", "optimized"
    grows: ClassVar[dict[str, str]] = {"played": "tD", "rewards": "t", "features": "tm"}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        # All states, (t, D), rewards, (t), and features of all states, (t, m)
        self.played, self.rewards, self.features = Rows(self.length), Rows(), Rows(0)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        state = self._state_of(contexts, arm)
        column = self._columns(self.anchors, state)[0]
        chance = self._drawn(column)
        features = solve_lower(self.factor, column[None])[0]
        if len(self.anchors):
            rank_one(self.covariance, features)
            self.sums = self.sums + reward * features
        self.features.append(features)
        self.played.append(state[0])
        self.rewards.append(reward)
        novelty = 1.0 - float(dots(features, features))
        if chance is not None and self._is_new(novelty):
            self._grow(state, column, features, novelty, chance)

    def _grow(
        self, state: Floats, column: Floats, features: Floats, novelty: float, chance: float
    ) -> None:
        last = self._widen_factor(features, novelty)
        values = self._columns(self.played.all, state)[0]
        rows = self.features.all
        new = (values - dots(rows, features)) / last
        coupling = times(new[None], rows)[0]
        corner = float(dots(new, new)) + self.regularisation
        self.covariance = grown(self.covariance, coupling, corner)
        self.sums = appended(self.sums, dots(new, self.rewards.all))
        self.features.widen(new)
        self._add_anchor(state, column, chance)


class HistoryFreeKernelUCB(Whitened):
    """EK-UCB without history (gnomon's): past states do not enter a new direction.

    Memory is O(m^2 + m D) for any t. The width is a heuristic, not a proven bound: the projection
    of a sum of outer products is not below the sum.

    Args:
        rule: ``novelty``: a state is added if it is far enough from the span of the anchors;
            nothing is sampled. ``sampling``: as in the other variants.
        most_anchors: largest number of anchors.
        settings: see ``Sampling``; ``smallest_novelty`` is 0.1 here.
    """

    name, variant = "ek-ucb", "history-free"

    def __init__(
        self,
        *,
        rule: Literal["novelty", "sampling"] = "novelty",
        most_anchors: int = 64,
        smallest_novelty: float = 0.1,
        **settings: Any,
    ) -> None:
        super().__init__(smallest_novelty=smallest_novelty, **settings)
        if rule not in RULES:
            raise GnomonError(f"rule must be novelty or sampling, not {rule!r}")
        self.rule = rule
        self.most_anchors = whole("most_anchors", most_anchors)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        state = self._state_of(contexts, arm)
        column = self._columns(self.anchors, state)[0]
        chance = self._drawn(column) if self.rule == "sampling" else 1.0
        features = solve_lower(self.factor, column[None])[0]
        novelty = 1.0 - float(dots(features, features))
        room = len(self.anchors) < self.most_anchors
        if chance is not None and room and self._is_new(novelty):
            last = self._widen_factor(features, novelty)
            self.covariance = bordered(self.covariance, 0.0, 1.0 / self.regularisation)
            self.sums = np.append(self.sums, 0.0)
            self._add_anchor(state, column, chance)
            features = np.append(features, last)
        rank_one(self.covariance, features)
        self.sums = self.sums + reward * features
