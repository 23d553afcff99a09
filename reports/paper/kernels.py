"""Figure 8: kernels of both lines, scalar and on four lanes, over the matrix size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.arch import load_architecture
from gnomon.bench.kernels import FixedPoint, build_kernel, find_kernel, measure
from gnomon.content.algorithms.linucb_paper.kernels import (
    PAPER_KERNELS,
    PaperKernelRun,
    measure_paper_kernel,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gnomon.arch import Architecture
    from gnomon.bench.kernels import Kernel, KernelRun
    from gnomon.bench.learners import Line
    from gnomon.content.algorithms.linucb_paper.kernels import PaperKernel
    from gnomon.program import Program

SCALAR_MACHINE, VECTOR_MACHINE = "t13", "t13-paper-simd4"
SEED = 0

# Kernel of the paper line: the tuned one for the same job, and its best scalar variant.
TUNED: Mapping[PaperKernel, tuple[str, str]] = {
    "add": ("add", "scalar"),
    "multiply": ("multiply", "scalar-sum"),
    "inverse": ("invert-symmetric", "scalar"),
}


@dataclass(frozen=True, slots=True)
class Cycles:
    """What one kernel takes, until its result is in memory."""

    hart: int
    wall: int


@dataclass(frozen=True, slots=True)
class KernelPoint:
    """One kernel of one line at one size.

    Attributes:
        kernel: ``add``, ``multiply`` or ``inverse``, as in Figure 8.
        line: which code line.
        n: rows and columns.
        scalar: on the scalar core.
        vector: on the vector unit.
        paper_scalar: the paper line's on the scalar core, which the speed-up of Figure 8 is over.
        clearing: part of ``scalar`` and of ``vector`` that clears results, which only the paper
            line does.
    """

    kernel: PaperKernel
    line: Line
    n: int
    scalar: Cycles
    vector: Cycles
    paper_scalar: Cycles
    clearing: Cycles

    def speedup(self, reading: str) -> float:
        """Vector unit over the same line's scalar core."""
        cycles: float = getattr(self.scalar, reading) / getattr(self.vector, reading)
        return cycles

    def speedup_without_clearing(self, reading: str) -> float:
        """The same, without what clears results."""
        cleared = getattr(self.clearing, reading)
        scalar, vector = (getattr(run, reading) - cleared for run in (self.scalar, self.vector))
        cycles: float = scalar / vector
        return cycles

    def speedup_over_paper(self, reading: str) -> float:
        """Vector unit over the paper line's scalar core."""
        cycles: float = getattr(self.paper_scalar, reading) / getattr(self.vector, reading)
        return cycles


def run_kernel_points(
    sizes: Sequence[int], progress: Callable[[str], None] = lambda _: None
) -> tuple[tuple[KernelPoint, ...], str]:
    """Measure all points, by kernel, line and size; both lines get the same random operands.

    The second answer is the compiler with its version.

    Raises:
        CheckFailed: a result differs from its model.
    """
    machines = load_architecture(SCALAR_MACHINE), load_architecture(VECTOR_MACHINE)
    points = []
    for name in PAPER_KERNELS:
        paper, tuned = [], []
        measured = _tuned(name, machines, sizes)
        for n, (kernel, scalar, vector) in zip(sizes, measured, strict=True):
            operands = kernel.operands(FixedPoint(), kernel.square(n), SEED)
            runs = [
                measure_paper_kernel(name, machine, operands, vector=machine is machines[1])
                for machine in machines
            ]
            base = _cycles(runs[0])
            clearing = Cycles(runs[0].clearing_hart_cycles, runs[0].clearing_wall_cycles)
            assert clearing.wall == runs[1].clearing_wall_cycles
            paper.append(KernelPoint(name, "paper", n, base, _cycles(runs[1]), base, clearing))
            tuned.append(
                KernelPoint(name, "tuned", n, _cycles(scalar), _cycles(vector), base, Cycles(0, 0))
            )
            progress(f"figure 8, {name}, n = {n}")
        points += [*paper, *tuned]
    return tuple(points), f"{scalar.build.compiler} {scalar.build.version}"


def _tuned(
    name: PaperKernel, machines: tuple[Architecture, Architecture], sizes: Sequence[int]
) -> Iterator[tuple[Kernel, KernelRun, KernelRun]]:
    kernel_name, scalar_name = TUNED[name]
    kernel = find_kernel(kernel_name)
    variants = [kernel.variant(scalar_name), kernel.variant("vector")]
    programs: list[Program] = [
        build_kernel(kernel, variant, machine)
        for variant, machine in zip(variants, machines, strict=True)
    ]
    for n in sizes:
        scalar, vector = (
            measure(kernel, variant, machine, kernel.square(n), seed=SEED, program=program)
            for variant, machine, program in zip(variants, machines, programs, strict=True)
        )
        yield kernel, scalar, vector


def _cycles(run: PaperKernelRun | KernelRun) -> Cycles:
    return Cycles(run.hart_cycles, run.wall_cycles)
