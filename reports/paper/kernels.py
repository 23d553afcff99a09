"""Figure 8: kernels of both lines, scalar and on four lanes, over the matrix size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from gnomon.arch import load_architecture
from gnomon.base.frames import frame, worded
from gnomon.bench.kernels import FixedPoint, KernelBench, find_kernel
from gnomon.content.algorithms.linucb_paper.kernels import PAPER_KERNELS, measure_paper_kernel
from gnomon.report.study import Steps

from .cells import READINGS, SCALAR_MACHINE, VECTOR_MACHINE
from .published import stated_speedup

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.bench.kernels import KernelRun
    from gnomon.content.algorithms.linucb_paper.kernels import PaperKernel, PaperKernelRun

SEED = 0

# Kernel of the paper line: the tuned one for the same job, and its best scalar variant.
TUNED: Mapping[PaperKernel, tuple[str, str]] = {
    "add": ("add", "scalar"),
    "multiply": ("multiply", "scalar-sum"),
    "inverse": ("invert-symmetric", "scalar"),
}
MEASURED = ("kernel", "line", "n", "reading", "scalar_cycles", "vector_cycles", "clearing_cycles")


def run_kernels(sizes: Sequence[int], progress: Steps | None = None) -> tuple[pd.DataFrame, str]:
    """Measure all kernels, lines and sizes; both lines get the same random operands.

    Returns:
        One row for each and for each reading: cycles until the result is in memory, on the scalar
        core and on the vector unit, and those of either that clear results, which only the paper
        line does. Second, the compiler with its version.

    Raises:
        CheckFailed: a result differs from its model.
    """
    machines = [load_architecture(name) for name in (SCALAR_MACHINE, VECTOR_MACHINE)]
    rows: list[tuple[object, ...]] = []
    progress = progress or Steps()
    for name in PAPER_KERNELS:
        kernel_name, scalar_name = TUNED[name]
        kernel = find_kernel(kernel_name)
        variants = [kernel.variant(scalar_name), kernel.variant("vector")]
        programs = [
            KernelBench(kernel, *pair).build() for pair in zip(variants, machines, strict=True)
        ]
        tuned: list[tuple[object, ...]] = []
        for n in progress.over(sizes, f"figure 8, {name}, n = {{}}".format):
            operands = kernel.operands(FixedPoint(), kernel.square(n), SEED)
            runs = [
                measure_paper_kernel(name, machine, operands, vector=machine is machines[1])
                for machine in machines
            ]
            best = [
                KernelBench(kernel, variant, machine).measure(
                    kernel.square(n), seed=SEED, program=program
                )
                for variant, machine, program in zip(variants, machines, programs, strict=True)
            ]
            assert runs[0].clearing_wall_cycles == runs[1].clearing_wall_cycles
            for reading in READINGS:
                clearing = getattr(runs[0], f"clearing_{reading}_cycles")
                rows.append((name, "paper", n, reading, *_cycles(runs, reading), clearing))
                tuned.append((name, "tuned", n, reading, *_cycles(best, reading), 0))
        rows += tuned
    build = best[0].build
    return frame(MEASURED, rows), f"{build.compiler} {build.version}"


def _cycles(runs: Sequence[PaperKernelRun | KernelRun], reading: str) -> list[int]:
    return [getattr(run, f"{reading}_cycles") for run in runs]


def with_speedups(measured: pd.DataFrame) -> pd.DataFrame:
    """With speed-ups over scalar code: of the same line, of it without clearing, of the paper's.

    ``published_speedup`` is what the text states, or NaN, ``meaning`` how it qualifies that.
    """
    scalar, vector, clearing = (
        measured[f"{what}_cycles"].astype(float) for what in ("scalar", "vector", "clearing")
    )
    of_paper = measured[measured["line"] == "paper"].set_index(["kernel", "n", "reading"])
    paper_scalar = measured[["kernel", "n", "reading"]].apply(
        lambda row: of_paper.loc[tuple(row), "scalar_cycles"], axis=1
    )
    stated = [
        stated_speedup(8, kernel, "t13", "vcu", n)
        for kernel, n in zip(measured["kernel"], measured["n"], strict=True)
    ]
    published = pd.Series([speedup for speedup, _ in stated], measured.index)
    return measured.assign(
        published_speedup=published,
        speedup=scalar / vector,
        ratio=scalar / vector / published,
        speedup_without_clearing=(scalar - clearing) / (vector - clearing),
        speedup_over_paper_scalar=paper_scalar.astype(float) / vector,
        meaning=[meaning for _, meaning in stated],
    )


def figure8_rows(measured: pd.DataFrame) -> pd.DataFrame:
    """``figure8.csv``."""
    numbers = ("published_speedup", "speedup", "ratio", "speedup_without_clearing",
               "speedup_over_paper_scalar")  # fmt: skip
    table = with_speedups(measured)
    note = ("the text: " + table["meaning"]).where(table["meaning"] != "", "")
    forms = dict.fromkeys(numbers, ".4f") | {"published_speedup": "g"}
    return worded(table.assign(note=note), forms)[[*MEASURED, *numbers, "note"]]
