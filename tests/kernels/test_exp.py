"""exp: its bound over the whole range of a format, and C against the model."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.content.kernels.exp.model import exp_chunk, exp_of_minus
from gnomon.measure.kernels import FixedPoint, KernelBench, find_kernel, kernel_source
from gnomon.measure.kernels._kernel import Variant
from gnomon.measure.kernels.fixed import Status
from tests.rows import light_and_heavy

pytestmark = pytest.mark.usefixtures("sources_stay")

KERNEL = find_kernel("exp")
SIMD4 = load_architecture("t13-simd4")


@pytest.mark.parametrize("bits", [1, 8, 12, 15])
@pytest.mark.parametrize("variant", KERNEL.variants, ids=lambda variant: variant.name)
def test_bound_over_all_numbers_down_to_minus_24(variant: Variant, bits: int) -> None:
    fixed = FixedPoint(bits, bits // 3, bits // 3)
    operands = (-np.arange((24 << bits) + 1, dtype=np.int64),)
    result = variant.model(fixed, operands)
    error = np.abs(fixed.to_real(result) - np.exp(fixed.to_real(operands[0])))
    assert error.max() <= variant.error_bound(fixed, operands)
    assert result[0] == 1 << bits
    assert result[-1] == 0


@pytest.mark.parametrize("bits", [20, 24, 26, 30])
def test_bound_of_finer_formats(bits: int) -> None:
    """Every argument beside an entry of the table, and a million others."""
    rng = np.random.default_rng(bits)
    limit = min(24 << bits, 2**31)
    edges = np.round(np.arange(1, 2200) / 64 * np.log(2) * 2.0**bits).astype(np.int64)
    near = (edges[:, None] + np.arange(-2, 3)).ravel()
    sizes = np.concatenate([near[near <= limit], rng.integers(0, limit, 1_000_000), [0, limit]])
    fixed = FixedPoint(bits, bits // 3, bits // 3)
    for variant in KERNEL.variants:
        if variant.obstacle(SIMD4, (1,), fixed) is None:
            result = fixed.to_real(variant.model(fixed, (-sizes,)))
            error = np.abs(result - np.exp(-fixed.to_real(sizes)))
            assert error.max() <= variant.error_bound(fixed, (sizes,)), variant.name


def test_never_increases_over_all_of_q15() -> None:
    """The vector unit: by 2 steps of 15 bits at most."""
    sizes = np.arange(16 << 15, dtype=np.int64)
    assert np.diff(exp_of_minus(sizes, 15)).max() <= 0
    assert np.diff(exp_chunk(-sizes, 15)).max() == 2


def test_the_table_is_rounded_to_nearest() -> None:
    with localcontext() as context:
        context.prec = 40
        exponents = [31 - Decimal(i) / 64 for i in range(64)]
        powers = [int((Decimal(2) ** each).to_integral_value()) for each in exponents]
    text = kernel_source("fx_exp.c").read_text().split("powers[64] = {")[1].split("};")[0]
    assert [int(word.strip().rstrip("u"), 16) for word in text.split(",") if word.strip()] == powers


@pytest.mark.parametrize("bits", light_and_heavy("studies", 2, [15, 24, 1]))
@settings(deadline=None, max_examples=5)
@given(values=st.lists(st.integers(-(2**31), 0), min_size=1, max_size=40))
def test_host_is_the_model(values: list[int], bits: int) -> None:
    operands = (np.array(values, dtype=np.int64),)
    fixed = FixedPoint(bits, bits // 3, bits // 3)
    for variant in KERNEL.variants:
        run = KernelBench(KERNEL, variant, SIMD4, fixed).run_on_host((len(values),), operands)
        np.testing.assert_array_equal(run.result, variant.model(fixed, operands))
        assert run.status is Status.OK


@pytest.mark.parametrize("variant", KERNEL.variants, ids=lambda variant: variant.name)
def test_arguments_above_zero(variant: Variant) -> None:
    operands = (np.array([0, -(2**15), 1, -(2**31)]),)
    run = KernelBench(KERNEL, variant, SIMD4).measure((4,), operands=operands)
    assert run.status is Status.UNDEFINED
    result = KernelBench(KERNEL, variant, SIMD4).run_on_host((4,), operands).result
    assert result[[0, 3]].tolist() == [2**15, 0]


def test_formats_without_room_for_16() -> None:
    with pytest.raises(GnomonError) as caught:
        KernelBench(KERNEL, KERNEL.variant("vector"), SIMD4, FixedPoint(27, 9, 9)).measure((4,))
    assert str(caught.value) == (
        "kernel exp, variant vector: 27 fraction bits leave no room for 16 (at most 26)"
    )
