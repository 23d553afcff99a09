"""``gnomon experiment ek-ucb``: regret and time, exactness, number formats, steps on machines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from gnomon.base.frames import readable, rows_of, worded
from gnomon.report.canvas import legend, panels
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
    full, found = experiment.size == "full", Found(experiment.results)
    criteria = kernel_criteria(experiment)
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
        "compared": [
            (
                environment,
                *(rows_of(found.of(environment, kind, 10.0, 500))[0] for kind in PAIR[::-1]),
            )
            for environment in SQUARES
        ],
        "most_anchors": MOST_ANCHORS,
        "seeds": 20 if full else 2,
        "rounds": 1000 if full else 200,
        "lossless": lossless_bits(
            formats.query("variant == 'optimized'").set_index("fraction_bits")["ratio"]
        ),
    }
    answer = {"criteria": findings_json(criteria)}
    return StudyReport(
        Path(__file__).parent, NAME, facts, tables, {"regret": _figure}, answer, f"{NAME}-",
        experiment,
    )  # fmt: skip


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
    figure, (curves, ends) = panels(2, 3, size=(10.0, 6.2))
    kinds: dict[str, tuple[float, float, float, float]] = {}
    usual = (results["regularisation"] == 10.0) | (results["kind"] == "LinUCB")
    last = results["rounds"] == results["environment"].map(longest)
    shown = results[usual & last & (results["seed"] == 0)]
    for over, end, environment in zip(curves, ends, ("bump", *SQUARES), strict=True):
        for each in rows_of(shown[shown["environment"] == environment]):
            label = f"{each.kind}{', ' if each.settings else ''}{each.settings}"
            colour = kinds.setdefault(label, plt.get_cmap("tab20")(len(kinds) % 20))
            line = "-" if each.kind.startswith("EK") else "--"
            over.plot(
                np.arange(1, len(each.curve) + 1), each.curve, line, color=colour, label=label
            )
            end.plot(each.seconds, each.regret, "o", color=colour)
        over.set(title=environment, xlabel="rounds")
        end.set_xscale("log")
        end.xaxis.set_minor_formatter(NullFormatter())
        end.set_xlabel("seconds of the processor")
    curves[0].set_ylabel("R")
    ends[0].set_ylabel("R at the end")
    legend(figure, curves, 3, "outside lower center", fontsize=8)
    return figure


def _run(size: str, progress: Steps, keeps: Keeps) -> StudyReport:
    result = run_kernel(size, progress, keeps.learning)
    formats = run_formats(full=size == "full", keep=keeps.measuring)
    progress("number formats")
    machines = run_machines(full=size == "full", keep=keeps.measuring)
    progress("machines")
    return kernel_report(result, formats, machines)


main = study_command(_run, {name: name for name in SIZES})
