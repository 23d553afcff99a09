"""Two gnomon learners that save work, in float64 on the same problems: savings and losses."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from gnomon.learn import Learner, Trace, find_learner
from gnomon.measure.learners import find_embedded_learner as find_embedded

from .points import Comparison, mean_of
from .problems import Entry, Given, Problem, regrets_of, settings_of

COSTS = (0.001, 0.01, 0.1)  # of an update, in rewards
ALPHA, WINDOWS = 0.5, (2, 3)
MACHINE = "t13"  # whose energies an update and a selection have


def with_saving(comparison: Comparison) -> Comparison:
    """Add the tables ``thrifty`` and ``windows``; float64 plays a quarter of the seeds.

    Differences are regret less the regret of the reference learner, on the same rounds. ``less``
    and ``more`` state whether their 95 % interval lies below or above 0.
    """
    thrifty, windows = list[dict[str, Any]](), list[dict[str, Any]]()
    rounds = comparison.size.rounds
    for problem in comparison.problems:
        seeds = range(1, 1 + max(2, comparison.size.seeds // 4))
        runs = [problem.draw(rounds, seed) for seed in seeds]
        if "linucb-disjoint" in set(comparison.trials["learner"]):
            thrifty += _thrifty(problem, runs, comparison)
        windows.append(_windows(problem, runs))
    return replace(comparison, thrifty=pd.DataFrame(thrifty), windows=pd.DataFrame(windows))


def _thrifty(
    problem: Problem, runs: Sequence[Given], comparison: Comparison
) -> list[dict[str, Any]]:
    """Compare each cost with the same learner that makes all updates."""
    trials = comparison.trials
    own = trials[trials["problem"].eq(problem.name) & trials["learner"].eq("linucb-disjoint")]
    (title,) = own[own["chosen"]]["setting"]
    settings = settings_of(find_embedded("linucb-disjoint"), problem)
    alpha = next(each.alpha for each in settings if each.title == title)
    measured = [
        each for each in comparison.points
        if (each.problem, each.machine, each.learner, each.made)
        == (problem.name, MACHINE, "linucb-disjoint", "optimized")
    ]  # fmt: skip

    def played(cost: float) -> list[tuple[float, float]]:
        found = []
        for given in runs:
            rounds = len(given.noise)
            learner = _built("linucb-thrifty", problem.arms, problem.d, alpha=alpha, cost=cost,
                             horizon=rounds)  # fmt: skip
            regret = given.relative_regret(_play(learner, given.contexts, given))
            found.append((regret, float(learner.state["taught"].sum()) / rounds))
        return found

    every, rows = played(0.0), []
    blind = np.array([given.gaps.mean(axis=1).sum() for given in runs])
    for cost in COSTS:
        regrets, shares = np.array(played(cost)).T
        worse = regrets - np.array(every)[:, 0]
        saved = cost * (1.0 - shares) * len(runs[0].noise)
        earned = mean_of((saved - worse * blind).tolist())
        share = float(shares.mean())
        energy = [each.select_uj + share * each.update_uj for each in measured]
        rows.append(
            {"problem": problem.name, "cost": cost, "updates": share, **_against(worse),
             "regret": float(regrets.mean()), "of_all": float(np.mean(every, axis=0)[0]),
             "uj": energy[0] if energy else None,
             "uj_of_all": measured[0].energy_uj.value if measured else None,
             "earned": earned.value, "earned_low": earned.low, "earned_high": earned.high}
        )  # fmt: skip
    return rows


def _windows(problem: Problem, runs: Sequence[Given]) -> dict[str, Any]:
    """Compare the window found by error with each fixed one in C with the same weight."""
    d, embedded = max(problem.changing, 1), find_embedded("linucb-window")
    contexts = [np.vstack((given.contexts[1:], np.zeros((1, problem.d))))[:, -d:] for given in runs]
    regrets, ended = [], []
    for given, shown in zip(runs, contexts, strict=True):
        learner = _built("linucb-windows", problem.arms, d, alpha=ALPHA, windows=max(WINDOWS))
        regrets.append(given.relative_regret(_play(learner, shown, given)))
        ended.append(learner.window)
    row: dict[str, Any] = {"problem": problem.name, "regret": float(np.mean(regrets)),
                           "window": float(np.mean(ended))}  # fmt: skip
    fixed = {}
    for window in WINDOWS:
        (setting,) = (
            each for each in settings_of(embedded, problem)
            if each.alpha == ALPHA and dict(each.parameters)["LEARNER_WINDOW"] == window
        )  # fmt: skip
        entry = Entry(problem, embedded, embedded.variant("optimized", "tuned"), setting)
        fixed[window] = np.array(regrets_of(entry, runs))
        row[f"fixed_{window}"] = float(fixed[window].mean())
    best = min(WINDOWS, key=lambda window: float(fixed[window].mean()))
    work = {
        name: _macs(_built(of, problem.arms, d, **{key: max(WINDOWS)}), contexts[0], runs[0])
        for name, of, key in (("macs", "linucb-windows", "windows"),
                              ("macs_fixed", "linucb-window", "window"))
    }  # fmt: skip
    return {**row, **_against(np.array(regrets) - fixed[best]), **work}


def _against(worse: Any) -> dict[str, Any]:
    found = mean_of(worse.tolist())
    return {"difference": found.value, "low": found.low, "high": found.high,
            "less": found.high < 0, "more": found.low > 0}  # fmt: skip


def _built(name: str, arms: int, dimensions: int, **settings: Any) -> Any:
    create: Callable[..., Learner] = find_learner(name)
    return create(arms=arms, dimensions=dimensions, **settings)


def _play(learner: Learner, contexts: Any, given: Given) -> Any:
    """Return the arms played if the learner sees these contexts."""
    arms, rewards = np.zeros(len(contexts), dtype=np.int32), given.rewards
    for at, context in enumerate(contexts):
        arms[at] = arm = learner.select(context)
        learner.update(context, int(arm), float(rewards[at, arm]))
    return arms


def _macs(learner: Learner, contexts: Any, given: Given) -> float:
    """Return the multiply-accumulates of a round, the mean of some rounds."""
    rounds = min(100, len(contexts))
    with Trace.record() as trace:
        _play(learner, contexts[:rounds], given)
    return trace.operations().mac / rounds
