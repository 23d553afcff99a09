"""The contract of kernels as named checks, of any kernel that is found."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial

import numpy as np

from gnomon.arch import Architecture, load_architecture
from gnomon.base.checks import Check, expect
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.bench.kernels._bench import KernelBench
from gnomon.bench.kernels._error import errors_of
from gnomon.bench.kernels._kernel import Extents, Kernel, Variant
from gnomon.bench.kernels.fixed import FixedPoint, Operands, Status, Steps, any_words
from gnomon.program import Program

_FORMATS = (FixedPoint(10, 3, 3), FixedPoint(20, 0, 8))
_SMALL_SCRATCHPADS = "vcu.scratchpads.size=128 B"


def kernel_checks(kernel: Kernel, arch: str) -> Iterator[Check]:
    """The checks of a kernel and of each of its variants; see :meth:`Kernel.checks`."""
    name = kernel.name
    yield Check(name, "operands-follow-the-seed", partial(_operands, kernel))
    for variant in kernel.variants:
        bench = KernelBench(kernel, variant, _with_harts(arch, variant))
        for check, run in (_CHECKS | _VECTOR_CHECKS if variant.vector else _CHECKS).items():
            yield Check(f"{name}/{variant.name}", check, partial(run, bench))


def _with_harts(arch: str, variant: Variant, *overrides: str) -> Architecture:
    """The machine, with as many harts as a variant takes."""
    machine = load_architecture(arch, overrides)
    if variant.harts <= machine.core.harts:
        return machine
    return load_architecture(arch, [*overrides, f"core.harts={variant.harts}"])


def check_shapes(kernel: Kernel) -> tuple[Extents, ...]:
    """Sizes that the checks are on: square ones, and one whose extents all differ."""
    squares = (kernel.square(n) for n in (1, 4, 9))
    return tuple(dict.fromkeys((*squares, (7, 5, 3, 2)[: len(kernel.extents)])))


def _shapes(bench: KernelBench) -> list[Extents]:
    obstacle, machine = bench.variant.obstacle, bench.architecture
    shapes = check_shapes(bench.kernel)
    return [extents for extents in shapes if obstacle(machine, extents, bench.fixed) is None]


@cache
def _program(bench: KernelBench) -> Program:
    return bench.build()


def _operands(kernel: Kernel) -> None:
    """The same seed gives the same operands, of the shapes it says, in 32 bits."""
    for extents in check_shapes(kernel):
        drawn = [kernel.operands(FixedPoint(), extents, seed) for seed in (1, 1, 2)]
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


def _model(bench: KernelBench) -> None:
    """The model gives the same bits each time, in 32 bits, and leaves its operands alone."""
    kernel, model = bench.kernel, bench.variant.model
    for extents in _shapes(bench):
        operands = kernel.operands(bench.fixed, extents, 3)
        before = [each.copy() for each in operands]
        first, again = (model(bench.fixed, operands) for _ in range(2))
        shape = kernel.result_shape(extents)
        expect(first.shape == shape, f"the model's result has shape {first.shape}, not {shape}")
        expect(np.array_equal(first, again), "the model gives other bits the second time")
        expect(np.abs(first + 0.5).max() < 2**31, "a number of the model does not fit 32 bits")
        pairs = zip(before, operands, strict=True)
        expect(all(np.array_equal(a, b) for a, b in pairs), "the model changes its operands")


def _machine(bench: KernelBench) -> None:
    """On the machine: every bit as the model, within the bound, nothing written outside."""
    for extents in _shapes(bench):
        run = bench.measure(extents, seed=7, program=_program(bench))
        expect(0 < run.hart_cycles <= run.wall_cycles, "it takes no cycles")
        expect(not run.status, f"fails ({run.status}) on operands of its own range, {extents}")


def _small_scratchpads(bench: KernelBench) -> None:
    """As many scratchpads as it says, of 128 bytes, so that operands come in parts."""
    variant, count = bench.variant, f"vcu.scratchpads.count={bench.variant.scratchpads}"
    machine = _with_harts(bench.architecture.name, variant, _SMALL_SCRATCHPADS, count)
    small = replace(bench, architecture=machine)
    _machine(small)
    _host(small)


def _host(bench: KernelBench) -> None:
    """On this computer: the same bits, also in place, and also after a run at another size."""
    shapes = _shapes(bench)
    for extents in (*shapes, *reversed(shapes)):
        operands = bench.kernel.operands(bench.fixed, extents, seed=11)
        for in_place in (None, *bench.kernel.in_place):
            _on_host(bench, extents, operands, in_place=in_place)


def _any_words(bench: KernelBench) -> None:
    """Operands of the whole range, where everything overflows: still as the model says."""
    for extents in _shapes(bench)[-1:]:
        rng = np.random.default_rng(3)
        operands = tuple(any_words(rng, each) for each in bench.kernel.operand_shapes(extents))
        bench.measure(extents, operands=operands, program=_program(bench))
        _on_host(bench, extents, operands)


def _formats(bench: KernelBench) -> None:
    """Other number formats: as the model, and within the bound."""
    kernel = bench.kernel
    for fixed in _FORMATS:
        other = replace(bench, fixed=fixed)
        for extents in _shapes(other):
            operands = kernel.operands(fixed, extents, seed=5)
            result = _on_host(other, extents, operands)
            held = f"{fixed}, {extents} on this computer"
            errors_of(kernel, other.variant, fixed, operands, result, held=held)


def _refused(bench: KernelBench) -> None:
    """A machine without a vector unit refuses vector code, and names variant and machine."""
    try:
        replace(bench, architecture=_with_harts("t13", bench.variant)).build()
    except GnomonError as error:
        expect("t13 has no vector unit" in str(error), f"refused for another reason: {error}")
    else:
        raise CheckFailed("a machine without a vector unit builds it")


def _on_host(
    bench: KernelBench, extents: Extents, operands: Operands, *, in_place: int | None = None
) -> Steps:
    run, variant = bench.run_on_host(extents, operands, in_place=in_place), bench.variant
    status = None if variant.status is None else Status(variant.status(bench.fixed, operands))
    expect(run.status == status, f"{extents} on this computer: status {run.status}, not {status}")
    differ = np.argwhere(run.result != variant.model(bench.fixed, operands))
    expect(
        not len(differ), f"{extents} on this computer: {len(differ)} elements differ from the model"
    )
    return run.result


_CHECKS: dict[str, Callable[[KernelBench], None]] = {
    "model": _model,
    "machine-equals-model": _machine,
    "host-equals-model": _host,
    "any-words": _any_words,
    "other-formats": _formats,
}
_VECTOR_CHECKS: dict[str, Callable[[KernelBench], None]] = {
    "small-scratchpads": _small_scratchpads,
    "refused-without-vector-unit": _refused,
}
