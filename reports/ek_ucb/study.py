"""``gnomon experiment ek-ucb``: regret and time, exactness, number formats, steps on machines."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from gnomon.base.frames import readable, rows_of, worded
from gnomon.report.criteria import findings, findings_json, tally
from gnomon.report.step_costs import lossless_bits
from gnomon.report.study import Keeps, Steps, StudyReport, study_command

from .criteria import PAIR, Found, kernel_criteria
from .experiment import SIZES, SQUARES, KernelExperiment, run_kernel
from .formats import MOST_ANCHORS, run_formats, run_machines

NAME = "ek-ucb"
_FORMATS = {"lambda": "", "fraction_bits": "", "equal_share": ".4f", "regret": ".1f",
            "float_regret": ".1f", "ratio": ".3f", "ratio_error": ".3f",
            "anchors": ".1f"}  # fmt: skip


def kernel_report(
    experiment: KernelExperiment, formats: pd.DataFrame, machines: pd.DataFrame
) -> StudyReport:
    """Everything that is written of the results."""
    full, found = experiment.size == "full", Found(experiment)
    criteria = kernel_criteria(experiment)
    compared = []
    for environment in SQUARES:
        exact, ours = (rows_of(found.of(environment, kind, 10.0, 500))[0] for kind in PAIR)
        compared.append((environment, ours, exact))
    tables = {
        "criteria": findings(criteria),
        "runs": _runs(experiment.results),
        "formats": worded(formats, _FORMATS),
        "machines": machines,
    }
    facts = {
        "size": experiment.size,
        "tally": tally(criteria),
        "tables": {name: readable(table) for name, table in tables.items()},
        "full_runs": len(SIZES["full"]),
        "compared": compared,
        "most_anchors": MOST_ANCHORS,
        "seeds": 20 if full else 2,
        "rounds": 1000 if full else 200,
        "lossless": lossless_bits(
            formats.query("variant == 'optimized'").set_index("fraction_bits")["ratio"]
        ),
    }
    figures = {"regret": partial(_figure, experiment)}
    answer = {"criteria": findings_json(criteria)}
    return StudyReport(Path(__file__).parent, NAME, facts, tables, figures, answer, f"{NAME}-")


def _runs(results: pd.DataFrame) -> pd.DataFrame:
    """Means over the seeds, cells as text."""
    keys = ["environment", "rounds", "kind", "regularisation", "settings"]
    texts = worded(results, {"rounds": "", "anchors": ""})
    runs: Any = texts.groupby(keys, sort=False).agg(
        seeds=("seed", "size"),
        regret=("regret", "mean"),
        authors_regret=("authors_regret", "mean"),
        anchors=("anchors", " / ".join),
        negative_variances=("clamped", "sum"),
        seconds=("seconds", "mean"),
    )
    runs = runs.reset_index().sort_values(keys[:2] + keys[3:4], kind="stable")
    forms = {"regularisation": "g", "seeds": "", "regret": ".1f", "authors_regret": ".0f",
             "negative_variances": "", "seconds": ".2f"}  # fmt: skip
    return worded(runs, forms).rename(columns={"kind": "learner", "regularisation": "lambda"})


def _figure(experiment: KernelExperiment) -> Figure:
    """Regret over rounds, and regret over seconds, of the runs with lambda 10, seed 0."""
    results = experiment.results
    longest = results.groupby("environment")["rounds"].max()
    figure, grid = plt.subplots(2, 3, figsize=(10.0, 6.2), layout="constrained")
    kinds: dict[str, tuple[float, float, float, float]] = {}
    usual = (results["regularisation"] == 10.0) | (results["kind"] == "LinUCB")
    last = results["rounds"] == results["environment"].map(longest)
    shown = results[usual & last & (results["seed"] == 0)]
    for column, environment in enumerate(("bump", *SQUARES)):
        for each in rows_of(shown[shown["environment"] == environment]):
            label = f"{each.kind}{', ' if each.settings else ''}{each.settings}"
            colour = kinds.setdefault(label, plt.get_cmap("tab20")(len(kinds) % 20))
            line = "-" if each.kind.startswith("EK") else "--"
            steps = np.arange(1, len(each.curve) + 1)
            grid[0, column].plot(steps, each.curve, line, color=colour, label=label)
            grid[1, column].plot(each.seconds, each.regret, "o", color=colour)
        grid[0, column].set(title=environment, xlabel="rounds")
        grid[1, column].set_xscale("log")
        grid[1, column].xaxis.set_minor_formatter(NullFormatter())
        grid[1, column].set_xlabel("seconds of the processor")
    grid[0, 0].set_ylabel("R")
    grid[1, 0].set_ylabel("R at the end")
    handles: dict[str, Artist] = {}
    for axes in grid[0]:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure.legend(
        handles=list(handles.values()),
        labels=list(handles),
        loc="outside lower center",
        ncols=3,
        frameon=False,
        fontsize=8,
    )
    return figure


def _run(size: str, progress: Steps, keeps: Keeps) -> StudyReport:
    result = run_kernel(size, progress, keeps.learning)
    formats = run_formats(full=size == "full", keep=keeps.measuring)
    progress("number formats")
    machines = run_machines(full=size == "full", keep=keeps.measuring)
    progress("machines")
    return kernel_report(result, formats, machines)


main = study_command(NAME, {name: name for name in SIZES}, _run)
