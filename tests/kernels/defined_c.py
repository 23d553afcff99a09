"""Run host builds of kernels on numbers of every kind; for ``tests.program.undefined``."""

from __future__ import annotations

import numpy as np

from gnomon.arch import load_architecture
from gnomon.base.content import found
from gnomon.measure.kernels import FixedPoint, KernelBench, find_kernel
from tests.kernels.test_contract import SHAPES
from tests.program.undefined import stop_where_undefined

_EXTREMES = (-(2**31), -(2**31) + 1, -1, 0, 1, 2**31 - 1)


def main() -> None:
    """Every variant of every kernel."""
    stop_where_undefined()
    architecture, fixed = load_architecture("t13-simd4"), FixedPoint()
    cases = 0
    for kernel in map(find_kernel, found("kernels")):
        for variant in kernel.variants:
            for extents in (kernel.square(1), kernel.square(9), *SHAPES[kernel.name]):
                if variant.obstacle(architecture, extents, fixed) is not None:
                    continue
                rng = np.random.default_rng(cases)
                shapes = kernel.operand_shapes(extents)
                print(f"{kernel.name} {variant.name} {extents}", flush=True)
                for operands in (
                    tuple(rng.integers(-(2**15), 2**15, size=shape) for shape in shapes),
                    tuple(rng.integers(-(2**31), 2**31, size=shape) for shape in shapes),
                    tuple(rng.choice(_EXTREMES, size=shape) for shape in shapes),
                ):
                    KernelBench(kernel, variant, architecture).run_on_host(extents, operands)
                    cases += 1
    print(f"{cases} cases")


if __name__ == "__main__":
    main()
