"""How much of the figures to measure."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.errors import GnomonError, did_you_mean


@dataclass(frozen=True, slots=True)
class FigureSize:
    """Which points.

    Attributes:
        name: ``small`` or ``full``.
        kernel_sizes: n of Figure 8.
        params: d of the disjoint and f of the hybrid learner in Figures 9 and 11.
        grid: d, f and N of Figures 2 and 4.
        largest_k: up to this k = d f a hybrid learner that does not fit is also measured with
            more memory.
    """

    name: str
    kernel_sizes: tuple[int, ...]
    params: tuple[int, ...]
    grid: tuple[int, ...]
    largest_k: int


FIGURE_SIZES = (
    FigureSize("small", (4, 8), (4, 8), (4, 8), 64),
    FigureSize("full", (4, 6, 8, 10, 12, 16, 20, 24, 28, 32), (4, 8, 16, 32), (4, 8, 16, 32), 256),
)


def find_figure_size(name: str) -> FigureSize:
    """The size called ``name``.

    Raises:
        GnomonError: there is none.
    """
    for size in FIGURE_SIZES:
        if size.name == name:
            return size
    known = [size.name for size in FIGURE_SIZES]
    raise GnomonError(
        f"the figures have no size {name!r} (allowed: {', '.join(known)}"
        f"{did_you_mean(name, known)})"
    )
