"""The C of the learners that hang on no compiler's flags: nothing in it is undefined."""

from __future__ import annotations

import pytest

from gnomon.measure.learners import embedded_learners
from tests.program.undefined import check_defined

CASES = [
    f"{learner.name}/{variant.line}/{variant.name}/{bits}"
    for learner in embedded_learners()
    for variant in learner.variants
    # the hand-written lines of LinUCB promise less
    if variant.once is not None or not learner.name.startswith("linucb")
    for bits in (
        (variant.fraction_bits or 15,) if variant.vector or variant.fraction_bits else (15, 8, 20)
    )
]
SMALLEST = "ucb1/tuned/standard/15"  # each takes a build of its own


def test_the_smallest() -> None:
    check_defined("tests.learners.defined_c", SMALLEST)


@pytest.mark.heavy("sanitize")
def test_all_others() -> None:
    check_defined("tests.learners.defined_c", *(case for case in CASES if case != SMALLEST))
