"""Windows against no windows on many drifting systems: the problem `drifting` is one of them.

Each system has several runs, the same for both learners. Settings are chosen in other runs of the
same system, from six for each learner.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from gnomon.content.algorithms.ares.system import random_system, simulate
from gnomon.learn.kernels import Floats
from gnomon.measure.learners import HostLearner, find_embedded_learner

from .orders import LEVEL, holm, sign_flips
from .problems import FRACTION_BITS, PROBLEMS, Entry, Given, Problem, settings_of

LEARNERS = ("linucb-window", "linucb-disjoint")
HORIZONS = (200, 1000, 5000)
FIRST_SYSTEM = 101  # no other study looks at these


def drift_table(systems: int, runs: int, training: int) -> pd.DataFrame:
    """Return, by horizon and system, the mean regret of both learners, and Holm-corrected p.

    A row with the system ``all`` compares the means of all systems.
    """
    problem = next(each for each in PROBLEMS if each.name == "drifting")
    found: dict[int, list[tuple[int, Floats]]] = {horizon: [] for horizon in HORIZONS}
    for system in range(FIRST_SYSTEM, FIRST_SYSTEM + systems):
        given = drawn(system, training + runs, max(HORIZONS))
        curves = [
            _curves(problem, learner, given[:training], given[training:]) for learner in LEARNERS
        ]
        for at, horizon in enumerate(HORIZONS):
            found[horizon].append((system, np.stack([each[:, at] for each in curves])))
    rows = []
    for horizon, each in found.items():
        corrected = holm([sign_flips(pair[0] - pair[1]) for _, pair in each]).tolist()
        means = np.stack([pair.mean(axis=1) for _, pair in each], axis=1)
        rows += [
            _row(horizon, str(system), pair.mean(axis=1), p)
            for (system, pair), p in zip(each, corrected, strict=True)
        ]
        rows.append(_row(horizon, "all", means.mean(axis=1), sign_flips(means[0] - means[1])))
    return pd.DataFrame(rows)


def drawn(system: int, runs: int, rounds: int) -> list[Given]:
    """Return runs of one system, with the contexts of the problem `drifting`."""
    of = simulate(random_system(system), runs=runs, rounds=rounds + 1, seed=system)
    ones = np.ones((rounds, 1))
    return [
        Given(np.hstack((ones, of.contexts[:-1, run])), of.expected[1:, run], of.noise[1:, run],
              np.eye(of.expected.shape[2]))
        for run in range(runs)
    ]  # fmt: skip


def _curves(
    problem: Problem, name: str, training: Sequence[Given], runs: Sequence[Given]
) -> Floats:
    """Return relative regret of each run up to each horizon, with the best setting in training."""
    learner = find_embedded_learner(name)
    variant = learner.variant("optimized", "tuned")
    best: tuple[float, Floats] | None = None
    for setting in settings_of(learner, problem):
        entry = Entry(problem, learner, variant, setting)
        host = HostLearner(entry.built(max(HORIZONS)), entry.sizes, fraction_bits=FRACTION_BITS)
        tried = float(np.mean([_regret(entry, host, each)[1] for each in training]))
        if best is None or tried < best[0]:
            best = tried, np.stack([_regret(entry, host, each) for each in runs])
    assert best is not None
    return best[1]


def _regret(entry: Entry, host: HostLearner, given: Given) -> Floats:
    arms, gaps = entry.play(given).on(host), given.gaps
    own, uniform = np.cumsum(gaps[np.arange(len(gaps)), arms]), np.cumsum(gaps.mean(axis=1))
    ends = np.array(HORIZONS) - 1
    found: Floats = own[ends] / uniform[ends]
    return found


def _row(horizon: int, system: str, means: Floats, p: float) -> dict[str, Any]:
    windows, disjoint = means.tolist()
    order = "" if p > LEVEL else "windows" if windows < disjoint else "disjoint"
    return {"horizon": horizon, "system": system, "windows": windows, "disjoint": disjoint,
            "p": p, "better": order}  # fmt: skip


def drift_counts(table: pd.DataFrame) -> pd.DataFrame:
    """Return, by horizon, on how many systems each is better, and the order of the means."""
    rows = []
    for horizon, each in table.groupby("horizon", sort=False):
        alone, whole = each[each["system"] != "all"], each[each["system"] == "all"].iloc[0]
        rows.append({
            "rounds": horizon, "systems": len(alone),
            "windows better": int((alone["better"] == "windows").sum()),
            "disjoint better": int((alone["better"] == "disjoint").sum()),
            "no significant order": int((alone["better"] == "").sum()),
            "mean, windows": whole["windows"], "mean, disjoint": whole["disjoint"],
            "p": whole["p"],
        })  # fmt: skip
    return pd.DataFrame(rows)
