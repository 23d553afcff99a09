"""NSGA-II over the indices of axis values: a search for the Pareto front of large spaces."""

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.explore._recommend import costs_of, ranks_energy
from gnomon.explore._spec import Sweep
from gnomon.explore.columns import Row

_FAILED = 1e30  # cost and violation of a point without metrics: worse than any other
_IDLE_GENERATIONS = 20  # without a new point, because all near ones are known


def search_front(sweep: Sweep, evaluate: Callable[[Sequence[int]], list[Row]]) -> None:
    """Visit generations of points until ``search.points`` different ones have been visited.

    The same sweep and seed visit the same points, independent of the cache. The search ends earlier
    if the grid is exhausted, or generations yield nothing new.
    """
    try:
        nsga2 = importlib.import_module("pymoo.algorithms.moo.nsga2").NSGA2
        problem_class = importlib.import_module("pymoo.core.problem").Problem
        crossover = importlib.import_module("pymoo.operators.crossover.sbx").SBX
        mutation = importlib.import_module("pymoo.operators.mutation.pm").PM
        repair = importlib.import_module("pymoo.operators.repair.rounding").RoundingRepair
        sampling = importlib.import_module("pymoo.operators.sampling.rnd").IntegerRandomSampling
        static = importlib.import_module("pymoo.problems.static").StaticProblem
        evaluator = importlib.import_module("pymoo.core.evaluator").Evaluator
        no_end = importlib.import_module("pymoo.core.termination").NoTermination
    except ImportError:
        raise GnomonError(
            "search: {method: nsga2} needs pymoo: python -m pip install 'gnomon[search]'"
        ) from None
    last = np.array([len(axis.values) - 1 for axis in sweep.axes])
    problem = problem_class(
        n_var=len(last),
        n_obj=len(sweep.objectives),
        n_ieq_constr=len(sweep.constraints),
        xl=np.zeros(len(last), dtype=int),
        xu=last,
        vtype=int,
    )
    algorithm = nsga2(
        pop_size=sweep.search.population,
        sampling=sampling(),
        crossover=crossover(prob=0.9, eta=3.0, vtype=float, repair=repair()),
        mutation=mutation(prob=1.0, prob_var=1 / len(last), eta=3.0, vtype=float, repair=repair()),
        eliminate_duplicates=True,
    )
    algorithm.setup(problem, termination=no_end(), seed=sweep.search.seed, verbose=False)
    most = min(sweep.search.points, sweep.grid_points)
    visited: set[int] = set()
    idle = 0
    while len(visited) < most and idle < _IDLE_GENERATIONS:
        generation = algorithm.ask()
        if generation is None or not len(generation):
            break
        indices = [sweep.index(places) for places in generation.get("X").astype(int)]
        unseen = [index for index in dict.fromkeys(indices) if index not in visited]
        allowed = unseen[: most - len(visited)]
        idle = 0 if allowed else idle + 1
        visited.update(allowed)
        known = [index for index in indices if index in visited]
        rows = dict(zip(known, evaluate(known), strict=True))
        if len(visited) == most:
            break
        _check_one_energy(sweep, list(rows.values()))
        costs, violations = _judged(sweep, [rows[index] for index in indices])
        answer: dict[str, Any] = {"F": costs}
        if sweep.constraints:
            answer["G"] = violations
        evaluator().eval(static(problem, **answer), generation)
        algorithm.tell(infills=generation)


def _check_one_energy(sweep: Sweep, rows: Sequence[Row]) -> None:
    """Check that a search does not compare energies of different kinds or libraries."""
    found = dict.fromkeys(row.technology for row in rows if row.technology)
    if ranks_energy(sweep) and len(found) > 1:
        raise GnomonError(
            f"a search ranks points by {' and '.join(each.text for each in sweep.objectives)}, and"
            f" energies of different kinds or libraries are never ranked: {'; '.join(found)} (use"
            " one power table for all machines, or the whole grid, which reports a front of each)"
        )


def _judged(sweep: Sweep, rows: Sequence[Row]) -> tuple[Any, Any]:
    """Return objectives and violations of a generation, in the form of pymoo."""
    costs = np.nan_to_num(costs_of(rows, sweep.objectives), nan=_FAILED)
    missed = [[limit.miss(row.metric(limit.metric)) - 1 for limit in sweep.constraints]
              for row in rows]  # fmt: skip
    return costs, np.minimum(missed, _FAILED)
