"""The first study: what the vector unit gives to a matrix sum and a matrix product."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.frames import frame
from gnomon.bench.kernels import KernelBench, find_kernel
from gnomon.report.study import Steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from gnomon.arch import Architecture
    from gnomon.bench.kernels import KernelRun
    from gnomon.program import BuildInfo

STUDY_KERNELS = ("add", "multiply")
STUDY_SIZES = (4, 6, 8, 10, 12, 16, 20, 24, 28, 32)
STUDY_SIMD = (1, 2, 4, 8)
COLUMNS = (
    "kernel", "n", "variant", "simd", "wall_cycles", "hart_cycles", "instructions_issued",
    "wall_speedup", "hart_speedup", "largest_error", "error_bound",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """What was measured.

    Attributes:
        machine: with the width that its description says.
        seed: of the operands.
        contracts: what each kernel computes, in words.
        build: of the first program.
        rows: by kernel, then by SIMD (scalar first, with ``simd`` None), then by size. Speedups
            are cycles of the scalar variant over cycles of this one, by wall clock and by the
            cycles in which the hart holds the execute stage.
    """

    machine: Architecture
    seed: int
    contracts: tuple[str, ...]
    build: BuildInfo
    rows: pd.DataFrame


def run_study(
    machine: str = "t13-simd4",
    overrides: Sequence[str] = (),
    *,
    sizes: Sequence[int] = STUDY_SIZES,
    seed: int = 0,
    progress: Steps | None = None,
) -> Study:
    """Measure both kernels, scalar and with each SIMD, on n x n matrices.

    Every result is compared bit by bit with its model. The scalar variant runs on the machine as
    it is: the vector unit does not touch it.

    Raises:
        GnomonError: the machine cannot run the kernels.
        CheckFailed: a result is wrong.
    """
    base = load_architecture(machine, overrides)
    if base.vcu is None:
        raise GnomonError(
            f"{base.name} has no vector unit, whose width the study varies; take a machine with"
            " one, such as t13-simd4"
        )
    rows: list[tuple[object, ...]] = []
    runs: list[KernelRun] = []
    progress = progress or Steps()
    progress.plan(len(STUDY_KERNELS) * (1 + len(STUDY_SIMD)) * len(sizes))
    for name in STUDY_KERNELS:
        kernel = find_kernel(name)
        scalar: dict[int, KernelRun] = {}
        for simd in (None, *STUDY_SIMD):
            variant = kernel.variant("scalar" if simd is None else "vector")
            architecture = base
            if simd is not None:
                architecture = load_architecture(machine, [*overrides, f"vcu.simd={simd}"])
            program = KernelBench(kernel, variant, architecture).build()
            for size in sizes:
                square = kernel.square(size)
                run = KernelBench(kernel, variant, architecture).measure(
                    square, seed=seed, program=program
                )
                first = scalar.setdefault(size, run)
                rows.append(
                    (name, size, run.variant, simd, run.wall_cycles, run.hart_cycles, run.issued,
                     first.wall_cycles / run.wall_cycles, first.hart_cycles / run.hart_cycles,
                     run.error, run.error_bound)
                )  # fmt: skip
                runs.append(run)
                progress(f"{name}, {'scalar' if simd is None else f'SIMD {simd}'}, n = {size}")
    contracts = dict.fromkeys(f"{run.kernel}, {run.variant}: {run.contract}" for run in runs)
    return Study(base, seed, tuple(contracts), runs[0].build, frame(COLUMNS, rows))
