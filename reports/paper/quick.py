"""A part of the paper that takes minutes on a fresh checkout: small Disjoint cells and kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.base.files import write_files
from gnomon.base.frames import csv_text
from gnomon.content.algorithms.linucb_paper.kernels import PAPER_KERNELS

from .cells import cells_steps, run_cells
from .cells_page import cells_csv
from .figures_page import figure8_rows, speedup_rows
from .kernels import run_kernel_points
from .points import speedup_points

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .cells import Cells
    from .kernels import KernelPoint
    from .results import Results

QUICK_TABLES = (2,)
QUICK_PARAMS = (4, 8)
QUICK_KERNEL_SIZES = (4, 8)


@dataclass(frozen=True, slots=True)
class Quick:
    """What was measured: all variants of both lines, Disjoint d = 4, 8; Figure 8, n = 4, 8."""

    cells: Cells
    kernels: tuple[KernelPoint, ...]


def quick_steps() -> int:
    """How many times ``progress`` is called."""
    kernels = len(PAPER_KERNELS) * len(QUICK_KERNEL_SIZES)
    return cells_steps(QUICK_TABLES, QUICK_PARAMS) + kernels


def run_quick(progress: Callable[[str], None] = lambda _: None) -> Quick:
    """Measure it.

    Raises:
        CheckFailed: a result differs from its model, or from the same C on this computer.
    """
    cells = run_cells(progress, QUICK_TABLES, QUICK_PARAMS)
    kernels, _ = run_kernel_points(QUICK_KERNEL_SIZES, progress)
    return Quick(cells, kernels)


def write_quick(quick: Quick, folder: Path) -> tuple[Path, ...]:
    """Write its tables into a folder, for the page to lay them over the committed ones.

    Raises:
        GnomonError: a file cannot be written.
    """
    tables = {
        "cells": cells_csv(quick.cells),
        "figure8": csv_text(figure8_rows(quick.kernels)),
    }
    for figure in (9, 11):
        points = speedup_points(figure, quick.cells, QUICK_PARAMS)
        tables[f"figure{figure}"] = csv_text(speedup_rows(points))
    return write_files(folder, {f"{name}.csv": text for name, text in tables.items()})


def headline_lines(results: Results) -> tuple[str, ...]:
    """What speeds up, by how much and what it costs, for a terminal."""
    speedups = []
    for figure, variant, words in (
        (9, "opt", "other algorithm"),
        (11, "std+vcu", "vector unit"),
        (11, "opt+vcu", "both"),
    ):
        row = results.row(
            f"paper/figure{figure}.csv", algorithm="Disjoint", param=32, platform="t13",
            variant=variant, line="paper", reading="hart",
        )  # fmt: skip
        ours, published = row.value("speedup", ".1f"), row.value("published_speedup", ".1f")
        speedups.append(f"{words} {ours} x (published {published})")
    energy = results.row(
        "energy/figures10-12.csv", table=2, platform="t13", variant="opt+vcu", param=32
    )
    ours_energy, published_energy = (
        energy.value(column, ".1%") for column in ("ours", "published")
    )
    scalar, vector = (
        results.row("area/machines.csv", machine=machine, change="")
        for machine in ("t13", "t13-paper-simd4")
    )
    return (
        "LinearUCB on the Klessydra-T13, one Disjoint step, d = 32, 8 arms; committed rows:",
        f"  faster by: {'; '.join(speedups)}",
        f"  energy: {ours_energy} of the standard step's (published {published_energy})",
        f"  it costs: {vector.value('lut', ',.0f')} LUTs instead of {scalar.value('lut', ',.0f')}",
    )


def measured_lines(quick: Quick) -> tuple[str, ...]:
    """The cells of the paper line beside the published ones."""
    head = f"  {'variant':8} {'d':>3} {'published':>10} {'ours':>10}  ratio (hart cycles of a step)"
    return (
        head,
        *(
            f"  {cell.key.variant:8} {cell.key.param:3} {cell.published:10,} "
            f"{cell.ours('hart'):10,}  {cell.ratio('hart'):.3f}"
            for cell in quick.cells.cells
            if cell.line == "paper"
        ),
    )
