"""What the experiment must show: the acceptance criteria A1 to A8, and E2 of skewed contexts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gnomon.report.criteria import Criterion, Judge, span

from .experiment import BentoExperiment

SKIMPY_P = 12
"""Too little exploration for the horizon."""


def bento_criteria(experiment: BentoExperiment) -> tuple[Criterion, ...]:
    """All criteria that this size can tell of."""
    judge = Judge(Path(__file__).with_name("criteria.yaml"))
    rows = _of_instances(experiment, judge)
    if not experiment.doubled.empty:
        for name, column in (("A3 doubled", "regret_ratio"), ("A4 doubled", "slope_ratio")):
            rows.append(judge.each(name, experiment.doubled[column]))
    rows.append(_baselines(experiment, judge))
    if experiment.size.full:
        sweep = experiment.sweep
        rows.append(judge.each("A7", sweep[sweep["p"] == SKIMPY_P]["slope_ratio"]))
        growth = sweep[sweep["p"] == 300]["growth"]
        rows.append(judge.compare("T scaling", span(growth, ".2f"), met=max(growth) < 2))
        rows += _skew(experiment, judge)
    return tuple(rows)


def _of_instances(experiment: BentoExperiment, judge: Judge) -> list[Criterion]:
    found, size = experiment.instances, experiment.size.name
    columns = {
        "A1": "explored_ratio",
        "A2": "exploration_ratio",
        "A3": "regret_ratio",
        "A4": "slope_ratio",
    }
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


def _baselines(experiment: BentoExperiment, judge: Judge) -> Criterion:
    regret = experiment.regret("normal")
    ours = max(regret[f"epsilon-greedy, p = {p}"] for p in (30, 100, 300))
    constant, uniform = regret["constant epsilon = 0.1"], regret["uniform"]
    met = bool(ours < constant and ours <= 0.15 * uniform)
    return judge.compare("A8", f"{ours:.0f}; {constant:.0f}; {uniform:.0f}", met=met)


def _skew(experiment: BentoExperiment, judge: Judge) -> list[Criterion]:
    rows: Any = experiment.skewed.set_index(["inverse_odds", "p"])
    ratio, regret = rows["ratio"].unstack("p"), rows["regret"].unstack("p")
    falling = bool((ratio.diff(axis=1).iloc[:, 1:] < 0).all(axis=None))
    growing = bool((regret.diff().iloc[1:] > 0).all(axis=None))
    two, ten = rows.loc[2, 300], rows.loc[10, 300]
    no_order = (
        "no property of I: a few bandits with two arms that are nearly alike make up the sum;"
        f" {ten['without']:.0f} and {two['without']:.0f} of 20 have less than 1 % of their regret"
        " from exploited steps"
    )
    no_growth = (
        "the claim is asymptotic: within this horizon the rare context is played wrong, and costs"
        " less the rarer it is"
    )
    ordered = bool(ten["ratio"] > two["ratio"])
    found = f"{ten['ratio']:.3f} and {two['ratio']:.3f}"
    grows, falls = "yes" if growing else "no", "falls" if falling else "does not fall"
    return [
        judge.compare("E2", falls, met=falling),
        judge.compare("E2 order", found, met=ordered, remark="" if ordered else no_order),
        judge.compare("E2 skew", grows, met=None, remark="" if growing else no_growth),
    ]
