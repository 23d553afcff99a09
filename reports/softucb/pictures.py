"""Figures 1 and 2 of the paper drawn again, and regret over the width."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from gnomon.report.canvas import COLOURS, legend, panels

from .experiment import SoftucbExperiment

_STYLES: dict[str, dict[str, Any]] = {
    "linucb": {"color": COLOURS[0], "label": "LinUCB, equation (5)"},
    "lints": {"color": COLOURS[1], "label": "LinTS"},
    "epsilon-greedy": {"color": COLOURS[2], "label": "ε-greedy 0.05"},
    "softucb-offline": {"color": COLOURS[3], "label": "SoftUCB offline"},
    "softucb-online": {"color": COLOURS[4], "label": "SoftUCB online"},
    "softucb-online-fast": {"color": COLOURS[4], "linestyle": "--",
                            "label": "SoftUCB online, fast"},
    "linucb-tuned": {"color": COLOURS[0], "linestyle": "--",
                     "label": "LinUCB, best width in hindsight"},
    "uniform": {"color": "#999999", "linestyle": ":", "linewidth": 1.0, "label": "uniform"},
}  # fmt: skip
_LEARNING = set(_STYLES) - {"uniform"}
_TITLES = {
    "small": "K = 20, d = 5, noise 0.1",
    "mid": "K = 50, d = 10, noise 0.1",
    "synthetic-d10": "Figure 2a: d = 10, noise 0.5",
    "synthetic-d20": "Figure 2b: d = 20, noise 0.5",
    "movielens": "Figure 2c: MovieLens",
    "jester": "Figure 2d: Jester",
}


def regret_figure(experiment: SoftucbExperiment) -> Figure:
    count = len(experiment.comparisons)
    columns = min(count, 3)
    rows = -(-count // columns)
    figure, grid = panels(rows, columns, size=(3.3 * columns + 0.6, 2.7 * rows + 0.9))
    for axes, comparison in zip(grid.flat, experiment.comparisons, strict=False):
        name, played = comparison.setup.name, comparison.played
        for policy, style in _STYLES.items():
            axes.plot(comparison.stops, played[policy].regret, **{"linewidth": 1.3, **style})
        most = max(float(each.regret[-1]) for policy, each in played.items() if policy in _LEARNING)
        axes.set_ylim(0, 1.1 * most)
        data = experiment.data.get(name)
        axes.set_title(_TITLES[name] + (f" ({data})" if data else ""), fontsize=9)
        axes.set_xlabel("rounds")
    for axes in list(grid.flat)[count:]:
        axes.set_visible(False)
    for row in grid:
        row[0].set_ylabel("regret")
    legend(figure, grid[0][0], 4 if columns > 1 else 2)
    return figure


def training_figure(experiment: SoftucbExperiment) -> Figure:
    """Figure 1: width and regret over iterations, width over rounds."""
    figure, ((widths, regrets, online),) = panels(1, 3, size=(9.6, 3.3))
    for colour, each in zip(("#666666", *COLOURS), experiment.comparisons, strict=False):
        iterations, regret = np.arange(len(each.beta_by_iteration)), each.regret_by_iteration
        label = _TITLES[each.setup.name]
        widths.plot(iterations, each.beta_by_iteration, color=colour, label=label)
        regrets.plot(iterations[1:], regret / regret[0], color=colour)
        online.plot(each.stops / each.setup.rounds, each.online_beta, color=colour)
    iteration = "iteration of offline training"
    widths.set(ylabel="width β, mean of environments", xlabel=iteration)
    regrets.set(ylabel="R(T) over that of the first iteration", xlabel=iteration)
    online.set(ylabel="width β online", xlabel="share of the rounds")
    for axes in (widths, regrets, online):
        axes.set_ylim(bottom=0)
    legend(figure, widths, 3)
    return figure


def width_figure(experiment: SoftucbExperiment) -> Figure:
    figure, ((axes,),) = panels(size=(5.6, 3.6))
    cases = experiment.sweeps.groupby(["d", "rounds"], sort=False)
    for colour, ((d, rounds), sweep) in zip(COLOURS, cases, strict=False):
        axes.plot(sweep["beta"], sweep["regret"], marker="o", markersize=3, color=colour,
                  label=f"d = {d}, T = {rounds}")  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="fixed width β of SoftUCB",
             ylabel="R(T), noise 0.1")  # fmt: skip
    axes.legend(frameon=False)
    return figure
