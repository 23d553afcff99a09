"""Figures 1 and 3, 2 and 4, 5 to 7."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from gnomon.report import canvas

from .drift import DriftResult
from .study import LinucbExperiment
from .styles import TITLES, VARIANT_STYLES
from .tables import published

_LINES = {"standard": "-", "optimized": "--"}
_STAGES = {"select": ("o", canvas.COLOURS[1]), "update": ("s", canvas.COLOURS[2])}
# Wide below narrow, as curves lie on each other.
_WIDTHS = {"standard": 6.0, "optimized": 4.0, "corrected": 2.4, "rank-one": 1.0}


def _operations(experiment: LinucbExperiment) -> Figure:
    """Draw operations of a whole step over size, standard against optimized."""
    figure, ((disjoint, hybrid),) = canvas.panels(1, 2, size=(8.0, 3.9))
    grid = experiment.size.grid
    steps = pd.DataFrame(experiment.counts).groupby(["algorithm", "variant", "arms", "d", "f"])
    total = steps["counted_arithmetic"].sum()
    for colour, fixed in zip(canvas.COLOURS, grid, strict=False):
        for variant, line in _LINES.items():
            for axes, values, word in (
                (disjoint, [total["linucb-disjoint", variant, fixed, d, 0] for d in grid], "N"),
                (hybrid, [total["linucb-hybrid", variant, 8, fixed, f] for f in grid], "d"),
            ):
                label = f"{word} = {fixed}" if variant == "standard" else None
                axes.plot(grid, values, line, color=colour, marker="o", markersize=3,
                          linewidth=1.2, label=label)  # fmt: skip
    for axes, title, label in ((disjoint, "Disjoint", "d"), (hybrid, "Hybrid, N = 8", "f")):
        axes.set(title=title, yscale="log")
        canvas.size_axis(axes, grid, label)
        axes.legend(frameon=False)
    disjoint.set_ylabel("operations of a step\n(solid: standard, dashed: optimized)")
    return figure


def _memory(experiment: LinucbExperiment) -> Figure:
    """Draw peak memory of each stage over size, standard against optimized."""
    figure, ((disjoint, hybrid),) = canvas.panels(1, 2, size=(8.0, 4.1))
    grid, memory = experiment.size.grid, pd.DataFrame(experiment.memory)
    of_eight = memory[memory["arms"] == 8]
    for axes, name, rows, title, label in (
        (disjoint, "linucb-disjoint", of_eight, "Disjoint, N = 8", "d"),
        (hybrid, "linucb-hybrid", of_eight[of_eight["d"] == 8], "Hybrid, N = 8, d = 8", "f"),
    ):
        for (variant, line), size in zip(_LINES.items(), (6, 3), strict=True):
            own = rows[rows["algorithm"].eq(name) & rows["variant"].eq(variant)]
            for stage, (marker, colour) in _STAGES.items():
                axes.plot(  # the curves of update lie on each other
                    grid, own[f"{stage}_peak_bytes"] / 1024, line, color=colour, marker=marker,
                    markersize=size, markerfacecolor="none", linewidth=1.2,
                    label=f"{stage}, {VARIANT_STYLES[variant]['label'].split()[0]}",
                )  # fmt: skip
        state = own["state_size_bytes"] / 1024
        axes.plot(grid, state, ":", color=canvas.COLOURS[0], linewidth=1.2, label="state of either")
        axes.set_title(title)
        canvas.log_axis(axes)
        canvas.size_axis(axes, grid, label)
    disjoint.set_ylabel("KiB, peaks are on top of the state")
    canvas.legend(figure, disjoint, 3)
    return figure


def _of_rounds(
    experiment: LinucbExperiment, draw: Callable[[Axes, DriftResult, Any], None], words: str,
    height: float, columns: int, **settings: Any,
) -> Figure:  # fmt: skip
    """Draw algorithms down, distributions across; ``draw`` gets axes, result, rounds of each."""
    names = list(dict.fromkeys(result.case.name for result in experiment.drift))
    laws = list(dict.fromkeys(result.case.law for result in experiment.drift))
    figure, grid = canvas.panels(len(names), len(laws), size=(8.0, height), **settings)
    for result in experiment.drift:
        case = result.case
        axes = grid[names.index(case.name)][laws.index(case.law)]
        logged = np.arange(1, len(result.variants[0].residual) + 1)
        draw(axes, result, logged * case.log_every / 1000)
        title = f"{TITLES[case.name]}, {case.law} contexts"
        axes.set(xlabel="rounds (thousands)", title=title)
    for row in grid:
        row[0].set_ylabel(words)
    canvas.legend(figure, grid[-1][0], columns)
    return figure


def _drift(axes: Axes, result: DriftResult, rounds: Any) -> None:
    """Draw the drift of the inverse over rounds."""
    for item in result.variants:
        if item.variant in {"optimized", "corrected"}:
            # the standard one is the reference; the rank-one one is closer to exact
            largest = item.drift.reshape(-1, result.case.log_every).max(axis=1)
            shown = np.where(largest > 0, largest, np.nan)
            axes.plot(rounds, shown, linewidth=1.2, **VARIANT_STYLES[item.variant])
    for variant in ("standard", "rank-one") if result.case.features else ():
        # the direct inverse of A, without features, is exact to rounding
        style = VARIANT_STYLES[variant]
        style = {**style, "label": f"{style['label']}, to the exact inverse"}
        axes.plot(rounds, result.variant(variant).error, linewidth=0.9, linestyle="--", **style)
    level = published()["value"]["drift_" + result.case.name.removeprefix("linucb-")]
    axes.axhline(
        level, color=canvas.COLOURS[4], linewidth=1.0, linestyle=":", label="published level"
    )
    axes.set_yscale("log")
    axes.yaxis.set_minor_formatter(NullFormatter())


def _reward(axes: Axes, result: DriftResult, rounds: Any) -> None:
    """Draw the average reward of each variant playing alone."""
    for item in result.variants:
        axes.plot(rounds, item.average_reward, linewidth=_WIDTHS[item.variant],
                  solid_capstyle="butt", **VARIANT_STYLES[item.variant])  # fmt: skip


PICTURES: dict[str, Callable[..., Figure]] = {
    "operations": _operations,
    "memory": _memory,
    "drift": partial(_of_rounds, draw=_drift, words="Frobenius norm", height=6.4, columns=2,
                     sharey="row"),
    "reward": partial(_of_rounds, draw=_reward, words="average reward so far", height=5.4,
                      columns=4),
}  # fmt: skip
"""What draws each file."""
