"""The experiment ``bento-epsilon-greedy`` as a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np

from gnomon.learn.epsilon_greedy import bento_criteria
from gnomon.report.canvas import COLOURS, render
from gnomon.report.learners._report import LearnerReport, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from gnomon.learn.epsilon_greedy import BentoExperiment, Instance

_ABOUT = (
    (
        "Bento, Ioannidis, Muthukrishnan and Yan, *A Time and Space Efficient Algorithm for"
        " Contextual Linear Bandits* (arXiv 1207.3024). The text of the paper that this was written"
        " from ends inside the proof of theorem 4.2: **no experimental number of the paper was"
        " available**, so nothing here is compared with one. Published are the algorithm, the bound"
        " and the rate O(log T). Environments, sizes and limits are ours."
    ),
    (
        "Contexts: the seven nonzero corners of a cube, of length 1, alike likely; six arms with"
        " normal weights of length 1; normal noise of 0.1. rho is the mean regret of one step with"
        " any arm, and p rho (1 + ln(T / p)) is what exploration alone must cost. The criteria A9"
        " and A10, equal choices with lazy solves and no update by an exploited step, are unit"
        " tests; A11 is the fixed-point table."
    ),
    (
        "To be plain: **a well-tuned LinUCB has far lower regret** on these problems. What this"
        " algorithm offers is the price of a step: an exploited one is K inner products, nothing is"
        " learned in it, and a matrix is factored only after the rare explored ones."
    ),
)


def bento_report(experiment: BentoExperiment, *more: Table) -> LearnerReport:
    """Page, tables and figures; further tables come last."""
    name, size = "bento-epsilon-greedy", experiment.size.name
    figures = {
        "regret": ("Regret over ln t", render(lambda: _regret(experiment))),
        "baselines": ("Beside other learners", render(lambda: _baselines(experiment))),
    }
    tables = [_baseline_table(experiment)]
    if experiment.size.full:
        tables += [_sweep_table(experiment), _skew_table(experiment), _scaling_table(experiment)]
    return LearnerReport(
        name=name,
        title="Contextual epsilon-greedy",
        command=f"gnomon experiment {name} --size {size}",
        about=_ABOUT,
        criteria=bento_criteria(experiment),
        tables=(*tables, *more),
        figures=figures,
    )


def _points(count: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.unique(np.geomspace(1, count, 300).astype(np.int64))


def _regret(experiment: BentoExperiment) -> Figure:
    wide = bool(experiment.sweep)
    figure, grid = plt.subplots(
        1,
        2 if wide else 1,
        figsize=(8.0 if wide else 5.0, 3.6),
        layout="constrained",
        squeeze=False,
    )
    _instances(grid[0, 0], experiment)
    if wide:
        _sweep(grid[0, 1], experiment)
    return figure


def _instances(axes: Axes, experiment: BentoExperiment) -> None:
    for index, each in enumerate(experiment.instances):
        at = _points(each.rounds)
        scale = each.p * each.uniform_regret
        label = "bandits, mean of their runs" if index == 0 else None
        axes.plot(at, each.curve[at - 1] / scale, color=COLOURS[2], linewidth=0.8, label=label)
    first = experiment.instances[0]
    at = _points(first.rounds)
    predicted = np.where(at < first.p, at / first.p, 1 + np.log(np.maximum(at / first.p, 1)))
    axes.plot(at, predicted, color=COLOURS[0], linestyle="--", label="predicted, exploration alone")
    axes.set_xscale("log")
    axes.set_xlabel("t")
    axes.set_ylabel("R(t) / (p rho)")
    axes.set_title(f"p = {first.p}")
    axes.legend(frameon=False)


def _sweep(axes: Axes, experiment: BentoExperiment) -> None:
    rows = [row for row in experiment.sweep if row.seed == 0]
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.9, len(rows)))
    for row, colour in zip(rows, colours, strict=True):
        at = _points(row.rounds)
        axes.plot(at, row.curve[at - 1], color=colour, label=f"p = {row.p}")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(bottom=10)
    axes.set_xlabel("t")
    axes.set_ylabel("R(t)")
    axes.set_title("one bandit with doubled rewards")
    axes.legend(frameon=False)


def _baselines(experiment: BentoExperiment) -> Figure:
    figure, axes = plt.subplots(figsize=(7.0, 4.2), layout="constrained")
    rows = [row for row in experiment.baselines if row.noise == "normal"]
    rows.sort(key=lambda row: row.regret)
    colours = plt.get_cmap("turbo")(np.linspace(0.05, 0.95, len(rows)))
    for row, colour in zip(rows, colours, strict=True):
        at = _points(len(row.curve))
        line = "-" if row.algorithm.startswith("epsilon") else "--"
        axes.plot(at, row.curve[at - 1], line, color=colour, label=row.algorithm)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(left=10)
    axes.set_ylim(bottom=3)
    axes.set_xlabel("t")
    axes.set_ylabel("R(t), mean of 10 runs")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    return figure


# Mean regret and standard error of a prototype over other bandits, T = 20,000.
_BEFORE = {
    ("epsilon-greedy, p = 30", "normal"): "316 (72)",
    ("epsilon-greedy, p = 100", "normal"): "476 (44)",
    ("epsilon-greedy, p = 300", "normal"): "1084 (60)",
    ("epsilon-greedy, p = 100, ridge 1", "normal"): "427 (24)",
    ("epsilon-greedy, p = 300, ridge 1", "normal"): "1041 (50)",
    ("constant epsilon = 0.05", "normal"): "826 (60)",
    ("constant epsilon = 0.1", "normal"): "1428 (83)",
    ("uniform", "normal"): "13183 (660)",
    ("disjoint LinUCB, alpha = 1", "normal"): "39.9 (2.1)",
    ("disjoint LinUCB, alpha = 0.3", "normal"): "796 (365)",
    ("epsilon-greedy, p = 30", "double"): "438 (90)",
    ("epsilon-greedy, p = 100", "double"): "592 (45)",
    ("epsilon-greedy, p = 300", "double"): "1075 (55)",
    ("epsilon-greedy, p = 100, ridge 1", "double"): "539 (42)",
    ("epsilon-greedy, p = 300, ridge 1", "double"): "1049 (49)",
    ("constant epsilon = 0.05", "double"): "910 (50)",
    ("constant epsilon = 0.1", "double"): "1529 (68)",
    ("uniform", "double"): "13205 (673)",
    ("disjoint LinUCB, alpha = 1", "double"): "106 (31)",
    ("disjoint LinUCB, alpha = 0.3", "double"): "737 (162)",
}


def _baseline_table(experiment: BentoExperiment) -> Table:
    return Table(
        name="baselines",
        title="Learners by regret",
        columns=("noise", "algorithm", "regret", "standard_error", "before"),
        rows=tuple(
            (
                row.noise,
                row.algorithm,
                f"{row.regret:.1f}",
                f"{row.error:.1f}",
                _BEFORE.get((row.algorithm, row.noise), ""),
            )
            for row in sorted(experiment.baselines, key=lambda row: (row.noise, row.regret))
        ),
        about="R(T) at T = 20,000, mean of two runs on each of five bandits. Before: the prototype"
        " on five other bandits, its standard error in brackets.",
    )


# R(T) and slope / (p rho) of a prototype, by p; bandits drawn from the same seeds in another order.
_SWEEP_BEFORE = {
    12: "5725, 3373, 5656; 144, 81, 227",
    30: "2936, 2584, 3273; 26, 23, 48",
    100: "2348, 2208, 1935; 5.5, 4.4, 6.8",
    300: "2625, 3652, 2426; 0.99, 1.89, 2.06",
    1000: "7260, 7662, 5028; 0.99, 1.00, 1.09",
    3000: "17440, 18367, 11558; 0.98, 0.99, 0.99",
}


def _sweep_table(experiment: BentoExperiment) -> Table:
    by_p: dict[int, list[Instance]] = {}
    for row in experiment.sweep:
        by_p.setdefault(row.p, []).append(row)
    return Table(
        name="sweep",
        title="How much to explore",
        columns=("p", "regret", "slope_over_p_rho", "before"),
        rows=tuple(
            (
                str(p),
                ", ".join(f"{each.regret:.0f}" for each in rows),
                ", ".join(f"{each.slope_ratio:.2f}" for each in rows),
                _SWEEP_BEFORE[p],
            )
            for p, rows in by_p.items()
        ),
        about="Doubled rewards, T = 100,000, three bandits of 10 runs. Too small a p is not"
        " logarithmic within the horizon (slope far above p rho); a large one is a clean line that"
        " lies higher than it must.",
    )


def _skew_table(experiment: BentoExperiment) -> Table:
    rows = experiment.skewed
    return Table(
        name="skew",
        title="Contexts of which one is rare",
        columns=("inverse_odds", "p", "exploited_over_explored_regret", "bandits_without"),
        rows=tuple(
            (str(row.inverse_odds), str(row.p), f"{row.ratio:.3f}", str(row.without))
            for row in rows
        ),
        about="Two contexts in the plane, one with probability 1 / I; K = 4, T = 100,000, three"
        " runs on each of 20 bandits; the last column counts those whose exploited steps give less"
        " than 1 % of their regret.",
    )


def _scaling_table(experiment: BentoExperiment) -> Table:
    before = {(3, 6): "883, 833", (5, 6): "856, 751", (8, 6): "889, 551", (8, 12): "1802, 1274"}
    return Table(
        name="scaling",
        title="More dimensions and arms",
        columns=("d", "arms", "regret", "predicted_exploration", "before"),
        rows=tuple(
            (
                str(row.dimensions),
                str(row.arms),
                f"{row.regret:.0f}",
                f"{row.predicted:.0f}",
                before[row.dimensions, row.arms],
            )
            for row in experiment.scaling
        ),
        about="The paper's example: components 1 with probability 1/2, weights uniform in 0 .. 1"
        " and of length 1; p = 100 K, T = 100,000, 10 bandits. What lies above the prediction is"
        " exploited regret.",
    )
