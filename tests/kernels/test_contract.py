"""What every variant of every kernel must do, by being found; more shapes than its own checks."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.base.content import found
from gnomon.bench.kernels import FixedPoint, Kernel, KernelBench, find_kernel

if TYPE_CHECKING:
    from gnomon.base.checks import Check
    from gnomon.bench.kernels._bench import HostRun
    from gnomon.bench.kernels._kernel import Operands, Variant
    from gnomon.program import Program

FIXED = FixedPoint()
SMALL_SCRATCHPADS = "vcu.scratchpads.size=128 B"
MATRICES = [(1, 1), (3, 5), (7, 7), (16, 9)]
PRODUCTS = [(1, 1, 1), (2, 3, 4), (5, 4, 1), (1, 9, 6), (9, 9, 9), (16, 20, 21)]
VECTORS = [(1,), (7,), (40,)]
SQUARES = [(1,), (4,), (9,)]
SHAPES = {
    "add": MATRICES,
    "sub": MATRICES,
    "scale": MATRICES,
    "transpose": MATRICES,
    "multiply": PRODUCTS,
    "multiply-transposed": PRODUCTS,
    "matvec": MATRICES,
    "outer": MATRICES,
    "dot": VECTORS,
    "argmax": VECTORS,
    "divide": VECTORS,
    "sqrt": VECTORS,
    "exp": VECTORS,
    "log": VECTORS,
    "softmax": VECTORS,
    "gaussian": MATRICES,
    "solve-lower": SQUARES,
    "solve-upper": SQUARES,
    "solve-positive": SQUARES,
    "lu": SQUARES,
    "invert": SQUARES,
    "invert-symmetric": SQUARES,
    "sherman-morrison": SQUARES,
    "woodbury": [(1, 1), (7, 2), (9, 3)],
    "grow-inverse": SQUARES,
}
# Larger than a scratchpad of 128 bytes, and for the shipped 4 KiB, in every direction.
LARGE_MATRICES = [(1, 31), (1, 32), (1, 33), (1, 64), (5, 39), (39, 5)]
LARGE_PRODUCTS = [
    (4, 8, 8),
    (5, 9, 3),
    (3, 40, 5),
    (33, 2, 3),
    (2, 3, 35),
    (9, 17, 11),
    (40, 12, 1),
]
LARGE_SHAPES = {
    "add": LARGE_MATRICES,
    "sub": LARGE_MATRICES,
    "scale": LARGE_MATRICES,
    "transpose": LARGE_MATRICES,
    "multiply": LARGE_PRODUCTS,
    "multiply-transposed": LARGE_PRODUCTS,
    "matvec": LARGE_MATRICES,
    "outer": LARGE_MATRICES,
    "dot": [(31,), (32,), (33,), (100,)],
    "argmax": [(33,)],
    "divide": [(200,)],
    "sqrt": [(200,)],
    "exp": [(16,), (200,)],
    "log": [(200,)],
    "softmax": [(31,), (32,), (200,)],
    "gaussian": LARGE_MATRICES,
    "solve-lower": [(19,)],
    "solve-upper": [(19,)],
    "solve-positive": [(19,)],
    "lu": [(19,)],
    "invert": [(19,)],
    "invert-symmetric": [(5,), (19,)],
    "sherman-morrison": [(8,), (19,), (35,)],
    "woodbury": [(8, 3), (19, 2), (35, 5), (8, 9)],
    "grow-inverse": [(8,), (19,), (35,)],
}
LARGER_PRODUCTS = [(3, 130, 9), (33, 32, 5), (2, 16, 70), (6, 300, 2), (34, 34, 34)]
LARGER_SHAPES = {
    "add": [(33, 32), (47, 65)],
    "sub": [(33, 32), (47, 65)],
    "scale": [(33, 32), (47, 65)],
    "multiply": LARGER_PRODUCTS,
    "multiply-transposed": [*LARGER_PRODUCTS, (2, 1100, 2)],
    "matvec": [(33, 33), (1100, 3), (3, 1100)],
    "outer": [(33, 33), (600, 3), (3, 600)],
    "dot": [(1024,), (1025,), (2500,)],
    "exp": [(1023,), (1024,), (2500,)],
    "softmax": [(1023,), (1024,), (2500,)],
    "gaussian": [(33, 33), (600, 3), (3, 600)],
    "invert-symmetric": [(32,)],
    "sherman-morrison": [(33,), (70,)],
    "woodbury": [(33, 4), (70, 8)],
    "grow-inverse": [(33,), (70,)],
}
EACH = [
    pytest.param(kernel, variant, id=f"{kernel.name}-{variant.name}")
    for kernel in map(find_kernel, found("kernels"))
    for variant in kernel.variants
]
VECTOR = [each for each in EACH if each.values[1].vector]


@cache
def machine(name: str, *overrides: str) -> Architecture:
    return load_architecture(name, overrides)


@cache
def program(kernel_name: str, variant_name: str, name: str, *overrides: str) -> Program:
    kernel = find_kernel(kernel_name)
    return KernelBench(kernel, kernel.variant(variant_name), machine(name, *overrides)).build()


def check(
    kernel: Kernel, variant: Variant, extents: tuple[int, ...], name: str, *overrides: str
) -> None:
    """Bit-exact, within its bound, and nothing written outside: measure raises if not."""
    if variant.obstacle(machine(name, *overrides), extents, FIXED) is not None:
        return
    built = program(kernel.name, variant.name, name, *overrides)
    run = KernelBench(kernel, variant, machine(name, *overrides)).measure(
        extents, program=built, seed=7
    )
    assert 0 < run.hart_cycles <= run.wall_cycles
    assert run.error <= run.error_bound
    assert not run.status, "operands of the kernel's own range must not fail"


def test_every_kernel_has_shapes_here() -> None:
    assert sorted(found("kernels")) == sorted(SHAPES) == sorted(LARGE_SHAPES)
    assert all(kernel.variants[0].name == "scalar" for kernel in map(find_kernel, found("kernels")))


@pytest.mark.parametrize("simd", [1, 2, 4, 8])
@pytest.mark.parametrize(("kernel", "variant"), VECTOR)
def test_simd(kernel: Kernel, variant: Variant, simd: int) -> None:
    for extents in SHAPES[kernel.name]:
        check(kernel, variant, extents, f"t13-simd{simd}")


@pytest.mark.parametrize("arch", ["t13-simd4", "rv32im"])
@pytest.mark.parametrize(
    ("kernel", "variant"), [each for each in EACH if not each.values[1].vector]
)
def test_scalar(kernel: Kernel, variant: Variant, arch: str) -> None:
    for extents in SHAPES[kernel.name]:
        check(kernel, variant, extents, arch)


@pytest.mark.parametrize("sharing", ["replicated", "multithreaded"])
@pytest.mark.parametrize(("kernel", "variant"), VECTOR)
def test_sharing(kernel: Kernel, variant: Variant, sharing: str) -> None:
    for extents in SHAPES[kernel.name][-2:]:
        check(kernel, variant, extents, "t13-simd4", f"vcu.sharing={sharing}")


@pytest.mark.parametrize(("kernel", "variant"), VECTOR)
def test_small_scratchpads(kernel: Kernel, variant: Variant) -> None:
    for extents in LARGE_SHAPES[kernel.name]:
        check(kernel, variant, extents, "t13-simd4", SMALL_SCRATCHPADS)


@pytest.mark.parametrize(("kernel", "variant"), VECTOR)
def test_smallest_scratchpads(kernel: Kernel, variant: Variant) -> None:
    extents = LARGE_SHAPES[kernel.name][1]
    check(kernel, variant, extents, "t13-simd8", "vcu.scratchpads.size=64 B")


@pytest.mark.parametrize(("kernel", "variant"), VECTOR)
def test_operands_larger_than_a_scratchpad(kernel: Kernel, variant: Variant) -> None:
    for extents in LARGER_SHAPES[kernel.name]:
        check(kernel, variant, extents, "t13-simd4")


@pytest.mark.parametrize(("kernel", "variant"), EACH)
def test_any_words_wrap_as_the_model_says(kernel: Kernel, variant: Variant) -> None:
    """Operands of the whole range, so that everything overflows."""
    extents = SHAPES[kernel.name][-2]
    rng = np.random.default_rng(3)
    operands = tuple(
        rng.integers(-(2**31), 2**31, size=shape, dtype=np.int64)
        for shape in kernel.operand_shapes(extents)
    )
    reals = tuple(FIXED.to_real(values) for values in operands)
    if variant.function.endswith("_wrap"):
        wrapped = np.abs(kernel.exact(reals)) > 2.0 ** (31 - FIXED.fraction_bits)
        assert wrapped.any(), "no element overflows: the test shows nothing"
    built = program(kernel.name, variant.name, "t13-simd4")
    KernelBench(kernel, variant, machine("t13-simd4")).measure(
        extents, operands=operands, program=built
    )
    on_host = KernelBench(kernel, variant, machine("t13-simd4")).run_on_host(extents, operands)
    check_host(variant, operands, on_host)


def check_host(
    variant: Variant, operands: Operands, run: HostRun, fixed: FixedPoint = FIXED
) -> None:
    np.testing.assert_array_equal(run.result, variant.model(fixed, operands))
    assert run.status == (variant.status(fixed, operands) if variant.status else None)


@pytest.mark.parametrize(
    ("kernel", "variant", "overrides"),
    [pytest.param(*each.values, (), id=f"{each.id}-4 KiB") for each in EACH]
    + [pytest.param(*each.values, (SMALL_SCRATCHPADS,), id=f"{each.id}-128 B") for each in VECTOR],
)
def test_host(kernel: Kernel, variant: Variant, overrides: tuple[str, ...]) -> None:
    architecture = machine("t13-simd4", *overrides)
    for extents in SHAPES[kernel.name] + LARGE_SHAPES[kernel.name]:
        if variant.obstacle(architecture, extents, FIXED) is not None:
            continue
        operands = kernel.operands(FIXED, extents, seed=11)
        run = KernelBench(kernel, variant, architecture).run_on_host(extents, operands)
        check_host(variant, operands, run)
        for index in kernel.in_place:
            run = KernelBench(kernel, variant, architecture).run_on_host(
                extents, operands, in_place=index
            )
            check_host(variant, operands, run)


@pytest.mark.parametrize(
    "check",
    [each for kernel in map(find_kernel, found("kernels")) for each in kernel.checks()],
    ids=lambda check: f"{check.of}-{check.name}",
)
def test_checks_that_any_kernel_has(check: Check) -> None:
    check.run()


@pytest.mark.parametrize(("kernel", "variant"), EACH)
def test_the_function_name_states_the_contract(kernel: Kernel, variant: Variant) -> None:
    assert variant.function.startswith(f"fx_{kernel.name.replace('-', '_')}_")
    word = {"wrap": "wrap", "saturate": "saturate", "checked": "status", "exact": "exact"}
    assert word[variant.function.split("_")[-1]] in variant.contract
    assert (variant.status is not None) == variant.function.endswith(("_checked", "_saturate"))
