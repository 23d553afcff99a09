"""The figure of the study: cycles and speedup over the matrix size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from gnomon.report.canvas import COLOURS, legend, render

from .page import NAMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .measure import Study

# Hollow markers of falling size, as curves may lie on each other.
_STYLE = {
    None: (COLOURS[0], "s", 4, "scalar"),
    1: (COLOURS[1], "o", 10, "SIMD 1"),
    2: (COLOURS[2], "^", 8, "SIMD 2"),
    4: (COLOURS[3], "D", 5, "SIMD 4"),
    8: (COLOURS[4], "v", 3, "SIMD 8"),
}


def study_figure(study: Study) -> dict[str, bytes]:
    """The figure as SVG, the same bytes for the same study."""
    return render(lambda: _draw(study))


def _draw(study: Study) -> Figure:
    figure, grid = plt.subplots(
        2, len(study.kernels), figsize=(8.0, 6.4), sharex=True, squeeze=False, layout="constrained"
    )
    for column, kernel in enumerate(study.kernels):
        cycles, speedup = grid[0][column], grid[1][column]
        for simd in (None, *study.widths):
            colour, marker, size, label = _STYLE[simd]
            rows = study.select(kernel, simd)
            sizes = [row.size for row in rows]
            line: dict[str, Any] = {
                "color": colour,
                "marker": marker,
                "markersize": size,
                "markerfacecolor": "none",
                "linewidth": 1.2,
            }
            cycles.plot(sizes, [row.run.wall_cycles for row in rows], label=label, **line)
            if simd is not None:
                speedup.plot(sizes, [row.wall_speedup for row in rows], **line)
        cycles.set_title(f"matrix {NAMES[kernel]}")
        cycles.set_yscale("log")
        _axes(cycles, study)
        _axes(speedup, study)
        speedup.set_ylim(bottom=0)
        speedup.set_xlabel("n (matrices of n x n elements)")
    grid[0][0].set_ylabel("wall cycles")
    grid[1][0].set_ylabel("speedup over scalar")
    figure.align_ylabels(grid[:, 0])
    legend(figure, grid[0][0], 1 + len(study.widths))
    return figure


def _axes(axes: Axes, study: Study) -> None:
    sizes = sorted({row.size for row in study.rows})
    # All sizes have a point; labels only where they do not touch.
    shown = [size for size in sizes if size % 4 == 0] or sizes
    axes.xaxis.set_major_locator(FixedLocator(shown))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
