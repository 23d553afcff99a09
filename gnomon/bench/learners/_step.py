"""The input of one step: a fresh model and zeros, or a model after random steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import GnomonError
from gnomon.bench.learners._host import HostLearner

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.bench.learners._learner import Learner, LearnerVariant
    from gnomon.bench.learners._sizes import Sizes
    from gnomon.bench.words import Words

Case = Literal["fresh", "random"]
"""``fresh``: A = I, all else zero, as the published speed tests. ``random``: after seeded steps."""

CASES: tuple[Case, ...] = ("fresh", "random")
PUBLISHED_REWARD = -0.317605  # of the published update program


@dataclass(frozen=True, slots=True)
class Step:
    """One step's input and, by the same C on this computer, its outcome; all in fixed point.

    ``model`` is None for a fresh one, which the program makes itself. ``model_selected`` is what a
    selection leaves of it: some learners note there what they chose.
    """

    model: Words | None
    context: Words
    features: Words | None
    reward: int
    alpha: int
    arm: int
    scores: Words
    model_after: Words
    model_selected: Words


def to_steps(real: float | npt.NDArray[np.float64], fraction_bits: int) -> npt.NDArray[np.int32]:
    """Real numbers as fixed-point ones, rounded to nearest."""
    return np.rint(np.asarray(real) * 2.0**fraction_bits).astype(np.int32)


def make_step(
    learner: Learner,
    variant: LearnerVariant,
    sizes: Sizes,
    *,
    case: str = "fresh",
    seed: int = 0,
    fraction_bits: int = 15,
    architecture: Architecture | None = None,
    correcting: bool = False,
    warm_steps: int | None = None,
) -> Step:
    """The input of one step, and what it must lead to, on ``architecture`` for vector variants.

    Random: contexts and features uniform in -1 .. 1, rewards in 0 .. 1, after ``warm_steps``, those
    of the learner if None. The update computes the inverses anew if it is ``correcting``, else only
    if the period is 1, or ends there.

    Raises:
        GnomonError: an unknown case, a negative seed, or a variant that cannot correct.
    """
    if correcting:
        variant.check_correction()
    if case not in CASES:
        raise GnomonError(f"unknown case {case!r} (allowed: {', '.join(CASES)})")
    if seed < 0:
        raise GnomonError(f"the seed must not be negative, not {seed}")
    host = HostLearner(variant, sizes, fraction_bits=fraction_bits, architecture=architecture)
    host.alpha = int(to_steps(learner.alpha, fraction_bits))
    host.reset()
    model = None
    context = np.zeros(sizes.d, dtype=np.int32)
    width = sizes.d if learner.fixed_arms else sizes.f
    features = None if width is None else np.zeros((sizes.arms, width), dtype=np.int32)
    reward = int(to_steps(PUBLISHED_REWARD, fraction_bits))
    if case == "random":
        rng = np.random.default_rng(seed)
        if width is not None:
            rows = rng.uniform(-1, 1, (sizes.arms, width))
            if learner.fixed_arms:  # at most 1 long, also when rounded
                rows *= 0.999 / np.linalg.norm(rows, axis=1, keepdims=True)
            features = to_steps(rows, fraction_bits)
            host.features = features
        steps = 1 + (learner.warm_steps if warm_steps is None else warm_steps)
        contexts = to_steps(rng.uniform(-1, 1, (steps, sizes.d)), fraction_bits)
        rewards = to_steps(rng.uniform(0, 1, (steps, sizes.arms)), fraction_bits)
        host.run(contexts[:-1], rewards[:-1])
        model, context, reward = host.model, contexts[-1], int(rewards[-1, 0])
    if correcting:
        model = host.model
        model[-1] = 1  # updates left until a correction, see paper_correction.h
        host.model = model
    host.context = context
    host.clear_scores()
    arm = host.select()
    scores, selected = host.scores, host.model
    host.update(arm, reward)
    return Step(
        model=model,
        context=context,
        features=features,
        reward=reward,
        alpha=host.alpha,
        arm=arm,
        scores=scores,
        model_after=host.model,
        model_selected=selected,
    )
