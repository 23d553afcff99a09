"""What the correction does in the machine's fixed point: scores beside the standard variant's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.learners import HostLearner, Sizes, find_learner, to_steps

if TYPE_CHECKING:
    import numpy.typing as npt

    from gnomon.bench.learners import LearnerVariant, Words

LAST_STEPS = 200
LIMIT = 0.01
SIZES = Sizes(d=4, arms=8, f=4)
FRACTION_BITS = 15


@dataclass(frozen=True, slots=True)
class FixedError:
    """Largest difference of a score from that of the scalar standard variant, in Q16.15.

    Attributes:
        period: updates between two corrections; None: the optimised variant.
        seed: of the steps.
        first_beyond: the first step, from 1, with a difference above ``LIMIT``; None: none had.
        after: median over the steps just after a correction; None without one.
        last_median: median over the last ``LAST_STEPS`` steps.
    """

    period: int | None
    seed: int
    first_beyond: int | None
    after: float | None
    last_median: float


def fixed_errors(periods: tuple[int, ...], steps: int, seed: int) -> tuple[FixedError, ...]:
    """The optimised variant and the corrected one by period, the hybrid learner on this computer.

    Contexts and features are uniform in -1 .. 1, rewards in 0 .. 1; the arms take turns.
    """
    learner = find_learner("linucb-hybrid")
    alpha = int(to_steps(learner.alpha, FRACTION_BITS))
    standard = _scores(learner.variant("standard"), alpha, steps, seed)
    found = []
    for period in (None, *periods):
        variant = learner.variant("optimized")
        if period is not None:
            variant = learner.variant("corrected").corrected_every(period)
        distance = np.abs(_scores(variant, alpha, steps, seed) - standard).max(axis=1)
        difference = distance / 2.0**FRACTION_BITS
        beyond = np.flatnonzero(difference > LIMIT)
        after = difference[period::period] if period is not None else difference[:0]
        found.append(
            FixedError(
                period,
                seed,
                int(beyond[0]) + 1 if beyond.size else None,
                float(np.median(after)) if after.size else None,
                float(np.median(difference[-LAST_STEPS:])),
            )
        )
    return tuple(found)


def _scores(variant: LearnerVariant, alpha: int, steps: int, seed: int) -> npt.NDArray[np.int64]:
    """Scores of every arm at every step, in fixed-point steps."""
    rng = np.random.default_rng(seed)

    def draw(low: float, *shape: int) -> Words:
        return to_steps(rng.uniform(low, 1, shape), FRACTION_BITS)

    assert SIZES.f is not None
    contexts, rewards = draw(-1, steps, SIZES.d), draw(0, steps, SIZES.arms)
    host = HostLearner(variant, SIZES, fraction_bits=FRACTION_BITS)
    host.alpha, host.features = alpha, draw(-1, SIZES.arms, SIZES.f)
    scores = np.zeros((steps, SIZES.arms), dtype=np.int64)
    for step, context in enumerate(contexts):
        arm = step % SIZES.arms
        host.context = context
        host.select()
        scores[step] = host.scores
        host.update(arm, int(rewards[step, arm]))
    return scores
