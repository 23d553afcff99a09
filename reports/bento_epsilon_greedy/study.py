"""``gnomon experiment bento-epsilon-greedy``: regret, number formats, steps on machines."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gnomon.base.frames import readable, rows_of, worded
from gnomon.base.tables import read_yaml_table
from gnomon.report.canvas import COLOURS
from gnomon.report.criteria import findings, findings_json, tally
from gnomon.report.step_costs import lossless_bits
from gnomon.report.study import Keeps, Steps, StudyReport, study_command

from .criteria import bento_criteria
from .experiment import BASELINE_ROUNDS, SIZES, BentoExperiment, Size, run_bento
from .formats import BITS, LIMITS, P, run_formats, run_machines, within_limits

NAME = "bento-epsilon-greedy"
LINUCB = "disjoint LinUCB, alpha = 1"


def bento_report(
    experiment: BentoExperiment, formats: pd.DataFrame, machines: pd.DataFrame
) -> StudyReport:
    """Everything that is written of the results."""
    criteria, size = bento_criteria(experiment), experiment.size
    regret = experiment.regret("normal")
    tables = {
        "criteria": findings(criteria),
        **_tables(experiment),
        "formats": worded(formats, _FORMATS),
        "machines": machines,
    }
    facts: dict[str, Any] = {
        "size": size,
        "tally": tally(criteria),
        "tables": {name: readable(table) for name, table in tables.items()},
        "rounds": BASELINE_ROUNDS,
        "ours": min(regret[f"epsilon-greedy, p = {p}"] for p in (30, 100, 300)),
        "linucb": regret[LINUCB],
        **(swept(experiment.sweep) if size.full else {}),
        **_steps(machines),
        "p": P,
        "limits": LIMITS,
        "lossless": {
            name: lossless_bits(own["ratio"])
            for name, own in formats.set_index("fraction_bits").groupby("variant", sort=False)
        },
        "within": within_limits(formats),
        "variants": list(BITS),
        "format_bandits": 30 if size.full else 3,
        "format_rounds": 20_000 if size.full else 2_000,
    }
    figures = {"regret": partial(_regret, experiment), "baselines": partial(_baselines, experiment)}
    answer = {"criteria": findings_json(criteria)}
    return StudyReport(Path(__file__).parent, NAME, facts, tables, figures, answer, f"{NAME}-")


_FORMATS = {"d": "", "fraction_bits": "", "unequal_share": ".6f", "regret": ".2f",
            "float_regret": ".2f", "ratio": ".4f"}  # fmt: skip


def swept(sweep: pd.DataFrame) -> dict[str, Any]:
    """Which weights of exploration are too small for the horizon, and which have least regret."""
    slopes, mean = sweep.groupby("p")["slope_ratio"], sweep.groupby("p")["regret"].mean()
    near = (slopes.min() >= 0.9) & (slopes.max() <= 1.1)
    return {
        "steep": list(mean.index[slopes.min() > 2]),
        "straight": list(mean.index[near]),
        "best_p": mean.idxmin(),
        "mean_regret": mean,
    }


def _steps(machines: pd.DataFrame) -> dict[str, float]:
    """Microseconds of steps on the scalar core, optimized variant."""
    own = machines.query("machine == 't13' and variant == 'optimized'").set_index("step")
    us = own["select_us"].astype(float) + own["update_us"].astype(float)
    return {"explored_us": us["explored"], "exploited_us": us["exploited"],
            "solving_us": us["exploited after explored"]}  # fmt: skip


def _tables(experiment: BentoExperiment) -> dict[str, pd.DataFrame]:
    """Cells are text; ``before`` is what a prototype gave."""
    before = read_yaml_table(Path(__file__).with_name("prototype.yaml")).data
    rows = experiment.baselines.drop(columns="curve").sort_values(["noise", "regret"])
    known = [
        before["baselines"].get(noise, {}).get(algorithm, "")
        for noise, algorithm in zip(rows["noise"], rows["algorithm"], strict=True)
    ]
    texts = worded(rows, {"regret": ".1f", "standard_error": ".1f"})
    tables = {"baselines": texts.assign(before=known)}
    if not experiment.size.full:
        return tables
    sweep = worded(experiment.sweep, {"p": "", "regret": ".0f", "slope_ratio": ".2f"})
    joined = sweep.groupby("p", sort=False)[["regret", "slope_ratio"]].agg(", ".join).reset_index()
    tables["sweep"] = joined.rename(columns={"slope_ratio": "slope_over_p_rho"}).assign(
        before=[before["sweep"][p] for p in joined["p"]]
    )
    skewed = worded(experiment.skewed, {"inverse_odds": "", "p": "", "ratio": ".3f", "without": ""})
    names = {"ratio": "exploited_over_explored_regret", "without": "bandits_without"}
    tables["skew"] = skewed.drop(columns="regret").rename(columns=names)
    scaling = worded(experiment.scaling, {"d": "", "arms": "", "regret": ".0f", "predicted": ".0f"})
    tables["scaling"] = scaling.rename(columns={"predicted": "predicted_exploration"}).assign(
        before=[before["scaling"][each] for each in scaling["d"] + ", " + scaling["arms"]]
    )
    return tables


def _points(count: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.unique(np.geomspace(1, count, 300).astype(np.int64))


def _regret(experiment: BentoExperiment) -> Figure:
    wide = not experiment.sweep.empty
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
    for each in rows_of(experiment.instances):
        at = _points(each.rounds)
        scale = each.p * each.uniform_regret
        label = "bandits, mean of their runs" if each.Index == 0 else None
        axes.plot(at, each.curve[at - 1] / scale, color=COLOURS[2], linewidth=0.8, label=label)
    first = rows_of(experiment.instances)[0]
    at = _points(first.rounds)
    predicted = np.where(at < first.p, at / first.p, 1 + np.log(np.maximum(at / first.p, 1)))
    axes.plot(at, predicted, color=COLOURS[0], linestyle="--", label="predicted, exploration alone")
    axes.set(xscale="log", xlabel="t", ylabel="R(t) / (p rho)", title=f"p = {first.p}")
    axes.legend(frameon=False)


def _sweep(axes: Axes, experiment: BentoExperiment) -> None:
    rows = experiment.sweep.query("seed == 0")
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.9, len(rows)))
    for row, colour in zip(rows_of(rows), colours, strict=True):
        at = _points(row.rounds)
        axes.plot(at, row.curve[at - 1], color=colour, label=f"p = {row.p}")
    axes.set(xscale="log", yscale="log")
    axes.set_ylim(bottom=10)
    axes.set(xlabel="t", ylabel="R(t)", title="one bandit with doubled rewards")
    axes.legend(frameon=False)


def _baselines(experiment: BentoExperiment) -> Figure:
    figure, axes = plt.subplots(figsize=(7.0, 4.2), layout="constrained")
    rows = experiment.baselines.query("noise == 'normal'").sort_values("regret")
    colours = plt.get_cmap("turbo")(np.linspace(0.05, 0.95, len(rows)))
    for row, colour in zip(rows_of(rows), colours, strict=True):
        at = _points(len(row.curve))
        line = "-" if row.algorithm.startswith("epsilon") else "--"
        axes.plot(at, row.curve[at - 1], line, color=colour, label=row.algorithm)
    axes.set(xscale="log", yscale="log")
    axes.set_xlim(left=10)
    axes.set_ylim(bottom=3)
    axes.set(xlabel="t", ylabel="R(t), mean of 10 runs")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    return figure


def _run(size: Size, progress: Steps, keeps: Keeps) -> StudyReport:
    result = run_bento(size, progress, keeps.learning)
    formats = run_formats(full=size.full, keep=keeps.measuring)
    progress("number formats")
    machines = run_machines(full=size.full, keep=keeps.measuring)
    progress("machines")
    return bento_report(result, formats, machines)


main = study_command(NAME, SIZES, _run)
