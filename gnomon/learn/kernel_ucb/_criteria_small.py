"""Criteria S1 to S5: half a thousand rounds, and how exact the forms are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.learn.criterion import Comparison, Criterion
from gnomon.learn.kernel_ucb._experiment import SQUARES

if TYPE_CHECKING:
    from gnomon.learn.kernel_ucb._experiment import Exactness, KernelExperiment
    from gnomon.learn.kernel_ucb._found import Found

# K-UCB, lambda = 10, seed 0, after 100, 250 and 500 rounds: what a prototype gave.
_BEFORE = {
    "bump": (5.3, 13.7, 19.7),
    "chessboard": (18.0, 27.0, 37.5),
    "step-diagonal": (50.0, 116.5, 221.0),
}
LARGEST_DICTIONARY = 80
"""Anchors, of criteria S1 and F1."""


def small_criteria(found: Found, experiment: KernelExperiment) -> list[Criterion]:
    rows = []
    for environment in SQUARES:
        exact, ours = (found.of(environment, kind, 10.0, 500)[0] for kind in ("K-UCB", "EK-UCB"))
        limit = 0.05 * exact.regret + 3
        rows.append(
            Criterion.compared(
                f"S1 {environment}",
                "R of EK-UCB and of K-UCB, T = 500; anchors",
                Comparison(
                    f"{ours.regret:.1f}, {exact.regret:.1f}; {ours.anchors}",
                    f"within {limit:.1f}; at most {LARGEST_DICTIONARY}",
                    abs(ours.regret - exact.regret) <= limit and ours.anchors <= LARGEST_DICTIONARY,
                ),
                before="37.5, 37.5" if environment == "chessboard" else "221.0, 221.0",
            )
        )
        counted = [experiment.operations[environment, kind] for kind in ("ek-ucb", "k-ucb")]
        rows.append(
            Criterion.compared(
                f"S1 operations, {environment}",
                "arithmetic operations of one round of EK-UCB and of K-UCB after 500",
                Comparison(
                    f"{counted[0]:,}, {counted[1]:,}", "the first fewer", counted[0] < counted[1]
                ),
            )
        )
    for environment, before in _BEFORE.items():
        curve = found.of(environment, "K-UCB", 10.0, 500)[0].curve
        values = [float(curve[at - 1]) for at in (100, 250, 500)]
        # After round 100 the prototype counts one round more, or one fewer: 3 % cover that.
        near = all(
            abs(value - old) <= 0.03 * old for value, old in zip(values, before, strict=True)
        )
        rows.append(
            Criterion.compared(
                f"S3 {environment}",
                "R of K-UCB after 100, 250, 500 rounds",
                Comparison(
                    ", ".join(f"{value:.1f}" for value in values), "within 3 % of before", near
                ),
                before=", ".join(map(str, before)),
            )
        )
    for environment, old in (
        ("chessboard", "37.5, 132.5, 219.0"),
        ("step-diagonal", "221.0, 255.0, 342.5"),
    ):
        three = [
            found.regret(environment, "K-UCB", 10.0, 500),
            found.regret(environment, "LinUCB", 1.0, 500),
            found.regret(environment, "Random", 10.0, 500),
        ]
        rows.append(
            Criterion.compared(
                f"S4 {environment}",
                "R of K-UCB, LinUCB, uniform",
                Comparison(
                    ", ".join(f"{value:.1f}" for value in three),
                    "ascending",
                    three[0] < three[1] < three[2],
                ),
                before=old,
            )
        )
    return rows


def exact_criteria(experiment: KernelExperiment) -> list[Criterion]:
    rows = [_form(each) for each in experiment.exactness]
    unequal, anchors = experiment.whole
    rows.append(
        Criterion.compared(
            "S5",
            "rounds of 300 on Bump with another arm than K-UCB, every state an anchor; anchors",
            Comparison(f"{unequal}; {anchors}", "0; 301", (unequal, anchors) == (0, 301)),
            before="0",
        )
    )
    return rows


def _form(each: Exactness) -> Criterion:
    limit = 1e-2 if each.smallest_novelty < 1e-2 else 1e-8
    met = (
        each.unequal <= 5
        and max(each.inverse, each.kernel_inverse) <= limit
        and each.covariance <= 1e-9
        and not each.clamped
    )
    return Criterion.compared(
        f"S2 {each.environment}, guard {each.smallest_novelty:g}",
        "unequal arms of both forms; error of Lambda, of K_ZZ^-1, of P; negative variances",
        Comparison(
            (
                f"{each.unequal}; {each.inverse:.1e}, {each.kernel_inverse:.1e},"
                f" {each.covariance:.1e}; {each.clamped}"
            ),
            f"at most 5; {limit:g}, {limit:g}, 1e-09; 0",
            met,
        ),
        before="0; 1e-4, 4e-5, 7e-12; 0"
        if each.smallest_novelty < 1e-2
        else "0; 5e-12, 5e-12, 3e-14; 0",
    )
