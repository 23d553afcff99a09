"""``gnomon experiment ares``: Figures 3 to 5 of the paper, and acceptance criteria (section 5)."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from gnomon.base.frames import across, frame, rows_of, worded
from gnomon.cli.study import study_command
from gnomon.content.reports.learners.orders import LEVEL, holm, sign_flips
from gnomon.report import criteria as told
from gnomon.report.canvas import COLOURS, legend, panels
from gnomon.report.criteria import CriteriaChecker, Criterion
from gnomon.report.study import StudyReport

from .policies import LONG, SHORT, pies
from .runs import COMPARED, EXTENTS, AresExperiment, SystemResult, run_ares

ENOUGH = 1.05
"""Regret over the oracle's at which a window is long enough."""
STILL = 0.1
"""Spectral radius below which a system has next to no memory."""
_PLAYED = {"random": "random", "ucb": "UCB", "ares": "ARES", "ares_p": "ARES-P",
           "pies_short": "PIES short"}  # fmt: skip
"""On many systems, with their names on the page."""
_OTHERS = ("ares", "ares-p", "linucb-1", "linucb-2", "ucb", "d-ucb", "sw-ucb", "random")


def ares_criteria(experiment: AresExperiment) -> tuple[Criterion, ...]:
    """Return the measured value of each criterion of ``criteria.yaml`` that this size covers."""
    judge = CriteriaChecker(Path(__file__).with_name("criteria.yaml"))
    found: list[Criterion] = []
    for result in experiment.systems:
        found += _of_full(judge, result) if experiment.full else _of_small(judge, result)
    if experiment.full:
        found += _of_studies(judge, experiment)
    found += [judge.number(name, value) for name, value in experiment.theory.items()]
    return tuple(found)


def _of_small(judge: CriteriaChecker, result: SystemResult) -> Iterator[Criterion]:
    """Check the order of Figure 3 and the regret of ARES."""
    for low, high in pairwise(("oracle", "ares-p", "ares", "ucb", "random")):
        yield _order(judge, "E1 small order", result, low, high)
    best = min((pies(s, LONG) for s in range(4)), key=result.ratio)
    yield _order(judge, "E1 small order", result, "ares", best)
    yield from _ratios(judge, "E1 small", result)


def _of_full(judge: CriteriaChecker, result: SystemResult) -> Iterator[Criterion]:
    """Check Figure 3 in full, the counter-finding, Figures 4 and 5."""
    yield from _ratios(judge, "E1", result)
    by_window = {s: result.ratio(pies(s, LONG)) for s in range(11)}
    best = min(by_window, key=lambda s: by_window[s])
    yield judge.number("E1 window", best, system=result.system)
    for other in (pies(best, LONG), "ucb", "random"):
        yield _order(judge, "E1 order", result, "ares", other)
    late, bonus = result.late_windows, result.bonus
    start, end = (bonus[result.bonus_rounds == t][0] for t in (20, result.bonus_rounds[-1]))
    numbers = {
        "E1 blind": min(abs(by_window[0] / result.ratio(each) - 1) for each in ("random", "ucb")),
        "E1 counter": result.ratio("ares") / result.ratio(pies(2, SHORT)),
        "E2 least": late.min(),
        "E2 most": late.max(),
    }
    if result.system == 16:
        numbers["E2 apart"] = late.max() - late.min()
        numbers["E3 arm"] = late.argmax() == bonus[-1].argmax()
    numbers |= {"E3 least": end.min(), "E3 most": end.max(), "E3 falls": (end / start).max()}
    for name, value in numbers.items():
        yield judge.number(name, float(value), system=result.system)


def _ratios(judge: CriteriaChecker, name: str, result: SystemResult) -> Iterator[Criterion]:
    for policy in judge.keys(name):
        yield judge.number(name, result.ratio(policy), policy, system=result.system, policy=policy)


def _order(
    judge: CriteriaChecker, name: str, result: SystemResult, low: str, high: str
) -> Criterion:
    ratio = result.ratio(high) / result.ratio(low)
    return judge.number(name, ratio, system=result.system, low=low, high=high)


def _of_studies(judge: CriteriaChecker, experiment: AresExperiment) -> Iterator[Criterion]:
    """Check larger constants on system 17, systems 1 to 20, true weights of a window of 5."""
    constants, many = experiment.constants.set_index("bound"), experiment.many
    significant = _significant(many)
    numbers: dict[str, Any] = {
        "E2 rise": constants["window"].sort_index().diff().max(),
        "E2 one": constants["window"][1.0],
        "Sensitivity": constants["ratio"][1.0] / constants["ratio"][0.01],
        "Many systems": int((many["ares_p"] <= many["ares"] + 0.05).sum()),
        "Many systems ucb": significant["ucb"].count("more"),
        "Many systems short": significant["pies_short"].count("more"),
        "Many systems least": many[["random", "ucb", "ares", "ares_p"]].min(axis=None),
    }
    for name, value in numbers.items():
        yield judge.number(name, float(value))
    for each in rows_of(experiment.windows.query("window == 5")):
        yield judge.number("E4", float(each.ratio), system=each.system)


def ares_report(experiment: AresExperiment) -> StudyReport:
    criteria, regret = ares_criteria(experiment), _regret(experiment)
    last = [each.bonus[-1] for each in experiment.systems]
    facts: dict[str, Any] = {
        "experiment": experiment,
        "summary": told.summary(criteria),
        "criteria": told.criteria_table(criteria),
        "regret": _regret_of_policies(regret),
        **_orders(experiment.systems),
        "level": LEVEL,
        "bonus_least": np.min(last),
        "bonus_most": np.max(last),
    }
    tables = {
        "criteria": told.criteria_frame(criteria),
        "regret": worded(regret, dict.fromkeys(("regret", "ratio", "ratio_std"), ".4f")),
        "windows": _windows(experiment),
    }
    if experiment.full:
        many = experiment.many.reset_index(names="system")
        many["system"] += 1
        facts |= _facts_of_studies(experiment, many)
        bounds = {"bound": "g", "window": ".4f", "ratio": ".4f"}
        p_values = {f"{name}_p": ".2g" for name in COMPARED}
        tables |= {
            "constants": worded(experiment.constants, bounds),
            "systems": worded(many, dict.fromkeys(map(str, experiment.many), ".4f") | p_values),
            "true_windows": worded(experiment.windows, {"ratio": ".4f"}),
        }
    figures = {"regret": regret_figure, "windows": windows_figure}
    answer = {"criteria": told.criteria_json(criteria)}
    return StudyReport(
        Path(__file__).parent, "ares", facts, tables, figures, answer, results=experiment,
        packed=("windows",),
    )  # fmt: skip


def _orders(systems: Sequence[SystemResult]) -> dict[str, Any]:
    """Return the systems on which the published order holds, and on which one window is enough.

    A policy is below another if its regret is significantly less. Tests are paired and corrected by
    Holm over all these pairs and systems.
    """
    long = [name for name in systems[0].regret if name.startswith("pies-") and "short" not in name]
    published = [("ares", name) for name in ("ucb", *long)]
    single = {"fixed": (pies(2, SHORT), "ares"), "linucb": ("linucb-2", "ares"),
              "averaged": ("ares-p", "ares")}  # fmt: skip
    pairs = [*published, *single.values()]
    differences = [each.regret[low] - each.regret[high] for each in systems for low, high in pairs]
    p = holm([sign_flips(each) for each in differences])
    is_below = np.array([each.mean() < 0 for each in differences]) & (p <= LEVEL)
    table = pd.DataFrame(is_below.reshape(len(systems), -1), [each.system for each in systems],
                         pd.MultiIndex.from_tuples(pairs))  # fmt: skip

    def below(*which: tuple[str, str]) -> list[int]:
        return [int(system) for system in table.index[table[list(which)].all(axis=1)]]

    return {
        "published": below(*published),
        **{name: below(pair) for name, pair in single.items()},
        "long": LONG,
    }


def _facts_of_studies(experiment: AresExperiment, many: pd.DataFrame) -> dict[str, Any]:
    constants = experiment.constants.sort_values("bound")
    still: Any = many[many["radius"] < STILL]
    windows = experiment.windows.pivot_table("ratio", "system", "window")
    enough = windows.le(ENOUGH)
    before, last = windows.columns[-2:]
    return {
        "shrink": constants["window"].is_monotonic_decreasing,
        "lose": constants["ratio"].is_monotonic_increasing,
        "at_one": constants.set_index("bound")["ratio"][1.0],
        "blind": experiment.systems[0].ratio("random"),
        "many": _shown(many),
        "significant": _significant(many),
        "still": list(still["system"]),
        "still_limit": STILL,
        "still_most": max(still[list(_PLAYED)].max(axis=None), 0.0),
        "windows": windows.rename(columns="s = {}".format).reset_index(),
        "enough": list(enough[enough.any(axis=1)].idxmax(axis=1)),
        "never": list(windows.index[~enough.any(axis=1)]),
        "enough_limit": ENOUGH,
        "late_loss": list(windows.index[windows[last] > windows[before]]),
        "longest": last,
        "shorter": before,
    }


def _shown(many: pd.DataFrame) -> pd.DataFrame:
    """Format ratios with their errors in brackets."""
    texts = worded(many, {"system": ""} | dict.fromkeys(many.columns[1:], ".2f"))
    shown = {title: texts[name] + " (" + texts[f"{name}_error"] + ")"
             for name, title in _PLAYED.items()}  # fmt: skip
    return texts[["system", "radius"]].assign(**shown)


def _significant(many: pd.DataFrame) -> dict[str, list[str]]:
    """Return, by policy and system, whether ARES has ``less`` or ``more`` regret; else empty.

    Tests are paired and corrected by Holm over all policies and systems.
    """
    p = holm(np.concatenate([many[f"{name}_p"] for name in COMPARED])).reshape(len(COMPARED), -1)
    return {
        name: [
            "" if value > LEVEL else "less" if ares < other else "more"
            for value, ares, other in zip(row, many["ares"], many[name], strict=True)
        ]
        for name, row in zip(COMPARED, p.tolist(), strict=True)
    }


def _regret(experiment: AresExperiment) -> pd.DataFrame:
    """Return the regret over the oracle's of every policy on every system."""
    extent = experiment.extent
    return pd.DataFrame(
        {"system": result.system, "policy": name, "runs": extent.runs, "rounds": extent.rounds,
         "regret": regret.mean(), "ratio": result.ratio(name), "ratio_std": result.deviation(name)}
        for result in experiment.systems
        for name, regret in result.regret.items()
    )  # fmt: skip


def _regret_of_policies(regret: pd.DataFrame) -> pd.DataFrame:
    """Return a column of ratios, with their deviations, for each system."""
    texts = worded(regret, {"ratio": ".3f", "ratio_std": ".3f", "system": ""})
    texts["shown"] = texts["ratio"] + " (" + texts["ratio_std"] + ")"
    texts["system"] = "system " + texts["system"]
    return across(texts, "policy", "system", "shown")


def _windows(experiment: AresExperiment) -> pd.DataFrame:
    """Return Figures 4 and 5: mean window and exploration term of each arm."""
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


def regret_figure(experiment: AresExperiment) -> Figure:
    """Draw Figure 3: regret over the oracle's, PIES with long and short exploration."""
    count = len(experiment.systems)
    figure, grid = panels(count, size=(8.4, 3.1 * count + 0.4))
    for (axes,), result in zip(grid, experiment.systems, strict=True):
        windows = [s for s in range(11) if pies(s, LONG) in result.regret]
        long, short = ([pies(s, each) for s in windows] for each in (LONG, SHORT))
        ticks: list[str] = []
        for label, names, colour in (
            ("ARES and others", list(_OTHERS), COLOURS[0]),
            ("PIES(s), long exploration as in Figure 3", long, COLOURS[2]),
            ("PIES(s), short exploration", short, COLOURS[1]),
        ):
            axes.bar(
                np.arange(len(ticks), len(ticks) + len(names)),
                [result.ratio(name) for name in names],
                yerr=[result.deviation(name) for name in names],
                color=colour, ecolor="#666666", width=0.75, error_kw={"linewidth": 0.8},
                label=label,
            )  # fmt: skip
            words = (name.replace("pies-short-", "").replace("pies-", "") for name in names)
            ticks += ["ARES" if name == "ares" else name for name in words]
        axes.axhline(1.0, color="#999999", linewidth=0.8, linestyle=":")
        axes.set_xticks(range(len(ticks)), ticks, rotation=50, ha="right", fontsize=7)
        axes.set_title(f"system {result.system}", fontsize=9)
        axes.set_ylabel("regret over the oracle's")
        axes.grid(visible=False, axis="x")
    legend(figure, grid[0][0], 3)
    return figure


def windows_figure(experiment: AresExperiment) -> Figure:
    """Draw Figures 4 and 5: windows and exploration terms over rounds."""
    count = len(experiment.systems)
    figure, grid = panels(count, 2, size=(8.4, 2.7 * count + 0.5))
    for (windows, bonus), result in zip(grid, experiment.systems, strict=True):
        for arm, colour in enumerate(COLOURS[:3]):
            look = {"color": colour, "linewidth": 1}
            label = f"arm {arm + 1}"
            windows.plot(result.window_rounds, result.windows[:, arm], label=label, **look)
            bonus.plot(result.bonus_rounds, result.bonus[:, arm], **look)
        windows.set(xlabel="rounds", ylabel="mean window")
        bonus.set(xlabel="rounds", ylabel="mean exploration term", ylim=(0, 0.2))
        for axes in (windows, bonus):
            axes.set_title(f"system {result.system}", fontsize=9)
    legend(figure, grid[0][0], 3)
    return figure


main = study_command(
    lambda size, progress, keeps: ares_report(run_ares(size, progress, keeps.learning)),
    EXTENTS,
    independent=True,
)
