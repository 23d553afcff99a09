"""Figures 1 and 3, 2 and 4, 5 to 7."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import NullFormatter

from gnomon.learn import published
from gnomon.report.canvas import (
    COLOURS,
    TITLES,
    VARIANT_STYLES,
    byte_axis,
    legend,
    render,
    round_axis,
    size_axis,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from gnomon.learn import DriftResult, LinucbExperiment

_LINES = {"standard": "-", "optimized": "--"}
_MARKERS = {"select": "o", "update": "s"}


def operations_figure(experiment: LinucbExperiment) -> dict[str, bytes]:
    """Operations of a whole step over size, standard against optimised."""
    return render(lambda: _operations(experiment))


def memory_figure(experiment: LinucbExperiment) -> dict[str, bytes]:
    """Peak memory of each stage over size, standard against optimised."""
    return render(lambda: _memory(experiment))


def drift_figure(experiment: LinucbExperiment) -> dict[str, bytes]:
    """Drift of the inverse over rounds."""
    return render(lambda: _drift(experiment))


def _operations(experiment: LinucbExperiment) -> Figure:
    figure, (disjoint, hybrid) = plt.subplots(1, 2, figsize=(8.0, 3.9), layout="constrained")
    grid = experiment.size.grid
    steps: dict[tuple[str, str, int, int, int], int] = {}
    for row in experiment.counts:
        sizes = row.sizes
        key = (row.name, row.variant, sizes.arms, sizes.dimensions, sizes.features)
        steps[key] = steps.get(key, 0) + row.counted.arithmetic
    for colour, fixed in zip(COLOURS, grid, strict=False):
        for variant, line in _LINES.items():
            for axes, name, values, word in (
                (
                    disjoint,
                    "linucb-disjoint",
                    [steps["linucb-disjoint", variant, fixed, d, 0] for d in grid],
                    "N",
                ),
                (
                    hybrid,
                    "linucb-hybrid",
                    [steps["linucb-hybrid", variant, 8, fixed, f] for f in grid],
                    "d",
                ),
            ):
                axes.plot(
                    grid,
                    values,
                    line,
                    color=colour,
                    marker="o",
                    markersize=3,
                    linewidth=1.2,
                    label=f"{word} = {fixed}" if variant == "standard" else None,
                )
                axes.set_title(TITLES[name] + (", N = 8" if name == "linucb-hybrid" else ""))
    for axes, label in ((disjoint, "d"), (hybrid, "f")):
        axes.set_yscale("log")
        size_axis(axes, grid, label)
        axes.legend(frameon=False)
    disjoint.set_ylabel("operations of a step\n(solid: standard, dashed: optimised)")
    return figure


def _memory(experiment: LinucbExperiment) -> Figure:
    figure, (disjoint, hybrid) = plt.subplots(1, 2, figsize=(8.0, 4.1), layout="constrained")
    grid = experiment.size.grid
    for axes, name, title in (
        (disjoint, "linucb-disjoint", "Disjoint, N = 8"),
        (hybrid, "linucb-hybrid", "Hybrid, N = 8, d = 8"),
    ):
        for (variant, line), size in zip(_LINES.items(), (6, 3), strict=True):
            rows = [
                row
                for row in experiment.memory
                if row.name == name
                and row.variant == variant
                and row.sizes.arms == 8
                and (name == "linucb-disjoint" or row.sizes.dimensions == 8)
            ]
            for stage, colour in (("select", COLOURS[1]), ("update", COLOURS[2])):
                axes.plot(
                    grid,
                    [getattr(row, f"{stage}_peak_bytes") / 1024 for row in rows],
                    line,
                    color=colour,
                    marker=_MARKERS[stage],
                    markersize=size,  # the curves of update lie on each other
                    markerfacecolor="none",
                    linewidth=1.2,
                    label=f"{stage}, {VARIANT_STYLES[variant]['label'].split()[0]}",
                )
        axes.plot(
            grid,
            [row.state_size_bytes / 1024 for row in rows],
            ":",
            color=COLOURS[0],
            linewidth=1.2,
            label="state of either",
        )
        axes.set_title(title)
        byte_axis(axes)
        size_axis(axes, grid, "d" if name == "linucb-disjoint" else "f")
    disjoint.set_ylabel("KiB, peaks are on top of the state")
    legend(figure, disjoint, 3)
    return figure


def _drift(experiment: LinucbExperiment) -> Figure:
    stated = published()
    names = list(dict.fromkeys(result.case.name for result in experiment.drift))
    laws = list(dict.fromkeys(result.case.law for result in experiment.drift))
    figure, grid = plt.subplots(
        *(len(names), len(laws)),
        figsize=(8.0, 6.4),
        squeeze=False,
        layout="constrained",
        sharey="row",
    )
    for result in experiment.drift:
        axes = grid[names.index(result.case.name)][laws.index(result.case.law)]
        _drift_curves(axes, result)
        quantity = "drift_" + result.case.name.removeprefix("linucb-")
        axes.axhline(
            stated[quantity].value,
            color=COLOURS[4],
            linewidth=1.0,
            linestyle=":",
            label="published level",
        )
        axes.set_title(f"{TITLES[result.case.name]}, {result.case.law} contexts")
        axes.set_yscale("log")
        axes.yaxis.set_minor_formatter(NullFormatter())
        round_axis(axes)
    for row in grid:
        row[0].set_ylabel("Frobenius norm")
    legend(figure, grid[-1][0], 2)
    return figure


def _drift_curves(axes: Axes, result: DriftResult) -> None:
    every = result.case.log_every
    rounds = np.arange(1, len(result.variants[0].residual) + 1) * every
    for item in result.variants:
        if item.variant not in {"optimized", "corrected"}:
            continue  # the standard one is the reference; the rank-one one is closer to exact
        style = VARIANT_STYLES[item.variant]
        largest = item.drift.reshape(-1, every).max(axis=1)
        axes.plot(
            rounds,
            np.where(largest > 0, largest, np.nan),
            linewidth=1.2,
            **style,
        )
    if result.case.features:  # the direct inverse of A is exact to rounding
        for variant in ("standard", "rank-one"):
            style = VARIANT_STYLES[variant]
            axes.plot(
                rounds,
                result.variant(variant).error,
                linewidth=0.9,
                linestyle="--",
                **{**style, "label": f"{style['label']}, to the exact inverse"},
            )
