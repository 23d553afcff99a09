"""Figures 3 to 5 of the paper drawn again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np

from gnomon.report.canvas import COLOURS, legend

from .policies import LONG, SHORT, pies

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .runs import SystemResult
    from .study import AresExperiment

_OTHERS = ("ares", "ares-p", "linucb-1", "linucb-2", "ucb", "d-ucb", "sw-ucb", "random")


def regret_figure(experiment: AresExperiment) -> Figure:
    """Figure 3: regret over the oracle's, PIES with long and short exploration."""
    count = len(experiment.systems)
    figure, grid = plt.subplots(
        count, 1, figsize=(8.4, 3.1 * count + 0.4), squeeze=False, layout="constrained"
    )
    for row, result in zip(grid, experiment.systems, strict=True):
        _bars(row[0], result)
    legend(figure, grid[0][0], 3)
    return figure


def _bars(axes: Axes, result: SystemResult) -> None:
    windows = [s for s in range(11) if pies(s, LONG) in result.regret]
    groups = [
        ("ARES and others", list(_OTHERS), COLOURS[0]),
        ("PIES(s), long exploration as in Figure 3", [pies(s, LONG) for s in windows], COLOURS[2]),
        ("PIES(s), short exploration", [pies(s, SHORT) for s in windows], COLOURS[1]),
    ]
    start = 0
    ticks: list[str] = []
    for label, names, colour in groups:
        at = np.arange(start, start + len(names))
        axes.bar(
            at,
            [result.ratio(name) for name in names],
            yerr=[result.deviation(name) for name in names],
            color=colour,
            ecolor="#666666",
            width=0.75,
            error_kw={"linewidth": 0.8},
            label=label,
        )
        short = [name.replace("pies-short-", "").replace("pies-", "") for name in names]
        ticks += ["ARES" if name == "ares" else name for name in short]
        start += len(names)
    axes.axhline(1.0, color="#999999", linewidth=0.8, linestyle=":")
    axes.set_xticks(range(start), ticks, rotation=50, ha="right", fontsize=7)
    axes.set_ylabel("regret over the oracle's")
    axes.set_title(f"system {result.system}", fontsize=9)
    axes.grid(visible=False, axis="x")


def windows_figure(experiment: AresExperiment) -> Figure:
    """Figures 4 and 5: windows and exploration terms over rounds."""
    count = len(experiment.systems)
    figure, grid = plt.subplots(
        count, 2, figsize=(8.4, 2.7 * count + 0.5), squeeze=False, layout="constrained"
    )
    for (windows, bonus), result in zip(grid, experiment.systems, strict=True):
        for arm, colour in enumerate(COLOURS[:3]):
            label = f"arm {arm + 1}"
            windows.plot(
                result.window_rounds, result.windows[:, arm], color=colour, linewidth=1, label=label
            )
            bonus.plot(result.bonus_rounds, result.bonus[:, arm], color=colour, linewidth=1)
        windows.set_ylabel("mean window")
        bonus.set_ylabel("mean exploration term")
        bonus.set_ylim(0, 0.2)
        for axes in (windows, bonus):
            axes.set_xlabel("rounds")
            axes.set_title(f"system {result.system}", fontsize=9)
    legend(figure, grid[0][0], 3)
    return figure
