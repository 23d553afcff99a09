"""The contract of kernels as named checks, of any kernel that is found."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import Check, CheckFailed, GnomonError, expect
from gnomon.measure.kernels._bench import KernelBench
from gnomon.measure.kernels._error import errors_of
from gnomon.measure.kernels._kernel import Extents, Kernel, Variant
from gnomon.measure.kernels.fixed import FixedPoint, Operands, Status, Steps, any_words
from gnomon.program import Program

Shapes = tuple[Extents, ...]

_FORMATS = (FixedPoint(10, 3, 3), FixedPoint(20, 0, 8))
_SMALL_SCRATCHPADS = "vcu.scratchpads.size=128 B"


def check_kernel(
    kernel: Kernel, arch: str = "t13-simd4", more: Iterable[Extents] = ()
) -> Iterator[Check]:
    """Yield the checks of what a kernel must do, and each of its variants.

    Args:
        kernel: shipped or a user's.
        arch: the machine that has it all; variants of other kinds run on what they need.
        more: sizes to check besides the usual ones; where a variant has no such size it is
            left out.
    """
    name = kernel.name
    shapes = tuple(dict.fromkeys((*_usual_shapes(kernel), *more)))
    yield Check(name, "operands-follow-the-seed", partial(_operands, kernel, shapes))
    for variant in kernel.variants:
        bench = KernelBench(kernel, variant, _with_harts(arch, variant))
        for check, run in (_CHECKS | _VECTOR_CHECKS if variant.vector else _CHECKS).items():
            yield Check(f"{name}/{variant.name}", check, partial(run, bench, shapes))


def _with_harts(arch: str, variant: Variant, *overrides: str) -> Architecture:
    """The machine, with as many harts as a variant takes."""
    machine = load_architecture(arch, overrides)
    if variant.harts <= machine.core.harts:
        return machine
    return load_architecture(arch, [*overrides, f"core.harts={variant.harts}"])


def _usual_shapes(kernel: Kernel) -> tuple[Extents, ...]:
    """Sizes that the checks are always on: square ones, and one whose extents all differ."""
    squares = (kernel.square(n) for n in (1, 4, 9))
    return tuple(dict.fromkeys((*squares, (7, 5, 3, 2)[: len(kernel.extents)])))


def _possible(bench: KernelBench, shapes: Shapes) -> list[Extents]:
    obstacle, machine = bench.variant.obstacle, bench.architecture
    return [extents for extents in shapes if obstacle(machine, extents, bench.fixed) is None]


@cache
def _program(bench: KernelBench) -> Program:
    return bench.build()


def _operands(kernel: Kernel, shapes: Shapes) -> None:
    """The same seed gives the same operands, of the shapes it says, in 32 bits."""
    for extents in shapes:
        drawn = [kernel.operands(FixedPoint(), extents, seed) for seed in (1, 1, 2)]
        wanted = list(kernel.operand_shapes(extents))
        same = [np.array_equal(a, b) for a, b in zip(drawn[0], drawn[1], strict=True)]
        expect(all(same), f"two draws of seed 1 differ at {extents}")
        expect(
            [each.shape for each in drawn[0]] == wanted,
            f"operands have shapes {[each.shape for each in drawn[0]]}, not {wanted}",
        )
        for each in drawn[0]:
            expect(each.dtype == np.int64, f"operands are {each.dtype}, not int64")
            expect(np.abs(each + 0.5).max() < 2**31, "an operand does not fit 32 bits")
    last = zip(drawn[0], drawn[2], strict=True)
    expect(any((a != b).any() for a, b in last), "seeds 1 and 2 give the same operands")


def _model(bench: KernelBench, shapes: Shapes) -> None:
    """The model gives the same bits each time, in 32 bits, and leaves its operands alone."""
    kernel, model = bench.kernel, bench.variant.model
    for extents in _possible(bench, shapes):
        operands = kernel.operands(bench.fixed, extents, 3)
        before = [each.copy() for each in operands]
        first, again = (model(bench.fixed, operands) for _ in range(2))
        shape = kernel.result_shape(extents)
        expect(first.shape == shape, f"the model's result has shape {first.shape}, not {shape}")
        expect(np.array_equal(first, again), "the model gives other bits the second time")
        expect(np.abs(first + 0.5).max() < 2**31, "a number of the model does not fit 32 bits")
        pairs = zip(before, operands, strict=True)
        expect(all(np.array_equal(a, b) for a, b in pairs), "the model changes its operands")


def _machine(bench: KernelBench, shapes: Shapes) -> None:
    """On the machine: every bit as the model, within the bound, nothing written outside."""
    for extents in _possible(bench, shapes):
        run = bench.measure(extents, seed=7, program=_program(bench))
        expect(0 < run.hart_cycles <= run.wall_cycles, "it takes no cycles")
        expect(not run.status, f"fails ({run.status}) on operands of its own range, {extents}")


def _small_scratchpads(bench: KernelBench, shapes: Shapes) -> None:
    """As many scratchpads as it says, of 128 bytes, so that operands come in parts."""
    variant, count = bench.variant, f"vcu.scratchpads.count={bench.variant.scratchpads}"
    machine = _with_harts(bench.architecture.name, variant, _SMALL_SCRATCHPADS, count)
    small = replace(bench, architecture=machine)
    _machine(small, shapes)
    _host(small, shapes)


def _host(bench: KernelBench, shapes: Shapes) -> None:
    """On this computer: the same bits, also in place, and also after a run at another size."""
    kernel, possible = bench.kernel, _possible(bench, shapes)
    _on_host(bench, [
        (extents, kernel.operands(bench.fixed, extents, seed=11), in_place)
        for extents in (*possible, *reversed(possible))
        for in_place in (None, *kernel.in_place)
    ])  # fmt: skip


def _any_words(bench: KernelBench, shapes: Shapes) -> None:
    """Operands of the whole range, where everything overflows: still as the model says."""
    for extents in _possible(bench, shapes)[-1:]:
        rng = np.random.default_rng(3)
        operands = tuple(any_words(rng, each) for each in bench.kernel.operand_shapes(extents))
        bench.measure(extents, operands=operands, program=_program(bench))
        _on_host(bench, [(extents, operands, None)])


def _formats(bench: KernelBench, shapes: Shapes) -> None:
    """Other number formats: as the model, and within the bound."""
    kernel = bench.kernel
    for fixed in _FORMATS:
        other = replace(bench, fixed=fixed)
        possible = _possible(other, shapes)
        drawn = [kernel.operands(fixed, extents, seed=5) for extents in possible]
        calls = [(*each, None) for each in zip(possible, drawn, strict=True)]
        for (extents, operands, _), result in zip(calls, _on_host(other, calls), strict=True):
            held = f"{fixed}, {extents} on this computer"
            errors_of(kernel, other.variant, fixed, operands, result, held=held)


def _refused(bench: KernelBench, _shapes: Shapes) -> None:
    """A machine without a vector unit refuses vector code, and names variant and machine."""
    try:
        replace(bench, architecture=_with_harts("t13", bench.variant)).build()
    except GnomonError as error:
        expect("t13 has no vector unit" in str(error), f"refused for another reason: {error}")
    else:
        raise CheckFailed("a machine without a vector unit builds it")


def _on_host(
    bench: KernelBench, calls: Sequence[tuple[Extents, Operands, int | None]]
) -> list[Steps]:
    """Hold each call on this computer against the model; return the results."""
    runs, variant = bench.run_all_on_host(calls), bench.variant
    for (extents, operands, _), run in zip(calls, runs, strict=True):
        status = None if variant.status is None else Status(variant.status(bench.fixed, operands))
        expect(
            run.status == status, f"{extents} on this computer: status {run.status}, not {status}"
        )
        differ = np.argwhere(run.result != variant.model(bench.fixed, operands))
        expect(
            not len(differ),
            f"{extents} on this computer: {len(differ)} elements differ from the model",
        )
    return [run.result for run in runs]


_CHECKS: dict[str, Callable[[KernelBench, Shapes], None]] = {
    "model": _model,
    "machine-equals-model": _machine,
    "host-equals-model": _host,
    "any-words": _any_words,
    "other-formats": _formats,
}
_VECTOR_CHECKS: dict[str, Callable[[KernelBench, Shapes], None]] = {
    "small-scratchpads": _small_scratchpads,
    "refused-without-vector-unit": _refused,
}
