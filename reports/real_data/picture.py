"""Figure of the study: regret of each learner, a panel per data set."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from gnomon.content.reports.learners.points import mean_of
from gnomon.report.canvas import COLOURS, panels

from .summary import Result


def regret_figure(results: Sequence[Result]) -> Figure:
    """Draw regret in fixed point with its 95 % interval; stand-ins have gray marks."""
    count = len(results)
    figure, (row,) = panels(1, count, size=(2.1 + 1.9 * count, 2.2))
    for axes, result in zip(row, results, strict=True):
        color = COLOURS[0] if result.data.title == result.data.name else "#888888"
        for at, played in enumerate(result.played.values()):
            regret = mean_of(played.regrets("fixed").tolist())
            axes.plot([regret.low, regret.high], [at, at], color=color, linewidth=1.5)
            axes.plot(regret.value, at, "o", color=color, markersize=4)
        axes.axvline(1.0, color="0.5", linestyle=":", linewidth=1)
        axes.set_xlim(0, 1.15)
        axes.set_ylim(len(result.played) - 0.5, -0.5)
        first = axes is row[0]
        axes.set_yticks(range(len(result.played)), list(result.played) if first else [])
        axes.set_title(result.data.title, fontsize=9)
        axes.set_xlabel("regret", fontsize=8)
    return figure
