"""All embedded learners by name."""

from __future__ import annotations

from gnomon.algorithms._counts import (
    disjoint_optimized,
    disjoint_standard,
    disjoint_vector,
    hybrid_optimized,
    hybrid_standard,
    hybrid_vector,
)
from gnomon.algorithms._learner import Learner, LearnerVariant
from gnomon.errors import GnomonError, did_you_mean

_PAPER_COMMON = ("learner.c", "paper_divide.c", "paper_square_root.c")

LEARNERS: tuple[Learner, ...] = (
    Learner(
        name="linucb-disjoint",
        title="LinUCB with a model for each arm",
        has_features=False,
        alpha=0.5,
        variants=(
            LearnerVariant(
                name="standard",
                line="paper",
                sources=("linucb_disjoint_standard.c", *_PAPER_COMMON),
                vector=False,
                counts=disjoint_standard,
            ),
            LearnerVariant(
                name="optimized",
                line="paper",
                sources=("linucb_disjoint_optimized.c", *_PAPER_COMMON),
                vector=False,
                counts=disjoint_optimized,
            ),
            LearnerVariant(
                name="standard-vector",
                line="paper",
                sources=("linucb_disjoint_standard.c", *_PAPER_COMMON),
                vector=True,
                counts=disjoint_vector,
                extensions=("kdiv", "kps"),
                fraction_bits=15,
                shares_arms=False,
            ),
            LearnerVariant(
                name="optimized-vector",
                line="paper",
                sources=("linucb_disjoint_optimized.c", *_PAPER_COMMON),
                vector=True,
                counts=disjoint_vector,
                extensions=("kdiv", "kps"),
                fraction_bits=15,
                shares_arms=False,
            ),
            LearnerVariant(
                name="optimized",
                line="tuned",
                sources=("linucb_disjoint_optimized.c", "learner.c"),
                vector=False,
                counts=None,
                fraction_bits=15,
            ),
            LearnerVariant(
                name="optimized-vector",
                line="tuned",
                sources=("linucb_disjoint_vector.c", "learner.c"),
                vector=True,
                counts=None,
                extensions=("kps",),
                fraction_bits=15,
                shares_arms=False,
            ),
        ),
    ),
    Learner(
        name="linucb-hybrid",
        title="LinUCB with a model for each arm and one for all",
        has_features=True,
        alpha=0.2,
        variants=(
            LearnerVariant(
                name="standard",
                line="paper",
                sources=("linucb_hybrid_standard.c", *_PAPER_COMMON),
                vector=False,
                counts=hybrid_standard,
            ),
            LearnerVariant(
                name="optimized",
                line="paper",
                sources=("linucb_hybrid_optimized.c", *_PAPER_COMMON),
                vector=False,
                counts=hybrid_optimized,
            ),
            LearnerVariant(
                name="standard-vector",
                line="paper",
                sources=("linucb_hybrid_standard.c", *_PAPER_COMMON),
                vector=True,
                counts=hybrid_vector,
                extensions=("kdiv", "kps"),
                fraction_bits=15,
                shares_arms=False,
            ),
            LearnerVariant(
                name="optimized-vector",
                line="paper",
                sources=("linucb_hybrid_optimized.c", *_PAPER_COMMON),
                vector=True,
                counts=hybrid_vector,
                extensions=("kdiv", "kps"),
                fraction_bits=15,
                shares_arms=False,
            ),
        ),
    ),
)


def find_learner(name: str) -> Learner:
    """The learner called ``name``.

    Raises:
        GnomonError: there is none.
    """
    for learner in LEARNERS:
        if learner.name == name:
            return learner
    known = [learner.name for learner in LEARNERS]
    raise GnomonError(
        f"no learner is called {name!r} (allowed: {', '.join(known)}{did_you_mean(name, known)})"
    )
