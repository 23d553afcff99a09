"""Figures 1 and 2 of the paper drawn again, and regret over the width."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gnomon.report.canvas import COLOURS, legend

from .compare import Comparison
from .experiment import SoftucbExperiment

_STYLES: dict[str, dict[str, Any]] = {
    "uniform": {"color": "#999999", "linestyle": ":"},
    "linucb": {"color": COLOURS[0], "label": "LinUCB, equation (5)"},
    "lints": {"color": COLOURS[1], "label": "LinTS"},
    "epsilon-greedy": {"color": COLOURS[2], "label": "ε-greedy 0.05"},
    "softucb-offline": {"color": COLOURS[3], "label": "SoftUCB offline"},
    "softucb-online": {"color": COLOURS[4], "label": "SoftUCB online"},
    "softucb-online-fast": {
        "color": COLOURS[4],
        "linestyle": "--",
        "label": "SoftUCB online, fast",
    },
    "linucb-tuned": {
        "color": COLOURS[0],
        "linestyle": "--",
        "label": "LinUCB, best width in hindsight",
    },
}
_TITLES = {
    "small": "K = 20, d = 5, noise 0.1",
    "mid": "K = 50, d = 10, noise 0.1",
    "synthetic-d10": "Figure 2a: d = 10, noise 0.5",
    "synthetic-d20": "Figure 2b: d = 20, noise 0.5",
    "movielens": "Figure 2c: MovieLens",
    "jester": "Figure 2d: Jester",
}


def regret_figure(experiment: SoftucbExperiment) -> Figure:
    """Regret over rounds in every setup."""
    count = len(experiment.comparisons)
    columns = min(count, 3)
    figure, grid = plt.subplots(
        -(-count // columns),
        columns,
        figsize=(3.3 * columns + 0.6, 2.7 * -(-count // columns) + 0.9),
        squeeze=False,
        layout="constrained",
    )
    for axes, comparison in zip(grid.flat, experiment.comparisons, strict=False):
        _curves(axes, comparison, experiment)
    for axes in list(grid.flat)[count:]:
        axes.set_visible(False)
    for row in grid:
        row[0].set_ylabel("regret")
    legend(figure, grid[0][0], 4 if columns > 1 else 2)
    return figure


def _curves(axes: Axes, comparison: Comparison, experiment: SoftucbExperiment) -> None:
    most = 0.0
    for name, style in _STYLES.items():
        if name == "uniform":
            continue
        curve = comparison.played[name].regret
        axes.plot(comparison.stops, curve, linewidth=1.3, **style)
        most = max(most, float(curve[-1]))
    uniform = comparison.played["uniform"].regret
    axes.plot(comparison.stops, uniform, linewidth=1.0, label="uniform", **_STYLES["uniform"])
    axes.set_ylim(0, 1.1 * most)
    data = experiment.data.get(comparison.setup.name)
    axes.set_title(_TITLES[comparison.setup.name] + (f" ({data})" if data else ""), fontsize=9)
    axes.set_xlabel("rounds")


def training_figure(experiment: SoftucbExperiment) -> Figure:
    """Figure 1: width and regret over iterations, width over rounds."""
    figure, (widths, regrets, online) = plt.subplots(1, 3, figsize=(9.6, 3.3), layout="constrained")
    colours = ("#666666", *COLOURS)
    for colour, comparison in zip(colours, experiment.comparisons, strict=False):
        label = _TITLES[comparison.setup.name]
        iterations = np.arange(len(comparison.beta_by_iteration))
        widths.plot(iterations, comparison.beta_by_iteration, color=colour, label=label)
        regret = comparison.regret_by_iteration
        regrets.plot(iterations[1:], regret / regret[0], color=colour)
        share = comparison.stops / comparison.setup.rounds
        online.plot(share, comparison.online_beta, color=colour)
    widths.set(ylabel="width β, mean of environments", xlabel="iteration of offline training")
    regrets.set(
        ylabel="R(T) over that of the first iteration", xlabel="iteration of offline training"
    )
    online.set(ylabel="width β online", xlabel="share of the rounds")
    for axes in (widths, regrets, online):
        axes.set_ylim(bottom=0)
    legend(figure, widths, 3)
    return figure


def width_figure(experiment: SoftucbExperiment) -> Figure:
    """Regret over a fixed width."""
    figure, axes = plt.subplots(figsize=(5.6, 3.6), layout="constrained")
    cases = experiment.sweeps.groupby(["d", "rounds"], sort=False)
    for colour, ((d, rounds), sweep) in zip(COLOURS, cases, strict=False):
        axes.plot(
            sweep["beta"],
            sweep["regret"],
            marker="o",
            markersize=3,
            color=colour,
            label=f"d = {d}, T = {rounds}",
        )
    axes.set(
        xscale="log", yscale="log", xlabel="fixed width β of SoftUCB", ylabel="R(T), noise 0.1"
    )
    axes.legend(frameon=False)
    return figure
