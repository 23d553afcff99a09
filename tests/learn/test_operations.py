"""Counts of kernels against loops that count what they do."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

from gnomon.learn import kernels
from gnomon.learn._operations import Operations
from gnomon.learn._trace import Call, Trace
from gnomon.learn.kernels import SHAPE_NAMES

Matrix = list[list[float]]


class Loops:
    """The paper's kernels as plain loops. Each arithmetic operation passes a counting method."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(asdict(Operations()), 0)

    def _count(self, name: str) -> None:
        self.counts[name] += 1

    def mac(self, total: float, a: float, b: float) -> float:
        self._count("mac")
        return total + a * b

    def minus(self, a: float, b: float) -> float:
        self._count("add")
        return a - b

    def over(self, a: float, b: float) -> float:
        self._count("divide")
        return a / b

    def multiply(self, a: Matrix, b: Matrix) -> Matrix:
        out = [[0.0] * len(b[0]) for _ in a]
        for i in range(len(a)):
            for j in range(len(b[0])):
                for k in range(len(b)):
                    out[i][j] = self.mac(out[i][j], a[i][k], b[k][j])
        return out

    def each(self, name: str, a: Matrix, b: Matrix) -> Matrix:
        out = []
        for row_a, row_b in zip(a, b, strict=True):
            out.append([])
            for x, y in zip(row_a, row_b, strict=True):
                self._count({"sub": "add", "scale": "multiply"}.get(name, name))
                out[-1].append({"add": x + y, "sub": x - y, "scale": x * y, "divide": x / y}[name])
        return out

    def transpose(self, a: Matrix) -> Matrix:
        out = [[0.0] * len(a) for _ in a[0]]
        for i in range(len(a)):
            for j in range(len(a[0])):
                self._count("move")
                out[j][i] = a[i][j]
        return out

    def invert(self, a: Matrix) -> Matrix:
        n = len(a)
        upper = [[0.0] * n for _ in range(n)]
        lower = [[float(i == j) for j in range(n)] for i in range(n)]
        upper[0] = list(a[0])
        for i in range(n):
            lower[i][0] = self.over(a[i][0], upper[0][0])
        for i in range(n):
            for j in range(n):
                total = 0.0
                for k in range(min(i, j)):
                    total = self.mac(total, lower[i][k], upper[k][j])
                rest = self.minus(a[i][j], total)
                if i <= j:
                    upper[i][j] = rest
                else:
                    lower[i][j] = self.over(rest, upper[j][j])
        middle = self._substitute(lower, np.eye(n).tolist(), list(range(n)))
        return self._substitute(upper, middle, list(reversed(range(n))))

    def _substitute(self, factor: Matrix, right: Matrix, rows: list[int]) -> Matrix:
        n = len(factor)
        out = [[0.0] * n for _ in range(n)]
        for column in range(n):
            for i in rows:
                total = 0.0
                for k in range(n):
                    if k != i:
                        total = self.mac(total, factor[i][k], out[k][column])
                rest = self.minus(right[i][column], total)
                out[i][column] = self.over(rest, factor[i][i])
        return out


def positive_definite(n: int) -> np.ndarray:
    rows = np.random.default_rng(n).normal(size=(n, n))
    return rows @ rows.T + np.eye(n)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 8, 13])
def test_inversion(n: int) -> None:
    loops = Loops()
    matrix = positive_definite(n)
    inverse = loops.invert(matrix.tolist())
    assert np.allclose(inverse, kernels.lu_invert(matrix))
    assert Operations(**loops.counts) == Call("lu_invert", (n,)).operations()


@pytest.mark.parametrize(
    ("n", "mac", "divide"),
    [(4, 110, 42), (8, 1036, 164), (16, 8920, 648), (32, 73904, 2576), (64, 601440, 10272)],
)
def test_inversion_counts_of_the_public_library(n: int, mac: int, divide: int) -> None:
    """Up to 32, instructions of the authors' library were counted: mulh = MAC, div/rem = 4 div."""
    counted = Call("lu_invert", (n,)).operations()
    assert (counted.mac, counted.divide) == (mac, divide)


@pytest.mark.parametrize(("r", "m", "c"), [(1, 1, 1), (2, 3, 4), (5, 1, 5), (4, 6, 1), (1, 7, 1)])
def test_products(r: int, m: int, c: int) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(r, m)), rng.normal(size=(m, c))
    loops = Loops()
    assert np.allclose(loops.multiply(a.tolist(), b.tolist()), kernels.multiply(a, b))
    counted = Operations(**loops.counts)
    assert counted == Call("multiply", (r, m, c)).operations()
    if c == 1:
        assert counted == Call("matvec", (r, m)).operations()
    if r == c == 1:
        assert counted == Call("dot", (m,)).operations()
    if m == 1:
        assert counted == Call("outer", (r, c)).operations()
        assert counted == Call("rank1_update", (r, c)).operations()


@pytest.mark.parametrize("name", ["add", "sub", "scale", "divide"])
def test_element_by_element(name: str) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(3, 5)), rng.normal(size=(3, 5))
    if name in {"scale", "divide"}:
        b = np.full((3, 5), 0.7)
    loops = Loops()
    second = float(b[0, 0]) if name in {"scale", "divide"} else b
    assert np.allclose(loops.each(name, a.tolist(), b.tolist()), getattr(kernels, name)(a, second))
    assert Operations(**loops.counts) == Call(name, (3, 5)).operations()


def test_transpose() -> None:
    a = np.arange(6.0).reshape(2, 3)
    loops = Loops()
    assert np.array_equal(loops.transpose(a.tolist()), kernels.transpose(a))
    assert Operations(**loops.counts) == Call("transpose", (2, 3)).operations()


def test_sherman_morrison_is_its_parts() -> None:
    matrix, x = positive_definite(4), np.arange(1.0, 5.0)
    inverse = np.linalg.inv(matrix)
    loops = Loops()
    column, row = [[v] for v in x], [list(x)]
    left = loops.multiply(inverse.tolist(), column)
    right = loops.multiply(row, inverse.tolist())
    denominator = loops.each("add", [[1.0]], loops.multiply(row, left))[0][0]
    square = loops.multiply(left, right)
    square = loops.each("divide", square, [[denominator] * 4] * 4)
    updated = loops.each("sub", inverse.tolist(), square)
    assert np.allclose(updated, kernels.sherman_morrison(inverse, x))
    assert np.allclose(updated, np.linalg.inv(matrix + np.outer(x, x)))
    assert Operations(**loops.counts) == Call("sherman_morrison", (4,)).operations()


@pytest.mark.parametrize("sign", [1, -1])
def test_woodbury_is_its_parts(sign: int) -> None:
    k, d = 6, 2
    a0, a = positive_definite(k) * 10, positive_definite(d)
    b = np.random.default_rng(9).normal(size=(d, k))
    inverse = np.linalg.inv(a0)
    loops = Loops()
    transposed = loops.transpose(b.tolist())
    left = loops.multiply(inverse.tolist(), transposed)
    right = loops.multiply(b.tolist(), inverse.tolist())
    inner = loops.multiply(b.tolist(), left)
    middle = loops.invert(loops.each("add" if sign == 1 else "sub", a.tolist(), inner))
    product = loops.multiply(loops.multiply(left, middle), right)
    updated = loops.each("sub" if sign == 1 else "add", inverse.tolist(), product)
    assert np.allclose(updated, kernels.woodbury(inverse, b, a, sign=sign))
    assert np.allclose(updated, np.linalg.inv(a0 + sign * b.T @ np.linalg.inv(a) @ b))
    assert Operations(**loops.counts) == Call("woodbury", (k, d)).operations()


def test_the_rest() -> None:
    assert Call("sqrt", (5,)).operations() == Operations(sqrt=5)
    assert Call("argmax", (5,)).operations() == Operations(compare=4)


def test_every_kernel_is_counted() -> None:
    for kernel, names in SHAPE_NAMES.items():
        call = Call(kernel, (2,) * len(names))
        assert call.operations() != Operations()
        assert all(part.kernel not in {"sherman_morrison", "woodbury"} for part in call.parts())


def test_a_trace_adds_up_by_stage() -> None:
    trace = Trace()
    trace.stage = "select"
    trace.append(Call("dot", (4,)), 3)
    trace.stage = "update"
    trace.append(Call("dot", (4,)))
    trace.append(Call("add", (2, 2)))
    assert trace.operations() == Operations(mac=16, add=4)
    assert trace.operations("select") == Operations(mac=12)
    assert trace.operations("update").arithmetic == 8


def test_leading_axes_are_calls() -> None:
    stack = np.ones((3, 2, 2))
    with Trace.record() as trace:
        kernels.matvec(stack, np.ones((3, 2)))
        kernels.matvec(np.ones((2, 2)), np.ones((3, 2)))
        kernels.dot(np.ones((3, 2)), np.ones((1, 2)))
    assert {str(call): count for call, count in trace.totals().items()} == {
        "matvec 2x2": 6,
        "dot 2": 3,
    }
