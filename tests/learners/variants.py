"""Rows of tests that every variant of every embedded learner must pass."""

from __future__ import annotations

import pytest

from gnomon.measure.learners import EmbeddedLearner, LearnerVariant, embedded_learners
from tests.rows import light_and_heavy

ALL = [
    pytest.param(learner, variant, id=f"{learner.name}-{variant.line}-{variant.name}")
    for learner in embedded_learners()
    for variant in learner.variants
]
"""Every learner with every variant of its."""


KINDS = ("linucb-disjoint", "linucb-hybrid", "softucb", "ares", "thompson-disjoint")
"""A learner of each kind: of one matrix for each arm, a shared one, fixed arms, windows, draws."""


def last_written(learner: EmbeddedLearner) -> LearnerVariant:
    """Return the last variant in hand-written C, vector code where it has some."""
    return [each for each in learner.variants if each.once is None][-1]


ONE_OF_EACH = light_and_heavy(
    "studies",
    lambda learner, variant: learner.name in KINDS and variant is last_written(learner),
    ALL,
)
"""The last variant of a learner of each kind, vector code where it has some; others are heavy."""
