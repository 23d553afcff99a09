"""All that the figures show, measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.base.errors import known
from gnomon.content.algorithms.linucb_paper.kernels import PAPER_KERNELS

from .cells import DIMENSIONS, FITTED_D, PARAMS, cells_steps, run_cells
from .kernels import run_kernel_points
from .memory import memory_steps, run_memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from .cells import Cells
    from .kernels import KernelPoint
    from .memory import Memory


@dataclass(frozen=True, slots=True)
class FigureSize:
    """Which points.

    Attributes:
        name: ``small`` or ``full``.
        kernel_sizes: n of Figure 8.
        params: d of the disjoint and f of the hybrid learner in Figures 9 and 11.
        dimensions: d of the hybrid learner there.
        grid: d and f of Figures 2 and 4.
        arms: N of the disjoint learner there; 8 is one of them.
        largest_k: up to this k = d f a hybrid learner that does not fit is also measured with
            more memory.
    """

    name: str
    kernel_sizes: tuple[int, ...]
    params: tuple[int, ...]
    dimensions: tuple[int, ...]
    grid: tuple[int, ...]
    arms: tuple[int, ...]
    largest_k: int


FIGURE_SIZES = (
    FigureSize(
        name="small",
        kernel_sizes=(4, 8),
        params=(4,),
        dimensions=(FITTED_D,),
        grid=(4,),
        arms=(8,),
        largest_k=64,
    ),
    FigureSize(
        name="full",
        kernel_sizes=(4, 6, 8, 10, 12, 16, 20, 24, 28, 32),
        params=PARAMS,
        dimensions=DIMENSIONS,
        grid=(4, 8, 16, 32),
        arms=(4, 8, 16, 32),
        largest_k=128,
    ),
)


def find_figure_size(name: str) -> FigureSize:
    """The size called ``name``.

    Raises:
        GnomonError: there is none.
    """
    sizes = {size.name: size for size in FIGURE_SIZES}
    return sizes[known("size", name, sizes)]


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
