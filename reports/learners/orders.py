"""Orders of the fronts: found on some seeds, claimed if other seeds confirm them, then checked.

Two points of a front are ordered if the dearer one has significantly less regret: a paired test
of the same runs, by random signs of their differences (Fisher's), corrected for all pairs of all
fronts (Holm's). The same points are then played on fresh seeds. An order is claimed only if it is
significant there as well, corrected for all orders that were found. A third set of seeds, by which
nothing is chosen, shows whether claimed orders hold.

Implementations of one learner have almost the same regret, and play on several machines, so that
many pairs repeat one order. ``distinct_orders`` counts an order once.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from gnomon.base.frames import rows_of
from gnomon.base.result_cache import Keep, compute_uncached
from gnomon.learn.kernels import Floats

from .entries import regrets_by_seed
from .points import Comparison, Point, front, panels
from .problems import TITLES

LEVEL = 0.05
CHECK_STEP = 100_000
"""Distance from the fresh seeds to those of the check."""
_FLIPS = 50_000
_SETS = ("differences", "fresh", "check")
_NAMES = ("problem", "machine", "order", "cheaper", "better")


def with_orders(
    comparison: Comparison, seed_base: int, keep: Keep = compute_uncached
) -> Comparison:
    """Return ``orders``: all pairs of points of each front, the cheaper one first.

    Columns ``problem``, ``machine``, ``order`` (the same for implementations of the same two
    learners), ``cheaper`` and ``better`` (titles of points), ``less``: mean difference of their
    regrets, ``p`` (corrected), ``found``: significant; on fresh seeds ``fresh_less``, ``fresh_p``
    (corrected for all orders that were found, else of this pair alone), and ``claimed``: found, and
    significant again; on the seeds of the check ``check_less``, and ``held``: the better one has
    less regret there, too.
    """
    size, rows = comparison.size, list[dict[str, Any]]()
    for (problem, machine), points in panels(comparison.points).items():
        played = [
            (point, [np.array(regrets_by_seed(point, machine, size, 1 + base, keep))
                     for base in (0, seed_base, seed_base + CHECK_STEP)])
            for point in front(points)
        ]  # fmt: skip
        for (cheaper, ones), (better, others) in combinations(played, 2):
            names = problem, machine, order_of(cheaper, better), cheaper.title, better.title
            less = [one - other for one, other in zip(ones, others, strict=True)]
            rows.append(
                {**dict(zip(_NAMES, names, strict=True)), **dict(zip(_SETS, less, strict=True))}
            )
    return replace(comparison, orders=judged(rows), seed_base=seed_base)


def order_of(cheaper: Point, better: Point) -> str:
    """Return the order of two points as that of their learners, or of code of one learner."""
    if cheaper.learner != better.learner:
        return f"{TITLES[better.learner]} over {TITLES[cheaper.learner]}"
    one, other = (each.made.replace("-vector", "") for each in (better, cheaper))
    return f"{TITLES[better.learner]} {one} over {other}"


def judged(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return the differences of the runs as statistics; see :func:`with_orders`."""
    corrected = holm([sign_flips(row["differences"]) for row in rows])
    found = corrected <= LEVEL
    fresh_p = np.array([sign_flips(row["fresh"]) for row in rows])
    fresh_p[found] = holm(fresh_p[found])
    table = [
        {**{name: row[name] for name in _NAMES},
         "less": float(row["differences"].mean()), "p": p, "found": is_found,
         "fresh_less": float(row["fresh"].mean()), "fresh_p": again,
         "claimed": bool(is_found and row["fresh"].mean() > 0 and again <= LEVEL),
         "check_less": float(row["check"].mean()), "held": bool(row["check"].mean() > 0)}
        for row, p, is_found, again in zip(
            rows, corrected.tolist(), found.tolist(), fresh_p.tolist(), strict=True
        )
    ]  # fmt: skip
    return pd.DataFrame(table)


def distinct_orders(orders: pd.DataFrame) -> pd.DataFrame:
    """Return one row per problem and order, with its number of ``pairs``.

    An order is ``found`` if a pair has it, ``claimed`` if all pairs that have it claim it, and
    ``held`` if all these pairs hold. ``fresh_less`` is the least of them.
    """
    rows = []
    for (problem, order), own in orders.groupby(["problem", "order"], sort=False):
        having = own[own["found"]]
        claimed = bool(len(having)) and bool(having["claimed"].all())
        rows.append({
            "problem": problem, "order": order, "pairs": len(own), "found": len(having) > 0,
            "claimed": claimed, "held": claimed and bool(having["held"].all()),
            "fresh_less": having["fresh_less"].min() if len(having) else None,
        })  # fmt: skip
    return pd.DataFrame(rows)


def unconfirmed(orders: pd.DataFrame) -> list[str]:
    """Return the orders that were found and that the fresh seeds do not confirm."""
    return [
        f"{row.order} on {row.problem} ({row.fresh_less:+.4f} on the fresh seeds)"
        for row in rows_of(distinct_orders(orders))
        if row.found and not row.claimed
    ]


def sign_flips(differences: Floats) -> float:
    """Return the probability of a mean as far from 0 if differences have random signs.

    All pairs with the same number of runs get the same signs.
    """
    signs = np.random.default_rng(len(differences)).choice((-1.0, 1.0), (_FLIPS, len(differences)))
    least = abs(differences.sum()) * (1.0 - 1e-12)  # equal but for the order of the sum
    return float((1 + (np.abs(signs @ differences) >= least).sum()) / (1 + _FLIPS))


def holm(p_values: Sequence[float] | Floats) -> Floats:
    """Adjust p values by Holm's step-down method, in their order."""
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    steps: Floats = np.asarray(p_values, dtype=np.float64)[order] * factors
    adjusted = np.empty_like(steps)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
