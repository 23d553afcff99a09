"""The figure of the study: cycles and speedup over the matrix size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gnomon.report.canvas import COLOURS, legend, plain_ticks

NAMES = {"add": "sum", "multiply": "product"}
# Hollow markers of falling size, as curves may lie on each other.
_STYLE: dict[Any, tuple[str, str, int, str]] = {
    None: (COLOURS[0], "s", 4, "fastest scalar"),
    1: (COLOURS[1], "o", 10, "SIMD 1"),
    2: (COLOURS[2], "^", 8, "SIMD 2"),
    4: (COLOURS[3], "D", 5, "SIMD 4"),
    8: (COLOURS[4], "v", 3, "SIMD 8"),
}


def draw(rows: pd.DataFrame) -> Figure:
    """Cycles above, speedups below, a column for each kernel."""
    kernels = list(rows["kernel"].unique())
    figure, grid = plt.subplots(
        2, len(kernels), figsize=(8.0, 6.4), sharex=True, squeeze=False, layout="constrained"
    )
    for column, kernel in enumerate(kernels):
        cycles, speedup = grid[0][column], grid[1][column]
        of_kernel = rows[rows["kernel"] == kernel]
        scalar = of_kernel[of_kernel["simd"].isna()]
        fastest = scalar.loc[scalar.groupby("n")["wall_cycles"].idxmin()]
        of_kernel = pd.concat([fastest, of_kernel[of_kernel["simd"].notna()]])
        for simd, own in of_kernel.groupby("simd", sort=False, dropna=False):
            width = None if pd.isna(simd) else simd
            colour, marker, size, label = _STYLE[width]
            line: dict[str, Any] = {"color": colour, "marker": marker, "markersize": size,
                                    "markerfacecolor": "none", "linewidth": 1.2}  # fmt: skip
            sizes = own["n"].tolist()
            cycles.plot(sizes, own["wall_cycles"].tolist(), label=label, **line)
            if width is not None:
                speedup.plot(sizes, own["wall_speedup"].tolist(), **line)
        cycles.set_title(f"matrix {NAMES[kernel]}")
        cycles.set_yscale("log")
        _axes(cycles, sizes)
        _axes(speedup, sizes)
        speedup.set_ylim(bottom=0)
        speedup.set_xlabel("n (matrices of n x n elements)")
    grid[0][0].set_ylabel("wall cycles")
    grid[1][0].set_ylabel("speedup over the fastest scalar")
    figure.align_ylabels(grid[:, 0])
    legend(figure, grid[0][0], len(_STYLE))
    return figure


def _axes(axes: Axes, sizes: Sequence[int]) -> None:
    # All sizes have a point; labels only where they do not touch.
    shown = [size for size in sizes if size % 4 == 0] or list(sizes)
    plain_ticks(axes.xaxis, shown)
