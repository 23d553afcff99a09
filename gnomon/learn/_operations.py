"""How many arithmetic operations a kernel call takes, exactly.

Counted are the loops of the paper implementation: matrix products as triple loops, the inverse by
Doolittle's LU factorisation without pivoting, followed by forward and backward substitution with
sums over all n - 1 other terms, structural zeros included, as in the authors' public library
(klessydra/Libraries, ``dsp_libs``, commit d30dad2). A tuned kernel takes fewer. Kernels that the
paper does not have are counted as their textbook loops, symmetry used; the one that iterates,
``eigen_symmetric``, with two iterations per eigenvalue.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from gnomon.learn._trace import Call, record
from gnomon.learn.algorithm import find_learner

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.learn._trace import Trace
    from gnomon.learn.learner import Learner, Sizes

Stage: TypeAlias = Literal["select", "update"]

STAGES: tuple[Stage, ...] = ("select", "update")


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


def _lu_invert(n: int) -> Operations:
    factors = n * (n * n - 1) // 6 + n * (n - 1) * (n - 2) // 6
    return Operations(
        mac=factors + 2 * n * n * (n - 1),
        add=3 * n * n,
        divide=n + n * (n - 1) // 2 + 2 * n * n,
    )


def _solve_positive(n: int) -> Operations:
    factor = Operations(mac=(n**3 - n) // 6, multiply=n * (n - 1) // 2, divide=n)
    return factor + Operations(mac=n * (n - 1), multiply=n)


_COUNTS: dict[str, Callable[..., Operations]] = {
    "add": lambda r, c: Operations(add=r * c),
    "sub": lambda r, c: Operations(add=r * c),
    "scale": lambda r, c: Operations(multiply=r * c),
    "divide": lambda r, c: Operations(divide=r * c),
    "transpose": lambda r, c: Operations(move=r * c),
    "multiply": lambda r, m, c: Operations(mac=r * m * c),
    "matvec": lambda r, c: Operations(mac=r * c),
    "dot": lambda n: Operations(mac=n),
    "outer": lambda r, c: Operations(mac=r * c),  # a product of inner length 1
    "rank1_update": lambda r, c: Operations(mac=r * c),
    "lu_invert": _lu_invert,
    "rank1_symmetric": lambda n: Operations(mac=n * (n + 1) // 2),
    "solve_positive": _solve_positive,  # by L D L^T, a reciprocal of each pivot
    # Householder's reduction, then two steps of QL for each value, vectors turned along.
    "eigen_symmetric": lambda n: Operations(mac=(4 * n**3 + 2) // 3 + 6 * n**3, sqrt=3 * n),
    "gaussian": lambda m, n: Operations(add=m * n, mac=m * n, multiply=m, exp=m),
    # y = A^-1 c, s = d - c^T y, A^-1 + y y^T / s, -y / s, 1 / s
    "grow_inverse": lambda n: Operations(mac=2 * n * n + n, multiply=n, add=1, divide=1),
    "random": lambda n: Operations(random=n),
    "exp": lambda n: Operations(exp=n),
    "log": lambda n: Operations(log=n),
    "prefix_sum": lambda n: Operations(add=n - 1),
    "cholesky": lambda n: Operations(mac=(n**3 - n) // 6, divide=n * (n - 1) // 2, sqrt=n),
    # a rotation for each column: two products an element, and its two factors
    "cholesky_update": lambda n: Operations(
        mac=n * (n + 1), multiply=n * (n + 1), divide=2 * n, sqrt=n
    ),
    "solve_lower": lambda n: Operations(mac=n * (n - 1) // 2, divide=n),
    "sqrt": lambda n: Operations(sqrt=n),
    "argmax": lambda n: Operations(compare=n - 1),
}


def expand(call: Call) -> tuple[Call, ...]:
    """The simpler calls that a call is made of, in order; itself, if it is made of none.

    ``sherman_morrison`` is equation (7) as Algorithm 1 writes it: two matrix-vector products, the
    denominator, an outer product, one division per element, a difference. ``woodbury`` is equation
    (9) as Algorithm 2 writes it, each distinct product once, symmetry not used.
    """
    if call.kernel == "sherman_morrison":
        (n,) = call.shape
        return (
            Call("matvec", (n, n)),
            Call("matvec", (n, n)),
            Call("dot", (n,)),
            Call("add", (1, 1)),
            Call("outer", (n, n)),
            Call("divide", (n, n)),
            Call("sub", (n, n)),
        )
    if call.kernel == "woodbury":
        k, d = call.shape
        return (
            Call("transpose", (d, k)),
            Call("multiply", (k, k, d)),
            Call("multiply", (d, k, k)),
            Call("multiply", (d, k, d)),
            Call("add", (d, d)),
            Call("lu_invert", (d,)),
            Call("multiply", (k, d, d)),
            Call("multiply", (k, d, k)),
            Call("sub", (k, k)),
        )
    return (call,)


def operations_of_call(call: Call) -> Operations:
    """What one call takes."""
    total = Operations()
    for part in expand(call):
        total += _COUNTS[part.kernel](*part.shape)
    return total


def operations_of(trace: Trace, stage: str | None = None) -> Operations:
    """What all calls of a trace take, or those of one stage."""
    total = Operations()
    for call, count in trace.totals(stage).items():
        total += operations_of_call(call) * count
    return total


def learner_of(name: str, variant: str, sizes: Sizes) -> Learner:
    """An empty learner of these sizes; its arm features are all one.

    Raises:
        GnomonError: there is none.
    """
    settings: dict[str, Any] = {"dimensions": sizes.dimensions}
    if sizes.features:
        settings["arm_features"] = np.ones((sizes.arms, sizes.features))
    else:
        settings["arms"] = sizes.arms
    create: Callable[..., Learner] = find_learner(name, variant)
    return create(**settings)


def count_step(name: str, variant: str, sizes: Sizes) -> dict[Stage, Operations]:
    """Operations of each stage, counted by running one step under the recorder.

    Raises:
        GnomonError: there is no such learner.
    """
    learner = learner_of(name, variant, sizes)
    context = np.full(sizes.dimensions, 1.0 / sizes.dimensions)
    with record() as trace:
        learner.update(context, learner.select(context), 1.0)
    return {stage: operations_of(trace, stage) for stage in STAGES}
