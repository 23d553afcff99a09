"""Kernels that only kernel methods need, in float64, each telling the recorder."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gnomon.learn._trace import note

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


def gaussian(points: Floats, states: Floats, bandwidth: float) -> Floats:
    """Values exp(-|s - z|^2 / (2 w^2)) of points z (rows, D) and states s (columns, D)."""
    if len(points):
        note("gaussian", (len(points), max(states.shape[-1], 1)), len(states))
    differences = states[:, None, :] - points[None, :, :]
    distances = (differences * differences).sum(axis=-1)
    values: Floats = np.exp(distances * (-0.5 / bandwidth**2))
    return values


def solve_lower(factor: Floats, columns: Floats) -> Floats:
    """Forward substitution: L f = k for each row k of ``columns``."""
    size = len(factor)
    if not size:
        return columns
    note("solve_lower", (size,), len(columns))
    # LAPACK's solver for any matrix: NumPy has none for triangles. The rows are the same.
    solved: Floats = np.linalg.solve(factor, columns.T).T.astype(np.float64, copy=False)
    return solved


def rank_one(inverse: Floats, x: Floats) -> None:
    """In place: the inverse of ``a + x x^T`` from that of a symmetric ``a``, Sherman-Morrison."""
    note("sherman_morrison", inverse.shape[-1:])
    w = inverse @ x
    inverse -= w[:, None] * (w / (1.0 + x @ w))[None, :]


def grown(inverse: Floats, column: Floats, corner: float) -> Floats:
    """The inverse of [[a, column], [column^T, corner]] from that of a symmetric ``a``."""
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


def dots(a: Floats, b: Floats) -> Floats:
    """``a b`` for rows of ``a`` and a vector, or row by row of two matrices."""
    product: Floats = (a * b).sum(axis=-1)
    if a.shape[-1]:
        note("dot", a.shape[-1:], math.prod(product.shape))
    return product


def times(rows: Floats, matrix: Floats) -> Floats:
    """Each row times a matrix."""
    if matrix.size:
        note("matvec", matrix.shape, len(rows))
    product: Floats = rows @ matrix
    return product
