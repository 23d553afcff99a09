"""What every kernel must do, by being found; more shapes than its own checks, more machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.content import found
from gnomon.measure.kernels import FixedPoint, Kernel, KernelBench, check_kernel, find_kernel
from gnomon.measure.kernels.fixed import any_words
from tests.contract import failures
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gnomon.base.errors import Check
    from gnomon.measure.kernels._kernel import Extents

pytestmark = pytest.mark.usefixtures("sources_stay")

FIXED = FixedPoint()
SMALL_SCRATCHPADS = "vcu.scratchpads.size=128 B"
# Larger than a scratchpad of 128 bytes in some direction, besides the sizes of every contract.
MATRICES = [(3, 5), (1, 33), (5, 39), (39, 5)]
PRODUCTS = [(5, 4, 1), (5, 9, 3), (3, 40, 5), (33, 2, 3), (2, 3, 35), (16, 20, 21)]
VECTORS = [(7,), (33,), (100,)]
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
    "solve-lower": [(19,)],
    "solve-upper": [(19,)],
    "solve-positive": [(19,)],
    "lu": [(19,)],
    "invert": [(19,)],
    "invert-symmetric": [(5,), (19,)],
    "sherman-morrison": [(8,), (35,)],
    "woodbury": [(1, 1), (19, 2), (35, 5), (8, 9)],
    "grow-inverse": [(8,), (35,)],
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
KERNELS = [find_kernel(name) for name in found("kernels")]
EACH = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)


def test_every_kernel_has_shapes_here() -> None:
    assert sorted(found("kernels")) == sorted(SHAPES)
    assert all(kernel.variants[0].name == "scalar" for kernel in KERNELS)


WHOLE = "multiply"
"""The kernel whose contract `make test` checks completely."""
ONE_OF_EACH = (
    "multiply", "softmax", "sherman-morrison", "add", "argmax", "divide", "solve-lower", "invert",
    "invert-symmetric",
)  # fmt: skip
"""Of products, functions, updates, elements, indices, divisions, solvers and inverses."""
BUILT_AGAIN = {"other-formats"}
"""Checks that `make test` leaves out of the other kernels: they take builds of their own."""
BUILT_FOR_VECTORS = {"machine-equals-model", "host-equals-model", "any-words"}
"""Those it leaves out of their vector code, which is on small scratchpads then."""


def light(kernel: Kernel, check: Check) -> bool:
    """Return whether `make test` runs a check: all of one kernel, most of the others."""
    variant = check.of.partition("/")[2]
    vector = bool(variant) and kernel.variant(variant).vector
    left = BUILT_AGAIN | BUILT_FOR_VECTORS if vector else BUILT_AGAIN
    return kernel.name == WHOLE or check.name not in left


@pytest.mark.parametrize(
    "kernel",
    light_and_heavy("studies", ONE_OF_EACH, KERNELS, lambda kernel: kernel.name),
)
def test_contract(kernel: Kernel) -> None:
    checks = check_kernel(kernel, more=SHAPES[kernel.name])
    assert not failures(check for check in checks if light(kernel, check))


@pytest.mark.heavy("studies")
@EACH
def test_rest_of_the_contract(kernel: Kernel) -> None:
    checks = check_kernel(kernel, more=SHAPES[kernel.name])
    assert not failures(check for check in checks if not light(kernel, check))


def test_words_of_the_whole_range_overflow() -> None:
    """Or the check of any words would show nothing of functions that wrap."""
    for kernel in KERNELS:
        rng = np.random.default_rng(3)
        shapes = kernel.operand_shapes(SHAPES[kernel.name][-1])
        reals = tuple(FIXED.to_real(any_words(rng, shape)) for shape in shapes)
        wraps = any(each.function.endswith("_wrap") for each in kernel.variants)
        limit = 2.0 ** (31 - FIXED.fraction_bits)
        assert not wraps or (np.abs(kernel.exact(reals)) > limit).any(), kernel.name


def test_the_function_name_states_the_contract() -> None:
    word = {"wrap": "wrap", "saturate": "saturate", "checked": "status", "exact": "exact"}
    for kernel in KERNELS:
        for variant in kernel.variants:
            function = variant.function
            assert function.startswith(f"fx_{kernel.name.replace('-', '_')}_")
            assert word[function.split("_")[-1]] in variant.contract, function
            assert (variant.status is not None) == function.endswith(("_checked", "_saturate"))


def check_on(
    kernel: Kernel, shapes: Iterable[Extents], vector: bool | None, name: str, *overrides: str
) -> None:
    """Run the variants that a machine can run; measuring compares every bit with the model."""
    for variant in kernel.variants:
        if vector is not None and variant.vector != vector:
            continue
        machine = load_architecture(name, overrides)
        bench, program = KernelBench(kernel, variant, machine), None
        for extents in shapes:
            if bench.obstacle(extents) is None:
                program = program or bench.build()
                run = bench.measure(extents, program=program, seed=7)
                assert 0 < run.hart_cycles <= run.wall_cycles
                assert not run.status, (variant.name, extents, "fails on its own operands")


def test_other_machines() -> None:
    """Two kernels on three machines; `test_every_machine` has all."""
    for name in (WHOLE, "softmax"):
        kernel = find_kernel(name)
        shapes = SHAPES[name][-2:]
        check_on(kernel, shapes, False, "rv32im")
        check_on(kernel, shapes, True, "t13-simd1", "vcu.sharing=multithreaded")
        check_on(kernel, shapes, True, "t13-simd8", "vcu.scratchpads.size=64 B")


@pytest.mark.heavy("studies")
@EACH
def test_every_machine(kernel: Kernel) -> None:
    """Lanes, sharing, and scratchpads that operands do not fit."""
    shapes = SHAPES[kernel.name]
    check_on(kernel, shapes, False, "rv32im")
    for simd in (1, 2, 8):
        check_on(kernel, shapes, True, f"t13-simd{simd}")
    for sharing in ("replicated", "multithreaded"):
        check_on(kernel, shapes, True, "t13-simd4", f"vcu.sharing={sharing}")
    check_on(kernel, shapes, True, "t13-simd8", "vcu.scratchpads.size=64 B")
    check_on(kernel, LARGER_SHAPES.get(kernel.name, ()), True, "t13-simd4")
