"""Measurement of a kernel implementation on a machine: build, run, compare bits, report cost."""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path

import numpy as np

from gnomon.arch import Architecture
from gnomon.base.content import find
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.isolation import IsolatedObject, SubprocessCrashError
from gnomon.base.units import counted, microseconds
from gnomon.measure.failures import check_equal, check_finished, crash_error
from gnomon.measure.kernels._description import include_folders, read_kernel_file
from gnomon.measure.kernels._error import compute_errors
from gnomon.measure.kernels._kernel import Extents, Kernel, Variant
from gnomon.measure.kernels._place import PlacedProgram, check_room, place_operands
from gnomon.measure.kernels._run import OF_REGION, REGION, KernelRun
from gnomon.measure.kernels.fixed import FixedPoint, Operands, Status, Steps
from gnomon.measure.memory_words import Words, words_at
from gnomon.program import Program, build, build_host
from gnomon.sim import Region, TimedPath, record_path, simulate

_DATA_RESERVE_BYTES = 4096  # for static data of the kernels
_STACK_BYTES = 4096
_MAX_CYCLES = 2_000_000_000


@dataclass(frozen=True, slots=True)
class HostRun:
    """Result of a kernel, and its return value (None if it returns nothing)."""

    result: Steps
    status: Status | None


@dataclass(frozen=True)
class KernelBench:
    """Implementation of a kernel on a machine, in a number format.

    One build serves all sizes and operands. Methods with a ``program`` build it if it is None.
    """

    kernel: Kernel
    variant: Variant
    architecture: Architecture
    fixed: FixedPoint = field(default_factory=FixedPoint)

    def check(self, extents: Extents) -> Extents:
        """Return the extents, after a check that the machine can run them.

        Raises:
            GnomonError: if the machine lacks something, or the variant rejects this size or format.
        """
        extents = self.kernel.check_extents(extents)
        obstacle = self.obstacle(extents)
        if obstacle is not None:
            raise GnomonError(f"{self._title}: {obstacle}")
        return extents

    def obstacle(self, extents: Extents) -> str | None:
        """Return the reason why the machine cannot run the variant at this size, or None."""
        own = self.variant.obstacle
        return self._lacking() or own(self.architecture, extents, self.fixed)

    @property
    def _title(self) -> str:
        return f"kernel {self.kernel.name}, variant {self.variant.name}"

    def _lacking(self) -> str | None:
        if not self.variant.vector:
            return None
        machine, harts = self.architecture, self.variant.harts
        if harts > machine.core.harts:
            has = counted(machine.core.harts, "hart")
            return f"{machine.name} has {has}, the kernel needs {harts}"
        if machine.vcu is None:
            return f"{machine.name} has no vector unit (use --variant scalar)"
        count, needed = machine.vcu.scratchpads.count, self.variant.scratchpads
        if count < needed:
            return (
                f"{machine.name} has {count} scratchpad(s), the kernel needs {needed}"
                " (vcu.scratchpads.count)"
            )
        return None

    def build(
        self, *, compiler: str = "zig", optimization: str = "-O2", debug: bool = False
    ) -> Program:
        """Build the variant with its driver; ``debug`` adds source lines.

        Raises:
            GnomonError: if the machine cannot run it.
        """
        lacking = self._lacking()
        if lacking is not None:
            raise GnomonError(f"{self._title}: {lacking}")
        kernel, variant, architecture = self.kernel, self.variant, self.architecture
        data_bytes = int(architecture.memory.data.size)
        own_bytes = variant.harts * _STACK_BYTES + _DATA_RESERVE_BYTES
        room_bytes = data_bytes - own_bytes
        if room_bytes < 4096:
            raise GnomonError(
                f"{architecture.name}: {data_bytes} bytes of data memory are too few to measure"
                f" a kernel (at least {own_bytes + 4096})"
            )
        defines: dict[str, str | int] = {
            **self.fixed.defines(),
            "KERNEL_FUNCTION": variant.function,
            "MEASURE_WORDS": room_bytes // 4,
        }
        if variant.helper is not None:
            defines["KERNEL_HELPER"] = variant.helper
        with tempfile.TemporaryDirectory(prefix="gnomon-") as temporary:
            calling = kernel.driver
            if calling is None:
                calling = Path(temporary) / f"measure_{kernel.folder.name}.c"
                calling.write_text(self._driver(), encoding="utf-8")
            try:
                return build(
                    [calling, *variant.sources],
                    architecture,
                    defines=defines,
                    include=include_folders(),
                    optimization=optimization,
                    compiler=compiler,
                    stack_size_bytes=_STACK_BYTES,
                    active_harts=variant.harts,
                    debug=debug,
                )
            except GnomonError as error:
                if "undefined" in str(error) and f"{variant.function}\n" in f"{error}\n":
                    table, _ = read_kernel_file(find("kernels", kernel.name))
                    raise GnomonError(
                        f"{table.origin('variants', variant.name, 'function')}: no source file"
                        f" defines {variant.function}"
                    ) from None
                raise

    def _driver(self) -> str:
        """Return the C code of one call, in the frame of ``measure.h``, from ``kernel.yaml``."""
        kernel, variant = self.kernel, self.variant
        prototype = kernel.prototype(variant)
        arguments = [f"MEASURE_OPERAND({i})" for i in range(prototype.count("*"))]
        numbers = len(kernel.arguments(kernel.square(1)))
        arguments += [f"MEASURE_ARGUMENT({i})" for i in range(numbers)]
        frame = "MEASURE" if variant.status is None else "MEASURE_STATUS"
        header = f"{kernel.folder.name}/{kernel.folder.name}.h"
        lines = ['#include "measure.h"', prototype]
        if (kernel.folder.parent / header).is_file():
            lines.insert(0, f'#include "{header}"')  # its declaration must match
        if variant.helper is not None:
            lines.append(f"void {variant.helper}(uint32_t hart);")
        return "\n".join([*lines, f"{frame}({variant.function}({', '.join(arguments)}))", ""])

    def _drawn(self, extents: Extents, seed: int, program: Program) -> Operands:
        """Return random operands, after a check that the program has room for them."""
        kernel = self.kernel
        words = [prod(shape) for shape in kernel.operand_shapes(extents)]
        result_words = prod(kernel.result_shape(extents))
        check_room(program, words, result_words, kernel.work_words(extents))
        return kernel.operands(self.fixed, extents, seed)

    def _placed(
        self, program: Program, extents: Extents, operands: Operands, expected: Steps
    ) -> PlacedProgram:
        arguments, work_words = self.kernel.arguments(extents), self.kernel.work_words(extents)
        return place_operands(program, arguments, operands, expected.size, work_words)

    def _region(self, program: Program) -> Region:
        ends = [program.symbol(name).address for name in (self.variant.function, "mark_measured")]
        return Region(REGION, *ends)

    def measure(
        self,
        extents: Extents,
        *,
        operands: Operands | None = None,
        seed: int = 0,
        program: Program | None = None,
    ) -> KernelRun:
        """Run the variant and compare every bit of its result with the model.

        Args:
            extents: size of the kernel.
            operands: operands of the run; by default random ones from the range of the kernel.
            seed: seed of random operands.
            program: see :meth:`build`.

        Raises:
            CheckFailed: if the result differs from the model, memory outside the result was
                written, or an error is above its bound.
            GnomonError: if the machine cannot run it, or operands do not fit.
        """
        kernel, variant, machine, fixed = self.kernel, self.variant, self.architecture, self.fixed
        extents = self.check(extents)
        bounded = operands is None
        program = program or self.build()
        if operands is None:
            operands = self._drawn(extents, seed, program)
        expected = variant.model(fixed, operands)
        if expected.shape != (shape := kernel.result_shape(extents)):
            raise GnomonError(
                f"{variant.place}: the model of variant {variant.name} returns shape"
                f" {expected.shape}, but the result has shape {shape}"
            )
        placed = self._placed(program, extents, operands, expected)
        regions = [self._region(program)]
        run = simulate(placed.program, machine, max_cycles=_MAX_CYCLES, regions=regions)
        shown = ", ".join(f"{name} {n}" for name, n in zip(kernel.extents, extents, strict=True))
        title = f"{variant.function} {shown} on {machine.name}"
        check_finished(title, run, program, with_lines=lambda: self.build(debug=True))
        status = None
        if variant.status is not None:
            at = program.symbol("measure_status").address
            (word,) = words_at(run.data_memory, machine, at, 1)
            status = _checked_status(title, int(word), variant.status(fixed, operands))
        at = program.symbol("measure_words").address
        words = words_at(run.data_memory, machine, at, placed.before.size).astype(np.int64)
        result = words[placed.result].reshape(expected.shape)
        check_equal(title, result, expected)
        written = np.delete(words - placed.before, [*placed.result, *placed.work])
        if written.any():
            count = np.count_nonzero(written)
            raise CheckFailed(f"{title}: wrote {count} word(s) outside its result")
        error, bound = np.zeros(1), np.zeros(1)
        if not status:
            checked = title if bounded else None
            error, bound = compute_errors(
                kernel, variant, fixed, operands, result, checked_title=checked
            )
        (part,) = run.regions[REGION]
        assert part.entries == 1
        assert program.build is not None
        return KernelRun(
            kernel=kernel.name,
            variant=variant.name,
            contract=variant.contract,
            function=variant.function,
            arch=machine.name,
            extents=extents,
            time_us=microseconds(part.wall_cycles, machine.clock),
            error=float(error.max()),
            error_bound=float(bound.max()),
            build=program.build,
            status=status,
            unobserved=run.unobserved,
            **{name: getattr(part, name) for name in OF_REGION},
        )

    def record(self, extents: Extents, *, seed: int, program: Program) -> TimedPath:
        """Return the path of the run that :meth:`measure` makes with the same arguments.

        Raises:
            NotPriceable: if its timing on other machines cannot be derived from the path.
        """
        regions = [self._region(program)]
        loaded = self.loaded(extents, seed=seed, program=program)
        return record_path(loaded, self.architecture, regions, max_cycles=_MAX_CYCLES)

    def loaded(self, extents: Extents, *, seed: int, program: Program) -> Program:
        """Return the program with operands that :meth:`measure` runs with the same arguments."""
        operands = self._drawn(extents, seed, program)
        expected = self.variant.model(self.fixed, operands)
        return self._placed(program, extents, operands, expected).program

    def run_on_host(
        self, extents: Extents, operands: Operands, *, in_place: int | None = None
    ) -> HostRun:
        """Run the same C on the host, bit for bit as on the machine.

        The machine determines number and size of the scratchpads, and so how operands are split,
        but never the result. The result replaces the operand of the index ``in_place``.

        Raises:
            GnomonError: if the machine cannot run it, or it does not compile.
        """
        return self.run_all_on_host([(extents, operands, in_place)])[0]

    def run_all_on_host(
        self, calls: Sequence[tuple[Extents, Operands, int | None]]
    ) -> list[HostRun]:
        """Call :meth:`run_on_host` for each, one after another in one process.

        Static variables keep their values from one call to the next.

        Raises:
            GnomonError: if the machine cannot run one of them, or it does not compile.
        """
        kernel, variant = self.kernel, self.variant
        for extents, *_ in calls:
            self.check(extents)
        if not calls:
            return []
        path = build_host(
            variant.sources,
            architecture=self.architecture,
            defines=self.fixed.defines(),
            include=include_folders(),
        )
        runs = []
        try:
            with IsolatedObject(lambda: _Loaded(path, variant.function)) as isolated:
                for extents, operands, in_place in calls:
                    inputs = [np.array(values, dtype=np.int32) for values in operands]
                    result = np.zeros(kernel.result_shape(extents), dtype=np.int32)
                    assert in_place is None or in_place in kernel.in_place
                    work = np.zeros(kernel.work_words(extents), dtype=np.int32)
                    numbers = kernel.arguments(extents)
                    returned, found = isolated.call("call", inputs, result, work, numbers, in_place)
                    status = None if variant.status is None else Status(returned)
                    runs.append(HostRun(found.astype(np.int64), status))
        except SubprocessCrashError as how:
            error = crash_error(self._title, variant.function, variant.sources, how)
            raise error from None
        return runs


class _Loaded:
    """Function of a shared library of the host."""

    def __init__(self, path: Path, name: str) -> None:
        """Load the library."""
        self._function = getattr(ctypes.CDLL(str(path)), name)

    def call(
        self, inputs: list[Words], result: Words, work: Words, numbers: Sequence[int],
        in_place: int | None,
    ) -> tuple[int, Words]:  # fmt: skip
        """Return the return value of the function, and its result."""
        if in_place is not None:
            result = inputs[in_place]
        arrays = [*inputs, result, *([work] if work.size else [])]
        status = self._function(
            *(ctypes.c_void_p(array.ctypes.data) for array in arrays),
            *(ctypes.c_uint32(value) for value in numbers),
        )
        return status, result


def _checked_status(title: str, result: int, expected: int) -> Status:
    if result != expected:
        known = {status.value: status.name for status in Status}
        raise CheckFailed(
            f"{title}: returned status {known.get(result, result)}, expected {known[expected]}"
        )
    return Status(result)
