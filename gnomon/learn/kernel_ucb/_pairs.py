"""What the kernel learners share: pairs of a context and an action, a Gaussian kernel, a radius."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.learn.kernel_ucb._kernels import gaussian
from gnomon.learn.kernels import Floats, sqrt
from gnomon.learn.learner import Learner, Sizes, positive

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class Pairs(Learner):
    """An upper confidence bound over states s = (context, action).

    The first arm is drawn; later ones have the highest mean + ``beta`` sqrt(variance).

    Args:
        actions: coordinates of each arm, (C, q), or (C) for one coordinate.
        dimensions: p, the length of a context; a state has D = p + q coordinates.
        bandwidth: w of the kernel exp(-|s - s'|^2 / (2 w^2)).
        regularisation: lambda.
        beta: radius of the confidence bound, the same in all steps.
        seed: of the first arm, and of what else a learner draws.

    Raises:
        GnomonError: a setting is out of range.
    """

    follows_scores: ClassVar[bool] = False

    def __init__(
        self,
        *,
        actions: ArrayLike,
        dimensions: int,
        bandwidth: float = 0.1,
        regularisation: float = 10.0,
        beta: float = 0.1,
        seed: int = 0,
    ) -> None:
        try:
            rows = np.asarray(actions, dtype=np.float64)
        except (TypeError, ValueError):
            raise GnomonError("actions must be one row of numbers for each arm") from None
        if rows.ndim == 1:
            rows = rows[:, None]
        if rows.ndim != 2 or not rows.shape[1]:
            raise GnomonError(f"actions must have the shape (arms, q), not {rows.shape}")
        if not np.isfinite(rows).all():
            raise GnomonError("actions must be finite numbers")
        super().__init__(Sizes(len(rows), dimensions), seed=seed)
        self.actions: Floats = rows.copy()
        self.bandwidth = positive("bandwidth", bandwidth)
        self.regularisation = positive("regularisation", regularisation)
        self.beta = positive("beta", beta, zero=True)
        self.seed = seed

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "actions": self.actions.tolist(),
            "dimensions": self.sizes.dimensions,
            "bandwidth": self.bandwidth,
            "regularisation": self.regularisation,
            "beta": self.beta,
            "seed": self.seed,
        }

    @property
    def length(self) -> int:
        """Coordinates of a state, D."""
        return self.sizes.dimensions + int(self.actions.shape[1])

    def _choose(self, contexts: Floats) -> int:
        if not self.steps:
            return self._random_arm()
        return self._best(self._scores(contexts))

    def _states(self, contexts: Floats) -> Floats:
        """(C, D)."""
        # Its layout must not hang on that of the contexts: sums would round in another order.
        return np.ascontiguousarray(np.hstack([contexts, self.actions]))

    def _state_of(self, contexts: Floats, arm: int) -> Floats:
        """(1, D)."""
        return np.hstack([contexts[arm], self.actions[arm]])[None]

    def _columns(self, points: Floats, states: Floats) -> Floats:
        """Kernel values, one row per state."""
        return gaussian(points, states, self.bandwidth)

    def _bounds(self, means: Floats, variances: Floats) -> Floats:
        """Upper confidence bounds; variances below 0 count as 0, as the paper's form makes some.

        How far below hangs on how near the anchors are to each other, so none is refused.
        """
        self.clamped_variances += int((variances < 0).sum())
        return means + self.beta * sqrt(np.maximum(variances, 0.0))


def appended(rows: Floats, more: Floats) -> Floats:
    """A row more, or an element more."""
    joined: Floats = np.concatenate([rows, np.reshape(more, (1, *rows.shape[1:]))])
    return joined


class Rows:
    """Rows that are appended one by one, in place: copying all of them each time is quadratic."""

    def __init__(self, *shape: int) -> None:
        self._buffer: Floats = np.zeros((16, *shape))
        self._count = 0

    @property
    def all(self) -> Floats:
        """The rows so far, not a copy."""
        return self._buffer[: self._count]

    def append(self, row: Floats | float) -> None:
        """One row more."""
        if self._count == len(self._buffer):
            more = np.zeros((max(self._count, 1), *self._buffer.shape[1:]))
            self._buffer = np.concatenate([self._buffer, more])
        self._buffer[self._count] = row
        self._count += 1

    def widen(self, column: Floats) -> None:
        """One column more."""
        empty = np.zeros((len(self._buffer), 1))
        self._buffer = np.concatenate([self._buffer, empty], axis=1)
        self._buffer[: self._count, -1] = column

    def replace(self, rows: Floats) -> None:
        """Other rows."""
        self._buffer = np.array(rows)
        self._count = len(rows)
