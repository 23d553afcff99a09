"""What the experiment must show: the acceptance criteria A1 to A8, and E2 of skewed contexts."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from gnomon.learn.criterion import span
from gnomon.report.criteria import Judge

from .experiment import SKEW_INVERSE_ODDS, SKEW_P

if TYPE_CHECKING:
    from gnomon.learn import Criterion

    from .experiment import BentoExperiment


def bento_criteria(experiment: BentoExperiment) -> tuple[Criterion, ...]:
    """All criteria that this size can tell of."""
    judge = Judge(Path(__file__).with_name("criteria.yaml"))
    rows = _of_instances(experiment, judge)
    if experiment.doubled:
        rows += [
            judge.each("A3 doubled", [each.regret_ratio for each in experiment.doubled]),
            judge.each("A4 doubled", [each.slope_ratio for each in experiment.doubled]),
        ]
    rows.append(_baselines(experiment, judge))
    if experiment.size.full:
        rows.append(
            judge.each("A7", [row.slope_ratio for row in experiment.sweep if row.p == SKIMPY_P])
        )
        growth = experiment.growth
        rows.append(judge.compare("T scaling", span(growth, ".2f"), met=max(growth) < 2))
        rows += _skew(experiment, judge)
    return tuple(rows)


SKIMPY_P = 12
"""Too little exploration for the horizon."""


def _of_instances(experiment: BentoExperiment, judge: Judge) -> list[Criterion]:
    instances, size = experiment.instances, experiment.size.name
    slopes = [each.slope_ratio for each in instances]
    rows = [
        judge.each("A1", [each.explored_ratio for each in instances], size),
        judge.each("A2", [each.exploration_ratio for each in instances], size),
        judge.each("A3", [each.regret_ratio for each in instances], size),
        judge.each("A4", slopes, size),
    ]
    if not experiment.size.full:
        rows.append(judge.each("A4 median", [median(slopes)]))
    fits = [each.fit_logarithm for each in instances]
    lines = [each.fit_line for each in instances]
    better = all(fit > line for fit, line in zip(fits, lines, strict=True))
    least = judge.least("A5", size)
    found = f"{span(fits)} against {span(lines)}"
    met = better and min(fits) >= least
    rows.append(judge.compare("A5", found, met=met, key=size, numbers={"least": least}))
    rows.append(judge.each("A6", [each.bound_ratio for each in instances], size))
    return rows


def _baselines(experiment: BentoExperiment, judge: Judge) -> Criterion:
    rows = [row for row in experiment.baselines if row.noise == "normal"]
    regret = {row.algorithm: row.regret for row in rows}
    ours = max(regret[f"epsilon-greedy, p = {p}"] for p in (30, 100, 300))
    constant, uniform = regret["constant epsilon = 0.1"], regret["uniform"]
    met = ours < constant and ours <= 0.15 * uniform
    return judge.compare("A8", f"{ours:.0f}; {constant:.0f}; {uniform:.0f}", met=met)


def _skew(experiment: BentoExperiment, judge: Judge) -> list[Criterion]:
    rows = {(row.inverse_odds, row.p): row for row in experiment.skewed}
    falling = all(
        rows[odds, small].ratio > rows[odds, large].ratio
        for odds in SKEW_INVERSE_ODDS
        for small, large in pairwise(SKEW_P)
    )
    growing = all(
        rows[few, p].regret < rows[many, p].regret
        for p in SKEW_P
        for few, many in pairwise(SKEW_INVERSE_ODDS)
    )
    two, ten = rows[2, 300], rows[10, 300]
    no_order = (
        "no property of I: a few bandits with two arms that are nearly alike make up the sum;"
        f" {ten.without} and {two.without} of 20 have less than 1 % of their regret from exploited"
        " steps"
    )
    no_growth = (
        "the claim is asymptotic: within this horizon the rare context is played wrong, and costs"
        " less the rarer it is"
    )
    return [
        judge.compare("E2", "falls" if falling else "does not fall", met=falling),
        judge.compare(
            "E2 order",
            f"{ten.ratio:.3f} and {two.ratio:.3f}",
            met=ten.ratio > two.ratio,
            remark=no_order if ten.ratio <= two.ratio else "",
        ),
        judge.compare(
            "E2 skew",
            "yes" if growing else "no",
            met=None,
            remark="" if growing else no_growth,
        ),
    ]
