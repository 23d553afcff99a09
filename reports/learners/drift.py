"""Windows, no windows and hybrid on many drifting systems: the problem `drifting` is one of them.

Each system has several runs, the same for all learners. Settings are chosen in other runs of the
same system, from six for each learner.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from gnomon.base.frames import rows_of
from gnomon.content.algorithms.ares.system import random_system, simulate
from gnomon.learn.kernels import Floats

from .horizons import HORIZONS, tuned_regrets
from .orders import LEVEL, holm, sign_flips
from .problems import DRIFTING, Given, Problem

LEARNERS = {"windows": "linucb-window", "disjoint": "linucb-disjoint", "hybrid": "linucb-hybrid"}
PAIRS = (("windows", "disjoint"), ("windows", "hybrid"), ("hybrid", "disjoint"))
FIRST_SYSTEM = 101  # no other study looks at these
MANY = "drifting systems"


def drift_table(systems: int, runs: int, training: int) -> pd.DataFrame:
    """Return, by horizon and system, the mean regret of the learners, and p of their pairs.

    A row with the system ``all`` compares the means of the systems. Holm's correction is over all
    tests of single systems, and over all tests of means.
    """
    by_system = {system: _played(system, runs, training)
                 for system in range(FIRST_SYSTEM, FIRST_SYSTEM + systems)}  # fmt: skip
    means = {
        name: np.array([found[name].mean(axis=0) for found in by_system.values()])
        for name in LEARNERS
    }
    rows = [
        *_rows({str(system): found for system, found in by_system.items()}),
        *_rows({"all": means}),
    ]
    return pd.DataFrame([row for each in HORIZONS for row in rows if row["horizon"] == each])


def _played(system: int, runs: int, training: int) -> dict[str, Floats]:
    """Return regret of each learner in the runs of a system, (runs, horizons)."""
    given = drawn_of_system(system, training + runs, max(HORIZONS))
    return {
        name: tuned_regrets(DRIFTING, learner, given[:training], given[training:])
        for name, learner in LEARNERS.items()
    }


def _rows(compared: dict[str, dict[str, Floats]]) -> list[dict[str, Any]]:
    """Return a row per name and horizon; the correction is over all of them and all pairs."""
    rows, p_values = list[dict[str, Any]](), list[float]()
    for system, found in compared.items():
        for at, horizon in enumerate(HORIZONS):
            means = {name: float(regrets[:, at].mean()) for name, regrets in found.items()}
            rows.append({"horizon": horizon, "system": system, **means})
            p_values += [sign_flips(found[one][:, at] - found[other][:, at])
                         for one, other in PAIRS]  # fmt: skip
    for at, corrected in enumerate(holm(p_values).reshape(-1, len(PAIRS)).tolist()):
        rows[at] |= {p_of(*pair): p for pair, p in zip(PAIRS, corrected, strict=True)}
    return rows


def p_of(one: str, other: str) -> str:
    """Return the column of the p of a pair."""
    return f"p_{one}_{other}"


def drawn_of_system(system: int, runs: int, rounds: int) -> list[Given]:
    """Return runs of one system, with the contexts of the problem `drifting`."""
    of = simulate(random_system(system), runs=runs, rounds=rounds + 1, seed=system)
    ones = np.ones((rounds, 1))
    return [
        Given(np.hstack((ones, of.contexts[:-1, run])), of.expected[1:, run], of.noise[1:, run],
              np.eye(of.expected.shape[2]))
        for run in range(runs)
    ]  # fmt: skip


def _one_run(rounds: int, seed: int) -> Given:
    (given,) = drawn_of_system(seed, 1, rounds)
    return given


DRIFTING_SYSTEMS: Problem = replace(DRIFTING, name=MANY, draw=_one_run)
"""The problem `drifting` with another system for each seed."""


def drift_orders(table: pd.DataFrame) -> pd.DataFrame:
    """Return, by horizon and pair, on how many systems each is better, and the order of the means.

    ``better``: the name of the better one by the means of all systems; empty: not significant.
    """
    rows = []
    for horizon, each in table.groupby("horizon", sort=False):
        alone, whole = each[each["system"] != "all"], each[each["system"] == "all"].iloc[0]
        for one, other in PAIRS:
            clear, less = alone[p_of(one, other)] <= LEVEL, alone[one] < alone[other]
            p, first = whole[p_of(one, other)], whole[one] < whole[other]
            rows.append({
                "horizon": horizon, "one": one, "other": other, "systems": len(alone),
                "one_better": int((clear & less).sum()),
                "other_better": int((clear & ~less).sum()), "unordered": int((~clear).sum()),
                "one_mean": whole[one], "other_mean": whole[other], "p": p,
                "better": "" if p > LEVEL else one if first else other,
            })  # fmt: skip
    return pd.DataFrame(rows)


def sentences_of_means(orders: pd.DataFrame, *, significant: bool = True) -> list[str]:
    """Return the pairs whose means differ, or do not, with the numbers of rounds.

    A pair that differs begins with the better learner.
    """
    rounds: dict[str, list[str]] = {}
    for row in rows_of(orders):
        if bool(row.better) == significant:
            other = row.other if row.better in ("", row.one) else row.one
            pair = f"{row.better} over {other}" if row.better else f"{row.one} and {other}"
            rounds.setdefault(pair, []).append(f"{row.horizon:,}")
    return [f"{pair} ({', '.join(each)} rounds)" for pair, each in rounds.items()]
