"""``gnomon experiment ek-ucb-figures``: long figures of EK-UCB, and Propositions 3.1 and 4.1."""

import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gnomon.base.frames import frame, worded
from gnomon.cli.study import study_command
from gnomon.content.algorithms.ek_ucb.pairs import gaussian
from gnomon.content.reports.ek_ucb.environment import ENVIRONMENTS, actions, pair_rounds
from gnomon.content.reports.ek_ucb.experiment import LAMBDAS, Job, run_job
from gnomon.report.study import Keeps, Steps, StudyReport

_BANDWIDTH, _DELTA = 0.1, 0.1
_ROUNDS = 1000
_THEORY = ("environment", "rounds", "lambda", "d_eff", "log_sum", "bound_3_1", "anchors",
           "bound_4_1")  # fmt: skip
_FORMS = {"d_eff": ".2f", "log_sum": ".2f", "bound_3_1": ".2f", "bound_4_1": ".0f"}


_BATCHES: Mapping[tuple[str, int], Mapping[float, tuple[float, ...]]] = {
    ("step-diagonal", 2000): {1.0: (3.0, 10.0), 10.0: (3.0, 10.0, 30.0), 100.0: (3.0, 10.0, 30.0)},
    ("bump", 1000): {1.0: (30.0,), 10.0: (10.0, 30.0)},
    ("bump", 2000): {100.0: (3.0, 30.0)},
}
"""C of CBBKB by lambda. On Bump with the smaller lambda dictionaries hold most of what was played,
and the smaller C draws them most often: T = 1,000 there, a point of the same curves.
"""


_BUDGET_ROUNDS, _BUDGET_RIDGE, _BUDGET_BATCHES, _BUDGET_SEEDS = 1000, 10.0, (10.0, 30.0), (0, 1, 2)
"""On Bump with the paper's budget, about lambda: a run takes time as the cube of its rounds."""
_BUDGET = ("environment", "rounds", "lambda", "settings", "seeds", "regret", "seconds", "anchors",
           "ek_ucb_regret", "ek_ucb_seconds", "ek_ucb_anchors", "regret_ratio", "time_ratio",
           "least_regret_ratio", "least_time_ratio")  # fmt: skip
_BUDGET_FORMS = {"regret": ".1f", "ek_ucb_regret": ".1f", "seconds": ".2f", "ek_ucb_seconds": ".2f",
                 "regret_ratio": ".3f", "least_regret_ratio": ".3f", "time_ratio": ".3g",
                 "least_time_ratio": ".3g"}  # fmt: skip


def budget_jobs() -> tuple[Job, ...]:
    """Return the runs on Bump with the budget lambda, several seeds."""
    where = "bump", _BUDGET_ROUNDS, _BUDGET_RIDGE
    kinds = [("EK-UCB", ()), *(("CBBKB", (("batch", each),)) for each in _BUDGET_BATCHES)]
    return tuple(
        Job(where[0], kind, where[2], where[1], seed, settings)
        for kind, settings in kinds
        for seed in _BUDGET_SEEDS
    )


def budget_table(results: pd.DataFrame) -> pd.DataFrame:
    """Return CBBKB over EK-UCB by C: means over seeds, their ratios, and the least of a seed."""
    own = results[results["kind"] == "EK-UCB"].set_index("seed")
    rows = []
    for settings, rivals in results[results["kind"] != "EK-UCB"].groupby("settings", sort=False):
        of = rivals.set_index("seed")
        means = {name: (of[name].mean(), own[name].mean()) for name in ("regret", "seconds")}
        anchors = (" / ".join(map(str, each["anchors"])) for each in (of, own))
        first = of.iloc[0]
        rows.append((
            first["environment"], first["rounds"], first["regularisation"], settings, len(of),
            means["regret"][0], means["seconds"][0], next(anchors), means["regret"][1],
            means["seconds"][1], next(anchors),
            *(one / other for one, other in means.values()),
            *((of[name] / own[name]).min() for name in means),
        ))  # fmt: skip
    return worded(frame(_BUDGET, rows), _BUDGET_FORMS)


def figure_jobs() -> tuple[Job, ...]:
    """Return the runs of Figures 3 to 5 and 10 to 12, mu = lambda; one seed."""
    jobs = []
    for (environment, rounds), of_ridge in _BATCHES.items():
        # On Bump, the dictionary of a budget of lambda has all states played.
        small = (("budget", 1.0),) if environment == "bump" else ()
        for ridge, batches in of_ridge.items():
            jobs.append(Job(environment, "EK-UCB", ridge, rounds, 0, small))
            jobs += [
                Job(environment, "CBBKB", ridge, rounds, 0, (("batch", each),)) for each in batches
            ]
    jobs += [Job("bump", kind, 100.0, 2000, 0) for kind in ("K-UCB", "CBKB")]
    return tuple(jobs)


def bounds(environment: str, regularisation: float, rounds: int) -> tuple[object, ...]:
    """Return d_eff of randomly played states, and both sides of the propositions.

    kappa is 1: the kernel of a state with itself.
    """
    played = pair_rounds(environment, rounds, 0).contexts
    arms = np.random.default_rng(0).integers(len(actions()), size=len(played))
    states = np.hstack([played, actions()[arms].reshape(len(played), -1)])
    eigenvalues = np.linalg.eigvalsh(gaussian(states, states, _BANDWIDTH)).clip(0)
    d_eff = float((eigenvalues / (eigenvalues + regularisation)).sum())
    log_sum = float(np.log1p(eigenvalues / regularisation).sum())
    bound = np.log(math.e + math.e * rounds / regularisation) * d_eff
    anchors = run_job(Job(environment, "EK-UCB", regularisation, rounds, 0))["anchors"]
    most_anchors = 9 * d_eff * np.log(2 * rounds / _DELTA) ** 2
    return (environment, rounds, regularisation, d_eff, log_sum, bound, anchors, most_anchors)


def with_rivals(results: pd.DataFrame) -> pd.DataFrame:
    """Return a row per run of a rival, with regret and seconds of EK-UCB in the same rounds."""
    keys = ["environment", "rounds", "regularisation"]
    own = results[results["kind"] == "EK-UCB"].set_index(keys)[["regret", "seconds", "anchors"]]
    rows: Any = results[results["kind"] != "EK-UCB"].join(own.add_prefix("ek_ucb_"), on=keys)
    wins = (rows["regret"] < rows["ek_ucb_regret"]) & (rows["seconds"] < rows["ek_ucb_seconds"])
    rows = rows.assign(
        better_and_faster=wins.astype(int),
        regret_ratio=rows["regret"] / rows["ek_ucb_regret"],
        time_ratio=rows["seconds"] / rows["ek_ucb_seconds"],
    )
    names = {"kind": "learner", "regularisation": "lambda"}
    columns = [*keys[:2], "kind", keys[2], "settings", "regret", "seconds", "anchors",
               *(f"ek_ucb_{name}" for name in ("regret", "seconds", "anchors")),
               "better_and_faster", "regret_ratio", "time_ratio"]  # fmt: skip
    forms = {"regret_ratio": ".3f", "time_ratio": ".3g", "regret": ".1f", "ek_ucb_regret": ".1f",
             "seconds": ".2f", "ek_ucb_seconds": ".2f"}  # fmt: skip
    return worded(rows[columns].rename(columns=names), forms)


def figures_report(progress: Steps, keeps: Keeps) -> StudyReport:
    results = pd.DataFrame(
        progress.count(
            [f"{job.environment}, {job.kind}" for job in figure_jobs()],
            keeps.learning.each(partial(run_job, job) for job in figure_jobs()),
        )
    )
    theory = frame(_THEORY, keeps.learning.each(
        partial(bounds, environment, ridge, _ROUNDS)
        for environment in ENVIRONMENTS
        for ridge in LAMBDAS
    ))  # fmt: skip
    published = pd.DataFrame(
        progress.count(
            [f"budget lambda, {job.kind}" for job in budget_jobs()],
            keeps.learning.each(partial(run_job, job) for job in budget_jobs()),
        )
    )
    return report_of(with_rivals(results), worded(theory, _FORMS), budget_table(published))


def report_of(runs: pd.DataFrame, theory: pd.DataFrame, budget: pd.DataFrame) -> StudyReport:
    """Return page and tables of the rows of the files."""
    pairs = runs[runs["learner"] == "CBBKB"]
    better, slower = (
        pairs[pairs[name].astype(float) < pairs[f"ek_ucb_{name}"].astype(float)]
        for name in ("regret", "seconds")
    )
    facts = {
        "budget": budget, "runs": runs, "theory": theory, "pairs": len(pairs),
        "better": len(better),
        "faster": slower, "on_bump": int((better["environment"] == "bump").sum()),
        "never": int((slower["anchors"].astype(int) == 1).sum()),
    }  # fmt: skip
    tables = {"figures": runs, "budget": budget, "theory": theory}
    return StudyReport(Path(__file__).parent, "ek-ucb-figures", facts, tables)


main = study_command(figures_report, independent=True)
