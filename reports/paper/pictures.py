"""The pictures of the figures: SVG, the same bytes for the same points."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullFormatter

from gnomon.base.units import parse_size
from gnomon.content.algorithms.linucb_paper.kernels import PAPER_KERNELS
from gnomon.report.canvas import COLOURS, legend, panels, plain_ticks, size_axis

from .cells import FITTED_D, LINES, READINGS
from .figures import BUDGET, DISJOINT, HYBRID, SHOWN_D
from .kernels import PLATFORMS
from .published import ARMS

KERNEL_TITLES = {"add": "sum", "multiply": "product", "inverse": "inverse"}
_TICKS = (1, 2, 5, 10, 20, 50, 100, 200)
PUBLISHED, TUNED, PAPER = COLOURS[0], COLOURS[1], COLOURS[3]
COLOUR_OF = {"published": PUBLISHED, "paper": PAPER, "tuned": TUNED, "NumPy": PUBLISHED}

# Line styles and markers differ as well as colours, for grey prints.
STYLES: dict[tuple[str, str], dict[str, Any]] = {
    ("published", ""): {"color": PUBLISHED, "marker": "*", "markersize": 8,
                        "markerfacecolor": PUBLISHED, "linestyle": "none"},
    ("paper", "hart"): {"color": PAPER, "marker": "o", "linestyle": "-"},
    ("paper", "wall"): {"color": PAPER, "marker": "o", "linestyle": ":"},
    ("tuned", "hart"): {"color": TUNED, "marker": "s", "linestyle": "-"},
    ("tuned", "wall"): {"color": TUNED, "marker": "s", "linestyle": ":"},
}  # fmt: skip
COMMON: dict[str, Any] = {"markersize": 4.5, "markerfacecolor": "none", "linewidth": 1.3}
# Fill by variant, colour by origin.
_HATCHES = {"std": "", "opt": "////", "std+vcu": "\\\\\\\\", "opt+vcu": "xxxx"}
_BARS = (("published", ""), ("paper", "hart"), ("tuned", "hart"))
# Ticks within a decade, by the ratio of the ends of an axis.
_FINE, _COARSE, _DECADES = (1, 1.5, 2, 3, 4, 5, 7), (1, 2, 5), (1,)
_WIDE = 20
_OTHERS = {"cortex-m4": "^", "cortex-a72": "v"}
_CURVES = {
    ("paper", "standard"): ("o", "-"),
    ("paper", "optimized"): ("s", "--"),
    ("paper", "standard-vector"): ("^", "-."),
    ("paper", "optimized-vector"): ("v", ":"),
    ("tuned", "optimized"): ("s", "--"),
    ("tuned", "optimized-vector"): ("v", ":"),
    ("NumPy", "standard"): ("x", "-"),
    ("NumPy", "optimized"): ("+", "--"),
}
_KIB = 1024


def figure8_picture(kernels: pd.DataFrame) -> Figure:
    """Draw speed-ups over the matrix size, from :func:`.kernels.with_speedups`."""
    figure, (row,) = panels(1, 3, size=(8.0, 3.9))
    curves = kernels.groupby(["kernel", "line", "reading"])
    for axes, kernel in zip(row, PAPER_KERNELS, strict=True):
        for line in LINES:
            for reading in READINGS:
                own = curves.get_group((kernel, line, reading))
                axes.plot(own["n"], own["speedup"], label=f"{line} code, {reading} cycles",
                          **COMMON | STYLES[line, reading])  # fmt: skip
        known = own[own["meaning"] != ""]
        axes.plot(known["n"], known["published_speedup"], label="published, in numbers",
                  **COMMON | STYLES["published", ""])  # fmt: skip
        axes.set(title=KERNEL_TITLES[kernel], yscale="log", xlabel="n (matrices of n x n)")
        axes.yaxis.set_major_locator(FixedLocator(_TICKS))
        axes.yaxis.set_minor_formatter(NullFormatter())
        plain_ticks(axes.yaxis)
        sizes = own["n"].tolist()
        shown = [n for n in sizes if n % 8 == 0 or n == sizes[0]]
        axes.xaxis.set_major_locator(FixedLocator(shown))
    row[0].set_ylabel("speed-up by the vector unit, SIMD 4")
    legend(figure, row[0], 3)
    return figure


def speedups_picture(points: pd.DataFrame) -> Figure:
    """Draw one column for each algorithm; with the d that the published counts fit."""
    points = points[(points["table"] == 2) | (points["d"] == FITTED_D)]
    figure, grid = panels(3, 2, size=(8.0, 9.8), height_ratios=(1.1, 1.1, 0.8))
    for column, (algorithm, of_one) in enumerate(points.groupby("algorithm")):
        bars, near, tuned = grid[:, column]
        _bars(bars, of_one[of_one["platform"] == "t13"])
        _curves(near, of_one[of_one["line"] != "tuned"])
        _curves(tuned, of_one[of_one["line"] == "tuned"])
        name, d = of_one.iloc[0][["param_name", "d"]]
        title = f"{algorithm}" + ("" if name == "d" else f", d = {d}") + ", N = 8"
        bars.set(title=title, xlabel=name)
        for axes in (near, tuned):
            size_axis(axes, sorted(of_one["param"].unique()), name)
            _speedup_axis(axes)
    grid[0][0].set_ylabel("hart cycles of a step, T13")
    grid[1][0].set_ylabel("speed-up over std")
    grid[2][0].set_ylabel("tuned code, over\nstd of the paper code")
    figure.align_ylabels(grid[:, 0])
    legend(figure, grid[:1].flat, 4)
    legend(figure, grid[1:].flat, 3, "outside lower center")
    return figure


def _speedup_axis(axes: Axes) -> None:
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    span = high / low
    within = _FINE if span < _WIDE else _COARSE if span < _WIDE**2 else _DECADES
    ticks = [tick * 10**decade for decade in range(7) for tick in within]
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    plain_ticks(axes.yaxis, form=",.10g")
    axes.yaxis.set_minor_formatter(NullFormatter())


def _bars(axes: Axes, points: pd.DataFrame) -> None:
    params = sorted(points["param"].unique())
    cycles = points["cycles"].where(points["line"] != "published", points["published_cycles"])
    of_kind = points.assign(shown=cycles).groupby(["line", "reading", "variant"])
    kinds = [(*bar, variant) for variant in _HATCHES for bar in _BARS
             if (*bar, variant) in of_kind.groups]  # fmt: skip
    width = 0.85 / len(kinds)
    for index, kind in enumerate(kinds):
        line, _, variant = kind
        known = of_kind.get_group(kind).dropna(subset="shown")
        axes.bar(
            [params.index(n) + (index + 0.5) * width - 0.425 for n in known["param"]],
            known["shown"].tolist(), width, hatch=_HATCHES[variant], linewidth=0.8,
            label=f"{line}{' line' * (line != 'published')}, {variant}",
            facecolor=COLOUR_OF[line] if variant == "std" else "white", edgecolor=COLOUR_OF[line],
        )  # fmt: skip
    axes.set_yscale("log")
    axes.set_xticks(range(len(params)), [str(n) for n in params])
    axes.grid(visible=False, axis="x")


def _curves(axes: Axes, points: pd.DataFrame) -> None:
    points = points[points["variant"] != "std"]
    speedup = points["speedup"].where(points["line"] != "published", points["published_speedup"])
    several = (points["variant"] == "opt+vcu").any()
    keys = ["variant", "platform", "line", "reading"]
    for kind, of_one in points.assign(shown=speedup).groupby(keys, sort=False):
        variant, platform, line, reading = map(str, kind)
        known = of_one.dropna(subset="shown")
        label = f"{line} code, {reading}" if reading else f"{line}, {PLATFORMS[platform]}"
        axes.plot(known["param"].tolist(), known["shown"].tolist(),
                  label=label + (f", {variant}" if several else ""),
                  **_settings(variant, platform, line, reading))  # fmt: skip


def _settings(variant: str, platform: str, line: str, reading: str) -> dict[str, Any]:
    settings = COMMON | STYLES[line, reading]
    if line == "published":
        settings |= {"linestyle": "-", "linewidth": 1.0}
        if platform != "t13":
            settings |= {"color": COLOURS[4], "marker": _OTHERS[platform], "markersize": 5,
                         "markerfacecolor": COLOURS[4]}  # fmt: skip
    if variant == "std+vcu":
        settings |= {"linewidth": 0.8, "markersize": 3.5, "markerfacecolor": settings["color"]}
    return settings


def memory_picture(every: pd.DataFrame) -> Figure:
    """Draw peak stack above, everything below, from :func:`.figures.with_python`."""
    every = every[every["arms"] == ARMS]
    figure, grid = panels(2, 2, size=(8.0, 7.0), sharex="col")
    disjoint = every[every["learner"] == DISJOINT]
    hybrid = every[(every["learner"] == HYBRID) & (every["d"] == SHOWN_D)]
    sizes, budget_kib = sorted(disjoint["d"].unique()), parse_size(BUDGET) / _KIB
    for (peaks, totals), own, title, label in (
        (grid[:, 0], disjoint, "Disjoint, N = 8 (Figure 2)", "d"),
        (grid[:, 1], hybrid, f"Hybrid, d = {SHOWN_D}, N = 8 (Figure 4)", "f"),
    ):
        for (line, variant), (marker, dashes) in _CURVES.items():
            look = {"color": COLOUR_OF[line], "marker": marker, "linestyle": dashes}
            name = f"{line} code" if line != "NumPy" else line
            curve = own[(own["line"] == line) & (own["variant"] == variant)].sort_values(label)
            for axes, bytes_of in ((peaks, "larger"), (totals, "total_bytes")):
                known = curve.dropna(subset=bytes_of)
                axes.plot(known[label].tolist(), (known[bytes_of] / _KIB).tolist(),
                          label=f"{name}, {variant}", **COMMON | look)  # fmt: skip
        for axes, below in ((peaks, ""), (totals, label)):
            axes.set_yscale("log")
            plain_ticks(axes.yaxis)
            size_axis(axes, sizes, below)
        peaks.set_title(title)
        totals.axhline(budget_kib, color="#777777", linewidth=1.0)
        totals.text(sizes[0], budget_kib * 1.1, BUDGET, va="bottom")
    grid[0][0].set_ylabel("peak stack, KiB\n(larger of select and update)")
    grid[1][0].set_ylabel("static data and peak stack, KiB")
    figure.align_ylabels(grid[:, 0])
    legend(figure, grid[0][0], 3)
    return figure
