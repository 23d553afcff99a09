"""Figures 1 and 3, 2 and 4, 5 to 7."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from gnomon.report.canvas import (
    COLOURS,
    TITLES,
    VARIANT_STYLES,
    legend,
    log_axis,
    round_axis,
    size_axis,
)

from .drift import DriftResult
from .study import LinucbExperiment
from .tables import published

_LINES = {"standard": "-", "optimized": "--"}
_MARKERS = {"select": "o", "update": "s"}
# Wide below narrow, as curves lie on each other.
_WIDTHS = {"standard": 6.0, "optimized": 4.0, "corrected": 2.4, "rank-one": 1.0}


def _operations(experiment: LinucbExperiment) -> Figure:
    """Operations of a whole step over size, standard against optimized."""
    figure, (disjoint, hybrid) = plt.subplots(1, 2, figsize=(8.0, 3.9), layout="constrained")
    grid = experiment.size.grid
    steps = pd.DataFrame(experiment.counts).groupby(["algorithm", "variant", "arms", "d", "f"])
    total = steps["counted_arithmetic"].sum()
    for colour, fixed in zip(COLOURS, grid, strict=False):
        for variant, line in _LINES.items():
            for axes, values, word in (
                (disjoint, [total["linucb-disjoint", variant, fixed, d, 0] for d in grid], "N"),
                (hybrid, [total["linucb-hybrid", variant, 8, fixed, f] for f in grid], "d"),
            ):
                label = f"{word} = {fixed}" if variant == "standard" else None
                axes.plot(grid, values, line, color=colour, marker="o", markersize=3,
                          linewidth=1.2, label=label)  # fmt: skip
    disjoint.set_title(TITLES["linucb-disjoint"])
    hybrid.set_title(f"{TITLES['linucb-hybrid']}, N = 8")
    for axes, label in ((disjoint, "d"), (hybrid, "f")):
        axes.set_yscale("log")
        size_axis(axes, grid, label)
        axes.legend(frameon=False)
    disjoint.set_ylabel("operations of a step\n(solid: standard, dashed: optimized)")
    return figure


def _memory(experiment: LinucbExperiment) -> Figure:
    """Peak memory of each stage over size, standard against optimized."""
    figure, (disjoint, hybrid) = plt.subplots(1, 2, figsize=(8.0, 4.1), layout="constrained")
    grid, memory = experiment.size.grid, pd.DataFrame(experiment.memory)
    for axes, name, title in (
        (disjoint, "linucb-disjoint", "Disjoint, N = 8"),
        (hybrid, "linucb-hybrid", "Hybrid, N = 8, d = 8"),
    ):
        for (variant, line), size in zip(_LINES.items(), (6, 3), strict=True):
            own = memory.query("algorithm == @name and variant == @variant and arms == 8")
            rows = own if name == "linucb-disjoint" else own[own["d"] == 8]
            for stage, colour in (("select", COLOURS[1]), ("update", COLOURS[2])):
                axes.plot(
                    grid,
                    rows[f"{stage}_peak_bytes"] / 1024,
                    line,
                    color=colour,
                    marker=_MARKERS[stage],
                    markersize=size,  # the curves of update lie on each other
                    markerfacecolor="none",
                    linewidth=1.2,
                    label=f"{stage}, {VARIANT_STYLES[variant]['label'].split()[0]}",
                )
        state = rows["state_size_bytes"] / 1024
        axes.plot(grid, state, ":", color=COLOURS[0], linewidth=1.2, label="state of either")
        axes.set_title(title)
        log_axis(axes)
        size_axis(axes, grid, "d" if name == "linucb-disjoint" else "f")
    disjoint.set_ylabel("KiB, peaks are on top of the state")
    legend(figure, disjoint, 3)
    return figure


def _panels(
    experiment: LinucbExperiment, height: float, **how: Any
) -> tuple[Figure, Any, Iterator[tuple[DriftResult, Axes, Any]]]:
    """Algorithms down, laws of contexts across; each result, its axes, its rounds."""
    names = list(dict.fromkeys(result.case.name for result in experiment.drift))
    laws = list(dict.fromkeys(result.case.law for result in experiment.drift))
    figure, grid = plt.subplots(
        len(names), len(laws), figsize=(8.0, height), squeeze=False, layout="constrained", **how
    )

    def panels() -> Iterator[tuple[DriftResult, Axes, Any]]:
        for result in experiment.drift:
            axes = grid[names.index(result.case.name)][laws.index(result.case.law)]
            every = result.case.log_every
            yield result, axes, np.arange(1, len(result.variants[0].residual) + 1) * every
            axes.set_title(f"{TITLES[result.case.name]}, {result.case.law} contexts")

    return figure, grid, panels()


def _drift(experiment: LinucbExperiment) -> Figure:
    """Drift of the inverse over rounds."""
    stated = published()["value"]
    figure, grid, panels = _panels(experiment, 6.4, sharey="row")
    for result, axes, rounds in panels:
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
        level = stated["drift_" + result.case.name.removeprefix("linucb-")]
        axes.axhline(level, color=COLOURS[4], linewidth=1.0, linestyle=":", label="published level")
        axes.set_yscale("log")
        axes.yaxis.set_minor_formatter(NullFormatter())
        round_axis(axes)
    for row in grid:
        row[0].set_ylabel("Frobenius norm")
    legend(figure, grid[-1][0], 2)
    return figure


def _reward(experiment: LinucbExperiment) -> Figure:
    """Average reward of each variant playing alone."""
    figure, grid, panels = _panels(experiment, 5.4)
    for result, axes, rounds in panels:
        for item in result.variants:
            axes.plot(
                rounds,
                item.average_reward,
                linewidth=_WIDTHS[item.variant],
                solid_capstyle="butt",
                **VARIANT_STYLES[item.variant],
            )
        round_axis(axes)
    for row in grid:
        row[0].set_ylabel("average reward so far")
    legend(figure, grid[-1][0], 4)
    return figure


PICTURES = {"operations": _operations, "memory": _memory, "drift": _drift, "reward": _reward}
"""What draws each file."""
