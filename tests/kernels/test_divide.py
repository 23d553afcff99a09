"""The division routine itself: all of its range, against plain Python integers."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.arch import load_architecture
from gnomon.content.kernels.common.divide import divide_wide
from gnomon.measure.kernels import KernelBench, find_kernel, kernel_source
from gnomon.measure.kernels.fixed import LARGEST, SMALLEST, Status
from gnomon.program import build_host

pytestmark = pytest.mark.usefixtures("sources_stay")

WORDS = st.integers(SMALLEST, LARGEST)
BITS = st.integers(0, 31).map(lambda n: 1 << n)
DIVISORS = WORDS | BITS.map(lambda n: n - 1) | BITS.map(lambda n: -n) | st.just(0)
NUMERATORS = st.integers(-(2**63), 2**63 - 1) | st.integers(-(2**47), 2**47) | WORDS


@cache
def library() -> ctypes.CDLL:
    return ctypes.CDLL(str(build_host([kernel_source("fx_divide.c")])))


def quotient(numerator: int, divisor: int) -> tuple[int, int]:
    divide: Any = library().fx_divide_wide
    divide.argtypes = (ctypes.c_int64, ctypes.c_int32, ctypes.c_void_p)
    failed = ctypes.c_uint32(0)
    return divide(numerator, divisor, ctypes.byref(failed)), failed.value


@given(NUMERATORS, DIVISORS)
def test_any_numerator(numerator: int, divisor: int) -> None:
    assert quotient(numerator, divisor) == divide_wide(numerator, divisor)


@given(WORDS, DIVISORS.filter(bool), st.integers(-2, 2))
def test_numerators_about_a_multiple(result: int, divisor: int, more: int) -> None:
    """Where a digit too large or too small shows."""
    numerator = result * divisor + more
    assert quotient(numerator, divisor) == divide_wide(numerator, divisor)


@pytest.mark.parametrize(
    ("numerator", "divisor", "expected"),
    [
        (-7, 2, (-3, Status.OK)),
        (7, -2, (-3, Status.OK)),
        (2**31, -1, (SMALLEST, Status.OK)),
        (2**31, 1, (LARGEST, Status.OVERFLOW)),
        (-(2**31) - 1, 1, (SMALLEST, Status.OVERFLOW)),
        (-(2**63), -1, (LARGEST, Status.OVERFLOW)),
        (-(2**63), SMALLEST, (LARGEST, Status.OVERFLOW)),
        (5, 0, (LARGEST, Status.UNDEFINED)),
        (-5, 0, (SMALLEST, Status.UNDEFINED)),
        (0, 0, (0, Status.UNDEFINED)),
    ],
)
def test_edges(numerator: int, divisor: int, expected: tuple[int, Status]) -> None:
    assert divide_wide(numerator, divisor) == expected
    assert quotient(numerator, divisor) == expected


def test_the_worst_status_of_all_elements_is_the_answer() -> None:
    kernel = find_kernel("divide")
    variant = kernel.variants[0]
    operands = (np.array([4, 2**30, -9, 2**15]), np.array([2**15, 1, 0, 3 * 2**15]))
    expected = [4, LARGEST, SMALLEST, 2**15 // 3]
    architecture = load_architecture("t13-simd1")
    on_host = KernelBench(kernel, variant, architecture).run_on_host((4,), operands)
    assert (on_host.result.tolist(), on_host.status) == (expected, Status.UNDEFINED)
    run = KernelBench(kernel, variant, architecture).measure((4,), operands=operands)
    assert run.status is Status.UNDEFINED
