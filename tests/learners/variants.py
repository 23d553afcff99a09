"""Rows of tests that every variant of every embedded learner must pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gnomon.measure.learners import EmbeddedLearner, embedded_learners

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.measure.learners import LearnerVariant

ALL = [
    pytest.param(learner, variant, id=f"{learner.name}-{variant.line}-{variant.name}")
    for learner in embedded_learners()
    for variant in learner.variants
]
"""Every learner with every variant of its."""


def heavy_unless(light: Callable[[EmbeddedLearner, LearnerVariant], bool]) -> list[Any]:
    """Return all rows, those that are not ``light`` in a heavy group."""
    heavy = pytest.mark.heavy("studies")
    return [
        row if light(*row.values) else pytest.param(*row.values, id=row.id, marks=heavy)
        for row in ALL
    ]


ONE_OF_EACH = heavy_unless(lambda learner, variant: variant is learner.variants[-1])
"""The last variant of each learner, vector code where it has some; the others are heavy."""
