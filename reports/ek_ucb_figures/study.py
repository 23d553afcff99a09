"""``gnomon experiment ek-ucb-figures``: long figures of EK-UCB, and Propositions 3.1 and 4.1."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gnomon.base.frames import frame, worded
from gnomon.content.algorithms.ek_ucb.pairs import gaussian
from gnomon.content.reports.ek_ucb.environment import actions, pair_rounds
from gnomon.content.reports.ek_ucb.experiment import LAMBDAS, Job, figure_jobs, run_job
from gnomon.report.study import Keeps, Steps, StudyReport, study_command

_BANDWIDTH, _DELTA = 0.1, 0.1
_ROUNDS = 1000
_THEORY = ("environment", "rounds", "lambda", "d_eff", "log_sum", "bound_3_1", "anchors",
           "bound_4_1")  # fmt: skip
_FORMS = {"d_eff": ".2f", "log_sum": ".2f", "bound_3_1": ".2f", "bound_4_1": ".0f"}


def bounds(environment: str, regularisation: float, rounds: int) -> tuple[object, ...]:
    """d_eff of states that are played at random, and both sides of the propositions.

    kappa is 1: the kernel of a state with itself.
    """
    played = pair_rounds(environment, rounds, 0).contexts
    arms = np.random.default_rng(0).integers(len(actions()), size=len(played))
    states = np.hstack([played, actions()[arms].reshape(len(played), -1)])
    eigenvalues = np.linalg.eigvalsh(gaussian(states, states, _BANDWIDTH)).clip(0)
    d_eff = float((eigenvalues / (eigenvalues + regularisation)).sum())
    log_sum = float(np.log1p(eigenvalues / regularisation).sum())
    bound = np.log(np.e + np.e * rounds / regularisation) * d_eff
    anchors = run_job(Job(environment, "EK-UCB", regularisation, rounds, 0))["anchors"]
    most_anchors = 9 * d_eff * np.log(2 * rounds / _DELTA) ** 2
    return (environment, rounds, regularisation, d_eff, log_sum, bound, anchors, most_anchors)


def with_rivals(results: pd.DataFrame) -> pd.DataFrame:
    """One row for each run of CBBKB, with regret and seconds of EK-UCB in the same rounds."""
    keys = ["environment", "rounds", "regularisation"]
    own = results[results["kind"] == "EK-UCB"].set_index(keys)[["regret", "seconds", "anchors"]]
    rows: Any = results[results["kind"] == "CBBKB"].join(own.add_prefix("ek_ucb_"), on=keys)
    wins = (rows["regret"] < rows["ek_ucb_regret"]) & (rows["seconds"] < rows["ek_ucb_seconds"])
    rows = rows.assign(better_and_faster=wins.astype(int))
    names = {"kind": "learner", "regularisation": "lambda"}
    columns = [*keys[:2], "kind", keys[2], "settings", "regret", "seconds", "anchors",
               *(f"ek_ucb_{name}" for name in ("regret", "seconds", "anchors")),
               "better_and_faster"]  # fmt: skip
    forms = {"regret": ".1f", "ek_ucb_regret": ".1f", "seconds": ".2f", "ek_ucb_seconds": ".2f"}
    return worded(rows[columns].rename(columns=names), forms)


def figures_report(progress: Steps, keeps: Keeps) -> StudyReport:
    """Run everything."""
    results = pd.DataFrame(
        keeps.learning(run_job, job)
        for job in progress.over(figure_jobs(), lambda job: f"{job.environment}, {job.kind}")
    )
    theory = frame(_THEORY, [
        keeps.learning(bounds, environment, ridge, _ROUNDS)
        for environment in ("bump", "chessboard", "step-diagonal")
        for ridge in LAMBDAS
    ])  # fmt: skip
    return report_of(results, theory)


def report_of(results: pd.DataFrame, theory: pd.DataFrame) -> StudyReport:
    """Page and tables."""
    runs, theory = with_rivals(results), worded(theory, _FORMS)
    worse = results[results["kind"] == "CBBKB"].set_index(runs.index)["regret"]
    better = worse < runs["ek_ucb_regret"].astype(float)
    facts = {"runs": runs, "theory": theory, "better": int(better.sum()), "all": len(runs)}
    tables = {"figures": runs, "theory": theory}
    return StudyReport(Path(__file__).parent, "ek-ucb-figures", facts, tables)


main = study_command(figures_report)
