"""Figures 9 and 11 as pictures: cycles as bars, speed-ups as curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from gnomon.report.canvas import COLOURS, render, size_axis

from .look import COLOUR_OF, style
from .points import PLATFORMS
from .speedups import ALGORITHMS, is_shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .points import SpeedupPoint

# Fill by variant, colour by origin.
_HATCHES = {"std": "", "opt": "////", "std+vcu": "\\\\\\\\", "opt+vcu": "xxxx"}
_BARS = (("published", ""), ("paper", "hart"), ("tuned", "hart"))
# Ticks within a decade, by the ratio of the ends of an axis.
_FINE, _COARSE, _DECADES = (1, 1.5, 2, 3, 4, 5, 7), (1, 2, 5), (1,)
_WIDE = 20
_OTHERS = {"cortex-m4": "^", "cortex-a72": "v"}


def speedups_picture(points: Sequence[SpeedupPoint]) -> dict[str, bytes]:
    """One column for each algorithm, as SVG."""
    return render(lambda: _draw([point for point in points if is_shown(point)]))


def _draw(points: Sequence[SpeedupPoint]) -> Figure:
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
