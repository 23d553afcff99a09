"""Average reward over rounds, of Figures 5 and 6."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np

from gnomon.report.canvas import TITLES, VARIANT_STYLES, legend, render, round_axis

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gnomon.learn import LinucbExperiment

# Wide below narrow, as curves lie on each other.
_WIDTHS = {"standard": 6.0, "optimized": 4.0, "corrected": 2.4, "rank-one": 1.0}


def reward_figure(experiment: LinucbExperiment) -> dict[str, bytes]:
    """Average reward of each variant playing alone."""
    return render(lambda: _draw(experiment))


def _draw(experiment: LinucbExperiment) -> Figure:
    names = list(dict.fromkeys(result.case.name for result in experiment.drift))
    laws = list(dict.fromkeys(result.case.law for result in experiment.drift))
    figure, grid = plt.subplots(
        len(names), len(laws), figsize=(8.0, 5.4), squeeze=False, layout="constrained"
    )
    for result in experiment.drift:
        axes = grid[names.index(result.case.name)][laws.index(result.case.law)]
        rounds = np.arange(1, len(result.variants[0].residual) + 1) * result.case.log_every
        for item in result.variants:
            axes.plot(
                rounds,
                item.average_reward,
                linewidth=_WIDTHS[item.variant],
                solid_capstyle="butt",
                **VARIANT_STYLES[item.variant],
            )
        axes.set_title(f"{TITLES[result.case.name]}, {result.case.law} contexts")
        round_axis(axes)
    for row in grid:
        row[0].set_ylabel("average reward so far")
    legend(figure, grid[-1][0], 4)
    return figure
