"""The models' arithmetic, against plain Python integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.base.errors import GnomonError
from gnomon.measure.kernels import FixedPoint
from gnomon.measure.kernels.fixed import (
    multiply_toward_zero_wrap,
    product_of_shifted,
    wrap,
)

WORDS = st.integers(-(2**31), 2**31 - 1)
EDGES = st.sampled_from([-(2**31), -(2**31) + 1, -(2**15), -1, 0, 1, 2**15, 2**31 - 1])
ANY = WORDS | EDGES


def signed(value: int) -> int:
    value &= 0xFFFF_FFFF
    return value - 2**32 if value >> 31 else value


def array(value: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([value], dtype=np.int64)


@given(st.integers(-(2**62), 2**62))
def test_wrap_keeps_the_low_32_bits(value: int) -> None:
    assert wrap(array(value)).tolist() == [signed(value)]


@given(ANY, ANY, st.integers(1, 30))
def test_scalar_product_rounds_towards_zero(a: int, b: int, bits: int) -> None:
    size = abs(a * b) >> bits
    expected = signed(-size if a * b < 0 else size)
    assert multiply_toward_zero_wrap(array(a), array(b), FixedPoint(bits, 0, 0)).tolist() == [
        expected
    ]


@given(ANY, ANY, st.integers(0, 10), st.integers(0, 10))
def test_vector_product_shifts_before_and_keeps_32_bits(a: int, b: int, x: int, y: int) -> None:
    fixed = FixedPoint(20, x, y)
    expected = signed((a >> x) * (b >> y))
    assert product_of_shifted(array(a), array(b), fixed).tolist() == [expected]


def test_shifts_make_up_the_fraction() -> None:
    assert FixedPoint().post_shift == 5
    assert FixedPoint(15, 7, 8).post_shift == 0
    assert FixedPoint(16, 4, 4).defines() == {
        "FX_FRACTION_BITS": 16,
        "FX_PRE_SHIFT_A": 4,
        "FX_PRE_SHIFT_B": 4,
        "FX_POST_SHIFT": 8,
    }


@pytest.mark.parametrize("bits", [0, 31])
def test_fraction_bits_out_of_range(bits: int) -> None:
    with pytest.raises(GnomonError) as caught:
        FixedPoint(bits, 0, 0)
    assert str(caught.value) == f"fraction bits must be from 1 to 30, not {bits}"


@pytest.mark.parametrize(("a", "b"), [(-1, 5), (8, 8)])
def test_shifts_that_do_not_fit(a: int, b: int) -> None:
    with pytest.raises(GnomonError) as caught:
        FixedPoint(15, a, b)
    assert str(caught.value) == (
        f"shifts of {a} and {b} bits before a product must not be negative or together exceed the"
        " 15 fraction bits"
    )
