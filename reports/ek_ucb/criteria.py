"""What the experiment must show: S1 to S5 in half a thousand rounds, F1 to F6 in full."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partialmethod
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gnomon.base.frames import rows_of
from gnomon.report.criteria import Criterion, Judge

from .experiment import BATCHES, LAMBDAS, SQUARES, KernelExperiment, in_words

PAIR = ("K-UCB", "EK-UCB")
LARGEST_DICTIONARY = 80
"""Anchors, of criteria S1 and F1."""


def kernel_criteria(experiment: KernelExperiment) -> tuple[Criterion, ...]:
    """All criteria that this size can tell of."""
    judge, found = Judge(Path(__file__).with_name("criteria.yaml")), Found(experiment)
    rows = _half_a_thousand(judge, found, experiment)
    if experiment.size == "full":
        rows += _chessboard(judge, found)
        rows += [_step_diagonal(judge, found, ridge) for ridge in LAMBDAS]
        rows += _bump(judge, found)
        rows += [_cbkb(judge, found, environment) for environment in ("bump", *SQUARES)]
        rows += [_sup(judge, found, *each) for each in _SUP_ROUNDS]
        rows.append(_growth(judge, found))
    return (*rows, *_exact(judge, experiment))


class Found:
    """The results, by what they are of."""

    def __init__(self, experiment: KernelExperiment) -> None:
        self._results = experiment.results

    def of(
        self, environment: str, kind: str, ridge: float, rounds: int, **settings: float
    ) -> pd.DataFrame:
        """All seeds."""
        each = self._results
        return each[
            (each["environment"] == environment)
            & (each["kind"] == kind)
            & (each["regularisation"] == ridge)
            & (each["rounds"] == rounds)
            & (each["settings"] == in_words(**settings))
        ]

    def mean(self, what: str, *run: Any, **settings: Any) -> float:
        """Over the seeds."""
        return float(np.mean(self.of(*run, **settings)[what]))

    regret = partialmethod(mean, "regret")
    seconds = partialmethod(mean, "seconds")


def _listed(values: Sequence[float], form: str = ".1f") -> str:
    return ", ".join(format(value, form) for value in values)


def _ascending(values: Sequence[float]) -> bool:
    return all(a < b for a, b in pairwise(values))


def _half_a_thousand(judge: Judge, found: Found, experiment: KernelExperiment) -> list[Criterion]:
    rows = []
    for environment in SQUARES:
        exact, ours = (rows_of(found.of(environment, kind, 10.0, 500))[0] for kind in PAIR)
        near = 0.05 * exact.regret + 3
        rows.append(
            judge.compare(
                "S1 {}",
                f"{ours.regret:.1f}, {exact.regret:.1f}; {ours.anchors}",
                met=bool(
                    abs(ours.regret - exact.regret) <= near and ours.anchors <= LARGEST_DICTIONARY
                ),
                key=environment,
                numbers={"near": near, "anchors": LARGEST_DICTIONARY},
            )
        )
        own, all_of = (experiment.operations[environment, kind] for kind in ("ek-ucb", "k-ucb"))
        words = f"{own:,}, {all_of:,}"
        rows.append(judge.compare("S1 operations, {}", words, met=own < all_of, key=environment))
    for environment in ("bump", *SQUARES):
        curve = rows_of(found.of(environment, "K-UCB", 10.0, 500))[0].curve
        values = [float(curve[at - 1]) for at in (100, 250, 500)]
        before = [float(word) for word in judge.before("S3 {}", environment).split(",")]
        # After round 100 the prototype counts one round more, or one fewer: 3 % cover that.
        close = all(abs(new - old) <= 0.03 * old for new, old in zip(values, before, strict=True))
        rows.append(judge.compare("S3 {}", _listed(values), met=close, key=environment))
    for environment in SQUARES:
        kinds = (("K-UCB", 10.0), ("LinUCB", 1.0), ("Random", 10.0))
        three = [found.regret(environment, kind, ridge, 500) for kind, ridge in kinds]
        rows.append(judge.compare("S4 {}", _listed(three), met=_ascending(three), key=environment))
    return rows


def _exact(judge: Judge, experiment: KernelExperiment) -> list[Criterion]:
    rows = []
    for each in rows_of(experiment.exactness):
        most = 1e-2 if each.smallest_novelty < 1e-2 else 1e-8
        errors = _listed([each.inverse, each.kernel_inverse, each.covariance], ".1e")
        met = (
            each.unequal <= 5
            and max(each.inverse, each.kernel_inverse) <= most
            and each.covariance <= 1e-9
            and not each.clamped
        )
        rows.append(
            judge.compare(
                "S2 {}",
                f"{each.unequal}; {errors}; {each.clamped}",
                met=met,
                key=f"{each.environment}, guard {each.smallest_novelty:g}",
                numbers={"most": most},
            )
        )
    unequal, anchors = experiment.whole
    met = (unequal, anchors) == (0, 301)
    return [*rows, judge.compare("S5", f"{unequal}; {anchors}", met=met)]


def _chessboard(judge: Judge, found: Found) -> list[Criterion]:
    rows = []
    ordered: dict[str, list[float]] = {"K-UCB": [], "EK-UCB": []}
    for ridge in LAMBDAS:
        run = ("chessboard", "EK-UCB", ridge, 2000)
        rival = ("chessboard", "K-UCB", ridge, 2000)
        ours, exact, own_seconds = found.regret(*run), found.regret(*rival), found.seconds(*run)
        ordered["EK-UCB"].append(ours)
        ordered["K-UCB"].append(exact)
        faster = found.seconds(*rival) / own_seconds
        anchors = found.of(*run)["anchors"].max()
        near = abs(ours - exact) <= 0.1 * exact
        rows.append(
            judge.compare(
                "F1 lambda {}",
                f"{ours:.1f}, {exact:.1f}; {faster:.0f}; {anchors}",
                met=near and faster >= 30 and anchors <= LARGEST_DICTIONARY,
                key=f"{ridge:g}",
                remark=_forms(found, ridge) if ours < exact else "",
                numbers={"anchors": LARGEST_DICTIONARY},
            )
        )
        batch = ("chessboard", "CBBKB", ridge, 2000)
        rivals = {each: found.regret(*batch, batch=each) for each in BATCHES}
        slower = [
            found.seconds(*batch, batch=each) > own_seconds
            for each in BATCHES
            if found.of(*batch, batch=each)["redraws"].min() >= 2
        ]
        kept = found.mean("anchors", *run)
        better = [
            f"with C = {each:g} the dictionary is random and holds"
            f" {found.mean('anchors', *batch, batch=each):.0f} states at the end,"
            f" that of EK-UCB {kept:.0f}"
            for each, regret in rivals.items()
            if ours > 1.05 * regret
        ]
        rows.append(
            judge.compare(
                "F1 CBBKB, lambda {}",
                f"{ours:.1f}; {_listed([*rivals.values()])}; {sum(slower)} of {len(slower)}",
                met=not better and all(slower),
                key=f"{ridge:g}",
                remark="; ".join(better),
            )
        )
    for kind, values in ordered.items():
        rows.append(
            judge.compare("F1 order, {}", _listed(values), met=_ascending(values), key=kind)
        )
    return rows


def _forms(found: Found, ridge: float) -> str:
    """What rounding does to the published form."""
    clamped = found.of("chessboard", "EK-UCB", ridge, 2000)["clamped"].sum()
    whitened = found.regret("chessboard", "EK-UCB whitened", ridge, 2000)
    return (
        f"the published form had {clamped:,} variances below 0 by rounding, taken as 0;"
        f" the whitened form gives {whitened:.1f}"
    )


def _step_diagonal(judge: Judge, found: Found, ridge: float) -> Criterion:
    run, rival = (("step-diagonal", kind, ridge, 1000) for kind in ("EK-UCB", "K-UCB"))
    ours, exact = found.regret(*run), found.regret(*rival)
    own, other = found.seconds(*run), found.seconds(*rival)
    return judge.compare(
        "F2 lambda {}",
        f"{ours:.1f}, {exact:.1f}; {other / own:.0f}",
        met=abs(ours - exact) <= 0.15 * exact and other >= 10 * own,
        key=f"{ridge:g}",
    )


def _bump(judge: Judge, found: Found) -> list[Criterion]:
    settings = [{"projection": each, "budget": 1.0} for each in LAMBDAS]
    regrets = [found.regret("bump", "EK-UCB", 10.0, 1000, **each) for each in settings]
    seconds = [found.seconds("bump", "EK-UCB", 10.0, 1000, **each) for each in settings]
    exact, own = (each("bump", "K-UCB", 10.0, 1000) for each in (found.regret, found.seconds))
    near = abs(regrets[0] - exact) <= 0.15 * exact
    return [
        judge.compare(
            "F3",
            f"{_listed(regrets)}; {_listed(seconds, '.2f')}",
            met=_ascending(regrets) and _ascending(seconds[::-1]),
        ),
        judge.compare(
            "F3 mu 1",
            f"{regrets[0]:.1f}, {exact:.1f}; {seconds[0]:.1f}, {own:.1f}",
            met=near and seconds[0] > own,
        ),
    ]


def _cbkb(judge: Judge, found: Found, environment: str) -> Criterion:
    budget = {"budget": 1.0} if environment == "bump" else {}
    drawn, exact = (found.regret(environment, kind, 10.0, 500) for kind in ("CBKB", "K-UCB"))
    times = [found.seconds(environment, kind, 10.0, 500) for kind in ("CBKB", "K-UCB")]
    times.append(found.seconds(environment, "EK-UCB", 10.0, 500, **budget))
    near = abs(drawn - exact) <= 0.1 * exact + 1
    return judge.compare(
        "F4 {}",
        f"{drawn:.1f}, {exact:.1f}; {_listed(times, '.2f')}",
        met=near and times[0] >= 3 * times[1] and times[0] >= 15 * times[2],
        key=environment,
    )


_SUP_ROUNDS = (("bump", 1000), ("chessboard", 2000), ("step-diagonal", 1000))


def _sup(judge: Judge, found: Found, environment: str, rounds: int) -> Criterion:
    both = [found.regret(environment, "SupK-UCB", 10.0, rounds, eta=eta) for eta in (0.1, 1.0)]
    exact = found.regret(environment, "K-UCB", 10.0, rounds)
    asserted = environment != "step-diagonal"
    remarks = [] if asserted else ["the paper calls it poor everywhere; here it need not be"]
    if rounds == 1000:  # 0.1 / sqrt(10) = 1 / sqrt(1000)
        remarks.append(
            "with eta = 0.1 every width is at most 1 / sqrt(T) from the start: nothing is learned"
        )
    return judge.compare(
        "F5 {}",
        f"{both[0]:.1f}, {both[1]:.1f}; {exact:.1f}",
        met=min(both) > exact if asserted else None,
        key=environment,
        remark="; ".join(remarks),
        numbers={"limit": "both above" if asserted else "shown only"},
    )


def _growth(judge: Judge, found: Found) -> Criterion:
    """Time at 2,000 rounds over that at 1,000, Chessboard, lambda 10."""
    exact, ours = (
        float((each["seconds"] / each["half_seconds"]).mean())
        for each in (found.of("chessboard", kind, 10.0, 2000) for kind in PAIR)
    )
    return judge.compare("F6", f"{exact:.1f}, {ours:.1f}", met=exact > 5 and ours < 2.6)
