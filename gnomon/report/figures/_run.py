"""All that the figures show, measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.algorithms import PAPER_KERNELS
from gnomon.report.figures._kernels import run_kernel_points

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.report.figures._kernels import KernelPoint
    from gnomon.report.figures._sizes import FigureSize


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured.

    Attributes:
        size: how much of it.
        compiler: that built the kernels, with its version.
        kernels: Figure 8.
    """

    size: FigureSize
    compiler: str
    kernels: tuple[KernelPoint, ...]


def run_figures(size: FigureSize, progress: Callable[[str], None] = lambda _: None) -> Figures:
    """Measure everything.

    Raises:
        CheckFailed: a result differs from its model.
    """
    kernels, compiler = run_kernel_points(size.kernel_sizes, progress)
    return Figures(size, compiler, kernels)


def figures_steps(size: FigureSize) -> int:
    """How many times ``progress`` is called."""
    return len(PAPER_KERNELS) * len(size.kernel_sizes)
