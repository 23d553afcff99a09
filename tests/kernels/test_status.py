"""Kernels that can fail: what they return then, and which results remain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.content import found
from gnomon.base.errors import GnomonError
from gnomon.measure.kernels import FixedPoint, KernelBench, find_kernel
from gnomon.measure.kernels.fixed import Status
from tests.rows import light_and_heavy

pytestmark = pytest.mark.usefixtures("sources_stay")

FIXED = FixedPoint()
ONE = 2**15
SIMD4 = load_architecture("t13-simd4")
Matrix = list[list[float]]

SINGULAR: Matrix = [[1, 2], [2, 4]]
ZERO_PIVOT: Matrix = [[0, 1], [1, 0]]
# 1 / 3 is not a number of the format: u ends in a few steps, not in zero
NEARLY_SINGULAR: Matrix = [[3, 6], [1, 2]]
INDEFINITE: Matrix = [[1, 2], [2, 1]]
# 16 / 2^-13 = 2^17 is out of range
TINY_PIVOT: Matrix = [[1 / 2**13, 0], [16, 1]]
# one step is not above the rounding error of a pivot
STEP_PIVOT: Matrix = [[1 / 2**15, 0], [0, 1]]
# l = 40000 is in range, but above 2^16 / 2: sums of two products may not fit 64 bits
LARGE_FACTOR: Matrix = [[1 / 64, 0], [625, 1]]

CASES: list[tuple[str, list[Matrix | list[float]], Status]] = [
    ("lu", [SINGULAR], Status.SINGULAR),
    ("lu", [NEARLY_SINGULAR], Status.SINGULAR),
    ("lu", [ZERO_PIVOT], Status.SINGULAR),
    ("lu", [INDEFINITE], Status.OK),
    ("lu", [STEP_PIVOT], Status.SINGULAR),
    ("lu", [TINY_PIVOT], Status.OVERFLOW),
    ("lu", [LARGE_FACTOR], Status.OVERFLOW),
    ("invert", [SINGULAR], Status.SINGULAR),
    ("invert", [ZERO_PIVOT], Status.SINGULAR),
    ("invert", [INDEFINITE], Status.OK),
    ("invert", [TINY_PIVOT], Status.OVERFLOW),
    ("invert", [[[1, 0], [20000, 1 / 4]]], Status.OVERFLOW),
    ("invert-symmetric", [SINGULAR], Status.SINGULAR),
    ("invert-symmetric", [[[3, 6], [6, 12]]], Status.SINGULAR),
    ("invert-symmetric", [ZERO_PIVOT], Status.SINGULAR),
    ("invert-symmetric", [INDEFINITE], Status.SINGULAR),
    ("invert-symmetric", [[[1 / 2**13, 16], [16, 1]]], Status.OVERFLOW),
    ("solve-lower", [SINGULAR, [1, 1]], Status.OK),
    ("solve-lower", [ZERO_PIVOT, [1, 1]], Status.SINGULAR),
    ("solve-lower", [TINY_PIVOT, [16, 1]], Status.OVERFLOW),
    ("solve-lower", [LARGE_FACTOR, [625, 1]], Status.OVERFLOW),
    ("solve-upper", [[[1, 2], [0, 0]], [1, 1]], Status.SINGULAR),
    ("solve-upper", [[[1, 2], [0, 1 / 64]], [1, 625]], Status.OVERFLOW),
    ("solve-positive", [SINGULAR, [1, 1]], Status.SINGULAR),
    ("solve-positive", [INDEFINITE, [1, 1]], Status.SINGULAR),
    ("solve-positive", [[[1 / 2**13, 16], [16, 1]], [1, 1]], Status.OVERFLOW),
    ("solve-positive", [[[1 / 64, 0], [0, 1]], [2000, 1]], Status.OVERFLOW),
    # 1 + x^T a x = 1 - 2
    ("sherman-morrison", [[[-2, 0], [0, 1]], [1, 0]], Status.SINGULAR),
    ("sherman-morrison", [[[-1, 0], [0, 1]], [1, 0]], Status.SINGULAR),
    ("woodbury", [[[-2, 0], [0, 1]], [[1, 0]]], Status.SINGULAR),
    ("woodbury", [[[1, 0], [0, -1]], [[1, 0], [0, 1]]], Status.SINGULAR),
    # a complement of 2 - 4 / 2, and of 1 - 4 / 2
    ("grow-inverse", [[[1 / 2, 0], [0, 0]], [2, 2]], Status.SINGULAR),
    ("grow-inverse", [[[1 / 2, 0], [0, 0]], [2, 1]], Status.SINGULAR),
    ("gaussian", [[[1, 2], [3, 4]], [1, 1], [-1]], Status.UNDEFINED),
]
ONE_OF_EACH = ("lu", "solve-lower", "invert-symmetric", "sherman-morrison", "gaussian")
UPDATES = ("sherman-morrison", "woodbury", "grow-inverse")


def test_every_kernel_that_can_fail_is_here() -> None:
    there = map(find_kernel, found("kernels"))
    checked = {k.name for k in there if k.variants[0].function.endswith("_checked")}
    failing = {name for name, _, status in CASES if status}
    assert failing == checked - {"sqrt", "exp", "log", "softmax"}  # below, and files of their own


def steps(values: Matrix | list[float]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.round(np.array(values) * ONE).astype(np.int64)


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    light_and_heavy("studies", lambda name, *_: name in ONE_OF_EACH, CASES),
)
def test_status(name: str, values: list[Matrix | list[float]], expected: Status) -> None:
    """Machine, model and this computer agree; a failure leaves zeros, an update what was there."""
    kernel = find_kernel(name)
    operands = tuple(steps(value) for value in values)
    lengths = tuple(len(operand) for operand in operands)
    extents = lengths[: len(kernel.extents)]
    for variant in kernel.variants:
        assert variant.status is not None
        assert variant.status(FIXED, operands) == expected, variant.name
        run = KernelBench(kernel, variant, SIMD4).measure(extents, operands=operands)
        assert run.status is expected
        on_host = KernelBench(kernel, variant, SIMD4).run_on_host(extents, operands)
        assert on_host.status is expected
        if expected and name in UPDATES:
            np.testing.assert_array_equal(on_host.result, operands[0])
        elif expected:
            assert not on_host.result.any()


def test_roots_of_negative_numbers_are_zero() -> None:
    kernel = find_kernel("sqrt")
    operands = (np.array([4 * ONE, -1, 2**31 - 1, -(2**31), 0]),)
    on_host = KernelBench(kernel, kernel.variants[0], SIMD4).run_on_host((5,), operands)
    assert on_host.result.tolist() == [2 * ONE, 0, 8388607, 0, 0]
    assert on_host.status is Status.UNDEFINED


@pytest.mark.parametrize(
    ("name", "operands", "expected"),
    [
        # 300 * 300 = 90000 leaves the range, and so does the sum over two of the vectors
        ("sherman-morrison", ([[1, 0], [0, 1]], [300, 0]), Status.OVERFLOW),
        ("woodbury", ([[1, 0], [0, 1]], [[300, 0]]), Status.OVERFLOW),
        # x may not be above 2^16 / 2: sums of two products might not fit 64 bits
        ("sherman-morrison", ([[0, 0], [0, 1]], [40000, 0]), Status.OVERFLOW),
        ("woodbury", ([[0, 0], [0, 1]], [[40000, 0]]), Status.OVERFLOW),
        ("grow-inverse", ([[0, 0], [0, 0]], [40000, 1]), Status.OVERFLOW),
    ],
)
def test_scalar_updates_notice_overflow(
    name: str, operands: tuple[Matrix, Matrix | list[float]], expected: Status
) -> None:
    kernel = find_kernel(name)
    values = tuple(steps(value) for value in operands)
    extents = (2, 1) if name == "woodbury" else (2,)
    run = KernelBench(kernel, kernel.variants[0], SIMD4).measure(extents, operands=values)
    assert run.status is expected
    on_host = KernelBench(kernel, kernel.variants[0], SIMD4).run_on_host(extents, values)
    np.testing.assert_array_equal(on_host.result, values[0])


@pytest.mark.parametrize(
    ("name", "extents", "fixed", "expected"),
    [
        (
            "woodbury",
            (9, 8),
            FIXED,
            (
                "kernel woodbury, variant vector: a rank of 8 is too much for scratchpads of 64"
                " bytes (at most 7, vcu.scratchpads.size)"
            ),
        ),
        (
            "invert-symmetric",
            (5,),
            FIXED,
            (
                "kernel invert-symmetric, variant vector: a matrix of 5 x 5 words does not fit a"
                " scratchpad of 64 bytes (n at most 4, vcu.scratchpads.size; or use --variant"
                " scalar)"
            ),
        ),
        (
            "invert-symmetric",
            (4,),
            FixedPoint(20, 0, 8),
            (
                "kernel invert-symmetric, variant vector: with 20 fraction bits and a shift of 12"
                " after products, these hold +-0.5; the kernel needs +-8 (fewer fraction bits, or"
                " more shifts before products)"
            ),
        ),
    ],
)
def test_what_a_machine_or_format_cannot_hold(
    name: str, extents: tuple[int, ...], fixed: FixedPoint, expected: str
) -> None:
    kernel = find_kernel(name)
    architecture = load_architecture("t13-simd4", ["vcu.scratchpads.size=64 B"])
    bench = KernelBench(kernel, kernel.variant("vector"), architecture, fixed)
    for call in (bench.measure, bench.run_on_host):
        operands = kernel.operands(fixed, extents, seed=1)
        with pytest.raises(GnomonError) as caught:
            call(extents, operands=operands)
        assert str(caught.value) == expected


def test_the_c_code_refuses_what_is_too_large() -> None:
    """For programs that do not ask for obstacles first."""
    architecture = load_architecture("t13-simd4", ["vcu.scratchpads.size=64 B"])
    for name, extents in (("woodbury", (9, 8)), ("invert-symmetric", (5,))):
        kernel = find_kernel(name)
        variant = kernel.variant("vector")
        operands = kernel.operands(FIXED, extents, seed=1)
        left = operands[0] if name in UPDATES else np.zeros_like(operands[0])

        def nothing(*_: object, left: np.ndarray = left) -> np.ndarray:
            return left

        unchecked = replace(
            variant,
            obstacle=lambda *_: None,
            status=lambda *_: Status.TOO_LARGE,
            model=nothing,
        )
        run = KernelBench(kernel, unchecked, architecture).measure(extents, operands=operands)
        assert run.status is Status.TOO_LARGE
