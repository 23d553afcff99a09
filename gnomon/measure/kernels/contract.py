"""Contract checks of kernels, each with a name, for any kernel that is found."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import Check, CheckFailed, GnomonError, expect
from gnomon.measure.kernels._bench import KernelBench
from gnomon.measure.kernels._error import compute_errors
from gnomon.measure.kernels._kernel import Extents, Kernel, Variant
from gnomon.measure.kernels.fixed import FixedPoint, Operands, Status, Steps, any_words
from gnomon.program import Program

Shapes = tuple[Extents, ...]

_FORMATS = (FixedPoint(10, 3, 3), FixedPoint(20, 0, 8))
_SMALL_SCRATCHPADS = "vcu.scratchpads.size=128 B"


def check_kernel(
    kernel: Kernel, arch: str = "t13-simd4", more: Iterable[Extents] = ()
) -> Iterator[Check]:
    """Yield the contract checks of a kernel and each of its variants.

    Args:
        kernel: a shipped or user-defined kernel.
        arch: a machine with all features; variants with other needs run on a changed machine.
        more: sizes to check in addition to the usual ones; a size that a variant rejects is
            skipped.
    """
    name = kernel.name
    shapes = tuple(dict.fromkeys((*_usual_shapes(kernel), *more)))
    yield Check(name, "operands-follow-the-seed", partial(_operands, kernel, shapes))
    for variant in kernel.variants:
        bench = KernelBench(kernel, variant, _with_harts(arch, variant))
        for check, run in (_CHECKS | _VECTOR_CHECKS if variant.vector else _CHECKS).items():
            yield Check(f"{name}/{variant.name}", check, partial(run, bench, shapes))


def _with_harts(arch: str, variant: Variant, *overrides: str) -> Architecture:
    """Return the machine, with at least as many harts as the variant uses."""
    machine = load_architecture(arch, overrides)
    if variant.harts <= machine.core.harts:
        return machine
    return load_architecture(arch, [*overrides, f"core.harts={variant.harts}"])


def _usual_shapes(kernel: Kernel) -> tuple[Extents, ...]:
    """Return the sizes that are always checked: square ones, and one whose extents all differ."""
    squares = (kernel.square(n) for n in (1, 4, 9))
    return tuple(dict.fromkeys((*squares, (7, 5, 3, 2)[: len(kernel.extents)])))


def _possible(bench: KernelBench, shapes: Shapes) -> list[Extents]:
    obstacle, machine = bench.variant.obstacle, bench.architecture
    return [extents for extents in shapes if obstacle(machine, extents, bench.fixed) is None]


@cache
def _program(bench: KernelBench) -> Program:
    return bench.build()


def _operands(kernel: Kernel, shapes: Shapes) -> None:
    """Check that the same seed gives the same operands, of the declared shapes, in 32 bits."""
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
    expect(any((a != b).any() for a, b in last), "seeds 1 and 2 give equal operands")


def _model(bench: KernelBench, shapes: Shapes) -> None:
    """Check that the model gives the same 32-bit results each time and keeps its operands."""
    kernel, model = bench.kernel, bench.variant.model
    for extents in _possible(bench, shapes):
        operands = kernel.operands(bench.fixed, extents, 3)
        before = [each.copy() for each in operands]
        first, again = (model(bench.fixed, operands) for _ in range(2))
        shape = kernel.result_shape(extents)
        expect(first.shape == shape, f"the model's result has shape {first.shape}, not {shape}")
        expect(np.array_equal(first, again), "the model returns different bits the second time")
        expect(np.abs(first + 0.5).max() < 2**31, "a number of the model does not fit 32 bits")
        pairs = zip(before, operands, strict=True)
        expect(all(np.array_equal(a, b) for a, b in pairs), "the model changes its operands")


def _machine(bench: KernelBench, shapes: Shapes) -> None:
    """Check on the machine: bits of the model, errors within the bound, no write outside."""
    for extents in _possible(bench, shapes):
        run = bench.measure(extents, seed=7, program=_program(bench))
        expect(0 < run.hart_cycles <= run.wall_cycles, "the region has 0 cycles")
        expect(not run.status, f"fails ({run.status}) on operands of its own range, {extents}")


def _small_scratchpads(bench: KernelBench, shapes: Shapes) -> None:
    """Check with the declared number of scratchpads, of 128 bytes, so that operands are split."""
    variant, count = bench.variant, f"vcu.scratchpads.count={bench.variant.scratchpads}"
    machine = _with_harts(bench.architecture.name, variant, _SMALL_SCRATCHPADS, count)
    small = replace(bench, architecture=machine)
    _machine(small, shapes)
    _host(small, shapes)


def _host(bench: KernelBench, shapes: Shapes) -> None:
    """Check on the host: same bits, also in place, and also after a run at another size."""
    kernel, possible = bench.kernel, _possible(bench, shapes)
    _on_host(bench, [
        (extents, kernel.operands(bench.fixed, extents, seed=11), in_place)
        for extents in (*possible, *reversed(possible))
        for in_place in (None, *kernel.in_place)
    ])  # fmt: skip


def _any_words(bench: KernelBench, shapes: Shapes) -> None:
    """Check operands of the whole range, which overflow everywhere, against the model."""
    for extents in _possible(bench, shapes)[-1:]:
        rng = np.random.default_rng(3)
        operands = tuple(any_words(rng, each) for each in bench.kernel.operand_shapes(extents))
        bench.measure(extents, operands=operands, program=_program(bench))
        _on_host(bench, [(extents, operands, None)])


def _formats(bench: KernelBench, shapes: Shapes) -> None:
    """Check other number formats: bits of the model, errors within the bound."""
    kernel = bench.kernel
    for fixed in _FORMATS:
        other = replace(bench, fixed=fixed)
        possible = _possible(other, shapes)
        drawn = [kernel.operands(fixed, extents, seed=5) for extents in possible]
        calls = [(*each, None) for each in zip(possible, drawn, strict=True)]
        for (extents, operands, _), result in zip(calls, _on_host(other, calls), strict=True):
            title = f"{fixed}, {extents} on the host"
            compute_errors(kernel, other.variant, fixed, operands, result, checked_title=title)


def _refused(bench: KernelBench, _shapes: Shapes) -> None:
    """Check that a machine without a vector unit rejects vector code and is named."""
    try:
        replace(bench, architecture=_with_harts("t13", bench.variant)).build()
    except GnomonError as error:
        expect("t13 has no vector unit" in str(error), f"rejected for another reason: {error}")
    else:
        raise CheckFailed("a machine without a vector unit builds it")


def _on_host(
    bench: KernelBench, calls: Sequence[tuple[Extents, Operands, int | None]]
) -> list[Steps]:
    """Compare each call on the host with the model; return the results."""
    runs, variant = bench.run_all_on_host(calls), bench.variant
    for (extents, operands, _), run in zip(calls, runs, strict=True):
        status = None if variant.status is None else Status(variant.status(bench.fixed, operands))
        expect(run.status == status, f"{extents} on the host: status {run.status}, not {status}")
        differ = np.argwhere(run.result != variant.model(bench.fixed, operands))
        expect(
            not len(differ),
            f"{extents} on the host: {len(differ)} elements differ from the model",
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
