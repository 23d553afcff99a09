"""Kernels of learners: each computes in float64, reports to the trace, and has a count.

Every operand may carry leading axes: ``(arms, d, d)`` is one matrix per arm, and the kernel is
recorded once per arm. Shapes in the docstrings leave those axes out. A vector of one number per
arm, such as the scores, is one operand of that length.

Counted are the loops of the paper implementation: matrix products as triple loops, the inverse by
Doolittle's LU factorisation without pivoting, followed by forward and backward substitution with
sums over all n - 1 other terms, structural zeros included, as in the authors' public library
(klessydra/Libraries, ``dsp_libs``, commit d30dad2). A tuned kernel takes fewer. Kernels that the
paper does not have are counted as their textbook loops, symmetry used; the one that iterates,
``eigen_symmetric``, with two iterations per eigenvalue.
"""

import math
from collections.abc import Callable
from inspect import signature
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from gnomon.base.errors import GnomonError
from gnomon.learn._operations import Operations
from gnomon.learn._recorder import note as note  # noqa: PLC0414 - for learners

Floats: TypeAlias = NDArray[np.float64]

Part: TypeAlias = tuple[str, tuple[int, ...]]
"""A simpler call: its kernel and shape."""

Count: TypeAlias = Callable[..., Operations | tuple[Part, ...]]
"""Function of the numbers of a shape: operations of a kernel, or the calls that compose it."""

COUNTS: Final[dict[str, Count]] = {}
"""Operation count of each kernel, by name."""

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _counted(count: Count, *, name: str = "") -> Callable[[_Function], _Function]:
    """Register the count of a kernel under its function's name unless another name is given."""

    def register(function: _Function) -> _Function:
        COUNTS[name or function.__name__] = count
        return function

    return register


def _count_lu_invert(size: int) -> Operations:
    n = size
    factors = n * (n * n - 1) // 6 + n * (n - 1) * (n - 2) // 6
    return Operations(
        mac=factors + 2 * n * n * (n - 1),
        add=3 * n * n,
        divide=n + n * (n - 1) // 2 + 2 * n * n,
    )


def _sherman_morrison_parts(size: int) -> tuple[Part, ...]:
    """Return equation (7) as Algorithm 1 writes it, one division per element."""
    square = (size, size)
    return (
        (matvec.__name__, square), (matvec.__name__, square), (dot.__name__, (size,)),
        (add.__name__, (1, 1)), (outer.__name__, square), (divide.__name__, square),
        (sub.__name__, square),
    )  # fmt: skip


def _woodbury_parts(size: int, rank: int) -> tuple[Part, ...]:
    """Return equation (9) as Algorithm 2 writes it, each distinct product once."""
    return (
        (transpose.__name__, (rank, size)), (multiply.__name__, (size, size, rank)),
        (multiply.__name__, (rank, size, size)), (multiply.__name__, (rank, size, rank)),
        (add.__name__, (rank, rank)), (lu_invert.__name__, (rank,)),
        (multiply.__name__, (size, rank, rank)), (multiply.__name__, (size, rank, size)),
        (sub.__name__, (size, size)),
    )  # fmt: skip


def _count_solve_positive(size: int) -> Operations:
    """Return the count of a solution by L D L^T, a reciprocal of each pivot."""
    n = size
    factor = Operations(mac=(n**3 - n) // 6, multiply=n * (n - 1) // 2, divide=n)
    return factor + Operations(mac=n * (n - 1), multiply=n)


def _count_eigen_symmetric(size: int) -> Operations:
    """Return the count of Householder's reduction, then two steps of QL for each value."""
    return Operations(mac=(4 * size**3 + 2) // 3 + 6 * size**3, sqrt=3 * size)


@_counted(lambda rows, columns: Operations(add=rows * columns))
def add(a: Floats, b: Floats) -> Floats:
    """Return ``a + b``; a matrix, or a vector as one column."""
    note(add.__name__, _matrix_shape(a))
    return a + b


@_counted(lambda rows, columns: Operations(add=rows * columns))
def sub(a: Floats, b: Floats) -> Floats:
    """Return ``a - b``; a matrix, or a vector as one column."""
    note(sub.__name__, _matrix_shape(a))
    return a - b


def sub_each(a: Floats, b: Floats) -> Floats:
    """Return ``a - b`` of one vector per arm."""
    note(sub.__name__, (a.shape[-1], 1), math.prod(a.shape[:-1]))
    return a - b


@_counted(lambda rows, columns: Operations(multiply=rows * columns))
def scale(a: Floats, factor: float) -> Floats:
    """Return ``factor * a``; a matrix, or a vector as one column."""
    note(scale.__name__, _matrix_shape(a))
    return a * factor


@_counted(lambda rows, columns: Operations(divide=rows * columns))
def divide(a: Floats, divisor: float) -> Floats:
    """Return ``a / divisor``, one division per element."""
    note(divide.__name__, _matrix_shape(a))
    return a / divisor


@_counted(lambda rows, columns: Operations(move=rows * columns))
def transpose(a: Floats) -> Floats:
    """Return ``a`` (rows, columns) transposed to (columns, rows)."""
    note(transpose.__name__, a.shape[-2:], math.prod(a.shape[:-2]))
    return a.swapaxes(-1, -2)


@_counted(lambda rows, inner, columns: Operations(mac=rows * inner * columns))
def multiply(a: Floats, b: Floats) -> Floats:
    """Return ``a b``: (rows, inner) by (inner, columns)."""
    note(multiply.__name__, (*a.shape[-2:], b.shape[-1]), math.prod(a.shape[:-2]))
    return a @ b


@_counted(lambda rows, columns: Operations(mac=rows * columns))
def matvec(a: Floats, x: Floats) -> Floats:
    """Return ``a x``: (rows, columns) by (columns)."""
    product: Floats = (a @ x[..., None])[..., 0]
    note(matvec.__name__, a.shape[-2:], math.prod(product.shape[:-1]))
    return product


@_counted(lambda length: Operations(mac=length))
def dot(a: Floats, b: Floats) -> Floats:
    """Return ``a^T b`` of two vectors, one number per arm."""
    product = np.asarray(np.add.reduce(a * b, axis=-1))
    note(dot.__name__, (max(a.shape[-1], b.shape[-1]),), math.prod(product.shape))
    return product


@_counted(lambda rows, columns: Operations(mac=rows * columns))
def outer(a: Floats, b: Floats) -> Floats:
    """Return ``a b^T``: (rows) by (columns)."""
    product: Floats = a[..., :, None] * b[..., None, :]
    note(outer.__name__, product.shape[-2:], math.prod(product.shape[:-2]))
    return product


@_counted(_count_lu_invert)
def lu_invert(a: Floats) -> Floats:
    """Return the inverse of a matrix (size, size) by LU factorization.

    The recorder sees the Doolittle inversion of the paper implementation. Here LAPACK does it, with
    partial pivoting; for the positive definite matrices of the learners both are stable.

    Raises:
        GnomonError: if the matrix is singular.
    """
    note(lu_invert.__name__, a.shape[-1:], math.prod(a.shape[:-2]))
    try:
        return np.linalg.inv(a).astype(np.float64, copy=False)
    except np.linalg.LinAlgError:
        raise GnomonError(
            f"a {a.shape[-1]}x{a.shape[-1]} matrix is singular and cannot be inverted;"
            " contexts of very different size, or a regularisation near 0, do that"
        ) from None


@_counted(_sherman_morrison_parts)
def sherman_morrison(inverse: Floats, x: Floats) -> Floats:
    """Return the inverse of ``a + x x^T`` from that of ``a``, equations (7), (8) and (11)."""
    note(sherman_morrison.__name__, inverse.shape[-1:])
    left, right = inverse @ x, x @ inverse
    change: Floats = left[:, None] * right
    np.divide(change, 1.0 + x @ left, out=change)
    return np.subtract(inverse, change, out=change)


@_counted(_woodbury_parts)
def woodbury(inverse: Floats, b: Floats, a: Floats, *, sign: int) -> Floats:
    """Return the inverse of ``a0 + sign b^T a^-1 b`` from that of ``a0``, equations (10), (12).

    Args:
        inverse: of a0, (size, size).
        b: (rank, size).
        a: (rank, rank), itself and not its inverse.
        sign: 1 or -1.

    Raises:
        GnomonError: if an intermediate matrix is singular.
    """
    note(woodbury.__name__, b.shape[::-1])
    left, right = inverse @ b.T, b @ inverse
    try:
        middle = np.linalg.inv(a + sign * (b @ left))
    except np.linalg.LinAlgError:
        raise GnomonError(
            f"the inner {b.shape[0]}x{b.shape[0]} matrix of a Woodbury update is singular;"
            " contexts of very different size do that"
        ) from None
    return inverse - sign * ((left @ middle) @ right)


@_counted(lambda length: Operations(sqrt=length))
def sqrt(a: Floats) -> Floats:
    """Return the square root of one number per arm."""
    note(sqrt.__name__, a.shape)
    return np.sqrt(a)


@_counted(lambda size: Operations(mac=size * (size + 1) // 2), name="rank1_symmetric")
def outer_symmetric(x: Floats) -> Floats:
    """Return ``x x^T``, to be added to a symmetric matrix; the lower half is counted."""
    note("rank1_symmetric", x.shape[-1:])
    product: Floats = x[:, None] * x[None, :]
    return product


@_counted(_count_solve_positive)
def solve_positive(a: Floats, b: Floats) -> Floats:
    """Return the solution of ``a x = b`` for positive definite ``a`` (size, size), by L D L^T.

    The computation here uses LAPACK's Cholesky factorization.

    Raises:
        GnomonError: if the matrix is not positive definite.
    """
    note(solve_positive.__name__, a.shape[-1:])
    try:
        factor = np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        raise GnomonError(
            f"a {a.shape[-1]}x{a.shape[-1]} matrix is not positive definite and cannot be"
            " factored; contexts of very different size do that"
        ) from None
    x: Floats = np.linalg.solve(factor.T, np.linalg.solve(factor, b))
    return x


@_counted(_count_eigen_symmetric)
def eigen_symmetric(a: Floats) -> tuple[Floats, Floats]:
    """Return ascending eigenvalues, and eigenvectors as columns, of a symmetric (size, size)."""
    note(eigen_symmetric.__name__, a.shape[-1:], math.prod(a.shape[:-2]))
    values, vectors = np.linalg.eigh(a)
    return values.astype(np.float64, copy=False), vectors.astype(np.float64, copy=False)


@_counted(lambda length: Operations(exp=length))
def exp(a: Floats) -> Floats:
    """Return the exponential of one number per arm."""
    note(exp.__name__, a.shape)
    return np.exp(a)


@_counted(lambda length: Operations(compare=length - 1))
def argmax(a: Floats) -> int:
    """Return the index of the largest number; of equal numbers, the lowest."""
    note(argmax.__name__, a.shape)
    return int(a.argmax())


@_counted(lambda count: Operations(random=count), name="random")
def uniform(generator: np.random.Generator, count: int) -> Floats:
    """Return random numbers from 0 up to 1."""
    note("random", (count,))
    return generator.random(count)


def _matrix_shape(a: Floats) -> tuple[int, int]:
    return (a.shape[0], a.shape[1]) if a.ndim == 2 else (a.shape[0], 1)


COUNTS.update(
    rank1_update=lambda rows, columns: Operations(mac=rows * columns),
    gaussian=lambda rows, columns: Operations(
        add=rows * columns, mac=rows * columns, multiply=rows, exp=rows
    ),
    # y = A^-1 c, s = d - c^T y, A^-1 + y y^T / s, -y / s, 1 / s
    grow_inverse=lambda size: Operations(
        mac=2 * size * size + size, multiply=size, add=1, divide=1
    ),
    log=lambda length: Operations(log=length),
    prefix_sum=lambda length: Operations(add=length - 1),
    cholesky=lambda size: Operations(
        mac=(size**3 - size) // 6, divide=size * (size - 1) // 2, sqrt=size
    ),
    # a rotation for each column: two products per element, and its two factors
    cholesky_update=lambda size: Operations(
        mac=size * (size + 1), multiply=size * (size + 1), divide=2 * size, sqrt=size
    ),
    solve_lower=lambda size: Operations(mac=size * (size - 1) // 2, divide=size),
)  # kernels that learners compute in their own NumPy code and report with ``note``

SHAPE_NAMES: Final = {name: tuple(signature(each).parameters) for name, each in COUNTS.items()}
"""Meaning of the numbers in the shape of each kernel."""
