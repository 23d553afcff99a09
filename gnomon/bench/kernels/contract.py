"""The contract of kernels as named checks, of any kernel that is found."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from gnomon.arch import load_architecture
from gnomon.base.checks import Check, expect
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.bench.kernels._description import find_kernel
from gnomon.bench.kernels._host import run_on_host
from gnomon.bench.kernels._measure import build_kernel, measure
from gnomon.bench.kernels.fixed import FixedPoint, Status, any_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gnomon.arch import Architecture
    from gnomon.bench.kernels._kernel import Extents, Kernel, Operands, Variant
    from gnomon.program import Program

_FORMATS = (FixedPoint(10, 3, 3), FixedPoint(20, 0, 8))
_SMALL_SCRATCHPADS = "vcu.scratchpads.size=128 B"
_DEFAULT = FixedPoint()


def kernel_checks(name: str, arch: str = "t13-simd4") -> Iterator[Check]:
    """The checks of a kernel and of each of its variants.

    Args:
        name: of the kernel.
        arch: the machine that has it all; variants of other kinds run on what they need.

    Raises:
        GnomonError: there is no such kernel, or its folder is wrong.
    """
    kernel = find_kernel(name)
    architecture = load_architecture(arch)
    yield Check(name, "operands-follow-the-seed", partial(_operands, kernel))
    for variant in kernel.variants:
        for check, run in (_CHECKS | _VECTOR_CHECKS if variant.vector else _CHECKS).items():
            yield Check(
                f"{name}/{variant.name}", check, partial(run, kernel, variant, architecture)
            )


def check_shapes(kernel: Kernel) -> tuple[Extents, ...]:
    """Sizes that the checks are on: square ones, and one whose extents all differ."""
    squares = (kernel.square(n) for n in (1, 4, 9))
    return tuple(dict.fromkeys((*squares, (7, 5, 3, 2)[: len(kernel.extents)])))


def _shapes(
    kernel: Kernel, variant: Variant, architecture: Architecture, fixed: FixedPoint = _DEFAULT
) -> Iterator[Extents]:
    for extents in check_shapes(kernel):
        if variant.obstacle(architecture, extents, fixed) is None:
            yield extents


@cache
def _program(kernel: Kernel, variant: Variant, architecture: Architecture) -> Program:
    return build_kernel(kernel, variant, architecture)


def _operands(kernel: Kernel) -> None:
    """The same seed gives the same operands, of the shapes it says, in 32 bits."""
    for extents in check_shapes(kernel):
        drawn = [kernel.operands(_DEFAULT, extents, seed) for seed in (1, 1, 2)]
        shapes = kernel.operand_shapes(extents)
        same = [np.array_equal(a, b) for a, b in zip(drawn[0], drawn[1], strict=True)]
        expect(all(same), f"two draws of seed 1 differ at {extents}")
        expect(
            [each.shape for each in drawn[0]] == list(shapes),
            f"operands have shapes {[each.shape for each in drawn[0]]}, not {list(shapes)}",
        )
        for each in drawn[0]:
            expect(each.dtype == np.int64, f"operands are {each.dtype}, not int64")
            expect(np.abs(each + 0.5).max() < 2**31, "an operand does not fit 32 bits")
    last = zip(drawn[0], drawn[2], strict=True)
    expect(any((a != b).any() for a, b in last), "seeds 1 and 2 give the same operands")


def _model(kernel: Kernel, variant: Variant, architecture: Architecture) -> None:
    """The model gives the same bits each time, in 32 bits, and leaves its operands alone."""
    for extents in _shapes(kernel, variant, architecture):
        operands = kernel.operands(_DEFAULT, extents, 3)
        before = [each.copy() for each in operands]
        first, again = (variant.model(_DEFAULT, operands) for _ in range(2))
        shape = kernel.result_shape(extents)
        expect(first.shape == shape, f"the model's result has shape {first.shape}, not {shape}")
        expect(np.array_equal(first, again), "the model gives other bits the second time")
        expect(np.abs(first + 0.5).max() < 2**31, "a number of the model does not fit 32 bits")
        pairs = zip(before, operands, strict=True)
        expect(all(np.array_equal(a, b) for a, b in pairs), "the model changes its operands")


def _machine(kernel: Kernel, variant: Variant, architecture: Architecture) -> None:
    """On the machine: every bit as the model, within the bound, nothing written outside."""
    for extents in _shapes(kernel, variant, architecture):
        program = _program(kernel, variant, architecture)
        run = measure(kernel, variant, architecture, extents, seed=7, program=program)
        expect(0 < run.hart_cycles <= run.wall_cycles, "it takes no cycles")
        expect(not run.status, f"fails ({run.status}) on operands of its own range, {extents}")


def _small_scratchpads(kernel: Kernel, variant: Variant, architecture: Architecture) -> None:
    """Scratchpads of 128 bytes, so that operands come in parts."""
    small = load_architecture(architecture.name, [_SMALL_SCRATCHPADS])
    _machine(kernel, variant, small)
    _host(kernel, variant, small)


def _host(kernel: Kernel, variant: Variant, architecture: Architecture) -> None:
    """On this computer: the same bits, also in place, and also after a run at another size."""
    shapes = list(_shapes(kernel, variant, architecture))
    for extents in (*shapes, *reversed(shapes)):
        operands = kernel.operands(_DEFAULT, extents, seed=11)
        for in_place in (None, *kernel.in_place):
            _on_host(kernel, variant, architecture, extents, operands, in_place=in_place)


def _any_words(kernel: Kernel, variant: Variant, architecture: Architecture) -> None:
    """Operands of the whole range, where everything overflows: still as the model says."""
    extents = list(_shapes(kernel, variant, architecture))[-1:]
    for each in extents:
        rng = np.random.default_rng(3)
        operands = tuple(any_words(rng, shape) for shape in kernel.operand_shapes(each))
        program = _program(kernel, variant, architecture)
        measure(kernel, variant, architecture, each, operands=operands, program=program)
        _on_host(kernel, variant, architecture, each, operands)


def _formats(kernel: Kernel, variant: Variant, architecture: Architecture) -> None:
    """Other number formats: as the model, and within the bound."""
    for fixed in _FORMATS:
        for extents in _shapes(kernel, variant, architecture, fixed):
            operands = kernel.operands(fixed, extents, seed=5)
            result = _on_host(kernel, variant, architecture, extents, operands, fixed=fixed)
            exact = kernel.exact(tuple(fixed.to_real(values) for values in operands))
            error = np.abs(kernel.to_real(fixed, result) - exact)
            bound = variant.error_bound(fixed, operands)
            expect((error <= bound).all(), f"{fixed}, {extents}: the error is above its bound")


def _refused(kernel: Kernel, variant: Variant, _: Architecture) -> None:
    """A machine without a vector unit refuses vector code, and names variant and machine."""
    scalar = load_architecture("t13")
    try:
        build_kernel(kernel, variant, scalar)
    except GnomonError as error:
        expect("t13 has no vector unit" in str(error), f"refused for another reason: {error}")
    else:
        raise CheckFailed("a machine without a vector unit builds it")


def _on_host(
    kernel: Kernel,
    variant: Variant,
    architecture: Architecture,
    extents: Extents,
    operands: Operands,
    *,
    fixed: FixedPoint = _DEFAULT,
    in_place: int | None = None,
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    run = run_on_host(
        kernel, variant, architecture, extents, operands, fixed=fixed, in_place=in_place
    )
    status = None if variant.status is None else Status(variant.status(fixed, operands))
    expect(run.status == status, f"{extents} on this computer: status {run.status}, not {status}")
    differ = np.argwhere(run.result != variant.model(fixed, operands))
    expect(
        not len(differ), f"{extents} on this computer: {len(differ)} elements differ from the model"
    )
    return run.result


_CHECKS: dict[str, Callable[[Kernel, Variant, Architecture], None]] = {
    "model": _model,
    "machine-equals-model": _machine,
    "host-equals-model": _host,
    "any-words": _any_words,
    "other-formats": _formats,
}
_VECTOR_CHECKS: dict[str, Callable[[Kernel, Variant, Architecture], None]] = {
    "small-scratchpads": _small_scratchpads,
    "refused-without-vector-unit": _refused,
}
