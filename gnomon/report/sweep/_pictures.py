"""Pictures for print: objectives against each other, and the effect of every axis on them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from gnomon.arch.keys import written
from gnomon.explore import compute_sensitivities
from gnomon.explore.columns import Row
from gnomon.explore.metrics import UNITS, Metric
from gnomon.report.canvas import legend, panels, plain_ticks, render
from gnomon.report.sweep._shown import OKABE_ITO, Shown, colours, named, word

MARKERS = "osD^vPp"  # they repeat the information of the color, for gray prints
_MOST_SHAPES = 100  # values of an axis that are drawn one by one
_FEW_POINTS = 300  # up to this number, points are distinguishable without transparency
_LOG_FROM = 4.0  # spans of at least this factor have a logarithmic axis
_COARSE_FROM = 10.0  # and spans of at least this factor have fewer ticks
_SHOWN_UNITS = {
    "us": ("ns", "µs", "ms", "s"),
    "uj": ("nJ", "µJ", "mJ", "J"),
    "mw": ("µW", "mW", "W"),
    "bytes": ("B", "KiB"),
}
_SPELLED = {"x": "x float"}


def front_figure(shown: Shown) -> dict[str, bytes]:
    """Return a figure of the first objective over each of the others, or another metric."""
    first = shown.vertical()
    others = [each.metric for each in shown.result.sweep.objectives[1:] if each.metric != first]
    others = others or [shown.horizontal()]

    of = shown.held.technologies if shown.energies else ()
    scenes = [_of_one(shown, each) for each in of] if len(of) > 1 else [shown]

    def draw() -> Figure:
        size = (4.4 * len(others) + 0.6, 3.9 * len(scenes))
        figure, rows = panels(len(scenes), len(others), size=size, sharey="row")
        for row, scene in zip(rows, scenes, strict=True):
            for axes, metric in zip(row, others, strict=True):
                _scatter(axes, scene, metric, first)
            _axis(row[0], "y", scene, first)
            if len(scenes) > 1:
                row[0].set_title(f"energy: {scene.held.technologies[0]}", fontsize=8)
        legend(figure, rows[0], 3 * len(others), fontsize=8, title=_some_named(shown))
        return figure

    return render(draw)


def _of_one(shown: Shown, technology: str) -> Shown:
    """Return the part of the report for the energies of one kind and library."""
    rows = tuple(row for row in shown.held.rows if row.technology == technology)
    return replace(shown, held=replace(shown.held, rows=rows))


def _scatter(axes: Axes, shown: Shown, across: Metric, up: Metric) -> None:
    place = shown.colouring()
    state = {
        row.index: "front" if row.index in shown.front
        else "keeps" if shown.result.meets(row) else "misses"
        for row in shown.held.rows
    }  # fmt: skip
    points = [
        (row, x, y)
        for row in shown.held.rows
        if (x := row.metric(across)) is not None and (y := row.metric(up)) is not None
    ]
    scale_x, scale_y = _unit(shown, across)[0], _unit(shown, up)[0]
    axis = None if place is None else shown.result.sweep.axes[place]
    values = [""] if axis is None else [written(value) for value in axis.values]
    in_legend = set(named(len(values)))
    of_value: dict[str, list[Any]] = {value: [] for value in values}
    for each in points:
        of_value["" if place is None else written(each[0].values[place])].append(each)
    pale = 0.45 if len(points) <= _FEW_POINTS else 0.2
    styles: dict[str, dict[str, Any]] = {
        "misses": {"alpha": pale, "markersize": 3.5, "markeredgewidth": 0},
        "keeps": {"alpha": 0.75, "markersize": 4, "markeredgewidth": 0},
        "front": {"markersize": 6.5, "markeredgecolor": "black", "markeredgewidth": 0.8},
    }
    if len(values) > _MOST_SHAPES:
        _scatter_at_once(axes, shown, [(row, x / scale_x, y / scale_y) for row, x, y in points])
    for number, (value, colour) in enumerate(zip(values, colours(len(values)), strict=True)):
        marker = MARKERS[number % len(MARKERS) if len(values) <= _MOST_SHAPES else 0]
        look: dict[str, Any] = {"marker": marker, "linestyle": "none", "color": colour}
        of_one = of_value[value] if len(values) <= _MOST_SHAPES else []
        label = "point" if axis is None else f"{axis.name} {value}"
        for wanted, style in styles.items():
            drawn = [each for each in of_one if state[each[0].index] == wanted]
            if drawn:
                axes.plot(
                    [x / scale_x for _, x, _ in drawn], [y / scale_y for _, _, y in drawn],
                    **look, **style, zorder=3 if wanted == "front" else 2,
                )  # fmt: skip
        if number in in_legend:
            axes.plot([], [], markersize=5, label=label, **look)
    taken = [(x / scale_x, y / scale_y) for row, x, y in points if row.index in shown.taken]
    axes.plot(
        [x for x, _ in taken], [y for _, y in taken], "o", markersize=13, markerfacecolor="none",
        markeredgecolor="black", markeredgewidth=1.4, label="recommended", zorder=4,
    )  # fmt: skip
    missing = len(shown.held.rows) - len(points)
    if missing:
        axes.set_title(f"{missing:,} of {len(shown.held.rows):,} are not known", fontsize=9)
    _axis(axes, "x", shown, across)
    _limits(axes, shown, across, up)


def _scatter_at_once(axes: Axes, shown: Shown, points: Sequence[tuple[Row, float, float]]) -> None:
    """Draw points of an axis with many values: a color each, one shape."""
    place = shown.colouring()
    assert place is not None
    values = shown.result.sweep.axes[place].values
    colour = {written(v): each for v, each in zip(values, colours(len(values)), strict=True)}
    for on_front, size, alpha, edge in ((False, 3.5, 0.45, 0.0), (True, 6.5, 1.0, 0.8)):
        drawn = [each for each in points if (each[0].index in shown.front) is on_front]
        axes.scatter(
            [x for _, x, _ in drawn], [y for _, _, y in drawn], size**2, marker=MARKERS[0],
            c=[colour[written(row.values[place])] for row, _, _ in drawn], alpha=alpha,
            linewidths=edge, edgecolors="black", zorder=3 if on_front else 2,
        )  # fmt: skip


def _some_named(shown: Shown) -> str | None:
    """Return the note of a legend that names some of the values of its axis."""
    place = shown.colouring()
    count = 0 if place is None else len(shown.result.sweep.axes[place].values)
    some = len(named(count))
    return None if some == count else f"{some} of {count:,} values"


def _known(shown: Shown, metric: Metric) -> list[float]:
    return [value for row in shown.held.rows if (value := row.metric(metric)) is not None]


def _unit(shown: Shown, metric: Metric) -> tuple[float, str]:
    """Return scale and name of the unit that suits the middle of a metric's range."""
    units = UNITS[metric.unit]
    names = _SHOWN_UNITS.get(metric.unit, tuple(units)[:1])
    known = _known(shown, metric)
    middle = float(np.median(known)) if known else 0.0
    scales = [(float(units[name]), name) for name in names]
    return next((pair for pair in reversed(scales) if middle >= pair[0]), scales[0])


def _axis(axes: Axes, which: str, shown: Shown, metric: Metric) -> None:
    """Set the label, and a scale with ticks as plain numbers."""
    known = _known(shown, metric)
    axis = axes.xaxis if which == "x" else axes.yaxis
    if known and min(known) > 0 and max(known) / min(known) > _LOG_FROM:
        (axes.set_xscale if which == "x" else axes.set_yscale)("log")
        wide = max(known) / min(known) > _COARSE_FROM
        axis.set_major_locator(
            LogLocator(base=10, subs=(1, 2, 5) if wide else (1, 1.5, 2, 3, 5, 7))
        )
        axis.set_minor_locator(NullLocator())
    else:
        axis.set_major_locator(MaxNLocator(6))
    plain_ticks(axis, form=",g")
    unit = _unit(shown, metric)[1]
    axis.set_label_text(f"{word(metric).removesuffix(' cycles')} ({_SPELLED.get(unit, unit)})")


def _limits(axes: Axes, shown: Shown, across: Metric, up: Metric) -> None:
    """Draw a dashed line at each limit within the range of the points."""
    for limit in shown.result.sweep.constraints:
        for metric, line in ((across, axes.axvline), (up, axes.axhline)):
            known = _known(shown, metric)
            if limit.metric == metric and known and min(known) <= limit.limit <= max(known):
                line(limit.limit / _unit(shown, metric)[0], color="#9A4A00", linestyle="--",
                     linewidth=1.1, label=limit.text)  # fmt: skip


def sensitivity_figure(shown: Shown) -> dict[str, bytes]:
    """Return a figure of the share of variance by axis, one panel for each objective."""
    objectives = shown.result.sweep.objectives

    def draw() -> Figure:
        found = [compute_sensitivities(shown.result, each.metric) for each in objectives]
        most = max(len(of_one) for of_one in found)
        size = (3.9 * len(objectives) + 0.4, 0.32 * most + 1.1)
        figure, row = panels(1, len(objectives), size=size)
        for axes, objective, of_one in zip(row[0], objectives, found, strict=True):
            places = np.arange(len(of_one))
            shares = [(each.share or 0) * 100 for each in of_one]
            axes.barh(places, shares, 0.62, color=OKABE_ITO[0])
            axes.set_yticks(places, [each.axis for each in of_one], fontsize=8)
            for place, share, each in zip(places, shares, of_one, strict=True):
                factor = "not known" if each.factor is None else f"x {each.factor:.2f}"
                more = ", share not known" if each.share is None and each.lines else ""
                axes.annotate(
                    factor + more, (share, place), xytext=(4, 0),
                    textcoords="offset points", va="center", fontsize=7.5,
                )  # fmt: skip
            axes.invert_yaxis()
            axes.set_xlim(0, 118)
            axes.set_xticks([0, 25, 50, 75, 100])
            axes.grid(visible=False, axis="y")
            axes.set_title(word(objective.metric), fontsize=9)
            axes.set_xlabel("share of variance (%), mean factor")
        return figure

    return render(draw, with_data=True)
