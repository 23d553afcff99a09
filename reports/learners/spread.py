"""Energy of several runs: the points of the comparison have that of the first run alone.

Exploration, and the work that follows from it, differ between runs. The fronts of one machine show
by how much.
"""

from dataclasses import replace

import pandas as pd

from gnomon.arch import load_architecture
from gnomon.base.result_cache import Keep, compute_uncached

from .entries import energy_of, entry_of, played_on
from .points import Comparison, front, mean_of, panels

MOST_RUNS = 5
_COLUMNS = ("problem", "machine", "learner", "line", "variant", "runs", "first_uj", "mean_uj",
            "mean_low_uj", "mean_high_uj")  # fmt: skip


def with_spread(comparison: Comparison, keep: Keep = compute_uncached) -> Comparison:
    """Return ``spread``: energy of a decision in several runs, for the fronts of the last machine.

    ``first_uj`` is that of the first run, ``mean_uj`` that of all, with its 95 % interval over
    runs (Student), both at the most likely prices of the power table.
    """
    name, size = comparison.machines[-1], comparison.size
    machine, rows = load_architecture(name), []
    for (problem, panel), points in panels(comparison.points).items():
        if panel != name:
            continue
        for point in front(points):
            runs = played_on(entry_of(point), name, size, min(MOST_RUNS, size.seeds), keep)
            uj = [energy_of([run.select, run.update], machine).energy_uj.value / size.rounds
                  for run in runs]  # fmt: skip
            mean = mean_of(uj)
            rows.append((problem, name, point.learner, point.line, point.variant, len(uj), uj[0],
                         mean.value, mean.low, mean.high))  # fmt: skip
    return replace(comparison, spread=pd.DataFrame(rows, columns=list(_COLUMNS)))
