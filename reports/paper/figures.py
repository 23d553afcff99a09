"""All that the figures show, measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.content.algorithms.linucb_paper.kernels import PAPER_KERNELS

from .cells import cells_steps, run_cells
from .kernels import run_kernel_points
from .memory import memory_steps, run_memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from .cells import Cells
    from .kernels import KernelPoint
    from .memory import Memory
    from .sizes import FigureSize


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured.

    Attributes:
        size: how much of it.
        compiler: that built the kernels, with its version.
        kernels: Figure 8.
        cells: Figures 9 and 11.
        memory: Figures 2 and 4.
    """

    size: FigureSize
    compiler: str
    kernels: tuple[KernelPoint, ...]
    cells: Cells
    memory: Memory


def run_figures(
    size: FigureSize,
    progress: Callable[[str], None] = lambda _: None,
    cells: Cells | None = None,
) -> Figures:
    """Measure everything.

    Args:
        size: how much of it.
        progress: called after each step.
        cells: from :func:`gnomon.report.run_cells` with all sizes, to run them only once.

    Raises:
        CheckFailed: a result differs from its model, or from the same C on this computer.
    """
    kernels, compiler = run_kernel_points(size.kernel_sizes, progress)
    if cells is None:
        cells = run_cells(progress, params=size.params, dimensions=size.dimensions)
    return Figures(size, compiler, kernels, cells, run_memory(size, progress))


def figures_steps(size: FigureSize, *, with_cells: bool = True) -> int:
    """How many times ``progress`` is called."""
    steps = len(PAPER_KERNELS) * len(size.kernel_sizes) + memory_steps(size)
    if with_cells:
        steps += cells_steps(params=size.params, dimensions=size.dimensions)
    return steps
