"""How much of the figures to measure."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.base.errors import known

from .cells import DIMENSIONS, FITTED_D, PARAMS


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
