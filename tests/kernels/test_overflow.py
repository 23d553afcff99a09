"""Overflow at the edges, with the numbers written out."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.measure.kernels import FixedPoint, KernelBench, find_kernel

pytestmark = pytest.mark.usefixtures("sources_stay")

FIXED = FixedPoint()
LARGEST = 2**31 - 1
ONE = 2**15


@pytest.mark.parametrize(
    ("kernel_name", "variant_name", "a", "b", "expected"),
    [
        # 65535.99997 + 2^-15: one step beyond the range is its other end
        ("add", "scalar", [[LARGEST]], [[1]], [[-(2**31)]]),
        ("add", "vector", [[LARGEST]], [[1]], [[-(2**31)]]),
        # 256 * 256 = 65536 is one step out of range
        ("dot", "scalar", [256 * ONE], [256 * ONE], [-(2**31)]),
        # the vector sums hold +-2048: 32 * 64 = 2048 wraps, a step of the shifted product less not
        ("dot", "vector", [32 * ONE], [64 * ONE], [-2048 * ONE]),
        ("dot", "vector", [32 * ONE - 32], [64 * ONE], [2048 * ONE - 2048]),
        ("multiply", "vector", [[32 * ONE]], [[64 * ONE]], [[-2048 * ONE]]),
        # 2 * 1500: each product is in range, their sum is not before it is shifted
        ("dot", "vector", [ONE * 30] * 2, [ONE * 50] * 2, [(3000 - 4096) * ONE]),
        ("dot", "vector-each", [ONE * 30] * 2, [ONE * 50] * 2, [3000 * ONE]),
        # partial sums may leave the range: 3000 - 2500
        ("dot", "vector", [ONE * 30, ONE * -50], [ONE * 100, ONE * 50], [500 * ONE]),
        # rounding: half a step towards zero, and down
        ("dot", "scalar", [-1], [ONE // 2], [0]),
        ("dot", "vector", [-1], [ONE // 2], [-16]),
    ],
)
def test_edge(
    kernel_name: str,
    variant_name: str,
    a: list[int],
    b: list[int],
    expected: list[int],
) -> None:
    kernel = find_kernel(kernel_name)
    variant = kernel.variant(variant_name)
    operands = (np.array(a, dtype=np.int64), np.array(b, dtype=np.int64))
    extents = {"add": (1, 1), "multiply": (1, 1, 1), "dot": operands[0].shape}[kernel_name]
    assert variant.model(FIXED, operands).tolist() == expected
    architecture = load_architecture("t13-simd4")
    on_host = KernelBench(kernel, variant, architecture).run_on_host(extents, operands)
    assert on_host.result.tolist() == expected
    KernelBench(kernel, variant, architecture).measure(extents, operands=operands)
