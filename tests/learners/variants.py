"""Rows of tests that every variant of every embedded learner must pass."""

from __future__ import annotations

import pytest

from gnomon.bench.learners import Learner

ALL = [
    pytest.param(learner, variant, id=f"{learner.name}-{variant.line}-{variant.name}")
    for learner in Learner.all()
    for variant in learner.variants
]
"""Every learner with every variant of its."""

ONE_OF_EACH = [
    row
    if row.values[1] is row.values[0].variants[-1]
    else pytest.param(*row.values, id=row.id, marks=pytest.mark.heavy("studies"))
    for row in ALL
]
"""The last variant of each learner, vector code where it has some; the others are heavy."""
