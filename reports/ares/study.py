"""``gnomon experiment ares``: Figures 3 to 5 of the paper, and acceptance criteria."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gnomon.base.frames import across, frame, worded
from gnomon.report.canvas import COLOURS, legend
from gnomon.report.criteria import criteria_frame, criteria_json, criteria_table, summary
from gnomon.report.study import StudyReport, study_command

from .criteria import ares_criteria
from .policies import LONG, SHORT, pies
from .runs import EXTENTS, AresExperiment, SystemResult, run_ares

ENOUGH = 1.05
"""Regret over the oracle's at which a window is long enough."""
STILL = 0.1
"""Spectral radius below which a system has next to no memory."""


def ares_report(experiment: AresExperiment) -> StudyReport:
    """Everything that is written of the results."""
    criteria = ares_criteria(experiment)
    regret = _regret(experiment)
    facts: dict[str, Any] = {
        "extent": experiment.extent,
        "summary": summary(criteria),
        "criteria": criteria_table(criteria),
        "systems": [each.system for each in experiment.systems],
        "regret": _regret_of_policies(regret),
        "full": experiment.full,
        **_order(regret.pivot_table(index="policy", columns="system", values="ratio", sort=False)),
        "late": {each.system: each.late_windows for each in experiment.systems},
        "bonus_least": min(float(each.bonus[-1].min()) for each in experiment.systems),
        "bonus_most": max(float(each.bonus[-1].max()) for each in experiment.systems),
    }
    tables = {
        "criteria": criteria_frame(criteria),
        "regret": worded(regret, dict.fromkeys(("regret", "ratio", "ratio_std"), ".4f")),
        "windows": _windows(experiment),
    }
    if experiment.full:
        many = experiment.many.reset_index(names="system")
        many["system"] += 1
        facts |= _of_studies(experiment, many)
        facts["blind"] = experiment.systems[0].ratio("random")
        bounds = {"bound": "g", "window": ".4f", "ratio": ".4f"}
        tables |= {
            "constants": worded(experiment.constants, bounds),
            "systems": worded(many, dict.fromkeys(map(str, experiment.many), ".4f")),
            "true_windows": worded(experiment.windows, {"ratio": ".4f"}),
        }
    figures = {"regret": regret_figure, "windows": windows_figure}
    return StudyReport(
        Path(__file__).parent,
        "ares",
        facts,
        tables,
        {name: partial(draw, experiment) for name, draw in figures.items()},
        {"criteria": criteria_json(criteria)},
    )


def _order(ratios: pd.DataFrame) -> dict[str, Any]:
    """Systems on which the published order holds, and on which one window is enough."""
    long = [name for name in ratios.index if name.startswith("pies-") and "short" not in name]

    def below(low: str, *high: str) -> list[int]:
        lower = ratios.loc[list(high)].gt(ratios.loc[low]).all()
        return [int(system) for system in ratios.columns[lower]]

    return {
        "published": below("ares", "ucb", *long),
        "fixed": below(pies(2, SHORT), "ares"),
        "linucb": below("linucb-2", "ares"),
        "averaged": below("ares-p", "ares"),
        "long": LONG,
    }


def _of_studies(experiment: AresExperiment, many: pd.DataFrame) -> dict[str, Any]:
    constants = experiment.constants.sort_values("bound")
    still: Any = many[many["radius"] < STILL]
    windows = experiment.windows.pivot_table("ratio", "system", "window")
    enough = windows.le(ENOUGH)
    last, before = windows.columns[-1], windows.columns[-2]
    return {
        "constants": experiment.constants,
        "shrink": constants["window"].is_monotonic_decreasing,
        "lose": constants["ratio"].is_monotonic_increasing,
        "at_one": constants.set_index("bound")["ratio"][1.0],
        "many": many,
        "still": list(still["system"]),
        "still_limit": STILL,
        "still_most": max(still.drop(columns=["system", "radius"]).max(axis=None), 0.0),
        "windows": windows.rename(columns="s = {}".format).reset_index(),
        "enough": list(enough[enough.any(axis=1)].idxmax(axis=1)),
        "never": list(windows.index[~enough.any(axis=1)]),
        "enough_limit": ENOUGH,
        "late_loss": list(windows.index[windows[last] > windows[before]]),
        "longest": last,
        "shorter": before,
    }


def _regret(experiment: AresExperiment) -> pd.DataFrame:
    """Regret over the oracle's of every policy on every system."""
    extent = experiment.extent
    rows = [
        (result.system, name, extent.runs, extent.rounds, regret.mean(), result.ratio(name),
         result.deviation(name))
        for result in experiment.systems
        for name, regret in result.regret.items()
    ]  # fmt: skip
    columns = ("system", "policy", "runs", "rounds", "regret", "ratio", "ratio_std")
    return pd.DataFrame(rows, columns=columns)


def _regret_of_policies(regret: pd.DataFrame) -> pd.DataFrame:
    """A column of ratios, with their deviations, for each system."""
    texts = worded(regret, {"ratio": ".3f", "ratio_std": ".3f", "system": ""})
    texts["shown"] = texts["ratio"] + " (" + texts["ratio_std"] + ")"
    texts["system"] = "system " + texts["system"]
    return across(texts, "policy", "system", "shown")


def _windows(experiment: AresExperiment) -> pd.DataFrame:
    """Figures 4 and 5: mean window and exploration term of each arm."""
    rows = [
        (result.system, quantity, int(t), arm + 1, f"{value:.5g}")
        for result in experiment.systems
        for quantity, at, values in (
            ("window", result.window_rounds, result.windows),
            ("bonus", result.bonus_rounds, result.bonus),
        )
        for t, row in zip(at, values, strict=True)
        for arm, value in enumerate(row)
    ]
    return frame(("system", "quantity", "round", "arm", "mean"), rows)


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


main = study_command(
    "ares",
    EXTENTS,
    lambda extent, progress, keeps: ares_report(run_ares(extent, progress, keeps.learning)),
)
