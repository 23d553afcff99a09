"""The acceptance criteria of SoftUCB: what is measured for each of ``criteria.yaml``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gnomon.content.algorithms.softucb.index import regret_bound
from gnomon.report.criteria import Criterion, Judge

from .compare import Comparison
from .experiment import SoftucbExperiment

OFFLINE, ONLINE = "softucb-offline", "softucb-online"

_RATIOS = {"small": "B6", "mid": "B8", "synthetic": "B9"}


def softucb_criteria(experiment: SoftucbExperiment) -> tuple[Criterion, ...]:
    """B1 to B15, and Figures 2c and 2d: those that this size can tell of."""
    judge = Judge(Path(__file__).with_name("criteria.yaml"))
    found = [judge.number(name, value) for name, value in experiment.formulas.items()]
    for comparison in experiment.comparisons:
        found += _of_comparison(judge, comparison)
    diverged = experiment.divergence
    found.append(judge.number("B11 width", diverged["beta"][0.03]))
    found.append(judge.number("B11", diverged["regret"][0.03] / diverged["regret"][0.003]))
    for (d, rounds, noise), sweep in experiment.sweeps.groupby(["d", "rounds", "noise_std"]):
        where = f"d = {d}, T = {rounds}, noise {noise:.3g}"
        regret: Any = sweep.set_index("beta")["regret"]
        found.append(judge.number("B12 width", float(regret.idxmin()), where=where))
        for width in (regret.index.min(), regret.index.max()):
            ratio = float(regret[width] / regret.min())
            found.append(judge.number("B12", ratio, where=where, width=width))
    if experiment.trap is not None:
        found += [
            judge.number("B14", share, str(rule), rule=rule)
            for rule, share in experiment.trap["share"].items()
        ]
    if experiment.table_1 is not None:
        found += _of_table_1(judge, experiment.table_1)
    return tuple(found)


def _of_comparison(judge: Judge, comparison: Comparison) -> Iterator[Criterion]:
    """B6, B8 or B9; B7 of the small one; B10 of all; B13 of d = 10 with noise 0.5; Figure 2."""
    setup, played = comparison.setup, comparison.played
    name = _RATIOS.get(setup.name.split("-")[0], "")
    trained = comparison.trained
    if name:
        yield from _ratios(judge, name, comparison)
    if name == "B6":
        yield from _ratios(judge, "B6 online", comparison)
        largest = float(trained.reshape(setup.seeds, -1).mean(axis=1).max())
        yield judge.number("B7 seed", largest, most=setup.width, setup=setup.name)
        yield judge.number("B7", float(trained.mean()), setup=setup.name)
    if name == "B8":
        worst = max(
            float((comparison.by_seed(policy) / comparison.by_seed(other)).max())
            for policy in (OFFLINE, ONLINE)
            for other in ("lints", "epsilon-greedy")
        )
        yield judge.number("B8 worst", worst, setup=setup.name, seeds=setup.seeds)
    dimensions = setup.arm_sets.features.shape[2]
    bound = regret_bound(float(trained.mean()), dimensions, setup.rounds)
    yield judge.number("B10", played[OFFLINE].mean / bound, setup=setup.name)
    if setup.name == "synthetic-d10":
        curve = played[ONLINE].regret
        half = float(np.interp(setup.rounds / 2, comparison.stops, curve))
        yield judge.number("B13", float(curve[-1]) / half - 1.0, setup=setup.name)
    if setup.name == "jester":
        yield from _ratios(judge, "Fig. 2d", comparison)
    if setup.name == "movielens":
        finite = float(all(np.isfinite(each.final).all() for each in played.values()))
        yield judge.number("Fig. 2c finite", finite, setup=setup.name)
        yield from _ratios(judge, "Fig. 2c", comparison)


def _ratios(judge: Judge, name: str, comparison: Comparison) -> Iterator[Criterion]:
    for pair in judge.keys(name):
        policy, other = pair.split(" over ")
        ratio, setup = comparison.ratio(policy, other), comparison.setup.name
        yield judge.number(name, ratio, pair, setup=setup, policy=policy, other=other)


def _of_table_1(judge: Judge, rows: pd.DataFrame) -> Iterator[Criterion]:
    """B15, and the growth with d."""
    for noise, of_noise in rows.groupby("noise_std"):
        five = of_noise[of_noise["d"] == 5]
        falls = -five.sort_values("rounds")["beta"].diff().min()
        errors = ", ".join(f"{each:.2f}" for each in five["beta_error"])
        yield judge.number("B15 falls", float(falls), noise=noise, errors=errors)
        largest = (of_noise["beta"] / of_noise["theory"]).max()
        yield judge.number("B15", float(largest), noise=noise)
        tall = of_noise[of_noise["rounds"] == 1024].set_index("d")["beta"]
        yield judge.number("Table 1", float(tall[15] - tall[5]), noise=noise)
