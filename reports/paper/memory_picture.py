"""Figures 2 and 4 as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter

from gnomon.base.units import parse_size
from gnomon.report.canvas import legend, render, size_axis

from .look import (
    COMMON,
    PAPER,
    PUBLISHED,
    TUNED,
)
from .memory import BUDGET, DISJOINT, HYBRID
from .memory_section import SHOWN_D, larger_stack_bytes, shown_sizes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .memory import Memory
    from .sizes import FigureSize

_CURVES: dict[tuple[str, str], dict[str, Any]] = {
    ("paper", "standard"): {"color": PAPER, "marker": "o", "linestyle": "-"},
    ("paper", "optimized"): {"color": PAPER, "marker": "s", "linestyle": "--"},
    ("paper", "standard-vector"): {"color": PAPER, "marker": "^", "linestyle": "-."},
    ("paper", "optimized-vector"): {"color": PAPER, "marker": "v", "linestyle": ":"},
    ("tuned", "optimized"): {"color": TUNED, "marker": "s", "linestyle": "--"},
    ("tuned", "optimized-vector"): {"color": TUNED, "marker": "v", "linestyle": ":"},
    ("NumPy", "standard"): {"color": PUBLISHED, "marker": "x", "linestyle": "-"},
    ("NumPy", "optimized"): {"color": PUBLISHED, "marker": "+", "linestyle": "--"},
}
_KIB = 1024


def memory_picture(memory: Memory, size: FigureSize) -> dict[str, bytes]:
    """Peak stack above, everything below, as SVG."""
    return render(lambda: _draw(memory, size))


def _draw(memory: Memory, size: FigureSize) -> Figure:
    figure, grid = plt.subplots(2, 2, figsize=(8.0, 7.0), layout="constrained", sharex="col")
    for column, (learner, title, label) in enumerate(
        (
            (DISJOINT, "Disjoint, N = 8 (Figure 2)", "d"),
            (HYBRID, f"Hybrid, d = {SHOWN_D}, N = 8 (Figure 4)", "f"),
        )
    ):
        for (line, variant), look in _CURVES.items():
            name = f"{line} line" if line != "NumPy" else line
            label_of = f"{name}, {variant.replace('optimized', 'optimised')}"
            stacks, totals = _values(memory, size, learner, line, variant)
            for axes, values in zip(grid[:, column], (stacks, totals), strict=True):
                axes.plot(*values, label=label_of, **{**COMMON, **look})
        _axes(grid[0][column], size)
        _axes(grid[1][column], size)
        grid[0][column].set_title(title)
        grid[1][column].set_xlabel(label)
        grid[1][column].axhline(parse_size(BUDGET) / _KIB, color="#777777", linewidth=1.0)
        grid[1][column].text(size.grid[0], parse_size(BUDGET) / _KIB * 1.1, BUDGET, va="bottom")
    grid[0][0].set_ylabel("peak stack, KiB\n(larger of select and update)")
    grid[1][0].set_ylabel("static data and peak stack, KiB")
    figure.align_ylabels(grid[:, 0])
    legend(figure, grid[0][0], 3)
    return figure


def _values(
    memory: Memory, size: FigureSize, learner: str, line: str, variant: str
) -> tuple[tuple[list[int], list[float]], tuple[list[int], list[float]]]:
    stacks: tuple[list[int], list[float]] = ([], [])
    totals: tuple[list[int], list[float]] = ([], [])
    for sizes in shown_sizes(size, learner):
        at = sizes.d if learner == DISJOINT else sizes.f
        stack = total = None
        if line == "NumPy":
            row = memory.find_python(learner, sizes, variant)
            stack, total = row.peak_bytes, row.peak_bytes + row.state_size_bytes
        elif point := memory.find(learner, sizes, variant, line):
            stack, total = larger_stack_bytes(point), point.total_bytes
        for (places, values), value in ((stacks, stack), (totals, total)):
            if value is not None and at is not None:
                places.append(at)
                values.append(value / _KIB)
    return stacks, totals


def _axes(axes: Axes, size: FigureSize) -> None:
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    size_axis(axes, size.grid, "")
