"""The orders that ``gnomon choose`` claims, played on fresh seeds."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from gnomon.content.reports.learners.problems import Setting
from gnomon.explore.learners import LearnerTables
from gnomon.explore.regret_law import Conditions

from .cells import Cell
from .claims import anchors, claimed_at
from .playing import FIRST_SEED, Want, play
from .policies import POLICIES, Policy
from .working import Work

SEED_BASE = 3_000_000
"""Fresh seeds begin after it; smaller ones choose settings, fit laws and check configurations."""
_NUMBER = 600_000  # of the cell of an anchor

COLUMNS = ("better", "worse", "contexts", "shared", "d", "arms", "rounds", "better_regret",
           "worse_regret", "seeds", "holds")  # fmt: skip


def play_anchor(
    at: Conditions, choices: tuple[tuple[Policy, Setting], ...], base: int, seeds: int
) -> tuple[tuple[str, float], ...]:
    """Return the mean relative regret of each learner over seeds that follow ``base``."""
    first = base + 1 - FIRST_SEED
    wants = [Want(policy, first, seeds) for policy, _ in choices]
    runs = play(Cell(_NUMBER, at), dict(choices), wants)
    return tuple((each.policy.learner, float(each.curves[:, -1].mean())) for each in runs)


def orders_table(tables: LearnerTables, base: int, seeds: int, work: Work) -> pd.DataFrame:
    """Return every claimed order with the regrets of both learners on fresh seeds."""
    calls = []
    for at in anchors():
        found = claimed_at(tables, at)
        if found:
            names = {name for pair in found for name in pair}
            calls.append((at, _choices(tables, at, names), base, seeds))
    rows: list[tuple[Any, ...]] = []
    for (at, *_), played in work.over(play_anchor, calls, "claimed orders", lambda c: str(c[0])):
        if played is not None:
            rows += _rows(at, claimed_at(tables, at), dict(played), seeds)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _choices(
    tables: LearnerTables, at: Conditions, names: set[str]
) -> tuple[tuple[Policy, Setting], ...]:
    """Return the policy of each learner that is claimed about, with the setting near by."""
    found = []
    for policy in POLICIES:
        law = tables.regret.get((policy.learner, policy.settings))
        if law is None or policy.learner not in names or law.why_not(at):
            continue
        found.append((law.predict(at).value, policy, law.setting(at)))
    best: dict[str, tuple[float, Policy, str]] = {}
    for value, policy, chosen in found:
        if policy.learner not in best or value < best[policy.learner][0]:
            best[policy.learner] = value, policy, chosen
    return tuple((policy, policy.setting(chosen, at.arms)) for _, policy, chosen in best.values())


def _rows(
    at: Conditions, claimed: Mapping[tuple[str, str], str], regrets: Mapping[str, float], seeds: int
) -> list[tuple[Any, ...]]:
    return [
        (better, worse, at.contexts, "yes" if at.shared else "no", at.d, at.arms, at.horizon,
         f"{regrets[better]:.4g}", f"{regrets[worse]:.4g}", seeds,
         "yes" if regrets[better] < regrets[worse] else "no")
        for better, worse in claimed
    ]  # fmt: skip


def held(orders: pd.DataFrame) -> tuple[int, int]:
    """Return how many orders hold, and how many there are."""
    return int(np.sum(orders["holds"] == "yes")), len(orders)
