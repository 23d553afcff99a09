"""What the correction costs the embedded learners, and what it does in their fixed point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from gnomon.arch import load_architecture
from gnomon.bench.learners import HostLearner, LearnerBench, Sizes, find_learner, to_steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from gnomon.bench.learners import LearnerRun, LearnerVariant
    from gnomon.bench.words import Words

ARMS = 8
MACHINES = {"scalar": "t13", "vector": "t13-paper-simd4"}
_MEMORY = "memory.data.size=4 MiB"  # no cache, so it costs no cycle

LAST_STEPS = 200
LIMIT = 0.01
SIZES = Sizes(d=4, arms=ARMS, f=4)
FRACTION_BITS = 15


@dataclass(frozen=True, slots=True)
class DeviceCase:
    """A learner at one size, on the scalar core or on the vector unit."""

    learner: str
    d: int
    f: int | None
    unit: Literal["scalar", "vector"]


def measure_case(case: DeviceCase) -> tuple[LearnerRun, LearnerRun, LearnerRun]:
    """Build and run three steps; a fresh model and zeros, as in the published tables.

    Returns:
        A step of the variant without direct matrices, an ordinary one of the corrected variant, and
        one in which the inverses are computed anew.

    Raises:
        CheckFailed: a bit differs from what the same C gives on this computer.
    """
    learner = find_learner(case.learner)
    architecture = load_architecture(MACHINES[case.unit], [_MEMORY])
    sizes = Sizes(case.d, ARMS, case.f)
    runs = []
    for name, steps in (("optimized", (False,)), ("corrected", (False, True))):
        variant = learner.variant(f"{name}-vector" if case.unit == "vector" else name)
        program = LearnerBench(learner, variant, architecture, sizes).build()
        runs += [
            LearnerBench(learner, variant, architecture, sizes).measure(
                details=False, program=program, correcting=correcting
            )
            for correcting in steps
        ]
    optimized, ordinary, correcting = runs
    return optimized, ordinary, correcting


FIXED_COLUMNS = (
    "seed", "period", "first_step_beyond_0.01", "median_error_after_correction",
    "last_median_error",
)  # fmt: skip


def fixed_errors(periods: Sequence[int], steps: int, seed: int) -> list[tuple[object, ...]]:
    """The optimized variant and the corrected one by period, the hybrid learner on this computer.

    Contexts and features are uniform in -1 .. 1, rewards in 0 .. 1; the arms take turns.

    Returns:
        Rows of ``FIXED_COLUMNS``, of the largest difference of a score from that of the scalar
        standard variant in Q16.15: the first step, from 1, with one above ``LIMIT``, None if none
        had; the median over the steps just after a correction, None without one; that over the last
        ``LAST_STEPS`` steps. The period of the optimized variant is None.
    """
    learner = find_learner("linucb-hybrid")
    alpha = int(to_steps(learner.alpha, FRACTION_BITS))
    standard = _scores(learner.variant("standard"), alpha, steps, seed)
    found: list[tuple[object, ...]] = []
    for period in (None, *periods):
        variant = learner.variant("optimized")
        if period is not None:
            variant = learner.variant("corrected").corrected_every(period)
        distance = np.abs(_scores(variant, alpha, steps, seed) - standard).max(axis=1)
        difference = distance / 2.0**FRACTION_BITS
        beyond = np.flatnonzero(difference > LIMIT)
        first = int(beyond[0]) + 1 if beyond.size else None
        after = difference[period::period] if period is not None else difference[:0]
        last = float(np.median(difference[-LAST_STEPS:]))
        found.append(
            (seed, period, first, float(np.median(after)) if after.size else None, last)
        )  # fmt: skip
    return found


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
