"""``gnomon experiment ek-ucb``: regret and time, exactness, number formats, steps on machines."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from gnomon.base.frames import readable, rows_of, worded
from gnomon.cli.study import study_command
from gnomon.content.reports.embedded_learners.step_costs import lossless_bits
from gnomon.report.canvas import COLOURS, legend, panels
from gnomon.report.criteria import criteria_json, findings, tally
from gnomon.report.study import Keeps, Steps, StudyReport

from .criteria import PAIR, Found, kernel_criteria
from .experiment import SIZES, SQUARES, KernelExperiment, run_kernel
from .formats import MOST_ANCHORS, run_formats, run_machines

NAME = "ek-ucb"
_FAMILIES = dict(zip(("K-UCB", "CBBKB", "EK-UCB", "CBKB", "SupK-UCB"), COLOURS, strict=True))
_LINES, _MARKERS = ("-", "--", "-.", ":", "-", "--"), ("o", "s", "^", "D", "v", "X")
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
            (each, *(rows_of(found.of(each, kind, 10.0, 500))[0] for kind in PAIR[::-1]))
            for each in SQUARES
        ],
        "simpler": [_simpler(own) for _, own in experiment.results.groupby("environment")],
        "most_anchors": MOST_ANCHORS,
        "seeds": 20 if full else 2,
        "rounds": 1000 if full else 200,
        "lossless": lossless_bits(
            formats.query("variant == 'optimized'").set_index("fraction_bits")["ratio"]
        ),
    }
    answer = {"criteria": criteria_json(criteria)}
    return StudyReport(
        Path(__file__).parent, NAME, facts, tables, {"regret": _figure}, answer, f"{NAME}-",
        experiment,
    )  # fmt: skip


def _simpler(results: pd.DataFrame) -> dict[str, Any]:
    """Return an environment's longest runs: learners without a kernel and the best one with."""
    longest: Any = results[results["rounds"] == results["rounds"].max()]
    keys = ["kind", "regularisation", "settings"]
    means = longest.groupby(keys, sort=False)["regret"].mean().reset_index()
    plain = means["kind"].isin(["LinUCB", "UCB1"])
    best = means[~plain].sort_values("regret", kind="stable").iloc[0]
    below = means[plain & (means["regret"] < best["regret"])].sort_values("regret")
    return {
        "environment": longest["environment"].iloc[0],
        "rounds": int(longest["rounds"].iloc[0]),
        "best": (best["kind"], float(best["regret"])),
        "below": [(each.kind, float(each.regret)) for each in rows_of(below)],
    }


def _runs(results: pd.DataFrame) -> pd.DataFrame:
    """Return means over the seeds, cells as text."""
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
    """Draw regret over rounds, seed 0, and over seconds, means, of the runs with lambda 10."""
    results = experiment.results
    longest = results.groupby("environment")["rounds"].max()
    figure, (curves, ends) = panels(2, 3, size=(10.0, 6.2))
    usual = (results["regularisation"] == 10.0) | (results["kind"] == "LinUCB")
    last = results["rounds"] == results["environment"].map(longest)
    shown = results[usual & last]
    styles: dict[str, tuple[str, str, str]] = {}
    for over, end, environment in zip(curves, ends, ("bump", *SQUARES), strict=True):
        here = shown[shown["environment"] == environment]
        for each in rows_of(here[here["seed"] == 0]):
            label = f"{each.kind}{', ' if each.settings else ''}{each.settings}"
            color, line, marker = styles.setdefault(label, _style(label, styles))
            step = max(1, len(each.curve) // 200)
            over.plot(
                np.arange(1, len(each.curve) + 1)[step - 1 :: step], each.curve[step - 1 :: step],
                line, color=color, label=label, marker=marker, markevery=(0.1, 0.2), markersize=4,
            )  # fmt: skip
            alike = here.query("kind == @each.kind and settings == @each.settings")
            end.plot(alike["seconds"].mean(), alike["regret"].mean(), marker, color=color)
        over.set(title=environment, xlabel="rounds")
        end.set(xscale="log", xlabel="seconds of the processor")
        end.xaxis.set_minor_formatter(NullFormatter())
    curves[0].set_ylabel("R")
    ends[0].set_ylabel("R at the end")
    legend(figure, curves, 3, "outside lower center", fontsize=8)
    return figure


def _style(label: str, known: Mapping[str, tuple[str, str, str]]) -> tuple[str, str, str]:
    """Return a color for each family of learners; line and marker for each member."""
    color = _FAMILIES.get(label.replace(",", " ").split()[0], "#7F7F7F")
    number = sum(each[0] == color for each in known.values())
    return color, _LINES[number % len(_LINES)], _MARKERS[number % len(_MARKERS)]


def _run(size: str, progress: Steps, keeps: Keeps) -> StudyReport:
    result = run_kernel(size, progress, keeps.learning)
    formats = run_formats(full=size == "full", keep=keeps.measuring)
    progress("number formats")
    machines = run_machines(full=size == "full", keep=keeps.measuring)
    progress("machines")
    return kernel_report(result, formats, machines)


main = study_command(_run, {name: name for name in SIZES}, independent=True)
