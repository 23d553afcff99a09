"""How many arithmetic operations a kernel call takes, exactly.

Counted are the loops of the paper implementation: matrix products as triple loops, the inverse by
Doolittle's LU factorisation without pivoting, followed by forward and backward substitution with
sums over all n - 1 other terms, structural zeros included, as in the authors' public library
(klessydra/Libraries, ``dsp_libs``, commit d30dad2). A tuned kernel takes fewer. Kernels that the
paper does not have are counted as their textbook loops, symmetry used; the one that iterates,
``eigen_symmetric``, with two iterations per eigenvalue.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass
from inspect import signature


@dataclass(frozen=True, slots=True)
class Operations:
    """Counts of arithmetic operations.

    Attributes:
        mac: multiplications whose product is added to a sum; the first one to zero.
        multiply: multiplications alone.
        add: additions and subtractions alone.
        divide: divisions.
        sqrt: square roots.
        compare: comparisons.
        move: elements copied to another place.
        exp: exponentials.
        random: random numbers drawn.
        log: logarithms.
    """

    mac: int = 0
    multiply: int = 0
    add: int = 0
    divide: int = 0
    sqrt: int = 0
    compare: int = 0
    move: int = 0
    exp: int = 0
    random: int = 0
    log: int = 0

    def __add__(self, other: Operations) -> Operations:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Operations(*(a + b for a, b in pairs))

    def __mul__(self, count: int) -> Operations:
        return Operations(*(value * count for value in astuple(self)))

    @property
    def multiplications(self) -> int:
        """All multiplications; on the T13 each is one ``mulh``."""
        return self.mac + self.multiply

    @property
    def arithmetic(self) -> int:
        """All but moves and random numbers, a multiplication with its addition as one."""
        single = self.add + self.divide + self.sqrt + self.compare + self.exp + self.log
        return self.mac + self.multiply + single


def _lu_invert(size: int) -> Operations:
    n = size
    factors = n * (n * n - 1) // 6 + n * (n - 1) * (n - 2) // 6
    return Operations(
        mac=factors + 2 * n * n * (n - 1),
        add=3 * n * n,
        divide=n + n * (n - 1) // 2 + 2 * n * n,
    )


def _solve_positive(size: int) -> Operations:
    n = size
    factor = Operations(mac=(n**3 - n) // 6, multiply=n * (n - 1) // 2, divide=n)
    return factor + Operations(mac=n * (n - 1), multiply=n)


Part = tuple[str, tuple[int, ...]]
"""A simpler call: its kernel and shape."""

KERNELS: dict[str, Callable[..., Operations | tuple[Part, ...]]] = {
    "add": lambda rows, columns: Operations(add=rows * columns),
    "sub": lambda rows, columns: Operations(add=rows * columns),
    "scale": lambda rows, columns: Operations(multiply=rows * columns),
    "divide": lambda rows, columns: Operations(divide=rows * columns),
    "transpose": lambda rows, columns: Operations(move=rows * columns),
    "multiply": lambda rows, inner, columns: Operations(mac=rows * inner * columns),
    "matvec": lambda rows, columns: Operations(mac=rows * columns),
    "dot": lambda length: Operations(mac=length),
    "outer": lambda rows, columns: Operations(mac=rows * columns),  # of an inner length of 1
    "rank1_update": lambda rows, columns: Operations(mac=rows * columns),
    "lu_invert": _lu_invert,
    # Equation (7) as Algorithm 1 writes it, one division per element.
    "sherman_morrison": lambda size: (
        ("matvec", (size, size)), ("matvec", (size, size)), ("dot", (size,)), ("add", (1, 1)),
        ("outer", (size, size)), ("divide", (size, size)), ("sub", (size, size)),
    ),
    # Equation (9) as Algorithm 2 writes it, each distinct product once, symmetry not used.
    "woodbury": lambda size, rank: (
        ("transpose", (rank, size)), ("multiply", (size, size, rank)),
        ("multiply", (rank, size, size)), ("multiply", (rank, size, rank)), ("add", (rank, rank)),
        ("lu_invert", (rank,)), ("multiply", (size, rank, rank)),
        ("multiply", (size, rank, size)), ("sub", (size, size)),
    ),
    "rank1_symmetric": lambda size: Operations(mac=size * (size + 1) // 2),
    "solve_positive": _solve_positive,  # by L D L^T, a reciprocal of each pivot
    # Householder's reduction, then two steps of QL for each value, vectors turned along.
    "eigen_symmetric": lambda size: Operations(
        mac=(4 * size**3 + 2) // 3 + 6 * size**3, sqrt=3 * size
    ),
    "gaussian": lambda rows, columns: Operations(
        add=rows * columns, mac=rows * columns, multiply=rows, exp=rows
    ),
    # y = A^-1 c, s = d - c^T y, A^-1 + y y^T / s, -y / s, 1 / s
    "grow_inverse": lambda size: Operations(
        mac=2 * size * size + size, multiply=size, add=1, divide=1
    ),
    "random": lambda count: Operations(random=count),
    "exp": lambda length: Operations(exp=length),
    "log": lambda length: Operations(log=length),
    "prefix_sum": lambda length: Operations(add=length - 1),
    "cholesky": lambda size: Operations(
        mac=(size**3 - size) // 6, divide=size * (size - 1) // 2, sqrt=size
    ),
    # a rotation for each column: two products an element, and its two factors
    "cholesky_update": lambda size: Operations(
        mac=size * (size + 1), multiply=size * (size + 1), divide=2 * size, sqrt=size
    ),
    "solve_lower": lambda size: Operations(mac=size * (size - 1) // 2, divide=size),
    "sqrt": lambda length: Operations(sqrt=length),
    "argmax": lambda length: Operations(compare=length - 1),
}  # fmt: skip
"""Every kernel: what it takes by the numbers of its shape, or the simpler calls it is made of."""

SHAPE_NAMES = {name: tuple(signature(each).parameters) for name, each in KERNELS.items()}
"""The meaning of the numbers in the shape of each."""
