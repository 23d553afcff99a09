"""The pictures of the figures: SVG, the same bytes for the same points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from gnomon.base.units import parse_size
from gnomon.bench.learners import LINES
from gnomon.content.algorithms.linucb_paper.kernels import PAPER_KERNELS
from gnomon.report.canvas import COLOURS, legend, render, size_axis

from .cells import FITTED_D, READINGS
from .memory import BUDGET, DISJOINT, HYBRID, SHOWN_D, larger_stack_bytes, shown_sizes
from .points import PLATFORMS
from .published import stated_speedup

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .figures import FigureSize
    from .kernels import KernelPoint
    from .memory import Memory
    from .points import SpeedupPoint

ALGORITHMS = ("Disjoint", "Hybrid")
KERNEL_TITLES = {"add": "sum", "multiply": "product", "inverse": "inverse"}
_TICKS = (1, 2, 5, 10, 20, 50, 100, 200)
PUBLISHED, TUNED, PAPER = COLOURS[0], COLOURS[1], COLOURS[3]

COLOUR_OF = {"published": PUBLISHED, "paper": PAPER, "tuned": TUNED}

# Line styles and markers differ as well as colours, for grey prints.
STYLES: dict[tuple[str, str], dict[str, Any]] = {
    ("published", ""): {
        "color": PUBLISHED,
        "marker": "*",
        "markersize": 8,
        "markerfacecolor": PUBLISHED,
        "linestyle": "none",
    },
    ("paper", "hart"): {"color": PAPER, "marker": "o", "linestyle": "-"},
    ("paper", "wall"): {"color": PAPER, "marker": "o", "linestyle": ":"},
    ("tuned", "hart"): {"color": TUNED, "marker": "s", "linestyle": "-"},
    ("tuned", "wall"): {"color": TUNED, "marker": "s", "linestyle": ":"},
}
COMMON: dict[str, Any] = {"markersize": 4.5, "markerfacecolor": "none", "linewidth": 1.3}
# Fill by variant, colour by origin.
_HATCHES = {"std": "", "opt": "////", "std+vcu": "\\\\\\\\", "opt+vcu": "xxxx"}
_BARS = (("published", ""), ("paper", "hart"), ("tuned", "hart"))
# Ticks within a decade, by the ratio of the ends of an axis.
_FINE, _COARSE, _DECADES = (1, 1.5, 2, 3, 4, 5, 7), (1, 2, 5), (1,)
_WIDE = 20
_OTHERS = {"cortex-m4": "^", "cortex-a72": "v"}
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


def style(line: str, reading: str = "") -> dict[str, Any]:
    """Settings of one curve."""
    return {**COMMON, **STYLES[line, reading]}


def is_shown(point: SpeedupPoint) -> bool:
    """Whether the published counts fit its d."""
    return point.key.table == 2 or point.d == FITTED_D


def figure8_picture(points: Sequence[KernelPoint]) -> dict[str, bytes]:
    """Speed-ups over the matrix size, as SVG."""
    return render(lambda: _draw_figure8(points))


def _draw_figure8(points: Sequence[KernelPoint]) -> Figure:
    figure, grid = plt.subplots(1, 3, figsize=(8.0, 3.9), layout="constrained")
    for axes, kernel in zip(grid, PAPER_KERNELS, strict=True):
        for line in LINES:
            of_line = [point for point in points if (point.kernel, point.line) == (kernel, line)]
            sizes = [point.n for point in of_line]
            for reading in READINGS:
                axes.plot(
                    sizes,
                    [point.speedup(reading) for point in of_line],
                    label=f"{line} line, {reading} cycles",
                    **style(line, reading),
                )
        stated = [(n, stated_speedup(8, kernel, "t13", "vcu", n)) for n in sizes]
        known = [(n, one.speedup) for n, one in stated if one is not None]
        axes.plot(*zip(*known, strict=True), label="published, in numbers", **style("published"))
        axes.set_title(KERNEL_TITLES[kernel])
        _kernel_axes(axes, sizes)
    grid[0].set_ylabel("speed-up by the vector unit, SIMD 4")
    legend(figure, grid[0], 3)
    return figure


def _kernel_axes(axes: Axes, sizes: Sequence[int]) -> None:
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(FixedLocator(_TICKS))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xlabel("n (matrices of n x n)")
    axes.xaxis.set_major_locator(FixedLocator([n for n in sizes if n % 8 == 0 or n == sizes[0]]))


def speedups_picture(points: Sequence[SpeedupPoint]) -> dict[str, bytes]:
    """One column for each algorithm, as SVG."""
    return render(lambda: _draw_speedups([point for point in points if is_shown(point)]))


def _draw_speedups(points: Sequence[SpeedupPoint]) -> Figure:
    figure, grid = plt.subplots(
        3, 2, figsize=(8.0, 9.8), layout="constrained", height_ratios=(1.1, 1.1, 0.8)
    )
    for column, algorithm in enumerate(ALGORITHMS):
        of_one = [point for point in points if point.key.algorithm == algorithm]
        bars, near, tuned = grid[:, column]
        _bars(bars, [point for point in of_one if point.key.platform == "t13"])
        _curves(near, [point for point in of_one if point.line != "tuned"])
        _curves(tuned, [point for point in of_one if point.line == "tuned"])
        name = of_one[0].key.param_name
        bars.set_title(algorithm + ("" if name == "d" else f", d = {of_one[0].d}") + ", N = 8")
        bars.set_xlabel(name)
        params = sorted({point.key.param for point in of_one})
        for axes in (near, tuned):
            size_axis(axes, params, name)
            _speedup_axis(axes)
    grid[0][0].set_ylabel("hart cycles of a step, T13")
    grid[1][0].set_ylabel("speed-up over std")
    grid[2][0].set_ylabel("tuned line, over\nstd of the paper line")
    figure.align_ylabels(grid[:, 0])
    _legend(figure, grid[:1].flat, "outside upper center", 4)
    _legend(figure, grid[1:].flat, "outside lower center", 3)
    return figure


def _legend(
    figure: Figure,
    panels: Iterable[Axes],
    place: Literal["outside upper center", "outside lower center"],
    columns: int,
) -> None:
    handles: dict[str, Any] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(str(label), handle)
    figure.legend(list(handles.values()), list(handles), loc=place, ncols=columns, frameon=False)


def _speedup_axis(axes: Axes) -> None:
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    span = high / low
    within = _FINE if span < _WIDE else _COARSE if span < _WIDE**2 else _DECADES
    ticks = [tick * 10**decade for decade in range(7) for tick in within]
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _bars(axes: Axes, points: Sequence[SpeedupPoint]) -> None:
    kinds = dict.fromkeys(
        (point.line, point.reading, point.key.variant)
        for variant in _HATCHES
        for line, reading in _BARS
        for point in points
        if (point.line, point.reading, point.key.variant) == (line, reading, variant)
    )
    params = sorted({point.key.param for point in points})
    width = 0.85 / len(kinds)
    for index, (line, reading, variant) in enumerate(kinds):
        values = {
            point.key.param: point.cycles if line != "published" else point.published_cycles
            for point in points
            if (point.line, point.reading, point.key.variant) == (line, reading, variant)
        }
        known = [(at, values[n]) for at, n in enumerate(params) if values.get(n) is not None]
        axes.bar(
            [at + (index + 0.5) * width - 0.425 for at, _ in known],
            [cycles or 0 for _, cycles in known],
            width,
            label=f"{line}{' line' * (line != 'published')}, {variant}",
            facecolor=COLOUR_OF[line] if variant == "std" else "white",
            edgecolor=COLOUR_OF[line],
            hatch=_HATCHES[variant],
            linewidth=0.8,
        )
    axes.set_yscale("log")
    axes.set_xticks(range(len(params)), [str(n) for n in params])
    axes.grid(visible=False, axis="x")


def _curves(axes: Axes, points: Sequence[SpeedupPoint]) -> None:
    kinds = dict.fromkeys(
        (point.key.variant, point.key.platform, point.line, point.reading)
        for point in points
        if point.key.variant != "std"
    )
    several = any(variant == "opt+vcu" for variant, *_ in kinds)
    for variant, platform, line, reading in kinds:
        of_one = [
            (point.key.param, point.published_speedup if line == "published" else point.speedup)
            for point in points
            if (point.key.variant, point.key.platform, point.line, point.reading)
            == (variant, platform, line, reading)
        ]
        known = [(param, speedup) for param, speedup in of_one if speedup is not None]
        settings = _settings(variant, platform, line, reading)
        label = f"{line} line, {reading}" if reading else f"{line}, {PLATFORMS[platform]}"
        axes.plot(
            [param for param, _ in known],
            [speedup for _, speedup in known],
            label=label + (f", {variant}" if several else ""),
            **settings,
        )


def _settings(variant: str, platform: str, line: str, reading: str) -> dict[str, Any]:
    settings = style(line, reading)
    if line == "published":
        settings |= {"linestyle": "-", "linewidth": 1.0}
        if platform != "t13":
            settings |= {
                "color": COLOURS[4],
                "marker": _OTHERS[platform],
                "markersize": 5,
                "markerfacecolor": COLOURS[4],
            }
    if variant == "std+vcu":
        settings |= {"linewidth": 0.8, "markersize": 3.5, "markerfacecolor": settings["color"]}
    return settings


def memory_picture(memory: Memory, size: FigureSize) -> dict[str, bytes]:
    """Peak stack above, everything below, as SVG."""
    return render(lambda: _draw_memory(memory, size))


def _draw_memory(memory: Memory, size: FigureSize) -> Figure:
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
        _memory_axes(grid[0][column], size)
        _memory_axes(grid[1][column], size)
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


def _memory_axes(axes: Axes, size: FigureSize) -> None:
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    size_axis(axes, size.grid, "")
