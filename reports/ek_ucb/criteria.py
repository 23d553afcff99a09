"""Expected results of the experiment: S1 to S5 in half a thousand rounds, F1 to F6 in full."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gnomon.base.frames import rows_of
from gnomon.report.criteria import CriteriaChecker, Criterion

from .experiment import BATCHES, LAMBDAS, ROUNDS, SQUARES, KernelExperiment, in_words

PAIR = ("K-UCB", "EK-UCB")
LARGEST_DICTIONARY = 80
"""Anchors, of criteria S1 and F1."""


def kernel_criteria(experiment: KernelExperiment) -> tuple[Criterion, ...]:
    judge = CriteriaChecker(Path(__file__).with_name("criteria.yaml"))
    found = Found(experiment.results)
    parts = [_half_a_thousand(judge, found, experiment)]
    if experiment.size == "full":
        parts += [each(judge, found) for each in _FULL]
    parts.append(_exact(judge, experiment))
    return tuple(row for part in parts for row in part)


class Found:
    """Results of the experiment, by subject."""

    def __init__(self, results: pd.DataFrame) -> None:
        self._results = results
        self.regret, self.seconds = partial(self.mean, "regret"), partial(self.mean, "seconds")

    def of(
        self, environment: str, kind: str, ridge: float, rounds: int, **settings: float
    ) -> pd.DataFrame:
        """Return the rows of all seeds."""
        wanted = {"environment": environment, "kind": kind, "regularisation": ridge,
                  "rounds": rounds, "settings": in_words(**settings)}  # fmt: skip
        return self._results[(self._results[list(wanted)] == pd.Series(wanted)).all(axis=1)]

    def mean(self, what: str, *run: Any, **settings: Any) -> float:
        """Return the mean over the seeds."""
        return float(np.mean(self.of(*run, **settings)[what]))


def _listed(values: Sequence[float], form: str = ".1f") -> str:
    return ", ".join(format(value, form) for value in values)


def _ascending(values: Sequence[float]) -> bool:
    return all(a < b for a, b in pairwise(values))


def _half_a_thousand(
    judge: CriteriaChecker, found: Found, experiment: KernelExperiment
) -> Iterator[Criterion]:
    for environment in SQUARES:
        exact, ours = (rows_of(found.of(environment, kind, 10.0, 500))[0] for kind in PAIR)
        near, words = 0.05 * exact.regret + 3, f"{ours.regret:.1f}, {exact.regret:.1f}"
        met = abs(ours.regret - exact.regret) <= near and ours.anchors <= LARGEST_DICTIONARY
        yield judge.compare(
            "S1 {}", f"{words}; {ours.anchors}", met=bool(met), key=environment,
            numbers={"near": near, "anchors": LARGEST_DICTIONARY},
        )  # fmt: skip
        own, all_of = (experiment.operations[environment, kind] for kind in ("ek-ucb", "k-ucb"))
        words = f"{own:,}, {all_of:,}"
        yield judge.compare("S1 operations, {}", words, met=own < all_of, key=environment)
    for environment in ROUNDS:
        curve = rows_of(found.of(environment, "K-UCB", 10.0, 500))[0].curve
        values = [float(curve[at - 1]) for at in (100, 250, 500)]
        before = [float(word) for word in judge.before("S3 {}", environment).split(",")]
        # After round 100 the prototype counts one round more, or one fewer: 3 % cover that.
        close = all(abs(new - old) <= 0.03 * old for new, old in zip(values, before, strict=True))
        yield judge.compare("S3 {}", _listed(values), met=close, key=environment)
    for environment in SQUARES:
        kinds = (("K-UCB", 10.0), ("LinUCB", 1.0), ("Random", 10.0))
        three = [found.regret(environment, kind, ridge, 500) for kind, ridge in kinds]
        yield judge.compare("S4 {}", _listed(three), met=_ascending(three), key=environment)


def _exact(judge: CriteriaChecker, experiment: KernelExperiment) -> Iterator[Criterion]:
    for each in rows_of(experiment.exactness):
        most = 1e-2 if each.smallest_novelty < 1e-2 else 1e-8
        errors = _listed([each.inverse, each.kernel_inverse, each.covariance], ".1e")
        near = max(each.inverse, each.kernel_inverse) <= most and each.covariance <= 1e-9
        met = each.unequal <= 5 and near and not each.clamped
        key = f"{each.environment}, guard {each.smallest_novelty:g}"
        words = f"{each.unequal}; {errors}; {each.clamped}"
        yield judge.compare("S2 {}", words, met=met, key=key, numbers={"most": most})
    unequal, anchors = experiment.whole
    yield judge.compare("S5", f"{unequal}; {anchors}", met=(unequal, anchors) == (0, 301))


def _chessboard(judge: CriteriaChecker, found: Found) -> Iterator[Criterion]:
    ordered: dict[str, list[float]] = {kind: [] for kind in PAIR}
    for ridge in LAMBDAS:
        rival, run, batch = (("chessboard", kind, ridge, 2000) for kind in (*PAIR, "CBBKB"))
        ours, exact, own_seconds = found.regret(*run), found.regret(*rival), found.seconds(*run)
        ordered["EK-UCB"].append(ours)
        ordered["K-UCB"].append(exact)
        faster = found.seconds(*rival) / own_seconds
        anchors = found.of(*run)["anchors"].max()
        near = abs(ours - exact) <= 0.1 * exact
        yield judge.compare(
            "F1 lambda {}",
            f"{ours:.1f}, {exact:.1f}; {faster:.0f}; {anchors}",
            met=near and faster >= 30 and anchors <= LARGEST_DICTIONARY,
            key=f"{ridge:g}",
            remark=_forms(found, ridge) if ours < exact else "",
            numbers={"anchors": LARGEST_DICTIONARY},
        )
        rivals = {each: found.regret(*batch, batch=each) for each in BATCHES}
        slower = [
            found.seconds(*batch, batch=each) > own_seconds
            for each in BATCHES
            if found.of(*batch, batch=each)["redraws"].min() >= 2
        ]
        better = [
            f"with C = {each:g} the dictionary is random and holds"
            f" {found.mean('anchors', *batch, batch=each):.0f} states at the end,"
            f" that of EK-UCB {found.mean('anchors', *run):.0f}"
            for each, regret in rivals.items()
            if ours > 1.05 * regret
        ]
        yield judge.compare(
            "F1 CBBKB, lambda {}",
            f"{ours:.1f}; {_listed([*rivals.values()])}; {sum(slower)} of {len(slower)}",
            met=not better and all(slower),
            key=f"{ridge:g}",
            remark="; ".join(better),
        )
    for kind, values in ordered.items():
        yield judge.compare("F1 order, {}", _listed(values), met=_ascending(values), key=kind)


def _forms(found: Found, ridge: float) -> str:
    """Describe the effect of rounding on the published form."""
    clamped = found.of("chessboard", "EK-UCB", ridge, 2000)["clamped"].sum()
    whitened = found.regret("chessboard", "EK-UCB whitened", ridge, 2000)
    return (
        f"the published form had {clamped:,} variances below 0 by rounding, taken as 0;"
        f" the whitened form gives {whitened:.1f}"
    )


def _step_diagonal(judge: CriteriaChecker, found: Found) -> Iterator[Criterion]:
    for ridge in LAMBDAS:
        rival, run = (("step-diagonal", kind, ridge, 1000) for kind in PAIR)
        ours, exact = found.regret(*run), found.regret(*rival)
        own, other = found.seconds(*run), found.seconds(*rival)
        met = abs(ours - exact) <= 0.15 * exact and other >= 10 * own
        words = f"{ours:.1f}, {exact:.1f}; {other / own:.0f}"
        yield judge.compare("F2 lambda {}", words, met=met, key=f"{ridge:g}")


def _bump(judge: CriteriaChecker, found: Found) -> Iterator[Criterion]:
    settings = [{"projection": each, "budget": 1.0} for each in LAMBDAS]
    regrets = [found.regret("bump", "EK-UCB", 10.0, 1000, **each) for each in settings]
    seconds = [found.seconds("bump", "EK-UCB", 10.0, 1000, **each) for each in settings]
    exact, own = (each("bump", "K-UCB", 10.0, 1000) for each in (found.regret, found.seconds))
    near = abs(regrets[0] - exact) <= 0.15 * exact
    met = _ascending(regrets) and _ascending(seconds[::-1])
    yield judge.compare("F3", f"{_listed(regrets)}; {_listed(seconds, '.2f')}", met=met)
    words = f"{regrets[0]:.1f}, {exact:.1f}; {seconds[0]:.1f}, {own:.1f}"
    yield judge.compare("F3 mu 1", words, met=near and seconds[0] > own)


def _cbkb(judge: CriteriaChecker, found: Found) -> Iterator[Criterion]:
    for environment in ROUNDS:
        budget = {"budget": 1.0} if environment == "bump" else {}
        drawn, exact = (found.regret(environment, kind, 10.0, 500) for kind in ("CBKB", "K-UCB"))
        times = [found.seconds(environment, kind, 10.0, 500) for kind in ("CBKB", "K-UCB")]
        times.append(found.seconds(environment, "EK-UCB", 10.0, 500, **budget))
        near = abs(drawn - exact) <= 0.1 * exact + 1
        words = f"{drawn:.1f}, {exact:.1f}; {_listed(times, '.2f')}"
        met = near and times[0] >= 3 * times[1] and times[0] >= 15 * times[2]
        yield judge.compare("F4 {}", words, met=met, key=environment)


def _sup(judge: CriteriaChecker, found: Found) -> Iterator[Criterion]:
    for environment, rounds in ROUNDS.items():
        both = [found.regret(environment, "SupK-UCB", 10.0, rounds, eta=eta) for eta in (0.1, 1.0)]
        exact = found.regret(environment, "K-UCB", 10.0, rounds)
        asserted = environment != "step-diagonal"
        remarks = [] if asserted else ["the paper calls it poor everywhere; here it need not be"]
        if rounds == 1000:  # 0.1 / sqrt(10) = 1 / sqrt(1000)
            least = "every width is at most 1 / sqrt(T) from the start: nothing is learned"
            remarks.append(f"with eta = 0.1 {least}")
        yield judge.compare(
            "F5 {}", f"{_listed(both)}; {exact:.1f}", met=min(both) > exact if asserted else None,
            key=environment, remark="; ".join(remarks),
            numbers={"limit": "both above" if asserted else "shown only"},
        )  # fmt: skip


def _growth(judge: CriteriaChecker, found: Found) -> Iterator[Criterion]:
    """Check the time at 2,000 rounds over that at 1,000, Chessboard, lambda 10."""
    exact, ours = (
        float((each["seconds"] / each["half_seconds"]).mean())
        for each in (found.of("chessboard", kind, 10.0, 2000) for kind in PAIR)
    )
    yield judge.compare("F6", f"{exact:.1f}, {ours:.1f}", met=exact > 5 and ours < 2.6)


_FULL = (_chessboard, _step_diagonal, _bump, _cbkb, _sup, _growth)
