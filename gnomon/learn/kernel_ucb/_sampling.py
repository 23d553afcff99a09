"""Kernel online row sampling: which states become anchors of the dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.learn.kernel_ucb._kernels import dots, grown, times
from gnomon.learn.kernel_ucb._pairs import Pairs, appended
from gnomon.learn.learner import positive, share

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats

EPSILON = 0.5
"""Of the leverage score."""

SMALLEST_NOVELTY = 1e-4
"""Least distance of an anchor from the span of the others; in float64."""


class Sampling(Pairs):
    """Adds a state with a probability that grows with its leverage score, and never removes one.

    Args:
        projection: mu of the leverage scores; None: lambda.
        budget: gamma; None: lambda.
        smallest_novelty: a state nearer than that to the span of the anchors is never added (ours:
            without it anchors nearly repeat, and their kernel matrix becomes singular).
        authors_score: take the inverted leverage score of the authors' public code instead of the
            published one, to repeat their figures.
        settings: see ``Pairs``.

    Attributes:
        anchors: Z, (m, D).
        chances: pi, the probability with which each was added, (m).
        sampling: inverse of the weighted kernel matrix of the anchors plus mu I, (m, m).
    """

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
        self.anchors: Floats = np.zeros((0, self.length))
        self.chances: Floats = np.zeros(0)
        self.sampling: Floats = np.zeros((0, 0))

    @property
    def settings(self) -> dict[str, Any]:
        return {
            **super().settings,
            "projection": self.projection,
            "budget": self.budget,
            "smallest_novelty": self.smallest_novelty,
            "authors_score": self.authors_score,
        }

    @property
    def state(self) -> dict[str, Floats]:
        return {"anchors": self.anchors, "chances": self.chances, "sampling": self.sampling}

    @property
    def state_shapes(self) -> dict[str, tuple[int | str, ...]]:
        return {"anchors": ("m", self.length), "chances": ("m",), "sampling": ("m", "m")}

    def _restore(self, arrays: dict[str, Floats]) -> None:
        for name in ("anchors", "chances", "sampling"):
            setattr(self, name, np.array(arrays[name]))

    def _chance(self, column: Floats) -> float:
        """Probability with which a state of these kernel values would be added."""
        weighted = column / np.sqrt(self.chances)
        rest = 1.0 - float(dots(weighted, times(weighted[None], self.sampling)[0]))
        if self.authors_score:
            score = (1 + EPSILON) / self.projection * (1.0 - rest)
        else:
            score = (1 + EPSILON) * rest / (rest + self.projection)
        return min(self.budget * score, 1.0)

    def _drawn(self, column: Floats) -> float | None:
        """The chance of a state that is to be added, None for one that is not; draws once."""
        if not len(self.anchors):
            return 1.0
        chance = self._chance(column)
        return chance if float(self._random()[0]) < chance else None

    def _is_new(self, novelty: float) -> bool:
        """Whether a state may be added that is so far from the span of the anchors.

        One that lies in it never is: the kernel matrix of the anchors would be singular.
        """
        return not len(self.anchors) or (novelty > 0 and novelty >= self.smallest_novelty)

    def _add_anchor(self, state: Floats, column: Floats, chance: float) -> None:
        weighted = column / np.sqrt(self.chances * chance)
        self.sampling = grown(self.sampling, weighted, 1.0 / chance + self.projection)
        self.chances = appended(self.chances, np.array(chance))
        self.anchors = appended(self.anchors, state)
