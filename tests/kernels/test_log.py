"""log: its bound over all numbers of small formats, and C against the model."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.content.kernels.log.model import log_of
from gnomon.measure.kernels import FixedPoint, KernelBench, find_kernel
from gnomon.measure.kernels.fixed import Status
from tests.rows import light_and_heavy

pytestmark = pytest.mark.usefixtures("sources_stay")

KERNEL = find_kernel("log")
SCALAR = KERNEL.variant("scalar")
SIMD4 = load_architecture("t13-simd4")


@pytest.mark.parametrize("bits", [1, 15, 20, 26])
def test_bound(bits: int) -> None:
    """All mantissas of 18 bits, at the top and at the bottom of the range; the largest numbers."""
    mantissas = np.arange(2**17, 2**18)
    values = np.concatenate([mantissas, mantissas << 13, [1, 2, 3, 2**31 - 1]])
    fixed = FixedPoint(bits, bits // 3, bits // 3)
    error = np.abs(fixed.to_real(log_of(values, bits)) - np.log(fixed.to_real(values)))
    assert error.max() <= SCALAR.error_bound(fixed, (values,))


def test_never_decreases() -> None:
    assert (np.diff(log_of(np.arange(1, 2**18), 20)) >= 0).all()
    assert log_of(np.array([2**15]), 15).tolist() == [0]


@pytest.mark.parametrize("bits", light_and_heavy("studies", 2, [15, 24, 1]))
@settings(deadline=None, max_examples=15)
@given(values=st.lists(st.integers(1, 2**31 - 1), min_size=1, max_size=40))
def test_host_is_the_model(values: list[int], bits: int) -> None:
    operands = (np.array(values, dtype=np.int64),)
    fixed = FixedPoint(bits, bits // 3, bits // 3)
    run = KernelBench(KERNEL, SCALAR, SIMD4, fixed).run_on_host((len(values),), operands)
    np.testing.assert_array_equal(run.result, SCALAR.model(fixed, operands))
    assert run.status is Status.OK


def test_zero_and_below() -> None:
    operands = (np.array([2**15, 0, -1, 2**16]),)
    run = KernelBench(KERNEL, SCALAR, SIMD4).measure((4,), operands=operands)
    assert run.status is Status.UNDEFINED
    result = KernelBench(KERNEL, SCALAR, SIMD4).run_on_host((4,), operands).result
    assert result.tolist() == [0, -(2**31), -(2**31), 22713]


def test_formats_without_room() -> None:
    with pytest.raises(GnomonError) as caught:
        KernelBench(KERNEL, SCALAR, SIMD4, FixedPoint(27, 9, 9)).measure((4,))
    assert str(caught.value) == (
        "kernel log, variant scalar: 27 fraction bits leave no room for -18, the logarithm of a"
        " step (at most 26)"
    )
