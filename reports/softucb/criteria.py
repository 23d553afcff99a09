"""B6 to B15: acceptance criteria of the comparisons and studies."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gnomon.content.algorithms.softucb.index import regret_bound
from gnomon.learn import Criterion

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .compare import Comparison
    from .runs import Divergence, TrainedWidth, Trap

OFFLINE, ONLINE = "softucb-offline", "softucb-online"

_RATIOS = {
    "small": (
        "B6",
        (
            (OFFLINE, "linucb", 0.90),
            (OFFLINE, "lints", 0.50),
            (OFFLINE, "epsilon-greedy", 0.50),
            (ONLINE, "lints", 0.60),
            (ONLINE, "epsilon-greedy", 0.65),
        ),
    ),
    "mid": ("B8", ((OFFLINE, "linucb", 0.60), (ONLINE, "linucb", 0.80))),
    "synthetic": (
        "B9",
        (
            (OFFLINE, "linucb", 0.50),
            (ONLINE, "linucb", 0.40),
            (OFFLINE, "lints", 0.65),
            (ONLINE, "lints", 0.45),
            (OFFLINE, "epsilon-greedy", 0.80),
            (ONLINE, "epsilon-greedy", 0.60),
        ),
    ),
}


def of_comparison(comparison: Comparison) -> Iterator[Criterion]:
    """B6, B8 or B9; B7 of the small one; B10 of all; B13 of d = 10 with noise 0.5."""
    setup = comparison.setup
    name, ratios = _RATIOS.get(setup.name.split("-")[0], ("", ()))
    for policy, other, most in ratios:
        what = f"{setup.name}: R(T) of {policy} over {other}"
        yield Criterion(name, what, comparison.ratio(policy, other), most=most)
    if name == "B6":
        ratio = comparison.ratio(ONLINE, "linucb")
        yield Criterion(
            name,
            f"{setup.name}: R(T) of {ONLINE} over linucb",
            ratio,
            most=1.0,
            weak=True,
            remark="no criterion: in so few rounds the online width has not come down"
            if ratio > 1.0
            else "",
        )
        by_env = float((comparison.trained.reshape(setup.seeds, -1).mean(axis=1)).max())
        yield Criterion(
            "B7", f"{setup.name}: largest trained width of a seed", by_env, most=setup.width
        )
        mean = float(comparison.trained.mean())
        yield Criterion("B7", f"{setup.name}: trained width", mean, least=0.25, most=0.75)
    if name == "B8":
        worst = max(
            float((comparison.by_seed(policy) / comparison.by_seed(other)).max())
            for policy in (OFFLINE, ONLINE)
            for other in ("lints", "epsilon-greedy")
        )
        yield Criterion(
            "B8",
            f"{setup.name}: R(T) of either SoftUCB over LinTS or eps-greedy, worst of {setup.seeds}"
            " seeds",
            worst,
            most=1.0,
        )
    dimensions = setup.arm_sets.features.shape[2]
    bound = regret_bound(float(comparison.trained.mean()), dimensions, setup.rounds)
    share = comparison.played[OFFLINE].mean / bound
    yield Criterion(
        "B10",
        f"{setup.name}: R(T) of {OFFLINE} over the bound of Theorem 1",
        share,
        most=1.0,
        remark="loose: measured regret saturates" if share < 0.1 else "",
    )
    if setup.name == "synthetic-d10":
        curve = comparison.played[ONLINE].regret
        half = float(np.interp(setup.rounds / 2, comparison.stops, curve))
        yield Criterion(
            "B13",
            f"{setup.name}: growth of R of {ONLINE} in the last half over R(T/2)",
            float(curve[-1]) / half - 1.0,
            most=0.5,
        )
    yield from _data(comparison)


def _data(comparison: Comparison) -> Iterator[Criterion]:
    name = comparison.setup.name
    if name == "jester":
        for other, most in (("linucb", 1.0), ("lints", 1.1)):
            ratio = comparison.ratio(OFFLINE, other)
            yield Criterion("Fig. 2d", f"{name}: R(T) of {OFFLINE} over {other}", ratio, most=most)
    if name == "movielens":
        finite = float(all(np.isfinite(each.final).all() for each in comparison.played.values()))
        yield Criterion("Fig. 2c", f"{name}: all regret is finite", finite, least=1.0)
        for policy in (OFFLINE, "softucb-online-fast"):
            yield Criterion(
                "Fig. 2c",
                f"{name}: R(T) of {policy} over linucb",
                comparison.ratio(policy, "linucb"),
                most=1.0,
                weak=True,
                remark="the paper draws it below 1, on factors that are not published",
            )


def of_sweep(dimensions: int, rounds: int, noise_std: float, sweep: Mapping[float, float]
             ) -> Iterator[Criterion]:  # fmt: skip
    """B12: regret over the width is a U."""
    best = min(sweep, key=lambda width: sweep[width])
    where = f"d = {dimensions}, T = {rounds}, noise {noise_std:.3g}"
    yield Criterion("B12", f"{where}: best fixed width", best, least=0.3, most=0.7)
    for width in (min(sweep), max(sweep)):
        what = f"{where}: R(T) at width {width:g} over the least"
        yield Criterion("B12", what, sweep[width] / sweep[best], least=3.0)


def of_divergence(divergence: Divergence) -> Iterator[Criterion]:
    """B11."""
    what = "eta = 0.03: width at the end, from 2"
    yield Criterion("B11", what, divergence.beta[0.03], least=2.0)
    ratio = divergence.regret[0.03] / divergence.regret[0.003]
    yield Criterion("B11", "R(T) with eta = 0.03 over eta = 0.003", ratio, least=1.3)


def of_trap(trap: Trap) -> Iterator[Criterion]:
    """B14."""
    for rule, least, most in (("zero", 0.95, None), ("one", None, 0.4)):
        what = f"empty L counts as {rule}: R(T) over uniform play"
        yield Criterion("B14", what, trap.share[rule], least=least, most=most)


def of_table_1(rows: tuple[TrainedWidth, ...]) -> Iterator[Criterion]:
    """B15."""
    for noise in sorted({row.noise_std for row in rows}):
        of_noise = [row for row in rows if row.noise_std == noise]
        five = [row.mean for row in sorted(of_noise, key=lambda row: row.rounds)
                if row.dimensions == 5]  # fmt: skip
        falls = max(a - b for a, b in pairwise(five))
        where = f"noise {noise:.3g}"
        what = f"{where}: largest fall of the trained width of d = 5 as T doubles"
        errors = [row.standard_error for row in of_noise if row.dimensions == 5]
        remark = f"standard error of each width: {', '.join(f'{each:.2f}' for each in errors)}"
        yield Criterion("B15", what, falls, most=0.1, remark=remark)
        largest = max(row.mean / row.theory for row in of_noise)
        what = f"{where}: trained width over that of equation (5), largest of 5"
        yield Criterion("B15", what, largest, most=1.0)
        tall = {row.dimensions: row.mean for row in of_noise if row.rounds == 1024}
        grown = tall[15] - tall[5]
        yield Criterion(
            "Table 1",
            f"{where}: trained width of d = 15 less that of d = 5, T = 1024 (published: 0.3)",
            grown,
            least=0.0,
            weak=True,
            remark="does not reproduce: eta decides the width, and one eta gives no such growth"
            if grown < 0.0
            else "",
        )
