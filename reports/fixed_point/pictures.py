"""How long each format lasts, regret over time, and what becomes of the inverse."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MultipleLocator

from gnomon.report.canvas import COLOURS, TITLES, legend

from .host_run import checkpoints

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from gnomon.bench.regret import RegretCase

    from .cells import CellResult, FixedPointStudy, FloatCurve

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
    """Those with contexts as they are and the first seed."""
    first = study.floats[0].case.seed
    cases = [curve.case for curve in study.floats]
    return [case for case in cases if case.context_scale == 1 and case.seed == first]


def _of(study: FixedPointStudy, case: RegretCase, line: str) -> list[CellResult]:
    return [
        result for result in study.results if result.cell.case == case and result.cell.line == line
    ]


def _life(study: FixedPointStudy) -> Figure:
    """The round in which regret leaves that of float, over fraction bits."""
    cases = _cases(study)
    columns = min(len(cases), 2)
    figure, grid = plt.subplots(
        -(-len(cases) // columns), columns, figsize=(8.0, 6.6), squeeze=False, layout="constrained"
    )
    for case, axes in zip(cases, grid.flat, strict=False):
        for variant in _PAPER:
            of_variant = [r for r in _of(study, case, "paper") if r.cell.variant == variant]
            _life_line(axes, of_variant, variant)
        for result in _of(study, case, "tuned"):
            axes.plot(
                result.cell.fraction_bits,
                result.left_regret.for_good or case.rounds,
                _MARKERS[result.cause],
                color=COLOURS[3],
                markersize=9,
                markerfacecolor="none",
                label="tuned line",
            )
        axes.set(title=f"{TITLES[case.name]}, {case.law} contexts", yscale="log")
        axes.set_ylim(4, case.rounds * 2)
        axes.axhline(case.rounds, color="#999999", linewidth=0.8, linestyle=":")
        axes.xaxis.set_major_locator(MultipleLocator(2))
        axes.set_xlabel("fraction bits")
    for row in grid:
        row[0].set_ylabel("round in which regret leaves 2 %")
    for kind, words in _WORDS.items():
        grid[0][0].plot([], [], _MARKERS[kind], color="#666666", label=words)
    _one_legend(figure, grid[0][0])
    return figure


def _life_line(axes: Axes, results: list[CellResult], variant: str) -> None:
    bits = [result.cell.fraction_bits for result in results]
    lives = [result.left_regret.for_good or result.cell.case.rounds for result in results]
    axes.plot(bits, lives, label=f"paper, {variant}", **{"linewidth": 1.0, **_LINES[variant]})
    for result, life in zip(results, lives, strict=True):
        axes.plot(
            result.cell.fraction_bits,
            life,
            _MARKERS[result.cause],
            color=_LINES[variant]["color"],
            markersize=5,
        )


def _one_legend(figure: Figure, axes: Axes) -> None:
    """Each label once."""
    seen: dict[str, Artist] = {}
    for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
        seen.setdefault(label, handle)
    figure.legend(
        list(seen.values()), list(seen), loc="outside upper center", ncols=3, frameon=False
    )


def _over_rounds(study: FixedPointStudy, what: str) -> Figure:
    """Regret, average reward or error of the inverse over rounds, a line for each format."""
    cases = _cases(study)
    variants = ("standard", "optimized")
    figure, grid = plt.subplots(
        len(cases),
        len(variants),
        figsize=(8.0, 2.4 * len(cases) + 0.8),
        squeeze=False,
        layout="constrained",
        sharey="row",
    )
    colours = plt.get_cmap("viridis")
    for row, case in zip(grid, cases, strict=True):
        stops = np.array(checkpoints(case.rounds))
        for axes, variant in zip(row, variants, strict=True):
            of_variant = [r for r in _of(study, case, "paper") if r.cell.variant == variant]
            widest = max(r.cell.fraction_bits for r in of_variant)
            least = min(r.cell.fraction_bits for r in of_variant)
            for result in of_variant:
                bits = result.cell.fraction_bits
                axes.plot(
                    stops,
                    _curve(result, what, stops),
                    color=colours((bits - least) / max(widest - least, 1)),
                    linewidth=1.0,
                    label=f"{bits} bits",
                )
            if what != "inverse":
                curve = study.float_of(case)
                axes.plot(
                    stops,
                    _at(curve, what, stops),
                    color="black",
                    linewidth=2.4,
                    label="float64",
                )
            for result in _of(study, case, "tuned")[:1]:
                axes.plot(
                    stops,
                    _curve(result, what, stops),
                    "--",
                    color=COLOURS[4],
                    linewidth=1.6,
                    label="tuned line",
                )
            axes.set(title=f"{TITLES[case.name]}, {case.law}, {variant}", xscale="log")
            axes.set_yscale("linear" if what == "reward" else "log")
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
