"""What the experiment must show."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gnomon.learn.criterion import Comparison, Criterion
from gnomon.learn.kernel_ucb._criteria_small import (
    LARGEST_DICTIONARY,
    exact_criteria,
    small_criteria,
)
from gnomon.learn.kernel_ucb._experiment import BATCHES, LAMBDAS, SQUARES
from gnomon.learn.kernel_ucb._found import Found

if TYPE_CHECKING:
    from gnomon.learn.kernel_ucb._experiment import KernelExperiment


def kernel_criteria(experiment: KernelExperiment) -> tuple[Criterion, ...]:
    """All criteria that this size can tell of."""
    found = Found(experiment)
    if experiment.size.name == "small":
        return (*small_criteria(found, experiment), *exact_criteria(experiment))
    return (
        *small_criteria(found, experiment),
        *_chessboard(found),
        *_step_diagonal(found),
        *_bump(found),
        *_cbkb(found),
        *_sup(found),
        *_growth(found),
        *exact_criteria(experiment),
    )


_CHESSBOARD_BEFORE = {1.0: "50.2, 48.0", 10.0: "83.2, 83.2", 100.0: "431.5, 431.5"}
_STEP_BEFORE = {1.0: "254.2, 265.8", 10.0: "365.3, 365.3", 100.0: "422.3, 422.3"}
_BATCH_BEFORE = {
    1.0: "50.2; 49.8, 54.3, 82.3",
    10.0: "83.2; 101.5, 172.2, 439.8",
    100.0: "431.5; 437.2, 927.2, 1169.5",
}


def _chessboard(found: Found) -> list[Criterion]:
    name, rounds = "chessboard", 2000
    rows = []
    ordered: dict[str, list[float]] = {"K-UCB": [], "EK-UCB": []}
    for ridge in LAMBDAS:
        ours, exact = (found.regret(name, kind, ridge, rounds) for kind in ("EK-UCB", "K-UCB"))
        ordered["EK-UCB"].append(ours)
        ordered["K-UCB"].append(exact)
        own_seconds = found.seconds(name, "EK-UCB", ridge, rounds)
        faster = found.seconds(name, "K-UCB", ridge, rounds) / own_seconds
        anchors = max(each.anchors for each in found.of(name, "EK-UCB", ridge, rounds))
        rows.append(
            Criterion.compared(
                f"F1 lambda {ridge:g}",
                "Chessboard: R of EK-UCB and of K-UCB; times as fast; anchors",
                Comparison(
                    f"{ours:.1f}, {exact:.1f}; {faster:.0f}; {anchors}",
                    f"within 10 %; at least 30; at most {LARGEST_DICTIONARY}",
                    (
                        abs(ours - exact) <= 0.1 * exact
                        and faster >= 30
                        and anchors <= LARGEST_DICTIONARY
                    ),
                ),
                before=_CHESSBOARD_BEFORE[ridge],
                remark=_forms(found, ridge, rounds) if ours < exact else "",
            )
        )
        rivals = [found.regret(name, "CBBKB", ridge, rounds, batch=each) for each in BATCHES]
        slower = [
            found.seconds(name, "CBBKB", ridge, rounds, batch=each) > own_seconds
            for each in BATCHES
            if min(one.redraws for one in found.of(name, "CBBKB", ridge, rounds, batch=each)) >= 2
        ]
        rows.append(
            Criterion.compared(
                f"F1 CBBKB, lambda {ridge:g}",
                "R of EK-UCB; of CBBKB with C = 3, 10, 30; of those that draw again slower",
                Comparison(
                    (
                        f"{ours:.1f}; {', '.join(f'{each:.1f}' for each in rivals)};"
                        f" {sum(slower)} of {len(slower)}"
                    ),
                    "at most 1.05 of each; all",
                    all(ours <= 1.05 * each for each in rivals) and all(slower),
                ),
                before=_BATCH_BEFORE[ridge],
                remark=_larger_dictionaries(found, ridge, rounds, ours),
            )
        )
    for kind, values in ordered.items():
        rows.append(
            Criterion.compared(
                f"F1 order, {kind}",
                "R for lambda = 1, 10, 100",
                Comparison(
                    ", ".join(f"{value:.1f}" for value in values),
                    "ascending",
                    all(a < b for a, b in pairwise(values)),
                ),
            )
        )
    return rows


def _larger_dictionaries(found: Found, ridge: float, rounds: int, ours: float) -> str:
    """Why a rival has less regret: what it keeps; empty when none has."""
    parts = []
    for batch in BATCHES:
        if ours <= 1.05 * found.regret("chessboard", "CBBKB", ridge, rounds, batch=batch):
            continue
        kept = found.anchors("chessboard", "CBBKB", ridge, rounds, batch=batch)
        own = found.anchors("chessboard", "EK-UCB", ridge, rounds)
        parts.append(
            f"with C = {batch:g} the dictionary is random and holds {kept:.0f} states at the end,"
            f" that of EK-UCB {own:.0f}"
        )
    return "; ".join(parts)


def _forms(found: Found, ridge: float, rounds: int) -> str:
    """What rounding does to the published form."""
    clamped = sum(one.clamped for one in found.of("chessboard", "EK-UCB", ridge, rounds))
    whitened = found.regret("chessboard", "EK-UCB whitened", ridge, rounds)
    return (
        f"the published form had {clamped:,} variances below 0 by rounding, taken as 0;"
        f" the whitened form gives {whitened:.1f}"
    )


def _step_diagonal(found: Found) -> list[Criterion]:
    rows = []
    for ridge in LAMBDAS:
        ours, exact = (
            found.regret("step-diagonal", kind, ridge, 1000) for kind in ("EK-UCB", "K-UCB")
        )
        own, other = (
            found.seconds("step-diagonal", kind, ridge, 1000) for kind in ("EK-UCB", "K-UCB")
        )
        rows.append(
            Criterion.compared(
                f"F2 lambda {ridge:g}",
                "Step Diagonal: R of EK-UCB and of K-UCB, T = 1,000; times as fast",
                Comparison(
                    f"{ours:.1f}, {exact:.1f}; {other / own:.0f}",
                    "within 15 %; at least 10",
                    abs(ours - exact) <= 0.15 * exact and other >= 10 * own,
                ),
                before=_STEP_BEFORE[ridge],
            )
        )
    return rows


def _bump(found: Found) -> list[Criterion]:
    settings = [{"projection": each, "budget": 1.0} for each in LAMBDAS]
    regrets = [found.regret("bump", "EK-UCB", 10.0, 1000, **each) for each in settings]
    seconds = [found.seconds("bump", "EK-UCB", 10.0, 1000, **each) for each in settings]
    exact = found.regret("bump", "K-UCB", 10.0, 1000)
    own = found.seconds("bump", "K-UCB", 10.0, 1000)
    return [
        Criterion.compared(
            "F3",
            "Bump, lambda 10, budget 1: R and seconds of EK-UCB for mu = 1, 10, 100",
            Comparison(
                (
                    f"{', '.join(f'{each:.1f}' for each in regrets)};"
                    f" {', '.join(f'{each:.2f}' for each in seconds)}"
                ),
                "ascending; descending",
                all(a < b for a, b in pairwise(regrets))
                and all(a > b for a, b in pairwise(seconds)),
            ),
            before="28.9, 54.9, 160.5; 14.8, 0.73, 0.27",
        ),
        Criterion.compared(
            "F3 mu 1",
            "R with mu = 1 and of K-UCB; seconds of both",
            Comparison(
                f"{regrets[0]:.1f}, {exact:.1f}; {seconds[0]:.1f}, {own:.1f}",
                "within 15 %; the first slower",
                abs(regrets[0] - exact) <= 0.15 * exact and seconds[0] > own,
            ),
            before="28.9, 27.8; 14.8, 10.3",
        ),
    ]


_CBKB_BEFORE = {
    "bump": "19.0, 19.7; 38.8, 1.4, 0.30",
    "chessboard": "38.0, 37.5; 6.0, 1.4, 0.25",
    "step-diagonal": "221.0, 221.0; 5.7, -, 0.17",
}


def _cbkb(found: Found) -> list[Criterion]:
    rows = []
    for environment in ("bump", *SQUARES):
        budget = {"budget": 1.0} if environment == "bump" else {}
        drawn, exact = (found.regret(environment, kind, 10.0, 500) for kind in ("CBKB", "K-UCB"))
        times = [found.seconds(environment, kind, 10.0, 500) for kind in ("CBKB", "K-UCB")]
        times.append(found.seconds(environment, "EK-UCB", 10.0, 500, **budget))
        rows.append(
            Criterion.compared(
                f"F4 {environment}",
                "T = 500: R of CBKB and of K-UCB; seconds of CBKB, K-UCB, EK-UCB",
                Comparison(
                    f"{drawn:.1f}, {exact:.1f}; {', '.join(f'{each:.2f}' for each in times)}",
                    "within 10 % and 1; CBKB 3 times K-UCB and 15 times EK-UCB",
                    (
                        abs(drawn - exact) <= 0.1 * exact + 1
                        and times[0] >= 3 * times[1]
                        and times[0] >= 15 * times[2]
                    ),
                ),
                before=_CBKB_BEFORE[environment],
            )
        )
    return rows


def _sup(found: Found) -> list[Criterion]:
    rows = []
    for environment, rounds, before in (
        ("bump", 1000, "313.8, 390.7; 27.8"),
        ("chessboard", 2000, "276.5, 736.0; 83.2"),
        ("step-diagonal", 1000, ""),
    ):
        both = [found.regret(environment, "SupK-UCB", 10.0, rounds, eta=eta) for eta in (0.1, 1.0)]
        exact = found.regret(environment, "K-UCB", 10.0, rounds)
        asserted = environment != "step-diagonal"
        remarks = [] if asserted else ["the paper calls it poor everywhere; here it need not be"]
        if rounds == 1000:  # 0.1 / sqrt(10) = 1 / sqrt(1000)
            remarks.append(
                "with eta = 0.1 every width is at most 1 / sqrt(T) from the start:"
                " nothing is learned"
            )
        rows.append(
            Criterion.compared(
                f"F5 {environment}",
                "R of SupK-UCB with eta = 0.1 and 1, seed 0; of K-UCB",
                Comparison(
                    f"{both[0]:.1f}, {both[1]:.1f}; {exact:.1f}",
                    "both above" if asserted else "shown only",
                    min(both) > exact if asserted else None,
                ),
                before=before,
                remark="; ".join(remarks),
            )
        )
    return rows


def _growth(found: Found) -> list[Criterion]:
    """Time at 2,000 rounds over that at 1,000, Chessboard, lambda 10."""
    ratios = []
    for kind in ("K-UCB", "EK-UCB"):
        each = found.of("chessboard", kind, 10.0, 2000)
        ratios.append(float(np.mean([one.seconds / one.half_seconds for one in each])))
    return [
        Criterion.compared(
            "F6",
            "Chessboard: seconds of 2,000 rounds over those of 1,000, K-UCB and EK-UCB",
            Comparison(
                f"{ratios[0]:.1f}, {ratios[1]:.1f}",
                "above 5; below 2.6",
                ratios[0] > 5 and ratios[1] < 2.6,
            ),
            before="7.2, 2.0",
        )
    ]
