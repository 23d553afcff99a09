"""The acceptance criteria of ARES (section 5): what is measured for each of ``criteria.yaml``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from gnomon.base.frames import rows_of
from gnomon.report.criteria import Criterion, Judge

from .policies import LONG, SHORT, pies
from .runs import AresExperiment, SystemResult


def ares_criteria(experiment: AresExperiment) -> tuple[Criterion, ...]:
    """All criteria that this size can tell of."""
    judge = Judge(Path(__file__).with_name("criteria.yaml"))
    found: list[Criterion] = []
    for result in experiment.systems:
        found += _of_full(judge, result) if experiment.full else _of_small(judge, result)
    if experiment.full:
        found += _of_studies(judge, experiment)
    found += [judge.number(name, value) for name, value in experiment.theory.items()]
    return tuple(found)


def _of_small(judge: Judge, result: SystemResult) -> Iterator[Criterion]:
    """The order of Figure 3, and how large ARES is."""
    for low, high in pairwise(("oracle", "ares-p", "ares", "ucb", "random")):
        yield _order(judge, "E1 small order", result, low, high)
    best = min((pies(s, LONG) for s in range(4)), key=result.ratio)
    yield _order(judge, "E1 small order", result, "ares", best)
    yield from _ratios(judge, "E1 small", result)


def _of_full(judge: Judge, result: SystemResult) -> Iterator[Criterion]:
    """Figure 3 in full, the counter-finding, Figures 4 and 5."""
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


def _ratios(judge: Judge, name: str, result: SystemResult) -> Iterator[Criterion]:
    for policy in judge.keys(name):
        yield judge.number(name, result.ratio(policy), policy, system=result.system, policy=policy)


def _order(judge: Judge, name: str, result: SystemResult, low: str, high: str) -> Criterion:
    ratio = result.ratio(high) / result.ratio(low)
    return judge.number(name, ratio, system=result.system, low=low, high=high)


def _of_studies(judge: Judge, experiment: AresExperiment) -> Iterator[Criterion]:
    """Larger constants on system 17, systems 1 to 20, true weights of a window of 5."""
    constants, many = experiment.constants.set_index("bound"), experiment.many
    numbers: dict[str, Any] = {
        "E2 rise": constants["window"].sort_index().diff().max(),
        "E2 one": constants["window"][1.0],
        "Sensitivity": constants["ratio"][1.0] / constants["ratio"][0.01],
        "Many systems": int((many["ares_p"] <= many["ares"] + 0.05).sum()),
        "Many systems least": many[["random", "ucb", "ares", "ares_p"]].min(axis=None),
    }
    for name, value in numbers.items():
        yield judge.number(name, float(value))
    for each in rows_of(experiment.windows.query("window == 5")):
        yield judge.number("E4", float(each.ratio), system=each.system)
