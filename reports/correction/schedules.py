"""Correction periods and alternatives: drift of A0's inverse by schedule and method."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.linucb_hybrid.learner import (
    HybridLinUCB,
    HybridLinUCBClosedForm,
    HybridLinUCBCorrected,
    HybridLinUCBOptimized,
    HybridLinUCBRankOne,
)
from gnomon.learn import Rounds, Trace
from gnomon.learn.environment import ContextLaw
from gnomon.learn.kernels import Floats, lu_invert


@dataclass(frozen=True, slots=True)
class ScheduleCase:
    """One run of the hybrid algorithm."""

    law: ContextLaw  # of contexts and arm features
    rounds: int = 100_000  # T
    # updates between two corrections, the longest first; it is also the length of the last stretch
    # of rounds that is evaluated separately
    periods: tuple[int, ...] = (5000, 500, 50, 20, 5)
    arms: int = 8  # N
    dimensions: int = 4  # d
    features: int = 8  # f
    seed: int = 1  # of the rounds


GAIN_COLUMNS = (
    "contexts", "variant", "period", "peak_orders", "after_orders", "median_orders",
    "before_orders", "last_orders", "largest_drift", "state_bytes",
)  # fmt: skip


def run_schedules(
    case: ScheduleCase, progress: Callable[[], None] = lambda: None
) -> list[tuple[Any, ...]]:
    """Run every period, the longest also in closed form, and the uncorrected rank-one update.

    The standard learner plays; all others learn the same arms. ``progress`` is called after each
    hundredth of the rounds.

    Returns:
        Rows of ``GAIN_COLUMNS``. Orders of magnitude are log10 of the drift of Algorithm 2 over
        that of this method: the largest over all rounds, which is at a correction where there is
        one; the median over the rounds just after a correction, None without one; that over all
        rounds; that over the rounds just before a correction, None without one; and of the largest
        drifts of the last stretch, whose own is last but one. The period is None without
        corrections; bytes are of float64 arrays that persist between steps.

        Drift is the Frobenius norm of the difference to the inverse of the standard learner's A0.
        Rounds in which one of the two is 0 are left out: right after a correction both inverses can
        be equal to the last bit. Rounds before the first correction of the longest period are, too.
    """
    longest = case.periods[0]
    if min(case.periods) < 2 or case.rounds < 3 * longest:
        raise GnomonError(
            f"periods must be from 2 up, and rounds at least three of the longest, not"
            f" {', '.join(map(str, case.periods))} with {case.rounds} rounds"
        )
    rounds = Rounds.linear(
        rounds=case.rounds, arms=case.arms, dimensions=case.dimensions, features=case.features,
        seed=case.seed, law=case.law,
    )  # fmt: skip
    settings: dict[str, Any] = {"dimensions": case.dimensions, "arm_features": rounds.arm_features}
    standard, plain = HybridLinUCB(**settings), HybridLinUCBOptimized(**settings)
    others: list[HybridLinUCBOptimized] = [
        *(HybridLinUCBCorrected(correction_period=each, **settings) for each in case.periods),
        HybridLinUCBClosedForm(correction_period=longest, **settings),
        HybridLinUCBRankOne(**settings),
    ]
    drift = np.zeros((1 + len(others), case.rounds))
    with Trace.suspend():
        for index, context in enumerate(rounds.contexts):
            arm = standard.select(context)
            reward = rounds.reward(index, arm)
            standard.update(context, arm, reward)
            direct = lu_invert(standard.a0)
            for row, learner in enumerate((plain, *others)):
                learner.update(context, arm, reward)
                drift[row, index] = np.linalg.norm(learner.a0_inverse - direct)
            if (index + 1) % max(case.rounds // 100, 1) == 0:
                progress()
    return [
        _gain(case, learner, drift[0], own) for learner, own in zip(others, drift[1:], strict=True)
    ]


def _gain(
    case: ScheduleCase, learner: HybridLinUCBOptimized, plain: Floats, own: Floats
) -> tuple[Any, ...]:
    def orders(rounds: npt.NDArray[np.int64]) -> Floats:
        both = rounds[(plain[rounds] > 0) & (own[rounds] > 0)]
        return np.log10(plain[both] / own[both])

    longest = case.periods[0]
    last = slice(case.rounds - longest, None)
    period, after, before = None, None, None
    if isinstance(learner, HybridLinUCBCorrected | HybridLinUCBClosedForm):
        period = learner.correction_period
        corrections = np.arange(longest - 1, case.rounds, period)  # rounds that end with one
        after = float(np.median(orders(corrections[corrections + 1 < case.rounds] + 1)))
        before = float(np.median(orders(corrections[1:] - 1)))
    everything = orders(np.arange(longest - 1, case.rounds))
    peaks = float(everything.max()), after, float(np.median(everything)), before
    ratio = float(np.log10(plain[last].max() / own[last].max()))
    drift = float(own[last].max())
    return case.law, learner.variant, period, *peaks, ratio, drift, learner.state_size_bytes
