"""The matrix kernels that the learners are made of, in float64, each telling the recorder.

Every operand may carry leading axes: ``(arms, d, d)`` is one matrix per arm, and the kernel is
recorded once per arm. Shapes in the docstrings leave those axes out. A vector of one number per
arm, such as the scores, is one operand of that length.
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gnomon.base.errors import GnomonError
from gnomon.learn._trace import note as note  # noqa: PLC0414 - for learners

Floats: TypeAlias = NDArray[np.float64]


def add(a: Floats, b: Floats) -> Floats:
    """``a + b``; a matrix, or a vector as one column."""
    note("add", _matrix_shape(a))
    return a + b


def sub(a: Floats, b: Floats) -> Floats:
    """``a - b``; a matrix, or a vector as one column."""
    note("sub", _matrix_shape(a))
    return a - b


def sub_each(a: Floats, b: Floats) -> Floats:
    """``a - b`` of one vector per arm."""
    note("sub", (a.shape[-1], 1), math.prod(a.shape[:-1]))
    return a - b


def scale(a: Floats, factor: float) -> Floats:
    """``factor * a``; a matrix, or a vector as one column."""
    note("scale", _matrix_shape(a))
    return a * factor


def divide(a: Floats, divisor: float) -> Floats:
    """``a / divisor``, one division per element."""
    note("divide", _matrix_shape(a))
    return a / divisor


def transpose(a: Floats) -> Floats:
    """``a`` (rows, columns) as (columns, rows)."""
    note("transpose", a.shape[-2:], math.prod(a.shape[:-2]))
    return a.swapaxes(-1, -2)


def multiply(a: Floats, b: Floats) -> Floats:
    """``a b``: (rows, inner) by (inner, columns)."""
    note("multiply", (*a.shape[-2:], b.shape[-1]), math.prod(a.shape[:-2]))
    return a @ b


def matvec(a: Floats, x: Floats) -> Floats:
    """``a x``: (rows, columns) by (columns)."""
    product: Floats = (a @ x[..., None])[..., 0]
    note("matvec", a.shape[-2:], math.prod(product.shape[:-1]))
    return product


def dot(a: Floats, b: Floats) -> Floats:
    """``a^T b`` of two vectors, one number per arm."""
    product = np.asarray(np.add.reduce(a * b, axis=-1))
    note("dot", (max(a.shape[-1], b.shape[-1]),), math.prod(product.shape))
    return product


def outer(a: Floats, b: Floats) -> Floats:
    """``a b^T``: (rows) by (columns)."""
    product: Floats = a[..., :, None] * b[..., None, :]
    note("outer", product.shape[-2:], math.prod(product.shape[:-2]))
    return product


def lu_invert(a: Floats) -> Floats:
    """Inverse of (size, size) by an LU factorisation.

    The recorder sees the Doolittle inversion of the paper implementation. Here LAPACK does it, with
    partial pivoting; for the positive definite matrices of the learners both are stable.

    Raises:
        GnomonError: the matrix is singular.
    """
    note("lu_invert", a.shape[-1:], math.prod(a.shape[:-2]))
    try:
        return np.linalg.inv(a).astype(np.float64, copy=False)
    except np.linalg.LinAlgError:
        raise GnomonError(
            f"a {a.shape[-1]}x{a.shape[-1]} matrix is singular and cannot be inverted;"
            " contexts of very different size, or a regularisation near 0, do that"
        ) from None


def sherman_morrison(inverse: Floats, x: Floats) -> Floats:
    """Inverse of ``a + x x^T`` from the inverse of ``a``, equations (7), (8) and (11)."""
    note("sherman_morrison", inverse.shape[-1:])
    left, right = inverse @ x, x @ inverse
    change: Floats = left[:, None] * right
    np.divide(change, 1.0 + x @ left, out=change)
    return np.subtract(inverse, change, out=change)


def woodbury(inverse: Floats, b: Floats, a: Floats, *, sign: int) -> Floats:
    """Inverse of ``a0 + sign b^T a^-1 b`` from the inverse of ``a0``, equations (10) and (12).

    Args:
        inverse: of a0, (size, size).
        b: (rank, size).
        a: (rank, rank), itself and not its inverse.
        sign: 1 or -1.

    Raises:
        GnomonError: a matrix on the way is singular.
    """
    note("woodbury", b.shape[::-1])
    left, right = inverse @ b.T, b @ inverse
    try:
        middle = np.linalg.inv(a + sign * (b @ left))
    except np.linalg.LinAlgError:
        raise GnomonError(
            f"the inner {b.shape[0]}x{b.shape[0]} matrix of a Woodbury update is singular;"
            " contexts of very different size do that"
        ) from None
    return inverse - sign * ((left @ middle) @ right)


def sqrt(a: Floats) -> Floats:
    """Square root of one number per arm."""
    note("sqrt", a.shape)
    return np.sqrt(a)


def outer_symmetric(x: Floats) -> Floats:
    """``x x^T``, to be added to a symmetric matrix: its lower half is counted."""
    note("rank1_symmetric", x.shape[-1:])
    product: Floats = x[:, None] * x[None, :]
    return product


def solve_positive(a: Floats, b: Floats) -> Floats:
    """The solution of ``a x = b`` for a positive definite ``a`` (size, size), by L D L^T.

    Here LAPACK does it, by Cholesky's.

    Raises:
        GnomonError: the matrix is not positive definite.
    """
    note("solve_positive", a.shape[-1:])
    try:
        factor = np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        raise GnomonError(
            f"a {a.shape[-1]}x{a.shape[-1]} matrix is not positive definite and cannot be"
            " factored; contexts of very different size do that"
        ) from None
    x: Floats = np.linalg.solve(factor.T, np.linalg.solve(factor, b))
    return x


def eigen_symmetric(a: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues, ascending, and eigenvectors as columns of a symmetric matrix (size, size)."""
    note("eigen_symmetric", a.shape[-1:], math.prod(a.shape[:-2]))
    values, vectors = np.linalg.eigh(a)
    return values.astype(np.float64, copy=False), vectors.astype(np.float64, copy=False)


def exp(a: Floats) -> Floats:
    """Exponential of one number per arm."""
    note("exp", a.shape)
    return np.exp(a)


def argmax(a: Floats) -> int:
    """Index of the largest number; of equal ones, the lowest."""
    note("argmax", a.shape)
    return int(a.argmax())


def uniform(generator: np.random.Generator, count: int) -> Floats:
    """Random numbers from 0 up to 1."""
    note("random", (count,))
    return generator.random(count)


def _matrix_shape(a: Floats) -> tuple[int, int]:
    return (a.shape[0], a.shape[1]) if a.ndim == 2 else (a.shape[0], 1)
