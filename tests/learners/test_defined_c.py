"""The C of the learners that hang on no compiler's flags: nothing in it is undefined."""

from __future__ import annotations

import pytest

from gnomon.bench.learners import Learner
from tests.program.undefined import check_defined

CASES = [
    f"{learner.name}/{variant.name}/{bits}"
    for learner in Learner.all()
    for variant in learner.variants
    if not learner.name.startswith("linucb")  # the code lines promise less
    for bits in (
        (variant.fraction_bits or 15,) if variant.vector or variant.fraction_bits else (15, 8, 20)
    )
]
# Each takes a build of its own.
QUICK = [case for case in CASES if case.endswith(("standard/15", "optimized/15", "online/15"))]


def test_scalar_variants() -> None:
    check_defined("tests.learners.defined_c", *QUICK)


@pytest.mark.heavy("sanitize")
def test_other_variants() -> None:
    check_defined("tests.learners.defined_c", *(case for case in CASES if case not in QUICK))
