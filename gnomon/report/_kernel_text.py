"""Kernel measurements as a table for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.console import console, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.bench.kernels import FixedPoint, Kernel, KernelRun


def print_kernel_runs(kernel: Kernel, fixed: FixedPoint, runs: Sequence[KernelRun]) -> None:
    """Print the variants side by side; speedups are wall cycles of the first over those of each."""
    first = runs[0]
    sizes = ", ".join(f"{n} {e}" for n, e in zip(kernel.extents, first.extents, strict=True))
    out = console()
    rows = table(
        f"{kernel.name}: {kernel.title}; {sizes}; {first.arch}",
        1,
        *("variant", "wall cycles", "hart cycles", "issued", "time, µs", "speedup"),
        *("largest error", "its bound"),
    )
    for run in runs:
        rows.add_row(
            run.variant,
            *(f"{n:,}" for n in (run.wall_cycles, run.hart_cycles, run.issued)),
            *(f"{run.time_us:,.2f}", f"{first.wall_cycles / run.wall_cycles:.2f}"),
            *(f"{run.error:.2e}", f"{run.error_bound:.2e}"),
        )
    out.print(rows)
    for run in runs:
        out.print(f"  {run.variant}: {run.contract} ({run.function})")
    shifts = f"{fixed.pre_shift_a} + {fixed.pre_shift_b} + {fixed.post_shift}"
    out.print(
        f"  Q{31 - fixed.fraction_bits}.{fixed.fraction_bits}, vector shifts {shifts};", end=""
    )
    out.print(f" operands {kernel.input_range(first.extents)}; every bit as the model says")
    compiler = f"{first.build.compiler} {first.build.version}"
    level = next(flag for flag in first.build.flags if flag.startswith("-O"))
    out.print(f"  {compiler} {level}; from the first instruction to the result in memory")
