"""Orders that ``gnomon choose`` claims: pairs of learners with disjoint intervals of regret."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pandas as pd

from gnomon.base.interval import Interval
from gnomon.explore.learners import LearnerTables
from gnomon.explore.regret_law import CONTEXT_LAWS, STATE, Conditions

COLUMNS = ("better", "worse", "exception", "contexts", "shared", "system", "d", "arms", "rounds",
           "noise", "rate", "basis")  # fmt: skip

_SIZES = ((3, 3), (4, 8), (8, 10))
_ROUNDS = (1000, 5000)
_NOISE = 0.1


def anchors() -> Iterator[Conditions]:
    """Return the conditions whose orders are compared with other pages, theirs among them."""
    for (d, arms), rounds, contexts in product(_SIZES, _ROUNDS, CONTEXT_LAWS):
        for shared in (False, True) if contexts != STATE else (False,):
            yield Conditions(d, arms, rounds, _NOISE, 0.0, contexts, shared)


def claimed_at(tables: LearnerTables, at: Conditions) -> dict[tuple[str, str], str]:
    """Return the basis of each order there, by the better and the worse learner.

    A learner has the least regret of its settings.
    """
    found = _regrets(tables, at)
    return {
        (better, worse): f"{one.high:.3g} is below {other.low:.3g}"
        for (better, one), (worse, other) in product(found.items(), repeat=2)
        if one.high < other.low
    }


def claimed_table(tables: LearnerTables) -> pd.DataFrame:
    """Return every order at the anchors."""
    rows: list[tuple[Any, ...]] = []
    for at in anchors():
        for (better, worse), basis in claimed_at(tables, at).items():
            rows.append((better, worse, "", at.contexts, "yes" if at.shared else "no", "", at.d,
                         at.arms, at.horizon, f"{at.noise:g}", f"{at.rate:g}", basis))  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _regrets(tables: LearnerTables, at: Conditions) -> dict[str, Interval]:
    found: dict[str, Interval] = {}
    for (learner, _), law in tables.regret.items():
        if law.why_not(at):
            continue
        regret = law.predict(at)
        if learner not in found or regret.value < found[learner].value:
            found[learner] = regret
    return found
