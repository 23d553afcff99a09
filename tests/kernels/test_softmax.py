"""softmax and gaussian: any numbers, every format, and what they must give whatever those are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.content.kernels.exp.model import VECTOR_BITS
from gnomon.measure.kernels import FixedPoint, Kernel, KernelBench, find_kernel
from gnomon.measure.kernels.fixed import Status
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from gnomon.measure.kernels._kernel import Operands, Variant

pytestmark = pytest.mark.usefixtures("sources_stay")

SOFTMAX, GAUSSIAN = find_kernel("softmax"), find_kernel("gaussian")
SIMD4 = load_architecture("t13-simd4")
WORD = st.integers(-(2**31), 2**31 - 1)
EACH = [
    pytest.param(kernel, variant, id=f"{kernel.name}-{variant.name}")
    for kernel in (SOFTMAX, GAUSSIAN)
    for variant in kernel.variants
]


def of_format(bits: int) -> FixedPoint:
    return FixedPoint(bits, bits // 3, bits // 3)


def check_host(
    kernel: Kernel, variant: Variant, fixed: FixedPoint, extents: tuple[int, ...], words: Operands
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """This computer does what the model does, inside the bound where nothing wraps."""
    run = KernelBench(kernel, variant, SIMD4, fixed).run_on_host(extents, words)
    np.testing.assert_array_equal(run.result, variant.model(fixed, words))
    assert variant.status is not None
    assert run.status == variant.status(fixed, words)
    return run.result


@pytest.mark.parametrize("bits", light_and_heavy("studies", 2, [1, 26, 15]))
@settings(deadline=None, max_examples=6)
@example(values=[0, -1, 2**27 - 1])  # at 26 bits the exponential of -1 is larger than that of 0
@given(values=st.lists(WORD, min_size=1, max_size=20))
def test_softmax_of_any_words(values: list[int], bits: int) -> None:
    fixed, words = of_format(bits), np.array(values, dtype=np.int64)
    for variant in SOFTMAX.variants:
        result = check_host(SOFTMAX, variant, fixed, (len(values),), (words,))
        bound = variant.error_bound(fixed, (words,))
        reals = fixed.to_real(words - words.max())  # the largest differences have no float fault
        exact = np.exp(reals) / np.exp(reals).sum()
        assert (np.abs(fixed.to_real(result) - exact) <= bound).all()
        assert abs(fixed.to_real(result).sum() - 1) <= np.sum(bound)
        less = 0 if variant.name == "scalar" else (2 << bits) >> VECTOR_BITS  # as of exponentials
        assert (np.diff(result[np.argsort(words)]) >= -less).all()


@pytest.mark.parametrize("variant", SOFTMAX.variants, ids=lambda variant: variant.name)
def test_a_sum_that_leaves_the_range(variant: Variant) -> None:
    """32 times 1 with 26 fraction bits is 2^31."""
    fixed = of_format(26)
    for count, expected in ((31, Status.OK), (32, Status.OVERFLOW), (100, Status.OVERFLOW)):
        words = (np.full(count, -5, dtype=np.int64),)
        run = KernelBench(SOFTMAX, variant, SIMD4, fixed).measure((count,), operands=words)
        assert run.status == expected
        result = check_host(SOFTMAX, variant, fixed, (count,), words)
        assert (result == 0).all() == bool(expected)


@pytest.mark.parametrize("bits", light_and_heavy("studies", 2, [15, 26, 1]))
@settings(deadline=None, max_examples=6)
@given(data=st.data())
def test_gaussian_of_any_words(data: st.DataObject, bits: int) -> None:
    rows, columns = data.draw(st.tuples(st.integers(1, 5), st.integers(1, 4)))
    words = tuple(
        np.array(data.draw(st.lists(WORD, min_size=count, max_size=count)), dtype=np.int64)
        for count in (rows * columns, columns, 1)
    )
    operands = (words[0].reshape(rows, columns), *words[1:])
    for variant in GAUSSIAN.variants:
        check_host(GAUSSIAN, variant, of_format(bits), (rows, columns), operands)


@pytest.mark.parametrize("bits", light_and_heavy("studies", 1, [15, 8, 12, 18, 20]))
@pytest.mark.parametrize(("kernel", "variant"), EACH)
def test_bounds(kernel: Kernel, variant: Variant, bits: int) -> None:
    fixed = of_format(bits)
    for seed, n in enumerate((1, 3, 8, 20)):
        extents = kernel.square(n)
        operands = kernel.operands(fixed, extents, seed)
        result = check_host(kernel, variant, fixed, extents, operands)
        exact = kernel.exact(tuple(fixed.to_real(each) for each in operands))
        error = np.abs(fixed.to_real(result) - exact)
        assert (error <= variant.error_bound(fixed, operands)).all()


def test_a_point_itself_is_1() -> None:
    point = np.array([[3, -70_000, 2**30]], dtype=np.int64)
    for variant in GAUSSIAN.variants:
        g = np.array([2**17], dtype=np.int64)
        result = check_host(GAUSSIAN, variant, FixedPoint(), (1, 3), (point, point[0], g))
        assert result.tolist() == [2**15]


def test_numbers_too_far_apart_are_noticed() -> None:
    """A difference of 2^31, and a sum of squares of 2^17."""
    scalar, g = GAUSSIAN.variants[0], np.array([2**15], dtype=np.int64)
    for a, x in (([2**30, 0], [-(2**30), 0]), ([256 << 15, 256 << 15], [0, 0])):
        operands = (np.array([a], dtype=np.int64), np.array(x, dtype=np.int64), g)
        assert (
            KernelBench(GAUSSIAN, scalar, SIMD4).measure((1, 2), operands=operands).status
            is Status.OVERFLOW
        )
        assert check_host(GAUSSIAN, scalar, FixedPoint(), (1, 2), operands).tolist() == [0]


def test_what_formats_and_scratchpads_hold() -> None:
    for kernel, variant, extents, fixed, message in (
        (SOFTMAX, "vector", (4,), of_format(27), "27 fraction bits leave no room for 16 (at most"),
        (GAUSSIAN, "scalar", (4, 4), of_format(28), "28 fraction bits leave no room for arguments"),
        (GAUSSIAN, "vector", (1, 1025), FixedPoint(), "a row of 1025 numbers does not fit a scra"),
    ):
        with pytest.raises(GnomonError) as caught:
            KernelBench(kernel, kernel.variant(variant), SIMD4, fixed).measure(extents)
        assert message in str(caught.value)
