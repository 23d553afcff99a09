"""Results of single lanes: the intended ones, and what the quirks make of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.arch.dividers import Lane
from tests.oracle.lanes import post_scaled_product, pre_shifted_quotient, wrap32

LARGEST, SMALLEST = 2**31 - 1, -(2**31)
WORDS = st.integers(0, 31).flatmap(lambda bits: st.integers(-(2**bits), 2**bits - 1))
SHIFTS = st.integers(0, 31)
MEANT, MAGNITUDES, AS_RISCV = Lane(), Lane(drops_signs=True), Lane(zero_as_riscv=True)
REPEATABLE = settings(derandomize=True, deadline=None)


@REPEATABLE
@given(WORDS, WORDS)
def test_quotient_and_remainder_belong_together(a: int, b: int) -> None:
    quotient, remainder = MEANT.quotient(a, b), MEANT.remainder(a, b)
    if b == 0:
        assert (quotient, remainder) == (0, 0)
    else:
        assert wrap32(quotient * b + remainder) == a
        assert abs(remainder) < abs(b)
        assert remainder == 0 or (remainder < 0) == (a < 0)


@pytest.mark.parametrize(
    ("a", "b", "quotient", "remainder"),
    [
        (7, 2, 3, 1), (-7, 2, -3, -1), (7, -2, -3, 1), (-7, -2, 3, -1),
        (SMALLEST, -1, SMALLEST, 0), (SMALLEST, 1, SMALLEST, 0), (SMALLEST, SMALLEST, 1, 0),
        (5, SMALLEST, 0, 5), (0, 5, 0, 0), (5, 0, 0, 0),
    ],
)  # fmt: skip
def test_signed_division_rounds_towards_zero(a: int, b: int, quotient: int, remainder: int) -> None:
    assert (MEANT.quotient(a, b), MEANT.remainder(a, b)) == (quotient, remainder)


def test_division_by_zero_as_risc_v_has_it() -> None:
    assert [AS_RISCV.quotient(a, 0) for a in (5, -5, 0, SMALLEST)] == [-1, -1, -1, -1]
    assert [AS_RISCV.remainder(a, 0) for a in (5, -5, 0, SMALLEST)] == [5, -5, 0, SMALLEST]


def test_lost_signs() -> None:
    assert (MAGNITUDES.quotient(-7, 2), MAGNITUDES.remainder(-7, 2)) == (
        3,
        1,
    )
    assert MAGNITUDES.quotient(SMALLEST, 1) == SMALLEST, "the magnitude 2**31, as a signed word"


@REPEATABLE
@given(WORDS, WORDS, SHIFTS)
def test_post_scaled_product_floors_and_wraps(a: int, b: int, shift: int) -> None:
    assert post_scaled_product(a, b, shift) == wrap32(a * b // 2**shift)
    unsigned = (a % 2**32) * (b % 2**32) // 2**shift
    assert post_scaled_product(a, b, shift, unsigned=True) == wrap32(unsigned)


def test_post_scaled_product_of_small_negative_numbers() -> None:
    assert post_scaled_product(-1, 1, 15) == -1, "floor, not towards zero"
    assert post_scaled_product(-(1 << 15), 3 << 15, 15) == -(3 << 15)
    assert post_scaled_product(-(1 << 15), 3 << 14, 15) == -(3 << 14)
    quirk = post_scaled_product(-(1 << 15), 3 << 14, 15, unsigned=True)
    assert quirk == -(3 << 14) + (1 << 31)


@REPEATABLE
@given(WORDS, WORDS, SHIFTS)
def test_pre_shifted_quotient_is_exact_or_saturated(a: int, b: int, shift: int) -> None:
    result = pre_shifted_quotient(a, b, shift)
    if b == 0:
        assert result == (0 if a == 0 else LARGEST if a > 0 else SMALLEST)
        return
    exact = abs(a << shift) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    assert result == min(max(exact, SMALLEST), LARGEST)
