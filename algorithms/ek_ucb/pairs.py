"""Base of kernel learners: states of a context and an action, and their linear algebra."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gnomon.learn import Learner, Sizes
from gnomon.learn.kernels import Floats, note, sqrt
from gnomon.learn.settings import positive, rows_of_arms


class Rows:
    """Rows that are appended one by one, in place: copying all of them each time is quadratic."""

    def __init__(self, *shape: int) -> None:
        self._buffer: Floats = np.zeros((16, *shape))
        self._count = 0

    @property
    def all(self) -> Floats:
        """Rows so far, not a copy."""
        return self._buffer[: self._count]

    def append(self, row: Floats | float) -> None:
        if self._count == len(self._buffer):
            more = np.zeros((max(self._count, 1), *self._buffer.shape[1:]))
            self._buffer = np.concatenate([self._buffer, more])
        self._buffer[self._count] = row
        self._count += 1

    def widen(self, column: Floats) -> None:
        empty = np.zeros((len(self._buffer), 1))
        self._buffer = np.concatenate([self._buffer, empty], axis=1)
        self._buffer[: self._count, -1] = column

    def replace(self, rows: Floats) -> None:
        self._buffer = np.array(rows)
        self._count = len(rows)


class GrowingInverse:
    """Inverse of a kernel matrix plus lambda I that grows by a row and a column, in place.

    Block inversion by the Schur complement: O(t^2) for each added state.

    Args:
        regularisation: lambda; the kernel of a state with itself is 1.
    """

    def __init__(self, regularisation: float) -> None:
        self._corner = 1.0 + regularisation
        self._buffer: Floats = np.zeros((16, 16))
        self._count = 0

    @property
    def all(self) -> Floats:
        """Inverse, (t, t), not a copy."""
        return self._buffer[: self._count, : self._count]

    def replace(self, inverse: Floats) -> None:
        self._buffer = np.array(inverse)
        self._count = len(inverse)

    def grow(self, column: Floats) -> None:
        """Add a state whose kernel values with the earlier states are ``column``, (t)."""
        count = self._count
        if count == len(self._buffer):
            room = max(2 * count, 1)
            larger = np.zeros((room, room))
            larger[:count, :count] = self._buffer
            self._buffer = larger
        inverse = self.all
        if count:
            note("grow_inverse", (count,))
        w = inverse @ column
        schur = self._corner - float(column @ w)
        inverse += w[:, None] * (w / schur)[None, :]
        self._count += 1
        whole = self.all
        whole[count, :count] = whole[:count, count] = -w / schur
        whole[count, count] = 1.0 / schur


class Pairs(Learner):
    """Upper confidence bound over states s = (context, action).

    The first arm is sampled; later ones have the highest mean + ``beta`` sqrt(variance).

    Args:
        actions: coordinates of each arm, (C, q), or (C) for one coordinate.
        dimensions: p, the length of a context; a state has D = p + q coordinates.
        bandwidth: w of the kernel exp(-|s - s'|^2 / (2 w^2)).
        regularisation: lambda.
        beta: radius of the confidence bound, the same in all steps.
        seed: seed of the first arm and of all other random choices of a learner.

    Raises:
        GnomonError: if a setting is out of range.
    """

    follows_scores: ClassVar[bool] = False
    grows: ClassVar[dict[str, str]] = {}
    """The state of a class besides that of those above it: attributes that are arrays, or grow,
    with a letter for each length: D coordinates of a state, t steps, m anchors."""

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
        rows = rows_of_arms("actions", actions, "(arms, q)", column=True)
        super().__init__(Sizes(len(rows), dimensions), seed=seed)
        self.actions: Floats = rows
        self.bandwidth = positive("bandwidth", bandwidth)
        self.regularisation = positive("regularisation", regularisation)
        self.beta = positive("beta", beta, zero=True)

    @property
    def state(self) -> dict[str, Floats]:
        held = {name: getattr(self, name) for name in self.state_shapes}
        return {
            name: each.all if isinstance(each, Rows | GrowingInverse) else each
            for name, each in held.items()
        }

    @property
    def state_shapes(self) -> dict[str, tuple[int | str, ...]]:
        lengths = {"D": self.length, "1": 1}
        named = [vars(kind).get("grows", {}) for kind in reversed(type(self).__mro__)]
        return {
            name: tuple(lengths.get(letter, letter) for letter in shape)
            for own in named
            for name, shape in own.items()
        }

    def _restore(self, arrays: dict[str, Floats]) -> None:
        for name in self.state_shapes:
            each = getattr(self, name)
            if isinstance(each, Rows | GrowingInverse):
                each.replace(arrays[name])
            else:
                setattr(self, name, np.array(arrays[name]))

    @property
    def length(self) -> int:
        """Number of coordinates of a state, D."""
        return self.sizes.dimensions + int(self.actions.shape[1])

    def _choose(self, contexts: Floats) -> int:
        if not self.steps:
            return self._random_arm()
        return self._best(self._scores(contexts))

    def _chances(self, contexts: Floats) -> Floats | None:
        if not self.steps:
            return self._evenly()
        return self._surely(self._best(self._scores(contexts)))

    def _states(self, contexts: Floats) -> Floats:
        """Return the states of all arms, (C, D)."""
        # Its memory layout must not depend on the contexts': sums would round in another order.
        return np.ascontiguousarray(np.hstack([contexts, self.actions]))

    def _state_of(self, contexts: Floats, arm: int) -> Floats:
        """Return the state of one arm, (1, D)."""
        return np.hstack([contexts[arm], self.actions[arm]])[None]

    def _columns(self, points: Floats, states: Floats) -> Floats:
        """Return kernel values, one row per state."""
        return gaussian(points, states, self.bandwidth)

    def _bounds(self, means: Floats, variances: Floats) -> Floats:
        """Return upper confidence bounds; variances below 0, as the paper's form gives, count as 0.

        Their size depends on the distances between the anchors, so none is rejected.
        """
        if self._exploiting:
            return means
        self.clamped_variances += int((variances < 0).sum())
        return means + self.beta * sqrt(np.maximum(variances, 0.0))


def gaussian(points: Floats, states: Floats, bandwidth: float) -> Floats:
    """Return exp(-|s - z|^2 / (2 w^2)) of points z (rows, D) and states s (columns, D)."""
    if len(points):
        note("gaussian", (len(points), max(states.shape[-1], 1)), len(states))
    differences = states[:, None, :] - points[None, :, :]
    distances = (differences * differences).sum(axis=-1)
    return np.asarray(np.exp(distances * (-0.5 / bandwidth**2)))


def solve_lower(factor: Floats, columns: Floats) -> Floats:
    """Solve L f = k by forward substitution for each row k of ``columns``."""
    size = len(factor)
    if not size:
        return columns
    note("solve_lower", (size,), len(columns))
    # LAPACK's general solver: NumPy has none for triangles. The rows are the same.
    return np.asarray(np.linalg.solve(factor, columns.T).T.astype(np.float64, copy=False))


def rank_one(inverse: Floats, x: Floats) -> None:
    """Update the inverse of a symmetric ``a`` in place to that of ``a + x x^T``."""
    note("sherman_morrison", inverse.shape[-1:])
    w = inverse @ x
    inverse -= w[:, None] * (w / (1.0 + x @ w))[None, :]


def grown(inverse: Floats, column: Floats, corner: float) -> Floats:
    """Compute the inverse of [[a, column], [column^T, corner]] from that of a symmetric ``a``."""
    size = len(inverse)
    larger: Floats = np.empty((size + 1, size + 1))
    if not size:
        larger[0, 0] = 1.0 / corner
        return larger
    note("grow_inverse", (size,))
    y = inverse @ column
    schur = corner - float(column @ y)
    larger[:size, :size] = inverse + y[:, None] * (y / schur)[None, :]
    larger[size, :size] = larger[:size, size] = -y / schur
    larger[size, size] = 1.0 / schur
    return larger


def bordered(matrix: Floats, row: Floats | float, corner: float) -> Floats:
    """Add a row to a matrix, and a column of zeros above its corner."""
    size = len(matrix)
    larger: Floats = np.zeros((size + 1, size + 1))
    larger[:size, :size] = matrix
    larger[size, :size], larger[size, size] = row, corner
    return larger


def dots(a: Floats, b: Floats) -> Floats:
    """Return ``a b`` for rows of ``a`` and a vector, or row by row of two matrices."""
    product: Floats = (a * b).sum(axis=-1)
    if a.shape[-1]:
        note("dot", a.shape[-1:], math.prod(product.shape))
    return product


def times(rows: Floats, matrix: Floats) -> Floats:
    """Multiply each row by a matrix."""
    if matrix.size:
        note("matvec", matrix.shape, len(rows))
    return np.asarray(rows @ matrix)


def appended(rows: Floats, more: Floats) -> Floats:
    """Append a row, or an element."""
    return np.asarray(np.concatenate([rows, np.reshape(more, (1, *rows.shape[1:]))]))
