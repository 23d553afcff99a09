"""Matrix functions of the paper code alone on a machine, as Figure 8 compares them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.measure.failures import check_equal, check_finished
from gnomon.measure.memory_words import with_words, words_at
from gnomon.program import BuildInfo, Program, build
from gnomon.sim import Region, simulate

from .arithmetic import PaperModel, Steps, VectorModel

PaperKernel = Literal["add", "multiply", "inverse"]

PAPER_KERNELS: tuple[PaperKernel, ...] = ("add", "multiply", "inverse")
_FUNCTIONS = {"add": "add_n_n", "multiply": "multiply_n_n_n", "inverse": "inverse_n_n"}
_OPERANDS = {"add": 2, "multiply": 2, "inverse": 1}
_CLEARED = {"add": 1, "multiply": 1, "inverse": 5}  # matrices that start as zeros
_SMALLEST = 3  # the compiler clears smaller matrices inline, where no region separates it
_EXTENSIONS = ("kdiv", "kps")
_STACK_MATRICES = 12  # copies, five temporaries of the inverse, the result; checked by the run
_STACK_BYTES = 2048  # and frames
_MAX_CYCLES = 2_000_000_000


@dataclass(frozen=True, slots=True)
class PaperKernelRun:
    """One matrix function on n x n operands, on hart 0 with the other harts asleep.

    Cycles run from the first instruction of the function, after the by-value copies of its
    operands, until its result is in memory, including the load that waits for it.
    """

    kernel: PaperKernel  # ``add``, ``multiply`` or ``inverse``
    n: int  # rows and columns
    vector: bool  # whether on the vector unit
    arch: str  # the machine
    hart_cycles: int  # cycles in which the hart holds the execute stage
    wall_cycles: int  # from start to end
    clearing_hart_cycles: int  # part of ``hart_cycles`` that clears the result and temporaries
    clearing_wall_cycles: int  # the same part of ``wall_cycles``
    build: BuildInfo = field(repr=False)  # build that was measured


def measure_paper_kernel(
    kernel: PaperKernel, architecture: Architecture, operands: Sequence[Steps], *, vector: bool
) -> PaperKernelRun:
    """Run one function and compare every bit of its result with the model of the paper code.

    Args:
        kernel: which function.
        architecture: where to run it.
        operands: one (inverse) or two n x n matrices in steps of 2^-15.
        vector: on the vector unit.

    Raises:
        CheckFailed: the run does not end, or the result differs from the model.
        GnomonError: there is no such function, the machine cannot run it, or operands of another
            number or shape.
    """
    if kernel not in PAPER_KERNELS:
        raise GnomonError(
            f"the paper code has no kernel {kernel!r} to measure (allowed:"
            f" {', '.join(PAPER_KERNELS)}{did_you_mean(kernel, PAPER_KERNELS)})"
        )
    n = len(operands[0]) if operands else 0
    if [matrix.shape for matrix in operands] != [(n, n)] * _OPERANDS[kernel] or n < _SMALLEST:
        shapes = ", ".join(" x ".join(map(str, matrix.shape)) for matrix in operands) or "none"
        raise GnomonError(
            f"paper kernel {kernel} takes {_OPERANDS[kernel]} n x n operand(s) of one size, from"
            f" {_SMALLEST} up, not {shapes}"
        )
    program = _build(kernel, architecture, n, vector=vector)
    title = f"paper kernel {kernel}, n = {n}, on {architecture.name}"
    words = np.concatenate([matrix.reshape(-1) for matrix in operands]).astype(np.int32)
    placed = with_words(program, {"measure_operands": words})
    start = program.symbol(_FUNCTIONS[kernel]).address
    regions = [
        Region("kernel", start, program.symbol("mark_measured").address),
        Region("clearing", program.symbol("memset").address),
    ]
    run = simulate(placed, architecture, max_cycles=_MAX_CYCLES, regions=regions)
    check_finished(title, run, program)
    place = program.symbol("measure_result").address
    result = words_at(run.data_memory, architecture, place, n * n).reshape(n, n)
    check_equal(title, result.astype(np.int64), _expected(kernel, operands, vector=vector))
    (whole,), (clearing,) = (run.regions[region.name] for region in regions)
    assert (whole.entries, clearing.entries) == (1, _CLEARED[kernel])
    assert program.build is not None
    return PaperKernelRun(
        kernel=kernel, n=n, vector=vector, arch=architecture.name, hart_cycles=whole.hart_cycles,
        wall_cycles=whole.wall_cycles, clearing_hart_cycles=clearing.hart_cycles,
        clearing_wall_cycles=clearing.wall_cycles, build=program.build,
    )  # fmt: skip


def _build(kernel: PaperKernel, architecture: Architecture, n: int, *, vector: bool) -> Program:
    vcu = architecture.vcu
    missing = [name for name in _EXTENSIONS if vcu is None or name not in vcu.extensions]
    if vector and missing:
        raise GnomonError(
            f"paper kernel {kernel}: {architecture.name} has no vector unit with"
            f" {', '.join(missing)}; take t13-paper-simd1, -simd2, -simd4 or -simd8"
        )
    defines = {"MEASURE_KERNEL": PAPER_KERNELS.index(kernel), "MEASURE_N": n}
    defines["FX_FRACTION_BITS"] = PaperModel().fraction_bits
    if vector:
        defines["LEARNER_VECTOR"] = 1
    return build(
        [Path(__file__).with_name(name) for name in ("measure_kernel.c", "paper_divide.c")],
        architecture,
        defines=defines,
        stack_size_bytes=_STACK_MATRICES * 4 * n * n + _STACK_BYTES,
    )


def _expected(kernel: PaperKernel, operands: Sequence[Steps], *, vector: bool) -> Steps:
    model = VectorModel() if vector else PaperModel()
    if kernel == "inverse":
        return model.inverse(operands[0])
    return (model.add if kernel == "add" else model.multiply)(*operands)
