"""Pictures: the life of each format, regret over time, and the error of the inverse."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator
from numpy.typing import NDArray

from gnomon.content.reports.linucb.styles import TITLES
from gnomon.measure.regret import RegretCase
from gnomon.report.canvas import COLOURS, legend, panels

from .cells import CellResult, FixedPointStudy, FloatCurve
from .host_run import checkpoints

_Stops: TypeAlias = NDArray[np.int64]

_PAPER = ("standard", "corrected", "optimized")
_LINES: dict[str, dict[str, Any]] = {
    "standard": {"color": COLOURS[0], "linestyle": "-"},
    "optimized": {"color": COLOURS[1], "linestyle": "-"},
    "corrected": {"color": COLOURS[2], "linestyle": "-", "linewidth": 4.0, "alpha": 0.6},
}
_MARKERS = {"overflow": "v", "underflow": "s", "rounding": "o", "choices": "x", "": "*"}
_WORDS = {
    "overflow": "overflow",
    "underflow": "inverse below one unit",
    "rounding": "digits lost to rounding",
    "choices": "other choices, no other event",
    "": "stays within 2 %",
}
_OVER_ROUNDS = {
    "regret": "regret so far",
    "reward": "average reward so far",
    "inverse": "relative error of A$^{-1}$",
}


def _cases(study: FixedPointStudy) -> list[RegretCase]:
    """Return the cases with contexts as they are and the first seed."""
    first = study.floats[0].case.seed
    cases = [curve.case for curve in study.floats]
    return [case for case in cases if case.context_scale == 1 and case.seed == first]


def _of(study: FixedPointStudy, case: RegretCase, line: str) -> list[CellResult]:
    return [
        result for result in study.results if result.cell.case == case and result.cell.line == line
    ]


def _life(study: FixedPointStudy) -> Figure:
    """Draw the round in which regret leaves that of float, over fraction bits."""
    cases = _cases(study)
    columns = min(len(cases), 2)
    figure, grid = panels(-(-len(cases) // columns), columns, size=(8.0, 6.6))
    for case, axes in zip(cases, grid.flat, strict=False):
        for variant in _PAPER:
            of_variant = [r for r in _of(study, case, "paper") if r.cell.variant == variant]
            look = {"linewidth": 1.0, **_LINES[variant]}
            places = zip(*map(_place, of_variant), strict=True)
            axes.plot(*places, label=f"paper, {variant}", **look)
            for result in of_variant:
                _mark(axes, result, color=look["color"], markersize=5)
        for result in _of(study, case, "tuned"):
            _mark(axes, result, color=COLOURS[3], markersize=9, markerfacecolor="none",
                  label="tuned code")  # fmt: skip
        axes.set(title=f"{TITLES[case.name]}, {case.law} contexts", xlabel="fraction bits",
                 yscale="log", ylim=(4, case.rounds * 2))  # fmt: skip
        axes.axhline(case.rounds, color="#999999", linewidth=0.8, linestyle=":")
        axes.xaxis.set_major_locator(MultipleLocator(2))
    for row in grid:
        row[0].set_ylabel("round in which regret leaves 2 %")
    for kind, words in _WORDS.items():
        grid[0][0].plot([], [], _MARKERS[kind], color="#666666", label=words)
    legend(figure, grid[0][0], 3)
    return figure


def _place(result: CellResult) -> tuple[int, int]:
    """Return the fraction bits, and the round in which regret leaves."""
    return result.cell.fraction_bits, result.left_regret.for_good or result.cell.case.rounds


def _mark(axes: Axes, result: CellResult, **look: Any) -> None:
    axes.plot(*_place(result), _MARKERS[result.cause], **look)


def _over_rounds(study: FixedPointStudy, what: str) -> Figure:
    """Draw regret, average reward or error of the inverse over rounds, a line per format."""
    cases = _cases(study)
    variants = ("standard", "optimized")
    size = (8.0, 2.4 * len(cases) + 0.8)
    figure, grid = panels(len(cases), len(variants), size=size, sharey="row")
    colours = plt.get_cmap("viridis")
    for row, case in zip(grid, cases, strict=True):
        stops = np.array(checkpoints(case.rounds))
        for axes, variant in zip(row, variants, strict=True):
            of_variant = [r for r in _of(study, case, "paper") if r.cell.variant == variant]
            every = [result.cell.fraction_bits for result in of_variant]
            span = max(max(every) - min(every), 1)
            for bits, result in zip(every, of_variant, strict=True):
                axes.plot(stops, _curve(result, what, stops), linewidth=1.0, label=f"{bits} bits",
                          color=colours((bits - min(every)) / span))  # fmt: skip
            if what != "inverse":
                axes.plot(stops, _at(study.float_of(case), what, stops), color="black",
                          linewidth=2.4, label="float64")  # fmt: skip
            for result in _of(study, case, "tuned")[:1]:
                axes.plot(stops, _curve(result, what, stops), "--", color=COLOURS[4],
                          linewidth=1.6, label="tuned code")  # fmt: skip
            axes.set(title=f"{TITLES[case.name]}, {case.law}, {variant}", xscale="log",
                     yscale="linear" if what == "reward" else "log")  # fmt: skip
        row[0].set_ylabel(_OVER_ROUNDS[what])
    for axes in grid[-1]:
        axes.set_xlabel("rounds")
    if what == "inverse":
        for row in grid:
            row[0].set_ylim(1e-9, 1e3)
    legend(figure, grid[0][0], 6)
    return figure


def _at(run: CellResult | FloatCurve, what: str, stops: _Stops) -> NDArray[np.float64]:
    return run.reward[stops - 1] / stops if what == "reward" else run.regret[stops - 1]


def _curve(result: CellResult, what: str, stops: _Stops) -> NDArray[np.float64]:
    if what != "inverse":
        return _at(result, what, stops)
    if not result.errors:
        return np.full(len(stops), np.nan)
    return np.array([error.relative for error in result.errors[-len(stops) :]])


PICTURES: dict[str, Callable[[FixedPointStudy], Figure]] = {
    "life": _life,
    **{what: partial(_over_rounds, what=what) for what in _OVER_ROUNDS},
}
"""What draws each file."""
