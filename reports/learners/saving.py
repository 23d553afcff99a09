"""Two gnomon learners that save work, in float64 on the same problems: savings and losses."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gnomon.learn import Learner, Trace, find_learner
from gnomon.measure.learners import find_embedded_learner as find_embedded

from .drift import DRIFTING_SYSTEMS, MANY, drift_table
from .hybrid import hybrid_table
from .paired import against, correct_over_table
from .points import Comparison, mean_of
from .problems import DRIFTING, TRAINING_SEED, Entry, Given, Problem, regrets_of, settings_of

COSTS = (0.001, 0.01, 0.1)  # of an update, in rewards
ALPHA, WINDOWS = 0.5, (2, 3)
FIRST_SEED = 700_001  # neither a front nor a setting was chosen by these
MACHINE = "t13"  # whose energies an update and a selection have
_TUNED_ON = {MANY: DRIFTING.name}  # problem with the setting and the energy of another one


def with_saving(comparison: Comparison) -> Comparison:
    """Add ``thrifty``, ``windows``, ``hybrid`` and ``drift``, on as many fresh seeds as the fronts.

    Differences are regret less the regret of the reference learner, on the same rounds. ``less``
    and ``more`` state whether they are significant after Holm's correction over each table.
    """
    size = comparison.size
    seeds = range(FIRST_SEED, FIRST_SEED + size.seeds)
    thrifty, windows = list[dict[str, Any]](), list[dict[str, Any]]()
    many = (DRIFTING_SYSTEMS,) if DRIFTING in comparison.problems else ()
    for problem in (*comparison.problems, *many):
        runs = [problem.draw(size.rounds, seed) for seed in seeds]
        if "linucb-disjoint" in set(comparison.trials["learner"]):
            thrifty += _thrifty(problem, runs, comparison)
        windows.append(_windows(problem, runs))
    return replace(
        comparison, thrifty=correct_over_table(thrifty), windows=correct_over_table(windows),
        hybrid=hybrid_table(FIRST_SEED, size.seeds, TRAINING_SEED, size.training_seeds),
        drift=drift_table(max(3, size.seeds * 2 // 5), size.seeds, size.training_seeds),
    )  # fmt: skip


def _thrifty(
    problem: Problem, runs: Sequence[Given], comparison: Comparison
) -> list[dict[str, Any]]:
    """Compare each cost with the same learner that makes all updates."""
    trials, tuned_on = comparison.trials, _TUNED_ON.get(problem.name, problem.name)
    own = trials[trials["problem"].eq(tuned_on) & trials["learner"].eq("linucb-disjoint")]
    (title,) = own[own["chosen"]]["setting"]
    settings = settings_of(find_embedded("linucb-disjoint"), problem)
    alpha = next(each.alpha for each in settings if each.title == title)
    measured = [
        each for each in comparison.points
        if (each.problem, each.machine, each.learner, each.made)
        == (tuned_on, MACHINE, "linucb-disjoint", "optimized")
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
            {"problem": problem.name, "cost": cost, "updates": share, **against(worse),
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
    return {**row, **against(np.array(regrets) - fixed[best]), **work}


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
