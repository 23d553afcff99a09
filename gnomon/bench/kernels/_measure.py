"""Build a kernel, run it, check every bit of its result, and say what it cost."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.base.content import find
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.frames import Framed, frame
from gnomon.bench.kernels._description import describe, kernel_include
from gnomon.bench.kernels._driver import driver
from gnomon.bench.kernels._place import place_operands
from gnomon.bench.kernels.fixed import FixedPoint, Status
from gnomon.bench.words import words_at
from gnomon.program import build
from gnomon.sim import Region, TimedPath, simulate

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from gnomon.arch import Architecture
    from gnomon.bench.kernels._kernel import Extents, Kernel, Operands, Variant
    from gnomon.bench.kernels.fixed import Steps
    from gnomon.program import BuildInfo, Program
    from gnomon.sim import RegionRun, Work

_DATA_RESERVE_BYTES = 4096  # for the data of the kernels themselves
_STACK_BYTES = 4096
_MAX_CYCLES = 2_000_000_000
_REGION = "kernel"


@dataclass(frozen=True, slots=True)
class KernelRun(Framed):
    """What one variant cost on one machine.

    ``wall_cycles`` count from the first instruction of the kernel until its result is in memory,
    plus the 4 cycles of the load that waits for that. ``hart_cycles`` are those of them in which
    hart 0 holds the execute stage. ``error`` is the largest distance from the real-number
    result and ``error_bound`` the largest that the contract allows, both as real numbers; where
    the kernel failed, as ``status`` then says, the error means nothing and is 0.
    """

    kernel: str
    variant: str
    contract: str
    function: str
    arch: str
    extents: Extents
    wall_cycles: int
    hart_cycles: int
    issued: int
    time_us: float
    error: float
    error_bound: float
    counters: Mapping[str, int]
    build: BuildInfo = field(repr=False)
    work: Work = field(repr=False)
    status: Status | None = None
    unobserved: tuple[str, ...] = field(default=(), repr=False)

    def caption(self) -> str:
        """What ran where."""
        return f"kernel {self.kernel} on {self.arch}"

    def frame(self) -> pd.DataFrame:
        """One row: what ran, cycles, ``time_us``, ``error`` and its bound."""
        names = ("kernel", "variant", "arch", "extents", "wall_cycles", "hart_cycles", "issued",
                 "time_us", "error", "error_bound")  # fmt: skip
        return frame(names, [[getattr(self, name) for name in names]])

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)[:12]}
        return {
            **plain,
            "extents": list(self.extents),
            "status": None if self.status is None else self.status.name.lower(),
            "counters": dict(self.counters),
            "compiler": f"{self.build.compiler} {self.build.version}",
            "flags": list(self.build.flags),
        }


def build_kernel(
    kernel: Kernel,
    variant: Variant,
    architecture: Architecture,
    fixed: FixedPoint | None = None,
    *,
    compiler: str = "zig",
    optimization: str = "-O2",
) -> Program:
    """Build one variant with its driver; the same program serves all extents and operands.

    Raises:
        GnomonError: the machine cannot run it.
    """
    check_machine(kernel, variant, architecture)
    fixed = fixed or FixedPoint()
    data_bytes = int(architecture.memory.data.size)
    own_bytes = variant.harts * _STACK_BYTES + _DATA_RESERVE_BYTES
    room_bytes = data_bytes - own_bytes
    if room_bytes < 4096:
        raise GnomonError(
            f"{architecture.name}: {data_bytes} bytes of data memory are too little to measure a"
            f" kernel in (at least {own_bytes + 4096})"
        )
    defines: dict[str, str | int] = {
        **fixed.defines(),
        "KERNEL_FUNCTION": variant.function,
        "MEASURE_WORDS": room_bytes // 4,
    }
    if variant.helper is not None:
        defines["KERNEL_HELPER"] = variant.helper
    with tempfile.TemporaryDirectory(prefix="gnomon-") as temporary:
        calling = kernel.driver
        if calling is None:
            calling = Path(temporary) / f"measure_{kernel.folder.name}.c"
            calling.write_text(driver(kernel, variant), encoding="utf-8")
        try:
            return build(
                [calling, *variant.sources],
                architecture,
                defines=defines,
                include=kernel_include(),
                optimization=optimization,
                compiler=compiler,
                stack_size_bytes=_STACK_BYTES,
                active_harts=variant.harts,
            )
        except GnomonError as error:
            if "undefined" in str(error) and f"{variant.function}\n" in f"{error}\n":
                table, _ = describe(find("kernels", kernel.name))
                raise GnomonError(
                    f"{table.origin('variants', variant.name, 'function')}: no source of it"
                    f" defines {variant.function}"
                ) from None
            raise


def check_machine(kernel: Kernel, variant: Variant, architecture: Architecture) -> None:
    """Refuse a machine that lacks what a variant needs.

    Raises:
        GnomonError: naming it.
    """
    if not variant.vector:
        return
    what = _what(kernel, variant)
    if variant.harts > architecture.core.harts:
        raise GnomonError(
            f"{what}: {architecture.name} has {architecture.core.harts} hart(s), the kernel needs"
            f" {variant.harts}"
        )
    if architecture.vcu is None:
        raise GnomonError(f"{what}: {architecture.name} has no vector unit (use --variant scalar)")
    count = architecture.vcu.scratchpads.count
    if count < 4:
        raise GnomonError(
            f"{what}: {architecture.name} has {count} scratchpad(s), the kernel needs 4"
            " (vcu.scratchpads.count)"
        )


def check_size(
    kernel: Kernel,
    variant: Variant,
    architecture: Architecture,
    extents: Extents,
    fixed: FixedPoint,
) -> None:
    """Refuse a size or a format that a variant cannot work on with this machine.

    Raises:
        GnomonError: saying why.
    """
    obstacle = variant.obstacle(architecture, extents, fixed)
    if obstacle is not None:
        raise GnomonError(f"{_what(kernel, variant)}: {obstacle}")


def _what(kernel: Kernel, variant: Variant) -> str:
    return f"kernel {kernel.name}, variant {variant.name}"


def measure(
    kernel: Kernel,
    variant: Variant,
    architecture: Architecture,
    extents: Extents,
    *,
    operands: Operands | None = None,
    seed: int = 0,
    fixed: FixedPoint | None = None,
    program: Program | None = None,
) -> KernelRun:
    """Run one variant and compare every bit of its result with the model.

    Args:
        kernel: the operation.
        variant: which implementation of it.
        architecture: where to run it.
        extents: its size.
        operands: what to run it on; random ones of the kernel's own range by default.
        seed: of the random operands.
        fixed: the number format.
        program: a program from :func:`build_kernel`, to build it only once.

    Raises:
        CheckFailed: the result differs from the model, memory outside the result was written,
            or an error is above its bound.
        GnomonError: the machine cannot run it, or operands do not fit.
    """
    fixed = fixed or FixedPoint()
    extents = kernel.check_extents(extents)
    check_machine(kernel, variant, architecture)
    check_size(kernel, variant, architecture, extents, fixed)
    bounded = operands is None
    if operands is None:
        operands = kernel.operands(fixed, extents, seed)
    if program is None:
        program = build_kernel(kernel, variant, architecture, fixed)
    expected = variant.model(fixed, operands)
    placed = place_operands(
        program, kernel.arguments(extents), operands, expected.size, kernel.work_words(extents)
    )
    regions = [_region(program, variant)]
    run = simulate(placed.program, architecture, max_cycles=_MAX_CYCLES, regions=regions)
    shown = ", ".join(f"{name} {n}" for name, n in zip(kernel.extents, extents, strict=True))
    title = f"{variant.function} {shown} on {architecture.name}"
    if run.halted != "exit" or run.exit_code != 0:
        end = run.reason or f"exit code 0x{run.exit_code:X}"
        raise CheckFailed(f"{title}: did not finish ({run.halted}): {end}")
    status = None
    if variant.status is not None:
        at = program.symbol("measure_status").address
        (word,) = words_at(run.data_memory, architecture, at, 1)
        status = _checked_status(title, int(word), variant.status(fixed, operands))
    at = program.symbol("measure_words").address
    words = words_at(run.data_memory, architecture, at, placed.before.size).astype(np.int64)
    first, last = placed.result_at, placed.result_at + placed.result_words
    result = words[first:last].reshape(expected.shape)
    _check_equal(title, result, expected)
    own = np.arange(placed.work_at, placed.work_at + placed.work_words)
    written = np.delete(words - placed.before, np.concatenate([np.arange(first, last), own]))
    if written.any():
        count = np.count_nonzero(written)
        raise CheckFailed(f"{title}: wrote {count} word(s) outside its result")
    error, bound = np.zeros(1), np.zeros(1)
    if not status:
        exact = kernel.exact(tuple(fixed.to_real(values) for values in operands))
        error = np.abs(kernel.to_real(fixed, result) - exact)
        bound = np.broadcast_to(variant.error_bound(fixed, operands), exact.shape)
    if bounded and np.any(error > bound):
        worst = int(np.argmax(error - bound))
        raise CheckFailed(
            f"{title}: error {error.flat[worst]:.3g} of element {worst} is above its bound"
            f" {bound.flat[worst]:.3g}"
        )
    (part,) = run.regions[_REGION]
    assert part.entries == 1
    assert program.build is not None
    return KernelRun(
        kernel=kernel.name,
        variant=variant.name,
        contract=variant.contract,
        function=variant.function,
        arch=architecture.name,
        extents=extents,
        wall_cycles=part.wall_cycles,
        hart_cycles=part.hart_cycles,
        issued=part.issued,
        time_us=part.wall_cycles * 1e6 / architecture.clock,
        error=float(error.max()),
        error_bound=float(bound.max()),
        counters=part.counters,
        build=program.build,
        work=part.work,
        status=status,
        unobserved=run.unobserved,
    )


def record_kernel(
    kernel: Kernel,
    variant: Variant,
    architecture: Architecture,
    extents: Extents,
    *,
    seed: int,
    fixed: FixedPoint,
    program: Program,
) -> TimedPath:
    """The path of the run that :func:`measure` makes with the same arguments.

    Raises:
        NotPriceable: its timing on other machines cannot be told from it.
    """
    operands = kernel.operands(fixed, extents, seed)
    expected = variant.model(fixed, operands)
    placed = place_operands(
        program, kernel.arguments(extents), operands, expected.size, kernel.work_words(extents)
    )
    regions = [_region(program, variant)]
    return TimedPath.record(placed.program, architecture, regions, max_cycles=_MAX_CYCLES)


def retimed_kernel(run: KernelRun, regions: Mapping[str, tuple[RegionRun, ...]]) -> KernelRun:
    """A run with the region of another machine: that of its path there.

    Name and time are still those of the machine that was measured.
    """
    (part,) = regions[_REGION]
    return replace(
        run,
        wall_cycles=part.wall_cycles,
        hart_cycles=part.hart_cycles,
        issued=part.issued,
        counters=part.counters,
        work=part.work,
    )


def _region(program: Program, variant: Variant) -> Region:
    ends = [program.symbol(name).address for name in (variant.function, "mark_measured")]
    return Region(_REGION, *ends)


def _check_equal(title: str, result: Steps, expected: Steps) -> None:
    differing = np.argwhere(result != expected)
    if len(differing):
        at = tuple(int(i) for i in differing[0])
        raise CheckFailed(
            f"{title}: {len(differing)} of {expected.size} elements differ from the model; first"
            f" at [{', '.join(map(str, at))}]: {int(result[at])}, expected {int(expected[at])}"
        )


def _checked_status(title: str, result: int, expected: int) -> Status:
    if result != expected:
        known = {status.value: status.name for status in Status}
        raise CheckFailed(
            f"{title}: returned status {known.get(result, result)}, expected {known[expected]}"
        )
    return Status(result)
