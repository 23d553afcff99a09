"""``gnomon experiment bento-epsilon-greedy``: regret, number formats, steps on machines.

Its criteria are the acceptance criteria A1 to A8, and E2 of skewed contexts.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gnomon.base.frames import readable, rows_of, worded
from gnomon.base.tables import read_yaml_table
from gnomon.cli.study import study_command
from gnomon.content.reports.embedded_learners.step_costs import lossless_bits
from gnomon.report.canvas import COLOURS, panels
from gnomon.report.criteria import CriteriaChecker, Criterion, criteria_json, findings, span, tally
from gnomon.report.study import Keeps, Steps, StudyReport

from .experiment import BASELINE_ROUNDS, SIZES, BentoExperiment, Size, run_bento
from .formats import BITS, LIMITS, P, run_formats, run_machines, within_limits

NAME = "bento-epsilon-greedy"
LINUCB = "disjoint LinUCB, alpha = 1"
_CROSSING = "Delta_min is the smallest gap ever seen, near 0 where the estimates of two arms cross"
SKIMPY_P = 12
"""Too little exploration for the horizon."""


def bento_criteria(experiment: BentoExperiment) -> tuple[Criterion, ...]:
    judge = CriteriaChecker(Path(__file__).with_name("criteria.yaml"))
    rows = _of_instances(experiment, judge)
    for name, values in experiment.theory.items():
        row = judge.each(name, values.ravel())
        rows.append(row if row.met or name != "4.2 p" else replace(row, remark=_CROSSING))
    if not experiment.doubled.empty:
        rows.append(judge.each("A3 doubled", experiment.doubled["regret_ratio"]))
        rows.append(judge.each("A4 doubled", experiment.doubled["slope_ratio"]))
    rows.append(_baselines(experiment, judge))
    if experiment.size.full:
        sweep = experiment.sweep
        rows.append(judge.each("A7", sweep[sweep["p"] == SKIMPY_P]["slope_ratio"]))
        growth = sweep[sweep["p"] == 300]["growth"]
        rows.append(judge.compare("T scaling", span(growth, ".2f"), met=max(growth) < 2))
        rows += _skew(experiment, judge)
    return tuple(rows)


def _of_instances(experiment: BentoExperiment, judge: CriteriaChecker) -> list[Criterion]:
    found, size = experiment.instances, experiment.size.name
    columns = {"A1": "explored_ratio", "A2": "exploration_ratio", "A3": "regret_ratio",
               "A4": "slope_ratio"}  # fmt: skip
    rows = [judge.each(name, found[column], size) for name, column in columns.items()]
    if not experiment.size.full:
        rows.append(judge.each("A4 median", [found["slope_ratio"].median()]))
    fits, lines = found["fit_logarithm"], found["fit_line"]
    least = judge.least("A5", size)
    words = f"{span(fits)} against {span(lines)}"
    met = bool((fits > lines).all() and fits.min() >= least)
    rows.append(judge.compare("A5", words, met=met, key=size, numbers={"least": least}))
    rows.append(judge.each("A6", found["bound_ratio"], size))
    return rows


def _baselines(experiment: BentoExperiment, judge: CriteriaChecker) -> Criterion:
    regret = experiment.regret("normal")
    ours = max(regret[f"epsilon-greedy, p = {p}"] for p in (30, 100, 300))
    constant, uniform = regret["constant epsilon = 0.1"], regret["uniform"]
    met = bool(ours < constant and ours <= 0.15 * uniform)
    return judge.compare("A8", f"{ours:.0f}; {constant:.0f}; {uniform:.0f}", met=met)


def _skew(experiment: BentoExperiment, judge: CriteriaChecker) -> list[Criterion]:
    rows: Any = experiment.skewed.set_index(["inverse_odds", "p"])
    ratio, regret = (rows[name].unstack("p") for name in ("ratio", "regret"))  # noqa: PD010
    falling = bool((ratio.diff(axis=1).iloc[:, 1:] < 0).all(axis=None))
    growing = bool((regret.diff().iloc[1:] > 0).all(axis=None))
    two, ten = rows.loc[2, 300], rows.loc[10, 300]
    ordered = bool(ten["ratio"] > two["ratio"])
    no_order = "" if ordered else (
        "no property of I: a few bandits with two arms that are nearly alike make up the sum;"
        f" {ten['without']:.0f} and {two['without']:.0f} of 20 have less than 1 % of their regret"
        " from exploited steps"
    )  # fmt: skip
    no_growth = "" if growing else (
        "the claim is asymptotic: within this horizon the rare context is played wrong, and costs"
        " less the rarer it is"
    )  # fmt: skip
    found = f"{ten['ratio']:.3f} and {two['ratio']:.3f}"
    return [
        judge.compare("E2", "falls" if falling else "does not fall", met=falling),
        judge.compare("E2 order", found, met=ordered, remark=no_order),
        judge.compare("E2 skew", "yes" if growing else "no", met=None, remark=no_growth),
    ]


def bento_report(
    experiment: BentoExperiment, formats: pd.DataFrame, machines: pd.DataFrame
) -> StudyReport:
    criteria, size = bento_criteria(experiment), experiment.size
    regret, suggested = experiment.regret("normal"), experiment.theory["4.2 p"]
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
        "suggested": suggested,
        "near": int((np.abs(np.log10(suggested)) <= 1).sum()),
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
    figures = {"regret": _regret, "baselines": _curves}
    answer = {"criteria": criteria_json(criteria)}
    return StudyReport(
        Path(__file__).parent, NAME, facts, tables, figures, answer, f"{NAME}-", experiment
    )


_FORMATS = {"d": "", "fraction_bits": "", "unequal_share": ".6f", "regret": ".2f",
            "float_regret": ".2f", "ratio": ".4f"}  # fmt: skip


def swept(sweep: pd.DataFrame) -> dict[str, Any]:
    """Return the exploration weights too small for the horizon, and those with least regret."""
    slopes, mean = sweep.groupby("p")["slope_ratio"], sweep.groupby("p")["regret"].mean()
    near = (slopes.min() >= 0.9) & (slopes.max() <= 1.1)
    return {
        "steep": list(mean.index[slopes.min() > 2]),
        "straight": list(mean.index[near]),
        "best_p": mean.idxmin(),
        "mean_regret": mean,
    }


def _steps(machines: pd.DataFrame) -> dict[str, float]:
    """Return microseconds of steps on the scalar core, optimized variant."""
    own = machines.query("machine == 't13' and variant == 'optimized'").set_index("step")
    us = own[["select_us", "update_us"]].astype(float).sum(axis=1)
    return {"explored_us": us["explored"], "exploited_us": us["exploited"],
            "solving_us": us["exploited after explored"]}  # fmt: skip


def _tables(experiment: BentoExperiment) -> dict[str, pd.DataFrame]:
    """Return tables whose cells are text; ``before`` is the result of a prototype."""
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
    wide, (first, *others) = not experiment.sweep.empty, rows_of(experiment.instances)
    figure, ((left, *right),) = panels(1, 1 + wide, size=(8.0 if wide else 5.0, 3.6))
    at = _points(first.rounds)
    for each in (first, *others):
        curve = each.curve[at - 1] / (each.p * each.uniform_regret)
        label = "bandits, mean of their runs" if each is first else None
        left.plot(at, curve, color=COLOURS[2], linewidth=0.8, label=label)
    predicted = np.where(at < first.p, at / first.p, 1 + np.log(np.maximum(at / first.p, 1)))
    left.plot(at, predicted, color=COLOURS[0], linestyle="--", label="predicted, exploration alone")
    left.set(xscale="log", xlabel="t", ylabel="R(t) / (p rho)", title=f"p = {first.p}")
    left.legend(frameon=False)
    for axes in right:
        _over_steps(axes, experiment.sweep.query("seed == 0"), "viridis", (0, 0.9), "p = {0.p}")
        axes.set_ylim(bottom=10)
        axes.set(xlabel="t", ylabel="R(t)", title="one bandit with doubled rewards")
        axes.legend(frameon=False)
    return figure


def _over_steps(
    axes: Axes, rows: pd.DataFrame, colours: str, ends: tuple[float, float], label: str
) -> None:
    """Draw a curve of each row; those of other learners are dashed."""
    shades = plt.get_cmap(colours)(np.linspace(*ends, len(rows)))
    for row, colour in zip(rows_of(rows), shades, strict=True):
        at, ours = _points(len(row.curve)), getattr(row, "algorithm", "epsilon")
        line = "-" if ours.startswith("epsilon") else "--"
        axes.plot(at, row.curve[at - 1], line, color=colour, label=label.format(row))
    axes.set(xscale="log", yscale="log")


def _curves(experiment: BentoExperiment) -> Figure:
    figure, ((axes,),) = panels(size=(7.0, 4.2))
    rows = experiment.baselines.query("noise == 'normal'").sort_values("regret")
    _over_steps(axes, rows, "turbo", (0.05, 0.95), "{0.algorithm}")
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


main = study_command(_run, SIZES, independent=True)
